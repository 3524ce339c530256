"""The page Forecast."""

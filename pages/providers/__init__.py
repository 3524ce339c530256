"""The page Providers."""

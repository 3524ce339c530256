"""The page Decide."""

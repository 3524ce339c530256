"""The page Intersection attack."""

"""The page What helps."""

"""The page Make it hold."""

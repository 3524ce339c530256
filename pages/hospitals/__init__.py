"""The page Other hospitals."""

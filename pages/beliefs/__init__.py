"""The page Beliefs."""

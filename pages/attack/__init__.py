"""The page If others publish."""

"""Results of core for the pages: cached per session, computed in turn."""

"""Results of core for the pages: cached per session, computed when their turn comes."""

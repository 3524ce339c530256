"""The worked examples of the papers, as ready objects."""

"""The worked examples of the papers as objects."""

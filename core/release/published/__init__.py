"""A reader's view of a published table: its cells, regions, and who may be in them."""

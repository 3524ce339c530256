"""What a reader can make of a published table: its cells, regions, and who may be in them."""

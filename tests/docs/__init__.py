"""What the guides in docs/ say is so."""

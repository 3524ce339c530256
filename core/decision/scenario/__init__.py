"""Every choice of a publisher, in one file."""

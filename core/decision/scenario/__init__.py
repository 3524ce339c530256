"""Everything that a publisher asked for, in one file."""

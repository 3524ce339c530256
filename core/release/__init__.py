"""The published release, its classes, and its cost."""

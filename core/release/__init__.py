"""What is given out: the release, its classes, and what it costs."""

"""What is fast, and against whom: ``python -m benchmarks``, or ``make bench``."""

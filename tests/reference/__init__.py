"""Slow twins: every fast path of core written again, in plain loops, from its definition."""

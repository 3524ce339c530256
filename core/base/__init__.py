"""Foundations of core: errors, array types, wording, rates, bounds, metrics, processes."""

"""Risk of being found, as regulators count it: one release, after composition, and in a population."""

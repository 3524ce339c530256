"""Re-identification risk, as regulators count it: in one release, after composition, and in a population."""

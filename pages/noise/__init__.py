"""The page Differential privacy."""

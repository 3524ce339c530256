"""What every room of core stands on: errors, types of arrays, words, rates, bounds, metrics, processes."""

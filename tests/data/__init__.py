"""Tests on the public data sets; they skip, with the reason, where the data are absent."""

"""Tests of the pure-Python core."""

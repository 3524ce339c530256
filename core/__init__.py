"""Composition: what a release gives away once another organisation has published too."""

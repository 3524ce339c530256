"""Tests of the pages, one file a page."""

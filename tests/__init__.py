"""Tests of the project; the folders mirror the code they test."""

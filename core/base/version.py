"""The version of the program, for files that state their origin."""

VERSION = "2.0.0"

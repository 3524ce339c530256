"""The version of the program, for what states how it was made."""

VERSION = "2.0.0"

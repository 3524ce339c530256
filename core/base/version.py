"""The version of the program, for what states how it was made."""

VERSION = "1.0.0"

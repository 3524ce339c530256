"""The version of the program, for what states how it was made."""

VERSION = "0.1.0"

"""The state of a session: its choices, its table and files, the address. Nothing here computes."""

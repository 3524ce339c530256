"""Profile a table: proposed roles, derived columns, stray cells, cautions, uniqueness."""

"""What a table says about itself: proposed roles, derived columns, stray cells, cautions, uniqueness."""

"""What a publisher says about a table: roles and kinds of columns, orders, taxonomies, the agreed list."""

"""Declarations about a table: roles and kinds of columns, orders, taxonomies, the agreed list."""

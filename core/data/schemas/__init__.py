"""Declarations about a table: roles and types of columns, orders, taxonomies, agreements."""

"""Cells as text: what a table is, how frames and typed values become one, how numbers and dates are written."""

"""Tables of text cells, their creation from frames and typed values, and formats of numbers and dates."""

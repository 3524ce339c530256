"""Tables, columns, codes: from bytes to the arrays that the rest of core uses."""

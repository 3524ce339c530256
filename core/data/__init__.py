"""Tables, columns, codes: from bytes to what every other room computes with."""

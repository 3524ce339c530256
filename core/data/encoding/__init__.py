"""A table as codes: domains of columns, records and persons, missing values, draws and marginals."""

"""Several releases of several publishers: drawn, anonymised, attacked, swept."""

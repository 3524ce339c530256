"""One script per page; navigation is declared in app.py."""

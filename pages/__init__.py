"""One script a page; navigation is declared in app.py."""

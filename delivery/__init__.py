"""How the program comes to those who use it: wheel, bundle, container, pictures. None of it is in the wheel."""

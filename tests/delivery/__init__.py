"""The program as others get it: wheel, bundle, container, commands."""

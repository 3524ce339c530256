"""Every figure and table of the papers that this program can redraw, as one HTML page."""

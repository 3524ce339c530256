"""What pages draw with: widgets, layout, charts, text, messages."""

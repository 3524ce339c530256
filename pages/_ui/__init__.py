"""What the pages share: state, cached runs, widgets, text, errors, charts."""

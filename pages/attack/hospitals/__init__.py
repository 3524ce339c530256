"""The hospitals on the page If others publish, one tab each."""

"""What the pages share: state, cached runs, widgets, text, errors, charts."""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

# Switch off the discovery of this folder before anything is drawn, and start over through app.py: see
# docs/streamlit-traps.md.
if getattr(PagesManager, "uses_pages_directory", False):
    PagesManager.uses_pages_directory = False
    if get_script_run_ctx() is not None:
        st.rerun()

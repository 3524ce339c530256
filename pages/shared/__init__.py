"""What the pages share: state, cached runs, widgets, text, errors, charts."""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

# A folder named "pages" beside the main script makes Streamlit run the very first page of a
# new server without app.py when that page is opened by its own address. Take the folder out
# of its hands before anything is drawn, and start over by way of app.py.
if getattr(PagesManager, "uses_pages_directory", False):
    PagesManager.uses_pages_directory = False
    if get_script_run_ctx() is not None:
        st.rerun()

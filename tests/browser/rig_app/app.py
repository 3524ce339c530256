"""A small app on which test_rig.py tries the rig."""

import streamlit as st

st.set_page_config(page_title="Rig", page_icon="🔧", layout="wide")


def outside() -> None:
    """Ask another host for a picture, as a hostile column name would."""
    st.title("Outside")
    st.markdown("![picture](http://example.com/picture.png)")


def failing() -> None:
    """Fail, on the page and in the log."""
    st.title("Failing")
    raise ValueError("on purpose")


st.navigation(
    [
        st.Page(lambda: st.title("Start"), title="Start", url_path="start", default=True),
        st.Page(outside, title="Outside"),
        st.Page(failing, title="Failing"),
    ]
).run()

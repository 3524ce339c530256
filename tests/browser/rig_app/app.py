"""A small app on which test_rig.py tries the rig."""

import time

import streamlit as st

st.set_page_config(page_title="Rig", page_icon="🔧", layout="wide")


def slider() -> None:
    """Show a slider, and after a moment what it is set to."""
    st.title("Slider")
    k = st.slider("People per class (k)", 2, 50, 5)
    time.sleep(0.2)
    st.metric("k twice", 2 * k)


def outside() -> None:
    """Ask another host for a picture, as a hostile column name would."""
    st.title("Outside")
    st.markdown("![picture](http://example.com/picture.png)")


def failing() -> None:
    """Fail, on the page and in the log."""
    st.title("Failing")
    raise ValueError("on purpose")


st.navigation(
    {
        "Start": [st.Page(slider, title="Slider", icon=":material/home:", default=True)],
        "Wrong": [st.Page(outside, title="Outside"), st.Page(failing, title="Failing")],
    }
).run()

"""A small app on which test_rig.py tries the rig."""

import time

import altair as alt
import pandas as pd
import streamlit as st

st.set_page_config(page_title="Rig", page_icon="🔧", layout="wide")


def widgets() -> None:
    """Show one of each widget, and what it is set to."""
    st.title("Widgets")
    k = st.slider("People per class (k)", 2, 50, 5)
    t = st.slider("Closeness (t)", 0.0, 1.0, 0.4, 0.05)
    low, high = st.slider("Range", 0, 1000, (10, 900))
    confidence = st.select_slider("Confidence", [0.25, 0.5, 1.0], 1.0)
    exact = st.number_input("Exact k", 2, 50, 5)
    kind = st.selectbox("Kind", ["distinct", "entropy", "recursive"])
    pressed = st.button("Press me")
    file = st.file_uploader("A table")
    time.sleep(0.2)
    for label, value in {
        "k twice": 2 * k,
        "t": f"{t:.2f}",
        "range": f"{low} to {high}",
        "confidence": confidence,
        "exact": exact,
        "kind": kind,
        "pressed": pressed,
        "bytes": 0 if file is None else len(file.getvalue()),
    }.items():
        st.metric(label, str(value))
    st.download_button("Download", "héllo\r\n".encode(), "hello.txt", on_click="ignore")
    numbers = pd.DataFrame({"x": range(k), "y": [k * x for x in range(k)]})
    st.altair_chart(alt.Chart(numbers).mark_line(point=True).encode(x="x", y="y"))
    st.container(height=1500, border=True)


def empty() -> None:
    """Show a title and nothing else."""
    st.title("Empty")


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
        "Start": [
            st.Page(widgets, title="Widgets", icon=":material/home:", default=True),
            st.Page(empty, title="Empty", icon=":material/crop_square:"),
        ],
        "Wrong": [st.Page(outside, title="Outside"), st.Page(failing, title="Failing")],
    }
).run()

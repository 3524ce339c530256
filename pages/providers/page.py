"""Providers: they publish together, and some of them may learn more by colluding."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.providers import controls
from pages.providers import numbers as pr
from pages.providers import sections as views
from pages.shared.state import session
from pages.shared.ui import errors, layout, widgets


def answer() -> None:
    """The verdict on my release next to m, and a closer look."""
    rail, stage = layout.one_view()
    method = ""
    with rail, errors.refusing():
        encoded = pr.pooled()
        widgets.slider("my_m", "providers", low=0, high=max(1, pr.present(encoded) - 1))
        widgets.k_slider("my_k", "providers")
        method = st.selectbox(
            "Release", list(pr.RELEASES), format_func=pr.RELEASES.__getitem__, key="providers:release"
        )
        controls.ask_nameless(controls.nameless(encoded))
        st.caption(controls.shares_in_words(encoded))
    feasible = False
    with stage, errors.refusing():
        if method:
            views.verdict(method)
            feasible = True
    layout.answered()
    if not feasible:
        return
    views.caveat(method)
    if method != pr.MINE and st.button(
        "Make this my release", key="providers:adopt", icon=":material/check:", on_click=pr.adopt, args=(method,)
    ):
        st.switch_page("pages/attack/page.py")
    sections: dict[str, Callable[[], None]] = {
        "Worst classes": partial(views.worst_classes, method),
        "What it costs": views.costs,
    }
    layout.closer("providers:sections", sections)


layout.heading(
    "Providers",
    "How many of the providers that publish together may collude before the release stops hiding the patients of the "
    "others?",
)
if session.workspace().schema.provider is None:
    st.markdown("No column says who contributed which record. Choose the provider’s column on *Data*.")
    st.page_link("pages/data/page.py", label="Choose it on Data", icon=":material/table:")
else:
    answer()

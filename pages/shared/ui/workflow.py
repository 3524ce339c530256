"""The way through the pages: each links to the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.base.assets import ASSETS
from pages.shared.state import workspace

STYLE = ASSETS / "route.css"
NEXT: Mapping[str, tuple[str, str]] = {
    "overview": ("data", "your table"),
    "method": ("data", "your table"),
    "data": ("release", "your release"),
    "release": ("attack", "if others publish"),
    "providers": ("attack", "if others publish"),
    "attack": ("hold", "what helps"),
    "hold": ("review", "decide"),
    "noise": ("review", "decide"),
    "register": ("review", "decide"),
}
"""For the address of a page: the address of the next page, and the task there."""


def place() -> Any:
    """Container of the button, below the navigation; filled once the page has run."""
    return st.sidebar.container(key="route")


def show(where: Any, address: str) -> None:
    """The button to the next page."""
    with where:
        st.html(STYLE)
        if address == "data" and workspace.is_offered():
            st.caption("First decide about the table on offer.")
        elif address in NEXT:
            following, task = NEXT[address]
            path = f"pages/{following}/page.py"
            st.page_link(path, label=f"Next: {task}", icon=":material/arrow_forward:", width="stretch")

"""The lesson in the app: answers folded, links that stay in the tab."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import streamlit as st

from pages.shared.state import links, workspace

_FOLDED = re.compile(r"(?s)<details[^>]*>\n<summary>(.+?)</summary>\n(.*?)</details>\n")
_LINES = re.compile(r"(?m)^(\[[^\]]+\]\(/[^)]*\).*)\n")
_BEGUN = "overview:lesson begun"
_LINK = re.compile(r"\[([^\]]+)\]\((/[^)]*)\)")


def show(text: str) -> None:
    """Draw the lesson; an answer is drawn when it is revealed."""
    shown, *rest = _FOLDED.split(text)
    _open_text(shown)
    for place, (label, answer, after) in enumerate(zip(rest[::3], rest[1::3], rest[2::3], strict=True)):
        fold = st.expander(label, key=f"overview:reveal:{place}", on_change="rerun", icon=":material/visibility:")
        if fold.open:
            fold.markdown(answer)
        _open_text(after)


def _open_text(text: str) -> None:
    """Texts with lines of links in between; a new tab protects a table of the user's own."""
    if workspace.is_own():
        st.markdown(text)
        return
    for place, part in enumerate(_LINES.split(text)):
        if place % 2 == 0:
            st.markdown(part)
            continue
        with st.container(horizontal=True, gap="small"):
            for words, address in _LINK.findall(part):
                if _page(address) == "overview":
                    st.caption(f":material/arrow_upward: {words} is this page: Alice is at its top.")
                elif st.button(words, key=f"overview:open:{address}", icon=":material/arrow_forward:"):
                    _open(address)


def _page(address: str) -> str:
    return urlsplit(address).path.strip("/") or "overview"


def _open(address: str) -> None:
    links.open_again()
    st.session_state[_BEGUN] = True
    st.switch_page(f"pages/{_page(address)}/page.py", query_params=dict(parse_qsl(urlsplit(address).query)))


def is_begun() -> bool:
    """Whether a link of the lesson was opened: then the page shows it again."""
    return _BEGUN in st.session_state

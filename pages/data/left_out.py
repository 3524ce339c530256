"""The question whether columns that the proposal leaves out will be published."""

from __future__ import annotations

import streamlit as st

from core.base.wording import several
from pages.data import columns
from pages.shared.state import session
from pages.shared.ui.text import safe

UNTIL_THEN = "Until you answer, every number assumes that they will not. A published column links releases."


def ask() -> None:
    """Ask about the columns that are left out by proposal, until it is answered."""
    workspace = session.workspace()
    names = workspace.undecided
    if not names:
        return
    with st.container(border=True, key="left-out"):
        if workspace.roles == session.CHOOSING:
            st.markdown(
                f"**Give each column that you publish the role *published as it is* in the table below.** "
                f"{several(len(names), 'column')} {'is' if len(names) == 1 else 'are'} left out so far."
            )
            answers = {"The roles are right": _decided}
        else:
            which = "this column" if len(names) == 1 else f"these {len(names)} columns"
            st.markdown(f"**Will {which} be in the file that you publish?**")
            st.caption(f"{', '.join(safe(name, 60) for name in names)}. {UNTIL_THEN}")
            answers = {"All of them": columns.publish_undecided, "None of them": _decided}
            answers = answers if len(names) > 1 else dict(zip(("Yes", "No"), answers.values(), strict=True))
            answers |= {"I choose in the table": _choose} if len(names) > 1 else {}
        with st.container(horizontal=True):
            for place, (words, act) in enumerate(answers.items()):
                st.button(words, key=f"data:left out:{workspace.roles}:{place}", on_click=act)


def _decided() -> None:
    session.decide_roles()


def _choose() -> None:
    session.decide_roles(session.CHOOSING)

"""Other hospitals: the file of one that has published, or the assumptions about it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.base.errors import NotLoadedError
from pages.attack.hospitals import one, sections
from pages.shared.compute import attack_results
from pages.shared.state import session
from pages.shared.ui import count_settings, errors, layout, widgets
from pages.shared.ui.text import safe

PLACE = "hospitals"


def show() -> None:
    """A tab for each other hospital, and for expert settings."""
    _say_missing()
    st.caption(
        "*Hospital* means anyone who publishes such a table: a clinic, a registry, an insurer. An earlier release of "
        "mine, or other columns for another recipient, is one more: *Load its release*, with the column that "
        "identifies people."
    )
    others = list(enumerate(session.others(), 1))
    if (made := session.get("my_counts")) is not None:
        st.caption(
            f":material/table_chart: My own table of counts is attacked, too: {count_settings.in_words(made)} "
            "(*Release*, *A table of counts*)."
        )
    titles = {number: one.title(number, hospital) for number, hospital in others}
    tabs = {titles[number]: partial(one.show, number, hospital) for number, hospital in others}
    absent = next((titles[number - 1] for number in missing()), None)
    layout.tabs("hospitals:tabs", tabs | {"Expert": expert}, absent)


def missing() -> dict[int, str]:
    """Names of files that the setting needs and this session does not have, by the number of their hospital."""
    return {
        number: hospital.upload.name
        for number, hospital in enumerate(session.hospitals(), 1)
        if hospital.upload is not None and hospital.upload.content_id not in session.files()
    }


def _say_missing() -> None:
    files = "; ".join(f"**{safe(name, 40)}** of hospital {number}" for number, name in missing().items())
    if files:
        st.error(
            f"Not loaded in this session: {files}. Load it below, or remove it; until then there are no numbers.",
            icon=":material/block:",
        )


def expert() -> None:
    """The draws behind the numbers, and the release of each hospital."""
    with st.grid(2, min_column_width=220, gap=("xsmall", "medium")):
        widgets.slider("seed", PLACE)
        widgets.slider("repeats", PLACE)
    with errors.refusing():
        try:
            attack_results.study()
        except NotLoadedError:
            return  # said above
        sections.published()

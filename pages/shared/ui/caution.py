"""Warnings about the numbers of the present study, with the same wording on every page."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from core import CompositionError
from core.base import wording
from pages.shared.compute import attack_results
from pages.shared.state import session
from pages.shared.ui.text import count, safe


def sentence(places: Sequence[int]) -> str:
    """Files that match almost none of my records, by the place of their hospital, as Markdown."""
    uploads = {place: session.hospitals()[place].upload for place in places}
    names = {place: f"*{safe(upload.name, 30)}*" for place, upload in uploads.items() if upload is not None}
    return wording.without_effect(places, names)


def _capped() -> None:
    """Note that a file has no room for more shared people."""
    shared = int(session.get("overlap"))
    small = [safe(upload.name, 30) for upload, many in attack_results.shared_by_file().items() if many <= shared]
    if small:
        st.caption(
            f":material/vertical_align_bottom: *{small[0]}* holds no more people of mine, so {count(shared)} "
            f"{'is' if shared == 1 else 'are'} shared at most."
        )


def show(link: bool = True) -> None:
    """Warn about such files, and link to the remedy."""
    places: tuple[int, ...] = ()
    with suppress(CompositionError):  # the page says itself what cannot be computed
        if link:
            _capped()
        places = attack_results.without_effect()
    if not places:
        return
    where = "under *If others publish*, *Other hospitals*, " if link else "below "
    st.warning(
        f"{sentence(places)} Match its columns {where}before you rely on these numbers: the attack looks weaker than "
        "it is.",
        icon=":material/warning:",
    )
    if link:
        st.page_link("pages/attack/page.py", label="Match its columns", icon=":material/domain:")

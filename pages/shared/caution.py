"""What keeps the numbers of the present study from meaning what they say, in the same words on every page."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from core import CompositionError
from core.base import words
from pages.shared import results, session
from pages.shared.text import count, safe


def sentence(places: Sequence[int]) -> str:
    """Of which files next to nobody of mine fits a class, by the place of their hospital, for Markdown."""
    uploads = {place: session.hospitals()[place].upload for place in places}
    names = {place: f"*{safe(upload.name, 30)}*" for place, upload in uploads.items() if upload is not None}
    return words.without_effect(places, names)


def capped() -> None:
    """Say that more shared people were chosen than a file has room for, and that they come back."""
    kept = results.capped()
    if kept is None or kept.chosen <= kept.present:
        return
    small = [safe(upload.name, 30) for upload, many in results.shared_by_file().items() if many <= kept.present]
    why = f"*{small[0]}* holds no more people of mine" if small else "these hospitals cannot share more"
    st.caption(
        f":material/vertical_align_bottom: {count(kept.chosen)} shared people were chosen. {why}, so "
        f"{count(kept.present)} {'is' if kept.present == 1 else 'are'} shared until that changes."
    )


def show(link: bool = True) -> None:
    """Warn of such files, and lead to where it can be helped."""
    places: tuple[int, ...] = ()
    with suppress(CompositionError):  # the page says itself what cannot be worked out
        if link:
            capped()
        places = results.without_effect()
    if not places:
        return
    where = "on *Other hospitals* " if link else "below "
    st.warning(
        f"{sentence(places)} Match its columns {where}before you rely on these numbers: the attack looks weaker than "
        "it is.",
        icon=":material/warning:",
    )
    if link:
        st.page_link("pages/attack/page.py", label="Match its columns", icon=":material/domain:")

"""The classes of a release as rows of a table on a page."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core import Release
from core.release.region_text import region_text
from pages.shared import leftovers
from pages.shared.text import safe

MOST_ROWS = 50_000


def selected_rows(event: Any) -> list[int]:
    """Row positions of a selection of ``st.dataframe``, whatever it holds."""
    try:
        return [int(row) for row in event["selection"]["rows"]]
    except (KeyError, TypeError, ValueError):
        return []


def table_key(place: str, content: Hashable) -> str:
    """Key of a table whose rows are chosen, at a place of a page, for what it has now.

    It stays the same for other content until a row was chosen: the browser then exchanges the rows and does not build
    the table anew. A row that was chosen must not open one of other content.
    """
    kept = f"{place}:turn"
    before, turn = st.session_state.get(kept, (content, 0))
    if before != content and selected_rows(st.session_state.get(f"{place}:{turn}")):
        turn += 1
    st.session_state[kept] = (content, turn)
    return f"{place}:{turn}"


def opening(key: str, numbers: Sequence[int], open_class: Callable[[int], None]) -> Callable[[], None]:
    """What a table does when a row is chosen: open the class of that row; ``numbers`` are the rows' classes."""
    leftovers.leave(key, list(numbers))

    def choose() -> None:
        listed, places = leftovers.left(key), selected_rows(st.session_state.get(key))
        if places and places[0] < len(listed):
            open_class(int(listed[places[0]]))

    return choose


def region_rows(release: Release, number: int) -> pd.DataFrame:
    """The cells of one class as Markdown texts: quasi-identifier, as published.

    Where centroids are published, a last column says how far the people of the class reach, which is not published.
    """
    low, high = release.regions
    lines, more = [], tuple[str, ...]()
    for i, domain in enumerate(release.encoded.qids):
        ends = int(low[number, i]), int(high[number, i])
        texts, which = release.region_codes(i)
        if release.publishes_centroids:
            more = (safe(region_text(domain, *ends), 160),)
        lines.append((safe(domain.name, 40), f"**{safe(texts[which[number]], 160)}**", *more))
    columns = ["Quasi-identifier", "Published as"]
    return pd.DataFrame(lines, columns=columns + ["From, to (not published)"] * release.publishes_centroids)

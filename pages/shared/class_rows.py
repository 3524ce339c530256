"""The classes of a release as rows of a table on a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core import Release
from core.release.region_text import region_text
from pages.shared import leftovers, results
from pages.shared.text import safe

MOST_ROWS = 50_000


def selected_rows(event: Any) -> list[int]:
    """Row positions of a selection of ``st.dataframe``, whatever it holds."""
    try:
        return [int(row) for row in event["selection"]["rows"]]
    except (KeyError, TypeError, ValueError):
        return []


def opening(place: str, key: str, numbers: Sequence[int]) -> Callable[[], None]:
    """What a table of a page does when a row is chosen: open the class of that row; ``numbers`` are its rows' classes.

    Another release closes it.
    """
    leftovers.leave(key, list(numbers))

    def choose() -> None:
        listed, places = leftovers.left(key), selected_rows(st.session_state.get(key))
        if places and places[0] < len(listed):
            open_class(place, listed[places[0]])

    return choose


def open_class(place: str, number: int) -> None:
    """Open a class of my release on a page."""
    st.session_state[f"{place}:opened"] = (results.release_key(), int(number))


def opened(place: str, classes: int) -> int | None:
    """The class of my release, of so many, that is open on a page, if any."""
    key, number = st.session_state.get(f"{place}:opened", (None, -1))
    return number if key == results.release_key() and 0 <= number < classes else None


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

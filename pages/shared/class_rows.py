"""The classes of a release as rows of a table on a page."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core import Release
from core.data.domain import Domain
from core.data.schema import Kind
from core.release.region_text import region_text, set_text
from pages.shared import leftovers
from pages.shared.text import count, plain, safe

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


CENTRES = {
    Kind.NUMERIC: "the mean of the class",
    Kind.ORDINAL: "the median of the class",
    Kind.CATEGORICAL: "the commonest value of the class",
    Kind.TAXONOMY: "the commonest value of the class",
    Kind.DATE: "the mean date of the class",
}
"""What microaggregation publishes of a class, by kind of column."""


def region_words(domain: Domain, low: int, high: int) -> str:
    """What a published region means, in plain words."""
    known = domain.size - (domain.missing >= 0)
    if low == high:
        return "missing" if low == domain.missing else "exactly this"
    if low == 0 and high == domain.size - 1:
        return f"anything (all {count(domain.size)} values)"
    gap = " or missing" if high == domain.missing else ""
    top = min(high, known - 1)
    values = f"{count(top - low + 1)} of {count(known)} values"
    if domain.kind.ordered:
        ends = f"{plain(domain.labels[low], 30)} to {plain(domain.labels[top], 30)}"
        return f"{ends}{gap}: {values}" if low < top else f"{plain(domain.labels[low], 30)}{gap}"
    return f"one of {values}{gap}"


def set_words(domain: Domain, codes: Sequence[int]) -> str:
    """What a cell that lists values means, in plain words."""
    if len(codes) in (1, domain.size):
        return region_words(domain, codes[0], codes[-1])
    gap = codes[-1] == domain.missing
    known = domain.size - (domain.missing >= 0)
    return f"one of {count(len(codes) - gap)} of {count(known)} values{' or missing' * gap}; nobody has another"


def region_rows(release: Release, number: int) -> pd.DataFrame:
    """The cells of one class as Markdown texts: quasi-identifier, as published, in plain words.

    Where centroids are published, the words say what the cell is, and a last column how far the
    people of the class reach, which is not published.
    """
    low, high = release.regions
    lines, more = [], tuple[str, ...]()
    for i, domain in enumerate(release.encoded.qids):
        ends = int(low[number, i]), int(high[number, i])
        if release.publishes_centroids:
            texts, which = release.region_codes(i)
            text, words = texts[which[number]], CENTRES[domain.kind]
            more = (safe(region_text(domain, *ends), 160),)
        elif release.lists_values(i):
            cells = release.value_sets(i)
            values = cells.values(int(cells.which[number])).tolist()
            text, words, more = set_text(domain, values), set_words(domain, values), ()
        else:
            text, words, more = region_text(domain, *ends), region_words(domain, *ends), ()
        lines.append((safe(domain.name, 40), f"**{safe(text, 160)}**", safe(words, 160), *more))
    columns = ["Quasi-identifier", "Published as", "In words"]
    return pd.DataFrame(lines, columns=columns + ["From, to (not published)"] * release.publishes_centroids)

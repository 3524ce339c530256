"""The classes of my release: the table of all, and one opened."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core import Release, figures
from core.base.wording import listed, several
from pages.release import computed
from pages.shared.compute import release_results
from pages.shared.state import session
from pages.shared.ui import charts
from pages.shared.ui.class_rows import MOST_ROWS, class_of_row, region_rows
from pages.shared.ui.text import count, people, plain, safe


def weakest_first(rows: pd.DataFrame) -> pd.DataFrame:
    """Classes with the fewest distinct values first; among equals the farthest from the table, then the smallest."""
    order = np.lexsort((rows["size"], -rows["distance"], rows["distinct"]))
    return rows.iloc[order].reset_index(drop=True)


# ---- the table ---------------------------------------------------------------------------


@st.fragment
def show() -> None:
    """All classes to sort and choose from, and the one that is open."""
    mine, rows = release_results.my_release(), computed.class_rows()
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=5):
        number = _table(mine.release, rows)
    with page.cell(column_span=4):
        if number is None:
            weakest = int(weakest_first(rows)["class_number"].iloc[0])
            show_class(mine.release, weakest, "the weakest; choose a row to open another")
        else:
            show_class(mine.release, number)


def _table(release: Release, rows: pd.DataFrame) -> int | None:
    """The classes, the weakest first; return the one whose row is chosen."""
    st.header(f"{count(len(rows))} equivalence classes", anchor=False)
    shown = weakest_first(rows).drop(columns="fewest").head(MOST_ROWS)
    shown = shown.assign(most_common=100 * shown["most_common"], loss=100 * shown["loss"])
    key = f"release:classes:{hash(release_results.release_key())}"

    number = partial(st.column_config.NumberColumn, width=62)
    event = st.dataframe(
        shown,
        key=key,
        hide_index=True,
        height=420,
        on_select="rerun",
        selection_mode="single-row",
        alt="Equivalence classes, weakest first; choose a row to open one",
        column_config={
            "class_number": number("Class", format="%d"),
            "size": number("People", help="Records in the class (k)", format="localized"),
            "distinct": number(
                "Distinct",
                help="Distinct sensitive values, or combinations of several columns; missing ones do not count",
            ),
            "entropy_l": number(
                "Entropy l", help="Number of equally common values with the same diversity", format="%.2f"
            ),
            "distance": number(
                "Distance", format="%.3f", help=f"From the whole table ({release.policy.distance_words})"
            ),
            "most_common": number("Top share", help="Share of the most common sensitive value", format="%.1f%%"),
            "loss": number("Blurred", help="Mean loss over the quasi-identifiers (NCP)", format="%.1f%%"),
        },
    )
    note = "Weakest first: fewest distinct values, then farthest from the table. Click a heading to sort."
    if len(rows) > MOST_ROWS:
        note += f" The {count(MOST_ROWS)} weakest of {count(len(rows))} are listed. The file has all of them."
    st.caption(note)
    return class_of_row(event, shown["class_number"].tolist())


def warn_of_single_values() -> None:
    """Warn about classes that expose their people on their own, and offer the remedy."""
    rows = computed.class_rows()
    single, parts = rows.loc[rows["fewest"] <= 1, "size"], session.workspace().schema.parts
    if not len(single):
        return
    many, of = len(single) > 1, f" of {listed([safe(name, 40) for name in parts], 'or')}" if parts else ""
    remedy = " l counts their combinations, so raise k, or group their values." if parts else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(
            f"**{several(len(single), 'class', 'classes')} ({people(single.sum())}) hold{'s' * (not many)} a single "
            f"value{of}**: anyone known to be in {'one of them' if many else 'it'} is exposed without any second "
            f"release.{remedy}",
            icon=":material/warning:",
            width="stretch",
        )
        if not parts:
            st.button("Require l = 2", key="release:l", on_click=_require_two_values, help=TWO_VALUES)


TWO_VALUES = (
    "Every class must then have at least two different sensitive values (distinct l-diversity). The other hospitals "
    "are assumed to require it, too, while *Others ask for l and t too* is on."
)


def _require_two_values() -> None:
    session.put("diversity", "distinct")
    session.put("l", 2.0)


def class_file(release: Release, rows: pd.DataFrame) -> pd.DataFrame:
    """The table of classes with their published regions, under headings that cannot collide."""
    names = {domain.name for domain in release.encoded.qids}
    words = {
        "class_number": "class",
        "size": "people",
        "distinct": "distinct sensitive values",
        "entropy_l": "entropy l",
        "distance": "distance to the table",
        "most_common": "share of the most common value",
        "loss": "mean loss",
    }
    renamed = {column: _free(word, names) for column, word in words.items()}
    return pd.concat([rows[list(words)].rename(columns=renamed), release.region_frame()], axis=1)


def _free(word: str, taken: set[str]) -> str:
    while word in taken:
        word = f"class: {word}"
    return word


def sizes(release: Release) -> None:
    """Main chart of the page: how large the classes are."""
    sizes, k = release.sizes, release.policy.k
    st.markdown(f"**Sizes of the {count(len(sizes))} classes**, k = {count(k)}")
    charts.show(
        figures.class_sizes(sizes, k),
        alt=f"Class sizes run from {sizes.min()} to {sizes.max()} people, {sizes.mean():.1f} on average; k is {k}",
        key="release:sizes chart",
        height=190,
    )


# ---- one class ---------------------------------------------------------------------------


def show_class(release: Release, number: int, note: str = "") -> None:
    """One class: its published values, and its sensitive values."""
    with st.container(border=True):
        title = f"**Class {number}: {count(release.sizes[number])} people**"
        st.markdown(title + (f" ({note})" if note else ""))
        st.table(
            region_rows(release, number),
            border="horizontal",
            hide_index=True,
            alt="What everyone in this class has in common, as published",
        )
        different = different_values(release, number)
        st.markdown(f"**{safe(release.encoded.sensitive.name, 40)}** in this class: {different}")
        st.dataframe(
            class_values(release, number),
            hide_index=True,
            alt=f"Sensitive values of the class: {different}",
            column_config={
                "value": "Value",
                "records": "Records",
                "share": st.column_config.ProgressColumn("Share", format="percent"),
                "table": st.column_config.NumberColumn("In the whole table", format="percent"),
            },
        )


def class_values(release: Release, number: int) -> pd.DataFrame:
    """Sensitive values of one class, most common first: ``value, records, share, table``.

    ``table`` is the share of the value in the whole published table.
    """
    histogram, domain = release.histogram, release.encoded.sensitive
    values, counts = histogram.of_class(number)
    frame = pd.DataFrame(
        {
            "value": [plain(domain.labels[code], 80) for code in values],
            "records": counts,
            "share": counts / counts.sum(),
            "table": histogram.overall[values] / histogram.overall.sum(),
        }
    )
    return frame.sort_values("records", ascending=False, kind="stable", ignore_index=True)


def different_values(release: Release, number: int) -> str:
    """Number of values of a class; a missing one does not count, as in the guarantee."""
    codes, records = release.histogram.of_class(number)
    known = release.encoded.sensitive.is_known(codes)
    without, different = int(records[~known].sum()), int(np.count_nonzero(known))
    words = f"{count(different)} different {'value' if different == 1 else 'values'}" if different else "no known value"
    return words + (f"; {count(without)} {'record has' if without == 1 else 'records have'} none" if without else "")

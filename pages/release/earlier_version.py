"""An earlier version of the table: what its release and the present one give away together, and the remedy."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import FrequencyTable
from core.attack.updates import KNOWLEDGE, READER, SMALL_SET, Update
from core.data.tables.csv_export import csv_bytes
from core.study.kept_classes import KeptClasses, is_revealing
from pages.shared.compute import cache, release_results
from pages.shared.state import session, uploads
from pages.shared.ui import reading, widgets
from pages.shared.ui.text import count, people, percent

_FILE, _KNOWS = "release:version", "release:version:knows"
ABOUT = (
    "If an earlier version of this table was released, people who are new, or who left, stand out: what the earlier "
    "release explains of a class can be taken away. Load the records of the earlier version, with the same columns. "
    "It is assumed to have been released with the present settings."
)
NO_IDENTIFIER = (
    "Without a column that identifies people in both versions, no one can say who is new. Give one column the role "
    "*identifier* on *Data*."
)
OF = {"new": "New people", "removed": "People who left", "changed": "People whose record changed"}


def show() -> None:
    """Load the earlier version; then one line for each group of people, and the release that hides them."""
    schema, table = session.workspace().schema, session.workspace().data
    names = schema.identifiers or ((schema.person,) if schema.person else ())
    with st.container(border=True):
        st.markdown("**Release a table that has grown**")
        st.caption(ABOUT)
        if not names:
            st.markdown(NO_IDENTIFIER)
            return
        if isinstance(table, FrequencyTable):
            st.markdown("A frequency table does not say who is in it; load the table that was counted.")
            return
        file = uploads.uploader("The earlier version of this table", _FILE, max_upload_size=200)
        if file is None:
            return
        earlier = cache.cached(
            (session.FILE_READ, file.file_id), lambda: reading.table(file, lambda: uploads.let_go(_FILE, file.file_id))
        )
        knows = st.segmented_control(
            "What the reader knows", list(KNOWLEDGE), key=_KNOWS, default="all", format_func=KNOWLEDGE.__getitem__
        )
        with widgets.working("Attacking the difference"):
            update, kept, refused = release_results.compare_versions(earlier, names, knows or "all")
        st.markdown(_finding(update))
        st.caption(READER)
        st.table(_rows(update, kept), border="horizontal", hide_index=True, alt="What is left for each group of people")
        if kept is None:
            st.markdown(f":material/hourglass_empty: **Earlier classes kept:** {refused}")
            return
        _offer(kept)


def _finding(update: Update) -> str:
    """Who is worst off, in one sentence."""
    there = {name: left for name, left in update.groups.items() if left.people}
    if not there:
        return "No one is new, has left or has another record: the second release reveals nothing more."
    name, left = max(there.items(), key=lambda each: each[1].one_value_left)
    return (
        f"**{OF[name]}: one value is left for {percent(left.one_value_left)} of {people(left.people)}** once both "
        f"releases are out; from one release alone {percent(left.one_value_alone)}."
    )


def _rows(update: Update, kept: KeptClasses | None) -> pd.DataFrame:
    rows = []
    for name, left in update.groups.items():
        if not left.people:
            continue
        row = {
            "Who": OF[name],
            "People": count(left.people),
            "One value left": percent(left.one_value_left),
            f"Anonymity set below {SMALL_SET}": percent(left.in_small_set),
        }
        if kept is not None:
            hidden = kept.update.groups[name]
            row["One value left, earlier classes kept"] = percent(hidden.one_value_left) if hidden.people else "none"
        rows.append(row)
    return pd.DataFrame(rows)


def _offer(kept: KeptClasses) -> None:
    """What the release with the earlier classes costs, and its file."""
    new = f" ({percent(kept.loss_new)} for new people)" if kept.update.new.people else ""
    stay = f" {count(kept.as_they_were)} changed records stay as they were." if kept.as_they_were else ""
    few = is_revealing(kept.update.removed)
    wait = " Too few left to be hidden among each other: keep their records until more have." if few else ""
    st.markdown(
        "**Earlier classes kept:** everyone else stays in the class of the earlier release, and new people form "
        f"separate classes. Information loss is then {percent(kept.loss)}{new}.{stay}{wait}"
    )
    widgets.download(
        "Release with the earlier classes",
        lambda: csv_bytes(kept.release.publish()),
        "release_earlier_classes.csv",
        "release:version:file",
    )

"""Download the recoding of this release, and apply an earlier one to the table in use."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core import FrequencyTable
from core.data.tables.csv_export import csv_bytes
from core.release.recoding import Recoded, Recoding, applied_hierarchies
from pages.shared.compute import cache, release_results
from pages.shared.state import session, uploads
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import count, plain

_FILE = "release:recoding"
MEGABYTES = 50
ABOUT = (
    "The recoding file gives a later table of yours the same cells: each record gets those of the class that it falls "
    "into. The file holds the cells of every class, and the values of columns with an order, categories or a taxonomy. "
    "Keep it as you keep the table."
)


def show(mine: release_results.MyRelease) -> None:
    """Offer files that recode a later table like this release, and accept an earlier file for this table."""
    workspace = session.workspace()  # a file is created on the click, outside the session
    with st.container(border=True):
        st.markdown("**Code a later table in the same way**")
        st.caption(ABOUT)
        with st.container(horizontal=True, vertical_alignment="center"):
            widgets.download(
                "Recoding",
                lambda: Recoding.of(mine.release, workspace.schema, workspace.table).to_json(),
                "recoding.json",
                "release:recoding:file",
            )
            for place, (name, tree) in enumerate(applied_hierarchies(mine.release).items()):
                widgets.download(
                    f"{plain(name, 30)} as an ARX hierarchy",
                    tree.to_arx,
                    f"recoding_{place + 1}.csv",
                    f"release:recoding:arx:{place}",
                )
        file = uploads.uploader(
            "Apply an earlier recoding to this table", _FILE, type=["json"], max_upload_size=MEGABYTES
        )
        if file is not None:
            with errors.refusing():
                _applied(file)


def _applied(file: Any) -> None:
    table = session.workspace().data
    if isinstance(table, FrequencyTable):
        st.caption("A recoding is applied to individual records; load the table that was counted.")
        return
    recoded: Recoded = cache.cached(
        ("recoded", file.file_id, table.content_id), lambda: Recoding.from_json(file.getvalue()).apply(table)
    )
    several = f" {count(recoded.several)} fit more than one class and got the first." if recoded.several else ""
    st.markdown(
        f"**{count(recoded.records - recoded.left_out)}** of {count(recoded.records)} records get the cells of the "
        f"earlier release; the others are left out.{several} The smallest class now has "
        f"**{count(recoded.smallest)}** of them. Other people are in the classes than in the earlier release, so what "
        "it guaranteed does not hold for this table."
    )
    st.caption("Measure the recoded table before it leaves your hands: `python -m core measure`.")
    widgets.download("Recoded table", lambda: csv_bytes(recoded.publish()), "recoded.csv", "release:recoding:applied")

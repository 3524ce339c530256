"""What is asked of my release, and the file that comes out."""

from __future__ import annotations

import streamlit as st

from core import Encoded, Policy, Release
from core.export import csv_bytes
from pages._ui import release_classes, runs, widgets

MOST_K = 100


def show(encoded: Encoded) -> None:
    """Ask for the policy."""
    widgets.slider("my_k", "release", high=min(MOST_K, len(encoded)), label="People per class (k)")
    domain = encoded.sensitive
    known = int((encoded.overall > 0).sum())
    if domain.missing >= 0 and encoded.overall[domain.missing] > 0:
        known -= 1
    widgets.models("release", known, domain.taxonomy is not None)
    st.caption(
        "Algorithm: strict Mondrian, the only one so far. It cuts at the median of the widest quasi-identifier as long "
        "as both parts meet the policy."
    )


def file_name(policy: Policy, what: str) -> str:
    """A name from the policy's numbers alone: nothing of the user's data gets into it."""
    parts = [what, f"k{policy.k}"]
    if policy.l is not None:
        parts.append(f"{policy.diversity}-l{policy.l:g}")
    if policy.t is not None:
        parts.append(f"t{policy.t:g}")
    return "_".join(parts) + ".csv"


def release_file(release: Release) -> bytes:
    """The published table, shuffled with randomness of the operating system."""
    return csv_bytes(release.publish(seed=None))


def downloads(mine: runs.MyRelease) -> None:
    """Buttons for the release and for the table of classes; the files are made on the click."""
    policy = mine.release.policy
    rows = runs.class_rows()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download the release", data=lambda: release_file(mine.release), file_name=file_name(policy, "release"),
            mime="text/csv", key="release:file", on_click="ignore", icon=":material/download:", type="primary",
        )  # fmt: skip
        st.download_button(
            "Table of classes", data=lambda: csv_bytes(release_classes.class_file(mine.release, rows)),
            file_name=file_name(policy, "classes"), mime="text/csv", key="release:classfile", on_click="ignore",
            icon=":material/download:",
        )  # fmt: skip
    st.caption(
        "The rows are shuffled anew at every download with randomness of the operating system; a cell that a "
        "spreadsheet would run as a formula gets an apostrophe. The table of classes is for you, not for publication."
    )

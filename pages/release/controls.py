"""What is asked of my release, and the file that comes out."""

from __future__ import annotations

import streamlit as st

from core import Policy, Release
from core.data.csv_export import csv_bytes
from core.data.encoding import Encoded
from core.release.algorithm import ALGORITHMS, algorithm_title
from pages.release import agreed, classes
from pages.shared import results, session, widgets
from pages.shared.widgets import contributors, offered


def show(encoded: Encoded) -> None:
    """Ask for the policy."""
    widgets.k_slider("my_k", "release")
    domain = encoded.sensitive
    known = int((encoded.overall > 0).sum())
    if domain.missing >= 0 and encoded.overall[domain.missing] > 0:
        known -= 1
    widgets.models("release", known, domain.taxonomy is not None)
    agreed.show(encoded)
    providers = contributors(encoded)
    names = offered(encoded)
    algorithm = ALGORITHMS[widgets.pick("my_algorithm", "release", names, algorithm_title)]
    if providers > 1 and algorithm.providers != "none":
        on = algorithm.providers == "needed" or widgets.toggle("collusion", "release")
        if on:
            widgets.slider("my_m", "release", high=providers - 1)
    elif providers > 1 and session.get("collusion"):
        st.caption(f"{algorithm.short} cannot promise anything against colluding providers, so m is not asked.")


def made() -> results.MyRelease:
    """Make the release, with progress where that takes more than a blink."""
    if ALGORITHMS[session.get("my_algorithm")].quick:
        return results.my_release()
    with widgets.working("Forming the classes") as progress:
        return results.my_release(progress)


def file_name(policy: Policy, what: str) -> str:
    """A name from the policy's numbers alone: nothing of the user's data gets into it."""
    return f"{what}_{policy.slug}.csv"


def release_file(release: Release) -> bytes:
    """The published table, shuffled with randomness of the operating system."""
    return csv_bytes(release.publish(seed=None))


def downloads(mine: results.MyRelease) -> None:
    """Buttons for the release and for the table of classes; the files are made on the click."""
    policy = mine.release.policy
    rows = results.class_rows()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download the release",
            data=lambda: release_file(mine.release),
            file_name=file_name(policy, "release"),
            mime="text/csv",
            key="release:file",
            on_click="ignore",
            icon=":material/download:",
            type="primary",
        )
        st.download_button(
            "Table of classes",
            data=lambda: csv_bytes(classes.class_file(mine.release, rows)),
            file_name=file_name(policy, "classes"),
            mime="text/csv",
            key="release:classfile",
            on_click="ignore",
            icon=":material/download:",
        )


def about() -> None:
    """How the classes are formed, and what is in the files."""
    st.caption(ALGORITHMS[session.get("my_algorithm")].about)
    st.caption(
        "Every download shuffles the rows anew, with randomness of the operating system. A cell that a spreadsheet "
        "would run as a formula gets an apostrophe. The table of classes is for you, not for publication."
    )

"""Requirements for my release, and the resulting file."""

from __future__ import annotations

import streamlit as st

from core import Policy, Release
from core.data.encoding.encoded import Encoded
from core.data.reading.frequency_file import COUNT
from core.data.tables.csv_export import csv_bytes
from core.data.tables.input_limits import InputLimits
from core.release.algorithm import ALGORITHMS, algorithm_title
from pages.release import classes, computed
from pages.shared.compute import release_results
from pages.shared.state import session
from pages.shared.state.algorithm_choice import contributors, offered
from pages.shared.ui import agreements, widgets
from pages.shared.ui.text import count, plain


def show(encoded: Encoded) -> None:
    """Ask for the policy."""
    widgets.k_slider("my_k", "release")
    widgets.models("release", encoded.known_values, encoded.sensitive.taxonomy is not None)
    agreements.show(encoded)
    providers = contributors(encoded)
    names = offered(encoded)
    algorithm = ALGORITHMS[widgets.pick("my_algorithm", "release", names, algorithm_title)]
    if providers > 1 and algorithm.providers != "none":
        on = algorithm.providers == "needed" or widgets.toggle("collusion", "release")
        if on:
            widgets.slider("my_m", "release", high=providers - 1)
    elif providers > 1 and session.get("collusion"):
        st.caption(f"{algorithm.short} cannot promise anything against colluding providers, so m is not asked.")


def made() -> release_results.MyRelease:
    """Make the release, with progress if it takes noticeable time."""
    if ALGORITHMS[session.get("my_algorithm")].quick:
        return release_results.my_release()
    with widgets.working("Forming the classes") as progress:
        return release_results.my_release(progress)


def file_name(policy: Policy, what: str) -> str:
    """A file name from the policy's numbers alone, without any of the user's data."""
    return f"{what}_{policy.slug}.csv"


MOST_ROWS = InputLimits().rows
"""Largest number of records of a release that is written here row by row: as many as are read here."""


def release_file(release: Release) -> bytes:
    """The published table, shuffled with randomness of the operating system."""
    return csv_bytes(release.publish(seed=None))


def counted_file(release: Release) -> bytes:
    """The published table as distinct rows with counts, in the order of its cells."""
    table, counts = release.publish_counts()
    name = COUNT
    while name in table.names:
        name = f"{name} of records"
    return csv_bytes(table.to_frame().assign(**{name: counts}))


def downloads(mine: release_results.MyRelease) -> None:
    """Buttons for the release and for the table of classes; the files are made on the click."""
    policy = mine.release.policy
    rows = computed.class_rows()
    with st.container(horizontal=True, vertical_alignment="center"):
        if mine.release.encoded.records <= MOST_ROWS:
            widgets.download(
                "Download the release", lambda: release_file(mine.release), file_name(policy, "release"), "release:file"
            )
        if mine.release.encoded.counted:
            widgets.download(
                "Download as counts",
                lambda: counted_file(mine.release),
                file_name(policy, "release_counts"),
                "release:countfile",
                help="The same release with each distinct row once, and how many records it represents.",
            )
        widgets.download(
            "Table of classes",
            lambda: csv_bytes(classes.class_file(mine.release, rows)),
            file_name(policy, "classes"),
            "release:classfile",
        )


def file(mine: release_results.MyRelease) -> None:
    """How the classes are formed, what is in the files, and where the release is kept."""
    about()
    for place, (name, tree) in enumerate(mine.release.hierarchies().items()):
        key = f"release:arx:{place}"
        widgets.download(f"{plain(name, 30)} as an ARX hierarchy", tree.to_arx, f"hierarchy_{place + 1}.csv", key)
    with st.container(border=True):
        st.markdown("**Keep a record of this release**")
        st.caption(
            "What you publish next is attacked together with this one. Enter it in the publication register, with its "
            "recipients, and keep the private copy with identifiers that the register offers."
        )
        st.page_link("pages/register/page.py", label="Publication register", icon=":material/inventory_2:")


COMMAND = "python -m core release --data FREQUENCIES --count {count} --scenario SCENARIO --out FOLDER"


def all_rows(mine: release_results.MyRelease) -> None:
    """How to write a release of a frequency table row by row."""
    release = mine.release
    if not release.encoded.counted:
        return
    records = count(release.encoded.records - release.classes.suppressed)
    many = "" if release.encoded.records <= MOST_ROWS else ", too many to write on a page"
    st.caption(
        f"The release has {records} rows{many}. The command line writes them into a folder, from this frequency table "
        "file and the scenario file of *Decide*, and measures them first:"
    )
    st.code(COMMAND.format(count=COUNT), language="sh")
    st.caption(f"If the column of counts has another name in your file, use that name instead of *{COUNT}*.")


def about() -> None:
    """How the classes are formed, and what is in the files."""
    st.caption(ALGORITHMS[session.get("my_algorithm")].about)
    order = (
        "A download of rows shuffles them again, with randomness of the operating system. One of counts is in the "
        "order of its cells, which reveals no more than the cells do."
        if session.workspace().frequency_table is not None
        else "Every download shuffles the rows again, with randomness of the operating system."
    )
    st.caption(
        f"{order} A cell that a spreadsheet would run as a formula gets an apostrophe. The table of classes is for "
        "you, not for publication."
    )

"""What is asked of my release, and the file that comes out."""

from __future__ import annotations

import streamlit as st

from core import Encoded, Policy, Release
from core.anonymize import ALGORITHM_NAMES, ALGORITHMS, ONE_PUBLISHER, PROVIDER_ALGORITHMS
from core.export import csv_bytes
from pages._ui import release_classes, runs, state, widgets

MOST_K = 100
HOW = {
    "mondrian": "Strict Mondrian cuts at the median of the widest quasi-identifier as long as both parts meet the "
    "policy. Ranges and nodes are published.",
    "mdav": "Microaggregation (MDAV) groups the k nearest records around far-off ones. Means and commonest values are "
    "published, so classes overlap and a reader has to guess the nearest.",
    "provider-aware": "Provider-aware cutting also parts the providers, so that a class is safe even from colluding "
    "ones. It needs a provider column and m.",
    "provider-last": "As Mondrian; where no quasi-identifier can be cut, a class is cut between its providers. It "
    "needs a provider column and m.",
}
"""What each algorithm does and publishes."""


def contributors(encoded: Encoded) -> int:
    """Organisations that contributed records, 0 where the table does not say."""
    return 0 if encoded.provider is None else encoded.provider.size - (encoded.provider.missing >= 0)


def offered(encoded: Encoded) -> tuple[str, ...]:
    """Algorithms that this table can be released by: some need several contributors."""
    return ALGORITHMS if contributors(encoded) > 1 else ONE_PUBLISHER


def show(encoded: Encoded) -> None:
    """Ask for the policy."""
    widgets.slider("my_k", "release", high=min(MOST_K, len(encoded)), label="People per class (k)")
    domain = encoded.sensitive
    known = int((encoded.overall > 0).sum())
    if domain.missing >= 0 and encoded.overall[domain.missing] > 0:
        known -= 1
    widgets.models("release", known, domain.taxonomy is not None)
    providers = contributors(encoded)
    algorithm = widgets.pick("my_algorithm", "release", offered(encoded), ALGORITHM_NAMES.__getitem__)
    st.caption(HOW[algorithm])
    if providers > 1 and algorithm != "mdav":
        asked = algorithm in PROVIDER_ALGORITHMS or widgets.toggle("collusion", "release")
        if asked:
            widgets.slider("my_m", "release", high=providers - 1)
    elif providers > 1 and state.get("collusion"):
        st.caption("Microaggregation cannot promise anything against colluding providers (m), so m is not asked here.")


def made() -> runs.MyRelease:
    """Make the release, with progress where that takes more than a blink."""
    if state.get("my_algorithm") == "mondrian":
        return runs.my_release()
    with widgets.working("Forming the classes") as progress:
        return runs.my_release(progress)


def file_name(policy: Policy, what: str) -> str:
    """A name from the policy's numbers alone: nothing of the user's data gets into it."""
    parts = [what, f"k{policy.k}"]
    if policy.m is not None:
        parts.append(f"m{policy.m}")
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

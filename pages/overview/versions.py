"""Worked example 8 on the page Start: two versions of one table for two recipients."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import examples
from core.attack.anonymity_set import anonymity_set
from core.examples import VersionsExample
from pages.shared.ui.text import count, percent, safe

RECIPIENTS = ("the insurer", "the university")


def show() -> None:
    """Both versions, and who is in each pair of their classes."""
    example = examples.two_versions()
    result = example.attacked()
    people = anonymity_set(result)
    assert people is not None
    st.markdown(example.story)
    with st.grid(len(example.columns), min_column_width=260, gap="medium") as grid:
        for (names, release), recipient in zip(
            zip(example.columns, example.releases(), strict=True), RECIPIENTS, strict=True
        ):
            with grid.cell():
                st.markdown(f"**For {recipient}**: {', '.join(map(safe, names))}, k = {release.policy.k}")
                shown = [*names, example.schema.sensitive]
                rows = release.publish()[shown].sort_values(shown, ignore_index=True)  # else they move with every run
                st.table(rows, border="horizontal", hide_index=True, alt=f"The nine records as {recipient} gets them")
    st.markdown("**Both, side by side**: how many people, and what they may have")
    st.table(together(example), border="horizontal", alt="One person in every pair of an age and a zip code")
    st.markdown(
        f"One value left: **{percent(result.one_value_left.value)}** of {count(result.people)} people, with "
        f"{count(result.posterior.min())} values left for everyone. Alone after composition: "
        f"**{percent(people.share(1.0))}**, where either version alone leaves {percent(people.alone(1.0))} alone. The "
        f"number *Alone* on the page If others publish counts such people."
    )
    st.caption("Nine made-up records, ours.")


def together(example: VersionsExample) -> pd.DataFrame:
    """People in each pair of classes, as Markdown cells: the cross table that two recipients can make."""
    frame, (first, second) = example.table.to_frame(), [names[0] for names in example.columns]
    sizes = pd.crosstab(frame[first], frame[second])
    sensitive = example.schema.sensitive
    left = {
        (a, b): sorted(set(frame.loc[frame[first] == a, sensitive]) & set(frame.loc[frame[second] == b, sensitive]))
        for a in sizes.index
        for b in sizes.columns
    }
    cells = {
        f"{safe(second)} {safe(b)}": [
            f"**{count(sizes.loc[a, b])} person**: {', '.join(map(safe, left[a, b]))}" for a in sizes.index
        ]
        for b in sizes.columns
    }
    return pd.DataFrame(cells, index=[f"{safe(first)} {safe(a)}" for a in sizes.index])

"""Worked example 3 on the page Start: who subtracts what from the table of four hospitals."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core import Policy, Release, examples, m_private
from core.examples import PooledExample
from pages.overview.story import as_data, source
from pages.shared.state.workspace import Offer
from pages.shared.ui.text import people, safe

NOBODY = "No one"
TABLES = ("T_a*", "T_b*")
CALLED = "Colluding hospitals"


def show() -> None:
    """The whole example: who subtracts, both tables, the verdict, the erratum."""
    example = examples.colluding_hospitals()
    st.markdown(example.story)
    providers = example.table.column("Provider").labels
    who = st.segmented_control(
        "Who removes their own records", [NOBODY, *providers], default="P1", required=True, key="overview:subtract"
    )
    with st.grid(2, min_column_width=380, gap="medium") as grid:
        for place, release in enumerate(example.releases()):
            with grid.cell():
                st.markdown(
                    f"**Published table {safe(TABLES[place])}: k = {example.policy.k}, l = {example.policy.l:g}**"
                )
                shown = table(example, place, who or NOBODY)
                st.table(shown, border="horizontal", alt=f"Published table {TABLES[place]}, records of {who} taken out")
                st.caption(verdicts(example, release))
    as_data(
        Offer(example.table, example.schema, CALLED),
        f"Ten records with their providers become the data of this session, with {people(2)} per class and one "
        f"colluding provider. Tables this small show the mechanism, not a risk.",
        {"my_k": 2, "overlap": 2, "my_m": 1},
        Policy(2, l=2),
    )
    source(f"{example.source}. The reader of the release sees neither provider nor name.", example.erratum)


def table(example: PooledExample, place: int, who: str) -> pd.DataFrame:
    """One published table as Markdown cells in the order of its classes, the records taken out struck through."""
    frame, labels = example.published[place], example.labels[place]
    order = sorted(range(len(frame)), key=lambda row: labels[row])
    left = {label: left_in(example, place, label, who) for label in set(labels)}
    columns: dict[str, list[str]] = {name: [] for name in frame.columns}
    for row in order:
        for name in frame.columns:
            cell = safe(frame[name].iloc[row])
            if frame["Provider"].iloc[row] == who:
                cell = f":gray[~~{cell}~~]"
            elif left[labels[row]] == 1:
                cell = f":red-background[**{cell}**]"
            columns[name].append(cell)
    return pd.DataFrame(columns, index=[str(labels[row] + 1) for row in order])


def left_in(example: PooledExample, place: int, label: int, who: str) -> int:
    """Records of a class that are not those of a provider."""
    providers = example.published[place]["Provider"]
    return sum(
        group == label and provider != who for group, provider in zip(example.labels[place], providers, strict=True)
    )


def verdicts(example: PooledExample, release: Release) -> str:
    """Core's answer for one release with m = 1, as required and with k = 2."""
    parts = []
    for k in (example.policy.k, 2):
        policy = replace(example.policy, k=k)
        holds = m_private(release, None, policy, 1).is_satisfied
        parts.append(f"{'1-private' if holds else 'not 1-private'} for k = {k}, l = {policy.l:g}")
    return f"By definition 2.1: {' and '.join(parts)}."

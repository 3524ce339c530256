"""What the page Start draws: Alice's story, and the other worked examples."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core import examples
from core.base.assets import fill
from pages.overview import examples as worked
from pages.shared.state import session, workspace
from pages.shared.ui.asset_texts import overview
from pages.shared.ui.text import percent, safe

STEPS = ("The two tables", "1. Look in (a)", "2. Look in (b)", "3. Both")
STEP = "overview:step"


# ---- Alice ------------------------------------------------------------------------------

MOST_ROWS = 6
"""Rows of each table that the story shows; they include all that fit Alice."""


def alice() -> None:
    """The two-hospital story, step by step [Ganta 2008, Table 1]."""
    telling, texts = worked.tell(examples.two_hospitals(), "Alice"), overview()
    source = f"{telling.example.source}, as printed, except rows {MOST_ROWS + 1} to 12 and a nationality of *."
    st.markdown(texts["knows"], help=source)
    step = st.segmented_control(
        "Step of the story", STEPS, default=STEPS[0], required=True, key=STEP, label_visibility="collapsed"
    )
    at = STEPS.index(step or STEPS[0])
    # Everything keeps its place from step to step: unknown values are question marks.
    with st.container(key="story", gap="small"):
        with st.container(key="story-told"):
            st.markdown(fill(texts[f"step {('tables', 'a', 'b', 'both')[at]}"], alice_facts(telling)))
        short_tables(telling, (at >= 1, at >= 2), final=at == 3)


def alice_facts(telling: worked.Telling) -> dict[str, object]:
    """Numbers of the story, all of them core's."""
    return {
        "person": telling.person,
        "others_a": telling.k[0] - 1,
        "others_b": telling.k[1] - 1,
        "size_a": telling.steps[0].size,
        "size_b": telling.steps[1].size,
        "prior_a": telling.prior[0],
        "prior_b": telling.prior[1],
        "left": safe(", ".join(telling.left)),
    }


def evidence(telling: worked.Telling) -> None:
    """The numbers of an example in the words of the paper."""
    with st.grid(5, min_column_width=115, gap="small"):
        for release, before in enumerate(telling.prior):
            letter = f"({worked.LETTERS[release]}) alone" if len(telling.prior) > 1 else "this table"
            st.metric(f"Left by {letter}", before, help="Effective anonymity EA: different values in the class.")
        if telling.result is not None:
            st.metric("Left by both", len(telling.left), help="Effective anonymity after the intersection.")
            st.metric("Drop", telling.drop, help="Smallest number left by one table, minus the number left by both.")
        confidence = percent(telling.confidence).replace(".0", "")
        st.metric("Confidence", confidence, help="Confidence of the adversary: 1 over the number left.")


def tables(telling: worked.Telling) -> None:
    """The published tables with the values left, side by side, or stacked if there is no room."""
    releases = len(telling.example.published)
    with st.grid(releases, min_column_width=380, gap="medium") as grid:
        for release in range(releases):
            with grid.cell():
                name = f"({worked.LETTERS[release]}) " if releases > 1 else ""
                left = telling.left if releases > 1 else None
                st.markdown(f"**{name}Published table, k = {telling.k[release]}**")
                st.markdown(f"Possible: {worked.chips(telling.values(release), left)}")
                st.table(
                    worked.table(telling, release, looked=True, final=releases > 1),
                    border="horizontal",
                    alt=worked.table_in_words(telling, release, looked=True),
                )


def short_tables(telling: worked.Telling, looked: tuple[bool, ...], final: bool) -> None:
    """The first rows of the published tables, and the values still possible after those shown so far."""
    with st.grid(2, min_column_width=380, gap="medium") as grid:
        for release, read in enumerate(looked):
            possible = worked.chips(telling.values(release), telling.left if final else None) if read else "?"
            with grid.cell():
                rows = f"rows 1 to {MOST_ROWS} of {len(telling.example.published[release])}"
                st.markdown(f"**({worked.LETTERS[release]})** k = {telling.k[release]}, {rows}, possible: {possible}")
                st.table(
                    worked.table(telling, release, read, final).drop(columns="Nationality").head(MOST_ROWS),
                    border="horizontal",
                    hide_index=True,
                    alt=worked.table_in_words(telling, release, read),
                )


# ---- the other examples -----------------------------------------------------------------


def as_data(offer: workspace.Offer, words: str, choices: Mapping[str, object]) -> None:
    """Offer a table of an example as the data of the session, with choices that fit it."""
    with st.popover("Open as data", icon=":material/table:"):
        present = session.workspace()
        if present.name == offer.name:
            st.markdown(":material/check: This is the data of the session now.")
            return
        st.markdown(words)
        if not present.example:
            st.markdown(f":material/warning: It replaces **{safe(present.name, 40)}**.")
        if st.button("Open it", key="overview:load", type="primary"):
            workspace.use(offer)
            for choice, value in {"linked": True, "releases": 2, **choices}.items():
                session.put(choice, value)
            st.rerun()


def source(words: str, erratum: str) -> None:
    """Source of an example, and corrections to it."""
    st.caption(f"Source: {words}")
    if erratum:
        with st.expander("Where the source contradicts itself, and how that was resolved", icon=":material/edit_note:"):
            st.markdown(erratum)


def other_example(name: str) -> None:
    """One whole worked example: story, tables, result, erratum."""
    example = next(candidate for candidate in examples.worked_examples() if candidate.name == name)
    first = "Alice" if name == "hospitals_a_and_b" else "Bob"
    st.markdown(example.story)
    who = st.segmented_control(
        "Look for", worked.people(example, first), default=first, required=True, key=f"overview:who:{name}"
    )
    telling = worked.tell(example, who or first)
    knows = ", ".join(f"{safe(column.lower())} {safe(text)}" for column, text in telling.knows.items())
    st.markdown(f"The adversary knows of {safe(telling.person)}: {knows}.")
    releases = len(telling.steps)
    evidence(telling)
    if releases == 1:
        st.markdown("There is no second release to compare with: this is all the adversary gets.")
    tables(telling)
    if name == "hospitals_a_and_b":
        words = {"records": len(example.tables[0]), "k": 2, "overlap": 3}
        offer = workspace.Offer(example.tables[0], example.schema, "Hospitals A and B, table A")
        as_data(offer, fill(overview()["as data"], words), {"my_k": 2, "overlap": 3})
    source(f"{example.source}.", example.erratum)

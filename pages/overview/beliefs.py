"""Worked examples 6 and 7 on the page Start: homogeneity and linkage, disagreement."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import examples
from core.examples import LinkageExample
from pages.overview import examples as worked
from pages.overview import story as show
from pages.shared.ui.text import safe

# ---- homogeneity and linkage -------------------------------------------------------------


def linkage() -> None:
    """The voter list, joined with the same table published in three ways."""
    example = examples.homogeneity_and_linkage()
    st.markdown(example.story)
    with st.grid(2, min_column_width=380, gap="medium") as grid:
        with grid.cell():
            st.markdown("**Voter list: public**")
            columns = {safe(name): [safe(cell) for cell in example.voters[name]] for name in example.voters}
            voters = pd.DataFrame(columns)
            st.table(voters, border="horizontal", hide_index=True, alt="Voter list with zip code and age")
        for way, (title, _) in enumerate(example.published):
            with grid.cell():
                st.markdown(f"**{safe(title, 80)}**")
                st.table(joined(example, way), border="horizontal", hide_index=True, alt="Voters and diseases that fit")
    counts = [", ".join(map(str, row)) for row in example.counts]
    st.markdown(
        f"Different values are not enough either. Take two classes of four values, one with {counts[0]} and one with "
        f"{counts[1]} records of each. In the second, a single guess is nearly always right. Recursive (c, "
        f"l)-diversity "
        f"distinguishes the two."
    )
    st.caption(f"Source: {example.source}. The classes by age are ours.")


def joined(example: LinkageExample, way: int) -> pd.DataFrame:
    """Values left for each voter after the join, as Markdown cells."""
    left = example.linked(way)
    return pd.DataFrame(
        {
            "Voter": [safe(name) for name in left],
            "Diseases that fit": [
                f":red-background[**{safe(values[0])}**]" if len(values) == 1 else ", ".join(map(safe, values))
                for values in left.values()
            ],
        }
    )


# ---- disagreement ----------------------------------------------------------------------------


def disagreement() -> None:
    """Lalin is in both hospitals, with another diagnosis in each."""
    case = examples.disagreement()
    telling = worked.tell(case, "Lalin")
    st.markdown(case.story)
    show.evidence(telling)
    show.tables(telling)
    truth = case.expected["values"]
    kept = ["is among those left" if value in telling.left else "is ruled out" for value in truth]
    st.markdown(
        f"In truth Lalin has **{safe(truth[0])}** in hospital A, which {kept[0]}, and **{safe(truth[1])}** in hospital "
        f"B, which {kept[1]}. The share of people who agree is an assumption: *If others publish*, "
        "*More assumptions*, lets you move it."
    )
    show.source(f"{case.source}.", case.erratum)

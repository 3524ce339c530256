"""What my release says beyond its ranges, because of how its classes were formed, and what less of it costs."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.algorithms.mondrian.stops import Stops, TakenBack, applies, stops, taken_back
from core.algorithms.mondrian.trace import MAX_RECORDS, trace
from core.words import SAME
from pages.shared import results, session, widgets
from pages.shared.text import count, percent

CHANCES = (0.1, 0.25, 0.5)
"""Chances that a last cut is taken back, for which the cost is shown."""


def show() -> None:
    """Late stops of Mondrian counted, in a sentence and a table; then the cost of hiding them."""
    release = results.my_release().release
    st.caption(
        "Whoever knows how classes were formed, and k, reads more from a table than its ranges. This assumes an "
        "adversary who knows both."
    )
    if not applies(release):
        st.markdown(
            "This is counted for **Mondrian under k alone**, where every record is a person. Another way of forming "
            "classes stops for other reasons. Under l or t a class that was not cut tells of the sensitive values "
            "instead (the minimality attack), which is not counted here."
        )
        return
    stopped = results.remembered(("stops", *results.release_key()), lambda: stops(release))
    st.markdown(sentence(stopped, release.policy.k, release.encoded.records))
    st.table(table(stopped), border="horizontal", hide_index=True, alt="What the classes say beyond their ranges")
    _cost()


def sentence(stopped: Stops, k: int, people: int) -> str:
    """What is known beyond the ranges, for Markdown."""
    if stopped.cells <= SAME:
        return (
            f"**Nothing is known beyond the ranges in this way**: no class of {count(2 * k)} people or more shows a "
            f"range of an ordered quasi-identifier."
        )
    return (
        f"**{percent(stopped.people)}** of {count(people)} people are in a class of {count(2 * k)} or more that was "
        f"not cut. "
        f"Mondrian cuts wherever it may, so no cut of such a class leaves {count(k)} on both sides. In each of its "
        f"ranges one value is then crowded: on average **{percent(stopped.known)}** of the class surely share it."
    )


def table(stopped: Stops) -> pd.DataFrame:
    """The four numbers with what they mean."""
    rows = [
        ("People in a class that was not cut", percent(stopped.people), "of all people"),
        ("Cells with a crowded value", percent(stopped.cells), "of all cells that are a range or a set"),
        ("Surely have that value", percent(stopped.known), "of the class, on average over those cells"),
        ("Really have the commonest value", percent(stopped.really), "the same; only the publisher knows it"),
    ]
    return pd.DataFrame(rows, columns=["", "Share", "Of"])


def _cost() -> None:
    """Take last cuts back by chance: then no class is surely one that could not be cut."""
    encoded, policy = results.encoded(), session.mine().policy
    st.markdown("##### What hiding it costs")
    if len(encoded) > MAX_RECORDS:
        st.caption(f"Cuts are followed one by one for at most {count(MAX_RECORDS)} rows, so the cost is not shown.")
        return
    with widgets.working("Following the cuts"):
        cuts = results.remembered(("whole trace", *results.release_key()), lambda: trace(encoded, policy))
    costs = [taken_back(encoded, cuts, chance) for chance in CHANCES]
    st.table(cost_table(costs), border="horizontal", hide_index=True, alt="Information loss with last cuts taken back")
    st.caption(
        f"A last cut is one whose parts are all classes: {count(costs[0].last)} of {count(len(cuts.cuts))}. If each is "
        "taken back with a chance, a large class may be one that was cut, so nothing is sure of any class. The "
        "expected loss is exact. The program does not publish such a table. Other ways of forming classes stop for "
        "other reasons."
    )


def cost_table(costs: list[TakenBack]) -> pd.DataFrame:
    """Expected loss for each chance, beside that of the release as it is."""
    rows = [("none: as it is", percent(costs[0].before))]
    rows += [
        (f"{percent(chance)} of the last cuts", percent(cost.after))
        for chance, cost in zip(CHANCES, costs, strict=True)
    ]
    return pd.DataFrame(rows, columns=["Taken back", "Information loss"])

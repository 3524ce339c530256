"""The sections under the breach curve, one function each."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.attack.exposure import by_attribute
from core.attack.intersection import AttackResult
from core.attack.remedies import remedies
from core.base.arrays import Ints
from core.base.words import DISAGREE, SAME, several
from core.data.classes import weighted_count
from core.decision.review import plausible_ranges
from core.figures import written as figures
from pages.attack import computed
from pages.shared import charts, layout, results, session, widgets
from pages.shared.text import at_confidence, count, draws, number, percent, plain, safe
from pages.shared.values import worded

PART = ", of the part of my table that it deals to my hospital"
ASSUMPTIONS = {
    "their k": "People per class (k) at the other hospitals",
    "overlap": "People who went to every hospital",
    "releases": "Number of hospitals that publish",
    "agreement": "Same diagnosis at the other hospital",
}


def _left_on_average(result: AttackResult) -> float:
    """Mean number of values left, of those of whom something is left."""
    there = 1 - result.empty.value
    return float(result.mean(result.posterior)) / there if there else 0.0


def _nothing_left(empty: float) -> str:
    """Who is in no such mean."""
    return f" Nothing is left of {percent(empty)} of them; they do not count there." if empty > SAME else ""


def shrinking() -> None:
    """k as promised, values as they are, values as they are left [Ganta 2008, Fig. 2 and 3]."""
    from pages.attack.axes import points

    result = results.outcome().result
    st.markdown(
        f"k promises to hide a person among at least {session.get('my_k')}. What hides a person is the number "
        f"of different sensitive values: **{number(result.mean(result.best_prior), 1)}** on average in the "
        f"release that leaves fewest of a person, **{number(_left_on_average(result), 1)}** once the releases are "
        f"intersected (one draw of the hospitals).{_nothing_left(result.empty.value)}"
    )
    left, right = widgets.pair()
    with left:
        st.markdown("## Values that remain possible, before and after")
        charts.show(
            figures.before_and_after(result.best_prior, result.posterior, weight=result.weight),
            alt="Histogram of the number of possible sensitive values of each shared person before and after.",
        )
    with right:
        st.markdown("## Exposed at every confidence")
        charts.show(
            figures.share_by_confidence(
                result.posterior, result.best_prior, float(session.get("confidence")), weight=result.weight
            ),
            alt="Share of people with at most so many values left, for the best single release and for all together.",
        )
    vary = "k" if session.get("linked") else "my k"
    curve = results.curve(vary, points(vary), 1)
    left, right = widgets.pair()
    with left:
        st.markdown("## Promised, present and left, against k")
        charts.show(
            figures.presumed_and_effective(curve, "People per class (k)", session.get("my_k")),
            alt="k, mean class size, mean distinct values before and mean values left after, against k.",
        )
    with right:
        st.markdown("## Possible values lost to the intersection")
        layout.tabs(
            "attack:lost",
            {"Person by person": partial(_lost, result), "Mean, against k": partial(_lost_on_average, curve)},
        )
    st.caption(f"Everything here comes from {draws(1)}; the numbers on top are the {draws(session.get('repeats'))}.")
    frame = pd.DataFrame(
        {
            "values": range(1, 31),
            "people before": _people_with(result, result.best_prior),
            "people after": _people_with(result, result.posterior),
            "people with this drop": _people_with(result, result.drop),
        }
    )
    widgets.numbers_below(frame, "Possible values before and after", "shrinking")


def _lost(result: AttackResult) -> None:
    charts.show(
        figures.drop_histogram(result.drop, weight=result.weight), alt="Histogram of the values each person loses."
    )


def _lost_on_average(curve: pd.DataFrame) -> None:
    charts.show(figures.mean_drop(curve, "People per class (k)"), alt="Mean drop against k.")


def _people_with(result: AttackResult, values: Ints) -> list[int]:
    """People with each number from 1 to 30."""
    people: list[int] = weighted_count(values.clip(0, 31), result.weight, 32)[1:31].tolist()
    return people


def doubts() -> None:
    """The breach over the range of each assumption."""
    st.markdown(
        "The setting above is a guess about hospitals you do not control. Each line moves one assumption over its "
        "range and holds the others. The widest comes first. The dotted rule is the present setting."
    )
    scenario = session.scenario()
    ranges = plausible_ranges(results.study(), results.encoded().records)
    with widgets.working("Trying other assumptions") as progress:
        frame = computed.doubts(ranges, progress)
    headline = results.headline()
    share = float(headline.loc[headline["confidence"] == scenario.confidence, "share"].iloc[0])
    low, high = frame["share"].min(), frame["share"].max()
    st.markdown(
        f"Over all of these the share exposed at {at_confidence(scenario.confidence)} lies between "
        f"**{percent(low)}** and **{percent(high)}**; the present setting gives {percent(share)} of "
        f"{count(scenario.overlap)} shared people. Every value is tried on the same "
        f"{several(scenario.repeats, 'draw')} of the hospitals."
    )
    if not scenario.study.whole:
        st.caption(
            "My table is dealt out here. Along a line every hospital has the size that the largest value of the line "
            "allows, so a line can pass beside the present setting."
        )
    if results.nobody_knows():
        st.caption(
            ":material/help: Who is really in the uploaded file, and whether it says the same of them as my table, is "
            "the largest doubt. It cannot be tried here and is **not** part of this range."
        )
    if "agreement" in ranges:
        st.caption(DISAGREE)
    charts.show(figures.doubts(frame, ASSUMPTIONS, share), alt="Range of the share exposed for each assumption.")
    table = frame.assign(
        assumption=[ASSUMPTIONS[a] for a in frame["assumption"]], value=[f"{v:g}" for v in frame["value"]]
    )
    table = table[["assumption", "value", "share", "right", "wrong", "single", "n"]]
    widgets.numbers_below(table, "What if I am wrong", "doubts")


def exposed() -> None:
    """Breach by group and by diagnosis, and what treating the worst classes would do."""
    workspace, scenario, outcome = session.workspace(), session.scenario(), results.outcome()
    overall = float(outcome.result.mean(outcome.result.breached(scenario.confidence)))
    mine = outcome.mine.encoded
    left, right = widgets.pair()
    with left:
        st.markdown("## By what the adversary knows")
        name = st.selectbox(
            "Group people by", list(workspace.schema.quasi_identifiers), key="attack:group", format_func=plain
        )
        frame = by_attribute(outcome.result, mine, name, scenario.confidence)
        charts.show(figures.exposure(frame, plain(name, 30), overall), alt="Share exposed by group.")
        widgets.numbers_below(frame, f"Exposed by {plain(name, 30)}", "by group")
    with right:
        st.markdown("## By what is to be protected")
        st.caption(f"Grouped by {safe(workspace.schema.sensitive)}, commonest first.")
        frame = by_attribute(outcome.result, mine, workspace.schema.sensitive, scenario.confidence, groups=12)
        frame["group"] = [worded(group) for group in frame["group"]]
        charts.show(
            figures.exposure(frame, plain(workspace.schema.sensitive, 30), overall),
            alt="Share exposed by sensitive value.",
        )
        widgets.numbers_below(frame, "Exposed by sensitive value", "by value")
    st.caption(
        f"From one draw of {count(outcome.result.people)} shared people. The dotted rule is everybody in this draw, "
        f"{percent(overall)}; the number on top is the {draws(scenario.repeats)}. Small groups swing widely from draw "
        f"to draw."
    )
    st.markdown("## What suppressing or merging my worst classes would do")
    treated = results.remembered(
        ("remedies", *results.release_key(), scenario.study, scenario.confidence, scenario.seed),
        lambda: remedies(
            outcome.releases, outcome.people, scenario.confidence, locate=scenario.locate, weight=outcome.result.weight
        ),
    )
    _remedies(treated)


def _remedies(treated: list[Any]) -> None:
    start = treated[0]
    words = {"suppress": "suppress their records", "merge": "merge each with its nearest class"}
    rows = [(words[action], start.loss, start.share, 0) for action in words]
    rows += [(words[r.action], r.loss, r.share, r.records) for r in treated[1:]]
    if len(rows) == 2:
        st.caption("Nobody is exposed at this confidence, so there is nothing to treat.")
        return
    best = min(treated[1:], key=lambda r: r.share)
    st.markdown(
        f"Most people are exposed in {count(best.classes)} classes ({count(best.records)} records). If you "
        f"{words[best.action]}, the share exposed goes from {percent(start.share)} to **{percent(best.share)}** and "
        f"the information loss from {percent(start.loss)} to {percent(best.loss)}, in one draw of the "
        f"hospitals{PART * (not session.scenario().study.whole)}. You cannot know these classes for certain: they are "
        f"the worst against the hospitals that are assumed here."
    )
    charts.show(figures.trade_off(rows), alt="Share exposed against information loss, for suppressing and merging.")
    frame = pd.DataFrame(
        [
            {
                "action": words.get(r.action, "as it is"),
                "classes": r.classes,
                "records": r.records,
                "exposed (%)": round(100 * r.share, 2),
                "loss (%)": round(100 * r.loss, 2),
            }
            for r in treated
        ]
    )
    widgets.numbers_below(frame, "Suppressing or merging", "remedies")

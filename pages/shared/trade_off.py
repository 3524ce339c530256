"""Which way of forming classes loses least at the same exposure, for the user's own table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.figures import written as figures
from core.release.algorithm import ALGORITHMS, algorithm_title
from core.study.redraws import Redraws
from core.study.trade_off import by_algorithm, least_within, trade_off
from core.words import adversary
from core.words import left as level
from pages.shared import charts, results, session, turns, widgets
from pages.shared.text import percent

REDRAWS = 10
"""Draws of the others at most: enough for an interval."""
KS = (2, 3, 5, 10, 20, 50)


def show(place: str) -> None:
    """What is compared, and one curve an algorithm; ``place`` tells the pages apart that ask."""
    encoded, scenario = results.encoded(), session.scenario()
    st.markdown(
        "At the same k, an algorithm that forms smaller classes loses less **and shows more**. So compare what each "
        "loses at the same exposure."
    )
    offered = [name for name in widgets.offered(encoded) if ALGORITHMS[name].providers != "needed"]
    names = st.multiselect(
        "Ways to form my classes",
        offered,
        widgets.compared(encoded, scenario.mine.algorithm),
        format_func=algorithm_title,
        key=f"{place}:algorithms",
        wrap=True,
    )
    alike = any(hospital.upload is None for hospital in scenario.hospitals[1:])
    if alike:
        alike = st.toggle("The others form their classes in the same way", True, key=f"{place}:alike")
    else:
        st.caption(widgets.FILES_STAY)
    most = session.most_k(encoded.people)
    ks = tuple(sorted({*(k for k in session.and_large(KS) if k <= most), scenario.mine.policy.k}))
    repeats = min(scenario.repeats, REDRAWS)
    if not names:
        st.caption(":material/info: Choose at least one.")
        return
    key = (
        "trade_off",
        *results.data_key(scenario),
        scenario.study,
        scenario.confidence,
        scenario.seed,
        repeats,
        tuple(names),
        alike,
        ks,
    )
    pressed = st.button("Compare over k", key=f"{place}:go", type="primary", icon=":material/compare_arrows:")
    if not pressed and not results.is_remembered(key):
        st.caption(f"{len(names) * len(ks)} releases of your table, with {repeats} draws of the others for each.")
        return
    with widgets.working("Forming classes and attacking them") as progress:
        frame = results.remembered(
            key,
            lambda: trade_off(
                encoded,
                by_algorithm(results.study(scenario), names, alike),
                ks,
                "k",
                Redraws(repeats, scenario.seed, (scenario.confidence,)),
                turns.breathing(progress),
            ),
        )
    _draw(frame, place)


def _draw(frame: pd.DataFrame, place: str) -> None:
    scenario = session.scenario()
    data = frame.assign(words=[ALGORITHMS[name].short for name in frame["algorithm"]])
    charts.show(
        figures.loss_against_exposure(data),
        alt=f"Information loss against the share of shared people exposed at {level(scenario.confidence)}, a line an "
        "algorithm, a point a k",
    )
    present = frame[(frame["algorithm"] == scenario.mine.algorithm) & (frame["value"] == scenario.mine.policy.k)]
    if len(present):
        st.markdown(_equal_exposure(frame, float(present["share"].iloc[0])))
    st.caption(
        "*Exposed* counts shared people with so few values left that one of them reaches the confidence chosen on the "
        f"attack page. {adversary(scenario.locate)} Points whose intervals overlap may differ by the luck of the draw."
    )
    shown = data[["words", "value", "classes", "loss", "share", "low", "high"]]
    shown = shown.rename(columns={"words": "algorithm", "value": "k", "share": "exposed"})
    config = {
        name: st.column_config.NumberColumn(name, format="percent") for name in ("loss", "exposed", "low", "high")
    }
    widgets.numbers_below(shown, "loss against exposure", place, config)


def _equal_exposure(frame: pd.DataFrame, share: float) -> str:
    """What each algorithm loses without exposing more than the present setting does."""
    mine = session.scenario().mine
    settings = "; ".join(
        f"{ALGORITHMS[row['algorithm']].short} loses **{percent(row['loss'])}** (k = {row['value']}, exposes "
        f"{percent(row['share'])})"
        for row in least_within(frame, share).to_dict("records")
    )
    return (
        f"**Same exposure, less loss.** {ALGORITHMS[mine.algorithm].short} with k = {mine.policy.k} exposes "
        f"{percent(share)} of the people you share. Settings that expose no more: {settings}."
    )

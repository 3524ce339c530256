"""What the attack page draws: the headline, the curve, and the sections below them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import figures
from core.anonymize import ALGORITHM_NAMES, ONE_PUBLISHER
from core.categories import levels
from core.hospitals import default_size
from pages._ui import (
    attack_attributes,
    attack_person,
    attack_sections,
    attack_weights,
    charts,
    hospital_views,
    runs,
    state,
    widgets,
)
from pages._ui.release_controls import offered
from pages._ui.text import count, interval, level, number, percent

PLACE = "attack"
GRID_K = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
FEW_K = (2, 5, 10, 25, 50)


def sensitive_facts() -> tuple[int, bool]:
    """Distinct sensitive values of the table, and whether they have a taxonomy."""
    here = state.workspace()
    column = here.table.column(here.schema.sensitive)
    return len(column.labels), here.schema.sensitive in here.schema.taxonomies


def algorithms() -> None:
    """Ask how my classes and those of the others are formed, and how the adversary finds them."""
    widgets.pick("my_algorithm", PLACE, offered(runs.encoded()), ALGORITHM_NAMES.__getitem__, label="My classes")
    widgets.pick("their_algorithm", PLACE, ONE_PUBLISHER, ALGORITHM_NAMES.__getitem__, label="Classes of the others")


def categories() -> None:
    """Ask for the level of categories, where the sensitive attribute has a taxonomy with any."""
    tree = runs.encoded().sensitive.taxonomy
    found = levels(tree) if tree is not None else ()
    if found:
        widgets.slider("category_level", PLACE, high=found[-1])


SCENARIOS = {
    "Mondrian, Mondrian": ("mondrian", "mondrian"),
    "Microaggregation, microaggregation": ("mdav", "mdav"),
    "Mondrian, microaggregation": ("mondrian", "mdav"),
}
"""The three scenarios of [Ganta 2008, Fig. 1]: my algorithm and that of the other hospital."""


def scenarios() -> None:
    """The paper's scenarios, one click each."""
    leave = "Takes the uploaded files out of the study." if state.scenario().uploads else None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("As in the paper: 2 hospitals, classes known", width="content")
        for words, (mine, theirs) in SCENARIOS.items():
            st.button(words, key=f"attack:scenario:{mine}:{theirs}", type="tertiary", on_click=_scenario,
                      args=(mine, theirs), help=leave)  # fmt: skip


def _scenario(mine: str, theirs: str) -> None:
    for name, value in (("releases", 2), ("own", {}), ("linked", True), ("agreement", 1.0), ("locate", "assumed"),
                        ("my_algorithm", mine), ("their_algorithm", theirs), ("diversity", "none"),
                        ("closeness", False)):  # fmt: skip
        state.put(name, value)
    state.drop_unused_files()
    runs.fit_overlap()


def confidence_in_words(confidence: float) -> str:
    """Say what the chosen confidence counts as exposed."""
    return f"A person counts as exposed with {level(confidence)}."


def axes() -> dict[str, str]:
    """What the curve can be drawn against now, in words."""
    released = all(hospital.source == "published" for hospital in state.hospitals()[1:])
    whose = "my hospital" if released else "all hospitals"
    words = {"k": f"People per class (k), {whose}"} if state.get("linked") else {
        "my k": "People per class (k), my hospital",
        "their k": "People per class (k), other hospitals",
    }  # fmt: skip
    if state.get("diversity") != "none":
        words["l"] = "Values per class (l)"
    if state.get("closeness"):
        words["t"] = "Distance to the whole table (t)"
    words["overlap"] = "People who went to every hospital"
    others = state.hospitals()[1:]
    if any(hospital.upload is None for hospital in others) or len(others) > 1:
        words["releases"] = "Number of hospitals that publish"
    if any(hospital.upload is None for hospital in others):
        words["agreement"] = "Same diagnosis at the other hospital"
    return words


def points(vary: str) -> list[Any]:
    """Values of the curve: a fixed grid, so that moving the slider of what varies costs nothing new."""
    records = len(runs.encoded())
    hospitals = int(state.get("releases"))
    study = state.scenario().study
    size = min(study.size_of(number, records) for number, h in enumerate(study.hospitals) if h.upload is None)
    if vary in ("k", "my k", "their k"):
        quick = all(hospital.algorithm == "mondrian" for hospital in study.hospitals)
        cheap = quick and state.get("diversity") == "none" and not state.get("closeness")
        grid = [k for k in (GRID_K if cheap else FEW_K) if k <= size // 2]
        return grid or [min(2, size)]
    if vary == "l":
        most = min(sensitive_facts()[0], 8)
        return list(range(2, max(3, most + 1)))
    if vary == "t":
        return [0.2, 0.3, 0.4, 0.5, 0.6, 0.8]
    if vary == "releases":
        drawn = [hospital for hospital in study.hospitals[1:] if hospital.upload is None]
        most = max(2, min(8, records // max(1, state.get("overlap")))) if drawn else hospitals
        return list(range(2, max(most, hospitals) + 1))
    if vary == "agreement":
        return [0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 1.0]
    bound = runs.curve_bound()
    if not study.whole:
        bound = min(bound, default_size(records, max(1, records // 60), study.dealt))
    steps = np.unique(np.round(np.geomspace(max(1, records // 60), max(2, 0.9 * bound), 8)).astype(int))
    return [int(step) for step in steps]


CURRENT = {"k": "my_k", "my k": "my_k", "their k": "their_k", "l": "l", "t": "t", "overlap": "overlap",
           "releases": "releases", "agreement": "agreement"}  # fmt: skip


def main(numbers: Any, chart: Any, vary: str, repeats: int, progress: Any = None) -> None:
    """Draw the headline and the curve from so many redraws."""
    scenario = state.scenario()
    curve = runs.curve(vary, points(vary), repeats, progress)
    with numbers.container():
        headline(runs.headline(progress, repeats), scenario.confidence)
    with chart.container():
        words = axes()[vary]
        charts.show(
            figures.breach_curve(
                curve, words, scenario.confidence, state.get(CURRENT[vary]), log=vary in ("k", "my k", "their k")
            ),
            key="attack:curve",
            alt=curve_in_words(curve, words, scenario.confidence),
        )
        st.caption(
            "Thick line: the chosen confidence, with the band where 95 % of redraws of the hospitals fall. "
            "Dashed: other confidences. The dotted rule marks the present setting. All points share one draw "
            "of the hospitals, with sizes fixed, so the curve shows what varies and nothing else."
        )
        widgets.numbers_below(shown(curve), f"Exposure against {words}", f"curve {vary} {repeats}")


def shown(curve: pd.DataFrame) -> pd.DataFrame:
    """Return the curve's table with headers in words and shares in percent."""
    names = {
        "value": "Setting", "confidence": "Confidence C", "share": "Exposed", "low": "95 % of redraws from",
        "high": "to", "wrong": "Exposed, but wrongly", "single": "Best single release", "guess": "Guessing",
        "weighted": "Exposed by weights", "weighted_wrong": "By weights, but wrongly",
        "category": "One category left", "category_wrong": "One category, but wrongly",
        "hit": "Right guesses", "weighted_hit": "Right guesses by weights", "said": "Said by weights, mean",
        "located": "Class found", "unlocated": "In no class",
        "n": "Shared people", "repeats": "Redraws", "class_size": "Records in the class, mean",
        "prior": "Values before, mean", "posterior": "Values left, mean", "drop": "Values lost, mean",
        "vulnerable": "With any drop", "empty": "Empty intersection", "false_alarms": "False alarms",
    }  # fmt: skip
    frame = curve[list(names)].rename(columns=names)
    shares = ["Exposed by weights", "By weights, but wrongly", "One category left", "One category, but wrongly",
              "Right guesses", "Right guesses by weights", "Said by weights, mean", "Class found", "In no class",
              "Exposed", "95 % of redraws from", "to", "Exposed, but wrongly", "Best single release", "Guessing",
              "With any drop", "Empty intersection", "False alarms"]  # fmt: skip
    return frame.assign(**{column: (100 * frame[column]).round(2) for column in shares}).rename(
        columns={column: f"{column} (%)" for column in shares}
    )


def curve_in_words(curve: pd.DataFrame, words: str, confidence: float) -> str:
    """Text alternative of the breach curve."""
    line = curve[np.isclose(curve["confidence"], confidence)]
    first, last = line.iloc[0], line.iloc[-1]
    return (
        f"Share of shared people exposed at confidence {confidence:.2f} against {words}: "
        f"{percent(first['share'])} at {first['value']:g}, {percent(last['share'])} at {last['value']:g}."
    )


def refine(numbers: Any, chart: Any, vary: str) -> None:
    """Add the intervals: redraw the hospitals and draw the headline and the curve again."""
    repeats = state.scenario().repeats
    if repeats > 1:
        with widgets.working("Redrawing the hospitals for the intervals") as progress:
            main(numbers, chart, vary, repeats, progress)


def headline(table: pd.DataFrame, confidence: float) -> None:
    """The answer in four numbers, each with what it must be compared with."""
    perfect = table[table["confidence"] == 1.0].iloc[0]
    chosen = table[table["confidence"] == confidence].iloc[0]
    most = math.floor(1 / confidence + 1e-9)
    if runs.nobody_knows():
        st.caption(hospital_views.UNKNOWN)
    with st.grid(4, min_column_width=180, gap="small", border=True) as grid:
        with grid.cell():
            _number("One value left (perfect breach)", perfect)
            if not math.isnan(perfect["category"]):
                st.caption(
                    f"One category left: **{percent(perfect['category'])}** ({percent(perfect['category_wrong'])} "
                    f"wrong); best single release {percent(perfect['category_single'])}."
                )
        with grid.cell():
            _number(f"At most {most} left (C = {100 * confidence:.0f} %)" if most > 1 else "Chosen confidence", chosen)
            st.caption(
                f"By weights: **{percent(chosen['weighted'])}** have a value as likely as that, "
                f"{percent(chosen['weighted_wrong'])} of all wrongly."
            )
        with grid.cell():
            st.metric("Values left, on average", number(chosen["posterior"], 1))
            st.caption(
                f"{number(chosen['prior'], 1)} different values in one release; k = {state.get('my_k')} is a number of "
                "records, not of values."
            )
        with grid.cell():
            share = chosen["wrong"] / chosen["share"] if chosen["share"] else math.nan
            st.metric("Of those exposed, wrongly", percent(share))
            unknown = " Judged by my table: it may also mean that they are not in the uploaded file."
            st.caption(
                "Their true value is not among those left: the attack accuses them of something else."
                f"{unknown * runs.nobody_knows()} Nothing left at all: {percent(chosen['empty'])}."
            )
            if chosen["unlocated"] > 0 or chosen["located"] < 1:
                st.caption(_found(chosen))


def _found(row: pd.Series) -> str:
    """Say how well the adversary finds the classes of people."""
    share = row["located"]
    own = "" if math.isnan(share) else f"Class found for certain: {percent(share)} (mean of releases). "
    return f"{own}In no class: {percent(row['unlocated'])}."


def _number(label: str, row: pd.Series) -> None:
    st.metric(label, percent(row["share"]))
    span = interval(row["low"], row["high"])
    drawn = f"95 % of {int(row['repeats'])} redraws: {span}" if span else "one draw of the hospitals"
    st.caption(
        f"of {count(row['n'])} shared people; {drawn}.  \nBest single release {percent(row['single'])}; "
        f"guessing {percent(row['guess'])}."
    )


SECTIONS = (
    ("How anonymity shrinks", attack_sections.shrinking),
    ("What if I am wrong", attack_sections.doubts),
    ("Who is exposed", attack_sections.exposed),
    ("Sets or weights", attack_weights.weights),
    ("One person, step by step", attack_person.person),
)


def below() -> None:
    """The sections under the curve; only the open one is computed."""
    tabs = st.tabs([name for name, _ in SECTIONS], key="attack:sections", on_change="rerun")
    for tab, (_, draw) in zip(tabs, SECTIONS, strict=True):
        if tab.open:
            with tab:
                draw()
    attack_attributes.attributes()

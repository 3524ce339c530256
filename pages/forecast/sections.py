"""The sections under the forecast, one function each; only the open one is computed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.figures import written as figures
from core.forecast import Forecast, Search
from core.words import confidence_text
from pages.forecast import answer, controls, numbers
from pages.forecast.answer import in_words, wanted
from pages.forecast.controls import PLACE
from pages.shared import charts, results, session, widgets
from pages.shared.class_rows import MOST_ROWS, opening, region_rows
from pages.shared.frames import highest, lowest, rows
from pages.shared.text import count, number, percent, plain, safe
from pages.shared.values import sensitive_name, worded

MEASURE_WORDS = {
    "expected": "Shared people left with one value",
    "people": "People in vulnerable classes (Sattar & Helal)",
    "risk": "Vulnerable classes (Sattar & Helal)",
    "pinned": "Left with one value (first estimate)",
}
_OPENED = "forecast:opened"


def in_sentence(name: str) -> str:
    """A measure in the middle of a sentence."""
    words = MEASURE_WORDS[name]
    return words[:1].lower() + words[1:]


# ---- Sattar & Helal's estimate -------------------------------------------------------------


def paper() -> None:
    """The published estimate: what it asks, what it says, its curve, its classes."""
    controls.paper()
    answer.paper()
    answer.paper_curve()
    st.markdown("##### Classes at risk")
    classes()


def classes() -> None:
    """The classes, the most vulnerable first, and one opened."""
    estimate, reading = numbers.present(), str(session.get("forecast_reading"))
    rows = estimate.table(reading)
    order = np.lexsort((rows["left"], rows["probability"]))
    rows = rows.iloc[order].reset_index(drop=True)
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=5):
        _table(estimate, rows)
    with page.cell(column_span=4):
        _one(estimate, rows, reading)


def _here(estimate: Forecast, row: pd.Series) -> str:
    """Set the expectation beside the own table, where columns that depend on each other make it look odd."""
    return "" if estimate.joint else f"; your own table has {count(row['size'])} of {count(estimate.sizes.sum())} there"


def open_class(number: int) -> None:
    """Open a class of the present release; another release closes it."""
    st.session_state[_OPENED] = (results.release_key(), number)


def several(values: float) -> str:
    """A number of values, in words."""
    return "one value" if values == 1 else f"{count(values)} values"


def _table(estimate: Forecast, rows: pd.DataFrame) -> None:
    key = f"forecast:classes:{hash((results.release_key(), estimate.l, estimate.confidence, estimate.others))}"
    shown = rows.head(MOST_ROWS)
    shown = shown.assign(probability=100 * shown["probability"], pinned=100 * shown["pinned"])
    shown = shown[
        ["class_number", "size", "distinct", "people_elsewhere", "expected_common", "probability", "pinned", "left"]
    ]

    number_ = partial(st.column_config.NumberColumn, width=60)
    st.dataframe(
        shown,
        key=key,
        hide_index=True,
        height=420,
        on_select=opening(key, shown["class_number"].tolist(), open_class),
        selection_mode="single-row",
        alt="Classes, the most vulnerable first; choose a row to open one",
        column_config={
            "class_number": number_("Class", format="%d"),
            "size": number_("People", help="Records in the class", format="localized"),
            "distinct": number_("Values", help="Distinct sensitive values in the class"),
            "people_elsewhere": number_(
                "There", format="%.1f", help="People expected in the same region of the other release"
            ),
            "expected_common": number_("Shared", format="%.1f", help="How many of its values are expected there"),
            "probability": number_(
                "Likely", format="%.1f %%", help="Probability that so many values are shared (Def. 7)"
            ),
            "pinned": number_("One left", format="%.1f %%", help="Left with one value, first estimate (ours)"),
            "left": number_("Left", format="%.1f", help="Values left for a shared person, first estimate (ours)"),
            "vulnerable": st.column_config.CheckboxColumn("Vulnerable", width=60),
        },
    )
    bad = int(rows["vulnerable"].sum())
    st.markdown(f"**{count(bad)}** of {count(len(rows))} classes are vulnerable.")
    st.caption(
        "The class least likely to share enough values comes first. Choose a row to open the class. Click a heading "
        "to sort."
    )
    widgets.download_csv(rows, "Forecast by class", "forecast:classes", "Download the classes as CSV")


def _one(estimate: Forecast, rows: pd.DataFrame, reading: str) -> None:
    key, chosen = st.session_state.get(_OPENED, (None, -1))
    known = key == results.release_key() and 0 <= chosen < estimate.classes
    opened = chosen if known else int(rows["class_number"].iloc[0])
    row = rows[rows["class_number"] == opened].iloc[0]
    release = results.my_release().release
    with st.container(border=True):
        note = "" if known else " (the most vulnerable; choose a row to open another)"
        st.markdown(f"**Class {opened}: {count(row['size'])} people, {several(row['distinct'])}**{note}")
        st.table(region_rows(release, opened), border="horizontal", hide_index=True, alt="Region of the class")
        st.markdown(
            f"About **{number(row['people_elsewhere'], 1)}** people of the other hospital are expected in this "
            f"region{_here(estimate, row)}. That {wanted(estimate, reading)} with them is "
            f"**{percent(float(row['probability']))}** likely; {confidence_text(estimate.confidence)} is wanted."
        )
        values, counts, presence = estimate.of_class(opened)
        least = np.argsort(presence, kind="stable")
        labels = release.encoded.sensitive.labels
        names = [worded(labels[values[i]]) for i in least]
        shares, records = [float(presence[i]) for i in least], [int(counts[i]) for i in least]
        st.caption(f"Values of {sensitive_name()} in the class, the least likely to be shared first.")
        charts.show(
            figures.value_presence(names, shares, records), alt="How likely each value of the class is to be shared."
        )
        if len(names) > 40:
            st.caption(f"The 40 least likely are drawn. The file has all {count(len(names))}.")
        frame = pd.DataFrame(
            {
                "value": [plain(name) for name in names],
                "records here": records,
                "likely shared (%)": [round(100 * share, 2) for share in shares],
            }
        )
        widgets.numbers_below(frame, "Values likely to be shared", "forecast:values")


# ---- what would help -----------------------------------------------------------------------


def remedies() -> None:
    """The smallest k and (k, l) under a limit, and what merging the vulnerable classes brings."""
    with st.grid(3, min_column_width=240, gap=("xsmall", "large")) as grid:
        with grid.cell():
            widgets.pick("forecast_measure", PLACE, list(MEASURE_WORDS), MEASURE_WORDS.__getitem__)
        with grid.cell():
            widgets.slider("forecast_limit", PLACE)
    limit = float(session.get("forecast_limit"))
    page = st.grid(2, min_column_width=340, gap="large")
    with page.cell():
        st.markdown("##### Ask more of every class")
        _smallest(limit)
    with page.cell():
        st.markdown("##### Merge the vulnerable classes with their nearest")
        with widgets.working("Merging classes") as progress:
            steps, order = numbers.merged(progress)
        _merging(steps, order, limit)


def _smallest(limit: float) -> None:
    words = in_sentence(session.get("forecast_measure"))
    search_key = f"{hash((limit, numbers.measure()))}"
    if not numbers.many_at_once() and not numbers.is_searched(False):
        st.caption(
            "Under diversity, closeness or microaggregation every k is a partition of its own, so this takes a while."
        )
        if not st.button("Look for the smallest k", key=f"forecast:alone:{search_key}", icon=":material/search:"):
            return
    with widgets.working("Trying k = 2, 3, 4, …; a change of any setting stops it") as progress:
        alone = numbers.search(False, progress)
    curve = numbers.curve()
    at_present = curve[curve["k"] == int(session.get("my_k"))].iloc[0]
    st.markdown(_search_sentence(alone, limit, words, at_present))
    if alone.slips_back:
        st.caption(
            ":material/warning: A slightly larger k is above the limit again: the forecast need not fall with k."
        )
    ask = f"forecast:search:{search_key}"
    if not numbers.is_searched(True) and not st.button(
        "Look for the smallest k and l together", key=ask, icon=":material/search:"
    ):
        widgets.numbers_below(in_words(alone.tried), "Smallest k", "forecast:smallest")
        return
    with widgets.working("Trying k and l together; a change of any setting stops it") as progress:
        both = numbers.search(True, progress)
    if not both.any_met:
        st.markdown("No k with distinct l of at most 6 stays under the limit either.")
    else:
        best = both.best.sort_values("loss")
        st.markdown(
            "With diversity (distinct l) asked as well: "
            + "; ".join(f"**k = {row['k']:.0f}, l = {row['l']:g}** (loss {percent(row['loss'])})" for row in rows(best))
            + (". " if len(best) == 1 else ". The first costs least. ")
            + "k was searched by halving, as if the forecast always fell with k. A smaller k may have been missed."
        )
    widgets.numbers_below(in_words(both.tried), "Smallest k and l", "forecast:smallest l")


def _search_sentence(search: Search, limit: float, words: str, row: pd.Series) -> str:
    name = numbers.measure()
    if not search.any_met:
        last = search.tried.iloc[-1]
        return (
            f"No k up to {count(last['k'])} brings {words} to {percent(limit)} or less; at {count(last['k'])} it is "
            f"{percent(float(last[name]))}, at an information loss of {percent(float(last['loss']))}."
        )
    best = search.best.iloc[0]
    return (
        f"The smallest k that keeps {words} at {percent(limit)} or less is **k = {best['k']:g}** "
        f"({percent(float(best[name]))}). The information loss would be {percent(float(best['loss']))}; at the present "
        f"k = {row['k']:g} it is {percent(float(row['loss']))}."
    )


def advice(steps: list[numbers.MergerRow], limit: float, name: str) -> str:
    """One plain sentence: which merging brings the share where, at what cost; from what was really done."""
    start, rest = steps[0], steps[1:]
    if not rest:
        return "No class is vulnerable at these settings, so there is nothing to merge."
    enough = [step for step in rest if getattr(step, name) <= limit]
    best = min(enough, key=lambda step: step.loss) if enough else min(rest, key=lambda step: getattr(step, name))
    times = "" if best.rounds == 1 else f", {best.rounds} times over as long as classes stay vulnerable,"
    done = (
        f"Merging the {count(best.treated)} most vulnerable classes with their nearest{times} would bring "
        f"{in_sentence(name)} from {percent(getattr(start, name))} to "
        f"**{percent(getattr(best, name))}**, and the information loss from {percent(start.loss)} to "
        f"{percent(best.loss)}"
    )
    return f"{done}." if enough else f"{done}. That is the best of what was tried, and it is not under the limit."


def _merging(steps: list[numbers.MergerRow], order: pd.DataFrame, limit: float) -> None:
    name = str(session.get("forecast_measure"))
    st.markdown(advice(steps, limit, name))
    if len(steps) == 1:
        return
    points = [(f"{count(s.treated)} classes, {s.rounds} x", s.loss, getattr(s, name), s.treated) for s in steps]
    points[0] = ("as it is", *points[0][1:])
    title = MEASURE_WORDS[name]
    charts.show(figures.merger_steps(points, title), alt="Forecast against information loss while classes are merged.")
    st.caption(
        "For every point the classes were merged and the forecast was made again. Merging keeps k and distinct l; "
        "entropy l, recursive l and t would have to be measured again. Your release is not changed: the classes only "
        "show where the risk sits."
    )
    frame = pd.DataFrame(
        [
            {
                "classes merged": s.treated,
                "rounds": s.rounds,
                "classes afterwards": s.classes,
                "vulnerable classes (%)": round(100 * s.risk, 2),
                "people in them (%)": round(100 * s.people, 2),
                "left with one value, expected (%)": round(100 * s.expected, 2),
                "loss (%)": round(100 * s.loss, 2),
            }
            for s in steps
        ]
    )
    widgets.numbers_below(frame, "Merging vulnerable classes", "forecast:mergers")
    widgets.download_csv(order, "Classes to merge, worst first", "forecast:order", "Download the classes to merge")


# ---- what each column adds -----------------------------------------------------------------


def columns() -> None:
    """Forecast and loss without each quasi-identifier, and with each one level coarser."""
    with widgets.working("Leaving out one column after the other") as progress:
        frame = numbers.added(progress)
    left, _ = st.columns([1, 1.5])
    with left:
        pick = widgets.pick(
            "forecast_measure", f"{PLACE}:columns", list(MEASURE_WORDS), MEASURE_WORDS.__getitem__, label="Show"
        )
    name = numbers.measure()
    present, rest = frame.iloc[0], frame.iloc[1:]
    best = lowest(rest, rest[name])
    gains = rest.assign(gain=present[name] - rest[name], cost=(rest["loss"] - present["loss"]).clip(lower=1e-9))
    worth = gains[gains["gain"] > 0]
    if worth.empty:
        st.markdown("Neither coarsening nor leaving out any one column would lower this forecast.")
    else:
        cheap = highest(worth, worth["gain"] / worth["cost"])
        words = (
            f"{_change(best)} brings most: from {percent(float(present[name]))} to **{percent(float(best[name]))}**, "
            f"at a loss of {percent(float(best['loss']))} (now {percent(float(present['loss']))})"
        )
        if cheap.name == best.name:
            st.markdown(f"{words}; it also gives most for its price.")
        else:
            st.markdown(
                f"{words}. {_change(cheap)} gives most for its price: to {percent(float(cheap[name]))} at a loss of "
                f"{percent(float(cheap['loss']))}."
            )
    title = MEASURE_WORDS[pick]
    charts.show(figures.contribution(frame, name, title), alt=f"{title} with each column coarser or left out.")
    st.caption(
        "One level coarser: the deepest level of a taxonomy is folded into the one above, and numbers and ordered "
        "values are joined two by two (our reading). Categories without a taxonomy have no levels. A column left out "
        "counts as lost entirely. The dotted rule is the present release."
    )
    shown = frame.assign(attribute=[plain(text) for text in frame["attribute"]])
    shown["change"] = [
        {"none": "as it is", "coarser": "one level coarser", "dropped": "left out"}[c] for c in frame["change"]
    ]
    shown = shown.rename(columns={"attribute": "Column", "change": "Change", "values": "Values then"})
    widgets.numbers_below(in_words(shown), "What each column adds", "forecast:columns")


def _change(row: pd.Series) -> str:
    verb = "Leaving out" if row["change"] == "dropped" else "One level less detail in"
    return f"{verb} {safe(row['attribute'], 40)}"

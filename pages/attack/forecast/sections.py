"""The sections under the estimate, one function each; only the open one is computed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.base.words import confidence_text
from core.figures import written as figures
from core.forecast import Forecast
from pages.attack.forecast import numbers
from pages.attack.forecast.answer import wanted
from pages.shared import charts, results, session, widgets
from pages.shared.class_rows import MOST_ROWS, opening, region_rows
from pages.shared.text import count, number, percent, plain
from pages.shared.values import sensitive_name, worded

_OPENED = "forecast:opened"


def classes() -> None:
    """The classes, the most vulnerable first, and one opened."""
    estimate, reading = numbers.present(), str(session.get("forecast_reading"))
    rows = estimate.table(reading)
    order = np.argsort(rows["probability"], kind="stable")
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
    shown = shown.assign(probability=100 * shown["probability"])
    shown = shown[["class_number", "size", "distinct", "people_elsewhere", "expected_common", "probability"]]

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


def basis() -> None:
    """What the published estimate rests on."""
    estimate = numbers.present()
    table = estimate.from_table
    if len(table) == len(numbers.population().names):
        source = "population shares counted in your own table"
    elif table:
        source = f"population shares from your file, and from your table for {count(len(table))} columns"
    else:
        source = "population shares from your file"
    if estimate.joint:
        source = "the share of your own table that each class holds (ours)"
    alone = "" if estimate.joint else ", on attributes that do not depend on each other,"
    worst = float(estimate.error.max(initial=0.0))
    exact = "computed exactly" if worst == 0 else f"exact, or off by at most {worst:.1g}"
    st.markdown(
        f"The estimate rests on {source}{alone} and on nothing else. It does not know who is shared, and forgets that "
        "a shared person's own value is always in both classes. The source does not print its probability of enough "
        f"shared values. This one is our reading, {exact}."
    )
    st.markdown(
        "*One value left* rests on what *Other hospitals* says: hospitals are drawn, anonymised and intersected with "
        "your release, again and again."
    )

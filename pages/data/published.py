"""Columns that are published as they are: how they link releases, and the added exposure of each."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core import Table
from core.base.wording import level_text
from core.data.encoding.domain import number_text
from core.data.schemas.schema import Schema, UnmodifiedColumn
from core.study.published_cost import may_be_published, published_cost
from core.study.redraws import Redraws
from pages.data import columns
from pages.data.text import headers
from pages.shared.compute import attack_results, cache, data_results
from pages.shared.state import column_draft, session
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import count, plain, safe

REDRAWS = 3
ABOUT = (
    "No one is assumed to know these values about a person. They still link two releases: a record of one release "
    "can belong to a record of the other only if both have the same values here."
)


def offered() -> bool:
    """Whether a column is published as it is, or could be."""
    workspace = session.workspace()
    return isinstance(workspace.data, Table) and bool(may_be_published(workspace.data, workspace.schema))


def show() -> None:
    """Settings of the published columns, and the added exposure of each."""
    schema = session.workspace().schema
    st.caption(ABOUT)
    with errors.refusing():
        if schema.unmodified:
            _editor(schema)
        _cost(schema)


def editor_key(schema: Schema) -> str:
    """Key of the table of published columns; it changes with the columns, so that edits stay with their column."""
    names = session.workspace().table.names
    return f"data:plain:{':'.join(str(names.index(name)) for name in schema.unmodified)}"


def _editor(schema: Schema) -> None:
    """Ask how often a column agrees elsewhere, and how it is rounded."""
    present = list(schema.unmodified.values())
    frame = pd.DataFrame(
        {
            "column": headers(list(schema.unmodified)),
            "same": [100 * column.same_value_rate for column in present],
            "step": [math.nan if column.rounded is None else column.rounded for column in present],
            "diverse": [column.diverse for column in present],
        }
    )
    edited = st.data_editor(
        frame,
        key=editor_key(schema),
        hide_index=True,
        disabled=["column"],
        alt="Columns published as they are, how often they agree elsewhere and how they are rounded, to edit",
        column_config={
            "column": st.column_config.TextColumn("Column"),
            "same": st.column_config.NumberColumn(
                "Same elsewhere",
                min_value=0,
                max_value=100,
                format="%g %%",
                help="Share of shared people with the same value at another hospital. 0: a different value, or not "
                "published.",
            ),
            "step": st.column_config.NumberColumn(
                "Rounded to",
                min_value=0,
                help="Values are rounded to multiples of this number; empty: published unchanged.",
            ),
            "diverse": st.column_config.CheckboxColumn(
                "l and t, too",
                help="The requirements of Release for the sensitive values of a class apply to these, too.",
            ),
        },
    )
    rows = zip(schema.unmodified, *(edited[name].tolist() for name in ("same", "step", "diverse")), strict=True)
    plains = {
        name: UnmodifiedColumn(
            name,
            1.0 if same is None or math.isnan(same) else same / 100,
            step if step and step > 0 else None,
            bool(also),
        )
        for name, same, step, also in rows
    }
    if plains != schema.unmodified:
        wanted = column_draft.with_plain(schema, plains)
        columns.settle(wanted)
        st.session_state[column_draft.PLAIN] = plains
        st.rerun()


def _cost(schema: Schema) -> None:
    """Exposure added by publishing each column, or saved by leaving it out."""
    table, scenario = session.workspace().data, session.scenario()
    assert isinstance(table, Table)
    key = ("published cost", *data_results.data_key(), scenario.study, scenario.seed, scenario.confidence)
    draws = Redraws(REDRAWS, scenario.seed, (scenario.confidence,))
    with widgets.working("Trying one column after the other") as progress:
        frame = cache.cached(
            key,
            lambda: published_cost(
                table, data_results.encoded(), schema, attack_results.study(), draws, progress=progress
            ),
        )
    st.markdown(_worst(frame))
    changes = zip(frame["change"].tolist(), frame["step"].tolist(), strict=True)
    shown = pd.DataFrame(
        {
            "Column": [plain(name, 60) for name in frame["column"]],
            "If it is": [f"{change} to {number_text(step)}" if step == step else change for change, step in changes],
            "Exposed people": 100 * frame["adds"],
        }
    )
    points = st.column_config.NumberColumn(format="%+.1f points")
    widgets.grid(shown, "What publishing each column adds to the exposed people", {"Exposed people": points})
    st.caption(
        f"Exposed ({level_text(scenario.confidence)}) of {count(scenario.overlap)} shared people: mean of {REDRAWS} "
        f"redraws, too few for an interval; seed {scenario.seed}. The bar on top has the present number."
    )


def _worst(frame: pd.DataFrame) -> str:
    """The change that exposes most, in a sentence."""
    added = frame[(frame["change"] != "left out") & (frame["adds"] > 0)]
    if not len(added):
        published = session.workspace().schema.unmodified
        return f"In these draws, no {'further ' if published else ''}column would expose more people than now."
    worst = added.iloc[0]
    return f"Publishing {safe(worst['column'], 40)} too would expose **{100 * worst['adds']:.1f} points** more."

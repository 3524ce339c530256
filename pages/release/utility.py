"""What the release costs in detail."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.release.utility import UtilityMeasure, loss_by_attribute, utility
from pages.shared.compute import release_results
from pages.shared.ui.text import count, number, percent, plain


def value_text(measure: UtilityMeasure, value: float) -> str:
    """Format a value of a measure: a percentage if its range is 0 to 1."""
    if (measure.low, measure.high) == (0, 1):
        return percent(value)
    return count(value) if float(value).is_integer() else number(value)


def table(measures: Sequence[UtilityMeasure]) -> pd.DataFrame:
    """The measures as texts: name, value, range, which way is better, meaning."""
    arrow = {"lower": ":material/arrow_downward: lower", "higher": ":material/arrow_upward: higher"}
    return pd.DataFrame(
        {
            "Measure": [measure.name for measure in measures],
            "Value": [f"**{value_text(measure, measure.value)}**" for measure in measures],
            "Range": [
                f"{value_text(measure, measure.low)} to {value_text(measure, measure.high)}" for measure in measures
            ],
            "Better": [arrow[measure.better] for measure in measures],
            "Meaning": [measure.meaning for measure in measures],
        }
    )


def show() -> None:
    """Measures of utility, and the loss of each quasi-identifier."""
    release = release_results.my_release().release
    st.header("Utility", anchor=False)
    measures = table(utility(release))
    st.table(measures, border="horizontal", hide_index=True, alt="Measures of utility with range and direction")
    st.header("Loss by quasi-identifier", anchor=False)
    loss = loss_by_attribute(release)
    frame = pd.DataFrame({"name": [plain(name) for name in loss], "loss": list(loss.values())})
    st.dataframe(
        frame.sort_values("loss", ascending=False, kind="stable"),
        hide_index=True,
        alt="Loss by quasi-identifier, the most generalised first",
        column_config={
            "name": "Quasi-identifier",
            "loss": st.column_config.ProgressColumn("Detail lost (0%: exact, 100%: nothing left)", format="percent"),
        },
    )

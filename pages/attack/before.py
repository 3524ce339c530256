"""The setting before the last move, so that cause and effect can be compared: until the next move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from pages.shared import results, session

_SHOWN = "attack:shown"


@dataclass(frozen=True, eq=False)
class Shown:
    """What the page showed for one setting.

    Parameters
    ----------
    key
        What it depended on.
    axis
        What the curve shows, against what, and the confidence.
    line
        ``value`` and ``share`` of the strong line.
    point
        The setting on the axis, and its share; the first NaN where it has no place there.
    people
        Shared people exposed.
    """

    key: Any
    axis: tuple[str, str, float]
    line: pd.DataFrame
    point: tuple[float, float]
    people: float


def key() -> Any:
    """What the numbers of the page depend on, whatever is drawn."""
    scenario = session.scenario()
    return (*results.data_key(scenario), scenario.study, scenario.seed, scenario.confidence)


def note(shown: Shown) -> Shown | None:
    """Keep what is shown now; return what was shown before the last move, ``None`` where there was nothing."""
    before, last = st.session_state.get(_SHOWN, (None, None))
    if last is not None and last.key != shown.key:
        before = last
    st.session_state[_SHOWN] = (before, shown)
    same_table = before is not None and before.key[0] == shown.key[0]
    return before if same_table else None

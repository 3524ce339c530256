"""Exposure shown from one draw of the hospitals at once, and from all of them as soon as they are made.

Every page that states it ends with the same number: that of the same draws.
"""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from core import CompositionError
from pages.shared import results, session, widgets
from pages.shared.later import later


def is_firm() -> bool:
    """Whether all draws of the present setting were made."""
    scenario = session.scenario()
    return results.is_remembered(results.headline_key(scenario, scenario.repeats))


def make_firm() -> None:
    """Make all draws of the present setting, after everything else was shown."""
    if not is_firm():
        later(draw_all)


def draw_all() -> None:
    """Make all draws of the present setting now, with progress in the sidebar."""
    if is_firm():
        return
    with suppress(CompositionError), widgets.working("Redrawing the hospitals", st.sidebar) as progress:
        results.headline(progress)

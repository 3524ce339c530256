"""The summary strip: the one question's answer, always in sight."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st

from core import CompositionError
from core.utility import gcp
from pages._ui import runs, state, widgets
from pages._ui.text import count, number, percent, safe


def work_out() -> None:
    """Have everything at hand, so that the whole summary changes at once."""
    with suppress(CompositionError):
        if not runs.is_remembered(runs.release_key()):
            with widgets.working("Forming the classes of my release", st.sidebar) as progress:
                runs.my_release(progress)
        runs.most_colluding()
        runs.headline_so_far()


def show(place: Any) -> list[Any]:
    """Data, policy, measured guarantee, exposure and loss, each with its direction.

    Return the elements that :func:`refresh` overwrites. A place that was emptied first would be seen empty.
    """
    here = state.workspace()
    with place:
        st.markdown(f"**{safe(here.name, 40)}**, {count(len(here.table))} records")
        try:
            _guarantee()
            return _exposure()
        except CompositionError as error:
            st.caption(f":material/block: {safe(error.message, 300)}")
            return []


def refresh(shown: list[Any]) -> None:
    """Overwrite the exposure when more redraws have made it firmer."""
    for element, share in zip(shown, _exposed() if shown else (), strict=True):
        element.markdown(f"**{percent(share)}**", width="content")


def _row(label: str, value: str, direction: str) -> Any:
    with st.container(horizontal=True, horizontal_alignment="distribute", gap="xsmall"):
        st.caption(label, help=direction, width="content")
        return st.markdown(f"**{value}**", width="content")


def _guarantee() -> None:
    mine = runs.my_release()
    found, policy = mine.guarantee, mine.release.policy
    _row("People per class (k)", count(found.k), f"Measured in the published table. Asked: {policy.k}. More is safer.")
    asked = "not asked" if policy.l is None else f"asked: {policy.l:g}, {policy.diversity}"
    wanted = found.entropy_l if policy.diversity == "entropy" else found.distinct_l
    words = "entropy l" if policy.diversity == "entropy" else "distinct l"
    _row(f"Values per class ({words})", number(wanted, 2 if policy.diversity == "entropy" else 0),
         f"l was {asked}. More is safer.")  # fmt: skip
    asked = "not asked" if policy.t is None else f"asked: at most {policy.t:g}"
    _row("Distance to the table (t)", number(found.t), f"t was {asked}; {found.distance} distance. Less is safer.")
    colluding = runs.most_colluding()
    if colluding is not None:
        _row("Colluding providers (m)", count(colluding) if colluding >= 0 else "none",
             f"Any so many providers may collude and the release still meets k and l. Asked: {policy.m}. More is "
             "safer.")  # fmt: skip
    _row("Information loss", percent(gcp(mine.release)), "How much detail the release gives up. Less is more useful.")


def _exposure() -> list[Any]:
    scenario = state.scenario()
    perfect, chosen = _exposed()
    people = f"{count(scenario.overlap)} shared people, {len(scenario.hospitals)} hospitals"
    return [
        _row("One diagnosis left", percent(perfect), f"Perfect breach of {people}. Less is safer."),
        _row(f"Exposed at C = {100 * scenario.confidence:.0f} %", percent(chosen),
             f"Share of {people} with few enough values left. Less is safer."),
    ]  # fmt: skip


def _exposed() -> tuple[float, float]:
    table = runs.headline_so_far().set_index("confidence")["share"]
    return float(table.loc[1.0]), float(table.loc[state.scenario().confidence])

"""Effect of a setting on people: the share exposed, one sentence, and the assumed world."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.base.rates import candidate_limit
from core.base.wording import SAME, level_text, of_hundred
from core.decision.scenario.world import not_rare
from core.figures.exposure_charts import meanings
from core.study.redraw_numbers import JOINT, PART
from pages.shared.compute import attack_results, data_results
from pages.shared.state import session
from pages.shared.ui import value_words
from pages.shared.ui.text import count, headcount, interval, percent, safe

_SHOWN = "attack:shown"


def show(row: pd.Series[Any]) -> None:
    """Number of shared people exposed, the number before the last move, and the assumed world.

    ``row`` is the present setting at the chosen confidence.
    """
    confidence, before = session.scenario().confidence, _before(float(row["share"] * row["n"]))
    moved = "" if before is None else f" Before this move: {headcount(before)}."
    span, rare = interval(row["low"], row["high"]), not_rare(session.scenario())
    with st.container(key="answer"):
        with st.container(gap=None):
            st.metric(label(confidence), percent(row["share"]))
            st.markdown(f"{sentence(row)}{moved}")
            st.caption(
                f"{f'95% interval {span}' if span else 'One draw of the hospitals'}, {value_words.world_in_short()}."
                + (f" {rare}" if rare else "")
            )
            _by_column(row)
        st.html(hundred(row))


SIGNS = ("exposed", "hidden", "alone")
"""Classes of the style sheet for a dot that is filled, one that is not, and one with a ring."""


def hundred(row: pd.Series[Any]) -> str:
    """A hundred of the shared people as a picture: those exposed by all releases, and by the best one alone."""
    exposure = float(row["share"]), float(row["single"])
    (exposed, _), (ringed, _) = (of_hundred(share) for share in exposure)
    kinds = [SIGNS[place >= exposed] + " alone" * (place < ringed) for place in range(100)]
    kinds[0] += " trace" * (exposed == 0 < exposure[0])
    most = candidate_limit(float(row["confidence"]))
    legend = "".join(
        f'<li class="{sign}">{words}</li>' for sign, words in zip(SIGNS, meanings(*exposure, most), strict=True)
    )
    dots = "".join(f'<i class="{kind}"></i>' for kind in kinds)
    return f'<div class="hundred"><p>100 of the patients you share</p><div>{dots}</div><ul>{legend}</ul></div>'


def _by_column(row: pd.Series[Any]) -> None:
    """Exposure in each of several sensitive columns, and of their joint value; empty for one column."""
    parts = session.workspace().schema.parts
    if parts:
        each = [f"{safe(name, 40)} {percent(row[f'{PART}{place}'])}" for place, name in enumerate(parts)]
        st.caption(
            f"One value left by column: {', '.join(each)}; of their joint value {percent(row[f'{PART}{JOINT}'])}."
        )


def _before(people: float) -> float | None:
    """People exposed before the last move, of the same table at the same confidence; ``None`` if there was none."""
    scenario = session.scenario()
    key = (scenario.data_id, scenario.confidence)
    setting = (*data_results.data_key(scenario), scenario.study, scenario.seed)
    before, last = st.session_state.get(_SHOWN, (None, None))
    if last is not None and last[1] != setting:
        before = last
    st.session_state[_SHOWN] = (before, (key, setting, people))
    return before[2] if before is not None and before[0] == key else None


def label(confidence: float) -> str:
    """Meaning of a confidence, as the label of a number: "One value left", "At most 4 values left (C = 25%)"."""
    text = level_text(confidence)
    return text[0].upper() + text[1:]


def sentence(row: pd.Series[Any]) -> str:
    """The people exposed, compared with the best single release."""
    exposed, alone = headcount(row["share"] * row["n"]), headcount(row["single"] * row["n"])
    if attack_results.nobody_knows():
        start = f"If they are also in the other release, of {count(row['n'])} patients"
    else:
        start = f"Of {count(row['n'])} patients you share,"
    most = candidate_limit(session.scenario().confidence)
    left = "one value" if most == 1 else f"at most {most} values"
    return (
        f"{start} **{exposed}** would be left with {left} of {value_words.protected()}{true_disclosures(row)}; "
        f"the best single release alone would leave {alone}."
    )


def true_disclosures(row: pd.Series[Any]) -> str:
    """Number of true disclosures among those exposed, if there are false ones."""
    return f", {headcount(row['right'] * row['n'])} true disclosures" if row["wrong"] > SAME else ""

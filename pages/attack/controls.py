"""Controls of the attack: four at first, and all other assumptions behind one line."""

from __future__ import annotations

import streamlit as st

from core.base.rates import candidate_limit
from core.base.wording import several
from core.privacy.model import further_models
from core.privacy.parameters import sign
from core.release.algorithm import ALGORITHMS, algorithm_title
from pages.attack import axes, computed
from pages.shared.compute import attack_results, data_results
from pages.shared.state import algorithm_choice, session
from pages.shared.state.algorithm_choice import offered
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import count, percent

PLACE = "attack"


def show() -> None:
    """The rail of the page."""
    widgets.k_slider("my_k", PLACE)
    with errors.refusing():
        widgets.slider("overlap", PLACE, *attack_results.overlap_range())
    widgets.slider("releases", PLACE)
    _exposed_means()
    widgets.more_assumptions(PLACE, _more)
    st.caption(f"Also assumed: {in_words()}.{_theirs_differ()}")


MOST_LEFT = 20
"""Most values left for a person who counts as exposed; the confidence C can be typed under *More assumptions*."""


def _exposed_means() -> None:
    """Ask for the confidence C as 1/N: how many values may be left for a person who is exposed."""
    most = candidate_limit(float(session.get("confidence")))
    words, bounds = "Count as exposed when at most N values remain", {"min_value": 1, "max_value": max(MOST_LEFT, most)}
    widgets.showing(st.number_input, words, f"widget:{PLACE}:left", most, _take_left, help=EXPOSED, **bounds)


EXPOSED = "The papers' confidence C is 1 divided by this number; *More assumptions* takes any other C."


def _take_left(left: int) -> None:
    session.put("confidence", 1 / left)


def in_words() -> str:
    """Summary of *More assumptions* in one line."""
    scenario = session.scenario()
    mine, others = scenario.mine, scenario.hospitals[1:]
    drawn = any(other.is_drawn for other in others)
    parts = ["the same k everywhere" if session.get("linked") else f"k = {count(session.get('their_k'))} elsewhere"]
    parts = parts * any(other.is_drawn and other.has_policy for other in others)
    signs = [sign(model, mine.policy.values) for model in further_models() if session.is_asked(model)]
    parts += signs or ["no diversity or closeness"]
    if drawn:
        same = float(session.get("same_value_rate"))
        parts.append(f"the same diagnosis {'everywhere' if same == 1 else f'for {percent(same)} of shared people'}")
    if any(other.upload is not None for other in others):
        parts.append("uploaded files as they are")
    if any(other.counts is not None for other in others):
        parts.append("tables of counts")
    many = len(scenario.schema.unmodified)
    as_they_are = "it is" if many == 1 else "they are"
    parts += [f"also linked by {several(many, 'column')} published as {as_they_are}"] * (many > 0)
    parts.append(f"my classes formed {ALGORITHMS[mine.algorithm].by.split(' (')[0]}")
    return "; ".join(parts)


def _theirs_differ() -> str:
    """Algorithm of the others, if it is assumed and differs from mine; else ""."""
    scenario = session.scenario()
    drawn = dict.fromkeys(
        _short(other.algorithm) for other in scenario.hospitals[1:] if other.is_drawn and other.has_policy
    )
    if not drawn or list(drawn) == [_short(scenario.mine.algorithm)]:
        return ""
    return f" The others are assumed to use {' and '.join(drawn)}; *More assumptions* changes that."


def _short(algorithm: str) -> str:
    """The name of an algorithm inside a sentence, without its brackets."""
    return ALGORITHMS[algorithm].phrase.split(" (")[0]


def _more() -> None:
    widgets.slider("confidence", PLACE)
    _mine()
    if ALGORITHMS[str(session.get("my_algorithm"))].finer:
        st.caption(
            ":material/info: At the same k its classes are finer than Mondrian's, and finer classes reveal more. "
            "Compare ways "
            "to form classes at the same exposure: *Decide*."
        )
    widgets.pick("their_algorithm", PLACE, algorithm_choice.offered_to_others(), algorithm_title)


def _mine() -> None:
    """Additional requirements for the releases, and the algorithm of mine."""
    if not widgets.toggle("linked", PLACE):
        widgets.k_slider("their_k", PLACE)
    widgets.models(PLACE, *axes.sensitive_facts())
    widgets.slider("same_value_rate", PLACE)
    if any(other.origin == "resampled" for other in session.hospitals()[1:]):
        widgets.slider("case_mix", PLACE)
        if (fitted := computed.between_units()) is not None:
            st.caption(f"The units of my table ({fitted[0]}) differ from each other by {fitted[1]:.2g} on average.")
    widgets.pick("my_algorithm", PLACE, offered(data_results.encoded()), algorithm_title)

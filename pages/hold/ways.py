"""An agreement: its effect if all publishers or only I keep it, and how to make it my release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core import CompositionError, Scenario
from core.base.arrays import Progress
from core.base.errors import ParameterError
from core.release.utility import gcp
from core.study.remedies import agreed as agreed_study
from pages.shared.compute import attack_results, cache, data_results, release_results
from pages.shared.state import session
from pages.shared.ui import agreements
from pages.shared.ui.rows import row_at

_ASKED = "hold:agreement:asked"
NOW, AGREED, ALONE = "as set now", "Agreement, kept by all", "Agreement, kept only by me"


@dataclass(frozen=True, eq=False)
class Way:
    """A way to publish: its scenario, or the reason why it is impossible; neither while there is no agreement."""

    name: str
    scenario: Scenario | None = None
    refused: CompositionError | None = None


def way(name: str) -> Way:
    """The present setting under the agreement, kept by all hospitals or only by mine."""
    scenario, agreement = session.scenario(), agreements.ready()
    if agreement is None:
        return Way(name)
    try:
        agreement.check_origin(session.workspace().content_id)
        schema = scenario.schema.with_(agreement=agreement)
        data_results.encoded_as(schema)  # refuses a table that does not fit
    except CompositionError as error:
        return Way(name, refused=error)
    return Way(name, scenario.with_(schema=schema, hospitals=agreed_study(scenario.study, name == ALONE).hospitals))


def is_mine(way: Way) -> bool:
    """Whether a way is the present setting."""
    scenario = session.scenario()
    return way.scenario is not None and (way.scenario.schema, way.scenario.hospitals) == (
        scenario.schema,
        scenario.hospitals,
    )


def take(name: str) -> None:
    """Make a way my release: the scenario of the session becomes that of the way."""
    wanted = way(name).scenario
    if wanted is not None:
        if wanted.schema != session.workspace().schema:
            session.change_schema(wanted.schema)
        session.adopt(wanted)


def worked_out(scenario: Scenario, progress: Progress | None = None, repeats: int = 1) -> dict[str, Any]:
    """Loss and exposure of a scenario, from one draw of the hospitals or more."""
    row = row_at(attack_results.headline(progress, repeats, scenario), "confidence", scenario.confidence)
    release = release_results.my_release(progress, scenario).release
    return {"loss": gcp(release), "kept": release.encoded.records - release.classes.suppressed, **row}


def ask() -> None:
    """Ask for the effect of the agreement, which the page then computes with every other setting."""
    agreement = agreements.ready()
    st.session_state[_ASKED] = "" if agreement is None else agreement.digest


def is_asked() -> bool:
    """Whether the effect of the present agreement was asked for."""
    agreement = agreements.ready()
    return agreement is not None and st.session_state.get(_ASKED) == agreement.digest


def is_known(way: Way, repeats: int = 1) -> bool:
    """Whether a way was computed from ``repeats`` draws."""
    return way.scenario is not None and cache.is_cached(attack_results.headline_key(way.scenario, repeats))


def is_possible(way: Way) -> bool:
    """Whether a way was asked for and can be computed, as far as is known."""
    return is_asked() and way.scenario is not None and not cache.is_cached(_refused_key(way.scenario))


def try_out(way: Way, repeats: int, progress: Progress) -> None:
    """Compute a possible way from ``repeats`` draws; a refusal is cached, too."""
    assert way.scenario is not None
    try:
        worked_out(way.scenario, progress, repeats)
    except ParameterError:
        cache.cached(_refused_key(way.scenario), lambda: True)


def _refused_key(scenario: Scenario) -> tuple[Any, ...]:
    return ("way refused", *attack_results.headline_key(scenario, 1))

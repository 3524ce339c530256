"""An agreed list: its effect if all publishers or only I follow it, and how to make it my release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core import CompositionError, Scenario
from core.base.arrays import Progress
from core.base.errors import ParameterError
from core.decision.scenario.world import least_left, not_rare
from core.release.utility import gcp
from core.study.remedies import agreed as agreed_study
from pages.shared.compute import attack_results, cache, data_results, release_results
from pages.shared.state import session
from pages.shared.ui import agreed_list, errors, widgets
from pages.shared.ui.rows import row_at
from pages.shared.ui.text import count, percent

NOW, AGREED, ALONE = "as set now", "Agreed list, kept by all", "Agreed list, kept only by me"
TERMS = {
    NOW: ("Nothing.", "Every additional hospital leaves fewer values."),
    AGREED: (
        "The list, and that every class of every release holds whole buckets of it.",
        "How likely each remaining value is; who is in the table; everything, once any release breaks the list.",
    ),
    ALONE: (
        "Nothing: the others publish as they do now.",
        "The classes of the others are not whole buckets, so nothing is promised.",
    ),
}
"""What all publishers must agree on, and what stays open."""


@dataclass(frozen=True, eq=False)
class Way:
    """A way to publish: its scenario, or the reason why it is impossible; neither while no list is loaded."""

    name: str
    scenario: Scenario | None = None
    refused: CompositionError | None = None


def way(name: str) -> Way:
    """The present setting under the chosen agreed list, used by all hospitals or only by mine."""
    scenario = session.scenario()
    try:
        buckets = agreed_list.chosen(data_results.encoded())
        if buckets is None:
            return Way(name)
        schema = scenario.schema.with_(agreed=buckets)
        data_results.encoded_as(schema)  # refuses a list that lacks a value of the table
        hospitals = agreed_study(scenario.study, buckets.least, name == ALONE).hospitals
    except CompositionError as error:
        return Way(name, refused=error)
    return Way(name, scenario.with_(schema=schema, hospitals=hospitals))


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


def is_known(way: Way, repeats: int = 1) -> bool:
    """Whether a way was computed from ``repeats`` draws."""
    return way.scenario is not None and cache.is_cached(attack_results.headline_key(way.scenario, repeats))


def is_possible(way: Way) -> bool:
    """Whether a way can be computed, as far as is known."""
    return way.scenario is not None and not cache.is_cached(_refused_key(way.scenario))


def try_out(way: Way, repeats: int, progress: Progress) -> None:
    """Compute a possible way from ``repeats`` draws; a refusal is cached, too."""
    assert way.scenario is not None
    try:
        worked_out(way.scenario, progress, repeats)
    except ParameterError:
        cache.cached(_refused_key(way.scenario), lambda: True)


def _refused_key(scenario: Scenario) -> tuple[Any, ...]:
    return ("way refused", *attack_results.headline_key(scenario, 1))


def show() -> None:
    """Source of the list, and its effect compared with the present setting."""
    data_results.encoded().need_rows("An agreed list")
    session.workspace().schema.need_one_sensitive("An agreed list")
    rail, stage = st.columns([1, 2.6], gap="medium")
    with rail, errors.refusing():
        agreed_list.ask(data_results.encoded())
        _button(way(AGREED))
    with stage, errors.refusing():
        ways = [Way(NOW, session.scenario())]
        ways += [each for each in map(way, (AGREED, ALONE)) if each.scenario is not None and not is_mine(each)]
        with widgets.working("Computing the agreed list") as progress:
            rows = [_row(each, progress) for each in ways]
        st.markdown(_promise())
        st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, alt="Agreed list and present setting")
    st.page_link("pages/noise/page.py", label="Noise instead: Differential privacy", icon=":material/blur_on:")


def _button(listed: Way) -> None:
    """Offer to make the list my release, or say why there is no such button."""
    if listed.refused is not None:
        errors.refuse(listed.refused)
    elif listed.scenario is None:
        st.caption(":material/upload_file: Load a file, or choose another source.")
    elif is_mine(listed):
        st.caption(":material/check: This is my release now.")
    else:
        st.button("Make this my release", key="hold:take:agreed", on_click=take, args=(AGREED,))


def _row(each: Way, progress: Progress) -> dict[str, str]:
    assert each.scenario is not None
    known = worked_out(each.scenario, progress)
    # The present setting may already use the agreed list.
    agree, still_open = TERMS[AGREED if least_left(each.scenario) is not None else each.name]
    return {
        "Way": f"**{each.name}**",
        "Loss": percent(known["loss"]),
        "Records published": count(known["kept"]),
        "Exposed": f"{percent(known['share'])}; best single release {percent(known['single'])}",
        "All publishers must agree on": agree,
        "Still open": still_open,
    }


def _promise() -> str:
    """The guarantee of the list; it does not cover people with nothing left."""
    listed = way(AGREED).scenario
    least = None if listed is None else least_left(listed)
    if listed is None or least is None:
        return ""
    others = listed.hospitals[1:]
    disagree = any(hospital.same_value_rate < 1 or hospital.upload is not None for hospital in others)
    unless = ", unless disagreement between hospitals leaves nothing" * disagree
    return (
        f"If all keep to the list, no one has fewer than **{count(least)}** values left, however many publish{unless}. "
        f"{not_rare(listed)}"
    )

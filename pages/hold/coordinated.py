"""Coordinated releases: make an agreement from public data, and see what it does if all, or only I, keep it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import CompositionError, Table, agree, examples
from core.algorithms.coordinated.making import USUAL_RARE
from core.base.arrays import Progress
from core.base.errors import ParameterError
from core.decision.scenario.world import least_left, not_rare
from pages.hold import ways
from pages.shared.compute import cache, data_results, work_queue
from pages.shared.state import session
from pages.shared.state.deferred import again
from pages.shared.ui import agreements, errors, reading, widgets
from pages.shared.ui.text import count, percent, safe

TAKEN = "hold:agreement:take"
PLACE, STABLE, FILE, TRY, WANTED = "hold", "hold:stable", "hold:public", "hold:agreement:try", "hold:agreement:wanted"
RESIDENTS, SEED = 30_000, 1
"""Another synthetic city, which stands for public data in the built-in example."""
TERMS = {
    ways.NOW: ("Nothing.", "Every additional hospital leaves fewer values."),
    ways.AGREED: (
        "The file, before anyone publishes.",
        "How likely each remaining value is; who is in the table; everything, once someone does not keep the file.",
    ),
    ways.ALONE: (
        "Nothing: the others publish as they do now.",
        "The classes of the others do not keep the file, so nothing is promised.",
    ),
}
"""What all publishers must agree on, and what stays open."""


def show() -> None:
    """What everybody has to agree on, the agreement, and its effect compared with the present setting."""
    encoded = data_results.encoded()
    session.workspace().schema.need_one_sensitive("An agreement")
    encoded.need_one_record("An agreement", "agreement")
    st.markdown(
        "All publishers agree on **one public file** before anyone publishes: lists of sensitive values, in buckets of "
        "at least l, and how each bucket is cut into classes. It is made from public data; no records are exchanged. "
        "Every class that keeps it has all values of one bucket. As long as every publisher keeps the file, everyone "
        "still has at least l possible values, however many publish."
    )
    with errors.refusing():
        _make(encoded.sensitive.taxonomy is not None)
        agreements.ask(PLACE)
    agreement = agreements.ready()
    if agreement is None:
        return
    with errors.refusing():
        agreements.describe(agreement)
        if ways.is_asked():
            _effect()
        else:
            st.button("Try it", key=TRY, type="primary", on_click=ways.ask)


def _make(has_taxonomy: bool) -> None:
    """Ask for public data and settings, and make an agreement of them on a click."""
    schema = session.workspace().schema
    file: Any = st.file_uploader("Public table with the same columns", type=["csv", "tsv", "parquet", "xlsx"], key=FILE)
    if file is None and not session.workspace().example:
        return
    if file is None:
        st.caption(f"Without a file: another synthetic city of {count(RESIDENTS)} people.")
    widgets.slider("hold_least", PLACE)
    stable = st.multiselect(
        "Lists differ by (public and never changing)",
        schema.quasi_identifiers,
        format_func=safe,
        key=STABLE,
        help="Sex or year of birth, for example; never a current age, which changes between releases.",
    )
    level = None
    if has_taxonomy and st.checkbox("Publish values at level 1 of their taxonomy", key="hold:level"):
        level = 1
    st.button("Make an agreement", key="hold:agreement:make", icon=":material/handshake:", on_click=_want)
    if st.session_state.get(WANTED):  # also after a run that a newer one ended
        table = _public(file)
        least, size, k = int(session.get("hold_least")), data_results.encoded().records, session.mine().policy.k
        key = ("agreed", *data_results.data_key(), table.content_id, least, tuple(stable), k, level)
        with widgets.working("Making the agreement") as progress:
            try:
                work = partial(agree, table, schema, least, stable, size, k, USUAL_RARE, level)
                made = cache.cached(key, lambda: work_queue.in_workers([work], progress)[0])
            except CompositionError:
                del st.session_state[WANTED]
                raise
        agreements.keep(made)
        del st.session_state[WANTED]


def _want() -> None:
    st.session_state[WANTED] = True


def _public(file: Any) -> Table:
    if file is None:
        return cache.cached(("public city",), lambda: examples.city(RESIDENTS, seed=SEED))
    table = reading.table(file, lambda: st.session_state.pop(FILE, None))
    if table.content_id == session.workspace().content_id:
        raise ParameterError(
            "This is your own table, and an agreement that depends on the records it protects guarantees nothing; "
            "give public data.",
            parameter="data",
        )
    return table


def _effect() -> None:
    """Loss, exposure and fewest values, as set now, if all keep the agreement, and if only I do."""
    known = [way for way in map(ways.way, (ways.AGREED, ways.ALONE)) if not ways.is_mine(way)]
    refused = next((way.refused for way in known if way.refused is not None), None)
    if refused is not None:
        errors.refuse(refused)
        return
    with widgets.working("Trying the agreement") as progress:
        rows = [_row(way, progress) for way in (ways.Way(ways.NOW, session.scenario()), *known)]
    st.markdown(_promise())
    st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, alt="Agreement and present setting")
    st.caption(
        f"*Exposed*: of {count(session.get('overlap'))} shared people, in one draw of the hospitals, without an "
        "interval. The chart above shows means over all draws."
    )
    if len(known) < 2:
        st.caption(":material/check: This is my release now.")
    else:
        st.button("Make this my release", key="hold:take:agreed", on_click=_want_taken)


def _want_taken() -> None:
    st.session_state[TAKEN] = True


def carry_out() -> None:
    """Make the agreement my release after a click, also after one during a run that another move ended.

    A callback that computes can be ended like any run, and its click would be lost; this one stays until it is done.
    """
    if st.session_state.get(TAKEN):
        try:
            ways.take(ways.AGREED)
        except CompositionError:
            del st.session_state[TAKEN]
            raise
        del st.session_state[TAKEN]
        again()


def _row(way: ways.Way, progress: Progress) -> dict[str, str]:
    assert way.scenario is not None
    known = ways.worked_out(way.scenario, progress)
    least = least_left(way.scenario)
    agree_on, still_open = TERMS[way.name if least is None else ways.AGREED]
    return {
        "Way": f"**{way.name}**",
        "Loss": percent(known["loss"]),
        "Records published": count(known["kept"]),
        "Exposed": f"{percent(known['share'])}; best single release {percent(known['single'])}",
        "Fewest values left": _fewest(int(known["fewest"]), least),
        "All publishers must agree on": agree_on,
        "Still open": still_open,
    }


def _fewest(left: int, promised: int | None) -> str:
    """Fewest values that anyone has left in this draw, and what is promised if that is another number."""
    return count(left) if promised in (None, left) else f"{count(left)}; promised {count(promised or 0)}"


def _promise() -> str:
    """The guarantee of the agreement; it does not cover people with nothing left."""
    kept = ways.way(ways.AGREED).scenario
    least = None if kept is None else least_left(kept)
    if kept is None or least is None:
        return ""
    others = kept.hospitals[1:]
    disagree = any(hospital.same_value_rate < 1 or hospital.upload is not None for hospital in others)
    unless = ", unless disagreement between hospitals leaves nothing" * disagree
    return (
        f"If all keep the agreement, no one has fewer than **{count(least)}** values left, however many "
        f"publish{unless}. {not_rare(kept)}"
    )

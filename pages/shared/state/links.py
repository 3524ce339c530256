"""Settings in the address: an example's name, numbers and fixed words only, never data and no name or value of a table.

They survive a reload, a bookmark and a second tab; a link opens an example with them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core import Schema, Table, examples
from core.base.errors import CompositionError
from core.decision.scenario.requirements import Requirements
from core.privacy.model import NONE, further_models
from core.privacy.parameters import variant_parameter
from core.release.algorithm import for_one_publisher
from pages.shared.state import column_draft, session, workspace
from pages.shared.state.choices import CHOICES, SWITCHES
from pages.shared.state.deferred import once

_SHORT = {
    "my_k": "k",
    "releases": "hospitals",
    "my_algorithm": "algorithm",
    "forecast_reading": "reading",
    "noise_mechanism": "noise",
    "their_models": "theirs",
}
"""Names of choices in a link that differ from the choices' own names."""
_ALGORITHMS = ("my_algorithm", "their_algorithm")
_YES_NO = {"0": False, "1": True}
_SWITCHES = ("their_models", "forecast_same", "pool_drop", "collusion")
CITY = "city"
_DONE, _SAID, _WAITING, _INSTEAD = "links:done", "links:said", "links:waiting", "links:instead"
LIMIT = "limit_"
"""Prefix of a number with a limit."""
_OWN = ("table", "own")
"""Mark of an address whose settings belong to a table that no address can name."""
OPENED = "Opened by a link"
LOST = (
    "The settings in this address were made with a table of your own, or with roles of your own for its columns, and "
    "no address holds a table. Load it again on *Data*: the settings are kept for it. A reload also loses the roles "
    "of columns, files of others, what was set for one hospital alone, and what was written down."
)
WITHOUT_TABLE = ("overview", "method", "data")
"""Pages that do not comment on the table of an address."""


# ---- what a link may say ---------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """A choice that a link can set, and how its text is read: as a number in bounds, or one of these texts."""

    choice: str
    texts: Mapping[str, Any] | None = None

    def read(self, text: str) -> Any:
        """The value of a text; ``None`` if a link may not set it."""
        return _number(self.choice, text) if self.texts is None else self.texts.get(text)

    def text(self, value: Any) -> str | None:
        """The text of a value; ``None`` if a link cannot express it."""
        if self.texts is None:
            return None if value is None else f"{float(value):.10g}"
        return next((text for text, known in self.texts.items() if known == value), None)


def offered() -> dict[str, Setting]:
    """Settings by their names in links."""
    words: dict[str, Sequence[str]] = {name: choice.options for name, choice in CHOICES.items() if choice.options}
    words |= dict.fromkeys(_ALGORITHMS, for_one_publisher())
    switches = list(_SWITCHES)
    for model in further_models():
        by_variant = session.switch_is_variant(model)
        if (parameter := variant_parameter(model)) is not None:
            names = [option.name for option in parameter.options]
            words[parameter.name] = [NONE, *names] if by_variant else names
        if not by_variant:
            switches.append(SWITCHES[model.symbol])
    every = [Setting(name) for name in CHOICES if _is_number(name)]
    every += [Setting(name, {word: word for word in allowed}) for name, allowed in words.items()]
    every += [Setting(name, _YES_NO) for name in switches]
    return {_SHORT.get(setting.choice, setting.choice): setting for setting in every}


def _is_number(name: str) -> bool:
    choice = CHOICES[name]
    bounded = choice.low is not None and choice.high is not None
    return bounded and (choice.start is None or isinstance(choice.start, int | float))


# ---- what a link says ------------------------------------------------------------------------


def settings() -> dict[str, str]:
    """Every setting that differs from its default, by its short name."""
    texts = {}
    for short, setting in offered().items():
        usual = session.get("my_k") if short == "their_k" else CHOICES[setting.choice].start
        text = setting.text(session.get(setting.choice))
        if text is not None and text != setting.text(usual):
            texts[short] = text
    return texts | {f"{LIMIT}{name}": f"{limit:.10g}" for name, limit in session.get("requirements").items()}


def keep() -> None:
    """Write the present settings to the address; call it when the page is drawn."""
    if is_table_absent():
        return
    loaded, query = session.workspace(), settings()
    if not loaded.origin or loaded.first != loaded.schema:
        query = dict([_OWN]) | query
    elif loaded.origin != CITY:
        query = {"example": loaded.origin} | query
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def origin(name: str) -> tuple[Table, Schema, str] | None:
    """Table, schema and title of an example by the name that a link gives it; ``None`` for any other text."""
    if name == CITY:
        return examples.city(), examples.city_schema(), "The synthetic city"
    for example in examples.worked_examples():
        for number, table in enumerate(example.tables):
            if name == workspace.origin_of(example.name, number):
                return table, example.schema, workspace.title_of(example, number)
    return None


def understood(query: Mapping[str, str]) -> tuple[dict[str, Any], int]:
    """Choices that a query sets, and how many of its settings are left out as not understood."""
    read: dict[str, Any] = {}
    limits: dict[str, float] = {}
    by_name = offered()
    for short, text in query.items():
        if short.startswith(LIMIT):
            limits |= _limit(short.removeprefix(LIMIT), text)
        elif short in by_name and (value := by_name[short].read(text)) is not None:
            read[by_name[short].choice] = value
    known = len(read) + len(limits) + ("example" in query) + (query.get(_OWN[0]) == _OWN[1])
    return read | ({"requirements": limits} if limits else {}), len(query) - known


def _limit(name: str, text: str) -> dict[str, float]:
    """A limit, if the number can have one and the value is valid."""
    try:
        return Requirements(**{name: float(text[:40])}).asked
    except (ValueError, CompositionError):
        return {}


def _number(name: str, text: str) -> Any:
    """A number within the bounds of its choice, else ``None``."""
    choice, low = CHOICES[name], 1 if name == "overlap" else CHOICES[name].low
    try:
        value = float(text[:40])
    except ValueError:
        return None
    if low is None or choice.high is None or not math.isfinite(value):
        return None
    if not low <= value <= choice.high or (isinstance(choice.start, int) and value != int(value)):
        return None
    return int(value) if isinstance(choice.start, int) else value


# ---- opening one -----------------------------------------------------------------------------


def open_once() -> None:
    """Load what the address asks for, once in a session."""
    if not st.session_state.get(_DONE, False):
        st.session_state[_DONE] = True
        query = {name: str(value) for name, value in list(st.query_params.to_dict().items())[:80]}
        if query and not workspace.is_own():
            st.session_state[_SAID] = _load(query) if "example" in query else _take(query)
    message = st.session_state[_INSTEAD][1] if is_table_absent() else once(_SAID)
    if message and message.startswith(OPENED):
        # On the page it would push the chart down; settings that a reload loses must stay visible.
        st.toast(message, icon=":material/link:", duration="long")
    elif message:
        st.info(message, icon=":material/link:")


def open_again() -> None:
    """Let the next address be opened like the first one, because a link of the app leads to it."""
    st.session_state[_DONE] = False


def is_table_absent() -> bool:
    """Whether the address belongs to a table that is not loaded, with no other loaded since."""
    return _INSTEAD in st.session_state and st.session_state[_INSTEAD][0] is session.workspace()


def ask_for_table() -> None:
    """Link to where the address's table can be loaded, instead of showing numbers of another."""
    st.page_link("pages/data/page.py", label="Load the table on Data", icon=":material/table:")
    st.button("Go on with the synthetic city", icon=":material/location_city:", key="links:city", on_click=_go_on)


def _go_on() -> None:
    del st.session_state[_INSTEAD]


def _instead(message: str) -> str:
    """Show only this message until a table is loaded."""
    st.session_state[_INSTEAD] = (session.workspace(), message)
    return ""


def _load(query: Mapping[str, str]) -> str:
    loaded = origin(query["example"])
    if loaded is None:
        return _instead("This program has no worked example of the link's name. Load a table on *Data*.")
    table, schema, name = loaded
    if (session.workspace().origin, session.workspace().schema) != (query["example"], schema):
        session.load(table, schema, name, example=query["example"] == CITY, origin=query["example"])
        column_draft.start_over()
    session.put("linked", False)
    for setting in offered().values():
        if setting.choice != "overlap":
            session.put(setting.choice, CHOICES[setting.choice].start)
    return f"{OPENED}: {name}.{_set(query)}"


def _take(query: Mapping[str, str]) -> str:
    """Apply the settings of an address to the table in use, and keep them for the one that they belong to."""
    message = _set(query).strip()
    if query.get(_OWN[0]) == _OWN[1]:
        st.session_state[_WAITING] = query
        return _instead(LOST)
    return message


def forget() -> None:
    """Drop the settings of the address with everything else."""
    st.session_state[_DONE] = True
    st.query_params.clear()


def take_up() -> None:
    """Apply the settings that waited for the user's own table, now that it is loaded."""
    query = st.session_state.pop(_WAITING, None)
    if query is not None:
        _set(query)


def _set(query: Mapping[str, str]) -> str:
    """Set the choices of a query; report the settings that could not be applied."""
    choices, left_out = understood(query)
    if {"my_k", "their_k"} & choices.keys():
        choices.setdefault("their_k", choices.get("my_k", session.get("my_k")))
        session.put("linked", False)
    for choice, value in choices.items():
        session.put(choice, value)
    session.put("linked", session.get("my_k") == session.get("their_k"))
    before = {name: session.get(name) for name in choices}
    session.fit()
    message = ""
    if left_out:
        message += f" {left_out} of its settings could not be read and keep their default."
    if any(session.get(name) != value for name, value in before.items()):
        message += " Some of its settings were adjusted to the bounds of this table."
    return message

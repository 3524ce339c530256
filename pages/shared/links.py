"""A link that opens a worked example or a city with its settings: an example's name, numbers and fixed words only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from core import Schema, Table, examples
from core.anonymize import ONE_PUBLISHER
from core.asked import MECHANISMS, READINGS
from core.hospitals import LOCATE
from core.policy import DISTANCES
from pages._ui import data_source, state
from pages._ui.widgets import DIVERSITY_WORDS

NUMBERS = {
    "k": "my_k", "their_k": "their_k", "l": "l", "c": "c", "t": "t", "overlap": "overlap", "hospitals": "releases",
    "agreement": "agreement", "confidence": "confidence", "seed": "seed", "repeats": "repeats",
    "category": "category_level", "forecast_l": "forecast_l", "forecast_c": "forecast_c",
}  # fmt: skip
"""Numbers by the names that a link gives them; their bounds are those of the choices."""
WORDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "diversity": ("diversity", tuple(DIVERSITY_WORDS)),
    "distance": ("distance", tuple(DISTANCES)),
    "algorithm": ("my_algorithm", tuple(ONE_PUBLISHER)),
    "their_algorithm": ("their_algorithm", tuple(ONE_PUBLISHER)),
    "locate": ("locate", tuple(LOCATE)),
    "reading": ("forecast_reading", tuple(READINGS)),
    "noise": ("noise_mechanism", tuple(MECHANISMS)),
}
"""Fixed words by the names that a link gives them."""
SWITCHES = {"closeness": "closeness", "theirs": "their_models"}
CITY = "city"
PAGE = "attack"
_DONE, _SAID = "links:done", "links:said"


# ---- what a link says ------------------------------------------------------------------------


def of_session() -> str:
    """The query of a link to the present example and settings; empty where the data is nobody's example."""
    here = state.workspace()
    if schema_of(here.origin) != here.schema:
        return ""
    given = {"example": here.origin}
    given |= {short: f"{float(state.get(name)):g}" for short, name in NUMBERS.items()}
    given |= {short: str(state.get(name)) for short, (name, allowed) in WORDS.items() if state.get(name) in allowed}
    given |= {short: str(int(state.get(name))) for short, name in SWITCHES.items()}
    starts = {short: f"{float(state.CHOICES[name].start):g}" for short, name in NUMBERS.items()}
    starts |= {short: state.CHOICES[name].start for short, (name, _) in WORDS.items()}
    starts |= {short: str(int(state.CHOICES[name].start)) for short, name in SWITCHES.items()}
    starts["their_k"] = given["k"]
    return urlencode({name: value for name, value in given.items() if value != starts.get(name)})


def schema_of(name: str) -> Schema | None:
    """Roles and kinds of an example by the name that a link gives it."""
    if name == CITY:
        return examples.city_schema()
    for example in examples.worked_examples():
        if name in [data_source.origin_of(example.name, number) for number in range(len(example.tables))]:
            return example.schema
    return None


def origin(name: str) -> tuple[Table, Schema, str] | None:
    """Table, schema and title of an example by the name that a link gives it; ``None`` for any other text."""
    if name == CITY:
        return examples.city(), examples.city_schema(), "The synthetic city"
    for example in examples.worked_examples():
        for number, table in enumerate(example.tables):
            if name == data_source.origin_of(example.name, number):
                return table, example.schema, data_source.title_of(example, number)
    return None


def understood(query: Mapping[str, str]) -> tuple[dict[str, Any], int]:
    """Choices that a query sets, and how many of its settings are left out as not understood."""
    found: dict[str, Any] = {}
    for short, text in query.items():
        if short in NUMBERS:
            value = _number(NUMBERS[short], text)
            if value is not None:
                found[NUMBERS[short]] = value
        elif short in WORDS and text in WORDS[short][1]:
            found[WORDS[short][0]] = text
        elif short in SWITCHES and text in ("0", "1"):
            found[SWITCHES[short]] = text == "1"
    return found, len(query) - len(found) - ("example" in query)


def _number(name: str, text: str) -> Any:
    """A number within the bounds of its choice, else ``None``."""
    choice, low = state.CHOICES[name], 1 if name == "overlap" else state.CHOICES[name].low
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
    """Load what the address asks for, once in a session, and clear the address."""
    if "example" in st.query_params:
        query = {name: str(value) for name, value in list(st.query_params.to_dict().items())[:40]}
        st.query_params.clear()
        if not st.session_state.get(_DONE, False) and not data_source.is_own():
            st.session_state[_DONE] = True
            st.session_state[_SAID] = _load(query)
    said = st.session_state.pop(_SAID, None)
    if said:
        st.info(said, icon=":material/link:")


def _load(query: Mapping[str, str]) -> str:
    found = origin(query["example"])
    if found is None:
        return "The link names no worked example of this program; nothing was loaded."
    table, schema, name = found
    choices, left_out = understood(query)
    state.load(table, schema, name, example=query["example"] == CITY, origin=query["example"])
    data_source.loaded(schema)
    my_k = choices.get("my_k", state.CHOICES["my_k"].start)
    choices.setdefault("their_k", my_k)
    state.put("linked", False)
    for choice in (*NUMBERS.values(), *(name for name, _ in WORDS.values()), *SWITCHES.values()):
        if choice in choices or choice != "overlap":
            state.put(choice, choices.get(choice, state.CHOICES[choice].start))
    state.put("linked", state.get("my_k") == state.get("their_k"))
    before = {name: state.get(name) for name in choices}
    state.fit()
    fitted = any(state.get(name) != value for name, value in before.items())
    said = f"Opened by a link: {name}."
    if left_out:
        said += f" {left_out} of its settings could not be understood and stay as usual."
    if fitted:
        said += " Some of its settings were brought within what this table allows."
    return said


# ---- making one ------------------------------------------------------------------------------


def show() -> None:
    """The link to the present example, to be copied; nothing where the data is the user's own."""
    query = of_session()
    if not query:
        return
    st.subheader("Link to this example", anchor=False)
    st.code(f"{_base()}?{query}", language=None, wrap_lines=True)
    st.caption(
        "Whoever opens it, on a computer where this program runs at the same address, sees this example with these "
        "settings. A link holds numbers and fixed words only, and there is none once you load a table of your own."
    )
    if state.get("own"):
        st.caption(":material/info: What is set for one of the other hospitals alone is not part of a link.")


def _base() -> str:
    """Address of the page that a link opens; only its path where the session does not know its own."""
    parts = urlsplit(st.context.url or "")
    if not parts.netloc:
        return f"/{PAGE}"
    return f"{parts.scheme}://{parts.netloc}{parts.path.rpartition('/')[0]}/{PAGE}"

"""A link that opens a worked example or a city with its settings: an example's name, numbers and fixed words only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from core import Schema, Table, examples
from core.privacy.model import NONE, switched
from core.release.algorithm import for_one_publisher
from core.scenario.questions import MECHANISMS, READINGS
from core.study.hospitals import LOCATE
from pages.shared import session, workspace

_NUMBERS = {
    "k": "my_k",
    "their_k": "their_k",
    "overlap": "overlap",
    "hospitals": "releases",
    "agreement": "agreement",
    "confidence": "confidence",
    "seed": "seed",
    "repeats": "repeats",
    "category": "category_level",
    "forecast_l": "forecast_l",
    "forecast_c": "forecast_c",
}
_WORDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "algorithm": ("my_algorithm", for_one_publisher()),
    "their_algorithm": ("their_algorithm", for_one_publisher()),
    "locate": ("locate", tuple(LOCATE)),
    "reading": ("forecast_reading", tuple(READINGS)),
    "noise": ("noise_mechanism", tuple(MECHANISMS)),
}
CITY = "city"
PAGE = "attack"
_DONE, _SAID = "links:done", "links:said"


# ---- what a link may say ---------------------------------------------------------------------


def numbers() -> dict[str, str]:
    """Numbers by the names that a link gives them; their bounds are those of the choices."""
    every = [one.name for model in switched() for one in model.parameters if not one.options]
    return _NUMBERS | {name: name for name in every}


def fixed_words() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Fixed words by the names that a link gives them."""
    found = dict(_WORDS)
    for model in switched():
        assert model.switch is not None
        if model.kind is not None:
            names = tuple(option.name for option in model.kind.options)
            found[model.kind.name] = (model.kind.name, (NONE, *names) if model.switch.off else names)
    return found


def switches() -> dict[str, str]:
    """Yes or no by the names that a link gives them."""
    every = [model.switch.name for model in switched() if model.switch is not None and not model.switch.off]
    return {"theirs": "their_models"} | {name: name for name in every}


# ---- what a link says ------------------------------------------------------------------------


def of_session() -> str:
    """The query of a link to the present example and settings; empty where the data is nobody's example."""
    here = session.workspace()
    if schema_of(here.origin) != here.schema:
        return ""
    given = {"example": here.origin}
    given |= {short: f"{float(session.get(name)):g}" for short, name in numbers().items()}
    given |= {
        short: str(session.get(name))
        for short, (name, allowed) in fixed_words().items()
        if session.get(name) in allowed
    }
    given |= {short: str(int(session.get(name))) for short, name in switches().items()}
    starts = {short: f"{float(session.CHOICES[name].start):g}" for short, name in numbers().items()}
    starts |= {short: session.CHOICES[name].start for short, (name, _) in fixed_words().items()}
    starts |= {short: str(int(session.CHOICES[name].start)) for short, name in switches().items()}
    starts["their_k"] = given["k"]
    return urlencode({name: value for name, value in given.items() if value != starts.get(name)})


def schema_of(name: str) -> Schema | None:
    """Roles and kinds of an example by the name that a link gives it."""
    if name == CITY:
        return examples.city_schema()
    for example in examples.worked_examples():
        if name in [workspace.origin_of(example.name, number) for number in range(len(example.tables))]:
            return example.schema
    return None


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
    found: dict[str, Any] = {}
    for short, text in query.items():
        if short in numbers():
            value = _number(numbers()[short], text)
            if value is not None:
                found[numbers()[short]] = value
        elif short in fixed_words() and text in fixed_words()[short][1]:
            found[fixed_words()[short][0]] = text
        elif short in switches() and text in ("0", "1"):
            found[switches()[short]] = text == "1"
    return found, len(query) - len(found) - ("example" in query)


def _number(name: str, text: str) -> Any:
    """A number within the bounds of its choice, else ``None``."""
    choice, low = session.CHOICES[name], 1 if name == "overlap" else session.CHOICES[name].low
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
        if not st.session_state.get(_DONE, False) and not workspace.is_own():
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
    session.load(table, schema, name, example=query["example"] == CITY, origin=query["example"])
    workspace.loaded(schema)
    my_k = choices.get("my_k", session.CHOICES["my_k"].start)
    choices.setdefault("their_k", my_k)
    session.put("linked", False)
    for choice in (*numbers().values(), *(name for name, _ in fixed_words().values()), *switches().values()):
        if choice in choices or choice != "overlap":
            session.put(choice, choices.get(choice, session.CHOICES[choice].start))
    session.put("linked", session.get("my_k") == session.get("their_k"))
    before = {name: session.get(name) for name in choices}
    session.fit()
    fitted = any(session.get(name) != value for name, value in before.items())
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
    if session.get("own"):
        st.caption(":material/info: What is set for one of the other hospitals alone is not part of a link.")


def _base() -> str:
    """Address of the page that a link opens; only its path where the session does not know its own."""
    parts = urlsplit(st.context.url or "")
    if not parts.netloc:
        return f"/{PAGE}"
    return f"{parts.scheme}://{parts.netloc}{parts.path.rpartition('/')[0]}/{PAGE}"

"""What is promised and of which table: epsilon, delta, noise, number of releases, the prior, the columns."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core import CompositionError, dp
from pages.noise import domains, numbers
from pages.shared import errors, noise_grid, results, session, widgets
from pages.shared.text import count, plain

PLACE = "noise"
MECHANISM_WORDS = {"laplace": "Laplace (ε)", "gaussian": "Gaussian (ε, δ)"}
PRIOR_WORDS = {dp.BASE_RATES: "Values as common as in my table", dp.UNIFORM: "All values equally likely"}
_REFUSED = "noise:refused:"
_FIELD = "noise:field:"


def show() -> None:
    """What is promised, and against whom: the rail of the page."""
    _epsilon()
    widgets.pick("noise_mechanism", PLACE, list(MECHANISM_WORDS), MECHANISM_WORDS.__getitem__)
    if session.get("noise_mechanism") == "gaussian" or numbers.open_columns():
        _delta()
    widgets.slider("releases", PLACE)
    widgets.pick("noise_prior", PLACE, list(PRIOR_WORDS), PRIOR_WORDS.__getitem__)


def columns() -> None:
    """Columns and domains of the noisy table, in one box."""
    with st.container(border=True):
        _grid()
        st.caption(
            f"The promise holds between tables that differ in {dp.RELATION}: one cell loses a record, another gains "
            f"one."
        )


def _typed(name: str, key: str, what: str, check: Callable[[float], float], default: float | None) -> None:
    """Take a typed number; one that is refused leaves the choice as it was and is answered by a sentence."""
    text = st.session_state[key]
    st.session_state.pop(_REFUSED + name, None)
    try:
        value = None if not text.strip() and default is not None else check(dp.read_number(text, what))
    except CompositionError as error:
        st.session_state[_REFUSED + name] = error
        return
    session.put(name, value)


def _text_key(name: str, text: str) -> str:
    """Key of the field where a number is typed: what was refused stays in it."""
    refused, field = st.session_state.get(_REFUSED + name), _FIELD + name
    if refused is None or st.session_state.get(field) not in st.session_state:
        st.session_state[field] = widgets.key_showing(f"widget:{PLACE}:{name}:exact", text)
    key: str = st.session_state[field]
    return key


def _slid(key: str) -> None:
    st.session_state.pop(_REFUSED + "noise_epsilon", None)
    session.put("noise_epsilon", float(st.session_state[key]))


def _epsilon() -> None:
    """Epsilon as text and on a logarithmic slider, both showing one choice."""
    choice, value = session.CHOICES["noise_epsilon"], float(session.get("noise_epsilon"))
    options = sorted({*noise_grid.STOPS, value})
    refused = st.session_state.get(_REFUSED + "noise_epsilon")
    slide = widgets.key_showing(f"widget:{PLACE}:noise_epsilon:slide", value)
    exact = _text_key("noise_epsilon", f"{value:g}")
    with st.container(gap="xxsmall"):
        st.markdown(choice.label, help=choice.help)
        left, right = st.columns([2.1, 1], vertical_alignment="center", gap="small")
        left.select_slider(
            choice.label,
            options,
            key=slide,
            format_func=lambda e: f"{e:g}",
            label_visibility="collapsed",
            on_change=_slid,
            args=(slide,),
        )
        right.text_input(
            "Epsilon, exact",
            key=exact,
            label_visibility="collapsed",
            max_chars=30,
            on_change=_typed,
            args=("noise_epsilon", exact, "epsilon", dp.check_epsilon, None),
        )
    if refused is not None:
        errors.refuse(refused)
        st.caption(f"ε = {value:g} is still in use.")


def _delta() -> None:
    """Delta as text, judged in degrees."""
    choice, records = session.CHOICES["noise_delta"], numbers.records()
    refused = st.session_state.get(_REFUSED + "noise_delta")
    key = _text_key("noise_delta", f"{numbers.delta():.3g}")
    st.text_input(
        choice.label,
        key=key,
        help=choice.help,
        max_chars=30,
        on_change=_typed,
        args=("noise_delta", key, "delta", dp.check_delta, dp.default_delta(records)),
    )
    if refused is not None:
        errors.refuse(refused)
        st.caption(f"δ = {numbers.delta():.3g} is still in use.")
    degree = dp.delta_degree(numbers.delta(), records)
    if degree == 2:
        st.error(
            f"δ is at least 1 in {count(records)}, the number of records: publishing one person's whole record, drawn "
            "at random, would keep this promise.",
            icon=":material/warning:",
        )
    elif degree == 1:
        st.warning(
            f"δ is at least 1 over the square of the {count(records)} records: the bound of Theorem 16 then excludes "
            "nothing.",
            icon=":material/warning:",
        )


def _grid() -> None:
    """Columns of the noisy table, and the domain of each."""
    names = [domain.name for domain in results.encoded().qids]
    picked = list(numbers.columns())
    key = widgets.key_showing(f"widget:{PLACE}:noise_columns:{results.encoded().sensitive.name}", picked)

    choice = session.CHOICES["noise_columns"]
    st.multiselect(
        choice.label,
        names,
        key=key,
        format_func=lambda name: plain(name, 40),
        on_change=_choose,
        args=(key,),
        help=choice.help,
        wrap=True,
    )
    domains.show()
    size = numbers.cells()
    whose = "records" if results.encoded().person is None else "persons, each with the first of their records"
    st.caption(f"{count(size)} cells, for {count(numbers.records())} {whose}.")
    if size > numbers.FEW_CELLS and size <= dp.MAX_CELLS:
        st.caption(":material/info: So many cells take a moment to draw anew.")


def _choose(key: str) -> None:
    chosen = set(st.session_state[key])
    session.put("noise_columns", tuple(domain.name for domain in results.encoded().qids if domain.name in chosen))

"""What is promised and of which table: epsilon, delta, noise, number of releases, the grid."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core import CompositionError, dp
from core.schema import Kind
from pages._ui import errors, noise_runs, runs, state, widgets
from pages._ui.text import count, plain, safe

PLACE = "noise"
MECHANISM_WORDS = {"laplace": "Laplace (ε)", "gaussian": "Gaussian (ε, δ)"}
PRIOR_WORDS = {"uniform": "All values equally likely", "overall": "Values as common as in my table"}
STOPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0)
_REFUSED = "noise:refused:"
_FIELD = "noise:field:"


def show() -> None:
    """All choices, in one box."""
    with st.container(border=True):
        with st.grid(4, min_column_width=180, gap=("xsmall", "medium")) as grid:
            with grid.cell():
                _epsilon()
            with grid.cell():
                widgets.pick("noise_mechanism", PLACE, list(MECHANISM_WORDS), MECHANISM_WORDS.__getitem__)
                if state.get("noise_mechanism") == "gaussian":
                    _delta()
            with grid.cell():
                widgets.slider("releases", PLACE)
            with grid.cell():
                widgets.pick("noise_prior", PLACE, list(PRIOR_WORDS), PRIOR_WORDS.__getitem__)
        _grid()
        st.caption(f"Promised between tables that differ in {dp.RELATION}: one cell loses a record, another gains one.")


def _typed(name: str, key: str, what: str, check: Callable[[float], float], default: float | None) -> None:
    """Take a typed number; one that is refused leaves the choice as it was and is answered by a sentence."""
    text = st.session_state[key]
    st.session_state.pop(_REFUSED + name, None)
    try:
        value = None if not text.strip() and default is not None else check(dp.read_number(text, what))
    except CompositionError as error:
        st.session_state[_REFUSED + name] = error
        return
    state.put(name, value)


def _text_key(name: str, text: str) -> str:
    """Key of the field where a number is typed: what was refused stays in it."""
    refused, field = st.session_state.get(_REFUSED + name), _FIELD + name
    if refused is None or st.session_state.get(field) not in st.session_state:
        st.session_state[field] = widgets.key_showing(f"widget:{PLACE}:{name}:exact", text)
    key: str = st.session_state[field]
    return key


def _slid(key: str) -> None:
    st.session_state.pop(_REFUSED + "noise_epsilon", None)
    state.put("noise_epsilon", float(st.session_state[key]))


def _epsilon() -> None:
    """Epsilon as text and on a logarithmic slider, both showing one choice."""
    choice, value = state.CHOICES["noise_epsilon"], float(state.get("noise_epsilon"))
    options = sorted({*STOPS, value})
    refused = st.session_state.get(_REFUSED + "noise_epsilon")
    slide = widgets.key_showing(f"widget:{PLACE}:noise_epsilon:slide", value)
    exact = _text_key("noise_epsilon", f"{value:g}")
    with st.container(gap="xxsmall"):
        st.markdown(choice.label, help=choice.help)
        left, right = st.columns([2.1, 1], vertical_alignment="center", gap="small")
        left.select_slider(
            choice.label, options, key=slide, format_func=lambda e: f"{e:g}", label_visibility="collapsed",
            on_change=_slid, args=(slide,),
        )  # fmt: skip
        right.text_input(
            "Epsilon, exact", key=exact, label_visibility="collapsed", max_chars=30, on_change=_typed,
            args=("noise_epsilon", exact, "epsilon", dp.check_epsilon, None),
        )  # fmt: skip
    if refused is not None:
        errors.refuse(refused)
        st.caption(f"ε = {value:g} is still in use.")


def _delta() -> None:
    """Delta as text, judged in degrees."""
    choice, records = state.CHOICES["noise_delta"], len(runs.encoded())
    refused = st.session_state.get(_REFUSED + "noise_delta")
    key = _text_key("noise_delta", f"{noise_runs.delta():.3g}")
    st.text_input(choice.label, key=key, help=choice.help, max_chars=30, on_change=_typed,
                  args=("noise_delta", key, "delta", dp.check_delta, dp.default_delta(records)))  # fmt: skip
    if refused is not None:
        errors.refuse(refused)
        st.caption(f"δ = {noise_runs.delta():.3g} is still in use.")
    degree = dp.delta_degree(noise_runs.delta(), records)
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
    """Columns of the noisy table, and groups of each."""
    encoded = runs.encoded()
    domains = {domain.name: domain for domain in encoded.qids}
    chosen = dict(noise_runs.grid())
    picked = [name for name in domains if name in chosen]
    key = widgets.key_showing(f"widget:{PLACE}:noise_grid:{encoded.sensitive.name}", picked)

    def choose() -> None:
        names = st.session_state[key]
        groups = {name: chosen.get(name, noise_runs.default_groups(domains[name])) for name in names}
        state.put("noise_grid", tuple((name, groups[name]) for name in domains if name in groups))

    with st.grid(4, min_column_width=150, gap=("xsmall", "medium")) as grid:
        with grid.cell(column_span=2):
            st.multiselect(
                "Columns of the noisy table", list(domains), key=key, format_func=lambda name: plain(name, 40),
                on_change=choose, help="Beside the sensitive column. Columns, groups and labels are published as they "
                "are: choose them without looking at who is in the table.",
            )  # fmt: skip
        for name in picked:
            if domains[name].kind is not Kind.CATEGORICAL:
                with grid.cell():
                    _groups(name, chosen)
    size = noise_runs.cells()
    st.caption(f"{count(size)} cells, for {count(len(encoded))} records.")
    if size > noise_runs.FEW_CELLS and size <= dp.MAX_CELLS:
        st.caption(":material/info: So many cells take a moment to redraw.")


def _groups(name: str, chosen: dict[str, int | None]) -> None:
    domain = next(domain for domain in runs.encoded().qids if domain.name == name)
    tree = domain.taxonomy
    most = tree.height if tree is not None else max(2, min(domain.size, 10_000))
    value = min(max(1, chosen[name] or 1), most)
    key = widgets.key_showing(f"widget:{PLACE}:noise_groups:{name}", value)

    def store() -> None:
        changed = {**chosen, name: int(st.session_state[key])}
        state.put("noise_grid", tuple(changed.items()))

    words = "Level of" if tree is not None else "Groups of"
    st.number_input(f"{words} {safe(name, 30)}", 1, most, step=1, key=key, on_change=store, disabled=most == 1)

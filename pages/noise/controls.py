"""Guarantee and table: epsilon, delta, noise, number of releases, the prior, the columns."""

from __future__ import annotations

import streamlit as st

from core import dp
from core.base.wording import power
from pages.noise import domains, numbers
from pages.shared.compute import data_results
from pages.shared.state import session
from pages.shared.state.choices import CHOICES
from pages.shared.ui import widgets
from pages.shared.ui.text import count, plain

PLACE = "noise"
MECHANISM_WORDS = {"laplace": "Laplace (ε)", "gaussian": "Gaussian (ε, δ)"}
PRIOR_WORDS = {dp.BASE_RATES: "Values as common as in my table", dp.UNIFORM: "All values equally likely"}
STOPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0)


def show() -> None:
    """The controls of the page: the guarantee, and the adversary."""
    widgets.slider("noise_epsilon", PLACE, stops=STOPS)
    widgets.pick("noise_mechanism", PLACE, list(MECHANISM_WORDS), MECHANISM_WORDS.__getitem__)
    if session.get("noise_mechanism") == "gaussian" or numbers.open_columns():
        st.caption(f"Probability of a loss beyond ε: δ = {power(numbers.delta(), 2)}.")
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


def _grid() -> None:
    """Columns of the noisy table, and the domain of each."""
    names = [domain.name for domain in data_results.encoded().qids]
    choice = CHOICES["noise_columns"]
    widgets.showing(
        st.multiselect,
        choice.label,
        f"widget:{PLACE}:noise_columns:{data_results.encoded().sensitive.name}",
        list(numbers.columns()),
        _choose,
        options=names,
        format_func=lambda name: plain(name, 40),
        help=choice.help,
        wrap=True,
    )
    domains.show()
    size = numbers.cells()
    whose = (
        "persons, each with the first of their records" if data_results.encoded().has_multiple_records else "records"
    )
    st.caption(f"{count(size)} cells, for {count(numbers.records())} {whose}.")


def _choose(chosen: list[str]) -> None:
    session.put("noise_columns", tuple(domain.name for domain in data_results.encoded().qids if domain.name in chosen))

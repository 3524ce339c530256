"""Semantic privacy as games on a small table: conclusions with and without my record."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import dp
from core.base.wording import power
from core.dp import semantics
from pages.shared.state import session
from pages.shared.ui.text import number, percent

PUBLISHED_WORDS = {
    "laplace": "Counts with discrete Laplace noise",
    "partition": "A 2-anonymous partition",
    "one": "One person at random, with name and value",
}
PEOPLE, VALUES = 3, 2
NOTHING = "the paper's bound says nothing here"


def show() -> None:
    """The output, the largest difference of conclusions, and its bounds."""
    epsilon = float(session.get("noise_epsilon"))
    st.markdown(
        f"Three people have one of {VALUES} values, all equally likely beforehand. Game 0 is the real table. In game "
        "*i* a default replaces person *i*'s record before publication. Privacy holds if the adversary concludes "
        "nearly the same in both."
    )
    publishes = st.selectbox(
        "What is published", list(PUBLISHED_WORDS), format_func=PUBLISHED_WORDS.__getitem__, key="noise:kind"
    )
    worlds = semantics.Worlds(PEOPLE, VALUES)
    prior = worlds.prior(np.ones((PEOPLE, VALUES)))
    sanitizer = {
        "laplace": lambda: semantics.laplace_histogram(worlds, epsilon),
        "partition": lambda: semantics.k_anonymous(worlds, 2),
        "one": lambda: semantics.one_at_random(worlds),
    }[publishes]()
    games = semantics.play(worlds, sanitizer, prior)
    st.metric("Largest difference of conclusions", number(games.largest, 3))
    small = dp.default_delta(PEOPLE) if publishes == "laplace" else 0.05
    if publishes == "laplace":
        rows = [
            _bound("tanh(ε/2), ours", semantics.sharp(epsilon)),
            _bound("e^ε − 1 (Proposition 15)", semantics.proposition_15(epsilon)),
            _bound(f"Theorem 16, δ = {power(small, 2)}", semantics.theorem_16(epsilon, small, PEOPLE)),
        ]
        st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, alt="Bounds")
    elif publishes == "one":
        variation = semantics.total_variation(worlds, sanitizer)
        st.caption(
            f"Measured by total variation ({variation:.3f}), this would pass with 1/n = {1 / PEOPLE:.3f}, and more "
            f"people would make it look better; yet one person is always exposed completely."
        )
    else:
        st.caption("A partition adds no noise: some outputs are possible with a record and impossible without it.")
    applies = semantics.theorem_18(worlds, sanitizer, prior, epsilon, small)
    st.caption(
        f"Theorem 18 requires that the prior give tables with indistinguishable neighbours a probability of at least "
        f"1 − δ: it is {percent(applies.share)} here (δ = {power(small, 2)}), so "
        f"{'its bound' if applies.holds else 'it'} {'applies' if applies.holds else 'does not apply'}. Every table, "
        f"output and game is enumerated."
    )


def _bound(words: str, bound: semantics.DistanceBound) -> dict[str, str]:
    says = f"{bound.distance:.3f}" if bound.excludes_something else NOTHING
    chance = "always" if bound.failure == 0 else f"except with probability {bound.failure:.2g}"
    return {"Bound": words, "Difference at most": says, "Holds": chance if bound.excludes_something else "–"}

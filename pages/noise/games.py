"""Semantic privacy as games on a small table: what is concluded with my record, and what without it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import dp
from core.base.words import power
from core.dp import semantics
from core.figures import written as figures
from pages.noise import numbers
from pages.shared import charts, session, widgets
from pages.shared.text import number, percent

KIND_WORDS = {
    "laplace": "Counts with discrete Laplace noise",
    "partition": "A 2-anonymous partition",
    "one": "One person at random, with name and value",
}
_VALUES = ("ill", "well", "unknown")
NOTHING = "the paper's bound says nothing here"


def show() -> None:
    """The prior, the sanitizer, the largest difference under its bounds."""
    epsilon = float(session.get("noise_epsilon"))
    st.markdown(
        "Game 0 is the real table. In game *i* a default replaces person *i*'s record before publication. Privacy "
        "holds where the adversary concludes nearly the same in both."
    )
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=4):
        kind = st.selectbox("What is published", list(KIND_WORDS), format_func=KIND_WORDS.__getitem__, key="noise:kind")
        left, right = st.columns(2)
        people = int(left.number_input("People", 2, 5, 3, key="noise:people"))
        values = int(right.number_input("Values", 2, 3, 2, key="noise:values"))
        weights = _prior(people, values)
        game = numbers.play(kind, weights, epsilon)
    with page.cell(column_span=5):
        _result(kind, game, epsilon)
    if kind == "laplace":
        frame = numbers.game_curve(weights, epsilon)
        charts.show(
            figures.semantic_bounds(frame, epsilon),
            key="noise:games",
            alt=f"Largest statistical difference against epsilon under this prior; at epsilon {epsilon:g} it is "
            f"{game.games.largest:.3f}, and tanh(epsilon / 2) is {semantics.sharp(epsilon).distance:.3f}.",
        )
        st.caption(
            "Every table, output and game is enumerated. Noisy counts below 0 are taken together, and so are those "
            "above the number of people; nothing is lost by that. A bound of the paper ends where it passes 1. Ours, "
            "tanh(ε/2), never does."
        )
        rows = frame[["epsilon", "line", "distance"]].rename(
            columns={"epsilon": "ε", "line": "Line", "distance": "Difference"}
        )
        widgets.numbers_below(rows, "Semantic privacy", "noise:games")


def _prior(people: int, values: int) -> tuple[tuple[float, ...], ...]:
    """Edit the adversary's belief in each person's value; weights, not shares."""
    st.caption("What the adversary believes beforehand: weights of each person's values.")
    start = pd.DataFrame(
        np.ones((people, values)),
        columns=list(_VALUES[:values]),
        index=pd.Index([f"person {i + 1}" for i in range(people)], name="Weights"),
    )
    config = {
        name: st.column_config.NumberColumn(name, min_value=0.0, max_value=1e6, required=True) for name in start.columns
    }
    edited = st.data_editor(
        start, key=f"noise:prior:{people}:{values}", column_config=config, alt="Prior of the adversary"
    )
    return tuple(tuple(float(x) for x in row) for row in edited.fillna(0.0).to_numpy())


def _bound(words: str, bound: semantics.DistanceBound) -> dict[str, str]:
    says = f"{bound.distance:.3f}" if bound.says_something else NOTHING
    chance = "always" if bound.failure == 0 else f"but for a chance of {bound.failure:.2g}"
    return {"Bound": words, "Difference at most": says, "Holds": chance if bound.says_something else "–"}


def _result(kind: str, game: numbers.Game, epsilon: float) -> None:
    games, worlds = game.games, game.worlds
    output = game.sanitizer.outputs[games.worst_output]
    st.metric("Largest difference of conclusions", number(games.largest, 3))
    impossible = bool(games.impossible[games.worst_person, games.worst_output])
    st.caption(
        f"Person {games.worst_person + 1}, output {output}."
        + (" Without the person this output cannot occur at all, which counts as 1." if impossible else "")
    )
    if kind == "laplace":
        small = dp.default_delta(worlds.people)
        rows = [
            _bound("tanh(ε/2), ours", semantics.sharp(epsilon)),
            _bound("e^ε − 1 (Proposition 15)", semantics.proposition_15(epsilon)),
            _bound(
                f"Theorem 16, δ = {power(small, 2)}, constants of Lemma 19",
                semantics.theorem_16(epsilon, small, worlds.people),
            ),
        ]
        st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, alt="Bounds")
        if any(NOTHING in row["Difference at most"] for row in rows):
            st.caption(
                "A bound of the paper that passes 1 excludes nothing. There is a guarantee all the same: tanh(ε/2) "
                "holds at every ε."
            )
        applies = semantics.theorem_18(worlds, game.sanitizer, game.prior, epsilon, small)
    else:
        small = 0.05
        loss = semantics.privacy_loss(worlds, game.sanitizer)
        variation = semantics.total_variation(worlds, game.sanitizer)
        st.markdown(
            f"Multiplicative distance of neighbours: **{'unlimited' if np.isinf(loss) else f'{loss:.3f}'}**. Total "
            f"variation: **{variation:.3f}**."
        )
        if kind == "one":
            st.caption(
                f"Measured by total variation this would pass with 1/n = {1 / worlds.people:.3f}, and the more people "
                "the better; yet somebody is always exposed completely."
            )
        else:
            st.caption("A partition draws no noise: some outputs are possible with a record and impossible without it.")
        applies = semantics.theorem_18(worlds, game.sanitizer, game.prior, epsilon, small)
    verdict = "so its bound applies" if applies.holds else "so it does not apply"
    says = "" if applies.bound.says_something else f"; {NOTHING}"
    st.caption(
        f"Theorem 18 asks that the prior puts at least 1 − δ on tables whose neighbours are indistinguishable: it puts "
        f"{percent(applies.share)} there (δ = {power(small, 2)}), {verdict}{says if applies.holds else ''}."
    )

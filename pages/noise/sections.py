"""The answer of the page and its chart; equal protection, the cost of noise, several tables together."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core import dp, figures
from core.base.wording import several
from pages.noise import numbers
from pages.noise.controls import PLACE
from pages.shared.compute import data_results
from pages.shared.state import session
from pages.shared.ui import charts, widgets
from pages.shared.ui.text import count, draws, number, percent, safe

CLOSER = "noise:sections"
NAMED = ("k = 2", "k = 10", "ε = 0.1", "ε = 5")
"""Settings named in the chart, in addition to the present ones."""


def main() -> None:
    """The guarantee, which needs no draw and appears at once, and the chart of both ways to publish."""
    releases, before = int(session.get("releases")), float(numbers.prior().max())
    total = numbers.cost(releases).basic.epsilon
    with st.container(key="number", gap=None):
        st.metric(
            f"Highest certainty about a value{'' if _pure() else ' (by ε alone)'}", percent(dp.ceiling(before, total))
        )
        st.markdown(_sentence(releases, before, total))
    place = st.container()
    equal_protection()
    with place:
        chart()


def chart() -> None:
    """Both ways to publish in one picture: what is gained over guessing, and how far counts are off."""
    with widgets.working("Attacking partitions and noisy tables") as progress:
        frame, guess = numbers.tradeoff(progress), numbers.guessed()
    chosen = f"ε = {float(session.get('noise_epsilon')):.3g}"
    mine, noise = (frame[frame["setting"] == setting].iloc[0] for setting in (f"k = {session.get('my_k')}", chosen))
    gains = ", ".join(f"{percent(each['share'])} at {each['setting']}" for each in (mine, noise))
    st.caption(
        f"How many more people are named rightly than by a guess, against how far a count is off: now "
        f"{number(mine['error'], 0)} records by partitions, {number(noise['error'], 0)} by noise."
    )
    words = frame["setting"].where(frame["setting"].isin(NAMED), "").mask(frame["now"], frame["setting"])
    words = words.mask(frame["setting"].isin((mine["setting"], noise["setting"])), frame["line"] + ", " + words)
    charts.show(
        figures.tradeoff(frame.assign(text=words), guess, f"Gain: {gains}"),
        key="noise:tradeoff",
        alt=f"Gain over guessing against the average error of a count, for partitions and noise: {gains}.",
        height=charts.MAIN,
    )


def equal_protection() -> None:
    """The epsilon at which noisy tables reveal as much as my releases, once it is asked for."""
    releases = int(session.get("releases"))
    button = st.empty()
    if not numbers.twin_is_known() and not button.button(
        "Find the ε of equal protection", key=f"{PLACE}:twin", icon=":material/balance:"
    ):
        return
    button.empty()
    with widgets.working("Attacking releases and noisy tables in every draw") as progress:
        epsilon, reader = numbers.twin(progress), numbers.partitions()
        guess = f"{percent(reader['right'])} of people named rightly, {percent(reader['guess'])} by a guess"
    if epsilon == 0:
        st.markdown(f"**No epsilon** protects as well as my releases: they give no gain beyond chance ({guess}).")
    elif epsilon == math.inf:
        st.markdown(f"No ε up to {dp.MAX_EPSILON:g} gives noisy tables the gain of my releases ({guess}).")
    else:
        noise, mine = numbers.noise_error(epsilon).absolute, numbers.errors().partition
        st.markdown(
            f"**ε = {epsilon:.3g}** per table gives {several(releases, 'noisy table')} the gain of "
            f"{several(releases, 'release')} like mine ({guess}). The same counts are then off by "
            f"**{number(noise, 1)}** records from a noisy table and by **{number(mine, 1)}** from my release."
        )
    st.caption(
        f"Both readers start from the same guess. The reader of noisy tables also knows all other records; the reader "
        f"of releases knows only classes. Against a reader who knows less, the noisy tables protect better "
        f"({draws(numbers.drawn_times())})."
    )


def all_numbers() -> None:
    """Success rate of each adversary, what they know, the numbers of the chart, and several tables together."""
    releases, reader = int(session.get("releases")), numbers.partitions()
    right, attack = numbers.noisy(float(session.get("noise_epsilon")))
    st.caption(
        f"*Noise*: right for {percent(right)} of {count(reader['n'])} people; a guess without any release is right for "
        f"{percent(numbers.guessed())}{_first_records()}. *Partitions*: right for {percent(reader['right'])} "
        f"({draws(numbers.drawn_times())})."
    )
    if attack is not None:
        at = attack.quantiles()[:, -1]
        st.caption(
            f"Gaussian noise has no ceiling. Confidence after {releases} tables: half of the people at most "
            f"{percent(float(at[0]))}, 95% of them {percent(float(at[1]))}, 99% {percent(float(at[2]))}."
        )
    st.caption(
        f"The adversary of the noisy tables knows every record but one person's sensitive value. The same adversary "
        f"reads {percent(numbers.subtraction())} of these people's values off my partition release alone, by taking "
        f"the others out of the class. The partition line shows a weaker adversary, who knows a person's classes and "
        f"weighs the values left (*Who attacks?* on *If others publish*)."
    )
    frame = numbers.tradeoff()[["line", "setting", "share", "error"]].round({"error": 1})
    frame["share"] = (100 * frame["share"]).round(2)
    frame.columns = pd.Index(["", "Setting", "Gain over guessing (%)", "Average error of a count (records)"])
    widgets.numbers_below(frame, "Gain over guessing", "noise:tradeoff")
    _together()


def _pure() -> bool:
    """Whether the guarantee is epsilon alone, so that beliefs have an upper limit."""
    return session.get("noise_mechanism") == "laplace" and not numbers.open_columns()


def _first_records() -> str:
    """Note on the values of persons with several records."""
    return (
        " (of each person's first record, the one a noisy table counts)" * data_results.encoded().has_multiple_records
    )


def _sentence(releases: int, before: float, total: float) -> str:
    """First the odds, which hold for any belief, then their effect on the chosen prior."""
    name = safe(data_results.encoded().sensitive.name, 40)
    tables = "One noisy table multiplies" if releases == 1 else f"**{releases}** noisy tables together multiply"
    grown = math.exp(min(total, 700.0))
    # Rounded up: "at most" must not say less than it is.
    step = 10.0 ** (math.floor(math.log10(grown)) - 2)
    times = f"{math.ceil(grown / step - 1e-9) * step:.3g}" if grown < 999 else "over a thousand"
    but = "" if _pure() else ", except with a small probability"
    starts: dict[str, str] = {
        dp.BASE_RATES: f"from how common each value is (at most {percent(before)})",
        dp.UNIFORM: f"from all values equally likely ({percent(before)} each)",
    }
    start = starts[session.get("noise_prior")]
    most = "" if grown >= 999 else "at most "
    if session.get("noise_mechanism") == "gaussian":
        end = (
            f"With ε alone, an adversary who starts {start} would end at most this sure. Gaussian noise can exceed it."
        )
    else:
        end = f"An adversary who starts {start} can become at most this certain of a value{but}."
    return (
        f"Suppose someone knows every record except one person's. {tables} the odds of any {name} for that person by "
        f"{most}**{times}**, whatever was believed before{but}. {end}"
    )


# ---- what noise costs ----------------------------------------------------------------------


def cost() -> None:
    """Error of the noisy table compared with that of the partition release; accuracy in both directions."""
    chosen = numbers.mechanism()
    with widgets.working("Answering the same counts from noisy tables"):
        errors = numbers.errors()
    st.markdown(
        f"On average a random count from the noisy table is off by **{number(errors.noisy.absolute, 1)}** records, "
        f"one from the partition release by **{number(errors.partition, 1)}**. "
        f"{number(errors.cells.absolute, 1)} come from the coarse cells alone."
    )
    st.caption(
        f"{count(len(errors.cells.truth))} random counts about columns of the noisy table, the same for all. These "
        "errors are measured on your records, so do not publish them."
    )
    st.metric("95% of cells have an error of at most", count(chosen.accuracy()))
    st.caption(f"{chosen.words} noise, scale {chosen.scale:.4g}, standard deviation {chosen.deviation:.3g}.")
    wanted = st.number_input(
        "I need at most this error in 95% of cells", 0, 1_000_000, 5, key="noise:accuracy", width=320
    )
    delta = numbers.delta() if chosen.name == "gaussian" else 0.0
    st.markdown(f"This requires ε = **{dp.epsilon_for(chosen.name, int(wanted), 0.05, delta):.4g}** for one table.")


# ---- several tables -------------------------------------------------------------------------


def _together() -> None:
    """Composition: adding up, or advanced composition if that is tighter."""
    prior, rows = float(numbers.prior().max()), []
    for times in (1, 2, 4, 8, 100, 1000):
        cost = numbers.cost(times)
        rows.append(
            {
                "Tables": times,
                "ε, added up": cost.basic.epsilon,
                "ε, advanced": cost.advanced.epsilon if cost.advanced else None,
                "Ceiling of confidence (%)": round(100 * dp.ceiling(prior, cost.basic.epsilon), 2),
            }
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Cost of several tables together")
    st.caption(
        "Costs add up, no matter who publishes and how the noise was drawn (Lemma 12). A partition release has no such "
        "number: nothing adds up."
    )

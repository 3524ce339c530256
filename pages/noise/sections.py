"""The answer of the page and its chart; release after release, the cost of noise, several tables together."""

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
from pages.shared.ui.text import at_confidence, count, draws, number, percent, safe

CLOSER, ONE_BY_ONE, ALL = "noise:sections", "Release after release", "All numbers"
"""The closer look, and its sections whose numbers come from several draws."""
NAMED = ("k = 2", "k = 10", "k = 25", "ε = 0.1", "ε = 2", "ε = 5")
"""Settings named in the chart, in addition to the present ones."""
MEASURE_WORDS = {
    "mean": "Mean confidence in the most likely value",
    "hit": "Right guesses (hit rate)",
    "share": "People exposed at the chosen confidence",
}


def main() -> None:
    """The guarantee, which needs no draw and appears at once, and the chart of both ways to publish."""
    releases, before = int(session.get("releases")), float(numbers.prior().max())
    total = numbers.cost(releases).basic.epsilon
    with st.container(key="number", gap=None):
        st.metric(
            f"Highest certainty about a value{'' if _pure() else ' (by ε alone)'}", percent(dp.ceiling(before, total))
        )
        st.markdown(_sentence(releases, before, total))
    with widgets.working("Attacking partitions and noisy tables") as progress:
        frame = numbers.tradeoff(progress)
    noise, mine = (frame[frame["now"] & (frame["line"] == line)].iloc[0] for line in ("noise", "partitions"))
    guesses = ", ".join(f"{percent(each['share'])} at {each['setting']}" for each in (mine, noise))
    title = f"Correct guesses: {guesses}"
    st.caption(
        f"The curves: how often an adversary names the right value after {several(releases, 'release')}, against how "
        f"far a count from one release is off. Now: {number(mine['error'], 0)} records by partitions, "
        f"{number(noise['error'], 0)} by noise."
    )
    words = frame["setting"].where(frame["setting"].isin(NAMED), "")
    words = words.mask(frame["now"], frame["line"] + ", " + frame["setting"])
    charts.show(
        figures.tradeoff(frame.assign(text=words), _most_common(), title),
        key="noise:tradeoff",
        alt=f"Correct guesses against the average error of a count, for partitions and noise: {guesses}.",
        height=charts.MAIN,
    )


def one_by_one() -> None:
    """Both ways to publish, release after release."""
    with widgets.working("Attacking up to eight partition releases") as progress:
        numbers.targets(progress)
    answer()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**Partitions and noise, release after release**", width="content")
        widgets.pick("noise_measure", PLACE, list(MEASURE_WORDS), MEASURE_WORDS.__getitem__, bare=True)
    guarantees()


def refine() -> bool:
    """Make the missing draws of an open section that shows them; return whether there were any."""
    repeats = session.scenario().repeats
    if st.session_state.get(CLOSER) not in (ONE_BY_ONE, ALL) or numbers.drawn_times() == repeats:
        return False
    with widgets.working("Redrawing up to eight hospitals", st.sidebar) as progress:
        numbers.targets(progress, repeats)
    return True


def answer() -> None:
    """The confidence under noise, compared with partitions."""
    releases, epsilon = int(session.get("releases")), float(session.get("noise_epsilon"))
    targets, attack = numbers.targets(), numbers.noisy(epsilon)
    row = targets.frame[targets.frame["releases"] == releases].iloc[0]
    shown = (
        (
            "Noise: mean confidence",
            float(attack.confidence[releases - 1].mean()),
            f"after {several(releases, 'table')}",
        ),
        ("Partitions: mean confidence", float(row["mean"]), f"after {several(releases, 'release')}"),
    )
    for place, (label, value, note) in zip(st.columns(2, gap="small"), shown, strict=True):
        with place, st.container(gap=None):
            st.metric(label, percent(value))
            st.caption(note)


def all_numbers() -> None:
    """Success rate of each adversary, people exposed, assumptions of each number, and several tables together."""
    releases, confidence = int(session.get("releases")), float(session.get("confidence"))
    targets, attack = numbers.targets(), numbers.noisy(float(session.get("noise_epsilon")))
    row = targets.frame[targets.frame["releases"] == releases].iloc[0]
    st.caption(
        f"*Noise*: right for {percent(float(attack.hit[releases - 1].mean()))} of {count(row['n'])} people; guessing "
        f"the most common value is right for {percent(_most_common())}{_first_records()}. *Partitions*: right for "
        f"{percent(float(row['hit']))} of the same people."
    )
    with st.container(gap=None):
        st.metric(f"Exposed at {at_confidence(confidence)}", percent(float(attack.breached(confidence)[releases - 1])))
        st.caption(
            f"of {count(row['n'])} shared people, by noise; {percent(float(row['share']))} by partitions "
            f"({draws(numbers.drawn_times())}). Each adversary is at least that sure about these people's values."
            f"{_why(attack, releases, confidence)}"
        )
    if session.get("noise_mechanism") == "gaussian":
        at = attack.quantiles()[:, releases - 1]
        st.caption(
            f"Gaussian noise has no ceiling. Confidence after {releases} tables: half of the people at most "
            f"{percent(float(at[0]))}, 95% of them {percent(float(at[1]))}, 99% {percent(float(at[2]))}."
        )
    st.caption(
        f"The adversary of the noisy tables knows every record but one person's sensitive value, and is {_start()}. "
        f"The same adversary reads {percent(numbers.subtraction())} of these people's values off my partition release "
        "alone, by taking the others out of the class. The partition line shows a weaker adversary, who knows a "
        f"person's classes and weighs the values left (*Who attacks?* on *If others publish*). {_added_to_files()}"
    )
    _table()
    _together()


def _pure() -> bool:
    """Whether the promise is one of epsilon alone, so that beliefs have a ceiling."""
    return session.get("noise_mechanism") == "laplace" and not numbers.open_columns()


def _start() -> str:
    return dp.PRIOR_WORDS[str(session.get("noise_prior"))]


def _most_common() -> float:
    """Share of people with the most common sensitive value: how often naming it is right."""
    return float(dp.prior_of(data_results.encoded()).max())


def _first_records() -> str:
    """Note on the values of persons with several records."""
    return (
        " (of each person's first record, the one a noisy table counts)" * data_results.encoded().has_multiple_records
    )


def _why(attack: dp.NoisyAttack, releases: int, confidence: float) -> str:
    return " C is above the ceiling." if confidence > float(attack.bound[releases - 1]) and _pure() else ""


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
            f"With ε alone, an adversary who starts {start} would end at most this sure. Gaussian noise can pass that."
        )
    else:
        end = f"An adversary who starts {start} can become at most this certain of a value{but}."
    return (
        f"Suppose someone knows every record except one person's. {tables} the odds of any {name} for that person by "
        f"{most}**{times}**, whatever was believed before{but}. {end}"
    )


def guarantees() -> None:
    """The main chart."""
    measure = str(session.get("noise_measure"))
    with widgets.working("Simulating noisy tables") as progress:
        frame = numbers.guarantees(measure, progress)
    ceiling = None
    if measure == "mean":
        bound = numbers.noisy(float(session.get("noise_epsilon"))).bound
        # Neither Gaussian noise nor a threshold has one: what they promise can be passed.
        name = "ceiling" if _pure() else "ε alone"
        ceiling = pd.DataFrame({"releases": range(1, len(bound) + 1), "share": bound, "line": name})
    charts.show(
        figures.guarantees(frame, MEASURE_WORDS[measure], int(session.get("releases")), ceiling),
        key="noise:guarantees",
        alt=_chart_in_words(frame, MEASURE_WORDS[measure]),
        height=charts.MAIN - 10,
    )


def _table() -> None:
    """The lines of the chart as numbers."""
    measure = str(session.get("noise_measure"))
    frame = numbers.guarantees(measure)
    wide = frame.pivot_table(index="releases", columns="line", values="share", sort=False)
    wide = (100 * wide).round(2).reset_index().rename(columns={"releases": "Releases"})
    widgets.numbers_below(wide, f"{MEASURE_WORDS[measure]} (%)", "noise:guarantees")


def _added_to_files() -> str:
    """What is added to uploaded files if no other hospital was asked for."""
    study = session.scenario().study
    if dp.with_drawn(study) == study:
        return ""
    files = len(study.hospitals) - 1
    return (
        f"After {'the uploaded file' if files == 1 else f'the {files} uploaded files'}, hospitals like mine are "
        f"added that release as I do, because a file is one hospital. "
    )


def _chart_in_words(frame: pd.DataFrame, title: str) -> str:
    """Text alternative."""
    parts = []
    for line in dict.fromkeys(frame["line"]):
        data = frame[frame["line"] == line]
        parts.append(
            f"{line}: {percent(data['share'].iloc[0])} after one release, "
            f"{percent(data['share'].iloc[-1])} after {int(data['releases'].iloc[-1])}"
        )
    return f"{title} against the number of releases. {'; '.join(parts)}."


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

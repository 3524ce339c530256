"""The answer of the page, both guarantees in one chart, what noise costs, several tables together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import CompositionError, dp
from core.base.words import power
from core.figures import written as figures
from pages.noise import numbers
from pages.noise.controls import PLACE
from pages.shared import charts, noise_grid, results, session, widgets
from pages.shared.later import later
from pages.shared.text import at_confidence, count, draws, number, percent, safe

DEALT = ", as large as eight of them allow, so they can stand a little apart from the attack page"
MEASURE_WORDS = {
    "mean": "Mean confidence in the likeliest value",
    "hit": "Right guesses (hit rate)",
    "share": "People exposed at the chosen confidence",
}


@dataclass(eq=False)
class ChartPlaces:
    """Where the answer and the chart stand; they are written over when more draws were made.

    Parameters
    ----------
    answer
        Place of the sentence and its numbers.
    chart
        Place of the chart, then the chart.
    below
        Place of all numbers; ``None`` where they are not asked for.
    """

    answer: Any
    chart: Any
    below: Any = None


def view() -> ChartPlaces:
    """Ask which number the chart shows, between the places of answer and chart."""
    place = st.empty() if _more_to_draw() else st.container()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("**Partitions and noise, release after release**", width="content")
        widgets.pick("noise_measure", PLACE, list(MEASURE_WORDS), MEASURE_WORDS.__getitem__, bare=True)
    return ChartPlaces(place, st.empty())


def main(shown: ChartPlaces) -> None:
    """Answer and chart."""
    with widgets.working("Attacking up to eight partition releases") as progress:
        numbers.targets(progress)
    with shown.answer.container():
        answer()
    shown.chart = guarantees(shown.chart)


def redraw(shown: ChartPlaces) -> None:
    """Make the other draws, if they were not made, as soon as everything else stands."""
    if _more_to_draw():
        later(partial(refine, shown))


def refine(shown: ChartPlaces) -> None:
    """Make all draws, then say everything again."""
    with widgets.working("Redrawing up to eight hospitals", st.sidebar) as progress:
        numbers.targets(progress, session.scenario().repeats)
    main(shown)
    if shown.below is not None:
        _about(shown)


def _more_to_draw() -> bool:
    return numbers.drawn_times() < session.scenario().repeats


def all_numbers(shown: ChartPlaces) -> None:
    """What answer and chart suppose."""
    shown.below = st.empty() if _more_to_draw() else st.container()
    _about(shown)


def _about(shown: ChartPlaces) -> None:
    with shown.below.container():
        details()
        about_the_chart()


def answer() -> None:
    """What the promise means for one person, beside what partitions give away."""
    releases, epsilon = int(session.get("releases")), float(session.get("noise_epsilon"))
    targets, attack = numbers.targets(), numbers.noisy(epsilon)
    row = targets.frame[targets.frame["releases"] == releases].iloc[0]
    bound, before = float(attack.bound[releases - 1]), float(numbers.prior().max())
    total = numbers.cost(releases).basic.epsilon
    st.markdown(_sentence(releases, bound, before, total))
    several = "s" * (releases != 1)
    shown = (
        ("Ceiling of confidence" if _pure() else "Ceiling of ε alone", bound, f"{percent(before)} beforehand"),
        ("Noise: mean confidence", float(attack.confidence[releases - 1].mean()), f"after {releases} table{several}"),
        ("Partitions: mean confidence", float(row["mean"]), f"after {releases} release{several}"),
    )
    for place, (label, value, note) in zip(st.columns(3, gap="small"), shown, strict=True):
        with place, st.container(gap=None):
            st.metric(label, percent(value))
            st.caption(note)


def details() -> None:
    """How often each adversary is right, whom they expose, and what each number supposes."""
    releases, epsilon = int(session.get("releases")), float(session.get("noise_epsilon"))
    targets = numbers.targets()
    attack = numbers.noisy(epsilon)
    row = targets.frame[targets.frame["releases"] == releases].iloc[0]
    before = float(numbers.prior().max())
    confidence, total = float(session.get("confidence")), numbers.cost(releases).basic.epsilon
    words = f"*Ceiling*: {_start()}; {percent(before)} beforehand, after {releases} tables, ε = {total:g} together."
    if not _pure():
        words += f" {_failing()} {_above(attack, releases)}"
    st.caption(words)
    st.caption(
        f"*Noise*: right for {percent(float(attack.hit[releases - 1].mean()))} of {count(row['n'])} people; "
        f"guessing the commonest value is right for {percent(_commonest())}{_first_records()}. *Partitions*: right for "
        f"{percent(float(row['hit']))} of the same people."
    )
    with st.container(gap=None):
        st.metric(f"Exposed at {at_confidence(confidence)}", percent(float(attack.breached(confidence)[releases - 1])))
        st.caption(
            f"of {count(row['n'])} shared people, by noise; {percent(float(row['share']))} by partitions "
            f"({draws(numbers.drawn_times())}). Each adversary is at least so sure of these people's values. "
            "*Exposed by weights* on *If others publish* has the interval, and what the best single release "
            f"exposes.{_why(attack, releases, confidence)}"
        )
    if session.get("noise_mechanism") == "gaussian":
        at = attack.quantiles()[:, releases - 1]
        st.caption(
            f"Gaussian noise has no ceiling. Confidence after {releases} tables: half of the people at most "
            f"{percent(float(at[0]))}, 95 % of them {percent(float(at[1]))}, 99 % {percent(float(at[2]))}."
        )
    st.caption(
        "The adversary of the noisy tables knows every record but one person's sensitive value, and beforehand "
        "believes what is chosen above. Whoever believes more beforehand can end higher. The same adversary reads "
        f"{percent(numbers.subtraction())} of these people's values off my partition release alone, by taking the "
        "others out of the class. The partition lines show a weaker adversary, who knows a person's classes and weighs "
        "the values left by how often they occur there (*By weights* on *If others publish*)."
    )


def _pure() -> bool:
    """Whether the promise is one of epsilon alone, so that beliefs have a ceiling."""
    return session.get("noise_mechanism") == "laplace" and not numbers.open_columns()


def _start() -> str:
    return dp.PRIOR_WORDS[str(session.get("noise_prior"))]


def _failing() -> str:
    if session.get("noise_mechanism") == "gaussian":
        return "Gaussian noise may pass it:"
    return "It holds but for δ; charts leave the threshold out."


def _above(attack: dp.NoisyAttack, releases: int) -> str:
    if session.get("noise_mechanism") == "gaussian":
        return f"it does for {percent(float(attack.above[releases - 1]))}."
    return ""


def _commonest() -> float:
    """Share of people with the commonest sensitive value: how often naming it is right."""
    return float(dp.prior_of(results.encoded()).max())


def _first_records() -> str:
    """Whose values those are where persons have several records."""
    return " (of each person's first record, the one a noisy table counts)" * (results.encoded().person is not None)


def _why(attack: dp.NoisyAttack, releases: int, confidence: float) -> str:
    return " C is above the ceiling." if confidence > float(attack.bound[releases - 1]) and _pure() else ""


def _sentence(releases: int, bound: float, before: float, total: float) -> str:
    """What holds whatever was believed: odds. Then what it comes to from the prior that is chosen."""
    name = safe(results.encoded().sensitive.name, 40)
    tables = "One noisy table multiplies" if releases == 1 else f"**{releases}** noisy tables together multiply"
    grown = math.exp(min(total, 700.0))
    # Rounded up: "at most" must not say less than it is.
    step = 10.0 ** (math.floor(math.log10(grown)) - 2)
    times = f"{math.ceil(grown / step - 1e-9) * step:.3g}" if grown < 999 else "over a thousand"
    but = "" if _pure() else ", but for a small chance"
    starts = {
        dp.BASE_RATES: f"from how common each value is (at most {percent(before)})",
        dp.UNIFORM: f"from all values equally likely ({percent(before)} each)",
    }[str(session.get("noise_prior"))]
    most = "" if grown >= 999 else "at most "
    if session.get("noise_mechanism") == "gaussian":
        end = f"With ε alone, whoever starts {starts} would end at most **{percent(bound)}** sure of a value. Gaussian "
        end += "noise can pass that."
    else:
        end = f"Whoever starts {starts} ends at most **{percent(bound)}** sure of a value{but}."
    return (
        f"Take somebody who knows every record but one person's. {tables} the odds of any {name} of that person by "
        f"{most}**{times}**, whatever was believed before{but}. {end}"
    )


def guarantees(where: Any) -> Any:
    """The chart of the purpose, at a place or over the one that is there."""
    measure = str(session.get("noise_measure"))
    with widgets.working("Simulating noisy tables") as progress:
        frame = numbers.guarantees(measure, progress)
    ceiling = None
    attack = numbers.noisy(float(session.get("noise_epsilon")))
    if measure == "mean":
        # Neither Gaussian noise nor a threshold has one: what they promise can be passed.
        name = "ceiling" if _pure() else "ε alone"
        ceiling = pd.DataFrame({"releases": range(1, len(attack.bound) + 1), "share": attack.bound, "line": name})
    releases = int(session.get("releases"))
    return charts.show(
        figures.guarantees(frame, MEASURE_WORDS[measure], releases, ceiling),
        key="noise:guarantees",
        alt=_chart_in_words(frame, MEASURE_WORDS[measure]),
        height=charts.MAIN - 10,
        where=where,
    )


def about_the_chart() -> None:
    """What the lines of the chart are, and their numbers."""
    measure = str(session.get("noise_measure"))
    frame = numbers.guarantees(measure)
    attack = numbers.noisy(float(session.get("noise_epsilon")))
    values, people = results.encoded().sensitive.size, len(numbers.targets().positions)
    st.caption(
        f"The same {count(numbers.targets().frame['n'].iloc[0])} shared people in every line; partitions are "
        f"the {draws(numbers.drawn_times())}"
        f"{'' if session.scenario().study.whole else DEALT}. {_beside_files()}The noise of the chart is simulated "
        f"{numbers.draws(people, values)} times from the exact distribution, with the seed of the study. The "
        f"adversary of the noisy tables, and the ceiling, are for somebody {_start()}. {_truthful_words()}"
        f"A share of people is not a "
        f"confidence: under *People exposed*, noise reads 0 % wherever C is above its ceiling."
    )
    wide = frame.pivot_table(index="releases", columns="line", values="share", sort=False).reset_index()
    wide = wide.rename(columns={"releases": "Releases"})
    for name in wide.columns[1:]:
        wide[name] = (100 * wide[name]).round(2)
    if measure == "mean":
        wide["ceiling of the chosen ε"] = (100 * attack.bound).round(2)
    key = f"noise:guarantees {numbers.drawn_times()}"
    widgets.numbers_below(wide, f"{MEASURE_WORDS[measure]} (%)", key)


def _truthful_words() -> str:
    """What the line of truthful tables is; nothing where there is none."""
    try:
        columns, frame = noise_grid.truthful_columns(), numbers.truthful()
    except CompositionError:
        return ""
    if frame is None:
        return (
            "Truthful tables have no line here. They need the records of every hospital, and a file has none to give. "
        )
    return (
        f"*Truthful* tables have {count(len(columns))} quasi-identifier{'s' * (len(columns) != 1)}, no noise, and one "
        "draw a hospital. Their line is that of somebody who weighs what they tell of a person's cell, as with "
        "partitions, and who errs, for values are left out. Their ceiling is that of their own ε. "
    )


def _beside_files() -> str:
    """What stands beside uploaded files, where nobody else was asked for."""
    study = session.scenario().study
    if dp.with_drawn(study) == study:
        return ""
    files = len(study.hospitals) - 1
    return (
        f"After {'the uploaded file' if files == 1 else f'the {files} uploaded files'} come hospitals like mine that "
        f"release as I do, for a file is one hospital. "
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
    """Error of the noisy table beside that of the partition release; accuracy both ways."""
    chosen = numbers.mechanism()
    widgets.toggle("noise_everything", PLACE)
    with widgets.working("Answering the same counts from noisy tables") as progress:
        errors = numbers.errors(progress)
    about = "all quasi-identifiers" if session.get("noise_everything") else "columns of the noisy table"
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=6):
        st.markdown(
            f"A random count from the noisy table is **{number(errors.chosen.absolute, 1)}** records off on average, "
            f"from the partition release **{number(errors.partition.absolute, 1)}**. "
            f"{number(errors.cells.absolute, 1)} come from the coarse cells alone."
        )
        charts.show(
            figures.noisy_error(errors.noisy, chosen.epsilon, errors.partition.absolute, errors.cells.absolute),
            key="noise:errors",
            alt=f"Mean error against epsilon: {number(errors.noisy['error'].iloc[0], 1)} records at "
            f"{errors.noisy['epsilon'].iloc[0]:g}, {number(errors.noisy['error'].iloc[-1], 1)} at "
            f"{errors.noisy['epsilon'].iloc[-1]:g}; partition release {number(errors.partition.absolute, 1)}.",
        )
        st.caption(
            f"{count(len(errors.partition.truth))} random counts about {about}, the same for all. The noise is "
            f"simulated {numbers.draws_of_noise()} times, and each error is the mean over all. These errors are "
            "measured on your records, so do not publish them."
        )
        rows = errors.noisy.rename(columns={"epsilon": "ε", "error": "Mean error", "relative": "Median relative error"})
        widgets.numbers_below(rows, "Error of the noisy table", "noise:errors")
    with page.cell(column_span=3):
        st.markdown("## One cell")
        st.metric("95 % of cells are off by at most", count(chosen.accuracy()))
        st.caption(f"{chosen.words} noise, scale {chosen.scale:.4g}, standard deviation {chosen.deviation:.3g}.")
        wanted = st.number_input("I need at most this error in 95 % of cells", 0, 1_000_000, 5, key="noise:accuracy")
        delta = numbers.delta() if chosen.name == "gaussian" else 0.0
        needed = dp.epsilon_for(chosen.name, int(wanted), 0.05, delta)
        st.markdown(f"That takes ε = **{needed:.4g}** for one table.")


# ---- several tables -------------------------------------------------------------------------


def together() -> None:
    """Composition of R tables: adding up, and advanced composition where that is tighter."""
    releases, chosen = int(session.get("releases")), numbers.mechanism()
    tables = int(
        st.number_input(
            "Tables of each release",
            1,
            1000,
            1,
            key="noise:tables",
            help="Every table about the same people costs its own ε, and the costs add up.",
        )
    )
    total = numbers.cost(releases * tables)
    st.markdown(
        f"{releases} releases of {tables} {'table' if tables == 1 else 'tables'}, each with ε = {chosen.epsilon:g}"
        + (f" and δ = {power(numbers.promise().delta)}" if numbers.promise().delta else "")
        + f", together promise **ε = {total.basic.epsilon:g}**, δ = {power(total.basic.delta)} (Lemma 12: they add up, "
        "whoever publishes and however the noise was drawn)."
    )
    if total.advanced is not None:
        st.markdown(
            f"Advanced composition is tighter here: **ε = {total.advanced.epsilon:.4g}**, "
            f"δ = {power(total.advanced.delta)}."
        )
    else:
        st.caption(
            f"Advanced composition (further δ = {power(numbers.SLACK)}) gives no smaller ε here; it does for many "
            "tables of a small ε."
        )
    rows = []
    for times in (1, 2, 4, 8, 100, 1000):
        cost = numbers.cost(times)
        rows.append(
            {
                "Tables": times,
                "ε, added up": cost.basic.epsilon,
                "ε, advanced": cost.advanced.epsilon if cost.advanced else None,
                "Ceiling of confidence (%)": round(
                    100 * dp.ceiling(float(numbers.prior().max()), cost.basic.epsilon), 2
                ),
            }
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Cost of several tables together")
    st.caption(
        f"The ceiling is that of pure ε, for the value that is commonest beforehand, {_start()}. A "
        "partition release has no such "
        "number: nothing adds up."
    )

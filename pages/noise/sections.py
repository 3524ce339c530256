"""The answer of the page, both guarantees in one chart, what noise costs, several tables together."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import dp, figures
from pages._ui import charts, noise_runs, runs, state, widgets
from pages._ui.noise_controls import PLACE
from pages._ui.text import count, number, percent, safe

MEASURE_WORDS = {
    "mean": "Mean confidence in the likeliest value",
    "hit": "Right guesses (hit rate)",
    "share": "People exposed at the chosen confidence",
}


def answer() -> None:
    """What the promise means for one person, beside what partitions give away."""
    releases, epsilon = int(state.get("releases")), float(state.get("noise_epsilon"))
    with widgets.working("Attacking up to eight partition releases") as progress:
        targets = noise_runs.targets(progress)
    attack = noise_runs.noisy(epsilon)
    here = targets.frame[targets.frame["releases"] == releases].iloc[0]
    bound, before = float(attack.bound[releases - 1]), float(noise_runs.prior().max())
    confidence, total = float(state.get("confidence")), noise_runs.cost(releases).basic.epsilon
    laplace = state.get("noise_mechanism") == "laplace"
    st.markdown(_sentence(releases, bound, before, float(here["mean"]), laplace))
    with st.grid(4, min_column_width=180, gap="small", border=True) as grid:
        with grid.cell():
            st.metric("Ceiling of confidence" if laplace else "Ceiling of ε alone", percent(bound))
            words = f"from {percent(before)} beforehand, after {releases} tables, ε = {total:g} together."
            if not laplace:
                words += f" Gaussian noise may pass it: it does for {percent(float(attack.above[releases - 1]))}."
            st.caption(words)
        with grid.cell():
            st.metric("Noise: mean confidence", percent(float(attack.confidence[releases - 1].mean())))
            st.caption(f"right for {percent(float(attack.hit[releases - 1].mean()))} of {count(here['n'])} people.")
        with grid.cell():
            st.metric("Partitions: mean confidence", percent(float(here["mean"])))
            st.caption(f"right for {percent(float(here['hit']))} of the same people, after {releases} releases.")
        with grid.cell():
            st.metric(
                f"Exposed at C = {100 * confidence:.0f} %", percent(float(attack.breached(confidence)[releases - 1]))
            )
            st.caption(f"by noise; {percent(float(here['share']))} by partitions.{_why(attack, releases, confidence)}")
    if not laplace:
        at = attack.quantiles()[:, releases - 1]
        st.caption(
            f"Gaussian noise has no ceiling. Confidence after {releases} tables: half of the people at most "
            f"{percent(float(at[0]))}, 95 % of them {percent(float(at[1]))}, 99 % {percent(float(at[2]))}."
        )
    st.caption(
        "The adversary of the noisy tables is the strongest there is: it knows every record but one person's sensitive "
        f"value. The same adversary reads {percent(noise_runs.subtraction())} of these people's values off my one "
        "partition release, by subtracting the others from the class; the partition lines show the weaker adversary of "
        "the intersection attack."
    )


def _why(attack: dp.NoisyAttack, releases: int, confidence: float) -> str:
    above = confidence > float(attack.bound[releases - 1])
    return " C is above the ceiling." if above and state.get("noise_mechanism") == "laplace" else ""


def _sentence(releases: int, bound: float, before: float, mean: float, laplace: bool) -> str:
    name = safe(runs.encoded().sensitive.name, 40)
    if laplace:
        promise = f"nobody can be more than **{percent(bound)}** sure of anyone's {name}, {percent(before)} beforehand"
    else:
        promise = f"hardly anybody can be more than **{percent(bound)}** sure of anyone's {name}"
    return (
        f"After **{releases}** noisy tables {promise}. After as many partition releases the attack on the people they "
        f"share is **{percent(mean)}** sure on average."
    )


def guarantees() -> None:
    """The chart of the purpose."""
    st.subheader("Partitions and noise, release after release", anchor=False)
    measure = str(widgets.pick("noise_measure", PLACE, list(MEASURE_WORDS), MEASURE_WORDS.__getitem__))
    with widgets.working("Simulating noisy tables") as progress:
        frame = noise_runs.guarantees(measure, progress)
    ceiling = None
    attack = noise_runs.noisy(float(state.get("noise_epsilon")))
    if measure == "mean":
        ceiling = pd.DataFrame({"releases": range(1, len(attack.bound) + 1), "share": attack.bound})
    releases, values = int(state.get("releases")), runs.encoded().sensitive.size
    people = len(noise_runs.targets().positions)
    charts.show(
        figures.guarantees(frame, MEASURE_WORDS[measure], releases, ceiling), key="noise:guarantees",
        alt=_chart_in_words(frame, MEASURE_WORDS[measure]),
    )  # fmt: skip
    st.caption(
        f"The same {count(noise_runs.targets().frame['n'].iloc[0])} shared people in every line; hospitals are as "
        "large as eight of them allow, so partitions can stand a little apart from the attack page. Noise of the chart "
        f"is simulated from the exact distribution, with the seed of the study, "
        f"{noise_runs.draws(people, values)} times over. A share of people is not a confidence: "
        "switch to *People exposed* to see that noise reads 0 % wherever C is above its ceiling."
    )
    wide = frame.pivot_table(index="releases", columns="line", values="share", sort=False).reset_index()
    wide = wide.rename(columns={"releases": "Releases"})
    for name in wide.columns[1:]:
        wide[name] = (100 * wide[name]).round(2)
    if ceiling is not None:
        wide["ceiling of the chosen ε"] = (100 * ceiling["share"]).round(2)
    widgets.numbers_below(wide, f"{MEASURE_WORDS[measure]} (%)", "noise:guarantees")


def _chart_in_words(frame: pd.DataFrame, title: str) -> str:
    """Text alternative."""
    parts = []
    for line in dict.fromkeys(frame["line"]):
        data = frame[frame["line"] == line]
        parts.append(f"{line}: {percent(data['share'].iloc[0])} after one release, "
                     f"{percent(data['share'].iloc[-1])} after {int(data['releases'].iloc[-1])}")  # fmt: skip
    return f"{title} against the number of releases. {'; '.join(parts)}."


# ---- what noise costs ----------------------------------------------------------------------


def cost() -> None:
    """Error of the noisy table beside that of the partition release; accuracy both ways."""
    chosen = noise_runs.mechanism()
    widgets.toggle("noise_everything", PLACE)
    with widgets.working("Answering the same counts from noisy tables") as progress:
        found = noise_runs.errors(progress)
    about = "all quasi-identifiers" if state.get("noise_everything") else "columns of the noisy table"
    page = st.grid(9, min_column_width=80, gap="small")
    with page.cell(column_span=6):
        st.markdown(
            f"A random count from the noisy table is **{number(found.now.absolute, 1)}** records off on average, from "
            f"the partition release **{number(found.partition.absolute, 1)}**. "
            f"{number(found.cells.absolute, 1)} come of the coarse cells alone."
        )
        charts.show(
            figures.noisy_error(found.noisy, chosen.epsilon, found.partition.absolute, found.cells.absolute),
            key="noise:errors",
            alt=f"Mean error against epsilon: {number(found.noisy['error'].iloc[0], 1)} records at "
            f"{found.noisy['epsilon'].iloc[0]:g}, {number(found.noisy['error'].iloc[-1], 1)} at "
            f"{found.noisy['epsilon'].iloc[-1]:g}; partition release {number(found.partition.absolute, 1)}.",
        )
        st.caption(
            f"{count(len(found.partition.truth))} random counting queries about {about}, the same for "
            "all, with simulated noise. These errors are measured on "
            "your records: do not publish them."
        )
        rows = found.noisy.rename(columns={"epsilon": "ε", "error": "Mean error", "relative": "Median relative error"})
        widgets.numbers_below(rows, "Error of the noisy table", "noise:errors")
    with page.cell(column_span=3):
        st.markdown("##### One cell")
        st.metric("95 % of cells are off by at most", count(chosen.accuracy()))
        st.caption(f"{chosen.words} noise, scale {chosen.scale:.4g}, standard deviation {chosen.deviation:.3g}.")
        wanted = st.number_input("I need at most this error in 95 % of cells", 0, 1_000_000, 5, key="noise:accuracy")
        delta = noise_runs.delta() if chosen.name == "gaussian" else 0.0
        needed = dp.epsilon_for(chosen.name, int(wanted), 0.05, delta)
        st.markdown(f"That takes ε = **{needed:.4g}** for one table.")


# ---- several tables -------------------------------------------------------------------------


def together() -> None:
    """Composition of R tables: adding up, and advanced composition where that is tighter."""
    releases, chosen = int(state.get("releases")), noise_runs.mechanism()
    tables = int(st.number_input("Tables of each release", 1, 1000, 1, key="noise:tables",
                                 help="Every table about the same people costs its own ε."))  # fmt: skip
    found = noise_runs.cost(releases * tables)
    st.markdown(
        f"{releases} releases of {tables} {'table' if tables == 1 else 'tables'}, each with ε = {chosen.epsilon:g}"
        + (f" and δ = {chosen.delta:.3g}" if chosen.delta else "")
        + f", together promise **ε = {found.basic.epsilon:g}**, δ = {found.basic.delta:.3g} (Lemma 12: they add up, "
        "whoever publishes and however the noise was drawn)."
    )
    if found.advanced is not None:
        st.markdown(
            f"Advanced composition is tighter here: **ε = {found.advanced.epsilon:.4g}**, "
            f"δ = {found.advanced.delta:.3g}."
        )
    else:
        st.caption(
            f"Advanced composition (further δ = {noise_runs.SLACK:g}) gives no smaller ε here; it does for many tables "
            "of a small ε."
        )
    rows = []
    for times in (1, 2, 4, 8, 100, 1000):
        cost = noise_runs.cost(times)
        rows.append({"Tables": times, "ε, added up": cost.basic.epsilon,
                     "ε, advanced": cost.advanced.epsilon if cost.advanced else None,
                     "Ceiling of confidence (%)": round(
                         100 * dp.ceiling(float(noise_runs.prior().max()), cost.basic.epsilon), 2)})  # fmt: skip
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Cost of several tables together")
    st.caption(
        "The ceiling is that of pure ε, for the value that is commonest beforehand. A partition release has no such "
        "number: nothing adds up."
    )

"""Before anyone publishes: Sattar and Helal's estimate from one release, next to the number of the page."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import figures
from core.base.arrays import Progress
from core.base.wording import confidence_text, several
from core.data.encoding.marginals import Marginals
from core.forecast import Forecast, Question, RealRisk, forecast_curve, real_risk
from pages.shared.compute import attack_results, cache, data_results, release_results, work_queue
from pages.shared.compute.data_results import data_key
from pages.shared.state import session
from pages.shared.ui import charts, errors, widgets
from pages.shared.ui.text import count, percent

PLACE = "forecast"
READING_WORDS = {
    "at least l": "Minimum number of shared values",
    "every subset": "One complete set of values shared (strict)",
}
SOURCE_WORDS = {"table": "My table, column by column", "joint": "My table, class by class (ours)"}
PAPER = "Sattar & Helal's estimate"


def show() -> None:
    """The published estimate with its controls, and its curve."""
    rail, stage = st.columns([1, 2.6], gap="medium")
    with rail:
        widgets.slider("forecast_l", PLACE)
        widgets.slider("forecast_c", PLACE)
        widgets.pick("forecast_source", PLACE, list(SOURCE_WORDS), SOURCE_WORDS.__getitem__)
        widgets.pick("forecast_reading", PLACE, list(READING_WORDS), READING_WORDS.__getitem__)
        if not widgets.toggle("forecast_same", PLACE):
            widgets.slider("forecast_others", PLACE)
    with stage, errors.refusing():
        _answer()
        _curve()


# ---- what is asked of core -----------------------------------------------------------------


def question() -> Question:
    """Requirements for every release."""
    encoded = data_results.encoded()
    return Question(
        cache.cached(("marginals", *data_key()), lambda: Marginals.of(encoded)),
        encoded.records if session.get("forecast_same") else int(session.get("forecast_others")),
        int(session.get("forecast_l")),
        float(session.get("forecast_c")),
        session.get("forecast_source") == "joint",
    )


def _key(question: Question) -> tuple[Any, ...]:
    return (question.joint, question.others, question.l, question.confidence)


def present() -> Forecast:
    """Sattar & Helal's estimate of the present release."""
    release, ask = release_results.my_release().release, question()
    return cache.cached(("forecast", *release_results.release_key(), *_key(ask)), lambda: ask.of(release))


def grid() -> tuple[int, ...]:
    """Values of k of the curve: those of the other curves, and the present one."""
    return tuple(sorted({*attack_results.k_points(), session.mine().policy.k}))


def curve(progress: Progress | None = None) -> pd.DataFrame:
    """The estimate against k."""
    encoded, mine, ask, ks = data_results.encoded(), session.mine(), question(), grid()
    work = partial(forecast_curve, encoded, mine.policy, ks, ask, mine.algorithm)
    key = ("forecast curve", *data_key(), replace(mine.policy, k=2), mine.algorithm, ks, *_key(ask))
    return cache.cached(key, lambda: work_queue.in_workers([work], progress)[0])


# ---- what is shown -------------------------------------------------------------------------


def _answer() -> None:
    estimate, reading = present(), str(session.get("forecast_reading"))
    people = estimate.people(reading)
    st.metric("People in vulnerable classes", percent(people.value))
    st.markdown(sentence(estimate, reading))
    real = in_truth()
    if real is not None:
        st.markdown(compare_with_real(estimate, reading, real))
    st.caption(
        f"Of {count(people.n)} people in your release. This is not the share of people exposed (see the top of the "
        "page); it is usually much higher. The estimate rests on shares counted in your own table alone; its "
        "probability of enough shared values is our reading of the source."
    )


def wanted(estimate: Forecast, reading: str) -> str:
    """The probability that must be high enough, in words."""
    if estimate.l == 1:
        return "any of its values also occurs in the other class"
    if reading == "every subset":
        return f"its {estimate.l} most likely values all occur in the other class"
    return f"at least {estimate.l} of its values also occur in the other class"


def sentence(estimate: Forecast, reading: str) -> str:
    """Explain the estimate in plain words, from its numbers."""
    certain = confidence_text(estimate.confidence)
    risk = estimate.risk(reading)
    return (
        f"{PAPER}: for **{percent(risk.value)}** of your {count(risk.n)} classes the probability is below {certain} "
        f"that {wanted(estimate, reading)} with a hospital of {count(estimate.others)} similar records."
    )


def in_truth() -> RealRisk | None:
    """Real risk of my release against the other hospital that was drawn; ``None`` if it is unknown who is in it."""
    outcome, wanted = attack_results.outcome(), int(session.get("forecast_l"))
    mine, other = (release.release for release in outcome.releases[:2])
    people = [rows for rows in outcome.people[:2] if rows is not None]
    if mine is None or other is None or len(people) < 2:
        return None
    key = ("real risk", *data_key(), session.scenario().study, session.scenario().seed, wanted)
    return cache.cached(key, lambda: real_risk(mine, other, people, wanted))


def compare_with_real(estimate: Forecast, reading: str, real: RealRisk) -> str:
    """Return one line with the estimate and the real risk of the paper's Eq. 1."""
    return (
        f"Estimated **{percent(estimate.risk(reading).value)}**, real **{percent(real.over_all.value)}** of your "
        f"{count(real.over_all.n)} classes (Eq. 1): in these a shared person has fewer than "
        f"{several(estimate.l, 'value')} in common with the other drawn hospital. That is "
        f"{percent(real.over_shared.value)} of the {count(real.over_shared.n)} classes with a shared person."
    )


def _curve() -> None:
    reading, k = str(session.get("forecast_reading")), session.mine().policy.k
    with widgets.working("Trying other k") as progress:
        frame = curve(progress)
    column = "people" if reading == "at least l" else "people_subset"
    first, last = frame.iloc[0], frame.iloc[-1]
    charts.show(
        figures.forecast_curve(frame, k, reading),
        key="forecast:curve",
        alt=f"People in vulnerable classes against k: {percent(first[column])} at {first['k']:g}, "
        f"{percent(last[column])} at {last['k']:g}.",
        height=charts.MAIN,
    )

"""The forecast beside what simulated hospitals do: against k, and the first pinning estimate by decile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.figures import written as figures
from core.forecast import rank_correlation
from pages.forecast import numbers
from pages.shared import charts, session, widgets
from pages.shared.frames import highest
from pages.shared.text import count, percent

MARGIN = 0.005
"""How far outside the draws an estimate must lie to count as off."""


def judgement() -> None:
    """The forecast beside what simulated hospitals do: against k, and the first pinning estimate by decile."""
    study = numbers.judge_study()
    st.markdown(
        f"Two hospitals are drawn from your table. They share {count(study.overlap)} people and follow your policy. "
        f"The forecast sees the first release alone. The simulation intersects both."
    )
    with widgets.working("Simulating hospitals") as progress:
        frame = numbers.judged(progress)
    page = st.grid(2, min_column_width=340, gap="large")
    with page.cell():
        st.markdown("##### One value left, expected and simulated")
        charts.show(figures.expected_curve(frame, int(session.get("my_k"))), alt=_expected_alt(frame))
        st.markdown(expected_sentence(frame))
    with page.cell():
        st.markdown("##### Sattar & Helal: vulnerable classes, estimated and real")
        reading = str(session.get("forecast_reading"))
        estimated = frame["estimated" if reading == "at least l" else "estimated_subset"]
        charts.show(figures.estimated_and_real(frame, reading), alt=_judged_alt(frame, estimated))
        st.markdown(judged_sentence(frame, estimated))
        widgets.numbers_below(_judged_table(frame), "Estimated beside real", "forecast:judged")
    with page.cell():
        st.markdown("##### First pinning estimate, by decile")
        with widgets.working("Simulating hospitals") as progress:
            parts = numbers.calibrated(progress)
        charts.show(figures.calibration_parts(parts), alt=_calibration_alt(parts))
        st.markdown(calibration_sentence(parts))
        widgets.numbers_below(_calibration_table(parts), "First pinning estimate by decile", "forecast:calibration")
    st.caption(
        "Population shares are counted in the first hospital's own records here, as a publisher without statistics "
        "would count them. The adversary is assumed to know the class of each person."
    )


def expected_sentence(frame: pd.DataFrame) -> str:
    """How far the calibrated forecast is from the simulation, and how often its band holds it."""
    real = frame["really_pinned"]
    off = float((frame["expected"] - real).abs().mean())
    inside = int(((real >= frame["expected_low"] - 1e-12) & (real <= frame["expected_high"] + 1e-12)).sum())
    return (
        f"On average the forecast is **{100 * off:.1f} percentage points** from the simulated share. That share lies "
        f"in the band at **{inside}** of {len(frame)} values of k (one draw each, diamonds)."
    )


def _expected_alt(frame: pd.DataFrame) -> str:
    first, last = frame.iloc[0], frame.iloc[-1]
    return (
        f"One value left against k: {percent(float(first['expected']))} expected and "
        f"{percent(float(first['really_pinned']))} simulated at {first['k']:g}, {percent(float(last['expected']))} and "
        f"{percent(float(last['really_pinned']))} at {last['k']:g}."
    )


def judged_sentence(frame: pd.DataFrame, estimated: pd.Series) -> str:
    """How far the estimate is from the real risk, and whether it ranks the settings alike."""
    real, shared = frame["real_all"], frame["real_shared"]
    rank = rank_correlation(list(estimated), list(real))
    off = float(np.abs(estimated - real).mean())
    if np.isnan(rank):
        alike = "Whether both order the values of k alike cannot be told: one of them never moves."
    else:
        alike = f"Over the values of k their rank correlation is {rank:.2f}."
    joint = float(np.abs(frame["estimated_joint"] - real).mean())
    above = int((estimated >= real - 1e-12).sum())
    return (
        f"On average the estimate is **{100 * off:.0f} percentage points** from the real risk over all classes and "
        f"{100 * float(np.abs(estimated - shared).mean()):.0f} from that over classes with a shared person; it lies "
        f"above the former at {above} of {len(frame)} values of k. {alike} With each class's share of the "
        f"table instead of columns apart it is {100 * joint:.0f} points off. The estimate knows nothing of the "
        f"overlap, and forgets that the own value is always in both classes. Take it for a pattern, not for a rate."
    )


def calibration_sentence(parts: pd.DataFrame) -> str:
    """Where the pinning estimate is off."""
    gap = parts["estimated"] - parts["simulated"]
    outside = parts[(parts["estimated"] < parts["low"] - MARGIN) | (parts["estimated"] > parts["high"] + MARGIN)]
    worst = highest(parts, gap.abs())
    mean_e = float(np.average(parts["estimated"], weights=parts["people"]))
    mean_s = float(np.average(parts["simulated"], weights=parts["people"]))
    side = "too high" if worst["estimated"] > worst["simulated"] else "too low"
    sentence = (
        f"Over everybody the estimate says {percent(mean_e)}, the simulation {percent(mean_s)}. People are taken in "
        f"{len(parts)} parts by rising estimate; in **{len(outside)}** of them it lies more than half a percentage "
        "point outside the range of the draws."
    )
    if not len(outside):
        return sentence
    return (
        f"{sentence} Farthest off in part {worst['part']:.0f}: {percent(float(worst['estimated']))} estimated, "
        f"{percent(float(worst['simulated']))} simulated ({side})."
    )


def _judged_alt(frame: pd.DataFrame, estimated: pd.Series) -> str:
    return (
        f"Vulnerable classes against k: estimated {percent(float(estimated.iloc[0]))} to "
        f"{percent(float(estimated.iloc[-1]))}, real {percent(float(frame['real_all'].iloc[0]))} to "
        f"{percent(float(frame['real_all'].iloc[-1]))} of all classes."
    )


def _calibration_alt(parts: pd.DataFrame) -> str:
    last: Any = parts.iloc[-1]
    return (
        f"Share left with one value by estimate: the highest part has {percent(float(last['estimated']))} estimated "
        f"and {percent(float(last['simulated']))} simulated."
    )


def _judged_table(frame: pd.DataFrame) -> pd.DataFrame:
    words = {
        "k": "k",
        "classes": "Classes",
        "shared_classes": "With a shared person",
        "estimated": "Estimated, at least l",
        "estimated_subset": "Estimated, strict",
        "estimated_joint": "Estimated, class by class",
        "real_all": "Real, of all classes",
        "real_shared": "Real, of classes with a shared person",
        "breached": "Shared people with fewer than l left",
        "expected": "One left, expected",
        "expected_low": "Band from",
        "expected_high": "Band to",
        "pinned": "One left, first estimate",
        "really_pinned": "One left, simulated",
    }
    shown = frame[list(words)].rename(columns=words)
    shares = list(words.values())[3:]
    return shown.assign(**{name: (100 * shown[name]).round(2) for name in shares}).rename(
        columns={name: f"{name} (%)" for name in shares}
    )


def _calibration_table(parts: pd.DataFrame) -> pd.DataFrame:
    words = {
        "part": "Part",
        "people": "People",
        "estimated": "Estimated",
        "simulated": "Simulated",
        "low": "Least of the draws",
        "high": "Most of the draws",
        "left": "Values left, estimated",
        "really_left": "Values left, simulated",
    }
    shown = parts[list(words)].rename(columns=words)
    shares = ["Estimated", "Simulated", "Least of the draws", "Most of the draws"]
    return shown.assign(**{name: (100 * shown[name]).round(2) for name in shares}).rename(
        columns={name: f"{name} (%)" for name in shares}
    )

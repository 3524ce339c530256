"""Numbers of an attack for each redraw, and their summary over redraws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

import core.attack.metrics  # noqa: F401 - fills the registry that is asked below
from core.attack.intruder import KNOWS
from core.attack.number import ANY, Attacked, shares
from core.base.rates import redraw_intervals
from core.study.one_run import Outcome

PART, JOINT = "part ", "joint"
"""Prefix of the columns with exposure in each of several sensitive columns, by number, and of their joint value."""


def part_columns(number: int | str) -> tuple[str, str, str, str, str]:
    """Columns of one of several sensitive columns: share, interval, best single release, wrong part."""
    name = f"{PART}{number}"
    return name, f"{name} low", f"{name} high", f"{name} single", f"{name} wrong"


def attack_numbers(value: Any, outcome: Outcome, confidences: Sequence[float]) -> list[dict[str, float]]:
    """Numbers of one draw of a study, one row per confidence.

    Parameters
    ----------
    value
        Value of what varies, which identifies the rows.
    outcome
        The draw, attacked.
    confidences
        Confidence levels C of the adversary.

    Returns
    -------
    list of dict
        Under the names of :func:`core.study.sweep.sweep`; shares from 0 to 1.
    """
    result = outcome.result
    attacked = Attacked(result, outcome.same_value_rate, outcome.named)
    known = [share.only.value for share in result.located_correctly if share is not None]
    declared = shares(outcome.named).values()
    common = {
        "value": value,
        "n": result.people,
        "class_size": outcome.class_size,
        "prior": float(result.mean(result.effective_anonymity).mean()),
        "posterior": float(result.mean(result.posterior)),
        "fewest": float(result.fewest[result.fewest > 0].min(initial=len(result.values))),
        "drop": float(result.mean(result.drop)),
        "vulnerable": result.vulnerable.value,
        "empty": result.empty.value,
        "false_alarms": result.false_alarms.value,
        "unlocated": float(result.unlocated.mean() / result.people),
        "located": float(np.mean(known)) if known else math.nan,
        "guess_one": result.guess(1.0),
        "said": float(result.mean(attacked.weighted.max_posterior)),
    }
    for number in declared:
        if number.read == ANY:
            common |= number.at(attacked, 1.0)
    for place, own in enumerate(result.by_column()):
        share, _, _, single, wrong = part_columns(place if own.column else JOINT)
        common |= {share: own.exposed.value, single: own.exposed.single or 0.0, wrong: own.wrong}
    rows = []
    for confidence in confidences:
        row = {**common, "confidence": confidence, "guess": result.guess(confidence)}
        for number in declared:
            if number.read != ANY:
                row |= number.at(attacked, confidence)
        rows.append(row)
    return rows


def over_redraws(rows: pd.DataFrame, vary: str, repeats: int, model: float = 0.0) -> pd.DataFrame:
    """Mean over redraws, with the interval of the shares: the frame of :func:`core.study.sweep.sweep`.

    ``value`` and ``confidence`` are keys: they are passed on as they were given. A mean of
    equal floats may differ from them in the last bit, and would not be found again. ``model`` is the
    standard error of what the others are drawn from (:attr:`core.study.hospitals.Study.model_error`).
    """
    places: dict[tuple[Any, float], list[int]] = {}
    for place, key in enumerate(zip(rows["value"], rows["confidence"], strict=True)):
        places.setdefault(key, []).append(place)
    numbers_only = rows.drop(columns=["value", "confidence"]).astype(float)
    names, every = list(numbers_only.columns), numbers_only.to_numpy()
    keys, draws = list(places), np.array([len(where) for where in places.values()], dtype=np.int64)
    means = np.empty((len(keys), len(names)))
    parts = [part_columns(name.removeprefix(PART)) for name in names if name.startswith(PART) and name.count(" ") == 1]
    counted = [number for number in shares(KNOWS).values() if number.column in names]
    triples = [(number.column, number.low, number.high) for number in counted]
    triples += [(share, low, high) for share, low, high, _, _ in parts]
    ends = {name: np.empty(len(keys)) for _, low, high in triples for name in (low, high)}
    for times in np.unique(draws).tolist():
        same_times = np.flatnonzero(draws == times)
        drawn = every[np.array([places[keys[key]] for key in same_times]).T]  # (draws, keys, numbers)
        there = ~np.isnan(drawn)
        with np.errstate(invalid="ignore"):
            means[same_times] = np.where(there, drawn, 0.0).sum(axis=0) / there.sum(axis=0)
        means[same_times, names.index("fewest")] = drawn[:, :, names.index("fewest")].min(axis=0)
        people = means[same_times, names.index("n")]
        for share, low, high in triples:
            ends[low][same_times], ends[high][same_times] = redraw_intervals(
                drawn[:, :, names.index(share)], people, model
            )
    summary = dict(zip(names, means.T, strict=True)) | ends
    summary["n"] = summary["n"].astype(int)
    value, confidence = ([key[part] for key in keys] for part in (0, 1))
    frame = {"vary": vary, "repeats": repeats, "value": value, "confidence": confidence, **summary}
    of_numbers = [column for number in counted for column in number.columns]
    columns = ["vary", "value", "confidence", "n", "repeats", *of_numbers, "guess", *_BESIDE]
    return pd.DataFrame(frame, columns=[*columns, *(name for part in parts for name in part)])


_BESIDE = (
    "class_size",
    "prior",
    "posterior",
    "fewest",
    "drop",
    "vulnerable",
    "empty",
    "false_alarms",
    "unlocated",
    "located",
    "guess_one",
    "said",
)

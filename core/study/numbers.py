"""Numbers of an attack, a redraw at a time, and what they come to over redraws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.attack.categories import category_breach
from core.attack.weighted import Weighted, set_hit
from core.data.encoding import Encoded
from core.data.taxonomy import Taxonomy
from core.errors import ParameterError
from core.metrics import EXPOSED
from core.rates import redraw_interval
from core.study.run import Outcome


def category_tree(encoded: Encoded, level: int | None) -> Taxonomy | None:
    """Taxonomy whose categories are asked for, if any are."""
    if level is None:
        return None
    if encoded.sensitive.taxonomy is None:
        raise ParameterError(
            "Categories need a taxonomy of the sensitive attribute; give it one or ask for no categories.",
            parameter="category_level",
        )
    return encoded.sensitive.taxonomy


def attack_numbers(
    value: Any, outcome: Outcome, confidences: Sequence[float], tree: Taxonomy | None, level: int | None
) -> list[dict[str, float]]:
    """Numbers of one draw of a study, a row a confidence.

    Parameters
    ----------
    value
        What the rows are told apart by.
    outcome
        The draw, attacked.
    confidences
        Confidence levels C of the adversary.
    tree, level
        Output of :func:`category_tree`, and its level; category breach is NaN without them.

    Returns
    -------
    list of dict
        Under the names of :func:`core.study.sweep.sweep`; shares from 0 to 1.
    """
    result = outcome.result
    weighted = outcome.weighed()
    known = [share.only.value for share in result.located_correctly if share is not None]
    common = {
        "value": value,
        "n": result.people,
        "class_size": outcome.class_size,
        "prior": float(result.prior.mean()),
        "posterior": float(result.posterior.mean()),
        "drop": float(result.drop.mean()),
        "vulnerable": result.vulnerable.value,
        "empty": result.empty.value,
        "false_alarms": result.false_alarms.value,
        "unlocated": float(result.unlocated.mean() / result.people),
        "located": float(np.mean(known)) if known else math.nan,
        "hit": float(set_hit(result).mean()),
        "hit_single": float((result.holds / np.maximum(result.prior, 1)).mean(axis=1).max()),
        "weighted_hit": float(weighted.hit.mean()),
        "weighted_hit_single": float(weighted.alone_hit.mean(axis=1).max()),
        "guess_one": result.guess(1.0),
        "said": float(weighted.confidence.mean()),
        **_category(outcome, tree, level),
    }
    return [
        {
            **common,
            "confidence": confidence,
            "share": float(result.breached(confidence).mean()),
            "right": float(result.rightly(confidence).mean()),
            "right_single": result.rightly_single(confidence),
            "wrong": float((result.breached(confidence) & ~result.true_value_left).mean()),
            "single": result.single(confidence),
            "guess": result.guess(confidence),
            **_weighted(weighted, confidence),
        }
        for confidence in confidences
    ]


def _weighted(weighted: Weighted, confidence: float) -> dict[str, float]:
    sure, right = weighted.pvp(confidence), weighted.hits(confidence)
    assert sure.single is not None
    assert right.single is not None
    return {
        "weighted": sure.value,
        "weighted_single": sure.single,
        "weighted_right": right.value,
        "weighted_right_single": right.single,
        "weighted_wrong": float((weighted.breached(confidence) * (1 - weighted.hit)).mean()),
    }


def _category(outcome: Outcome, tree: Taxonomy | None, level: int | None) -> dict[str, float]:
    if tree is None or level is None:
        names = ("category", "category_wrong", "category_single", "category_right", "category_right_single")
        return dict.fromkeys(names, math.nan)
    found = category_breach(outcome.result, tree, level)
    rate, right = found.rate, found.right
    return {
        "category": rate.value,
        "category_wrong": float((found.breached & (found.truth != found.found)).mean()),
        "category_single": math.nan if rate.single is None else rate.single,
        "category_right": right.value,
        "category_right_single": math.nan if right.single is None else right.single,
    }


def over_redraws(rows: pd.DataFrame, vary: str, repeats: int, model: float = 0.0) -> pd.DataFrame:
    """Mean over redraws, with the interval of the shares: the frame of :func:`core.study.sweep.sweep`.

    ``value`` and ``confidence`` are keys: they are handed on as they were asked. A mean of
    equal floats may differ from them in the last bit, and would not be found again. ``model`` is the
    standard error of what the others are drawn from (:attr:`core.study.hospitals.Study.model_error`).
    """
    places: dict[tuple[Any, float], list[int]] = {}
    for place, key in enumerate(zip(rows["value"], rows["confidence"], strict=True)):
        places.setdefault(key, []).append(place)
    numbers_only = rows.drop(columns=["value", "confidence"])
    summary = []
    for (value, confidence), where in places.items():
        mine = numbers_only.iloc[where]
        numbers = mine.mean(numeric_only=True).to_dict()
        for name, low, high in _INTERVALS:
            numbers[low], numbers[high] = redraw_interval(mine[name].tolist(), numbers["n"], model)
        summary.append({**numbers, "vary": vary, "repeats": repeats, "value": value, "confidence": confidence})
    frame = pd.DataFrame(summary)[_COLUMNS]
    return frame.astype({"n": int, **{name: float for _, *pair in _INTERVALS for name in pair}})


_INTERVALS = tuple(dict.fromkeys((each.value, *each.interval) for each in EXPOSED.values()))
_COLUMNS = [
    "vary",
    "value",
    "confidence",
    "share",
    "low",
    "high",
    "n",
    "repeats",
    "wrong",
    "single",
    "guess",
    "right",
    "right_low",
    "right_high",
    "right_single",
    "weighted",
    "weighted_low",
    "weighted_high",
    "weighted_wrong",
    "weighted_single",
    "weighted_right",
    "weighted_right_low",
    "weighted_right_high",
    "weighted_right_single",
    "class_size",
    "prior",
    "posterior",
    "drop",
    "vulnerable",
    "empty",
    "false_alarms",
    "unlocated",
    "located",
    "hit",
    "hit_low",
    "hit_high",
    "hit_single",
    "weighted_hit",
    "weighted_hit_low",
    "weighted_hit_high",
    "weighted_hit_single",
    "guess_one",
    "said",
    "category",
    "category_low",
    "category_high",
    "category_wrong",
    "category_single",
    "category_right",
    "category_right_low",
    "category_right_high",
    "category_right_single",
]

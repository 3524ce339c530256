"""Numbers of an attack, a redraw at a time, and what they come to over redraws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.categories import category_breach
from core.encoding import Encoded
from core.errors import ParameterError
from core.rates import redraw_interval
from core.study import Outcome
from core.taxonomy import Taxonomy
from core.weighted import set_hit, weigh


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
        Under the names of :func:`core.curves.sweep`; shares from 0 to 1.
    """
    result = outcome.result
    weighted = weigh(result)
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
        "weighted_hit": float(weighted.hit.mean()),
        "said": float(weighted.confidence.mean()),
        **_category(outcome, tree, level),
    }
    return [
        {
            **common,
            "confidence": confidence,
            "share": float(result.breached(confidence).mean()),
            "wrong": float((result.breached(confidence) & ~result.true_value_left).mean()),
            "single": result.single(confidence),
            "guess": result.guess(confidence),
            "weighted": float(weighted.breached(confidence).mean()),
            "weighted_wrong": float((weighted.breached(confidence) * (1 - weighted.hit)).mean()),
        }
        for confidence in confidences
    ]


def _category(outcome: Outcome, tree: Taxonomy | None, level: int | None) -> dict[str, float]:
    if tree is None or level is None:
        return dict.fromkeys(("category", "category_wrong", "category_single", "category_guess"), math.nan)
    found = category_breach(outcome.result, tree, level)
    rate = found.rate
    return {
        "category": rate.value,
        "category_wrong": found.wrong.value,
        "category_single": math.nan if rate.single is None else rate.single,
        "category_guess": math.nan if rate.baseline is None else rate.baseline,
    }


def over_redraws(rows: pd.DataFrame, vary: str, repeats: int) -> pd.DataFrame:
    """Mean over redraws, with the interval of the shares: the frame of :func:`core.curves.sweep`."""
    keys = rows[["value", "confidence"]].drop_duplicates()
    summary = []
    for value, confidence in keys.itertuples(index=False):
        mine = rows[(rows["value"] == value) & (rows["confidence"] == confidence)]
        numbers = mine.mean(numeric_only=True).to_dict()
        for name, low, high in _INTERVALS:
            numbers[low], numbers[high] = redraw_interval(mine[name].tolist())
        summary.append({**numbers, "vary": vary, "repeats": repeats, "value": value})
    frame = pd.DataFrame(summary)[_COLUMNS]
    return frame.astype({"n": int, **{name: float for _, *pair in _INTERVALS for name in pair}})


_INTERVALS = (
    ("share", "low", "high"),
    ("weighted", "weighted_low", "weighted_high"),
    ("category", "category_low", "category_high"),
)
_COLUMNS = [
    "vary", "value", "confidence", "share", "low", "high", "n", "repeats", "wrong", "single", "guess",
    "weighted", "weighted_low", "weighted_high", "weighted_wrong",
    "class_size", "prior", "posterior", "drop", "vulnerable", "empty", "false_alarms", "unlocated", "located",
    "hit", "weighted_hit", "said",
    "category", "category_low", "category_high", "category_wrong", "category_single", "category_guess",
]  # fmt: skip

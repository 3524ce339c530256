"""Limits compared with guessing: the lowest possible value, and the start of a limit."""

from __future__ import annotations

import math

from core.base.metrics import METRICS
from core.decision.review import Assessment

ABOVE = 0.05
"""Margin above guessing for the start of a limit that depends on it, and the step to which it is rounded up."""


def guessing(assessed: Assessment) -> float:
    """Share of the shared people for whom naming the most common value is right; 0 if it is not known."""
    frame = assessed.exposure
    if not len(frame) or "guess_one" not in frame:
        return 0.0
    value = float(frame["guess_one"].iloc[0])
    return 0.0 if math.isnan(value) else value


def least(name: str, assessed: Assessment) -> float:
    """Value of an attack number without any release, from the frequency of values.

    Naming the most common value is correct for the share :func:`guessing`. If that share reaches the chosen confidence,
    everyone counts as exposed to the weighted adversary, and people with that value as true disclosures.
    """
    guess = guessing(assessed)
    if name in ("hit", "weighted_hit"):
        return guess
    if guess < assessed.scenario.confidence:
        return 0.0
    return {"weighted": 1.0, "weighted_correct": guess}.get(name, 0.0)


def start(name: str, assessed: Assessment) -> float:
    """Start of a limit: the default, or a step above guessing."""
    floor = least(name, assessed)
    if floor <= 0:
        return METRICS[name].start
    above = math.ceil(round((floor + ABOVE) / ABOVE, 9)) * ABOVE
    return min(1.0, max(METRICS[name].start, round(above, 2)))


PRESET = ("k", "one_value_left_correct", "weighted_correct", "loss")


def defaults(assessed: Assessment) -> dict[str, float]:
    """The first limits, none of them below guessing. They come from this tool, not from a standard."""
    return {name: start(name, assessed) for name in PRESET}

"""Slow twin of the interval of a share over redraws: every share that is near enough, found by halving."""

from __future__ import annotations

from collections.abc import Sequence


def redraw_interval(values: Sequence[float], n: float, model: float, quantile: float) -> tuple[float, float]:
    """All p with (x - p)^2 <= (t^2 v (1 + 1/m) + (2 z model)^2) p (1 - p), and one person more at either end."""
    m = len(values)
    x = sum(values) / m
    variance = sum((value - x) ** 2 for value in values) / (m - 1)
    per_unit = 1 / n
    if 0 < x < 1:
        per_unit = max(per_unit, variance / (x * (1 - x)))
    reach = quantile**2 * per_unit * (1 + 1 / m) + (2 * 1.959963984540054 * model) ** 2

    def near(p: float) -> bool:
        return (x - p) ** 2 <= reach * p * (1 - p)

    ends = []
    for outer in (0.0, 1.0):
        good, bad = x, outer
        for _ in range(200):
            middle = (good + bad) / 2
            good, bad = (middle, bad) if near(middle) else (good, middle)
        ends.append(good)
    if x == 0:  # nothing is nearer than 0 itself on that side, and the first step to the other is near
        ends[1] = reach / (1 + reach)
    if x == 1:
        ends[0] = 1 / (1 + reach)
    return max(0.0, ends[0] - 1 / n), min(1.0, ends[1] + 1 / n)

"""Probability that at least m of several values occur among independent draws.

A hypothesised release has n records, each drawn independently; a record falls into the region
of a class with value s with probability c_s [Sattar 2018, Def. 5-6]. The paper takes the
probability that l values occur from an earlier work and does not print it; this is our reading [definitions §5].

For l of at most 2 in closed form, by inclusion and exclusion over at most one value. For more, the multinomial
is a Poisson count conditioned on its total: a sum over K points of the unit circle, in each of which the number of
values is a Poisson-binomial with complex weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints
from core.data.classes import ClassHistogram

_TAIL = 45.0
"""Parts of the circle with a weight below exp(-45) are left out."""
_CELLS = 2_000_000
"""Largest number of complex numbers held at a time."""


def at_least(cells: Floats, draws: int, wanted: int) -> Floats:
    """Probability that at least ``wanted`` of the values occur among the draws.

    Parameters
    ----------
    cells
        (classes, values) probability that one draw is in the region of the class and has that value; 0 means no value.
        A row sums to at most 1.
    draws
        Records of the hypothesised release, n >= 0.
    wanted
        l >= 0. For as many values as a row has, it is the joint probability that all of them occur.

    Returns
    -------
    ndarray
        (classes,), exact to about 1e-8, the rounding of the sum over the circle.

    Notes
    -----
    O(classes x values) for l of at most 2, else some 20 times as much for each of l; more for the few classes whose
    values take more than half of the population.
    """
    rows, values = cells.shape
    if wanted <= 0:
        return np.ones(rows)
    if values < wanted:
        return np.zeros(rows)
    total = np.minimum(cells.sum(axis=1), 1.0)
    way = _closed if wanted <= 2 else _around_the_circle
    return way(cells, total, draws, wanted)


def present(cells: Floats, draws: int) -> Floats:
    """Probability that a cell of this probability holds one of the draws: 1 - (1 - c)^n, exact."""
    if draws == 0:
        return np.zeros_like(cells)
    with np.errstate(divide="ignore"):
        chance: Floats = -np.expm1(draws * np.log1p(-np.minimum(cells, 1.0)))
    return chance


def _closed(cells: Floats, total: Floats, draws: int, wanted: int) -> Floats:
    """(classes,) the probability of :func:`at_least` for l of 1 or 2, in closed form."""
    any_value = present(total, draws)
    if wanted == 1:
        return any_value
    # At least two, unless none occurs or one alone: none but s with (1 - C + c_s)^n - (1 - C)^n.
    none = 1.0 - any_value
    none_but = 1.0 - present(np.maximum(total[:, None] - cells, 0.0), draws)
    alone = none_but - none[:, None]
    chance: Floats = np.clip(1.0 - none - alone.sum(axis=1), 0.0, 1.0)
    return chance


def _take(state: NDArray[Any], absent: NDArray[Any], there: NDArray[Any]) -> None:
    """Add one more value, which occurs or not; ``state[..., j]`` is the weight of j values so far."""
    moved = state[..., :-1] * there
    state *= absent
    state[..., 1:] += moved


def _around_the_circle(cells: Floats, total: Floats, draws: int, wanted: int) -> Floats:
    """(classes,) the probability of :func:`at_least` for any l: fewer values, summed over points of the circle."""
    if draws == 0:
        return np.zeros(len(cells))
    # With K points, totals n + K, n + 2K, ... are mistaken for n: below 1e-17 of it.
    points = 2 * math.ceil(4.5 * math.sqrt(draws) + 10) + 1
    angle = 2 * math.pi * np.arange((points + 1) // 2) / points
    weight = np.where(angle > 0, 2.0, 1.0) / points
    scale = math.exp(draws - draws * math.log(draws) + math.lgamma(draws + 1))  # 1 / P(Poisson(n) = n)
    below = np.empty(len(cells))
    narrow = draws * 0.5 * (1 - np.cos(angle)) <= _TAIL
    for group, kept in ((total <= 0.5, narrow), (total > 0.5, np.ones(len(angle), dtype=bool))):
        members = np.flatnonzero(group)
        step = max(1, _CELLS // (int(kept.sum()) * wanted))
        for start in range(0, len(members), step):
            part = members[start : start + step]
            below[part] = _fewer(cells[part], total[part], draws, wanted, angle[kept], weight[kept]) * scale
    return np.clip(1.0 - below, 0.0, 1.0)


def _fewer(cells: Floats, total: Floats, draws: int, wanted: int, angle: Floats, weight: Floats) -> Floats:
    """P(fewer than l values occur, and the Poisson total is n) as a sum over points of the circle."""
    turn = np.exp(1j * angle) - 1.0
    state = np.zeros((len(cells), len(angle), wanted), dtype=np.complex128)
    state[..., 0] = np.exp(draws * (1.0 - total)[:, None] * turn - 1j * draws * angle)
    for value in range(cells.shape[1]):
        mean = draws * cells[:, value, None]
        absent = np.exp(-mean)
        _take(state, absent[..., None], (np.exp(mean * turn) - absent)[..., None])
    chance: Floats = (state.sum(axis=2).real * weight).sum(axis=1)
    return chance


def padded(histogram: ClassHistogram, numbers: Floats) -> Iterator[tuple[Ints, Floats]]:
    """Lay out numbers of (class, value) triples as rectangles, classes with about as many values together.

    Yields
    ------
    classes, rectangle
        (part,) class numbers and (part, width) their numbers, filled up with 0. Widths are
        powers of 2, so at most half of a rectangle is filling.
    """
    count = histogram.distinct
    width = 1
    while width < 2 * count.max(initial=1):
        part = np.flatnonzero((count <= width) & (count > width // 2))
        if len(part):
            place = np.arange(min(width, int(count[part].max())))
            where = np.minimum(histogram.starts[part][:, None] + place, len(numbers) - 1)
            yield part, np.where(place < count[part][:, None], numbers[where], 0.0)
        width *= 2

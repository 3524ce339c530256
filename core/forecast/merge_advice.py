"""Which classes to merge with their nearest, and what that would bring: by really doing it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats, Ints, Progress
from core.data.domain import Domain
from core.errors import ParameterError
from core.forecast.another import Another
from core.forecast.estimate import Forecast
from core.forecast.expected import Expected
from core.forecast.ground import Ground
from core.forecast.search import Question
from core.release.release import Release
from core.release.utility import gcp

MOST_PAIRS = 8_000_000
"""Pairs of classes compared in one round of merging; the worst classes that fit are treated."""
_PART = 500_000
_TABLE = 500


@dataclass(frozen=True, eq=False)
class Merger:
    """What merging some classes would do.

    Parameters
    ----------
    share
        Part of the vulnerable classes that was treated, worst first.
    rounds
        How often: in a second round the classes still vulnerable are treated again.
    treated
        Classes of the present release that were merged with their nearest, worst first.
    release, forecast, loss
        What comes of it; loss is GCP.
    expected
        Shared people expected to be left with one value then; ``None`` where nobody is shared.
    """

    share: float
    rounds: int
    treated: Ints
    release: Release
    forecast: Forecast
    loss: float
    expected: Expected | None = None


def mergers(
    release: Release,
    question: Question | None = None,
    reading: str = "at least l",
    shares: Sequence[float] = (0.1, 0.25, 0.5, 1.0),
    rounds: int = 4,
    progress: Progress | None = None,
) -> list[Merger]:
    """Merge the worst classes with their nearest, more and more of them, and forecast again.

    Parameters
    ----------
    release
        The present release.
    question, reading
        How the forecast is asked for, and which probability ranks the classes.
    shares
        Parts of the vulnerable classes to treat once.
    rounds
        After the last of them, treat what is still vulnerable again, up to so many rounds in
        all.
    progress
        Called with the share done; an exception it raises cancels.

    Returns
    -------
    list of Merger
        Nothing done first, then one a part, then one a further round; it ends where no class
        is vulnerable or everything is one class.

    Notes
    -----
    Nearest is the class whose union with it has the least normalised certainty penalty. A
    merged class keeps k-anonymity and distinct l; entropy l, recursive l and t may be lost.
    O(treated x classes x quasi-identifiers) a round.
    """
    ask = question or Question()
    if not shares or min(shares) <= 0 or max(shares) > 1:
        raise ParameterError("shares must be above 0 and at most 1, at least one.", parameter="shares")
    present, another = ask.of(release), ask.another(release)
    ground = Ground(release.encoded)
    start = ask.expected(release, another, ground)
    merged_steps = [Merger(0.0, 0, np.empty(0, dtype=np.int64), release, present, gcp(release), start)]
    steps = len(shares) + rounds - 1
    worst = _worst(present, reading)
    for done, share in enumerate(sorted(shares)):
        if not len(worst) or release.classes.count == 1:
            break
        treated = worst[: max(1, round(share * len(worst)))]
        merged_steps.append(_merger(merged(release, treated), (share, 1, treated), ask, (another, ground)))
        if progress is not None:
            progress((done + 1) / steps)
    while len(merged_steps) > 1 and merged_steps[-1].rounds < rounds:
        last = merged_steps[-1]
        left = _worst(last.forecast, reading)
        if not len(left) or last.release.classes.count == 1:
            break
        what = (last.share, last.rounds + 1, last.treated)
        merged_steps.append(_merger(merged(last.release, left), what, ask, (another, ground)))
        if progress is not None:
            progress((len(shares) + merged_steps[-1].rounds - 1) / steps)
    return merged_steps


def _merger(
    release: Release, what: tuple[float, int, Ints], question: Question, others: tuple[Another | None, Ground]
) -> Merger:
    """Put together share treated, rounds and classes with what comes of them."""
    estimate, then = question.of(release), question.expected(release, *others)
    return Merger(*what, release, estimate, gcp(release), then)


def _worst(estimate: Forecast, reading: str) -> Ints:
    """Vulnerable classes, the least likely to share l values first, as many as can be compared."""
    order = np.lexsort((estimate.class_left, estimate.probability(reading)))
    order = order[estimate.vulnerable(reading)[order]]
    return order[: max(1, MOST_PAIRS // max(1, estimate.classes))]


def merged(release: Release, treated: Ints) -> Release:
    """Join each of some classes with its nearest; classes joined in a chain become one."""
    low, high = release.classes.lows_highs(release.encoded.codes)
    group = _connected(release.classes.count, treated, _nearest(release, low, high, treated))
    labels = release.classes.labels
    kept = labels >= 0
    fresh = np.full(len(labels), -1, dtype=np.int32)
    fresh[kept] = np.unique(group, return_inverse=True)[1][labels[kept]]
    return Release.of(release.encoded, fresh, release.policy, release.algorithm, release.inputs, release.position)


def _nearest(release: Release, low: NDArray[np.int32], high: NDArray[np.int32], treated: Ints) -> Ints:
    """Class with which each treated class loses least."""
    count = release.classes.count
    nearest = np.empty(len(treated), dtype=np.int64)
    penalties = [_penalty(domain) for domain in release.encoded.qids]
    step = max(1, _PART // count)
    for start in range(0, len(treated), step):
        part = treated[start : start + step]
        penalty = np.zeros((len(part), count))
        for i, of_union in enumerate(penalties):
            union_low = np.minimum(low[part, i, None], low[None, :, i]).astype(np.int64)
            penalty += of_union(union_low, np.maximum(high[part, i, None], high[None, :, i]))
        penalty[np.arange(len(part)), part] = np.inf
        nearest[start : start + step] = np.argmin(penalty, axis=1)
    return nearest


def _penalty(domain: Domain) -> Callable[[NDArray[Any], NDArray[Any]], Floats]:
    """Certainty penalty of regions of one attribute; looked up in a table of all regions where that is small."""

    def direct(low: NDArray[Any], high: NDArray[Any]) -> Floats:
        width = domain.width(low.ravel(), high.ravel()).reshape(low.shape)
        return np.where(low == high, 0.0, width)

    if domain.size > _TABLE:
        return direct
    first, last = np.triu_indices(domain.size)
    table = np.zeros(domain.size**2)
    table[first * domain.size + last] = direct(first, last)
    return lambda low, high: table[low * domain.size + high]


def _connected(count: int, first: Ints, other: Ints) -> Ints:
    """(count,) the smallest class that each class is joined with, directly or in a chain."""
    group = np.arange(count)
    while True:
        least = np.minimum(group[first], group[other])
        before = group.copy()
        np.minimum.at(group, first, least)
        np.minimum.at(group, other, least)
        group = group[group]
        if np.array_equal(group, before):
            return group

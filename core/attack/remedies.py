"""What merging or suppressing the worst classes would do to the exposure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.attack.intersection import by_record, intersection_attack
from core.base.arrays import Ints
from core.base.errors import ParameterError
from core.data.classes import weighted_count
from core.release.readable import Readable
from core.release.release import Release
from core.release.utility import gcp


@dataclass(frozen=True)
class Remedy:
    """What treating the worst classes of the first release would do.

    Parameters
    ----------
    action
        ``"none"``, ``"suppress"`` (leave their records out) or ``"merge"`` (join each with
        the class with which it loses least).
    classes, records
        Classes treated and the records in them.
    share
        Share of the shared people breached afterwards.
    loss
        Information loss (GCP) afterwards; a suppressed record counts as lost whole.
    """

    action: str
    classes: int
    records: int
    share: float
    loss: float


def remedies(
    releases: Sequence[Readable],
    people: Sequence[NDArray[Any] | None],
    confidence: float,
    shares: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2),
    locate: str = "assumed",
    weight: Ints | None = None,
) -> list[Remedy]:
    """Suppress or merge the worst classes of the first release, and attack again.

    The worst classes are those where the largest part of the shared people is breached;
    only a simulation knows them.

    Parameters
    ----------
    releases, people, locate, weight
        As attacked; see :func:`core.intersection_attack`. The first is a release of mine.
    confidence
        Level C of a breach.
    shares
        Parts of the classes with a breached person to treat, worst first.

    Returns
    -------
    list of Remedy
        The present state first, then for each part suppression and merging.
    """
    mine = releases[0].release
    if mine is None or people[0] is None:
        raise ParameterError("The first release must be one of mine, with its people.", parameter="releases")
    before = intersection_attack(releases, people, locate, weight)
    by_each = before if before.record is None else by_record(releases, people, locate)
    breached = by_each.breached(confidence)
    label = mine.labels[people[0]]
    there = label >= 0
    each = weight if weight is None else weight[there]
    hit = weighted_count(label[there], breached[there] * (1 if each is None else each), mine.classes.count)
    shared = weighted_count(label[there], each, mine.classes.count)
    part = hit / np.maximum(shared, 1)
    worst = np.lexsort((np.arange(len(hit)), -hit, -part))
    worst = worst[hit[worst] > 0]
    treatments = [Remedy("none", 0, 0, float(before.mean(before.breached(confidence))), gcp(mine))]
    for share in shares if len(worst) else ():
        treated = worst[: max(1, round(share * len(worst)))]
        records = int(mine.classes.sizes[treated].sum())
        for action, labels in (("suppress", _suppressed(mine, treated)), ("merge", _merged(mine, treated))):
            if labels.max() < 0:
                continue
            other = Release.of(mine.encoded, labels, mine.policy, mine.algorithm, mine.inputs, mine.position)
            after = intersection_attack([other, *releases[1:]], people, locate, weight)
            treatments.append(
                Remedy(action, len(treated), records, float(after.mean(after.breached(confidence))), gcp(other))
            )
    return treatments


def _renumbered(labels: NDArray[Any]) -> NDArray[np.int32]:
    kept = labels >= 0
    fresh = np.full(len(labels), -1, dtype=np.int32)
    fresh[kept] = np.unique(labels[kept], return_inverse=True)[1]
    return fresh


def _suppressed(release: Release, classes: Ints) -> NDArray[np.int32]:
    gone = np.zeros(release.classes.count, dtype=bool)
    gone[classes] = True
    labels = release.classes.labels
    return _renumbered(np.where((labels >= 0) & gone[labels], -1, labels))


def _merged(release: Release, classes: Ints) -> NDArray[np.int32]:
    """Join each class with the one whose union with it has the least certainty penalty."""
    low, high = release.classes.lows_highs(release.encoded.codes)
    count = release.classes.count
    if count == 1:
        return release.classes.labels
    joined = np.arange(count)
    for number in classes:
        penalty = np.zeros(count)
        for i, domain in enumerate(release.encoded.qids):
            union_low = np.minimum(low[:, i], low[number, i]).astype(np.int64)
            union_high = np.maximum(high[:, i], high[number, i]).astype(np.int64)
            penalty += np.where(union_low == union_high, 0.0, domain.width(union_low, union_high))
        penalty[number] = np.inf
        joined[joined == joined[number]] = joined[int(np.argmin(penalty))]
    labels = release.classes.labels
    return _renumbered(np.where(labels >= 0, joined[labels], -1))

"""Who is exposed by an attack, and what the publisher could do about the worst classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.attack import AttackResult, intersection_attack
from core.domain import Domain
from core.encoding import Encoded
from core.errors import ParameterError
from core.models import distances, entropies, known_distinct
from core.published import Published
from core.release import Release, region_text
from core.schema import Kind
from core.utility import gcp, ncp

Ints = NDArray[np.int64]
OTHERS = "all others"


def by_attribute(
    result: AttackResult, encoded: Encoded, attribute: str, confidence: float, groups: int = 8
) -> pd.DataFrame:
    """Breach by groups of one quasi-identifier, or by the sensitive value itself.

    Parameters
    ----------
    result
        Outcome of an attack.
    encoded
        Records of the first hospital; its first records are the people attacked.
    attribute
        Name of a quasi-identifier or of the sensitive attribute.
    confidence
        Level C of a breach.
    groups
        Most groups to show: ranges of about equally many people, or the commonest values
        and "all others".

    Returns
    -------
    DataFrame
        ``group, people, breached, share``; people over all groups add up to those attacked.
    """
    people = result.people
    if attribute == encoded.sensitive.name:
        domain, codes = encoded.sensitive, encoded.secret[:people]
    else:
        names = [domain.name for domain in encoded.qids]
        if attribute not in names:
            raise ParameterError("Choose a quasi-identifier or the sensitive attribute.", parameter="attribute")
        domain, codes = encoded.qids[names.index(attribute)], encoded.codes[names.index(attribute)][:people]
    group, labels = _groups(domain, codes, groups)
    total = np.bincount(group, minlength=len(labels))
    hit = np.bincount(group, weights=result.breached(confidence), minlength=len(labels)).astype(np.int64)
    frame = pd.DataFrame({"group": labels, "people": total, "breached": hit, "share": hit / np.maximum(total, 1)})
    return frame[frame["people"] > 0].reset_index(drop=True)


def _groups(domain: Domain, codes: NDArray[np.int32], most: int) -> tuple[Ints, list[str]]:
    """Group of each code and the labels of the groups."""
    count = np.bincount(codes, minlength=domain.size)
    if np.count_nonzero(count) <= most:
        return codes.astype(np.int64), list(domain.labels)
    if domain.kind in (Kind.NUMERIC, Kind.ORDINAL):
        ends = np.searchsorted(np.cumsum(count), np.arange(1, most + 1) * len(codes) / most)
        ends = np.unique(np.minimum(ends, domain.size - 1))
        lows = np.concatenate(([0], ends[:-1] + 1))
        texts = [region_text(domain, int(low), int(high)) for low, high in zip(lows, ends, strict=True)]
        return np.searchsorted(ends, codes), texts
    common = np.argsort(-count, kind="stable")[: most - 1]
    number = np.full(domain.size, most - 1)
    number[common] = np.arange(most - 1)
    rest = OTHERS
    while rest in domain.labels:
        rest = f"({rest})"
    return number[codes], [*(domain.labels[i] for i in common), rest]


# ---- remedies ---------------------------------------------------------------------------


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
    releases: Sequence[Release | Published],
    people: Sequence[NDArray[Any] | None],
    confidence: float,
    shares: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2),
    locate: str = "default",
) -> list[Remedy]:
    """Suppress or merge the worst classes of the first release, and attack again.

    The worst classes are those where the largest part of the shared people is breached;
    only a simulation knows them.

    Parameters
    ----------
    releases, people, locate
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
    mine = releases[0]
    if not isinstance(mine, Release) or people[0] is None:
        raise ParameterError("The first release must be one of mine, with its people.", parameter="releases")
    before = intersection_attack(releases, people, locate)
    breached = before.breached(confidence)
    label = mine.labels[people[0]]
    hit = np.bincount(label[label >= 0], weights=breached[label >= 0], minlength=mine.classes.count)
    shared = np.bincount(label[label >= 0], minlength=mine.classes.count)
    part = hit / np.maximum(shared, 1)
    worst = np.lexsort((np.arange(len(hit)), -hit, -part))
    worst = worst[hit[worst] > 0]
    found = [Remedy("none", 0, 0, float(breached.mean()), gcp(mine))]
    for share in shares if len(worst) else ():
        treated = worst[: max(1, round(share * len(worst)))]
        records = int(mine.sizes[treated].sum())
        for action, labels in (("suppress", _suppressed(mine, treated)), ("merge", _merged(mine, treated))):
            if labels.max() < 0:
                continue
            other = Release.of(mine.encoded, labels, mine.policy, mine.algorithm, mine.inputs, mine.position)
            after = intersection_attack([other, *releases[1:]], people, locate)
            found.append(Remedy(action, len(treated), records, float(after.breached(confidence).mean()), gcp(other)))
    return found


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


# ---- class by class ----------------------------------------------------------------------


def class_table(release: Release) -> pd.DataFrame:
    """One row a class: its number, size, diversity, distance and loss, for browsing.

    Columns ``class_number, size, distinct, entropy_l, distance, commonest, loss``;
    ``commonest`` is the share of its commonest sensitive value.
    """
    histogram = release.histogram
    largest = np.maximum.reduceat(histogram.count, histogram.starts)
    return pd.DataFrame(
        {
            "class_number": np.arange(release.classes.count),
            "size": release.sizes,
            "distinct": known_distinct(histogram),
            "entropy_l": np.exp(entropies(histogram)),
            "distance": distances(histogram, release.encoded.sensitive, release.policy.distance),
            "commonest": largest / histogram.sizes,
            "loss": ncp(release).mean(axis=1),
        }
    )

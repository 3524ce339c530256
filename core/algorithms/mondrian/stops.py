"""What Mondrian's published classes say beyond their ranges, because it stops late [definitions §11].

Strict Mondrian cuts whatever k allows. So a class of at least 2k people that was not cut could not be:
in every attribute that it still shows as a range, each cut would leave fewer than k people on one
side. Whoever knows the algorithm and k learns from this that one value is crowded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.algorithms.mondrian.trace import Trace
from core.arrays import Bools, Floats
from core.classes import distinct_columns, weighted_count
from core.data.encoding import Encoded
from core.data.schema import Kind
from core.release.release import Release


@dataclass(frozen=True)
class Stops:
    """How much a release says beyond its ranges.

    Parameters
    ----------
    people
        Share of the people whose class has at least 2k and was not cut.
    cells
        Share of the generalised cells (a record and a quasi-identifier that is no single value) that are
        in such a class and of an attribute with an order.
    known
        In those cells, the mean share of the class that surely has one and the same value; 0 without any.
    really
        The mean share of the class that has its commonest value there.
    """

    people: float
    cells: float
    known: float
    really: float


def applies(release: Release) -> bool:
    """Whether the argument holds: strict Mondrian under k alone, where every record is a person."""
    return (
        release.algorithm.name == "mondrian"
        and release.policy.only_k
        and release.policy.m is None
        and release.encoded.person is None
    )


def stops(release: Release) -> Stops:
    """Count what is known of a release of strict Mondrian under k alone.

    Of n people in a class that was not cut, fewer than k have values below the least value v up to which
    k or more lie, and fewer than k have values above it: at least n - 2(k - 1) have v itself. A
    taxonomy is cut into all children of a node, one of which may simply be small, so nothing is counted there.

    Parameters
    ----------
    release
        For which :func:`applies`.

    Notes
    -----
    O(records log records) for each quasi-identifier.
    """
    sizes, k = release.classes.sizes, release.policy.k
    late, low_high = sizes >= 2 * k, release.classes.lows_highs(release.encoded.codes)
    surely = sizes - 2 * (k - 1)
    generalised = there = known = really = 0.0
    for number, domain in enumerate(release.encoded.qids):
        wide = low_high[0][:, number] < low_high[1][:, number]
        generalised += float(sizes[wide].sum())
        if domain.kind is Kind.TAXONOMY:
            continue
        stopped: Bools = wide & late
        there += float(sizes[stopped].sum())
        known += float(surely[stopped].sum())
        really += float(_commonest(release, number)[stopped].sum())
    return Stops(
        float(sizes[late].sum() / sizes.sum()),
        there / generalised if generalised else 0.0,
        known / there if there else 0.0,
        really / there if there else 0.0,
    )


def _commonest(release: Release, attribute: int) -> Floats:
    """(classes,) records of the commonest value of a quasi-identifier."""
    labels = release.classes.labels  # Mondrian leaves nobody out
    first, group, _ = distinct_columns(np.stack([labels, release.encoded.codes[attribute]]).astype(np.int64))
    many = weighted_count(group, release.encoded.weight, len(first))
    most = np.zeros(release.classes.count)
    np.maximum.at(most, labels[first], many)
    return most


@dataclass(frozen=True)
class TakenBack:
    """What it costs to take some of the last cuts back at random.

    Parameters
    ----------
    last
        Cuts all of whose parts are classes.
    before, after
        Information loss as it is, and expected where each of them is taken back with the chance asked.
    """

    last: int
    before: float
    after: float


def taken_back(encoded: Encoded, trace: Trace, chance: float) -> TakenBack:
    """Expected information loss where each last cut is taken back, independently, with some chance.

    A class of 2k people or more may then be one whose cut was taken back, so that nothing is sure any more
    of any class. Expected values add up, so this is exact and nothing is drawn.

    Parameters
    ----------
    encoded, trace
        The table, and its cuts one by one.
    chance
        From 0 to 1.
    """
    loss = _loss(encoded, trace)
    final = set(trace.after(len(trace.cuts)))
    last = [cut for cut in trace.cuts if final.issuperset(cut.parts)]
    before = float(loss[sorted(final)].sum())
    more = sum(float(loss[cut.parent] - loss[list(cut.parts)].sum()) for cut in last)
    return TakenBack(len(last), before / encoded.records, (before + chance * more) / encoded.records)


def _loss(encoded: Encoded, trace: Trace) -> Floats:
    """(nodes,) mean NCP over the quasi-identifiers times the records of each node."""
    total = np.zeros(len(trace.sizes))
    for number, domain in enumerate(encoded.qids):
        low, high = domain.cover(trace.low[:, number], trace.high[:, number])
        total += np.where(low == high, 0.0, domain.width(low, high))
    loss: Floats = total / len(encoded.qids) * trace.sizes
    return loss

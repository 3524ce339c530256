"""Subsets of one table that share exactly some people [Ganta 2008, §3.1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.base.errors import ParameterError
from core.base.limits import LIMITS
from core.data.encoding.encoded import Encoded

MAX_RELEASES = int(LIMITS["hospitals"].most)


def default_size(records: int, overlap: int, releases: int) -> int:
    """Records of each hospital if the whole table is divided: P + (N - P) / R, rounded down."""
    return overlap + (records - overlap) // releases


def overlapping_samples(
    records: int,
    overlap: int,
    releases: int = 2,
    sizes: Sequence[int] | int | None = None,
    seed: int | np.random.Generator = 0,
    deal: int | None = None,
    first: NDArray[Any] | None = None,
) -> list[Ints]:
    """Draw subsets of a table that share exactly some people [Ganta 2008, §3.1].

    Parameters
    ----------
    records
        Rows of the table, N.
    overlap
        People in every subset, P.
    releases
        Subsets to draw, R, 2 to 8.
    sizes
        Rows of each subset (or of all), P included; ``P + (N - P) / R`` by default.
    seed
        For the one permutation behind the draw.
    deal
        Deal the other people as if there were this many subsets. With one seed and one
        ``deal``, draws are nested: fewer releases, a smaller overlap or a smaller size are
        the beginning of the larger draw, so that a sweep measures what it varies.
    first
        Rows among which the shared people are drawn as far as they suffice; all by default.

    Returns
    -------
    list of ndarray
        Row numbers of each subset; the first ``overlap`` entries of each are the shared
        people, in one order.

    Raises
    ------
    ParameterError
        If the table is too small; the message gives the largest overlap or size.

    Notes
    -----
    The shared people are the front of a permutation; the others are dealt from its back, one to each subset in turn.
    O(N).

    Examples
    --------
    >>> from composition_dashboard import overlapping_samples
    >>> mine, theirs = overlapping_samples(10, overlap=2, seed=1)
    >>> mine[:2].tolist() == theirs[:2].tolist(), len(set(mine) & set(theirs))
    (True, 2)
    """
    each, dealt = checked_sizes(records, overlap, releases, sizes, deal)
    order = shuffled(records, np.random.default_rng(seed), first)
    shared, back = order[:overlap], order[::-1]
    return [
        np.concatenate((shared, back[number : number + (size - overlap) * dealt : dealt]))
        for number, size in enumerate(each)
    ]


def checked_sizes(
    records: int, overlap: int, releases: int, sizes: Sequence[int] | int | None, deal: int | None
) -> tuple[list[int], int]:
    """Size of each subset, and the number of hospitals that share the people; see :func:`overlapping_samples`."""
    LIMITS["hospitals"].check(releases, "releases")
    dealt = max(releases, deal or releases)
    LIMITS["hospitals"].check(dealt, "releases")
    if not 1 <= overlap <= records:
        raise ParameterError(
            f"The overlap must be from 1 to the {records:,} records of the table; {overlap:,} were given.",
            parameter="overlap",
        )
    wanted = [default_size(records, overlap, dealt)] * releases if sizes is None else sizes
    each = [int(wanted)] * releases if isinstance(wanted, int | np.integer) else [int(size) for size in wanted]
    if len(each) != releases:
        raise ParameterError(f"{releases} hospitals need as many sizes; {len(each)} were given.", parameter="sizes")
    if min(each) < overlap:
        raise ParameterError(
            f"A hospital of {min(each):,} records cannot share {overlap:,} people; lower the overlap.",
            parameter="sizes",
        )
    room = (records - overlap) // dealt
    if max(each) - overlap > room:
        raise ParameterError(
            f"The table has {records:,} records; with an overlap of {overlap:,} each of {dealt} hospitals can have at "
            f"most {overlap + room:,}.",
            parameter="sizes",
        )
    return each, dealt


def shuffled(records: int, rng: np.random.Generator, first: NDArray[Any] | None = None) -> Ints:
    """Return all row numbers in random order, some of them before the others."""
    order = rng.permutation(records)
    if first is None or not len(first):
        return order
    early = np.zeros(records, dtype=bool)
    early[first] = True
    early = early[order]
    return np.concatenate((order[early], order[~early]))


def disagree(
    encoded: Encoded, overlap: int, same_value_rate: float, seed: int | np.random.Generator, overall: Ints | None = None
) -> Encoded:
    """Give some shared people a different diagnosis at this hospital.

    Parameters
    ----------
    encoded
        The hospital's records; the first are those of the shared people.
    overlap
        Shared people.
    same_value_rate
        Probability that a shared person keeps the sensitive value, or all of them where there
        are several; else it is redrawn from
        the overall distribution (and may come out the same) [definitions §4].
    seed
        For the draws. With one seed, a lower rate redraws the same people and more.
    overall
        (values,) counts to redraw from; those of the records given by default. A study gives those of the whole table:
        counts of one hospital depend on its size and on the draw, so the same people would get different values from
        point to point of a curve.

    Returns
    -------
    Encoded
        The same people; truth stays what the first release says.
    """
    LIMITS["same_value_rate"].check(same_value_rate, "same_value_rate")
    if same_value_rate == 1:
        return encoded
    rng = np.random.default_rng(seed)
    redrawn = rng.random(overlap) >= same_value_rate
    counts = encoded.overall if overall is None else overall
    records = encoded.leading(overlap)
    drawn = rng.choice(encoded.sensitive.size, size=records, p=counts / counts.sum())
    redrawn = redrawn[_person_in_order(encoded, records)]
    sensitive_codes = encoded.sensitive_codes.copy()
    sensitive_codes[:records][redrawn] = drawn[redrawn]
    return encoded.with_sensitive(sensitive_codes)


def disagree_on_plain(encoded: Encoded, overlap: int, rng: np.random.Generator, city: Encoded) -> Encoded:
    """Give shared people different published values at this hospital if the same-value rate of a column is below 1.

    Each shared person keeps all their values of a column with the probability of its same-value rate; otherwise they
    get those of random records of ``city``. Parameters as for :func:`disagree`. Each column has a separate stream.
    """
    if all(column.same_value_rate == 1 for column in encoded.plain):
        return encoded
    records = encoded.leading(overlap)
    number = _person_in_order(encoded, records)
    plain = []
    for column, whole, own in zip(encoded.plain, city.plain, rng.spawn(len(encoded.plain)), strict=True):
        redrawn = (own.random(overlap) >= column.same_value_rate)[number]
        drawn = own.integers(len(city), size=records)
        codes = column.codes.copy()
        codes[:records][redrawn] = whole.codes[drawn[redrawn]]
        plain.append(replace(column, codes=codes))
    return replace(encoded, plain=tuple(plain))


def _person_in_order(encoded: Encoded, records: int) -> Ints:
    """(records,) the person of each of the first records, numbered from 0; records of one person are adjacent."""
    return np.cumsum(np.diff(encoded.person[:records], prepend=encoded.person[:1]) != 0)

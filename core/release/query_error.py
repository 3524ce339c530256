"""Query error: the accuracy of random counts answered from a release [definitions §6].

As in [Goryczka 2011, §V.C]: counting queries, each with a range on some quasi-identifiers,
answered on the release and on the records it was made from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Floats, Ints, Progress
from core.base.limits import LIMITS
from core.data.classes import distinct_columns, weighted_count
from core.data.encoding.domain import Domain
from core.release.centroids import central_codes
from core.release.published.cell_reader import Reader
from core.release.release import Release
from core.release.value_sets import ValueSets

QUERIES = 2500
CELLS = 2_000_000
"""Number of cells of one step (queries by classes, or by people), to bound memory."""


@dataclass(frozen=True, eq=False)
class Queries:
    """Counting queries over codes.

    Parameters
    ----------
    low, high
        (queries, quasi-identifiers) range of each; the whole domain if the query does not ask about a quasi-identifier.
    constrained
        (queries, quasi-identifiers) whether it does.
    """

    low: Ints
    high: Ints
    constrained: NDArray[np.bool_]

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.low)


@dataclass(frozen=True, eq=False)
class QueryError:
    """Answers to the same queries on the records and on the release.

    Parameters
    ----------
    truth
        (queries,) records that match.
    answer
        (queries,) what the release says.
    """

    truth: Ints
    answer: Floats

    @cached_property
    def errors(self) -> Floats:
        """(queries,) absolute errors, in records."""
        errors: Floats = np.abs(self.answer - self.truth)
        return errors

    @property
    def absolute(self) -> float:
        """Mean absolute error, in records."""
        return float(self.errors.mean())

    @cached_property
    def counted(self) -> int:
        """Number of queries with a true answer above 0; only these have a relative error."""
        return int(np.count_nonzero(self.truth))

    @property
    def relative(self) -> float:
        """Mean of error over true answer, for true answers above 0; nan if there are none."""
        some = self.truth > 0
        return float((self.errors[some] / self.truth[some]).mean()) if self.counted else float("nan")

    @property
    def median_relative(self) -> float:
        """Median of the same, which a few queries with hardly any matches do not dominate."""
        some = self.truth > 0
        return float(np.median(self.errors[some] / self.truth[some])) if self.counted else float("nan")


def random_queries(qids: tuple[Domain, ...], queries: int = QUERIES, seed: int | np.random.Generator = 0) -> Queries:
    """Draw counting queries.

    Each asks about 2 to ``max(2, floor(q / 2))`` quasi-identifiers (1 if there is only
    one), drawn without repetition. A range lies between two values of the domain drawn
    uniformly, both included; values are ordered as the codes are, so a range over a
    taxonomy is a run of its leaves.

    Parameters
    ----------
    qids
        Quasi-identifiers to ask about.
    queries
        How many, 1 to 100,000.
    seed
        Same seed and domains, same queries.

    Raises
    ------
    ParameterError
        If the number is out of range.
    """
    LIMITS["queries"].check(queries, "queries")
    rng, q = np.random.default_rng(seed), len(qids)
    size = np.array([domain.size for domain in qids])
    most = max(2, q // 2)
    number = np.minimum(rng.integers(2, most + 1, size=queries), q)
    chosen = rng.random((queries, q)).argsort(axis=1).argsort(axis=1) < number[:, None]
    ends = np.sort(rng.integers(0, size[None, :, None], size=(queries, q, 2)), axis=2)
    return Queries(np.where(chosen, ends[:, :, 0], 0), np.where(chosen, ends[:, :, 1], size - 1), chosen)


def query_error(release: Release, queries: int = QUERIES, seed: int | np.random.Generator = 0) -> QueryError:
    """Answer random counting queries from a release and from its records.

    Parameters
    ----------
    release
        Any release.
    queries, seed
        See :func:`random_queries`.

    Returns
    -------
    QueryError
        ``errors`` are |answer on the release - answer on the records|.

    Notes
    -----
    The release is answered under uniformity: a record of a class is in a query's range with
    the share of its region's values that the range covers, one quasi-identifier
    independently of the other. A centroid of microaggregation is a point, inside or
    outside. A suppressed record is in no answer of the release. Queries about the same
    quasi-identifiers are answered together, from what differs in these alone: time
    O(sets of them x people log people + queries x (distinct people and classes in these) x
    quasi-identifiers asked).
    """
    drawn = random_queries(release.encoded.qids, queries, seed)
    return QueryError(count_records(release, drawn), count_released(release, drawn))


def count_records(release: Release, queries: Queries) -> Ints:
    """(queries,) records of the table that match each query; suppressed ones included."""
    return count_codes(release.encoded.codes, queries, release.encoded.weight)


def count_codes(codes: NDArray[np.int32], queries: Queries, stands_for: Ints | int = 1) -> Ints:
    """(queries,) records, given as (quasi-identifiers, records) codes, that match each query.

    ``stands_for`` (records,) is the number of records of the table that each represents.
    """
    first, group, _ = distinct_columns(codes)
    weight = weighted_count(group, stands_for, len(first))
    people = np.take(codes, first, axis=1).astype(np.int32)
    counts = np.empty(len(queries), dtype=np.int64)
    for attributes, some in _by_constrained(queries):
        codes, number = _merged(people[attributes], weight)
        for part in _steps(some, len(number)):
            inside = np.ones((len(part), len(number)), dtype=bool)
            for i, code in zip(attributes.tolist(), codes, strict=True):
                low, high = (bound[part, i, None].astype(np.int32) for bound in (queries.low, queries.high))
                inside &= (code >= low) & (code <= high)
            counts[part] = inside @ number
    return counts


def _by_constrained(queries: Queries) -> Iterator[tuple[Ints, Ints]]:
    """Sets of quasi-identifiers that queries use, and the queries of each set."""
    first, group, _ = distinct_columns(queries.constrained.T.astype(np.int64))
    for number, query in enumerate(first):
        yield np.flatnonzero(queries.constrained[query]), np.flatnonzero(group == number)


def _merged(codes: NDArray[np.int32], size: Ints) -> tuple[NDArray[np.int32], Ints]:
    """Distinct columns of codes, and the number of records of each."""
    first, group, _ = distinct_columns(codes)
    return np.take(codes, first, axis=1), weighted_count(group, size, len(first))


def _steps(some: Ints, wide: int) -> Iterator[Ints]:
    """Split queries, each answered in ``wide`` cells, into parts that fit into memory."""
    step = max(1, CELLS // max(1, wide))
    for begin in range(0, len(some), step):
        yield some[begin : begin + step]


def _extents(release: Release) -> tuple[Floats, Floats, Bools]:
    """Bounds of the published cells of each class, (classes, quasi-identifiers), on the scale of the codes.

    And whether it has a missing value besides.
    """
    if not release.publishes_centroids:
        low, high, absent = release.regions
        return low.astype(np.float64), high.astype(np.float64), absent
    points = []
    for i, domain in enumerate(release.encoded.qids):
        if domain.values is None:
            points.append(central_codes(domain, release.encoded.codes[i], release.classes).astype(np.float64))
            continue
        texts, which = release.region_codes(i)
        known = domain.size - (domain.missing >= 0)
        numbers = Reader.of(domain).spans(texts)[0]
        place = np.interp(numbers, domain.values[:known], np.arange(known))
        points.append(np.where(np.isnan(numbers), float(domain.missing), place)[which])
    point = np.column_stack(points)
    return point, point, np.zeros(point.shape, dtype=bool)


def count_released(release: Release, queries: Queries) -> Floats:
    """(queries,) estimated number of records that match each query, from the release alone."""
    low, high, absent = _extents(release)
    cells = [_Cells.of(release, i, low[:, i], high[:, i], absent[:, i]) for i in range(low.shape[1])]
    which = np.array([cell.which for cell in cells], dtype=np.int32)
    answers = np.empty(len(queries))
    for attributes, some in _by_constrained(queries):
        codes, size = _merged(which[attributes], release.classes.sizes)
        for part in _steps(some, len(size)):
            share = np.ones((len(part), len(size)))
            for i, codes_of in zip(attributes.tolist(), codes, strict=True):
                share *= cells[i].share(queries.low[part, i], queries.high[part, i])[:, codes_of]
            answers[part] = share @ size
    return answers


def errors_of(
    releases: Sequence[Release], queries: Queries, truth: Ints, progress: Progress | None = None
) -> list[float]:
    """Mean absolute error of the same counts from each of several releases; ``truth`` (queries,) is the records'."""
    errors = []
    for number, release in enumerate(releases):
        errors.append(QueryError(truth, count_released(release, queries)).absolute)
        if progress is not None:
            progress((number + 1) / len(releases))
    return errors


@dataclass(frozen=True, eq=False)
class _Cells:
    """The distinct cells of one quasi-identifier.

    Parameters
    ----------
    which
        (classes,) cell of each class.
    low, high
        (cells,) their ends.
    absent
        (cells,) the code of a missing value if they also have one, else -1.
    sets
        The values that they list, if they do.
    """

    which: Ints
    low: Floats
    high: Floats
    absent: Ints
    sets: ValueSets | None = None

    @classmethod
    def of(cls, release: Release, attribute: int, low: Floats, high: Floats, absent: Bools) -> _Cells:
        """Take the ends of the cells of every class, or the values that they list; O(classes log classes)."""
        if release.lists_values(attribute):
            sets = release.value_sets(attribute)
            return cls(sets.which, low, high, np.full(len(low), -1), sets)
        _, begins = np.unique(low, return_inverse=True)
        _, ends = np.unique(high, return_inverse=True)
        first, which, _ = distinct_columns(np.stack([begins, ends, absent]))
        gone = np.where(absent[first], release.encoded.qids[attribute].missing, -1)
        return cls(which, low[first], high[first], gone)

    def share(self, low: Ints, high: Ints) -> Floats:
        """(ranges, cells) share of the values of each cell that each range covers."""
        if self.sets is not None:
            return self.sets.inside(low, high) / self.sets.counts
        begins = np.maximum(self.low, low[:, None])
        ends = np.minimum(self.high, high[:, None])
        # A point may lie between two codes: it is inside or not.
        inside = np.where(ends >= begins, ends - begins + 1, 0.0)
        inside += (low[:, None] <= self.absent) & (self.absent <= high[:, None]) & (self.absent >= 0)
        share: Floats = inside / (self.high - self.low + 1 + (self.absent >= 0))
        return share

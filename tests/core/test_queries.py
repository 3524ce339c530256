"""Query error against answers counted record by record."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Policy, Release, Schema, Table
from core.algorithms import partition
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import encode
from core.data.schemas.schema import ColumnType
from core.release import query_error as query_errors
from core.release.query_error import Queries, QueryError, count_records, count_released, query_error, random_queries
from tests.releases import release_of
from tests.strategies import cases


def counted(release: Release, queries: Queries, number: int) -> int:
    """Records that match one query, looked at one by one."""
    encoded = release.encoded
    return sum(
        all(
            queries.low[number, i] <= encoded.codes[i, record] <= queries.high[number, i]
            for i in range(len(encoded.qids))
        )
        for record in range(len(encoded))
    )


def released(release: Release, queries: Queries, number: int) -> Fraction:
    """The same under uniformity, value by value of each record's region."""
    total = Fraction(0)
    low, high, absent = release.regions
    for label in release.classes.labels[release.classes.labels >= 0]:
        share = Fraction(1)
        for i in range(low.shape[1]):
            gone = release.encoded.qids[i].missing
            values = [*range(low[label, i], high[label, i] + 1), *[gone] * int(absent[label, i])]
            inside = [v for v in values if queries.low[number, i] <= v <= queries.high[number, i]]
            share *= Fraction(len(inside), len(values))
        total += share
    return total


@given(cases(rows=(2, 40)), st.integers(1, 8), st.integers(0, 50))
def test_answers_agree_with_counting_record_by_record(case, k, seed):
    encoded = case.encoded
    release = partition(encoded, Policy(min(k, len(encoded))))
    queries = random_queries(encoded.qids, 20, seed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(query_errors, "CELLS", 30)
        truth, answer = count_records(release, queries), count_released(release, queries)
    for number in range(len(queries)):
        assert truth[number] == counted(release, queries, number)
        assert answer[number] == pytest.approx(float(released(release, queries, number)))
    found = query_error(release, 20, seed)
    assert found.absolute == pytest.approx(np.abs(answer - truth).mean())
    some = truth > 0
    if some.any():
        assert found.relative == pytest.approx((np.abs(answer - truth)[some] / truth[some]).mean())
    assert found.counted == some.sum()


@given(cases(rows=(2, 30), qids=6), st.integers(0, 20))
def test_each_query_asks_about_two_to_half_of_the_quasi_identifiers(case, seed):
    encoded = case.encoded
    queries, q = random_queries(encoded.qids, 200, seed), len(encoded.qids)
    number = queries.constrained.sum(axis=1)
    assert number.min() >= min(2, q)
    assert number.max() <= min(q, max(2, q // 2))
    size = np.array([domain.size for domain in encoded.qids])
    assert (queries.low >= 0).all()
    assert (queries.low <= queries.high).all()
    assert (queries.high < size).all()
    whole = (queries.low == 0) & (queries.high == size - 1)
    assert whole[~queries.constrained].all()


def test_queries_are_seeded_and_use_every_quasi_identifier():
    seven = tuple(Domain(f"q{i}", ColumnType.CATEGORICAL, tuple("abcdefgh")) for i in range(7))
    first, again, other = (random_queries(seven, 500, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.low, again.low)
    assert not np.array_equal(first.low, other.low)
    assert first.constrained.any(axis=0).all()
    assert set(first.constrained.sum(axis=1)) == {2, 3}


def test_a_missing_value_matches_where_a_query_reaches_it():
    frame = pd.DataFrame({"q": ["1", "2", ""], "s": list("abc")})
    release = partition(encode(Table.from_frame(frame), Schema(["q"], "s")), Policy(3))
    ends = np.array([[[0], [0], [2]], [[1], [2], [2]]])
    asked = Queries(*ends, np.ones((3, 1), dtype=bool))
    assert count_released(release, asked) == pytest.approx([2, 3, 1])
    assert count_records(release, asked).tolist() == [2, 3, 1]


def test_suppressed_records_are_missing_from_the_answers():
    release = release_of([0, 0, -1, -1], [0, 1, 0, 1], ["a", "b"])
    found = query_error(release, 10)
    assert (found.truth == 4).all()
    assert (found.answer == 2).all()
    assert found.relative == 0.5


def test_no_relative_error_where_nothing_matches():
    found = QueryError(np.array([0, 0]), np.array([1.0, 0.0]))
    assert found.counted == 0
    assert np.isnan(found.relative)
    assert np.isnan(found.median_relative)
    assert QueryError(np.array([0, 2, 4, 10]), np.array([5.0, 3.0, 4.0, 0.0])).median_relative == 0.5


@given(cases(rows=(4, 30)), st.integers(1, 5), st.integers(0, 20))
def test_centroids_are_points(case, k, seed):
    encoded = case.encoded
    release = partition(encoded, Policy(min(k, len(encoded))), "mdav")
    queries = random_queries(encoded.qids, 20, seed)
    frame, answer = release.region_frame(), count_released(release, queries)
    for number in range(len(queries)):
        total = 0
        for label, size in enumerate(release.sizes.tolist()):
            total += size * all(
                point_inside(domain, frame.iloc[label, i], queries.low[number, i], queries.high[number, i])
                for i, domain in enumerate(encoded.qids)
            )
        assert answer[number] == pytest.approx(total)


def point_inside(domain, text: str, low: int, high: int) -> bool:
    """Whether a published centroid is in a range of codes."""
    labels = [f'"{label}"' if domain.column_type in ("ordinal", "categorical") else label for label in domain.labels]
    for names in (domain.labels, labels):
        if text in names:
            return low <= names.index(text) <= high
    value = float(text)
    if domain.values is None or not low < domain.size - (domain.missing >= 0):
        return False
    above = domain.values[high] if high != domain.missing else np.inf
    return domain.values[low] <= value <= above

"""Modelled synthetic people: drawn as often as the slow twin says, nested, and put behind the shared people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, examples
from core.algorithms import partition
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded, encode
from core.study.draw import disagree
from core.study.similar_people import SCALES, Neighbours, least_records, neighbours
from core.study.synthetic import model_hospital, resampled_records
from tests.reference import synthetic as twin
from tests.strategies import Case, cases

DRAWS = 40_000


@pytest.fixture(scope="module")
def city() -> Encoded:
    return encode(examples.city(1200), examples.city_schema())


def people_of(encoded: Encoded) -> list[twin.Person]:
    return [
        (tuple(column), secret)
        for column, secret in zip(encoded.codes.T.tolist(), encoded.sensitive_codes.tolist(), strict=True)
    ]


def assert_drawn_from(drawn: Encoded, expected: Mapping[twin.Person, Fraction]) -> None:
    """Every person as often as expected, within six standard deviations."""
    count = Counter(people_of(drawn))
    assert set(count) <= set(expected), "nobody who cannot be"
    assert sum(expected.values()) == 1
    for person, p in expected.items():
        mean = DRAWS * float(p)
        assert abs(count[person] - mean) <= 6 * np.sqrt(mean * (1 - float(p))) + 6


@settings(max_examples=25, deadline=None)
@given(case=cases(rows=(2, 9), qids=2), seed=st.integers(0, 1000))
def test_neighbours_follow_the_twin(case: Case, seed: int) -> None:
    """Any two partitions, nested or not."""
    encoded, rng = case.encoded, np.random.default_rng(seed)
    wide, narrow = (np.unique(rng.integers(0, many, len(encoded)), return_inverse=True)[1] for many in (2, 3))
    found = Neighbours.of_labels(wide.astype(np.int32), narrow.astype(np.int32))
    row = rng.integers(0, len(encoded), DRAWS)
    source = found.draw(row, np.random.default_rng(seed + 1))
    drawn = Encoded(encoded.qids, encoded.codes[:, row], encoded.sensitive, encoded.sensitive_codes[source], row)
    assert_drawn_from(drawn, twin.resampled(people_of(encoded), wide.tolist(), narrow.tolist()))


@pytest.mark.parametrize("scale", range(len(SCALES)))
def test_a_value_comes_from_outside_of_the_narrow_class(city: Encoded, scale: int) -> None:
    found = neighbours(city, scale)
    narrow, wide = least_records(len(city), scale)
    row = np.arange(len(city))
    source = found.draw(row, np.random.default_rng(0))
    labels = {least: partition(city, Policy(least)).labels for least in (narrow, wide)}
    assert (labels[wide][source] == labels[wide][row]).all()
    apart = labels[narrow][source] != labels[narrow][row]
    assert apart[found.runs[:, 3] > 0].all()
    assert apart.mean() > 0.9


@pytest.mark.parametrize("records", [1, 2, 7, 12, 60, 300])
def test_small_tables_have_small_neighbourhoods(city: Encoded, records: int) -> None:
    few = city.take(np.arange(records))
    assert len(resampled_records(few, 40, 0)) == 40
    narrow, wide = least_records(records, 0)
    assert 1 <= narrow <= 20
    assert wide <= records


def test_people_who_cannot_be_told_apart_lend_to_each_other(city: Encoded) -> None:
    alike = city.take(np.zeros(50, dtype=np.int64))
    drawn = resampled_records(alike, 30, 1)
    assert (drawn.sensitive_codes == city.sensitive_codes[0]).all()


def test_a_smaller_hospital_is_the_beginning_of_a_larger(city: Encoded) -> None:
    draw = resampled_records
    small, large = draw(city, 70, 9), draw(city, 500, 9)
    assert np.array_equal(small.codes, large.codes[:, :70])
    assert np.array_equal(small.sensitive_codes, large.sensitive_codes[:70])
    assert not np.array_equal(draw(city, 70, 10).codes, small.codes)
    assert len(draw(city, 0, 9)) == 0


def test_the_shared_people_come_first(city: Encoded) -> None:
    shared = np.array([40, 3, 900, 17])
    hospital = model_hospital(city, shared, 600, 3)
    assert len(hospital) == 600
    assert hospital.rows[:4].tolist() == city.rows[shared].tolist()
    assert (hospital.rows[4:] == -1).all()
    assert hospital.sensitive_codes[:4].tolist() == city.sensitive_codes[shared].tolist()
    for mine, theirs, codes, own in zip(city.qids, hospital.qids, city.codes, hospital.codes, strict=True):
        assert [theirs.labels[c] for c in own[:4]] == [mine.labels[c] for c in codes[shared]]
        if theirs.taxonomy is None and mine.name != "education":
            assert set(own.tolist()) == set(range(theirs.size)), "a publisher knows its own values only"
    changed = disagree(hospital, 4, 0.0, 1)
    assert changed.sensitive_codes[4:].tolist() == hospital.sensitive_codes[4:].tolist()


def test_a_hospital_that_is_smaller_than_what_it_shares_is_refused(city: Encoded) -> None:
    with pytest.raises(ParameterError, match="A hospital of 1 records cannot share 2 people"):
        model_hospital(city, np.array([0, 1]), 1, 0)

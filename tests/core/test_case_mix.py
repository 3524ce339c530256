"""Another hospital whose sensitive values differ from mine: the tilt, its draws, and how much units differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Policy, Schema, examples
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded, encode
from core.data.frequency_table import FrequencyTable
from core.data.tables.table import Table
from core.study.case_mix import POOL, acceptance, strengths_between
from core.study.hospitals import Hospital, Study
from core.study.similar_people import SCALES, neighbours
from core.study.synthetic import resampled_records
from tests.tables import a_table

CITY = examples.city(3_000, seed=3)
SCHEMA = examples.city_schema()


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(CITY, SCHEMA)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=30).filter(any), st.floats(0, 3), st.integers(0, 99))
def test_one_candidate_of_four_is_accepted_and_more_of_values_with_more_weight(
    counts: list[int], strength: float, seed: int
) -> None:
    chance = acceptance(np.array(counts), strength, np.random.default_rng(seed))
    assert (chance >= 0).all()
    assert (chance <= 1).all()
    assert float(np.array(counts) @ chance) / sum(counts) == pytest.approx(1 / POOL, rel=1e-6)
    weight = np.exp(strength * np.random.default_rng(seed).standard_normal(len(counts)))
    # One rate for all: what is accepted is 1 - exp(-rate x weight).
    clear = chance < 0.999
    rate = -np.log1p(-chance[clear]) / weight[clear]
    assert rate == pytest.approx(np.full(len(rate), np.median(rate)), rel=1e-5)


def one_by_one(encoded: Encoded, n: int, seed: int, strength: float) -> list[tuple[int, ...]]:
    """Candidates one after another, each accepted or not: the slow twin."""
    scale, choose, lend, mix, accept = np.random.default_rng(seed).spawn(5)
    near = neighbours(encoded, int(scale.integers(len(SCALES))))
    chance = acceptance(encoded.overall, strength, mix)
    people = []
    while len(people) < n:
        like = int(choose.random() * encoded.people)
        (lender,) = near.draw(np.array([like]), lend)
        if accept.random() < chance[encoded.sensitive_codes[lender]]:
            people.append((*encoded.codes[:, like].tolist(), int(encoded.sensitive_codes[lender])))
    return people


def as_tuples(drawn: Encoded) -> list[tuple[int, ...]]:
    return [*map(tuple, np.vstack([drawn.codes, drawn.sensitive_codes]).T.tolist())]


@pytest.mark.parametrize("n", [0, 1, 7, 300])
def test_people_are_those_that_candidates_one_by_one_give_and_fewer_are_the_first_of_more(
    encoded: Encoded, n: int
) -> None:
    drawn = resampled_records(encoded, n, 5, 1.0)
    assert as_tuples(drawn) == one_by_one(encoded, n, 5, 1.0)
    assert as_tuples(drawn) == as_tuples(resampled_records(encoded, 301, 5, 1.0))[:n]
    assert len(np.unique(drawn.person)) == n


def test_at_0_the_draw_is_as_without_a_case_mix(encoded: Encoded) -> None:
    assert as_tuples(resampled_records(encoded, 200, 5, 0.0)) == as_tuples(resampled_records(encoded, 200, 5))


def test_a_larger_strength_tilts_the_shares_more(encoded: Encoded) -> None:
    def distance(strength: float) -> float:
        own = encoded.overall / encoded.overall.sum()
        drawn = [resampled_records(encoded, 3_000, seed, strength).sensitive_codes for seed in range(5)]
        theirs = [np.bincount(codes, minlength=len(own)) / len(codes) for codes in drawn]
        return float(np.mean([np.abs(own - their).sum() / 2 for their in theirs]))

    distances = [distance(strength) for strength in (0.0, 0.5, 1.0, 2.0)]
    assert distances == sorted(distances)
    assert distances[2] > 2 * distances[0]


def test_counts_are_tilted_as_records_are(encoded: Encoded) -> None:
    counted = encode(FrequencyTable.of(CITY, [*SCHEMA.quasi_identifiers, SCHEMA.sensitive]), SCHEMA)
    values = encoded.sensitive.labels
    for seed in (1, 2):
        both = []
        for table in (encoded, counted):
            mix = np.random.default_rng(seed).spawn(5)[3]
            assert table.sensitive.labels == values
            chance = acceptance(table.overall, 1.5, mix)
            drawn = resampled_records(table, 20_000, seed, 1.5)
            assert drawn.people == 20_000
            shares = np.bincount(drawn.sensitive_codes, weights=drawn.weight, minlength=len(values)) / 20_000
            expected = table.overall * chance / (table.overall @ chance)
            both.append((shares, expected))
        # Values of people like mine, accepted by their value: near the tilted shares of the whole table.
        for shares, expected in both:
            assert np.abs(shares - expected).sum() / 2 < 0.06
        assert np.abs(both[0][0] - both[1][0]).sum() / 2 < 0.06


def test_people_with_several_records_come_with_all_of_them() -> None:
    rng = np.random.default_rng(4)
    number = np.repeat(np.arange(200), rng.integers(1, 4, 200))
    columns = {
        "person": [f"p{n}" for n in number],
        "age": [str(20 + n % 40) for n in number],
        "diagnosis": [f"d{v}" for v in rng.integers(0, 8, len(number))],
    }
    table = Table.from_frame(pd.DataFrame(columns))
    schema = Schema(["age"], "diagnosis", person="person", column_types={"age": "numeric"})
    encoded = encode(table, schema)
    drawn = resampled_records(encoded, 150, 3, 1.0)
    assert drawn.people == 150
    for person in np.unique(drawn.person):
        ages = drawn.codes[0, drawn.person == person]
        assert len(set(ages.tolist())) == 1
    assert as_tuples(drawn) == as_tuples(resampled_records(encoded, 151, 3, 1.0))[: len(drawn)]


def test_how_much_units_differ_is_found_again() -> None:
    rng = np.random.default_rng(8)
    share = rng.dirichlet(np.ones(40))
    for strength in (0.0, 0.5, 1.0):
        found = []
        for _ in range(20):
            tilted = share * np.exp(strength * rng.standard_normal(40))
            units = np.repeat([0, 1], 20_000).astype(np.int32)
            codes = np.concatenate([rng.choice(40, 20_000, p=p / p.sum()) for p in (share, tilted)]).astype(np.int32)
            found.append(float(strengths_between(units, codes, 40)[0]))
        assert np.mean(found) == pytest.approx(strength, abs=0.12)


def test_units_with_few_records_say_nothing_of_their_case_mix() -> None:
    units = np.repeat([0, 1, -1], [300, 30, 400]).astype(np.int32)
    assert len(strengths_between(units, np.zeros(730, dtype=np.int32), 3)) == 0


def test_only_a_hospital_like_mine_has_another_case_mix() -> None:
    mine = Hospital(Policy(4))
    with pytest.raises(ParameterError, match="Only a hospital like mine"):
        replace(mine, case_mix=0.5)
    with pytest.raises(ParameterError, match="case mix"):
        Hospital(Policy(4), origin="resampled", case_mix=3.5)


def test_shared_people_keep_their_values_whatever_the_case_mix() -> None:
    table = a_table(300, 4)
    study = Study((Hospital(Policy(4)), Hospital(Policy(4), origin="resampled", case_mix=2.0)), 40)
    mine, theirs = study.draw(table, 3)
    assert mine.to_release is not None
    assert theirs.to_release is not None
    assert (mine.to_release.sensitive_codes[:40] == theirs.to_release.sensitive_codes[:40]).all()

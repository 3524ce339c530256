"""Draws of people from a frequency table: distributed as draws of rows; attacked, they give what their rows give."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.attack.anonymity_set import linkable
from core.attack.exposure import by_attribute
from core.attack.weighted import weigh
from core.base.errors import CompositionError, ParameterError
from core.data.encoding.draws import Lots, some_of
from core.data.encoding.encoded import Encoded, encode
from core.data.frequency_table import FrequencyTable
from core.data.schemas.schema import Schema
from core.data.tables.table import Table
from core.privacy.policy import Policy
from core.study import shared_groups
from core.study.hospitals import Hospital, Study
from core.study.one_run import attack_parts, run_study, seeds
from core.study.redraw_numbers import attack_numbers
from tests.strategies import cases

ORIGINS = ("simulated", "resampled")


def rows_of(part: Any) -> Encoded:
    """The rows that the tuples of a part stand for, in their order."""
    each = np.repeat(np.arange(len(part)), part.weight)
    rows, one = np.arange(len(each)), np.ones(len(each), dtype=np.int64)
    person = rows.astype(np.int32)
    return replace(
        part,
        codes=part.codes[:, each],
        sensitive_codes=part.sensitive_codes[each],
        rows=rows,
        weight=one,
        person=person,
    )


def counted(table: Table, schema: Schema) -> Encoded:
    return encode(FrequencyTable.of(table, [*schema.quasi_identifiers, schema.sensitive]), schema)


# ---- attacked, a draw gives what its rows give --------------------------------------------------


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_an_attack_on_groups_is_that_on_their_people(data: st.DataObject) -> None:
    case = data.draw(cases(rows=(3, 20)))
    times = np.array(data.draw(st.lists(st.integers(1, 6), min_size=len(case), max_size=len(case))))
    table = case.table.take(np.repeat(np.arange(len(case)), times))
    schema = case.schema
    try:
        mine = counted(table, schema)
    except CompositionError:
        return
    overlap = data.draw(st.integers(1, mine.people))
    source = data.draw(st.sampled_from(ORIGINS))
    policy = Policy(data.draw(st.integers(1, min(4, overlap))))
    same_value_rate = data.draw(st.sampled_from([1.0, 1.0, 0.6, 0.0]))
    other = Hospital(policy, origin=source, same_value_rate=same_value_rate)
    locate = data.draw(st.sampled_from(["assumed", "published"]))
    study = Study((Hospital(policy), *(other,) * data.draw(st.integers(1, 2))), overlap, locate=locate)
    listed = data.draw(st.booleans())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shared_groups, "ONE_BY_ONE", 1_000 if listed else 0)
        parts = study.draw(mine, data.draw(st.integers(0, 5)))
    ours = attack_parts(study, parts)
    twin = attack_parts(study, [rows_of(part) for part in parts])
    assert ours.result.weight.max() == 1 or not listed
    for one, same in zip(
        attack_numbers(0, ours, (1.0, 0.5, 0.25)), attack_numbers(0, twin, (1.0, 0.5, 0.25)), strict=True
    ):
        assert one == pytest.approx(same, rel=1e-9, abs=1e-12, nan_ok=True)
    assert ours.result.located_correctly == twin.result.located_correctly
    assert (ours.result.false_alarms, ours.result.vulnerable) == (twin.result.false_alarms, twin.result.vulnerable)
    assert linkable(ours.result) == pytest.approx(linkable(twin.result))
    for name in (*(domain.name for domain in mine.qids), mine.sensitive.name):
        pd.testing.assert_frame_equal(
            by_attribute(ours.result, parts[0].to_release, name, 0.5, 3),
            by_attribute(twin.result, rows_of(parts[0]), name, 0.5, 3),
        )
    # Group by group the same as person by person, in one order.
    each = np.repeat(np.arange(len(ours.result)), ours.result.weight)
    np.testing.assert_array_equal(ours.result.sets[each], twin.result.sets)
    np.testing.assert_array_equal(ours.result.truth[each], twin.result.truth)
    np.testing.assert_allclose(weigh(ours.result).max_posterior[each], weigh(twin.result).max_posterior)


# ---- draws ----------------------------------------------------------------------------------


def city(rows: int = 400) -> tuple[Table, Schema]:
    rng = np.random.default_rng(7)
    age = rng.integers(20, 32, rows)
    ill = (age // 3 + rng.integers(0, 4, rows)) % 6
    frame = pd.DataFrame(
        {"age": age.astype(str), "sex": rng.choice(["f", "m"], rows), "ill": [f"value {i}" for i in ill]}
    )
    return Table.from_frame(frame), Schema(["age", "sex"], "ill")


NUMBERS = (
    "share",
    "right",
    "hit",
    "weighted",
    "weighted_hit",
    "crowd",
    "at_risk",
    "average_after",
    "posterior",
    "prior",
)


@pytest.mark.parametrize("source", ORIGINS)
@pytest.mark.parametrize("same_value_rate", [1.0, 0.7])
def test_draws_on_tuples_are_distributed_as_draws_on_rows(source: str, same_value_rate: float) -> None:
    table, schema = city()
    rows, mine = encode(table, schema), counted(table, schema)
    other = Hospital(Policy(8), origin=source, same_value_rate=same_value_rate)
    study = Study((Hospital(Policy(8)), other), 120)

    def numbers(encoded: Encoded, begin: int) -> pd.DataFrame:
        found = [attack_numbers(0, run_study(encoded, study, seed), (0.5,))[0] for seed in seeds(begin, 80)]
        return pd.DataFrame(found)[list(NUMBERS)]

    ours, twin = numbers(mine, 1), numbers(rows, 2)
    error = np.sqrt((ours.var() + twin.var()) / len(ours)) + 1e-12
    assert (((ours.mean() - twin.mean()).abs() / error) < 3).all()
    assert ((ours.std() / twin.std()).between(0.7, 1.4) | (twin.std() < 1e-9)).all()


def test_a_draw_follows_the_seed() -> None:
    mine = counted(*city())
    study = Study.uniform(Policy(5), 60)
    one, same, other = (study.draw(mine, seed)[0].to_release.weight for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_some_of_the_people_are_drawn_without_replacement() -> None:
    counts = np.array([7, 1, 30, 12])
    drawn = np.array([some_of(counts, 11, np.random.default_rng(seed)) for seed in range(400)])
    share = counts / 50
    np.testing.assert_allclose(drawn.mean(axis=0), 11 * share, atol=0.35)
    expected = 11 * (50 - 11) / 49 * (np.diag(share) - np.outer(share, share))
    np.testing.assert_allclose(np.cov(drawn.T), expected, atol=0.45)


def test_hospitals_share_the_people_they_should_and_nobody_else() -> None:
    mine = counted(*city())
    study = Study.uniform(Policy(5), 60, releases=3)
    parts = [part.to_release for part in study.draw(mine, 0)]
    everybody = sum((np.bincount(part.rows[60:], part.weight[60:], len(mine)) for part in parts), np.zeros(len(mine)))
    assert (everybody + np.bincount(parts[0].rows[:60], minlength=len(mine)) <= mine.weight).all()
    assert [part.people for part in parts] == [study.size_of(0, 400)] * 3


def test_some_of_more_than_numpys_hypergeometric_takes() -> None:
    counts = np.array([3_000_000_000, 1, 5_000_000_000, 0])
    drawn = some_of(counts, 2_000_000_000, np.random.default_rng(0))
    assert drawn.sum() == 2_000_000_000
    assert (drawn <= counts).all()
    assert drawn[0] == pytest.approx(750_000_000, rel=1e-3)


@pytest.mark.parametrize("people", [3, 4_000])
def test_lots_are_drawn_by_their_weights(people: int) -> None:
    lots, rng = Lots(np.array([1, 2, 3, 4, 6, 30, 10])), np.random.default_rng(4)
    begin, end = np.array([0, 4, 0]), np.array([4, 7, 4])
    total = np.zeros((3, 7))
    draws = 12_000 // people
    for _ in range(draws):
        group, outcome, number = lots.draw(np.array([people, people, 0]), begin, end, rng)
        assert (np.diff(group * 7 + outcome) > 0).all()
        total[group, outcome] += number
    assert total.sum(axis=1).tolist() == [people * draws, people * draws, 0]
    np.testing.assert_allclose(total[0] / total[0].sum(), np.array([1, 2, 3, 4, 0, 0, 0]) / 10, atol=0.02)
    np.testing.assert_allclose(total[1] / total[1].sum(), np.array([0, 0, 0, 0, 6, 30, 10]) / 46, atol=0.02)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"overlap": 401}, "The overlap must be from 1 to the 400 records of my table"),
        ({"overlap": 0}, "The overlap must be from 1"),
        ({"hospitals": (Hospital(Policy(5)), Hospital(Policy(5), size=30, origin="resampled"))}, "cannot share 60"),
        ({"hospitals": (Hospital(Policy(5)), Hospital(Policy(5), size=390))}, "can have at most 230"),
    ],
)
def test_what_the_frequency_table_cannot_give_is_refused_as_of_rows(changes: dict[str, Any], words: str) -> None:
    study = replace(Study((Hospital(Policy(5)), Hospital(Policy(5), origin="resampled")), 60), **changes)
    for encoded in (encode(*city()), counted(*city())):
        with pytest.raises(ParameterError, match=words):
            study.draw(encoded, 0)


def test_a_group_is_nobody_who_must_be_listed() -> None:
    """A hundred million people, a tenth of them shared, in the time of a few thousand tuples."""
    table, schema = city()
    frequencies = FrequencyTable.of(table, ["age", "sex", "ill"])
    mine = encode(FrequencyTable(frequencies.table, frequencies.counts * 250_000), schema)
    study = Study((Hospital(Policy(5)), Hospital(Policy(5), origin="resampled", same_value_rate=0.999_999)), 10_000_000)
    outcome = run_study(mine, study, 0)
    assert outcome.result.people == 10_000_000
    assert len(outcome.result) < 2_000
    assert [release.release.encoded.people for release in outcome.releases] == [100_000_000] * 2

"""Anonymity set after composition: who else somebody may be, exactly if classes are known, else from both sides."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table
from core.algorithms import partition
from core.attack.anonymity_set import _by_candidates, _by_choices, anonymity_set, linkable, sets_of_classes
from core.attack.intersection import intersection_attack
from core.attack.metrics.anonymity_sets import ANONYMITY_SETS
from core.attack.number import Attacked
from core.data.encoding.encoded import encode
from core.release.algorithm import for_one_publisher
from tests.reference import anonymity_set as slow
from tests.situations import located_of


@st.composite
def views(draw: st.DrawFn) -> tuple[list[list[set[int]]], list[list[int] | None]]:
    people = draw(st.integers(1, 9))
    candidates, own = [], []
    for _ in range(draw(st.integers(1, 4))):
        told = draw(st.lists(st.sets(st.integers(0, 3), max_size=3), min_size=people, max_size=people))
        real = draw(st.none() | st.lists(st.integers(-1, 3), min_size=people, max_size=people))
        candidates.append(told)
        own.append(real)
    return candidates, own


@given(views())
@settings(deadline=None, max_examples=200)
def test_anonymity_sets_by_candidates_are_those_of_the_slow_twin(
    view: tuple[list[list[set[int]]], list[list[int] | None]],
) -> None:
    candidates, own = view
    pairs = [
        (located_of(told), None if real is None else np.array(real, dtype=np.int64))
        for told, real in zip(candidates, own, strict=True)
    ]
    found = _by_candidates(pairs, np.ones(len(candidates[0]), dtype=np.int64))
    wanted = slow.anonymity_sets(candidates, own)
    assert list(zip(*(bound.tolist() for bound in found), strict=True)) == wanted


@given(views())
@settings(deadline=None, max_examples=200)
def test_choices_counted_one_by_one_give_the_same(view: tuple[list[list[set[int]]], list[list[int] | None]]) -> None:
    candidates, own = view
    pairs = [
        (located_of(told), np.full(len(told), -1) if real is None else np.array(real, dtype=np.int64))
        for told, real in zip(candidates, own, strict=True)
    ]
    found, same = (
        _by_choices(pairs, np.ones(len(candidates[0]), dtype=np.int64)),
        _by_candidates(pairs, np.ones(len(candidates[0]), dtype=np.int64)),
    )
    if found is None:
        assert sum(np.prod([max(1, len(told[i])) for told in candidates]) for i in range(len(candidates[0]))) > 50
        return
    assert all(np.array_equal(one, other) for one, other in zip(found, same, strict=True))


def rows_of(people: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(st.integers(-1, 3), min_size=people, max_size=people), min_size=1, max_size=4)


@given(st.integers(1, 9).flatmap(rows_of))
def test_linkable_is_who_shares_his_classes_with_nobody(labels: list[list[int]]) -> None:
    people = list(zip(*labels, strict=True))
    alone = [-1 not in mine and people.count(mine) == 1 for mine in people]
    own, weight = [np.array(row) for row in labels], np.ones(len(people), dtype=np.int64)
    for known, share in ((own, pytest.approx(sum(alone) / len(alone))), ([*own, None], None)):
        assert linkable(SimpleNamespace(has_multiple_records=False, weight=weight, own=known)) == share


@given(st.integers(1, 9).flatmap(rows_of))
@settings(deadline=None, max_examples=200)
def test_known_classes_are_counted_at_once_and_give_the_same(labels: list[list[int]]) -> None:
    own = [np.array(row, dtype=np.int64) for row in labels]
    candidates = [[{label} if label >= 0 else set() for label in row] for row in labels]
    low, high, inside = sets_of_classes(own, np.ones(len(labels[0]), dtype=np.int64))
    assert list(zip(low.tolist(), high.tolist(), inside.tolist(), strict=True)) == slow.anonymity_sets(
        candidates, labels
    )
    assert np.array_equal(low, high)


def people(rows: int = 240) -> tuple[Table, Schema]:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, rows).astype(str),
            "zip": rng.choice(list("abcdefgh"), rows),
            "work": rng.choice(list("uvwxyz"), rows),
            "s": rng.choice(list("klmn"), rows),
        }
    )
    return Table.from_frame(frame), Schema(["age", "zip", "work"], "s")


@pytest.mark.parametrize("algorithm", for_one_publisher())
@pytest.mark.parametrize("locate", ["assumed", "published"])
def test_an_anonymity_set_is_everybody_whose_classes_are_candidates(algorithm: str, locate: str) -> None:
    encoded = encode(*people())
    releases = [partition(encoded, Policy(k), algorithm) for k in (3, 7)]
    everybody = [np.arange(len(encoded))] * 2
    result = intersection_attack(releases, everybody, locate)
    found = anonymity_set(result)
    assert found.exact
    candidates = [[set(located.of_person(i).tolist()) for i in range(240)] for located in result.located]
    own = [None if one is None else one.tolist() for one in result.own]
    assert list(
        zip(found.low.tolist(), found.high.tolist(), found.inside.tolist(), strict=True)
    ) == slow.anonymity_sets(candidates, own)
    for number in range(2):  # everybody is shared, so one release alone holds who is in those classes
        alone = slow.anonymity_sets(candidates[number : number + 1], own[number : number + 1])
        assert found.single[number].tolist() == [low for low, _, _ in alone]


def test_one_release_alone_leaves_its_whole_class_however_few_are_shared() -> None:
    encoded = encode(*people())
    releases = [partition(encoded, Policy(k)) for k in (5, 8)]
    few = np.arange(0, 240, 12)
    found = anonymity_set(intersection_attack(releases, [few, few], "assumed"))
    assert found.single.min(axis=1).tolist() >= [5, 8]
    assert found.alone(0.25) == 0 < found.share(0.25)


def test_a_published_table_of_somebody_else_bounds_the_anonymity_set_from_both_sides() -> None:
    encoded = encode(*people())
    mine, theirs, everybody = partition(encoded, Policy(4)), partition(encoded, Policy(6)), np.arange(len(encoded))
    regions = anonymity_set(intersection_attack([mine, theirs.published], [everybody, None]))
    truth = anonymity_set(intersection_attack([mine, theirs], [everybody, everybody]))
    assert (regions.low <= truth.low).all()
    assert (truth.high <= regions.high).all()


def test_what_is_not_counted_is_none_and_the_numbers_say_so() -> None:
    table, schema = people()
    release, everybody = partition(encode(table, schema), Policy(4)), np.arange(240)
    alone = next(number for number in ANONYMITY_SETS if number.name == "alone")
    share = alone.computed(Attacked(intersection_attack([release, release], [everybody] * 2), (1.0, 1.0)), 1.0)
    assert share.value == 0 == share.single
    foreign = intersection_attack([release, release.published], [everybody, None])
    assert anonymity_set(foreign) is not None
    assert anonymity_set(foreign, pairwise=False) is None
    frame = table.to_frame().assign(who=np.repeat(np.arange(120), 2).astype(str))
    twice = partition(encode(Table.from_frame(frame), schema.with_(person="who")), Policy(4))
    by_person = intersection_attack([twice, twice], [everybody] * 2)
    assert anonymity_set(by_person) is None
    for result in (foreign, by_person):
        assert alone.computed(Attacked(result, (1.0, 1.0)), 1.0) is None

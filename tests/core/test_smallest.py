"""The adversary who takes the smallest region that fits, against sets of rows, and how often he is right."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Release, examples, intersection_attack
from core.algorithms import partition
from core.attack.number import Attacked, exposures
from core.attack.smallest import smallest_region
from core.data.encoding import Encoded, encode
from core.review import assess, worth_showing
from core.review.case import Case
from core.scenario.scenario import Scenario
from core.study.hospitals import Hospital
from core.study.redraws import Redraws
from core.study.sweep import sweep
from tests.reference import locating as slow
from tests.townsfolk import NAMES, SCHEMA, random_people, random_rows, texts

CITY = encode(examples.city(1500), examples.city_schema())


def overlapping(encoded: Encoded, k: int) -> Release:
    """Groups of microaggregation, published with the regions of their members: boxes that overlap."""
    return Release.of(encoded, partition(encoded, Policy(k), "mdav").labels, Policy(k), "least-loss")


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_the_values_left_are_those_of_the_smallest_rows_that_fit(rng: random.Random, people: int) -> None:
    persons = random_people(rng, people)
    tables, left = [], [set("abcd") for _ in persons]
    for _ in range(2):
        cells = random_rows(rng, rng.randint(1, 10))
        secrets = [rng.choice("abcd") for _ in cells]
        frame = pd.DataFrame([[cell.text for cell in row] for row in cells], columns=NAMES, dtype=object)
        tables.append(Release.parse(frame.assign(s=secrets), SCHEMA, suppression=False))
        for i, person in enumerate(persons):
            smallest = slow.rows_by_smallest_region(cells, person, persons)
            if smallest:
                left[i] &= {secrets[row] for row in smallest}
    found = smallest_region(intersection_attack(tables, texts(persons), "published"))
    seen = set(found.values)
    assert [set(found.candidates(i)) for i in range(people)] == [one & seen for one in left]


def test_whoever_takes_the_smallest_region_is_mostly_right_and_the_union_shows_too_little() -> None:
    releases = [overlapping(CITY, k) for k in (5, 6)]
    people = [np.arange(len(CITY))] * 2
    known, union = intersection_attack(releases, people), intersection_attack(releases, people, "published")
    smallest = smallest_region(union)
    right = [share.only.value for share in smallest.located_correctly if share]
    assert min(right) > 0.9
    assert min(right) > max(share.only.value for share in union.located_correctly if share)
    assert ((union.sets & smallest.sets) == smallest.sets).all(), "nobody is left with more than by the union"
    assert union.perfect.value < smallest.rightly(1.0).mean() < smallest.perfect.value
    assert abs(smallest.rightly(1.0).mean() - known.rightly(1.0).mean()) < 0.2 * known.rightly(1.0).mean()


def test_where_everybody_fits_one_class_there_is_no_such_adversary() -> None:
    releases = [partition(CITY, Policy(k)) for k in (5, 6)]
    for locate in ("assumed", "published"):
        result = intersection_attack(releases, [range(100)] * 2, locate)
        assert smallest_region(result) is result
    centroids = [partition(CITY, Policy(k), "mdav") for k in (5, 6)]
    result = intersection_attack(centroids, [range(100)] * 2, "published")
    assert smallest_region(result) is result


def test_it_is_shown_beside_the_union_where_it_differs() -> None:
    """Strict classes of mine: one number. A file of somebody else with boxes that overlap: two."""
    asked = Scenario(examples.city_schema(), (Hospital(Policy(4)),) * 2, overlap=100, repeats=2)
    frame = sweep(CITY, asked.study, "k", [4], Redraws(2, 0, (1.0, 0.25)))
    for column in ("", "_single", "_wrong"):
        assert frame[f"smallest{column}"].tolist() == frame[column[1:] or "share"].tolist()
    numbers = assess(Case(CITY, asked), groups=("exposure",)).numbers
    assert numbers["smallest"].value == numbers["breach"].value
    assert "smallest" not in worth_showing([numbers])

    result = intersection_attack([overlapping(CITY, k) for k in (5, 6)], [np.arange(len(CITY))] * 2, "published")
    attacked = Attacked(result, (1.0, 1.0))
    share = exposures()["smallest"].at(attacked, 1.0)
    narrowed = smallest_region(result)
    assert share["smallest"] == narrowed.perfect.value > result.perfect.value
    assert share["smallest_wrong"] == narrowed.false_alarms.value > 0
    assert share["smallest"] - share["smallest_wrong"] == pytest.approx(narrowed.rightly(1.0).mean())

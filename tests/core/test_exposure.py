"""Who is exposed, what the publisher could do about it, and one person's story: against plain loops."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Release, Schema, Table, examples, intersection_attack
from core.attack.exposure import OTHERS, by_attribute
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded, encode
from core.release.class_table import class_table
from core.study.hospitals import Study
from core.study.one_run import Outcome, run_study
from tests.reference import policies as models
from tests.reference import utility as worth
from tests.releases import values_of
from tests.strategies import Case, cases

N, OVERLAP = 1_200, 300


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(examples.city(N, seed=5), examples.city_schema())


@pytest.fixture(scope="module")
def outcome(encoded: Encoded) -> Outcome:
    return run_study(encoded, Study.uniform(Policy(4), OVERLAP), seed=2)


def small(columns: dict[str, list[Any]], **options: Any) -> Encoded:
    """Encode a small table; the last column is sensitive."""
    texts = {name: [str(value) for value in values] for name, values in columns.items()}
    *qids, sensitive = texts
    return encode(Table.from_frame(pd.DataFrame(texts)), Schema(qids, sensitive, **options))


# ---- groups -----------------------------------------------------------------------------------


@pytest.mark.parametrize("attribute", ["zip code", "country of birth", "diagnosis"])
def test_the_most_common_values_and_all_others(outcome: Outcome, attribute: str) -> None:
    mine, result = outcome.releases[0].encoded, outcome.result
    count = Counter(values_of(mine, attribute)[:OVERLAP])
    frame = by_attribute(result, mine, attribute, 0.5, groups=6)
    *common, rest = frame["group"].tolist()
    assert rest == OTHERS
    assert [count[text] for text in common] == sorted(count.values(), reverse=True)[:5]
    assert frame["people"].tolist()[:5] == [count[text] for text in common]
    hits = Counter(text for text, hit in zip(values_of(mine, attribute), result.breached(0.5), strict=False) if hit)
    assert frame["breached"].tolist()[:5] == [hits[text] for text in common]


@pytest.mark.parametrize("groups", [2, 4, 8])
def test_ranges_of_about_equally_many_people(outcome: Outcome, groups: int) -> None:
    mine, result = outcome.releases[0].encoded, outcome.result
    ages = [int(text) for text in values_of(mine, "age")[:OVERLAP]]
    hit = result.breached(0.25)
    frame = by_attribute(result, mine, "age", 0.25, groups)
    ends = [text.strip("[]").split("-") for text in frame["group"]]
    bounds = [(int(end[0]), int(end[-1])) for end in ends]
    assert [high + 1 for _, high in bounds[:-1]] == [low for low, _ in bounds[1:]]
    for (low, high), row in zip(bounds, frame.itertuples(), strict=True):
        inside = [low <= age <= high for age in ages]
        assert (row.people, row.breached) == (sum(inside), sum(h for h, i in zip(hit, inside, strict=True) if i))
        # As many as fit, give or take those who are equally old.
        assert abs(row.people - OVERLAP / groups) <= 2 * max(Counter(ages).values())


def test_ordinal_groups_keep_the_order(outcome: Outcome) -> None:
    mine = outcome.releases[0].encoded
    order = list(examples.city_schema().orders["education"])
    frame = by_attribute(outcome.result, mine, "education", 0.5, groups=100)
    assert frame["group"].tolist() == [level for level in order if level in set(frame["group"])]


@pytest.mark.parametrize("attribute", ["", "name", "Age", "zip"])
def test_unknown_attribute(outcome: Outcome, attribute: str) -> None:
    with pytest.raises(ParameterError) as caught:
        by_attribute(outcome.result, outcome.releases[0].encoded, attribute, 0.5)
    assert caught.value.parameter == "attribute"


def test_a_value_named_like_the_rest_stays_apart() -> None:
    """A group is one row; a value that reads "all others" is not mixed up with the rest."""
    part = small({"a": [OTHERS] * 4 + ["b"] * 3 + list("cdef"), "s": list("xyxyxyxyxyx")})
    release = Release.of(part, np.zeros(11, dtype=int), Policy(3), "")
    result = intersection_attack([release, release], [range(11)] * 2)
    frame = by_attribute(result, part, "a", 0.5, groups=3)
    assert frame["people"].tolist() == [4, 3, 4]
    assert frame["group"].is_unique


@settings(max_examples=60)
@given(case=cases(rows=(4, 40)), groups=st.integers(1, 12), data=st.data())
def test_groups_of_random_tables(case: Case, groups: int, data: st.DataObject) -> None:
    """Where all values fit, each is a group, counted by brute force."""
    part = case.encoded
    labels = data.draw(st.lists(st.integers(0, 3), min_size=len(part), max_size=len(part)))
    release = Release.of(part, np.unique(labels, return_inverse=True)[1], Policy(1), "")
    people = data.draw(st.integers(1, len(part)))
    result = intersection_attack([release, release], [range(people)] * 2)
    for domain in (*part.qids, part.sensitive):
        frame = by_attribute(result, part, domain.name, 0.5, groups)
        assert frame["people"].sum() == people
        assert frame["breached"].sum() == result.breached(0.5).sum()
        assert len(frame) <= groups
        assert frame["group"].is_unique
        texts = values_of(part, domain.name)[:people]
        if len(set(texts)) <= groups:
            count = Counter(texts)
            hits = Counter(text for text, hit in zip(texts, result.breached(0.5), strict=True) if hit)
            assert dict(zip(frame["group"], frame["people"], strict=True)) == count
            assert frame["breached"].tolist() == [hits[text] for text in frame["group"]]


# ---- classes ------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(case=cases(rows=(4, 40)), data=st.data())
def test_class_table_by_brute_force(case: Case, data: st.DataObject) -> None:
    part, secrets = case.encoded, case.sensitive.values
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=len(part), max_size=len(part)))
    labels = np.unique(drawn, return_inverse=True)[1]
    distance = data.draw(st.sampled_from(["equal", "ordered"]))
    frame = class_table(Release.of(part, labels, Policy(1, distance=distance), ""))
    assert frame["class_number"].tolist() == list(range(labels.max() + 1))
    for row in frame.itertuples():
        mine = [secrets[i] for i in np.flatnonzero(labels == row.class_number)]
        assert row.size == len(mine)
        entropy = models.entropy(mine)
        assert row.entropy_l == pytest.approx(0 if entropy is None else math.exp(entropy), abs=1e-9)
        far = models.distance_of(mine, secrets, case.sensitive, distance)
        assert row.distance == pytest.approx(float(far), abs=1e-9)
        assert row.distinct == models.distinct(mine), (
            "a missing value is none, as it is measured; the attack takes it for one"
        )
        if None not in mine:
            assert row.most_common == pytest.approx(max(Counter(mine).values()) / len(mine))
        members = np.flatnonzero(labels == row.class_number).tolist()
        loss = sum(worth.ncp(attribute, members) for attribute in case.qids) / len(case.qids)
        assert row.loss == pytest.approx(float(loss), abs=1e-9)

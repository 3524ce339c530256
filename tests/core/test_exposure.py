"""Who is exposed, what the publisher could do about it, and one person's story: against plain loops."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Release, Schema, Table, examples, intersection_attack
from core.algorithms import partition
from core.attack.exposure import OTHERS, by_attribute
from core.attack.remedies import remedies
from core.base.errors import ParameterError
from core.data.encoding import Encoded, encode
from core.release.class_table import class_table
from core.release.utility import gcp
from core.study.hospitals import Hospital, Study
from core.study.run import Outcome, run_study
from tests.reference import policies as models
from tests.reference import utility as worth
from tests.releases import release_of, values_of
from tests.strategies import Case, cases

N, OVERLAP = 1_200, 300


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(examples.city(N, seed=5), examples.city_schema())


@pytest.fixture(scope="module")
def outcome(encoded: Encoded) -> Outcome:
    return run_study(encoded, Study.alike(Policy(4), OVERLAP), seed=2)


def small(columns: dict[str, list[Any]], **options: Any) -> Encoded:
    """Encode a small table; the last column is sensitive."""
    texts = {name: [str(value) for value in values] for name, values in columns.items()}
    *qids, sensitive = texts
    return encode(Table.from_frame(pd.DataFrame(texts)), Schema(qids, sensitive, **options))


# ---- groups -----------------------------------------------------------------------------------


ATTRIBUTES = (*examples.city_schema().quasi_identifiers, "diagnosis")


@pytest.mark.parametrize("attribute", ATTRIBUTES)
@pytest.mark.parametrize("confidence", [1.0, 0.25])
def test_groups_of_single_values_by_brute_force(outcome: Outcome, attribute: str, confidence: float) -> None:
    mine, result = outcome.releases[0].encoded, outcome.result
    texts = values_of(mine, attribute)[:OVERLAP]
    posterior = result.posterior.tolist()
    most = math.floor(1 / confidence + 1e-9)
    frame = by_attribute(result, mine, attribute, confidence, groups=10_000)
    assert set(frame["group"]) == set(texts)
    for row in frame.itertuples():
        group = [1 <= left <= most for left, text in zip(posterior, texts, strict=True) if text == row.group]
        assert (row.people, row.breached) == (len(group), sum(group))


@pytest.mark.parametrize("attribute", ["zip code", "country of birth", "diagnosis"])
def test_the_commonest_values_and_all_others(outcome: Outcome, attribute: str) -> None:
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
        assert row.people == sum(inside)
        assert row.breached == sum(h for h, i in zip(hit, inside, strict=True) if i)
        # As many as fit, give or take those who are equally old.
        same = max(Counter(ages).values())
        assert abs(row.people - OVERLAP / groups) <= 2 * same


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


def test_missing_values_are_a_group(outcome: Outcome) -> None:
    part = small({"a": ["1", "2", "", "", "3", "4"], "s": list("xyxyxy")})
    release = Release.of(part, np.array([0, 0, 0, 1, 1, 1]), Policy(3), "")
    result = intersection_attack([release, release], [range(6)] * 2)
    frame = by_attribute(result, part, "a", 0.5)
    assert frame["group"].tolist() == ["1", "2", "3", "4", "(missing)"]
    assert frame["people"].tolist() == [1, 1, 1, 1, 2]
    assert by_attribute(result, part, "a", 0.5, groups=2)["people"].sum() == 6


def test_a_value_named_like_the_rest_stays_apart() -> None:
    """A group is one row; a value that reads "all others" is not mixed up with the rest."""
    part = small({"a": [OTHERS] * 4 + ["b"] * 3 + list("cdef"), "s": list("xyxyxyxyxyx")})
    release = Release.of(part, np.zeros(11, dtype=int), Policy(3), "")
    result = intersection_attack([release, release], [range(11)] * 2)
    frame = by_attribute(result, part, "a", 0.5, groups=3)
    assert frame["people"].tolist() == [4, 3, 4]
    assert frame["group"].is_unique


@settings(max_examples=60)
@given(case=cases(rows=(4, 40)), groups=st.integers(1, 6), data=st.data())
def test_groups_of_random_tables(case: Case, groups: int, data: st.DataObject) -> None:
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


# ---- remedies -----------------------------------------------------------------------------------


def first_people(count: int, releases: int = 2) -> list[np.ndarray]:
    """The first so many records of each release."""
    return [np.arange(count)] * releases


def test_remedies_by_hand() -> None:
    """Six classes of two on a line; shared are the first record of each class, and one more of class 0.

    | class | a      | first  | second (codes equal) | left        |
    |-------|--------|--------|----------------------|-------------|
    | 0     | 0, 1   | x y    | both people: x z     | x: breached |
    | 1     | 2, 9   | x y    | x y                  | 2: not      |
    | 2     | 10, 12 | x x    | x y                  | x: breached |
    | 3     | 13, 14 | y z    | z x                  | z: breached |
    """
    first = small({"a": [0, 2, 10, 13, 1, 9, 12, 14], "s": list("xxxz") + list("yyxy")})
    mine = Release.of(first, np.array([0, 1, 2, 3, 0, 1, 2, 3]), Policy(2), "by hand")
    second = small({"a": range(8), "s": list("xxxz") + list("zyyx")})
    other = Release.of(second, np.array([0, 1, 2, 3, 0, 1, 2, 3]), Policy(2), "by hand")
    result = intersection_attack([mine, other], [range(4)] * 2)
    assert result.posterior.tolist() == [1, 2, 1, 1]
    found = remedies([mine, other], first_people(4), 1.0, shares=(0.01, 0.34, 0.7, 1.0))
    none, *treated = found
    widths = np.array([1, 7, 2, 1]) / 14
    loss = widths.mean()
    assert (none.action, none.classes, none.records, none.share) == ("none", 0, 0, 0.75)
    assert none.loss == pytest.approx(loss)
    assert [(r.action, r.classes, r.records) for r in treated] == [
        ("suppress", 1, 2),
        ("merge", 1, 2),
        ("suppress", 1, 2),
        ("merge", 1, 2),
        ("suppress", 2, 4),
        ("merge", 2, 4),
        ("suppress", 3, 6),
        ("merge", 3, 6),
    ]
    # Equally bad classes are taken in order. Class 0 left out: its person keeps {x, z} of the other release.
    assert treated[0].share == 0.5
    assert treated[0].loss == pytest.approx((2 + 2 * widths[1:].sum()) / 8)
    # Class 0 joined with class 1 ([0, 9], the least union): its person keeps x, for z is in neither.
    assert treated[1].share == 0.75
    assert treated[1].loss == pytest.approx((4 * 9 / 14 + 2 * 2 / 14 + 2 * 1 / 14) / 8)
    # Classes 0 and 2 left out: {x, z} and {x, y} of the other release are left.
    assert treated[4].share == 0.25
    assert treated[4].loss == pytest.approx((4 + 2 * (7 + 1) / 14) / 8)
    # 0 with 1, and 2 with 3: {x, y} & {x, z}, the same & {x, y}, {x, y, z} & {x, y}, {x, y, z} & {z, x}.
    assert treated[5].share == 0.25
    assert treated[5].loss == pytest.approx((4 * 9 / 14 + 4 * 4 / 14) / 8)
    assert treated[6].share == 0.0
    assert treated[6].loss == pytest.approx((6 + 2 * 7 / 14) / 8)


def test_people_left_out_are_exposed_by_the_other_releases_only() -> None:
    """Left out of mine, the person's class at the other hospital still holds one value."""
    first = release_of([0, 0, 1, 1], [0, 1, 0, 1], ["x", "y"])
    second = release_of([0, 0, 1, 1], [0, 0, 0, 1], ["x", "y"])  # class 0: x alone
    none, suppress, _ = remedies([first, second], first_people(2), 1.0, shares=(1.0,))
    assert none.share == 1.0
    assert suppress.share == 1.0
    third = release_of([0, 0, 1, 1], [0, 2, 0, 1], ["x", "y", "z"])  # class 0: x and z
    none, suppress, _ = remedies([first, third], first_people(1), 1.0, shares=(1.0,))
    assert none.share == 1.0
    assert suppress.share == 0.0


def attack_by_hand(releases: Sequence[Release], people: int, confidence: float) -> float:
    """Share breached; who is in no class is exposed by the other releases."""
    hit = 0
    most = math.floor(1 / confidence + 1e-9)
    for i in range(people):
        left: set[str] | None = None
        for release in releases:
            label = release.labels[i]
            if label < 0:
                continue
            texts = values_of(release.encoded, release.encoded.sensitive.name)
            here = {text for text, other in zip(texts, release.labels, strict=True) if other == label}
            left = here if left is None else left & here
        hit += left is not None and 1 <= len(left) <= most
    return hit / people


@pytest.mark.parametrize("confidence", [1.0, 0.5, 0.25])
def test_remedies_of_a_city(outcome: Outcome, confidence: float) -> None:
    releases = outcome.releases
    found = remedies(releases, first_people(OVERLAP), confidence)
    none, *treated = found
    assert none.share == outcome.result.pvp(confidence).value
    assert none.loss == gcp(releases[0])
    assert [r.action for r in treated] == ["suppress", "merge"] * (len(treated) // 2)
    # The worst classes: the largest part of their shared people breached, then most people, then the first.
    breached = outcome.result.breached(confidence)
    label = releases[0].labels[:OVERLAP]
    parts = {int(c): (breached[label == c].mean(), int(breached[label == c].sum())) for c in set(label.tolist())}
    worst = sorted((c for c in parts if parts[c][1]), key=lambda c: (-parts[c][0], -parts[c][1], c))
    for share, remedy in zip(np.repeat((0.01, 0.02, 0.05, 0.1, 0.2), 2), treated, strict=True):
        assert remedy.classes == max(1, round(share * len(worst)))
        chosen = worst[: remedy.classes]
        assert remedy.records == sum((releases[0].labels == c).sum() for c in chosen)
        if remedy.action == "suppress":
            labels = np.where(np.isin(releases[0].labels, chosen), -1, releases[0].labels)
            kept = np.unique(labels[labels >= 0])
            renumbered = np.where(labels >= 0, np.searchsorted(kept, labels), -1)
            other = Release.of(releases[0].encoded, renumbered, Policy(4), "")
            assert remedy.share == pytest.approx(attack_by_hand([other, *releases[1:]], OVERLAP, confidence))
            assert remedy.loss == pytest.approx(gcp(other))
        else:
            assert remedy.share <= none.share  # larger classes never expose more people who agree
            assert remedy.loss >= none.loss


def test_no_breach_needs_no_remedy() -> None:
    release = release_of([0] * 6, [0, 1, 2] * 2, ["x", "y", "z"])
    assert [r.action for r in remedies([release, release], first_people(3), 1.0)] == ["none"]


def test_a_single_class_can_be_neither_left_out_nor_joined() -> None:
    release = release_of([0] * 4, [0] * 4, ["x"])
    found = remedies([release, release], first_people(3), 1.0)
    assert found[0].share == 1.0
    assert all(remedy.action == "merge" and remedy.share == 1.0 for remedy in found[1:])


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
        if None not in mine:
            assert row.distinct == models.distinct(mine)
            assert row.commonest == pytest.approx(max(Counter(mine).values()) / len(mine))
        members = np.flatnonzero(labels == row.class_number).tolist()
        loss = sum(worth.ncp(attribute, members) for attribute in case.qids) / len(case.qids)
        assert row.loss == pytest.approx(float(loss), abs=1e-9)


def test_a_missing_value_does_not_make_a_class_more_diverse() -> None:
    """As it is measured [definitions §1]; the attack alone takes it for a value."""
    part = small({"a": "112233", "s": ["x", "y", "x", "", "x", ""]})
    frame = class_table(Release.of(part, np.array([0, 0, 1, 1, 2, 2]), Policy(2), ""))
    assert frame["distinct"].tolist() == [2, 1, 1]
    assert frame["entropy_l"].tolist() == pytest.approx([2, 1, 1])


def test_class_table_of_a_disagreeing_hospital(encoded: Encoded) -> None:
    """A distance is to the table that is released, redrawn values included."""
    study = Study((Hospital(Policy(5)), Hospital(Policy(200), agreement=0.0)), OVERLAP)
    release = run_study(encoded, study).releases[1]
    whole = partition(release.encoded, Policy(len(release.encoded)))
    assert class_table(whole)["distance"].tolist() == pytest.approx([0.0], abs=1e-12)
    assert (class_table(release)["distance"] < 0.6).all()


@given(st.lists(st.integers(1, 4), min_size=OVERLAP, max_size=OVERLAP))
@settings(max_examples=15, deadline=None)
def test_remedies_count_groups_as_their_people(outcome: Outcome, times: list[int]) -> None:
    """The slow twin attacks every person of a group."""
    each = np.repeat(np.arange(OVERLAP), times)
    weight = np.array(times)
    together = remedies(outcome.releases, first_people(OVERLAP), 0.5, shares=(0.1, 0.5), weight=weight)
    twin = remedies(outcome.releases, [each, each], 0.5, shares=(0.1, 0.5))
    assert [(r.action, r.classes, r.records) for r in together] == [(r.action, r.classes, r.records) for r in twin]
    assert [r.share for r in together] == pytest.approx([r.share for r in twin], abs=1e-12)
    assert [r.loss for r in together] == [r.loss for r in twin]

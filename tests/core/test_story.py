"""One person's story, release by release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from core import Policy, Release, examples, intersection_attack
from core.algorithms import partition
from core.attack.trail import Step, follow
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded, encode
from core.release.published.published import Published
from core.study.hospitals import Study
from core.study.one_run import Outcome, run_study
from tests.releases import City, cities, releases_of, texts_of_class, values_of

OVERLAP = 300


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(examples.city(600, seed=5), examples.city_schema())


@pytest.fixture(scope="module")
def outcome(encoded: Encoded) -> Outcome:
    return run_study(encoded, Study.uniform(Policy(4), OVERLAP), seed=2)


def followed(releases: Sequence[Release], person: int) -> list[Step]:
    """The story of one person who has the same position in every release and whose class is known."""
    result = intersection_attack(releases, [[person]] * len(releases))
    return follow(releases, result, 0)


def test_follow_alice_and_bob() -> None:
    releases = releases_of(examples.hospitals_a_and_b())
    first, second = followed(releases, 4)
    assert first.counts == (("F", 2), ("B", 1), ("E", 1))
    assert dict(second.counts) == {"H": 2, "C": 2, "E": 1, "D": 1}
    assert (set(first.left), second.left) == ({"E", "F", "B"}, ("E",))
    assert (first.matches[0].region["Age"], first.matches[0].region["Sex"]) == ("[20-25]", "f")
    bob = followed(releases, 8)
    assert [set(step.left) for step in bob] == [set("BDGF"), set("BDF")]


@settings(max_examples=60)
@given(city=cities())
def test_follow_agrees_with_the_attack_step_by_step(city: City) -> None:
    fewest = min(release.inputs for release in city.releases)
    for person in range(min(fewest, 8)):
        steps = followed(city.releases, person)
        assert [step.release for step in steps] == list(range(1, len(city.releases) + 1))
        for number, (step, release) in enumerate(zip(steps, city.releases, strict=True), start=1):
            label = int(release.labels[person])
            assert [match.number for match in step.matches] == ([label] if label >= 0 else [])
            texts = values_of(release.encoded, "s")
            inside = Counter(t for t, other in zip(texts, release.classes.labels, strict=True) if other == label)
            if label < 0:
                assert (step.size, step.counts) == (0, ())
            else:
                assert step.size == inside.total()
                assert dict(step.counts) == inside
                assert [n for _, n in step.counts] == sorted(inside.values(), reverse=True)
            # Where no release has said anything, more values are possible the more releases name some.
            if number >= 2 and any(earlier.matches for earlier in steps[:number]):
                result = intersection_attack(city.releases[:number], [[person]] * number)
                assert set(step.left) == set(result.candidates(0))
                assert len(step.left) == result.posterior[0]


@pytest.mark.parametrize("algorithm", ["mondrian", "mdav"])
def test_somebody_known_by_quasi_identifiers_alone(encoded: Encoded, algorithm: str) -> None:
    """The typed values of a person, and releases of which nobody knows who is in them."""
    releases: list[Release | Published] = []
    for seed in (0, 1):
        half = encoded.take(np.random.default_rng(seed).permutation(600)[:400])
        releases.append(partition(half, Policy(3), algorithm).published)
    person = {
        domain.name: [domain.labels[codes[11]]] for domain, codes in zip(encoded.qids, encoded.codes, strict=True)
    }
    result = intersection_attack(releases, pd.DataFrame(person), "published")
    steps = follow(releases, result, 0)
    assert set(steps[-1].left) == set(result.candidates(0))
    for step, release in zip(steps, releases, strict=True):
        for match in step.matches:
            assert match.region == texts_of_class(release, match.number)
            assert match.size == release.sizes[match.number]
        assert sum(count for _, count in step.counts) == step.size
    if algorithm == "mdav":
        assert all(step.matches for step in steps), "there is always a nearest mean"


def test_who_fits_no_class_may_have_any_value(encoded: Encoded) -> None:
    release = partition(encoded, Policy(3)).published
    result = intersection_attack([release, release], pd.DataFrame({"age": ["200"]}), "published")
    steps = follow([release, release], result, 0)
    assert [step.matches for step in steps] == [(), ()]
    assert steps[-1].left == result.values


@pytest.mark.parametrize(
    ("releases", "person", "words"), [(2, -1, "person"), (2, OVERLAP, "person"), (1, 0, "attacked")]
)
def test_no_such_person(outcome: Outcome, releases: int, person: int, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        follow(outcome.releases[:releases], outcome.result, person)

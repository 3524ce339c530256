"""The intersection attack: golden numbers of definitions §10, and its slow twin on random releases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from core import CompositionError, Policy, Release, Schema, anonymize, breach_curve, examples, intersection_attack
from core.base.errors import ParameterError, SchemaError
from core.base.rates import candidate_limit
from tests.reference import attack as twin
from tests.releases import City, cities, release_of, releases_of
from tests.strategies import message_of

# ---- worked examples [definitions §10] --------------------------------------------------


@pytest.mark.parametrize("example", examples.worked_examples(), ids=lambda example: example.name)
def test_everything_the_examples_expect(example: examples.WorkedExample) -> None:
    releases = releases_of(example)
    persons = {"target": [rows[0] for rows in example.target_classes]}
    persons |= {name: list(value["rows"]) for name, value in example.expected.items() if isinstance(value, dict)}
    assert tuple(int(release.sizes.min()) for release in releases) == example.expected["k"]
    assert tuple(int(release.histogram.distinct.min()) for release in releases) == example.expected["distinct_l"]
    for name, rows in persons.items():
        expected = example.expected if name == "target" else example.expected[name]
        alone = len(releases) == 1
        result = intersection_attack(releases * (1 + alone), [[row] for row in rows] * (1 + alone))
        assert tuple(result.effective_anonymity[: len(releases), 0].tolist()) == expected["prior"]
        assert tuple(sorted(result.candidates(0))) == expected["candidates"]
        assert result.posterior.tolist() == [expected["posterior"]]
        assert result.drop.tolist() == [expected["drop"]]
        assert result.confidence.tolist() == [expected["confidence"]]
        sizes = tuple(int(r.sizes[r.labels[row]]) for r, row in zip(releases, rows, strict=True))
        assert sizes == expected["sizes"]


# ---- the slow twin ----------------------------------------------------------------------


@settings(max_examples=120)
@given(city=cities())
def test_attack_equals_its_slow_twin(city: City) -> None:
    twin.assert_same(intersection_attack(city.releases, city.people), city.expected)


# ---- small cases by hand ------------------------------------------------------------------


def two(first: str, second: str, **first_options: Any) -> list[Release]:
    """Two releases of one class each, of people with the diagnoses in the texts."""
    domains = [sorted(set(text)) for text in (first, second)]
    options: list[dict[str, Any]] = [first_options, {}]
    return [
        release_of([0] * len(text), [domain.index(value) for value in text], domain, **option)
        for text, domain, option in zip((first, second), domains, options, strict=True)
    ]


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_people_may_be_any_sequence_and_may_be_asked_twice(kind: Any) -> None:
    result = intersection_attack(two("ABC", "BCA"), [kind([0, 0, 2]), kind([1, 1, 0])])
    assert (result.people, result.posterior.tolist(), result.truth.tolist()) == (3, [3, 3, 3], [0, 0, 2])
    assert len(result) == 3


@pytest.mark.parametrize(
    ("confidence", "most"),
    [
        (1, 1),
        (0.99, 1),
        (0.51, 1),
        (0.5, 2),
        (0.34, 2),
        (1 / 3, 3),
        (0.3, 3),
        (0.25, 4),
        (0.2, 5),
        (0.15, 6),
        (0.1, 10),
        (0.05, 20),
        (0.01, 100),
        (1 / 49, 49),
        (1 / 10_001, 10_001),
    ],
)
def test_most_candidates_of_a_confidence(confidence: float, most: int) -> None:
    assert candidate_limit(confidence) == most == twin.limit(confidence)


def test_every_whole_share_is_its_own_number() -> None:
    assert [candidate_limit(1 / n) for n in range(1, 3_000)] == list(range(1, 3_000))


# ---- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [5e-324, 1e-308])
def test_a_confidence_next_to_nothing_counts_everybody(confidence: float) -> None:
    assert intersection_attack(two("AB", "BC"), [[0], [0]]).pvp(confidence).value == 1.0


AB, BC = two("AB", "BC")


@pytest.mark.parametrize(
    ("releases", "people", "parameter"),
    [
        ([], [], "releases"),
        ([AB], [[0]], "releases"),
        ([AB, BC], [[0]], "people"),
        ([AB, BC], [[0], [0], [0]], "people"),
        ([AB, BC], [[0, 1], [0]], "people"),
        ([AB, BC], [[], []], "people"),
        ([AB, BC], [[0], [2]], "people"),
        ([AB, BC], [[2], [0]], "people"),
        ([AB, BC], [[0], [-1]], "people"),
        # A mask of 0 and 1 would otherwise be taken for the first two people.
        ([AB, BC], [np.array([True, False]), np.array([True, False])], "people"),
        ([AB, BC], [[0.7], [0.7]], "people"),
        ([AB, BC], [["0"], ["1"]], "people"),
        ([AB, BC], [[[0, 1]], [[0, 1]]], "people"),
        ([AB, BC], [[None], [0]], "people"),
        ([AB, BC], [[float("nan")], [0]], "people"),
    ],
)
def test_what_cannot_be_attacked(releases: list[Release], people: list[Any], parameter: str) -> None:
    with pytest.raises(ParameterError) as caught:
        intersection_attack(releases, people)
    assert caught.value.parameter == parameter


CITY = examples.city(100), examples.city_schema()
NO_POLICY: Any = 5
NO_SCHEMA: Any = None
REFUSED = [
    *(
        (
            lambda weight=weight: intersection_attack([AB, BC], [[0, 1]] * 2, weight=weight),
            ParameterError,
            "whole number of people, at least 1, as the weight of each of the 2",
        )
        for weight in (np.array([1, 0]), np.array([1, 2, 3]), np.array([1.0, 2.0]))
    ),
    (lambda: intersection_attack([AB, BC]), ParameterError, "People are a list of positions for each release"),
    (lambda: intersection_attack(AB, [[0]]), ParameterError, "a list of at least two"),
    (lambda: anonymize(*CITY, NO_POLICY), ParameterError, "such as Policy(k=5)"),
    (lambda: breach_curve(*CITY, NO_POLICY, "k", [2], 9), ParameterError, "such as Policy(k=5)"),
    (lambda: anonymize(CITY[0], NO_SCHEMA, Policy(5)), CompositionError, "such as Schema("),
    (lambda: anonymize(CITY[0], Schema(["age", "sex"], "diagnosis"), Policy(k=5)), SchemaError, "give each a role"),
]


@pytest.mark.parametrize(("call", "kind", "words"), REFUSED)
def test_one_sentence_says_what_to_give(call: Callable[[], object], kind: type[Exception], words: str) -> None:
    assert words in message_of(call, kind)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("Sexx", "8 columns (the nearest is 'sex'); check the name"),
        ("zip_code", "(the nearest is 'zip code')"),
        ("zip code 1", "8 columns; check"),
        ("height", "8 columns; check"),
    ],
)
def test_a_column_that_is_not_there_is_refused_with_the_nearest_name(typed: str, said: str) -> None:
    schema = Schema([typed, "age"], "diagnosis", unassigned="drop")
    columns = ["age", "sex", "zip code", "education", "work class", "marital status", "race", "diagnosis"]
    frame = pd.DataFrame({column: ["1", "2"] for column in columns})
    assert said in message_of(lambda: anonymize(frame, schema, Policy(k=1)), SchemaError)


def test_a_release_that_publishes_nobody_says_nothing() -> None:
    nobody = replace(AB, classes=Release.of(AB.encoded, np.array([-1, -1]), Policy(1), "").classes)
    result = intersection_attack([nobody, BC], [[0], [0]])
    assert result.candidates(0) == ("B", "C")
    assert result.unlocated.tolist() == [1, 0]

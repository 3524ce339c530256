"""Who fits which class: random published tables against the slow twin, and small cases by hand."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Release, Schema, Table
from core.algorithms import partition
from core.base.errors import InputError, ParameterError
from core.data.encoding import encode
from core.release.published import containment
from core.release.published import locate as module
from core.release.published.locate import locate
from core.release.published.located import Located
from core.release.published.published import Published
from core.release.published.targets import Targets
from tests.reference import locating as slow
from tests.strategies import message_of
from tests.townsfolk import NAMES, SCHEMA, SCHOOL, random_people, random_rows, texts


def rows_of(published: Published, located: Located, person: int) -> set[int]:
    """Published rows of a person's candidate classes."""
    return set(np.flatnonzero(np.isin(published.labels, located.of_person(person))).tolist())


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 12), st.integers(1, 15))
def test_candidates_equal_those_of_the_slow_twin(rng: random.Random, rows: int, people: int) -> None:
    cells, persons = random_rows(rng, rows), random_people(rng, people)
    frame = pd.DataFrame([[cell.text for cell in row] for row in cells], columns=NAMES, dtype=object).assign(s="x")
    published = Release.parse(frame, SCHEMA, suppression=False)
    located = locate(published, texts(persons))
    assert located.people == people
    for i, person in enumerate(persons):
        assert rows_of(published, located, i) == slow.rows_by_regions(cells, person)
        assert np.all(np.diff(located.of_person(i)) > 0)
    known = [True, False, True, False]
    part = locate(published, texts(persons)[["school", "age"]])
    for i, person in enumerate(persons):
        assert rows_of(published, part, i) == slow.rows_by_regions(cells, person, known), "what is not known fits all"


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.integers(1, 12), st.integers(1, 15))
def test_nearest_centroids_equal_those_of_the_slow_twin(rng: random.Random, rows: int, people: int) -> None:
    place = {label: i for i, label in enumerate(SCHOOL)}
    cells, persons = random_people(rng, rows), random_people(rng, people)
    published = Release.parse(texts(cells).assign(s="x"), SCHEMA, centroids=True)
    located = locate(published, texts(persons))

    def as_numbers(row: list[Any]) -> list[Any]:
        return [row[0], row[1], place.get(row[2]), row[3]]

    for i, person in enumerate(persons):
        expected = slow.rows_by_centroid([as_numbers(row) for row in cells], as_numbers(person))
        assert rows_of(published, located, i) == expected


@pytest.mark.parametrize("centroids", [False, True])
def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, centroids: bool) -> None:
    rng = random.Random(3)
    cells = random_rows(rng, 90)
    frame = pd.DataFrame([[cell.text for cell in row] for row in cells], columns=NAMES, dtype=object).assign(s="x")
    published = Release.parse(frame, SCHEMA, centroids=centroids)
    people = texts(random_people(rng, 200))
    whole = locate(published, people)
    for block in (1, 7, 1000):
        monkeypatch.setattr(module, "BLOCK", block)
        monkeypatch.setattr(containment, "BLOCK", block)
        part = locate(published, people)
        assert part.starts.tolist() == whole.starts.tolist()
        assert part.classes.tolist() == whole.classes.tolist()


# ---- by hand ----------------------------------------------------------------------------

TWO = Schema(["age", "sex"], "s", kinds={"age": "numeric", "sex": "categorical"})


def published(rows: list[tuple[str, str]], **options: Any) -> Published:
    return Release.parse(pd.DataFrame(rows, columns=["age", "sex"]).assign(s="x"), TWO, **options)


def test_ties_of_centroids_are_all_candidates() -> None:
    table = published([("10", "f"), ("20", "f"), ("40", "m")], centroids=True)
    found = locate(table, pd.DataFrame({"age": ["15", "16", "1000"], "sex": ["f", "f", "m"]}))
    assert [len(found.of_person(i)) for i in range(3)] == [2, 1, 1]
    same = published([("10", "f"), ("10", "m")], centroids=True)
    assert locate(same, pd.DataFrame({"age": ["99"]})).counts.tolist() == [2], "no spread, nothing to tell apart"


def test_distance_is_measured_in_published_standard_deviations() -> None:
    # Centroids 0 (nine rows) and 10 (one row): variance 9, so 3 away costs as much as another sex.
    table = published([("0", "f")] * 9 + [("10", "m")], centroids=True)
    people = pd.DataFrame({"age": ["5.44", "5.46", "4.54", "4.56"], "sex": ["f", "f", "m", "m"]})
    found = locate(table, people)
    first, last = int(table.labels[0]), int(table.labels[9])
    assert found.classes.tolist() == [first, last, first, last]


def test_more_than_sixty_four_classes() -> None:
    rows = [(str(age), "f") for age in range(200)]
    found = locate(published(rows), pd.DataFrame({"age": [str(a) for a in range(-1, 201)], "sex": "f"}))
    assert found.counts.tolist() == [0] + [1] * 200 + [0]
    labels = published(rows).labels
    assert found.classes.tolist() == labels.tolist()


def test_a_release_of_nobody() -> None:
    encoded = encode(Table.from_frame(pd.DataFrame({"q": ["1", "2"], "s": ["x", "y"]})), Schema(["q"], "s"))
    release = Release.of(encoded, np.array([-1, -1]), Policy(1), "by hand")
    assert locate(release.published, pd.DataFrame({"q": ["1", "2"]})).counts.tolist() == [0, 0]


def test_targets_of_a_table_say_what_its_cells_say() -> None:
    frame = pd.DataFrame({"q": ["1.50", "", "3"], "r": ["a", "b", ""], "s": ["x", "y", "x"]})
    encoded = encode(Table.from_frame(frame), Schema(["q", "r"], "s", kinds={"q": "numeric"}))
    known = Targets.of(encoded, np.array([2, 1, 0]))
    said = [[known.texts[i][code] for code in known.codes[i]] for i in range(2)]
    assert said == [["3", "", "1.5"], ["", "b", "a"]]
    release = partition(encoded, Policy(1))
    assert locate(release.published, known).counts.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("frame", "error", "said"),
    [
        (pd.DataFrame({"age": []}), InputError, "at least one record"),
        (pd.DataFrame({"height": ["1"]}), ParameterError, "Nothing that is known"),
        (pd.DataFrame([["1", "2"]], columns=["age", "age"]), InputError, "the same header"),
        (pd.DataFrame({"age": ["1", "Methuselah"]}), InputError, "'age'"),
    ],
)
def test_people_who_cannot_be_located(frame: pd.DataFrame, error: type[Exception], said: str) -> None:
    message = message_of(lambda: locate(published([("[20-30]", "f")]), frame), error)
    assert said in message
    assert "Methuselah" not in message


def test_too_many_candidates_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CANDIDATES", 9)
    table = published([(f">{age}", "*") for age in range(5)])
    assert locate(table, pd.DataFrame({"age": ["50"]})).counts.tolist() == [5]
    with pytest.raises(ParameterError, match="at most 9"):
        locate(table, pd.DataFrame({"age": ["50", "50"]}))

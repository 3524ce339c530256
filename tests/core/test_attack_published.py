"""The attack by published regions: the printed golden case, random tables against sets of rows, mixed releases."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Release, Schema, Table, anonymize, intersection_attack
from core.algorithms import partition
from core.attack.weighted import weigh
from core.base.errors import ParameterError
from core.data.encoding.encoded import encode
from core.release.published.published import Published
from core.release.published.targets import Targets
from tests.reference import attack as twin
from tests.reference import locating as slow
from tests.releases import release_of
from tests.strategies import Case, cases, message_of
from tests.townsfolk import NAMES, SCHEMA, random_people, random_rows, texts

# ---- Alice, from the tables as printed [definitions §10, 1] -----------------------------


# ---- random published tables against sets of rows ----------------------------------------


@settings(max_examples=40)
@given(st.randoms(use_true_random=False), st.integers(2, 4), st.integers(1, 12))
def test_published_tables_equal_the_slow_twin(rng: random.Random, count: int, people: int) -> None:
    persons = random_people(rng, people)
    tables, known, first, universe = [], [], [], set()
    for _ in range(count):
        cells = random_rows(rng, rng.randint(1, 10))
        secrets = [f"v{rng.randrange(70)}" for _ in cells] if rng.random() < 0.3 else [rng.choice("abc") for _ in cells]
        frame = pd.DataFrame([[cell.text for cell in row] for row in cells], columns=NAMES, dtype=object)
        tables.append(Release.parse(frame.assign(s=secrets), SCHEMA, suppression=False))
        rows = [slow.rows_by_regions(cells, person) for person in persons]
        known.append([frozenset(secrets[row] for row in fits) if fits else None for fits in rows])
        first = first or [(0, secret) for secret in secrets]
        universe |= set(secrets)
    result = intersection_attack(tables, texts(persons), "published")
    twin.assert_same(result, twin.Attacked(first, frozenset(universe), known, [None] * people))


# ---- our own releases -------------------------------------------------------------------


@settings(max_examples=40)
@given(cases(rows=(4, 40)), st.integers(1, 4), st.integers(1, 4))
def test_strict_partitions_locate_their_own_people(case: Case, first: int, second: int) -> None:
    encoded = case.encoded
    releases = [partition(encoded, Policy(min(k, len(case)))) for k in (first, second)]
    everybody = [np.arange(len(case))] * 2
    known = intersection_attack(releases, everybody)
    read = intersection_attack(releases, everybody, "published")
    assert read.truth.tolist() == known.truth.tolist() == encoded.sensitive_codes.tolist()
    assert read.unlocated.tolist() == [0, 0]
    assert [share.among.value for share in read.located_correctly if share] == [1.0, 1.0]
    assert [share.only.value for share in known.located_correctly if share] == [1.0, 1.0]
    assert (read.effective_anonymity >= known.effective_anonymity).all()
    assert ((read.sets & known.sets) == known.sets).all(), "nobody is left with less than by his own class"
    parsed = [Release.parse(release.publish(0), case.schema, mine=encoded, marks="missing") for release in releases]
    foreign = intersection_attack([releases[0], *parsed], [everybody[0], None, None], "published")
    assert foreign.posterior.tolist() == read.posterior.tolist()
    assert foreign.effective_anonymity[[0, 2]].tolist() == read.effective_anonymity.tolist()


def people(rows: int = 60, seed: int = 5) -> tuple[pd.DataFrame, Schema]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"age": rng.integers(20, 60, rows), "sex": rng.choice(["f", "m"], rows), "s": rng.choice(list("abcd"), rows)}
    )
    return frame, Schema(["age", "sex"], "s", column_types={"age": "numeric"})


def test_splits_that_a_reader_cannot_see_are_one_class() -> None:
    frame, schema = people()
    encoded = encode(Table.from_frame(pd.concat([frame, frame])), schema)
    whole = partition(encoded, Policy(30))
    # By provider: each class in two, of the same people and so with the same region.
    split = Release.of(encoded, whole.classes.labels * 2 + np.arange(120) // 60, Policy(1), "provider-aware")
    assert split.classes.count == 2 * whole.classes.count > 2
    everybody = [np.arange(120)] * 2
    seen = intersection_attack([split, split], everybody, "published")
    assert seen.histograms[0].sizes.tolist() == whole.published.sizes.tolist()
    assert (
        seen.effective_anonymity.tolist() == intersection_attack([whole, whole], everybody).effective_anonymity.tolist()
    )
    assert [share.only.value for share in seen.located_correctly if share] == [1.0, 1.0]


def test_positions_and_published_tables_in_any_order() -> None:
    frame, schema = people()
    encoded = encode(Table.from_frame(frame), schema)
    mine, other = partition(encoded, Policy(5)), partition(encoded.take(np.arange(40)), Policy(8))
    theirs = Release.parse(other.publish(0), schema)
    row = [7, 3, 30]
    one = intersection_attack([mine, theirs], [row, None])
    two = intersection_attack([theirs, mine], [None, row])
    both = intersection_attack([mine, other], [row, row])
    assert one.posterior.tolist() == two.posterior.tolist() == both.posterior.tolist()
    assert [one.values[i] for i in one.truth] == [two.values[i] for i in two.truth] == frame["s"][row].tolist()
    assert one.located_correctly[1] is None
    known = Targets.of(encoded, np.array(row))
    assert intersection_attack([mine, theirs], known, "published").posterior.tolist() == one.posterior.tolist()
    table = frame.loc[row, ["age", "sex"]]
    assert intersection_attack([mine, theirs], table, "published").posterior.tolist() == one.posterior.tolist()


# ---- bad input --------------------------------------------------------------------------

ONE = release_of([0, 0], [0, 1], ["a", "b"])
FOREIGN = Release.parse(pd.DataFrame({"q": ["same"], "s": ["a"]}), Schema(["q"], "s"))


@pytest.mark.parametrize(
    ("releases", "asked", "locate", "parameter"),
    [
        ([ONE, FOREIGN], pd.DataFrame({"q": ["same"]}), "assumed", "locate"),
        ([FOREIGN, FOREIGN], [[0], [0]], "published", "people"),
        ([FOREIGN, FOREIGN], [None, None], "assumed", "people"),
        ([ONE, FOREIGN], [[0]], "published", "people"),
        ([ONE, FOREIGN], [[], None], "published", "people"),
        ([ONE, FOREIGN], [[2], None], "published", "people"),
        ([ONE, FOREIGN], [None, None], "published", "people"),
        ([ONE, FOREIGN], pd.DataFrame({"other": ["same"]}), "published", "people"),
        ([ONE, FOREIGN], 1, "published", "people"),
        ([FOREIGN], pd.DataFrame({"q": ["same"]}), "published", "releases"),
        ([ONE, pd.DataFrame({"q": ["same"], "published": [1]})], [[0], None], "published", "releases"),
        ([ONE, FOREIGN], pd.DataFrame({"q": ["same"]}), "nearest", "locate"),
    ],
)
def test_what_cannot_be_attacked(releases: list[Release | Published], asked: Any, locate: str, parameter: str) -> None:
    with pytest.raises(ParameterError) as caught:
        intersection_attack(releases, asked, locate)
    assert caught.value.parameter == parameter


def test_regions_that_no_target_fits() -> None:
    result = intersection_attack([FOREIGN, ONE], pd.DataFrame({"q": ["elsewhere", "same"]}), "published")
    assert result.unlocated.tolist() == [1, 1]
    assert result.candidates(0) == ("a", "b")
    assert result.candidates(1) == ("a",)
    assert "locate='published'" in message_of(
        lambda: intersection_attack([FOREIGN, ONE], pd.DataFrame({"q": ["same"]})), ParameterError
    )


@pytest.mark.parametrize("algorithm", ["mondrian", "mdav"])
@pytest.mark.parametrize("left_out", [6, 5, 1])
def test_people_whose_records_were_left_out_are_in_no_class(algorithm: str, left_out: int) -> None:
    """Some of the shared people, or all of them: unlocated, and with every value still possible."""
    ages = [*[""] * left_out, *(str(20 + i) for i in range(30))]
    table = Table.from_frame(pd.DataFrame({"age": ages, "ill": [*"abcdef"] * 5 + [*"abcdef"][:left_out]}))
    schema = Schema(("age",), "ill", missing="drop")
    releases = [anonymize(table, schema, Policy(k), algorithm) for k in (3, 4)]
    for locate in ("assumed", "published"):
        result = intersection_attack(releases, [range(6)] * 2, locate)
        assert result.people == 6
        assert result.unlocated.tolist() == [left_out, left_out]
        assert result.posterior[:left_out].tolist() == [6] * left_out
        assert result.truth.tolist() == [-1] * left_out + list(range(left_out, 6))
        correct = result.located_correctly[0]
        assert correct.only.n == 6 - left_out if left_out < 6 else correct is None
        assert result.candidates(0) == ("a", "b", "c", "d", "e", "f")
        assert weigh(result).max_posterior.shape == (6,)

"""Strict Mondrian against its slow twin, which is written rule by rule as definitions §3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.algorithms import allowed_cuts, anonymize, partition, partition_sweep
from core.base.errors import InfeasibleError, ParameterError, SchemaError
from core.data.schemas.schema import Schema
from core.data.tables.table import Table
from core.privacy.policy import Policy
from tests.partitions import agreed_by_twin, released
from tests.reference import mondrian as twin
from tests.reference.attributes import Attribute
from tests.reference.policies import meets
from tests.strategies import Case, cases, classes_of, message_of, policies


def classes(columns: dict[str, list[Any]], policy: Policy, **schema: Any) -> list[list[int]]:
    """Partition of a small table, as sorted lists of record numbers."""
    return sorted(map(sorted, classes_of(released(columns, policy, "mondrian", **schema).labels)))


# ---- the twin ---------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_partition_equals_the_twin(data: st.DataObject) -> None:
    case = data.draw(cases())
    agreed_by_twin(case, data.draw(policies(case.sensitive)), "mondrian", twin.partition)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_partition_of_taxonomies_equals_the_twin(data: st.DataObject) -> None:
    case = data.draw(cases(column_types=("taxonomy", "categorical"), sensitive_column_types=("taxonomy",)))
    agreed_by_twin(case, data.draw(policies(case.sensitive, k=3)), "mondrian", twin.partition)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_a_sweep_over_k_equals_single_runs(data: st.DataObject) -> None:
    """Under one l and t, or none."""
    case = data.draw(cases(qids=3, rows=(2, 40)))
    policy, everyone = data.draw(policies(case.sensitive)), list(case.sensitive.values)
    asked = [replace(policy, k=k) for k in data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=6))]
    assume(all(meets(one, everyone, everyone, case.sensitive) for one in asked))
    for one, release in zip(asked, partition_sweep(case.encoded, asked), strict=True):
        assert release.policy == one
        assert classes_of(release.labels) == twin.partition(case.qids, case.sensitive, one)
        assert np.array_equal(release.labels, partition(case.encoded, one).labels)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_rows_are_released_as_a_table_of_their_own(data: st.DataObject) -> None:
    case = data.draw(cases(rows=(3, 40), qids=3))
    rows = data.draw(st.permutations(range(len(case))))[: data.draw(st.integers(1, len(case)))]
    policy = Policy(data.draw(st.integers(1, len(rows))))
    release = anonymize(case.table, case.schema, policy, rows=rows)
    part = case.take(rows)
    assert len(release.labels) == len(rows)
    assert classes_of(release.labels) == twin.partition(part.qids, part.sensitive, policy)
    try:
        alone = anonymize(case.table.take(np.array(rows)), case.schema, policy)
    except SchemaError:
        return  # a column of the part is empty, or its sensitive value is one only
    assert np.array_equal(alone.labels, release.labels)
    assert alone.region_frame().astype(str).equals(release.region_frame().astype(str))


def big_case(seed: int, rows: int = 350) -> Case:
    """Build a larger table with skewed columns of every kind."""
    rng = np.random.default_rng(seed)
    labels = [*"abcdefg"]
    leaves = ["Italy", "Poland", "Japan", "Korea", "India"]
    tree = {"Europe": {"Italy": {}, "Poland": {}}, "Asia": {"East": {"Japan": {}, "Korea": {}}, "South": {"India": {}}}}
    paths = {
        "Italy": ("*", "Europe", "Italy"),
        "Poland": ("*", "Europe", "Poland"),
        "Japan": ("*", "Asia", "East", "Japan"),
        "Korea": ("*", "Asia", "East", "Korea"),
        "India": ("*", "Asia", "South", "India"),
    }
    age = tuple(twin.Fraction(int(x)) for x in rng.gamma(3, 12, rows))
    grade = tuple(labels[i] for i in rng.integers(0, 7, rows))
    sex = tuple(None if x < 0.05 else "m" if x < 0.5 else "f" for x in rng.random(rows))
    place = tuple(leaves[i] for i in rng.choice(5, rows, p=[0.4, 0.3, 0.15, 0.1, 0.05]))
    secret = tuple(leaves[i] for i in rng.choice(5, rows, p=[0.35, 0.25, 0.2, 0.15, 0.05]))
    return Case(
        (
            Attribute("age", "numeric", age),
            Attribute("sex", "categorical", sex),
            Attribute("grade", "ordinal", grade, order=tuple(labels)),
            Attribute("place", "taxonomy", place, paths=paths),
        ),
        Attribute("s", "taxonomy", secret, paths=paths),
        {"place": tree, "s": tree},
    )


BIG = [
    Policy(2),
    Policy(5, l=3),
    Policy(3, l=2.5, diversity="entropy"),
    Policy(3, l=2, diversity="recursive", c=1.5),
    Policy(4, t=0.25),
    Policy(4, t=0.2, distance="ordered"),
    Policy(4, t=0.2, distance="hierarchical"),
    Policy(4, l=3, t=0.35),
]


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize("policy", BIG, ids=str)
def test_larger_table_equals_the_twin(policy: Policy, seed: int) -> None:
    assert len(agreed_by_twin(big_case(seed), policy, "mondrian", twin.partition)) > 10


def test_histograms_in_small_steps_give_the_same_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = big_case(2).encoded
    whole = [partition(encoded, policy).labels for policy in BIG]
    monkeypatch.setattr(allowed_cuts, "CHUNK", 7)
    for policy, labels in zip(BIG, whole, strict=True):
        assert np.array_equal(partition(encoded, policy).labels, labels)


# ---- what cannot be met -----------------------------------------------------------------

ROWS = {"a": [1, 2, 3, 4, 5, 6], "s": ["x", "x", "x", "y", "y", "z"]}


@pytest.mark.parametrize(
    ("columns", "policy", "parameter", "said"),
    [
        (ROWS, Policy(7), "k", ["k = 7", "6 people", "at most 6"]),
        (ROWS, Policy(1, l=4), "l", ["l = 4", "at most 3", "3 distinct"]),
        (ROWS, Policy(1, l=4, diversity="recursive", c=9), "l", ["l = 4", "at most 3"]),
        (ROWS, Policy(1, l=2.9, diversity="entropy"), "l", ["l = 2.9", "at most 2.74"]),  # exp(1.0114) = 2.749
        (ROWS, Policy(1, l=3, diversity="recursive", c=3), "c", ["(3, 3)", "above 3"]),  # 3 < 3 * 1 does not hold
        # Missing secrets do not make a table diverse.
        ({"a": [1, 2, 3], "s": ["x", "y", None]}, Policy(1, l=3), "l", ["at most 2"]),
        # There is no taxonomy.
        (ROWS, Policy(1, t=0.5, distance="hierarchical"), "distance", []),
    ],
    ids=str,
)
def test_infeasible_policy_names_the_limit(
    columns: dict[str, list[Any]], policy: Policy, parameter: str, said: list[str]
) -> None:
    with pytest.raises(ParameterError if parameter == "distance" else InfeasibleError) as caught:
        classes(columns, policy)
    assert caught.value.parameter == parameter
    for text in said:
        assert text in str(caught.value)


@pytest.mark.parametrize(
    "policy",
    [Policy(6), Policy(1, l=3), Policy(1, l=2.74, diversity="entropy"), Policy(1, l=3, diversity="recursive", c=3.001)],
    ids=str,
)
def test_the_limit_that_a_message_names_is_accepted(policy: Policy) -> None:
    assert classes(ROWS, policy)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_named_entropy_limit_is_always_accepted(data: st.DataObject) -> None:
    case = data.draw(cases(rows=(2, 30), qids=1))
    said = message_of(lambda: partition(case.encoded, Policy(1, l=1e6, diversity="entropy")), InfeasibleError)
    limit = float(said.rsplit("at most ", 1)[1].rstrip("."))
    assert limit >= 1
    partition(case.encoded, Policy(1, l=limit, diversity="entropy"))


@pytest.mark.parametrize(
    "rows", [[], [-1], [6], [0, 0], [0, 1, 2, 1]], ids=["none", "negative", "beyond", "twice", "again"]
)
def test_rows_outside_the_table_or_named_twice_are_refused(rows: list[int]) -> None:
    table = Table.from_frame(pd.DataFrame(ROWS))
    with pytest.raises(ParameterError) as caught:
        anonymize(table, Schema(["a"], "s"), Policy(1), rows=rows)
    assert caught.value.parameter == "rows"

"""What every algorithm promises under every policy, whatever it does inside."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.algorithms import anonymize, partition, partition_sweep
from core.base.errors import CompositionError, InfeasibleError, ParameterError
from core.data.encoding.encoded import encode
from core.data.schemas.schema import Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.table import Table
from core.measurement import Guarantee, measure
from core.privacy import class_levels
from core.privacy.policy import Policy
from core.release.algorithm import ALGORITHMS, for_one_publisher
from core.release.release import Release
from tests.progress import rises_and_can_be_stopped
from tests.strategies import Case, cases

WARDS = Taxonomy.from_nested({"city": {"north": ["n1", "n2"], "south": ["s1"]}, "country": ["c1", "c2", "c3"]})
ILLS = Taxonomy.from_nested(
    {"infection": {"viral": ["flu", "cold"], "bacterial": ["tb"]}, "chronic": ["asthma", "diabetes"], "cancer": []}
)
SCHEMA = Schema(
    ["age", "sex", "school", "ward"],
    "disease",
    identifiers=["name"],
    other=["notes"],
    column_types={"age": "numeric"},
    taxonomies={"ward": WARDS, "disease": ILLS},
    orders={"school": ["none", "primary", "secondary", "college"]},
)
POLICIES = [
    Policy(1),
    Policy(5),
    Policy(250),
    Policy(3, l=3),
    Policy(3, l=2.5, diversity="entropy"),
    Policy(3, l=2, diversity="recursive", c=2),
    Policy(3, l=3, diversity="recursive", c=Fraction(7, 3)),
    Policy(3, t=0.3),
    Policy(3, t=0.25, distance="ordered"),
    Policy(3, t=0.25, distance="hierarchical"),
    Policy(5, l=3, t=0.35),
    Policy(5, l=3, diversity="entropy", t=0.35, distance="ordered"),
    Policy(5, l=2, diversity="recursive", c=2, t=0.3, distance="hierarchical"),
    Policy(3, t=0.0),
]


def people(rows: int = 250, missing: bool = True) -> pd.DataFrame:
    """Skewed columns of every kind, some cells empty."""
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(rows)],
            "age": np.clip(rng.gamma(4, 11, rows), 0, 99).round(1),
            "sex": rng.choice(["f", "m"], rows),
            "school": rng.choice(SCHEMA.orders["school"], rows, p=[0.1, 0.3, 0.4, 0.2]),
            "ward": rng.choice(WARDS.leaf_labels, rows),
            "notes": rng.random(rows),
            "disease": rng.choice(ILLS.leaf_labels, rows, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05]),
        }
    ).astype(object)
    if missing:
        for column in ("age", "sex", "school", "ward", "disease"):
            frame.loc[rng.random(rows) < 0.04, column] = None
    return frame


FRAME = people()
TABLE = Table.from_frame(FRAME)
every = pytest.mark.parametrize(("algorithm", "policy"), list(product(for_one_publisher(), POLICIES)), ids=str)


def check_declared(found: Guarantee, policy: Policy) -> None:
    assert found.k >= policy.k
    if policy.l is not None and policy.diversity == "distinct":
        assert found.distinct_l >= policy.l
    if policy.l is not None and policy.diversity == "entropy":
        assert math.log(found.entropy_l) >= math.log(policy.l) - 1e-9
    if policy.l is not None and policy.diversity == "recursive":
        assert found.recursive_c(int(policy.l)) < policy.c
    if policy.t is not None:
        assert found.t <= policy.t + 1e-9


def weakest(release: Release, policy: Policy) -> tuple[float, ...]:
    found = measure(release.publish(seed=0), SCHEMA, policy.distance)
    return found.classes, found.k, found.distinct_l, round(found.entropy_l, 9), round(found.t, 9), found.recursive_c(2)


@functools.cache
def released(algorithm: str, policy: Policy) -> Release:
    return anonymize(TABLE, SCHEMA, policy, algorithm)


@every
def test_measured_meets_declared(algorithm: str, policy: Policy) -> None:
    release = released(algorithm, policy)
    assert release.policy == policy
    assert release.algorithm.name == algorithm
    check_declared(measure(release.publish(), SCHEMA, policy.distance), policy)
    assert policy.is_satisfied(release.histogram, release.encoded.sensitive).all()


@every
def test_every_row_is_accounted_for(algorithm: str, policy: Policy) -> None:
    release = released(algorithm, policy)
    assert len(release.labels) == len(TABLE)
    assert release.sizes.sum() + release.classes.suppressed == len(TABLE)
    ills = release.publish(seed=1)["disease"].astype(object).value_counts()
    kept = FRAME["disease"].fillna("")[release.labels >= 0].value_counts()
    assert ills.to_dict() == kept.to_dict()


@every
def test_records_without_a_value_are_left_out_where_asked(algorithm: str, policy: Policy) -> None:
    schema = SCHEMA.with_(missing="complete")
    release = anonymize(TABLE, schema, policy if policy.k < 200 else Policy(100), algorithm)
    whole = FRAME[["age", "sex", "school", "ward", "disease"]].notna().all(axis=1).to_numpy()
    assert np.array_equal(release.labels >= 0, whole)
    assert release.encoded.dropped == (~whole).sum()
    check_declared(measure(release.publish(), schema, policy.distance), release.policy)


@every
def test_the_same_whatever_identifiers_and_other_columns_hold(algorithm: str, policy: Policy) -> None:
    frame = people().assign(name=lambda own: own["name"].str.upper(), notes="")
    release, again = released(algorithm, policy), anonymize(Table.from_frame(frame), SCHEMA, policy, algorithm)
    assert np.array_equal(release.labels, again.labels)
    assert release.publish(seed=5).astype(object).equals(again.publish(seed=5).astype(object))


@every
def test_another_order_of_the_rows_gives_the_same_guarantee(algorithm: str, policy: Policy) -> None:
    order = np.random.default_rng(3).permutation(len(TABLE))
    one = released(algorithm, policy)
    moved = anonymize(TABLE.take(order), SCHEMA, policy, algorithm)
    assert weakest(one, policy) == weakest(moved, policy)


@pytest.mark.parametrize("algorithm", [name for name in for_one_publisher() if name != "least-loss"])
@settings(max_examples=25, deadline=None)
@given(case=cases(rows=(4, 24), qids=2), k=st.integers(1, 4))
def test_what_k_alone_already_meets_changes_nothing(algorithm: str, case: Case, k: int) -> None:
    """Also what it meets exactly: l and t are asked as the classes of k have them.

    Least loss estimates how many classes a side can become in one way for k alone, for all k at once, and in another
    with l or t; so its cuts may differ.
    """
    encoded, k = case.encoded, min(k, len(case))
    plain = partition(encoded, Policy(k), algorithm)
    t = float(class_levels.distances(plain.histogram, encoded.sensitive, "equal").max())
    values, entropy = int(plain.histogram.known.distinct.min()), class_levels.entropies(plain.histogram).min()
    asked = [Policy(k, t=t)]
    if entropy >= 0:
        asked += [Policy(k, l=values), Policy(k, l=values, t=t), Policy(k, l=math.exp(entropy), diversity="entropy")]
    for policy in asked:
        assert partition(encoded, policy, algorithm).labels.tolist() == plain.labels.tolist(), policy


@pytest.mark.parametrize("algorithm", for_one_publisher())
def test_policies_are_answered_together_as_alone(algorithm: str) -> None:
    seen: list[float] = []
    releases = partition_sweep(encode(TABLE, SCHEMA), POLICIES, algorithm, seen.append)
    for policy, release in zip(POLICIES, releases, strict=True):
        assert release.policy == policy
        assert np.array_equal(release.labels, released(algorithm, policy).labels)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


@pytest.mark.parametrize("algorithm", for_one_publisher())
@pytest.mark.parametrize("policy", [Policy(2), Policy(3, l=2, t=0.4)], ids=str)
def test_progress_of_every_algorithm(algorithm: str, policy: Policy) -> None:
    shares = rises_and_can_be_stopped(lambda progress: anonymize(TABLE, SCHEMA, policy, algorithm, progress=progress))
    assert shares[0] < 1


@pytest.mark.parametrize("algorithm", for_one_publisher())
def test_what_cannot_be_met_is_refused_by_every_algorithm(algorithm: str) -> None:
    for policy in (Policy(251), Policy(2, l=7), Policy(2, l=6.5, diversity="entropy")):
        with pytest.raises(InfeasibleError):
            released(algorithm, policy)


def test_an_unknown_algorithm_is_refused_with_those_there_are() -> None:
    with pytest.raises(ParameterError, match="mondrian"):
        released("magic", Policy(1))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_promise_to_providers_is_kept_or_refused(algorithm: str) -> None:
    # m is part of the policy: never ignored in silence.
    with pytest.raises(CompositionError):
        anonymize(TABLE, SCHEMA, Policy(2, m=1), algorithm)

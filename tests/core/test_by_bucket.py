"""Classes formed bucket by bucket, all parts of a level at once, are those of the slow twin; what the list promises."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table
from core.algorithms import by_bucket as algorithm
from core.algorithms import partition
from core.attack.intersection import intersection_attack
from core.base.errors import InfeasibleError
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.agreed_list import AgreedList
from core.data.schemas.taxonomy import Taxonomy
from core.release.algorithm import for_one_publisher
from tests.reference import by_bucket as slow

halves = import_module(f"{algorithm.__name__}.halves")  # the function of this name hides it

# More children, of other sizes, than a part has quarters.
WARDS = Taxonomy.from_nested(
    {
        "north": [f"n{i}" for i in range(9)],
        "south": {"near": [f"s{i}" for i in range(5)], "far": ["f1"], "coast": ["c1", "c2"]},
        "east": ["e1"],
        "west": {"hill": ["h1", "h2", "h3"], "dale": [f"d{i}" for i in range(7)]},
    }
)


@st.composite
def asked(draw: st.DrawFn) -> tuple[Encoded, Policy]:
    """A table, tiny or not, with few values or many, and what is asked of it."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    names = iter("abcdefghijklmnop")
    buckets = tuple(tuple(next(names) for _ in range(size)) for size in sizes)
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    agreed = AgreedList(buckets)
    values = [value for bucket in buckets for value in bucket]
    there = values[: max(2, len(values) - draw(st.sampled_from([0, 0, 0, 1])))]
    rows = draw(st.integers(2, 110))
    weights = rng.random(len(there)) + draw(st.sampled_from([0.05, 1]))
    ages = draw(st.sampled_from([2, 9, 60]))
    secret = np.array([*there, *rng.choice(there, rows, p=weights / weights.sum())])
    # Where a quasi-identifier says what the values are, one side of a cut lacks some of them.
    told = draw(st.sampled_from([0, 8])) * np.searchsorted(values, secret)
    frame = pd.DataFrame(
        {
            "age": (rng.integers(0, ages, len(secret)) + told).astype(str),
            "zip": rng.choice(list("pqr"), len(secret)),
            "ward": rng.choice(WARDS.leaf_labels, len(secret)),
            "s": secret,
        }
    ).sample(frac=1, random_state=0)
    lost = draw(st.sampled_from([0, 0, 0.2]))
    for name in ("age", "zip", "ward"):
        frame.loc[rng.random(len(frame)) < lost, name] = ""
    keep = {"missing": "category"} if lost else {}
    schema = Schema(["age", "zip", "ward"], "s", taxonomies={"ward": WARDS}, agreed=agreed, **keep)
    policy = Policy(draw(st.integers(1, 7)), more={"agreed": agreed.least})
    return encode(Table.from_frame(frame), schema), policy.with_(l=draw(st.sampled_from([None, None, 4])))


def labels(encoded: Encoded, policy: Policy, formed: Any = None) -> Any:
    """Classes, by the twin if it is given; the sentence where the policy is refused."""
    with pytest.MonkeyPatch.context() as patch:
        if formed is not None:
            patch.setattr(algorithm, "halves", formed)
        try:
            return algorithm.by_bucket(encoded, policy)
        except InfeasibleError as error:
            return error.message


@given(asked(), st.sampled_from([halves.CELLS, 1, 60]))
@settings(deadline=None, max_examples=100)
def test_classes_are_those_of_the_slow_twin(world: tuple[Encoded, Policy], cells: int) -> None:
    """Also with little at once, so that every path in pieces is gone."""
    encoded, policy = world
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(halves, "CELLS", cells)
        wanted = labels(encoded, policy, lambda dealt, _: slow.halves(dealt))
        made = labels(encoded, policy)
    if isinstance(wanted, str):
        assert made == wanted
        return
    event(f"classes: {min(8, int(wanted.max()) + 1)}")
    assert made.dtype == wanted.dtype
    assert made.tolist() == wanted.tolist()


@given(asked())
@settings(deadline=None, max_examples=40)
def test_a_bucket_that_has_k_records_and_l_values_is_not_pooled(world: tuple[Encoded, Policy]) -> None:
    """Also one that has exactly as many."""
    encoded, _ = world
    agreed, domain = encoded.sensitive.agreed, encoded.sensitive
    bucket = domain.bucket_of[encoded.sensitive_codes]
    closed = bucket[algorithm.closable(encoded)]
    assume(len(closed))
    fewest = int(np.bincount(closed)[np.unique(closed)].min())
    plain = Policy(fewest, more={"agreed": agreed.least})
    made = labels(encoded, plain)
    assert made.tolist() == labels(encoded, plain.with_(l=agreed.least)).tolist()
    assert len({*zip(made.tolist(), np.where(made < 0, -1, bucket).tolist(), strict=True)}) == len({*made.tolist()})


@given(
    asked(),
    st.sampled_from(
        [{"t": 0.2}, {"t": 0.4}, {"l": 4, "diversity": "entropy"}, {"l": 3, "diversity": "recursive", "c": 1}]
    ),
)
@settings(deadline=None, max_examples=40)
def test_what_buckets_do_not_promise_is_kept_all_the_same(world: tuple[Encoded, Policy], more: dict[str, Any]) -> None:
    encoded, policy = world
    asked_for = Policy(policy.k, more={"agreed": encoded.sensitive.agreed.least}).with_(**more)
    try:
        release = partition(encoded, asked_for, "by-bucket")
    except InfeasibleError:
        return
    assert asked_for.is_satisfied(release.histogram, release.encoded.sensitive).all()


@given(asked(), st.integers(2, 8), st.integers(0, 10**6), st.data())
@settings(deadline=None, max_examples=60)
def test_never_fewer_values_are_left_than_the_list_says(
    world: tuple[Encoded, Policy], releases: int, seed: int, data: st.DataObject
) -> None:
    encoded, _ = world
    agreed = encoded.sensitive.agreed
    rng = np.random.default_rng(seed)
    made, places = [], []
    shared = rng.permutation(len(encoded))[: max(1, len(encoded) // 2)]
    for _ in range(releases):
        others = rng.permutation(np.setdiff1d(np.arange(len(encoded)), shared))[: rng.integers(0, len(encoded))]
        mine = encoded.take(np.concatenate([shared, others]))
        algorithm = data.draw(st.sampled_from(for_one_publisher()))
        policy = Policy(data.draw(st.integers(1, 6)), more={"agreed": agreed.least})
        try:
            made.append(partition(mine, policy, algorithm))
        except InfeasibleError:  # too small a table for the policy, or a bucket that is there in part
            return
        places.append(np.arange(len(shared)))
    domain, secret = encoded.sensitive, encoded.sensitive_codes[shared]
    for locate in ("assumed", "published"):
        found = intersection_attack(made, places, locate)
        some = found.posterior[found.posterior > 0]
        assert (some >= agreed.least).all()
        everywhere = np.all([one.classes.labels[place] >= 0 for one, place in zip(made, places, strict=True)], axis=0)
        if locate == "published" and any(one.algorithm.centroids for one in made):
            continue  # the nearest centroid may be that of somebody else's class
        for person in np.flatnonzero(everywhere & (domain.bucket_of[secret] >= 0)):
            own = agreed.buckets[int(domain.bucket_of[secret[person]])]
            assert set(own) <= set(found.candidates(int(person)))

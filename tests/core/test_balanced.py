"""Balance as a policy: what every class keeps, whom it costs, and what is refused."""

from __future__ import annotations

import io
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core import Policy, Scenario, Schema, Table, anonymize, measure
from core.algorithms import partition
from core.algorithms.by_bucket import by_bucket
from core.algorithms.by_bucket.proportions import Proportions, most_balanced, spaced
from core.data.agreed import AgreedList
from core.data.encoding import encode
from core.errors import InfeasibleError, PolicyError
from core.privacy.declared.balance import balances
from core.study.hospitals import Hospital
from tests.reference import agreed as slow

LIST = AgreedList((("flu", "cold", "gout"), ("burn", "tb")), shares=((0.5, 0.3, 0.2), (0.5, 0.5)))
NAMED = AgreedList((*LIST.buckets, ("rash", "none")), shares=(*LIST.shares, (0.9, 0.1)))


def people(rows: int, seed: int, ills: tuple[str, ...] = ("flu", "cold", "gout", "burn", "tb")) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.full(len(ills), 4.0))
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, rows).astype(str),
            "zip": rng.choice(list("abcdefgh"), rows),
            "disease": [*ills, *rng.choice(ills, rows - len(ills), p=share)],
        }
    )


def schema_of(agreed: AgreedList | None = LIST) -> Schema:
    return Schema(["age", "zip"], "disease", agreed=agreed)


def asking(balance: float, k: int = 3, **more: object) -> Policy:
    return Policy(k, more={"agreed": 2, "balance": balance, **more})


# ---- what is kept ------------------------------------------------------------------------------


@given(
    st.integers(20, 150),
    st.integers(0, 10**6),
    st.integers(2, 6),
    st.floats(0.05, 1),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 4, 5]),
)
@settings(deadline=None, max_examples=60)
def test_every_class_keeps_the_balance_that_is_asked(
    rows: int,
    seed: int,
    k: int,
    asked: float,
    labelled: bool,
    shares: bool,
    l: int | None,  # noqa: E741 - the field's own name
) -> None:
    """Measured from the published file alone; with names of buckets, too, and by shares that the list does not say."""
    listed = NAMED if shares else AgreedList(NAMED.buckets)
    schema, frame = schema_of(listed), people(rows, seed)
    if labelled:
        frame.loc[: rows // 4, "disease"] = "rash"
    encoded = encode(Table.from_frame(frame), schema)
    # With more values than a bucket has, buckets are pooled, and every class must have all of them.
    policy = asking(asked, k, incomplete="labelled" if labelled else "suppressed").with_(l=l)
    try:
        release = partition(encoded, policy, "by-bucket")
    except InfeasibleError:
        assume(False)
    published = pd.read_csv(io.StringIO(release.publish(seed=0).to_csv(index=False)), dtype=str, keep_default_na=False)
    guarantee = measure(published, schema)
    assert guarantee.numbers["balance"] >= asked - 1e-9
    assert guarantee.numbers["balance"] == pytest.approx(float(balances(release.histogram, encoded.sensitive).min()))
    assert guarantee.numbers["agreed"] >= 2
    assert guarantee.k >= k
    assert l is None or guarantee.distinct_l >= l
    assert release.classes.suppressed + len(published) == rows


@given(st.integers(30, 120), st.integers(0, 10**6), st.floats(0.2, 1))
@settings(deadline=None, max_examples=30)
def test_the_order_of_the_records_decides_nothing(rows: int, seed: int, asked: float) -> None:
    frame = people(rows, seed)
    order = np.random.default_rng(seed).permutation(rows)
    labels = []
    for table in (frame, frame.iloc[order]):
        try:
            labels.append(anonymize(Table.from_frame(table), schema_of(), asking(asked), "by-bucket").publish(seed=0))
        except InfeasibleError as error:
            labels.append(error.message)
    if isinstance(labels[0], str):
        assert labels[0] == labels[1]
        return
    one, two = (label.sort_values(list(label)).reset_index(drop=True) for label in labels)
    pd.testing.assert_frame_equal(one, two)


def test_next_to_no_balance_changes_nothing() -> None:
    encoded = encode(Table.from_frame(people(400, 5)), schema_of())
    plain = by_bucket(encoded, Policy(4, more={"agreed": 2}))
    assert np.array_equal(by_bucket(encoded, asking(1e-12, 4)), plain)
    assert not np.array_equal(by_bucket(encoded, asking(0.7, 4)), plain)


@pytest.mark.parametrize("algorithm", ["mondrian", "least-loss", "mdav", "by-bucket"])
def test_any_algorithm_can_meet_it_where_the_table_does(algorithm: str) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 400).astype(str),
            "zip": rng.choice(list("abcd"), 400),
            "disease": rng.permutation(np.repeat(["flu", "cold", "gout"], [200, 120, 80])),
        }
    )
    schema = schema_of(AgreedList(LIST.buckets[:1], shares=LIST.shares[:1]))
    release = anonymize(Table.from_frame(frame), schema, asking(0.4, 5), algorithm)
    assert release.classes.count > 1
    assert measure(release.publish(seed=1), schema).numbers["balance"] >= 0.4 - 1e-9


def test_what_no_records_can_keep_is_refused_with_the_way_out() -> None:
    frame = people(200, 1)
    with pytest.raises(InfeasibleError, match=r"The whole table has a balance of 0\.\d+ .* deals the records out"):
        anonymize(Table.from_frame(frame), schema_of(), asking(1.0))
    uneven = AgreedList(LIST.buckets, shares=((0.5, 0.3, 1e-6), (0.5, 1e-6)))
    with pytest.raises(InfeasibleError, match=r"No bucket of the agreed list can have a balance of 0\.9"):
        anonymize(Table.from_frame(frame), schema_of(uneven), asking(0.9), "by-bucket")
    for algorithm in ("by-bucket", "mondrian"):
        with pytest.raises(InfeasibleError, match="No agreed list"):
            anonymize(Table.from_frame(frame), schema_of(None), Policy(3, more={"balance": 0.5}), algorithm)
    for bad in (0, 1.01, -0.2, math.nan):
        with pytest.raises(PolicyError, match="balance"):
            asking(bad)


def test_the_scenario_carries_it() -> None:
    one = Hospital(asking(0.5), "by-bucket")
    scenario = Scenario(schema_of(), (one, one), overlap=20, repeats=2)
    assert Scenario.from_json(scenario.to_json()) == scenario


def test_balance_alone_closes_classes_too() -> None:
    release = anonymize(Table.from_frame(people(300, 7)), schema_of(), Policy(3, more={"balance": 0.5}), "by-bucket")
    numbers = measure(release.publish(seed=1), schema_of()).numbers
    assert numbers["agreed"] == 2
    assert numbers["balance"] >= 0.5 - 1e-9


# ---- slow twins --------------------------------------------------------------------------------

COUNTS = st.lists(st.integers(1, 6), min_size=2, max_size=4)


@given(COUNTS, st.data(), st.floats(0.05, 1))
@settings(deadline=None, max_examples=80)
def test_no_choice_of_records_in_balance_is_larger(count: list[int], data: st.DataObject, least: float) -> None:
    share = data.draw(st.lists(st.integers(1, 9), min_size=len(count), max_size=len(count)))
    kept = most_balanced(np.array(count), np.array(share, dtype=float), least)
    best = 0
    for counts in itertools.product(*(range(1, most + 1) for most in count)):
        rates = [many / own for many, own in zip(counts, share, strict=True)]
        if min(rates) >= (least - 1e-9) * max(rates):
            best = max(best, sum(counts))
    assert kept.sum() == best
    assert (kept <= np.array(count)).all()
    if best:
        assert Proportions((0, len(count)), np.array(share, dtype=float), least).kept(kept[None])[0]


@given(st.lists(COUNTS, min_size=1, max_size=3), st.data(), st.floats(0.05, 1))
@settings(deadline=None, max_examples=80)
def test_moves_and_counts_are_judged_as_by_the_slow_twin(
    buckets: list[list[int]], data: st.DataObject, least: float
) -> None:
    count = [many for bucket in buckets for many in bucket]
    share = data.draw(st.lists(st.integers(1, 9), min_size=len(count), max_size=len(count)))
    ends = tuple(int(end) for end in np.cumsum([0, *map(len, buckets)]))
    names = [[f"v{i}" for i in range(begin, end)] for begin, end in itertools.pairwise(ends)]
    shares = [[float(share[i]) for i in range(begin, end)] for begin, end in itertools.pairwise(ends)]
    proportions = Proportions(ends, np.array(share, dtype=float), least)

    def balanced(counts: list[int], bucket: int) -> bool:
        begin, end = ends[bucket], ends[bucket + 1]
        own = {f"v{i}": counts[i] for i in range(begin, end)}
        return slow.balance(own, names, shares) >= least - 1e-9

    of = [number for number, bucket in enumerate(buckets) for _ in bucket]
    assert proportions.kept(np.array([count]))[0] == all(balanced(count, number) for number in range(len(buckets)))
    fewer, more = proportions.moves(np.array([count]))
    for i in range(len(count)):
        for change, verdict in ((-1, fewer), (1, more)):
            moved = [many + change * (number == i) for number, many in enumerate(count)]
            if min(moved) > 0:
                assert verdict[0, i] == balanced(moved, of[i])


@given(st.integers(1, 60), st.data())
def test_places_are_evenly_spaced(many: int, data: st.DataObject) -> None:
    kept = data.draw(st.integers(0, many))
    places = spaced(many, kept)
    assert len(set(places.tolist())) == kept
    assert all(0 <= place < many for place in places.tolist())
    gaps = np.diff(np.concatenate((places, places[:1] + many))) if kept else np.zeros(1)
    assert gaps.max() - gaps.min() <= 1


@given(COUNTS, st.data(), st.floats(0.05, 1), st.floats(0.05, 0.95))
@settings(deadline=None, max_examples=80)
def test_a_window_of_counts_is_within_the_counts(
    count: list[int], data: st.DataObject, least: float, left: float
) -> None:
    share = data.draw(st.lists(st.integers(1, 9), min_size=len(count), max_size=len(count)))
    proportions = Proportions((0, len(count)), np.array(share, dtype=float), least)
    fewest, most = proportions.window(np.array([left]), np.array(count))
    assert (fewest <= most).all()
    if proportions.kept(np.array(count))[None][0]:
        assert (most >= 0).all()
        assert (fewest <= np.array(count)).all()


def test_no_side_of_a_cut_loses_a_bucket_that_is_pooled_for_its_values() -> None:
    """Five values are asked, so both buckets are cut together; the small one is nowhere near some of the cuts."""
    values = ["flu", "cold", "gout"] * 40 + ["burn", "tb"] * 2
    frame = pd.DataFrame({"age": [str(number) for number in range(len(values))], "zip": "a", "disease": values})
    schema = schema_of(AgreedList(LIST.buckets))
    release = anonymize(Table.from_frame(frame), schema, asking(0.9, 3).with_(l=5), "by-bucket")
    guarantee = measure(release.publish(seed=1), schema)
    assert guarantee.distinct_l == 5
    assert guarantee.numbers["balance"] >= 0.9 - 1e-9

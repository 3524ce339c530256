"""Buckets of which a table lacks a value, published under their names: what is left, measured, and lost."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Scenario, Schema, Table, anonymize, measure
from core.algorithms import partition
from core.algorithms.by_bucket import closable, nameable
from core.attack.intersection import intersection_attack
from core.data.agreed import AgreedList
from core.data.encoding import encode
from core.errors import InfeasibleError
from core.release.release import Release
from core.release.utility import gcp, ncp
from core.report import Known, build
from core.review import Case, assess
from core.study.hospitals import Hospital

LIST = AgreedList((("flu", "cold", "gout"), ("burn", "asthma", "tb")), ("viral", "other"))
NAMED = {"agreed": 3, "incomplete": "labelled"}


def people(rows: int, values: list[str], seed: int = 3) -> Table:
    rng = np.random.default_rng(seed)
    frame = {"age": rng.integers(20, 60, rows).astype(str), "zip": rng.choice(list("abcdef"), rows)}
    return Table.from_frame(pd.DataFrame({**frame, "disease": rng.choice(values, rows)}))


def roles(agreed: AgreedList = LIST) -> Schema:
    return Schema(["age", "zip"], "disease", agreed=agreed)


def read_back(release: Release) -> pd.DataFrame:
    text = release.publish(seed=0).to_csv(index=False)
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


@st.composite
def hospitals(draw: st.DrawFn) -> tuple[Schema, list[tuple[Table, Policy, str]], int]:
    """Tables of hospitals that share their first people; each lacks values of its own."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    names = iter("abcdefghijkl")
    agreed = AgreedList(tuple(tuple(next(names) for _ in range(size)) for size in sizes))
    values = [value for bucket in agreed.buckets for value in bucket]
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    shared = draw(st.integers(1, 12))
    common = rng.choice(values[: max(2, draw(st.integers(2, len(values))))], shared)
    ages = rng.integers(0, 12, shared)
    tables = []
    for _ in range(draw(st.integers(2, 8))):
        there = rng.choice(values, draw(st.integers(2, len(values))), replace=False)
        more = int(rng.integers(4, 40))  # as many as the largest k
        frame = pd.DataFrame(
            {
                "age": np.concatenate([ages, rng.integers(0, 12, more)]).astype(str),
                "zip": np.concatenate([np.repeat("p", shared), rng.choice(list("pqr"), more)]),
                "disease": np.concatenate([common, there[:2], rng.choice(there, more - 2)]),
            }
        )
        policy = Policy(draw(st.integers(1, 4)), more={"agreed": agreed.least, "incomplete": "labelled"})
        tables.append((Table.from_frame(frame), policy, "by-bucket"))
    return roles(agreed), tables, shared


@given(hospitals())
@settings(deadline=None, max_examples=80)
def test_never_fewer_values_are_left_where_incomplete_buckets_are_named(
    world: tuple[Schema, list[tuple[Table, Policy, str]], int],
) -> None:
    schema, tables, shared = world
    made = []
    for table, policy, algorithm in tables:
        encoded = encode(table, schema)
        release = partition(encoded, policy, algorithm)
        assert release.classes.suppressed == 0, "everybody has a value of the list, so everybody is published"
        assert release.sizes.min() >= policy.k
        measured = measure(read_back(release), schema)
        assert measured.numbers["agreed"] >= schema.agreed.least
        assert measured.k >= policy.k
        made.append(release)
    bucket = {value: set(own) for own in schema.agreed.buckets for value in own}
    truth = tables[0][0].to_frame()["disease"][:shared]
    for locate in ("assumed", "published"):
        outcome = intersection_attack(made, [np.arange(shared)] * len(made), locate)
        assert (outcome.posterior >= schema.agreed.least).all()
        for person, value in enumerate(truth):
            assert bucket[value] <= set(outcome.candidates(person))


def test_values_are_told_where_the_bucket_is_whole_and_names_where_it_is_not() -> None:
    table, schema = people(300, ["flu", "cold", "gout", "burn", "tb"]), roles()
    release = anonymize(table, schema, Policy(4, more=NAMED), "by-bucket")
    inside = np.isin(table.to_frame()["disease"], LIST.buckets[1])
    assert len(nameable(release.encoded)) == release.labelled == inside.sum() > 0
    frame = read_back(release)
    assert (frame["disease"] == "other").sum() == inside.sum()
    assert set(frame["disease"]) == {"flu", "cold", "gout", "other"}
    distinct, counts = release.publish_counts()
    assert counts.sum() == len(frame)
    assert measure(distinct.astype(str), schema, counts=counts).numbers["agreed"] == 3
    assert measure(frame, schema).distinct_l == 0, "a name is no value that is known to occur"


def test_a_reader_of_the_file_takes_every_value_of_a_named_bucket_to_be_possible() -> None:
    table, schema = people(300, ["flu", "cold", "gout", "burn", "tb"]), roles()
    encoded = encode(table, schema)
    release = partition(encoded, Policy(4, more=NAMED), "by-bucket")
    theirs = Release.parse(read_back(release), schema, mine=encoded)
    sets = {
        frozenset(theirs.sensitive.labels[code] for code in theirs.histogram.of_class(number)[0])
        for number in range(theirs.histogram.classes)
    }
    assert all(any(one >= set(bucket) for bucket in LIST.buckets) for one in sets)
    assert frozenset(LIST.buckets[1]) in sets
    outcome = intersection_attack([release, theirs], [np.arange(300), None], "default")
    assert outcome.posterior.min() >= 3


def test_a_named_record_loses_the_share_of_its_bucket_beside_and_one_at_most() -> None:
    table, schema = people(300, ["flu", "cold", "gout", "burn", "tb"]), roles()
    release = anonymize(table, schema, Policy(4, more=NAMED), "by-bucket")
    left_out = anonymize(table, schema, Policy(4, more={"agreed": 3}), "by-bucket")
    lost = 0.0
    for label, bucket in zip(release.classes.labels.tolist(), release.bucket_named.tolist(), strict=True):
        own = float(ncp(release)[label].mean())
        lost += own if bucket < 0 else min(1.0, own + 3 / 6)
    assert gcp(release) == pytest.approx(lost / 300)
    assert gcp(release) < gcp(left_out)
    assert left_out.classes.suppressed == release.labelled


def test_a_name_is_no_value_and_no_number() -> None:
    agreed = AgreedList((("1", "x"), ("y", "bucket x")), ("x", "12"))
    assert agreed.labels == ("bucket bucket x", "bucket 12")
    assert len(set(agreed.labels) | {"1", "x", "y", "bucket x"}) == 6


def test_few_named_records_are_pooled_until_k_and_l_hold() -> None:
    values = ["flu", "cold", "gout"]
    frame = people(100, values).to_frame()
    frame.loc[:1, "disease"] = "burn"
    table, schema = Table.from_frame(frame), roles()
    release = anonymize(table, schema, Policy(4, l=3, more=NAMED), "by-bucket")
    measured = measure(read_back(release), schema)
    assert (release.labelled, release.classes.suppressed) == (2, 0)
    assert measured.k >= 4
    assert measured.distinct_l >= 3
    assert measured.numbers["agreed"] == 3


@pytest.mark.parametrize(
    ("policy", "values", "words"),
    [
        (Policy(4, t=0.9, more=NAMED), ["flu", "cold", "gout", "burn"], "with k, balance and distinct l alone"),
        (Policy(400, more=NAMED), ["flu", "burn"], "more than the 300 records"),
        (Policy(4, l=2, more=NAMED), ["flu", "burn"], "more than the 0 values of buckets that are whole"),
    ],
)
def test_what_names_cannot_keep_is_refused(policy: Policy, values: list[str], words: str) -> None:
    with pytest.raises(InfeasibleError, match=words):
        anonymize(people(300, values), roles(), policy, "by-bucket")


def test_without_a_lacking_value_names_change_nothing() -> None:
    table, schema = people(300, [value for bucket in LIST.buckets for value in bucket]), roles()
    one, other = (anonymize(table, schema, Policy(4, more=more), "by-bucket") for more in (NAMED, {"agreed": 3}))
    assert np.array_equal(one.labels, other.labels)
    assert one.labelled == 0
    assert len(closable(one.encoded)) == 300


def test_a_table_without_any_whole_bucket_can_be_published_under_names() -> None:
    table, schema = people(300, ["flu", "burn"]), roles()
    with pytest.raises(InfeasibleError, match="No bucket"):
        anonymize(table, schema, Policy(4, more={"agreed": 3}), "by-bucket")
    release = anonymize(table, schema, Policy(4, more=NAMED), "by-bucket")
    assert release.labelled == 300
    assert set(read_back(release)["disease"]) == {"viral", "other"}


def test_the_report_says_how_many_records_have_a_name_in_place_of_a_value() -> None:
    table, schema = people(300, ["flu", "cold", "gout", "burn"]), roles()
    encoded = encode(table, schema)
    one = Hospital(Policy(4, more=NAMED), "by-bucket")
    asked = Scenario(schema, (one, one), overlap=60, repeats=2, data_id="ab" * 32)
    many = int((np.array(encoded.sensitive.labels)[encoded.secret] == "burn").sum())
    assessed = assess(Case(encoded, asked))
    assert assessed.labelled == many > 1
    for strength in ("internal", "external"):
        text = build(
            Case(encoded, asked), strength=strength, salt="a salt that nobody knows", known=Known(assessed)
        ).to_html()
        assert "the name of a bucket of the agreed list in place of a value" in text
        assert (f"{many} records of those published" in text) == (strength == "internal")
        assert ("2 buckets of at least 3 values" in text) == (strength == "internal")


def test_scenario_files_carry_the_choice_and_old_ones_leave_out() -> None:
    asked: dict[str, Any] = {"agreed": 3}
    for more in (NAMED, asked):
        one = Hospital(Policy(4, more=more), "by-bucket")
        scenario = Scenario(roles(), (one, one), overlap=60, repeats=2)
        assert Scenario.from_json(scenario.to_json()) == scenario
    assert Policy(4, more=asked).values["incomplete"] == "suppressed"
    assert "labelled" in Policy(4, more=NAMED).signs


@given(hospitals(), st.data())
@settings(deadline=None, max_examples=40)
def test_some_classes_are_counted_as_with_all(
    world: tuple[Schema, list[tuple[Table, Policy, str]], int], data: st.DataObject
) -> None:
    schema, tables, _ = world
    for table, policy, algorithm in tables:
        try:
            release = partition(encode(table, schema), policy, algorithm)
        except InfeasibleError:
            continue
        which = np.array(data.draw(st.lists(st.booleans(), min_size=release.classes.count, max_size=None)))
        which = which[: release.classes.count]
        which[data.draw(st.integers(0, len(which) - 1))] = True
        found, wanted = release.histogram_of(which), release.histogram.of_classes(which)
        for name in ("owner", "value", "count", "starts", "overall"):
            assert np.array_equal(getattr(found, name), getattr(wanted, name)), name

"""A tally gives what the table gives that it counts: classes, releases, every number; the slow twin is the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import dp
from core.algorithms import anonymize, partition, partition_sweep
from core.base.errors import CompositionError, InfeasibleError, InputError, ParameterError, PolicyError, SchemaError
from core.beliefs.background import Background
from core.data.encoding import Encoded, encode
from core.data.marginals import Marginals
from core.data.schema import Schema
from core.data.table import Table
from core.data.tally import Tally
from core.data.uniqueness import people_by_group, uniqueness
from core.forecast import forecast
from core.measurement import Guarantee, measure
from core.privacy.coalitions import m_private
from core.privacy.policy import Policy
from core.release.algorithm import ALGORITHMS
from core.release.class_table import class_table
from core.release.query_error import query_error
from core.release.release import Release
from core.release.utility import loss_by_attribute, utility
from tests.releases import texts_of_class
from tests.strategies import Case, cases, message_of, policies
from tests.tables import pooled_table, small_table

TALLIED = sorted(name for name, how in ALGORITHMS.items() if how.tallies)
OTHERS = sorted(name for name, how in ALGORITHMS.items() if not how.tallies)


def tally_of(table: Table, schema: Schema) -> Tally:
    return Tally.of(table, [*schema.quasi_identifiers, schema.sensitive])


def repeated(data: st.DataObject, case: Case) -> Table:
    """The table of a case, its records several times each and in another order."""
    times = data.draw(st.lists(st.integers(1, 5), min_size=len(case), max_size=len(case)))
    rows = np.repeat(np.arange(len(case)), times)
    return case.table.take(np.array(data.draw(st.permutations(rows.tolist()))))


def classes_by_tuple(release: Release, table: Table) -> dict[tuple[str, ...], set[int]]:
    """Classes that records with the same texts are in."""
    found: dict[tuple[str, ...], set[int]] = {}
    rows = table.to_frame().itertuples(index=False)
    for row, label in zip(rows, release.labels.tolist(), strict=True):
        found.setdefault(tuple(row), set()).add(label)
    return found


def sorted_rows(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    return sorted(frame.astype(object).itertuples(index=False, name=None))


def same_guarantee(one: Guarantee, other: Guarantee) -> None:
    assert one.numbers == pytest.approx(other.numbers, abs=1e-12)
    assert (one.rows, one.classes, one.people) == (other.rows, other.classes, other.people)
    assert one.recursive_c(2) == other.recursive_c(2)


def same_release(release: Release, twin: Release) -> None:
    """Whether two releases, of a tally and of the table, have the same classes and numbers."""
    np.testing.assert_array_equal(release.sizes, twin.sizes)
    assert release.region_frame().astype(object).equals(twin.region_frame().astype(object))
    for ours, theirs in zip(release.regions, twin.regions, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for name in ("owner", "value", "count", "overall"):
        np.testing.assert_array_equal(getattr(release.histogram, name), getattr(twin.histogram, name))
    assert [one.value for one in utility(release)] == pytest.approx([one.value for one in utility(twin)], rel=1e-12)
    assert loss_by_attribute(release) == loss_by_attribute(twin)
    pd.testing.assert_frame_equal(class_table(release), class_table(twin))
    ours, theirs = query_error(release, 40), query_error(twin, 40)
    np.testing.assert_array_equal(ours.truth, theirs.truth)
    np.testing.assert_array_equal(ours.answer, theirs.answer)


@pytest.mark.parametrize("algorithm", TALLIED)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_tally_is_released_as_the_table_it_counts(algorithm: str, data: st.DataObject) -> None:
    case = data.draw(cases(rows=(2, 25)))
    table, schema = repeated(data, case), case.schema
    missing = data.draw(st.sampled_from(["category", "category", "drop", "complete"]))
    schema, policy = schema.with_(missing=missing), data.draw(policies(case.sensitive, k=12))
    tally = tally_of(table, schema)
    try:
        twin = anonymize(table, schema, policy, algorithm)
    except CompositionError as error:
        refused = error
        said = message_of(lambda: anonymize(tally, schema, policy, algorithm), type(refused))
    else:
        refused, said = None, ""
    if refused is not None:
        assert said == str(refused)
        return
    release = anonymize(tally, schema, policy, algorithm)
    same_release(release, twin)
    by_tuple = classes_by_tuple(twin, table)
    assert classes_by_tuple(release, tally.table).keys() == by_tuple.keys()
    for row, labels in classes_by_tuple(release, tally.table).items():
        assert labels <= by_tuple[row]
    published = release.publish(seed=1)
    assert sorted_rows(published) == sorted_rows(twin.publish(seed=2))
    rows, counts = release.publish_counts()
    assert sorted_rows(rows.take(np.repeat(np.arange(len(rows)), counts)).to_frame()) == sorted_rows(published)
    again, times = twin.publish_counts()
    assert rows.content_id == again.content_id
    np.testing.assert_array_equal(counts, times)
    distance = policy.distance if policy.t is not None else "equal"
    same_guarantee(measure(rows, schema, distance, counts), measure(twin.publish(seed=3), schema, distance))


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_sweep_of_k_over_a_tally_is_that_of_the_table(data: st.DataObject) -> None:
    case = data.draw(cases(rows=(2, 25)))
    table = repeated(data, case)
    tally, encoded = encode(tally_of(table, case.schema), case.schema), encode(table, case.schema)
    asked = [Policy(k) for k in (1, 2, 3, 7) if k <= len(table)]
    for one, other in zip(partition_sweep(tally, asked), partition_sweep(encoded, asked), strict=True):
        np.testing.assert_array_equal(one.sizes, other.sizes)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_tally_depends_on_no_order_and_is_the_table_again(data: st.DataObject) -> None:
    table = repeated(data, data.draw(cases(rows=(2, 20))))
    names = list(table.names)
    tally = Tally.of(table, names)
    assert tally.records == len(table)
    assert len(tally) == len(set(map(tuple, table.to_frame().itertuples(index=False))))
    assert sorted_rows(tally.expanded().to_frame()) == sorted_rows(table.to_frame())
    order = np.array(data.draw(st.permutations(range(len(table)))))
    other = Tally.of(table.take(order), data.draw(st.permutations(names)))
    assert other.content_id == tally.content_id
    # Half of the records counted, the other half not yet: a tally of a tally.
    counted = table.to_frame().assign(times="1")
    again = Tally.from_table(Table.from_frame(pd.concat([counted, counted])), "times")
    np.testing.assert_array_equal(again.counts, 2 * tally.counts)
    assert again.content_id != tally.content_id


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_uniqueness_and_forecast_of_a_tally_are_those_of_the_table(data: st.DataObject) -> None:
    case = data.draw(cases(rows=(2, 25)))
    table, schema = repeated(data, case), case.schema
    try:
        rows = encode(table, schema)
    except SchemaError:
        return
    tally = encode(tally_of(table, schema), schema)
    assert uniqueness(tally) == uniqueness(rows)
    for one, other in zip(people_by_group(tally), people_by_group(rows), strict=True):
        np.testing.assert_array_equal(one, other)
    policy = Policy(data.draw(st.integers(1, min(5, len(table)))))
    ours, theirs = partition(tally, policy), partition(rows, policy)
    joint = data.draw(st.booleans())
    np.testing.assert_array_equal(forecast(ours, joint=joint).common, forecast(theirs, joint=joint).common)
    one, other = forecast(ours, l=3, confidence=0.5), forecast(theirs, l=3, confidence=0.5)
    assert (one.people(), one.risk(), one.others) == (other.people(), other.risk(), other.others)
    read, twin = ours.published, theirs.published
    np.testing.assert_array_equal(read.histogram.count, twin.histogram.count)
    np.testing.assert_array_equal(read.histogram.overall, twin.histogram.overall)
    assert [texts_of_class(read, i) for i in range(read.histogram.classes)] == [
        texts_of_class(twin, i) for i in range(twin.histogram.classes)
    ]


def test_what_a_tally_says_of_its_records() -> None:
    frame = pd.DataFrame({"age": ["20", "20", "", "40"], "s": ["a", "b", "a", ""], "n": ["3", "2", "4", "7"]})
    schema = Schema(["age"], "s")
    encoded = encode(Tally.from_table(Table.from_frame(frame), "n"), schema)
    assert (len(encoded), encoded.records, encoded.people, encoded.everybody) == (4, 16, 16, 16)
    assert dict(zip(encoded.sensitive.labels, encoded.overall.tolist(), strict=True)) == {
        "a": 7,
        "b": 2,
        "(missing)": 7,
    }
    kept = encode(Tally.from_table(Table.from_frame(frame), "n"), schema.with_(missing="complete"))
    assert (kept.records, kept.dropped, kept.everybody) == (5, 11, 16)
    assert Marginals.of(encoded).probability(0).tolist() == [5 / 16, 7 / 16, 4 / 16]
    with pytest.raises(InfeasibleError, match="the 16 people"):
        partition(encoded, Policy(17))
    release = partition(encoded, Policy(5))
    assert release.sizes.sum() == 16
    assert len(release.publish(seed=0)) == 16


def test_counts_beyond_32_bits() -> None:
    frame = pd.DataFrame({"age": ["20", "30"], "s": ["a", "b"], "n": ["5000000000", "7000000000"]})
    release = anonymize(Tally.from_table(Table.from_frame(frame), "n"), Schema(["age"], "s"), Policy(5_000_000_000))
    assert release.sizes.tolist() == [5_000_000_000, 7_000_000_000]
    found = measure(*_with_counts(release))
    assert (found.k, found.rows) == (5_000_000_000, 12_000_000_000)


def _with_counts(release: Release) -> tuple[Table, Schema, str, Any]:
    rows, counts = release.publish_counts()
    return rows, Schema(["age"], "s"), "equal", counts


# ---- what is refused ----------------------------------------------------------------------


def tally_and_schema() -> tuple[Tally, Schema]:
    table, schema = small_table()
    return tally_of(table, schema), schema


def tallied(providers: bool = False) -> tuple[Encoded, Schema]:
    table, schema = pooled_table() if providers else small_table()
    return encode(tally_of(table, schema), schema), schema


@pytest.mark.parametrize("algorithm", OTHERS)
def test_an_algorithm_that_needs_records_refuses_a_tally(algorithm: str) -> None:
    encoded, _ = tallied()
    needs = ALGORITHMS[algorithm].providers == "needed"
    with pytest.raises(ParameterError, match="needs the records themselves") as refused:
        partition(encoded, Policy(5, m=1 if needs else None), algorithm)
    assert refused.value.message.count(".") == 1


@pytest.mark.parametrize("algorithm", [name for name in TALLIED if ALGORITHMS[name].providers == "asked"])
def test_m_privacy_refuses_a_tally(algorithm: str) -> None:
    encoded, _ = tallied(providers=True)
    with pytest.raises(ParameterError, match="m-privacy needs the records"):
        partition(encoded, Policy(5, m=1), algorithm)


def released() -> Release:
    return partition(tallied()[0], Policy(5))


BY_RECORD: dict[str, Callable[[], Any]] = {
    "background": lambda: Background.of_table(tallied()[0]),
    "noisy table": lambda: dp.contingency_table(*tally_and_schema(), {}, dp.Declared("open")),
    "subtraction": lambda: dp.by_subtraction(released(), np.arange(3)),
    "m-privacy": lambda: m_private(released(), ["a", "b"] * 186, m=1),
    "people": lambda: tallied()[0].records_of(np.arange(3)),
}


@pytest.mark.parametrize("what", BY_RECORD)
def test_what_needs_records_refuses_a_tally_in_one_sentence(what: str) -> None:
    with pytest.raises(ParameterError, match=r"needs the records themselves.*; give the table") as refused:
        BY_RECORD[what]()
    assert refused.value.message.count(".") == 1


def test_a_person_column_is_no_column_of_a_tally() -> None:
    table, schema = small_table()
    with pytest.raises(SchemaError, match="cannot tell whose they are, so 'age'"):
        encode(tally_of(table, schema), Schema(["sex"], "diagnosis", person="age"))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["1", "0"], "no whole numbers from 1"),
        (["1", "-3"], "no whole numbers from 1"),
        (["1", "2.5"], "no whole numbers from 1"),
        (["1", ""], "no whole numbers from 1"),
        (["1", "٣"], "no whole numbers from 1"),
        (["1", "9007199254740992"], "2\\^53"),
    ],
)
def test_a_count_that_is_none_is_refused_without_its_cell(cells: list[str], words: str) -> None:
    table = Table.from_frame(pd.DataFrame({"age": ["20", "30"], "n": cells}))
    with pytest.raises(InputError, match=words) as refused:
        Tally.from_table(table, "n")
    assert not cells[1] or cells[1] not in refused.value.message


def test_a_tally_needs_its_columns() -> None:
    table = Table.from_frame(pd.DataFrame({"age": ["20", "30"], "n": ["1", "2"]}))
    with pytest.raises(InputError, match="no column 'm'"):
        Tally.from_table(table, "m")
    with pytest.raises(InputError, match="no column beside 'n'"):
        Tally.from_table(Table(table.columns[1:]), "n")
    with pytest.raises(SchemaError, match="no column 's'"):
        encode(Tally.from_table(table, "n"), Schema(["age"], "s"))


@pytest.mark.parametrize("counts", [[1], [1, 0], [1.0, 2.0]])
def test_counts_of_a_published_table_are_checked(counts: list[Any]) -> None:
    frame = pd.DataFrame({"age": ["20", "30"], "s": ["a", "b"]})
    with pytest.raises(ParameterError, match="whole number of at least 1 for each of the 2 rows"):
        measure(frame, Schema(["age"], "s"), counts=np.array(counts))


def test_persons_and_counts_do_not_go_together() -> None:
    frame = pd.DataFrame({"age": ["20", "30"], "s": ["a", "b"], "who": ["1", "2"]})
    schema = Schema(["age"], "s", person="who")
    with pytest.raises(ParameterError, match="do not tell whose they are"):
        measure(frame, schema, counts=np.array([1, 2]))
    visits = pd.DataFrame({"age": ["20", "20", "20"], "s": ["a", "b", "b"], "who": ["1", "1", "2"]})
    with pytest.raises(PolicyError, match="choose one record a person"):
        anonymize(Table.from_frame(visits), schema, Policy(2)).publish_counts()

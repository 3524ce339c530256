"""A frequency table gives what the table it counts gives: classes, releases, numbers; its slow twin is the table."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core import FrequencyTable, Schema, Table, dp
from core.algorithms import anonymize, partition, partition_sweep
from core.base.errors import (
    CompositionError,
    InputError,
    ParameterError,
    PolicyError,
    RepeatedIdentifierError,
    SchemaError,
)
from core.beliefs.background import Background
from core.data.encoding.encoded import Encoded, encode
from core.data.encoding.missing import count_missing, find_tokens, missing_cells
from core.data.encoding.persons import people_of
from core.data.profiling.cautions import cautions
from core.data.profiling.proposal import propose
from core.data.profiling.uniqueness import people_by_group, uniqueness
from core.data.reading.frequency_file import KEY, Mark, is_marked, mark_of, possible_counts, roles_of
from core.data.schemas.schema import Role
from core.engine.output import write_frequency_table
from core.forecast import forecast
from core.measurement import measure
from core.privacy.coalitions import m_private
from core.privacy.policy import Policy
from core.register import publication_of
from core.release.algorithm import ALGORITHMS, for_one_publisher
from core.release.class_table import class_table
from core.release.query_error import query_error
from core.release.release import Release
from core.release.utility import loss_by_attribute, utility
from core.study.uploads import Foreign, Upload, open_upload
from tests.files import read_table
from tests.releases import texts_of_class
from tests.strategies import Case, cases, message_of, policies
from tests.tables import small_table

TALLIED = sorted(name for name in for_one_publisher() if ALGORITHMS[name].takes_frequency_tables)


def frequency_table_of(table: Table, schema: Schema) -> FrequencyTable:
    return FrequencyTable.of(table, [*schema.quasi_identifiers, schema.sensitive])


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


@pytest.mark.parametrize("algorithm", TALLIED)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_frequency_table_is_released_as_the_table_it_counts(algorithm: str, data: st.DataObject) -> None:
    case = data.draw(cases(rows=(2, 25)))
    table, schema = repeated(data, case), case.schema
    missing = data.draw(st.sampled_from(["category", "category", "drop", "complete"]))
    schema, policy = schema.with_(missing=missing), data.draw(policies(case.sensitive, k=12))
    frequencies = frequency_table_of(table, schema)
    try:
        twin = anonymize(table, schema, policy, algorithm)
    except CompositionError as error:
        refused = error
        said = message_of(lambda: anonymize(frequencies, schema, policy, algorithm), type(refused))
    else:
        refused, said = None, ""
    if refused is not None:
        assert said == str(refused)
        return
    release = anonymize(frequencies, schema, policy, algorithm)
    assert (release.encoded.dropped, release.encoded.everybody) == (twin.encoded.dropped, twin.encoded.everybody)
    # The same classes and numbers.
    np.testing.assert_array_equal(release.sizes, twin.sizes)
    assert release.region_frame().astype(object).equals(twin.region_frame().astype(object))
    for ours, theirs in zip(release.regions, twin.regions, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert publication_of(release, date(2026, 1, 1)) == publication_of(twin, date(2026, 1, 1))
    for name in ("owner", "value", "count", "overall"):
        np.testing.assert_array_equal(getattr(release.histogram, name), getattr(twin.histogram, name))
    assert [one.value for one in utility(release)] == pytest.approx([one.value for one in utility(twin)], rel=1e-12)
    assert loss_by_attribute(release) == loss_by_attribute(twin)
    pd.testing.assert_frame_equal(class_table(release), class_table(twin))
    ours, theirs = query_error(release, 40), query_error(twin, 40)
    np.testing.assert_array_equal(ours.truth, theirs.truth)
    np.testing.assert_array_equal(ours.answer, theirs.answer)
    by_tuple = classes_by_tuple(twin, table)
    assert classes_by_tuple(release, frequencies.table).keys() == by_tuple.keys()
    for row, labels in classes_by_tuple(release, frequencies.table).items():
        assert labels <= by_tuple[row]
    published = release.publish(seed=1)
    assert sorted_rows(published) == sorted_rows(twin.publish(seed=2))
    rows, counts = release.publish_counts()
    assert sorted_rows(rows.take(np.repeat(np.arange(len(rows)), counts)).to_frame()) == sorted_rows(published)
    again, times = twin.publish_counts()
    assert rows.content_id == again.content_id
    np.testing.assert_array_equal(counts, times)
    distance = policy.distance if policy.t is not None else "equal"
    one, other = measure(rows, schema, distance, counts), measure(twin.publish(seed=3), schema, distance)
    assert one.numbers == pytest.approx(other.numbers, abs=1e-12)
    assert (one.rows, one.classes, one.people) == (other.rows, other.classes, other.people)
    assert one.recursive_c(2) == other.recursive_c(2)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_sweep_of_k_over_a_frequency_table_is_that_of_the_table(data: st.DataObject) -> None:
    case = data.draw(cases(rows=(2, 25)))
    table = repeated(data, case)
    frequencies, encoded = encode(frequency_table_of(table, case.schema), case.schema), encode(table, case.schema)
    asked = [Policy(k) for k in (1, 2, 3, 7) if k <= len(table)]
    for one, other in zip(partition_sweep(frequencies, asked), partition_sweep(encoded, asked), strict=True):
        np.testing.assert_array_equal(one.sizes, other.sizes)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_frequency_table_depends_on_no_order_and_is_the_table_again(data: st.DataObject) -> None:
    table = repeated(data, data.draw(cases(rows=(2, 20))))
    names = list(table.names)
    frequencies = FrequencyTable.of(table, names)
    assert len(frequencies) == len(set(map(tuple, table.to_frame().itertuples(index=False))))
    assert sorted_rows(frequencies.expanded().to_frame()) == sorted_rows(table.to_frame())
    order = np.array(data.draw(st.permutations(range(len(table)))))
    other = FrequencyTable.of(table.take(order), data.draw(st.permutations(names)))
    assert other.content_id == frequencies.content_id
    # Half of the records counted, the other half not yet: a frequency table of a frequency table.
    counted = table.to_frame().assign(times="1")
    again = FrequencyTable.from_table(Table.from_frame(pd.concat([counted, counted])), "times")
    np.testing.assert_array_equal(again.counts, 2 * frequencies.counts)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_uniqueness_and_forecast_of_a_frequency_table_are_those_of_the_table(data: st.DataObject) -> None:
    case = data.draw(cases(rows=(2, 25)))
    table, schema = repeated(data, case), case.schema
    try:
        rows = encode(table, schema)
    except SchemaError:
        return
    frequencies = encode(frequency_table_of(table, schema), schema)
    assert uniqueness(frequencies) == uniqueness(rows)
    for one, other in zip(people_by_group(frequencies), people_by_group(rows), strict=True):
        np.testing.assert_array_equal(one, other)
    policy = Policy(data.draw(st.integers(1, min(5, len(table)))))
    ours, theirs = partition(frequencies, policy), partition(rows, policy)
    joint = data.draw(st.booleans())
    np.testing.assert_array_equal(forecast(ours, joint=joint).common, forecast(theirs, joint=joint).common)
    one, other = forecast(ours, l=3, confidence=0.5), forecast(theirs, l=3, confidence=0.5)
    assert (one.people(), one.risk(), one.others) == (other.people(), other.risk(), other.others)
    read, twin = ours.published, theirs.published
    np.testing.assert_array_equal(read.histogram.count, twin.histogram.count)
    assert [texts_of_class(read, i) for i in range(read.histogram.classes)] == [
        texts_of_class(twin, i) for i in range(twin.histogram.classes)
    ]


def test_counts_beyond_32_bits() -> None:
    frame = pd.DataFrame({"age": ["20", "30"], "s": ["a", "b"], "n": ["5000000000", "7000000000"]})
    release = anonymize(
        FrequencyTable.from_table(Table.from_frame(frame), "n"), Schema(["age"], "s"), Policy(5_000_000_000)
    )
    assert release.sizes.tolist() == [5_000_000_000, 7_000_000_000]
    rows, counts = release.publish_counts()
    found = measure(rows, Schema(["age"], "s"), counts=counts)
    assert (found.k, found.rows) == (5_000_000_000, 12_000_000_000)


# ---- what is refused ----------------------------------------------------------------------


def frequency_table_and_schema() -> tuple[FrequencyTable, Schema]:
    table, schema = small_table()
    return frequency_table_of(table, schema), schema


def tallied() -> tuple[Encoded, Schema]:
    table, schema = small_table()
    return encode(frequency_table_of(table, schema), schema), schema


def released(algorithm: str = "mondrian", m: int | None = None) -> Release:
    return partition(tallied()[0], Policy(5, m=m), algorithm)


def linked() -> Foreign:
    """A hospital whose file is linked with the frequency table, person by person."""
    frequencies, schema = frequency_table_and_schema()
    upload = Upload("", tuple((name, name) for name in ("age", "diagnosis", "sex")), own=True)
    own = schema.with_(quasi_identifiers=["age"], identifiers=["sex"], rows_are_people=True)
    return open_upload(upload, small_table()[0], frequencies, own)


BY_RECORD: dict[str, Callable[[], Any]] = {
    **{
        name: partial(released, name, 1 if how.providers == "needed" else None)
        for name, how in ALGORITHMS.items()
        if not how.takes_frequency_tables
    },
    **{f"m by {name}": partial(released, name, 1) for name in TALLIED if ALGORITHMS[name].providers == "asked"},
    "linked file": linked,
    "background": lambda: Background.of_table(tallied()[0]),
    "noisy table": lambda: dp.contingency_table(*frequency_table_and_schema(), {}, dp.Declared("open")),
    "subtraction": lambda: dp.by_subtraction(released(), np.arange(3)),
    "m-privacy": lambda: m_private(released(), ["a", "b"] * 186, m=1),
    "people": lambda: tallied()[0].records_of(np.arange(3)),
}


@pytest.mark.parametrize("what", BY_RECORD)
def test_what_needs_records_refuses_a_frequency_table_in_one_sentence(what: str) -> None:
    with pytest.raises(ParameterError, match=r"needs the records themselves.*; give the table") as refused:
        BY_RECORD[what]()
    assert refused.value.message.count(".") == 1


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["1", "0"], "not whole numbers from 1"),
        (["1", "-3"], "not whole numbers from 1"),
        (["1", "2.5"], "not whole numbers from 1"),
        (["1", ""], "not whole numbers from 1"),
        (["1", "٣"], "not whole numbers from 1"),
        (["1", "9007199254740992"], "9,007,199"),
    ],
)
def test_a_count_that_is_none_is_refused_without_its_cell(cells: list[str], words: str) -> None:
    table = Table.from_frame(pd.DataFrame({"age": ["20", "30"], "n": cells}))
    with pytest.raises(InputError, match=words) as refused:
        FrequencyTable.from_table(table, "n")
    assert not cells[1] or cells[1] not in refused.value.message


COUNTED = pd.DataFrame({"age": ["20", "30"], "s": ["a", "b"], "who": ["1", "2"]})
VISITS = pd.DataFrame({"age": ["20", "20", "20"], "s": ["a", "b", "b"], "who": ["1", "1", "2"]})
PLAIN, OF_PERSONS = Schema(["age"], "s"), Schema(["age"], "s", person="who")
REFUSED: dict[str, tuple[Callable[[], Any], type[CompositionError], str]] = {
    "a person column of a frequency table": (
        lambda: encode(frequency_table_and_schema()[0], Schema(["sex"], "diagnosis", person="age")),
        SchemaError,
        "does not identify their persons, so 'age'",
    ),
    "no column of counts": (
        lambda: FrequencyTable.from_table(table_of(age=["20", "30"], n=["1", "2"]), "m"),
        InputError,
        "no column 'm'",
    ),
    "nothing beside the counts": (
        lambda: FrequencyTable.from_table(table_of(n=["1", "2"]), "n"),
        InputError,
        "no column besides 'n'",
    ),
    **{
        f"counts {counts}": (
            lambda counts=counts: measure(COUNTED, PLAIN, counts=np.array(counts)),
            ParameterError,
            "whole number of at least 1 for each of the 2 rows",
        )
        for counts in ([1], [1, 0], [1.0, 2.0])
    },
    "persons and counts": (
        lambda: measure(COUNTED, OF_PERSONS, counts=np.array([1, 2])),
        ParameterError,
        "do not identify persons",
    ),
    "counts of persons with several records": (
        lambda: anonymize(Table.from_frame(VISITS), OF_PERSONS, Policy(2)).publish_counts(),
        PolicyError,
        "choose one record per person",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_counts_that_cannot_be_are_refused_in_a_sentence(what: str) -> None:
    call, error_class, words = REFUSED[what]
    assert words in message_of(call, error_class)


# ---- files that say themselves that they are frequency tables -------------------------------------------


def table_of(**columns: list[str]) -> Table:
    return Table.from_frame(pd.DataFrame(columns, dtype=object))


def marked(metadata: dict[bytes, bytes], **columns: list[object]) -> Table:
    stream = io.BytesIO()
    parquet.write_table(pa.table(columns).replace_schema_metadata(metadata), stream)
    return read_table(stream.getvalue())


# --- the mark -----------------------------------------------------------------------------------


def test_a_frequency_table_that_was_written_says_what_it_is(tmp_path: Path) -> None:
    frequencies, path = frequency_table_and_schema()[0], tmp_path / "frequencies.parquet"
    write_frequency_table(frequencies, path, sensitive="diagnosis")
    table = read_table(path)
    assert mark_of(table) == Mark("count", "diagnosis")
    again = FrequencyTable.from_table(table, "count")
    assert again.content_id == frequencies.content_id
    wanted = {"age": Role.QUASI_IDENTIFIER, "sex": Role.QUASI_IDENTIFIER, "diagnosis": Role.SENSITIVE}
    assert roles_of(table) == roles_of(again.table) == wanted


def test_a_text_file_is_known_by_its_last_column() -> None:
    table = table_of(age=["1", "2"], illness=["flu", "flu"], count=["3", "1"])
    assert mark_of(table) == Mark("count")
    assert possible_counts(table) == ("age", "count")


@pytest.mark.parametrize(
    "columns",
    [
        {"count": ["3", "1"], "age": ["1", "2"]},
        {"age": ["1", "1"], "count": ["3", "1"]},
        {"age": ["1", "2"], "count": ["3", "0"]},
        {"age": ["1", "2"], "count": ["3", "1.5"]},
        {"age": ["1", "2"], "count": ["3", ""]},
        {"age": ["1", "2"], "number": ["3", "1"]},
        {"count": ["3", "1"]},
    ],
    ids=["not the last", "equal rows", "nobody", "a half", "nothing", "another name", "nothing beside it"],
)
def test_what_does_not_look_like_one_is_a_table(columns: dict[str, list[str]]) -> None:
    assert mark_of(table_of(**columns)) is None


def text_of(**changed: object) -> bytes:
    return json.dumps({"count": "count", "sensitive": "illness", "version": 1} | changed).encode()


@pytest.mark.parametrize(
    "mark",
    [
        b"",
        b"tally",
        b"\xff\xfe",
        b"[" * 1500,
        b"{}",
        text_of(version=2),
        text_of(count=3),
        text_of(count=""),
        text_of(sensitive=["a"]),
        text_of(count="illness"),
        text_of(more=1),
        text_of(count="x" * 3000),
    ],
)
def test_a_mark_of_another_version_is_refused(mark: bytes) -> None:
    table = marked({KEY: mark}, age=["1", "2"], illness=["flu", "cold"], count=[1, 2])
    assert is_marked(table)
    assert "does not know" in message_of(lambda: mark_of(table), InputError)
    assert roles_of(table) == {}


@pytest.mark.parametrize(("changed", "missing"), [({"count": "n"}, "'n'"), ({"sensitive": "disease"}, "'disease'")])
def test_a_mark_that_names_no_column_is_refused(changed: dict[str, object], missing: str) -> None:
    table = marked({KEY: text_of(**changed)}, age=["1", "2"], illness=["flu", "cold"], count=[1, 2])
    assert missing in message_of(lambda: mark_of(table), InputError)


def test_other_metadata_are_nobodys_mark() -> None:
    table = marked({b"pandas": b"{}"}, age=["1", "2"], illness=["flu", "cold"], n=[1, 2])
    assert mark_of(table) is None


def test_roles_that_the_file_says_are_kept() -> None:
    frequencies = FrequencyTable.of(
        table_of(disease=["a", "b", "a"], income=["1", "2", "2"], x=["p", "p", "q"]), ["disease", "income"]
    )
    assert propose(frequencies).schema.sensitive == "disease"
    roles = {"disease": Role.QUASI_IDENTIFIER, "income": Role.SENSITIVE}
    proposal = propose(frequencies, roles=roles)
    assert dict(proposal.schema.roles()) == roles
    assert set(proposal.reasons.values()) == {"The file says so"}


def test_the_other_columns_are_proposed_as_without_the_roles_of_the_file() -> None:
    table = table_of(disease=["a", "b", "a"], name=["x", "y", "z"], income=["1", "2", "2"])
    schema = propose(table, roles={"disease": Role.SENSITIVE}).schema
    assert (schema.sensitive, schema.identifiers) == ("disease", ("name",))


# --- counted as the table -------------------------------------------------------------------------


@st.composite
def frequency_tables_of(draw: st.DrawFn) -> tuple[FrequencyTable, Table, Case]:
    """A frequency table and the table that it counts."""
    case = draw(cases())
    times = draw(st.lists(st.integers(1, 30), min_size=len(case), max_size=len(case)))
    frequencies = FrequencyTable.of(case.table, case.table.names, np.array(times))
    return frequencies, frequencies.expanded(), case


@given(frequency_tables_of())
@settings(max_examples=60, deadline=None)
def test_everything_that_is_said_of_a_frequency_table_is_said_of_its_table(
    drawn: tuple[FrequencyTable, Table, Case],
) -> None:
    frequencies, table, case = drawn
    schema = case.schema
    assert find_tokens(frequencies) == find_tokens(table)
    assert count_missing(frequencies, schema) == count_missing(table, schema)
    assert cautions(frequencies, schema) == cautions(table, schema)
    assert people_of(frequencies, schema) == people_of(table, schema) == len(table)
    for column, twin in zip(frequencies.table.columns, table.columns, strict=True):
        assert missing_cells(frequencies, column, ("", "?")) == missing_cells(table, twin, ("", "?"))
    assert proposed(frequencies) == proposed(table)


def proposed(data: Table | FrequencyTable) -> object:
    """A proposal, or why there is none."""
    try:
        return propose(data)
    except SchemaError as error:
        return error.message


def test_an_identifier_of_a_frequency_table_repeats_as_in_its_table() -> None:
    frequencies = FrequencyTable.of(
        table_of(name=["a", "b"], sex=["f", "m"], illness=["x", "y"]), ["name", "sex", "illness"]
    )
    frequencies = FrequencyTable.of(frequencies.table, frequencies.table.names, np.array([1, 4]))
    schema = Schema(["sex"], "illness", identifiers=["name"])
    for data in (frequencies, frequencies.expanded()):
        with pytest.raises(RepeatedIdentifierError, match="'name' repeats"):
            encode(data, schema)
        assert encode(data, schema.with_(rows_are_people=True)).people == 5

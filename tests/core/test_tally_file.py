"""A tally file says what it is; what is proposed, remarked and counted of a tally is that of its table."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core import Policy, Schema, Table, Tally, anonymize
from core.base.errors import CompositionError, InputError, SchemaError
from core.data.cautions import cautions
from core.data.encoding import encode
from core.data.missing import count_missing, find_tokens, missing_cells
from core.data.persons import people_of, repeated_identifiers
from core.data.proposal import propose
from core.data.reading import tallies
from core.data.reading.tallies import KEY, Mark, is_marked, mark_of, possible_counts, roles_of
from core.data.schema import Role
from core.lake.output import write_tally
from core.release.record import record_of
from tests.files import read_table
from tests.strategies import Case, cases, message_of
from tests.tables import small_table


def table_of(**columns: list[str]) -> Table:
    return Table.from_frame(pd.DataFrame(columns, dtype=object))


def counted() -> Tally:
    table, schema = small_table()
    return Tally.of(table, [*schema.quasi_identifiers, schema.sensitive])


def marked(metadata: dict[bytes, bytes], **columns: list[object]) -> Table:
    stream = io.BytesIO()
    parquet.write_table(pa.table(columns).replace_schema_metadata(metadata), stream)
    return read_table(stream.getvalue())


# --- the mark -----------------------------------------------------------------------------------


def test_a_tally_that_was_written_says_what_it_is(tmp_path: Path) -> None:
    tally, path = counted(), tmp_path / "tally.parquet"
    write_tally(tally, path, sensitive="diagnosis")
    table = read_table(path)
    assert mark_of(table) == Mark("count", "diagnosis")
    assert is_marked(table)
    again = Tally.from_table(table, "count")
    assert again.content_id == tally.content_id
    wanted = {"age": Role.QUASI_IDENTIFIER, "sex": Role.QUASI_IDENTIFIER, "diagnosis": Role.SENSITIVE}
    assert roles_of(table) == roles_of(again.table) == wanted


def test_a_tally_without_roles_has_none(tmp_path: Path) -> None:
    write_tally(counted(), tmp_path / "tally.parquet", "n")
    table = read_table(tmp_path / "tally.parquet")
    assert mark_of(table) == Mark("n", "")
    assert roles_of(table) == {}


def test_a_text_file_is_known_by_its_last_column() -> None:
    table = table_of(age=["1", "2"], illness=["flu", "flu"], count=["3", "1"])
    assert mark_of(table) == Mark("count")
    assert not is_marked(table)
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
    assert tallies.FACT not in table.source


def test_roles_that_the_file_says_are_kept() -> None:
    tally = Tally.of(
        table_of(disease=["a", "b", "a"], income=["1", "2", "2"], x=["p", "p", "q"]), ["disease", "income"]
    )
    assert propose(tally).schema.sensitive == "disease"
    roles = {"disease": Role.QUASI_IDENTIFIER, "income": Role.SENSITIVE}
    proposal = propose(tally, roles=roles)
    assert dict(proposal.schema.roles()) == roles
    assert set(proposal.reasons.values()) == {"The file says so"}


# --- counted as the table -------------------------------------------------------------------------


@st.composite
def tallies_of(draw: st.DrawFn) -> tuple[Tally, Table, Case]:
    """A tally and the table that it counts."""
    case = draw(cases())
    times = draw(st.lists(st.integers(1, 30), min_size=len(case), max_size=len(case)))
    tally = Tally.of(case.table, case.table.names, np.array(times))
    return tally, tally.expanded(), case


@given(tallies_of())
@settings(max_examples=60, deadline=None)
def test_everything_that_is_said_of_a_tally_is_said_of_its_table(drawn: tuple[Tally, Table, Case]) -> None:
    tally, table, case = drawn
    schema = case.schema
    assert find_tokens(tally) == find_tokens(table)
    assert count_missing(tally, schema) == count_missing(table, schema)
    assert cautions(tally, schema) == cautions(table, schema)
    assert people_of(tally, schema) == people_of(table, schema) == len(table)
    for column, twin in zip(tally.table.columns, table.columns, strict=True):
        assert missing_cells(tally, column, ("", "?")) == missing_cells(table, twin, ("", "?"))
    assert proposed(tally) == proposed(table)


def proposed(data: Table | Tally) -> object:
    """A proposal, or why there is none."""
    try:
        return propose(data)
    except SchemaError as error:
        return error.message


@given(tallies_of(), st.integers(2, 9))
@settings(max_examples=60, deadline=None)
def test_records_of_a_tally_are_those_of_its_table(drawn: tuple[Tally, Table, Case], k: int) -> None:
    tally, table, case = drawn
    schema, policy = case.schema, Policy(k)
    try:
        twin = anonymize(table, schema, policy)
    except CompositionError:
        assume(False)
    release = anonymize(tally, schema, policy)
    ours, theirs = (record_of(one, "id", "2026-01-01") for one in (release, twin))
    assert ours == theirs


def test_an_identifier_of_a_tally_repeats_as_in_its_table() -> None:
    tally = Tally.of(table_of(name=["a", "b"], sex=["f", "m"], illness=["x", "y"]), ["name", "sex", "illness"])
    tally = Tally.of(tally.table, tally.table.names, np.array([1, 4]))
    schema = Schema(["sex"], "illness", identifiers=["name"])
    assert repeated_identifiers(tally, schema) == repeated_identifiers(tally.expanded(), schema)
    assert encode(tally, schema).repeats == encode(tally.expanded(), schema).repeats != ()

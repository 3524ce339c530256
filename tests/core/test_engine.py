"""Files that an engine counts: the frequency table of the table in memory, within bounds, with nothing left behind."""

from __future__ import annotations

import gzip
import os
import re
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core import FrequencyTable, Policy, Schema, anonymize, read_table
from core.base.errors import InputError, LimitError, ParameterError
from core.data.reading.frequency_file import KEY, Mark
from core.data.tables.input_limits import InputLimits
from core.data.tables.table import table_of
from core.engine import EngineBudget, counting, frequency_table_of_files, sources
from core.engine.output import write_frequency_table, write_release
from core.engine.work import work_folder
from tests.folders import COLUMNS, SECRET, VALUES, in_parts, invented, message, people, same
from tests.source import ROOT
from tests.strategies import cases
from tests.waiting import wait_for

duckdb = pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")

HERE = InputLimits(isolated=False)


SCHEMA = Schema(["age", "sex"], "ill", unassigned="drop")
# ---- equal to the table in memory ----------------------------------------------------------


def test_a_folder_of_files_has_the_frequency_table_of_the_table(tmp_path: Path) -> None:
    table = people()
    in_parts(table, tmp_path / "lake")
    parquet.write_table(table, tmp_path / "whole.parquet")
    expected = FrequencyTable.of(read_table(tmp_path / "whole.parquet", limits=HERE), COLUMNS)
    for pattern in ("lake", "lake/*.parquet", "lake/part ?.parquet", "whole.parquet", "**/part*"):
        frequencies = frequency_table_of_files(str(tmp_path / pattern), COLUMNS, EngineBudget(threads=2))
        same(frequencies, expected)
        assert frequencies.records == 3000
    shuffled = table.take(np.random.default_rng(1).permutation(len(table)))
    in_parts(shuffled, tmp_path / "other", parts=5, compression="gzip")
    same(frequency_table_of_files(str(tmp_path / "other"), COLUMNS), expected)


@pytest.mark.parametrize("more", [-1, 1])
def test_files_that_hold_other_records_than_they_say_are_refused(
    more: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_parts(people(), tmp_path / "lake")
    of_files = counting.source_of

    def lying(*given: Any) -> sources.Source:
        source = of_files(*given)
        return replace(source, rows=source.rows + more)

    monkeypatch.setattr(counting, "source_of", lying)
    assert "as many records as they say" in message(lambda: frequency_table_of_files(str(tmp_path / "lake"), COLUMNS))


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_random_tables_as_text_files(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    case = data.draw(cases(rows=(2, 40)))
    frame = case.frame
    folder = tmp_path_factory.mktemp("lake")
    delimiter, end = data.draw(st.sampled_from([",", ";", "\t"])), data.draw(st.sampled_from(["\n", "\r\n"]))
    cut = data.draw(st.integers(1, len(frame) - 1))
    for number, part in enumerate((frame[:cut], frame[cut:])):
        part.to_csv(folder / f"{number}.csv", index=False, sep=delimiter, lineterminator=end, quoting=1)
    frame.to_csv(folder / "whole.txt", index=False, sep=delimiter, quoting=1)
    whole = read_table(folder / "whole.txt", delimiter=delimiter)
    frequencies = frequency_table_of_files(
        f"{folder}/*.csv", list(frame.columns), delimiter=delimiter, decimal=whole.decimal
    )
    same(frequencies, FrequencyTable.of(whole, list(frame.columns)))


@pytest.mark.parametrize("what", VALUES)
def test_texts_of_values_are_those_of_core(what: str, tmp_path: Path) -> None:
    table = pa.table({"v": VALUES[what], "ill": ["a", "b", "a", "b", "a", "b"]})
    parquet.write_table(table, tmp_path / "t.parquet")
    expected = FrequencyTable.of(read_table(tmp_path / "t.parquet", limits=HERE), ["v", "ill"])
    same(frequency_table_of_files(str(tmp_path / "t.parquet"), ["v", "ill"]), expected)


def test_hostile_names_of_columns_and_files_and_folders_named_like_partitions(tmp_path: Path) -> None:
    (tmp_path / "year=2020").mkdir()
    column = 'a"; DROP TABLE frequency table; --'
    table = pa.table({column: ["1", "2"], "s'": ["x", "y"], "a\\": ["p", "q"]})
    parquet.write_table(table, tmp_path / "year=2020" / "it's; a 'file'.parquet")
    frequencies = frequency_table_of_files(str(tmp_path), [column, "s'", "a\\"])
    assert frequencies.table.names == (column, "s'", "a\\")
    assert frequencies.records == 2
    with pytest.raises(InputError, match="no column 'year'"):
        frequency_table_of_files(str(tmp_path), [column, "year"])


# ---- bounds, and what goes wrong -----------------------------------------------------------------


def test_what_is_no_data(tmp_path: Path) -> None:
    table = people(50)
    parquet.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("age,sex,ill\n1,f,flu\n")
    (tmp_path / "empty.csv").touch()
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "sub" / "pipe.csv")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "out.parquet").symlink_to(tmp_path / "a.parquet")
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "a.csv").write_bytes(b"age,ill\n1,flu\n")
    (tmp_path / "packed" / "b.csv.gz").write_bytes(gzip.compress(b"age,ill\n2,flu\n")[:-9])
    (tmp_path / "odd").mkdir()
    parquet.write_table(table, tmp_path / "odd" / "a[1].parquet")
    for folder, name in (("left", "_temporary/0/b.parquet"), ("hidden", "_b.parquet"), ("more", "part-0000")):
        for path in (tmp_path / folder / "a.parquet", tmp_path / folder / name):
            path.parent.mkdir(parents=True, exist_ok=True)
            parquet.write_table(table, path)
    for pattern, words in {
        "left": "The folder has 'b.parquet', which",
        "hidden": "The folder has '_b.parquet', which",
        "more": "The folder has 'part-0000', which",
        "none*.parquet": "No file matches",
        "[ab].*": "Some of the files are Parquet and some are text",
        "empty.csv": "is empty",
        "sub": "not an ordinary file",
        "links": "outside it",
        "packed": "'b.csv.gz' is compressed",
        "odd": "have a meaning in patterns",
    }.items():
        assert words in message(
            lambda pattern=pattern: frequency_table_of_files(str(tmp_path / pattern), COLUMNS), InputError
        )
    assert "no column 'town'" in message(lambda: frequency_table_of_files(str(tmp_path / "a.parquet"), ["town", "ill"]))


def test_a_folder_may_have_marks_and_endings_in_capitals(tmp_path: Path) -> None:
    for name in ("1.csv", "2.CSV"):
        (tmp_path / name).write_text("age,sex,ill\n1,f,flu\n")
    for name in ("_SUCCESS", "_committed_7", ".part.crc"):
        (tmp_path / name).touch()
    assert frequency_table_of_files(str(tmp_path), COLUMNS).records == 2


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("at", [0, 2])
def test_a_column_that_may_count_must_be_explained(kind: str, at: int, tmp_path: Path) -> None:
    """As one record each, these rows would look as if nothing could be learned from them."""
    frame = pd.DataFrame({"age": ["30", "30"], "ill": ["flu", "cold"]})
    frame.insert(at, "count", [130, 2])
    frame.to_parquet(tmp_path / "a.parquet") if kind == "parquet" else frame.to_csv(tmp_path / "a.csv", index=False)
    place, columns = str(tmp_path), ("age", "ill")
    said = message(lambda: frequency_table_of_files(place, columns), InputError)
    assert "if each row is one record, give --count none" in said
    assert frequency_table_of_files(place, columns, count="count").records == 132
    assert frequency_table_of_files(place, columns, count="").records == 2


def test_columns_that_duckdb_takes_for_one_are_refused(tmp_path: Path) -> None:
    """It reads the first of `n` and `N`, also if only another file has both."""
    table = pa.table({"age": ["1", "2"], "N": [1, 1], "ill": ["flu", "cold"]})
    parquet.write_table(table, tmp_path / "1.parquet")
    parquet.write_table(table.append_column("n", pa.array([5, 5])), tmp_path / "2.parquet")
    place, words = str(tmp_path), "Another column differs from 'N' only in case"
    for columns, count in ((["age", "N"], None), (["age", "ill"], "N")):
        assert words in message(lambda of=columns, by=count: frequency_table_of_files(place, of, count=by), InputError)
    assert frequency_table_of_files(f"{place}/1.parquet", ["age", "N"]).records == 2


def test_a_delimiter_is_one_character(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,ill\n1,flu\n")
    for delimiter in ("", "pipe"):
        words = message(lambda how=delimiter: frequency_table_of_files(str(tmp_path), ["age"], delimiter=how))
        assert "delimiter must be one character" in words


def test_a_first_row_without_header_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("34,Wright,flu\n35,Miller,cold\n")
    said_of = message(lambda: frequency_table_of_files(str(tmp_path), ["weight", "ill"]), InputError)
    assert "no column 'weight'" in said_of
    assert "Wright" not in said_of


def test_what_duckdb_would_drop_of_a_line_is_refused_as_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('age,sex,ill\n1,"f" ,flu\n2,"m",cold\n')
    assert "near line 2" in message(lambda: frequency_table_of_files(str(tmp_path), COLUMNS), InputError)
    # A comma too many before an empty cell would move the others.
    (tmp_path / "a.csv").write_text("age,sex,ill\n1,f,flu\n2, m,cold,\n")
    assert "near line 3" in message(lambda: frequency_table_of_files(str(tmp_path), COLUMNS), InputError)
    (tmp_path / "a.csv").write_text('age,sex,ill\n1,"f "" , ",flu\n2,"m",cold\n')
    assert frequency_table_of_files(str(tmp_path), COLUMNS).records == 2


def test_an_error_of_a_batch_is_one_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.engine.interface import without_past
    from core.engine.on_duckdb import connected

    class Batches:
        def to_native(self) -> Batches:
            return self

        def sql_query(self) -> str:
            return "SELECT 1 AS c0"

        def to_arrow_reader(self, _: int) -> Any:
            raise OSError(f"Out of Memory Error: {SECRET}")

    def streamed() -> None:
        with without_past(), connected([], EngineBudget()) as engine:
            monkeypatch.setattr(engine, "_select", lambda _: Batches())
            list(engine.stream(Batches()))

    assert "memory of 4GB" in message(streamed, LimitError)


def test_files_that_differ_are_refused(tmp_path: Path) -> None:
    first = pa.table({"age": [1, 2], "sex": ["f", "m"], "ill": [SECRET, "flu"]})
    for other, words in (
        (first.set_column(0, "age", pa.array(["1", "2"])), "another name or type"),
        (first.drop_columns("sex"), "no column 'sex'"),
    ):
        parquet.write_table(first, tmp_path / "1.parquet")
        parquet.write_table(other, tmp_path / "2.parquet")
        assert words in message(lambda: frequency_table_of_files(str(tmp_path / "*.parquet"), COLUMNS), InputError)
    (tmp_path / "1.csv").write_text(f"age,sex,ill\n1,f,{SECRET}\n")
    (tmp_path / "2.csv").write_text(f"sex,age,ill\nf,1,{SECRET}\n")
    assert "The first line of" in message(
        lambda: frequency_table_of_files(str(tmp_path / "*.csv"), COLUMNS), InputError
    )


def test_damaged_files_are_refused_without_their_cells(tmp_path: Path) -> None:
    parquet.write_table(people(), tmp_path / "1.parquet")
    whole = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "1.parquet").write_bytes(whole[:-30])
    assert "damaged" in message(lambda: frequency_table_of_files(str(tmp_path / "1.parquet"), COLUMNS), InputError)
    data = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    (tmp_path / "1.parquet").write_bytes(whole[:4] + b"\xa5" * (data - 4) + whole[data:])
    assert "damaged" in message(lambda: frequency_table_of_files(str(tmp_path / "1.parquet"), COLUMNS), InputError)
    for number, (raw, words) in enumerate(
        {
            f"age,sex,ill\n1,f,{SECRET}\n2,{SECRET}\n".encode(): "near line 3",
            f'age,sex,ill\n1,f,"{SECRET}\n'.encode(): "cannot read|Line",
            f"age,sex,ill\n1,f,{SECRET}\xe9\n".encode("latin-1"): "not UTF-8",
            f"age, sex, ill\n1, f, {SECRET}\n2, f, x\n".encode(): "a space after each delimiter",
            b"age,sex,ill\n": "no rows",
            b"\nage,sex,ill\n1,f,flu\n": "is not a header",
            b'age,sex,ill\n1,f,"two\nlines"\n2,"m" ,flu\n': "cannot be read near line 4; correct its quotation marks",
        }.items()
    ):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(raw)
        said = message(lambda path=path: frequency_table_of_files(str(path), COLUMNS), InputError)
        assert any(word in said for word in words.split("|")), said
    # Of one column a blank line is a row to the engine, and none to the reader of single files.
    path.write_bytes(b"ill\nflu\n\ncold\n")
    said = message(lambda: frequency_table_of_files(str(path), ["ill"]), InputError)
    assert "The engine read 3 rows, and the files have 2" in said


TAILS = {
    "zeros": b"\0" * 40_000_000,
    "a long cell": b"9," + b"x" * 40_000_000,
    "a long line": b"9," + b"x" * 40_000_000 + b"\n",
    "blanks": b" " * 40_000_000,
}
"""Longer than the buffer of the engine, which drops such a last line without a word."""


@pytest.mark.parametrize("before", [b"age,ill\n", b"age,ill\n1,flu\n2,cold\n"])
@pytest.mark.parametrize("tail", TAILS)
def test_a_tail_that_the_engine_would_drop_is_refused(before: bytes, tail: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"age,ill\n1,flu\n")
    (tmp_path / "b.csv").write_bytes(before + TAILS[tail])
    line = before.count(b"\n") + 1
    said = message(lambda: frequency_table_of_files(str(tmp_path), ("age", "ill")), InputError)
    assert re.search(rf"^'b.csv': .*\bline {line}\b", said, re.IGNORECASE)


@given(data=st.data())
@settings(deadline=None, max_examples=100)
def test_a_damaged_text_file_is_read_as_one_file_or_refused(data: st.DataObject, tmp_path_factory) -> None:
    """Cut anywhere, or zeros in its place: every row that the reader of single files gives, or a refusal."""
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    cell = st.sampled_from(
        ["1", "22", "", '"a b"', '"x,y"', f'"two{end}lines"', f'"{end}{end}"', '"a ""b"""', '5"', "é"]
    )
    rows = data.draw(st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=12))
    whole = end.join(map(",".join, [("a", "b", "more"), *rows])).encode() + end.encode()
    cut = data.draw(st.integers(1, len(whole)))
    tail = data.draw(st.sampled_from([b"", b"\0", b"\0" * 300, end.encode() * 2, whole[cut + 1 :]]))
    folder = tmp_path_factory.mktemp("lake")
    (folder / "a.csv").write_bytes(whole[:cut] + tail)
    try:
        found = frequency_table_of_files(str(folder), ("a", "b"), EngineBudget("500MB", 1))
    except InputError:
        return
    same(found, FrequencyTable.of(read_table(folder / "a.csv", limits=HERE), ("a", "b")))


@pytest.mark.parametrize("vanishes", [False, True])
def test_a_file_that_changes_meanwhile_is_refused(
    vanishes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet.write_table(people(), tmp_path / "1.parquet")
    load = counting.loaded

    def slow(*arguments: Any) -> Any:
        result = load(*arguments)
        if vanishes:
            (tmp_path / "1.parquet").unlink()
            raise FileNotFoundError(SECRET)
        os.utime(tmp_path / "1.parquet", (1, 1))
        return result

    monkeypatch.setattr(counting, "loaded", slow)
    assert "was changed while" in message(
        lambda: frequency_table_of_files(str(tmp_path / "1.parquet"), COLUMNS), InputError
    )


def test_frequency_tables_are_counted_by_their_counts(tmp_path: Path) -> None:
    """Frequency tables of two parts are that of the whole; the engine adds their counts up."""
    table = people(600)
    in_parts(table, tmp_path / "lake", parts=2)
    (tmp_path / "counted").mkdir()
    for number in (0, 1):
        part = frequency_table_of_files(str(tmp_path / "lake" / f"part {number}.parquet"), COLUMNS)
        write_frequency_table(part, tmp_path / "counted" / f"{number}.parquet")
    assert "exists" in message(lambda: write_frequency_table(part, tmp_path / "counted" / "1.parquet"), InputError)
    whole = frequency_table_of_files(str(tmp_path / "lake"), COLUMNS)
    same(frequency_table_of_files(str(tmp_path / "counted"), COLUMNS), whole)
    parquet.write_table(table, tmp_path / "counted" / "rows.parquet")
    assert "Some of the files are frequency tables" in message(
        lambda: frequency_table_of_files(str(tmp_path / "counted"), COLUMNS), InputError
    )
    marked = pa.table({"age": ["1", "2"], "sex": ["f", "m"], "ill": ["flu", "cold"], "count": pa.array([1, 0])})
    twice = pa.concat_tables([marked.slice(0, 1), marked]).set_column(3, "count", [[3, -2, 1]])
    known = Mark("count").to_text()
    for name, content, mark, words in (
        ("none", marked, known, "count below 1"),
        # Added up, the two rows that are alike stand for one record.
        ("hidden", twice, known, "count below 1"),
        ("text", marked.set_column(3, "count", [["1", "1"]]), known, "not whole numbers"),
        ("absent", marked.drop_columns(["count"]), known, "not whole numbers"),
        ("role", marked.rename_columns(["age", "sex", "n", "ill"]), Mark("ill").to_text(), "no other role"),
        ("new", marked, known.replace("1", "2"), "in a way that this version does not know"),
    ):
        with parquet.ParquetWriter(tmp_path / f"{name}.parquet", content.schema) as writer:
            writer.add_key_value_metadata({KEY: mark.encode()})
            writer.write_table(content)
        assert words in message(
            lambda name=name: frequency_table_of_files(str(tmp_path / f"{name}.parquet"), COLUMNS), InputError
        )


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_named_column_counts_the_records_of_a_folder(tmp_path: Path, ending: str) -> None:
    (tmp_path / "counted").mkdir()
    rows = pd.DataFrame({"age": [30, 30, 40, 30], "ill": ["flu", "cold", "flu", "flu"], "n": [2, 1, 5, 4]})

    def write(number: int, part: pd.DataFrame) -> None:
        path = tmp_path / "counted" / f"{number}.{ending}"
        part.to_parquet(path) if ending == "parquet" else part.to_csv(path, index=False)

    def counted(**how: str) -> FrequencyTable:
        return frequency_table_of_files(str(tmp_path / "counted"), ["age", "ill"], **how)

    write(0, rows[:2])
    write(1, rows[2:])
    whole = rows.loc[rows.index.repeat(rows["n"]), ["age", "ill"]]
    same(counted(count="n"), FrequencyTable.of(table_of(whole), ["age", "ill"]))
    assert counted().records == counted(count="").records == 4
    assert "no column" in message(lambda: counted(count="m"), InputError)
    assert "no other role" in message(lambda: counted(count="ill"), InputError)
    for wrong in (0, -1):
        write(1, rows[2:].assign(n=wrong))
        assert "leave out rows that represent no record" in message(lambda: counted(count="n"), InputError)
    if ending == "parquet":
        write(1, rows[2:].assign(n=[Decimal(5), Decimal(4)]))
        assert counted(count="n").records == 12
    write(1, rows[2:].assign(n=1.5))
    assert "whole number" in message(lambda: counted(count="n"), InputError)


def test_too_many_distinct_rows_are_refused_with_the_column_to_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people()
    parquet.write_table(table, tmp_path / "1.parquet")
    monkeypatch.setattr(sources, "MOST_TUPLES", 10)
    said = message(lambda: frequency_table_of_files(str(tmp_path / "1.parquet"), COLUMNS), LimitError)
    values = {name: len(set(table.column(name).to_pylist())) for name in COLUMNS}
    widest = max(values, key=lambda name: values[name])
    assert "more than 10 distinct rows" in said
    assert f"GB of memory; round a column, such as '{widest}' with its {values[widest]:,} values" in said


def test_a_release_may_have_as_many_distinct_rows_as_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a table in memory may have; here that is three."""
    table = people()
    in_parts(table, tmp_path / "lake")
    release = anonymize(frequency_table_of_files(str(tmp_path / "lake"), COLUMNS), SCHEMA, Policy(5))
    monkeypatch.setattr(table_of, "__defaults__", (None, InputLimits(rows=3)))
    written, counts = write_release(release, tmp_path / "out")
    assert counts.sum() == table.num_rows
    assert len(written) > 3


@pytest.mark.parametrize("memory", ["", "4", "4 gb", "50MB", "-4GB", "4GB; DROP"])
def test_a_memory_is_written_with_its_unit(memory: str) -> None:
    with pytest.raises(ParameterError, match="500MB or 4GB"):
        EngineBudget(memory)


def test_what_exceeds_the_memory_goes_to_the_work_folder_or_is_refused(tmp_path: Path) -> None:
    # Rows that differ nearly all, more than 100 MB of them.
    rng = np.random.default_rng(0)
    texts = pa.array([f"{number:040d}" for number in range(1000)])
    columns = {name: texts.take(pa.array(rng.integers(0, 1000, 3_000_000))) for name in ("a", "b", "s")}
    in_parts(pa.table(columns), tmp_path / "lake", use_dictionary=True)
    work = tmp_path / "work"
    work.mkdir()
    said = message(
        lambda: frequency_table_of_files(str(tmp_path / "lake"), ["a", "b", "s"], EngineBudget("100MB", 2)), LimitError
    )
    assert "name a work folder" in said
    spilled: list[int] = []

    def look(_: float) -> None:
        spilled.append(sum(path.stat().st_size for path in work.rglob("*") if path.is_file()))

    bounds = EngineBudget("100MB", 2, str(work))
    frequencies = frequency_table_of_files(str(tmp_path / "lake"), ["a", "b", "s"], bounds, progress=look)
    assert frequencies.records == 3_000_000
    assert max(spilled) > 0
    assert list(work.iterdir()) == []


def test_more_threads_than_the_memory_has_room_for_spill_all_the_same(tmp_path: Path) -> None:
    """With a thread for every processor, 100 MB did not suffice for these rows, or sufficed by luck."""
    invented(tmp_path / "rows", 1_600_000)
    duckdb.sql(f"COPY (FROM '{tmp_path}/rows/*.parquet') TO '{tmp_path}/rows.csv' (HEADER)")
    (tmp_path / "work").mkdir()
    columns = ("age", "sex", "education", "race", "country", "place", "diagnosis")
    bounds = EngineBudget("100MB", 2, str(tmp_path / "work"))
    assert frequency_table_of_files(str(tmp_path / "rows.csv"), columns, bounds).records == 1_600_000


def test_the_engine_reads_nothing_but_the_files(tmp_path: Path) -> None:
    from core.engine.on_duckdb import connected

    pd.DataFrame({"a": [1]}).to_csv(tmp_path / "secret.csv", index=False)
    pd.DataFrame({"a": [1]}).to_csv(tmp_path / "data.csv", index=False)
    with connected([str(tmp_path / "data.csv")], EngineBudget()) as engine:
        assert engine.values(f"SELECT count(*) FROM read_csv('{tmp_path}/data.csv')") == [(1,)]
        for query in (
            f"SELECT count(*) FROM read_csv('{tmp_path}/secret.csv')",
            f"COPY (SELECT 1) TO '{tmp_path}/out.csv'",
            "SELECT count(*) FROM read_csv('https://example.org/a.csv')",
            "SET enable_external_access = true",
            "INSTALL httpfs",
        ):
            with pytest.raises(InputError, match="cannot read"):
                engine.run(query)
    assert not (tmp_path / "out.csv").exists()


def test_a_table_in_memory_never_needs_the_engine() -> None:
    code = "import sys, core, core.engine, core.cli; sys.exit('duckdb' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


# ---- names that the engine uses ------------------------------------------------------------------


NAMES = ["c0", "v", "n", "rows", "sum", "least", "given", "counted", "c1"]
"""What the engine's own tables and columns are called."""


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_columns_may_have_the_names_that_the_engine_uses(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({name: rng.choice(list("abcd"), 200) for name in NAMES})
    frame.loc[rng.random(200) < 0.1, "v"] = None
    frame = pd.concat([frame, frame.iloc[:100]])
    (tmp_path / "lake").mkdir()
    if kind == "csv":
        frame.to_csv(tmp_path / "lake" / "1.csv", index=False)
    else:
        frame.to_parquet(tmp_path / "lake" / "1.parquet", index=False)
    frame.to_csv(tmp_path / "whole.csv", index=False)
    expected = FrequencyTable.of(read_table(tmp_path / "whole.csv", limits=HERE), NAMES)
    same(frequency_table_of_files(str(tmp_path / "lake"), NAMES), expected)


# ---- the folder for what an engine cannot keep in memory ---------------------------------------

ENDED = """
import os, sys
from pathlib import Path
from core.base.placing import Place, placed
from core.engine.work import work_folder

def ended():
    print(*[oct(path.stat().st_mode)[-3:] for path in Path(sys.argv[1]).iterdir()], flush=True)
    os.kill(os.getpid(), int(sys.argv[2]))

"""
ENDS = {
    "as the folder is made": """
made = Path.mkdir
def and_ended(path, mode):
    made(path, mode)
    ended()
Path.mkdir = and_ended
with work_folder(sys.argv[1]):
    pass
""",
    "with rows in the folder": """
with work_folder(sys.argv[1]) as (folder, _):
    Path(folder, "rows").write_text("raw")
    ended()
""",
    "as a file is written": """
with placed(Place(Path(sys.argv[1], "out"))) as (part,):
    part.write_text("secret")
    ended()
""",
    "as a folder is written": """
with placed(Place(Path(sys.argv[1], "out"), is_folder=True)) as (part,):
    (part / "rows").write_text("secret")
    ended()
""",
}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("when", ENDS)
def test_nothing_is_left_however_and_whenever_the_work_ends(when: str, how: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", ENDED + ENDS[when], str(tmp_path), str(int(how))]
    ended = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    assert ended.stdout == "700\n", "something was made, for its user alone"
    assert ended.returncode != 0
    wait_for(lambda: not list(tmp_path.iterdir()), 60)


def test_a_folder_of_ones_own_and_gone_afterwards(tmp_path: Path) -> None:
    with work_folder(str(tmp_path)) as (first, _), work_folder(str(tmp_path)) as (second, _):
        assert first != second
        for folder in (first, second):
            assert Path(folder).parent == tmp_path.resolve()
            assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700
            (Path(folder) / "rows").write_text("some")
    assert list(tmp_path.iterdir()) == []


def test_no_work_folder_no_disk_and_a_place_that_cannot_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "file").touch()
    monkeypatch.setattr(Path, "mkdir", full)
    for place, words in (("none", "work folder"), ("file", "work folder"), ("", "Nothing can be written in the work")):
        with pytest.raises(InputError, match=words), work_folder(str(tmp_path / place)):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["file"]

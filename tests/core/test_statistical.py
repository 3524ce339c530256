"""Files of Stata, SAS and SPSS, as the writers of pyreadstat and pandas make them."""

from __future__ import annotations

import contextlib
import io
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

import core
from core import CompositionError, Table
from core.base.errors import InputError, LimitError
from core.data.tables.input_limits import InputLimits
from tests.files import read_table, rows_of

FRAME = pd.DataFrame(
    {
        "age": [34, 41, None, 99],
        "sex": [1, 2, 1, 2],
        "dx": ["flu", "gout", "", "flu, or gout"],
        "seen": [date(2024, 1, 2), date(2024, 3, 4), None, date(1999, 12, 31)],
        "bmi": [21.5, 30.25, 18.125, None],
        "at": [datetime(2024, 1, 2, 3, 4), datetime(2024, 1, 2), None, datetime(2001, 2, 3, 4, 5, 6)],
    }
)
LABELS = {"sex": {1: "male", 2: "female"}}


def stata_before_117(frame: pd.DataFrame, path: Path, **_: Any) -> None:
    frame.drop(columns=["seen", "at"]).to_stata(path, version=114, write_index=False)


WRITERS: dict[str, tuple[str, Any]] = {
    "Stata": ("a.dta", pyreadstat.write_dta),
    "Stata before 117": ("b.dta", stata_before_117),
    "SPSS": ("a.sav", pyreadstat.write_sav),
    "SPSS compressed": ("a.zsav", lambda frame, path: pyreadstat.write_sav(frame, path, compress=True)),
    "SPSS portable": ("a.por", pyreadstat.write_por),
    "SAS transport": ("a.xpt", pyreadstat.write_xport),
    "SAS transport of version 5": (
        "b.xpt",
        lambda frame, path: pyreadstat.write_xport(frame, path, file_format_version=5),
    ),
}


def content_of(kind: str, folder: Path, frame: pd.DataFrame = FRAME, **how: Any) -> bytes:
    name, write = WRITERS[kind]
    write(frame, folder / name, **how)
    return (folder / name).read_bytes()


@pytest.mark.parametrize("kind", WRITERS)
def test_cells_are_those_of_the_frame_that_was_written(kind: str, tmp_path: Path) -> None:
    """Whatever the file is called, and in the process that users read with."""
    content = content_of(kind, tmp_path)
    table = core.read_table(content)
    twin = Table.from_frame(FRAME[[name for name in FRAME if name in {name.lower() for name in table.names}]])
    assert [name.lower() for name in table.names] == list(twin.names)
    assert rows_of(table) == rows_of(twin)
    assert kind.startswith(table.read_info["format"])


@pytest.mark.parametrize("kind", ["Stata", "SPSS"])
def test_values_with_a_label_are_their_labels_which_is_said(kind: str, tmp_path: Path) -> None:
    labels = {**LABELS, "age": {99.0: "unknown"}, "bmi": {1.0: "of no value"}}
    table = read_table(content_of(kind, tmp_path, variable_value_labels=labels))
    assert table.column("sex").texts().tolist() == ["male", "female", "male", "female"]
    assert table.column("age").texts().tolist() == ["34", "41", "", "unknown"]
    assert table.column("bmi").texts().tolist() == ["21.5", "30.25", "18.125", ""]
    assert "Values of 'age' and 'sex' are shown by the labels" in table.read_info["note"]


def test_codes_that_a_file_calls_missing_are_missing(tmp_path: Path) -> None:
    content = content_of("SPSS", tmp_path, missing_ranges={"age": [99], "dx": ["gout"]})
    table = read_table(content)
    assert table.column("age").texts().tolist() == ["34", "41", "", ""]
    assert table.column("dx").texts().tolist() == ["flu", "", "", "flu, or gout"]
    marked = FRAME[["age"]].astype(object).replace({99.0: "a"}).fillna("b")
    content = content_of("Stata", tmp_path, marked, missing_user_values={"age": ["a", "b"]})
    assert read_table(content).column("age").texts().tolist() == ["34", "41", "", ""]


@pytest.mark.parametrize("kind", WRITERS)
def test_chosen_columns_are_read_alone_and_limits_hold(kind: str, tmp_path: Path) -> None:
    content = content_of(kind, tmp_path)
    whole = read_table(content)
    second = whole.names[1]
    assert rows_of(read_table(content, columns=[second])) == [[row[1]] for row in rows_of(whole)]
    for limits in (
        InputLimits(rows=3),
        InputLimits(columns=3),
        InputLimits(cell=3),
        InputLimits(bytes=len(content) - 1),
    ):
        with pytest.raises(LimitError):
            read_table(content, limits=limits)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_damaged_file_is_a_table_or_refused_in_a_sentence(kind: str, tmp_path: Path) -> None:
    content = content_of(kind, tmp_path)
    for cut in (len(content) // 2, len(content) - 40, 600):
        with contextlib.suppress(CompositionError):
            read_table(content[:cut])


def test_a_file_of_sas_is_told_by_its_first_bytes() -> None:
    with pytest.raises(InputError, match=r"The SAS file is damaged or cannot be read"):
        read_table(b"\0" * 12 + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011") + b"\0" * 2000)


def test_without_the_package_one_sentence_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = content_of("SPSS", tmp_path)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(CompositionError, match=r"'pyreadstat' is needed to read files of SPSS.*extra 'statistics'"):
        read_table(io.BytesIO(content))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"age": 34}\n{"age": 35}\n', "JSON"),
        (b' [\n {"age": 34}]', "JSON"),
        (b"[[1, 2]]", "JSON"),
        (b"X\n\0\0\0\3\0\4\1\0", r"file of R.*write\.csv"),
        (b"RDX3\nX\n", "file of R"),
        (b"<!DOCTYPE html><table>", "web page"),
        (b"FEA1xxxx", "Feather"),
        (b"ORC\x08", "ORC"),
        (b"Obj\x01\x04", "Avro"),
    ],
)
def test_other_formats_are_refused_by_name(content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_table(content)

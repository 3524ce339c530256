"""The forms of files and cells, each tried: ``python -m tests.forms`` writes their table into docs/files.md."""

from __future__ import annotations

import gzip
import io
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat

from core import CompositionError, Schema, Table
from core.data.encoding.encoded import encode
from core.data.reading import read_hierarchy, read_table
from core.data.schemas.schema import ColumnType
from core.data.tables.input_limits import InputLimits
from core.release.published.cell_reader import WITHHELD, Reader
from core.release.published.parse import parse
from core.release.published.spellings import SPELLINGS
from tests.files import parquet, workbook
from tests.source import ROOT

PAGE = ROOT / "docs" / "files.md"
START, END = "<!-- made by python -m tests.forms -->\n", "<!-- end -->\n"
ASKED = frozenset(("encoding", "columns", "header_row", "count", "marks"))
"""Parameters of refusals that one answer does away with; each is an option of the gate and a control of the page."""
LIMITS = InputLimits(isolated=False)
ROWS = [["age", "sex", "dx"], ["34", "M", "flu"], ["35", "F", "gout"], ["36", "M", "flu"]]


def text(rows: Iterable[Iterable[str]], mark: str = ",") -> bytes:
    return "".join(mark.join(row) + "\n" for row in rows).encode()


def of_statistics(suffix: str, write: Callable[..., None]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{suffix}"
        write(pd.DataFrame({"age": [34, 35], "sex": [1, 2]}), path)
        return path.read_bytes()


WIDE = [[f"c{n}" for n in range(300)], ["1"] * 300]
TABLES: dict[str, bytes] = {
    "CSV, TSV, semicolons, vertical bars": text(ROWS, ";"),
    "the same in gzip": gzip.compress(text(ROWS)),
    "UTF-16 with a byte order mark": text(ROWS).decode().encode("utf-16"),
    "Excel (.xlsx, .xlsm)": workbook(ROWS),
    "Excel with a cover sheet": workbook([["Discharges 2023"]], Data=ROWS),
    "Parquet": parquet({"age": [34, 35], "sex": ["M", "F"]}),
    "Stata (.dta)": of_statistics("dta", pyreadstat.write_dta),
    "SPSS (.sav, .zsav)": of_statistics("sav", pyreadstat.write_sav),
    "SPSS portable (.por)": of_statistics("por", pyreadstat.write_por),
    "SAS transport (.xpt)": of_statistics("xpt", pyreadstat.write_xport),
    "first column without a name (pandas)": text([["", *ROWS[0]], *([str(n), *row] for n, row in enumerate(ROWS[1:]))]),
    "header a cell short (R)": text([ROWS[0], *([f"p{n}", *row] for n, row in enumerate(ROWS[1:]))]),
    "a comma at the end of every line": text([*row, ""] for row in ROWS),
    "title lines above the header": b"Discharges 2023,,\n,,\n" + text(ROWS),
    "comment lines above the header": b"# made in 2024\n" + text(ROWS),
    "names of groups above numbers": text(
        [["stay", "", ""], ["age", "days", "cost"], ["34", "2", "900"], ["35", "1", "400"]]
    ),
    '`="01012"`, `\'01012`': b'zip,dx\n="01012",flu\n\'01013,flu\n',
    "two columns of the same name": text([["x", "x", "x"], ["M", "F", "x"]]),
    "a column inside without a name": text([["age", "", "dx"], ["34", "M", "flu"], ["35", "F", "flu"]]),
    "bytes of an unnamed encoding": "ward\nМосква\n".encode("cp1251"),
    "more than 200 columns": text(WIDE),
    "a cell of more than 10,000 characters": text([["age", "letter"], ["34", "x" * 20_000]]),
    "nested or binary columns of Parquet": parquet({"age": [34], "codes": [[1, 2]]}),
    "JSON": b'{"age": 34}\n',
    "files of R (.rds, .rda)": b"X\n\0\0\0\3",
    "web pages and XML": b"<!DOCTYPE html><table></table>",
    "Feather, ORC, Avro": b"ARROW1\0\0",
    "old Excel (.xls), or with a password": b"\xd0\xcf\x11\xe0\xa1\xb1",
    "SQLite": b"SQLite format 3\0",
    "PDF": b"%PDF-1.7",
    "7z, zstd, xz, bzip2": b"BZh91AY",
}
AGES = Reader("age", ColumnType.NUMERIC, marks=WITHHELD)
OWN = ("25", "[20-30]", "[20, 30)", "(20, 30]", "20-30", "<30", "≤30", "40+", "3*", "{20, 25}", "20 | 25", "['20-30']")
WITHHELD_CELLS = ("*", "NA", "(blank)", ".", "suppressed", "Any", "?")
OTHERS = ("20-29 months", "young")
ZIPS = ("01012", "01013", "02101", "90210")
CODES = ("010**", "010XX", "010##", "010*", "010", "1012", "01012-1234")
SETS = ("{A, B}", "A,B", "A;B", "A|B", "A/B", "A or B", "(A, B)", "['A', 'B']", "frozenset({'A', 'B'})", '["A", "B"]')
HIERARCHIES: dict[str, bytes] = {
    "levels, as ARX writes them": b"20;20-21;*\n21;20-21;*\n",
    "commas, tabs, vertical bars; quoted cells": b'20,"[20; 22[",*\n21,"[20; 22[",*\n',
    "`sep=;` in the first line": b"sep=;\n20;20-21;*\n21;20-21;*\n",
    "UTF-16": "20;20-21;*\n21;20-21;*\n".encode("utf-16"),
    "a line of column names": b"age;level1;level2\n20;20-21;*\n21;20-21;*\n",
    "comment lines": b"# by hand\n20;20-21;*\n21;20-21;*\n",
    "numbered rows (pandas)": b",age,level1\n0,20,20-21\n1,21,20-21\n",
    "pairs of child and parent": b"20,20-21\n21,20-21\n20-21,*\n",
    "JSON: objects within objects": b'{"20-21": ["20", "21"], "22-23": ["22"]}',
    "JSON: nodes with a name and children": b'[{"name": "20-21", "children": [{"name": "20"}, {"name": "21"}]}]',
    "a list, indented": b"*\n  20-21\n    20\n    21\n",
    "Amnesia, of values": b"distinct\nname age\nheight 2\n\n* has 20 21\n",
    "Amnesia, of ranges": b"range\nname age\nheight 2\n\n0,10 has 0,5 5,10\n",
    "lines of different length": b"20;20-21;*\n21;*\n",
}


def outcome(read: Callable[[], Any]) -> tuple[str, str]:
    """What becomes of a form, read, asked or refused, and what is said."""
    try:
        said = read()
    except CompositionError as error:
        return "asked" if error.parameter in ASKED or error.choices else "refused", error.message
    return "read", said


def of_table(content: bytes) -> str:
    return read_table(content, limits=LIMITS).read_info.get("note", "")


def of_hierarchy(content: bytes) -> str:
    return " ".join(read_hierarchy(content, column="age", limits=LIMITS).notes)


def of_cells(reader: Reader, cell: str) -> tuple[str, str]:
    return ("refused", "") if reader.read("" if cell == "(blank)" else cell) is None else ("read", "")


def of_release(theirs: pd.DataFrame, mine: pd.DataFrame) -> str:
    schema = Schema(["age", "ward"], "dx")
    parse(Table.from_frame(theirs), schema, mine=encode(Table.from_frame(mine), schema))
    return ""


MINE = pd.DataFrame({"age": ["20", "25", "30", "35"], "ward": ["A", "B", "A", "B"], "dx": ["flu", "gout", "flu", "tb"]})
GAPS = MINE.assign(ward=["A", "", "A", "B"])
RELEASED = pd.DataFrame({"age": ["20-30", "20-30"], "ward": ["A,B", "A,B"], "dx": ["flu", "gout"]})
RELEASES: dict[str, tuple[pd.DataFrame, pd.DataFrame]] = {
    "ranges in two columns (`age_min`, `age_max`)": (
        RELEASED.drop(columns="age").assign(age_min=["20", "20"], age_max=["30", "30"]),
        MINE,
    ),
    "sets in columns of true and false (`ward_A`, `ward_B`)": (
        RELEASED.drop(columns="ward").assign(ward_A=["True", "True"], ward_B=["True", "False"]),
        MINE,
    ),
    "a column that may count records": (RELEASED.assign(count=["3", "2"]), MINE),
    "withheld cells where mine has missing ones": (RELEASED.assign(ward=["NA", "A"]), GAPS),
}


def rows() -> dict[str, list[tuple[str, str, str]]]:
    """By heading, each form with what becomes of it and what is said."""
    codes = Reader("zip", ColumnType.CATEGORICAL, ZIPS)
    sets = Reader("ward", ColumnType.CATEGORICAL, ("A", "B", "C"))
    ages = [*OWN, *(cell for spelling in SPELLINGS for cell, _ in spelling.examples), *WITHHELD_CELLS, *OTHERS]
    return {
        "Tables": [(form, *outcome(lambda content=content: of_table(content))) for form, content in TABLES.items()],
        "Numbers in another publisher's release": [(code(cell), *of_cells(AGES, cell)) for cell in ages],
        "Sets in another publisher's release": [(code(cell), *of_cells(sets.of_column([cell]), cell)) for cell in SETS],
        "Codes of one length, such as 01012": [
            (code(cell), *of_cells(codes.of_column([cell]), cell)) for cell in CODES
        ],
        "Layouts of another publisher's release": [
            (form, *outcome(lambda frames=frames: of_release(*frames))) for form, frames in RELEASES.items()
        ],
        "Hierarchies": [
            (form, *outcome(lambda content=content: of_hierarchy(content))) for form, content in HIERARCHIES.items()
        ],
    }


def code(cell: str) -> str:
    return cell if cell == "(blank)" else f"`{cell}`".replace("|", "\\|")


def tables() -> str:
    """The tables of the page."""
    out = io.StringIO()
    for heading, found in rows().items():
        out.write(f"\n## {heading}\n\n")
        if any(said for _, _, said in found):
            out.write("| form | | message |\n|---|---|---|\n")
            out.writelines(
                f"| {form} | {state} | {said.replace('|', chr(92) + '|')} |\n" for form, state, said in found
            )
            continue
        for state in ("read", "asked", "refused"):
            if forms := [form for form, each, _ in found if each == state]:
                out.write(f"{state.capitalize()}: {', '.join(forms)}.\n\n")
    return out.getvalue().rstrip() + "\n"


def written() -> str:
    """The page with its tables made anew."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    return f"{before}{START}{tables()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")

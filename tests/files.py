"""Workbooks and Parquet files made for tests, and the reader as it runs in this process."""

from __future__ import annotations

import io
import traceback
import zipfile
from collections.abc import Iterator
from dataclasses import replace

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

import core
from core.data.tables.input_limits import DEFAULT_LIMITS, InputLimits
from core.data.tables.table import Table


def read_table(content: object, *, limits: InputLimits = DEFAULT_LIMITS, **options: object) -> Table:
    """Read in this process; tests/core/test_reading_apart.py reads as users do."""
    return core.read_table(content, limits=replace(limits, isolated=False), **options)  # type: ignore[arg-type]


def rows_of(table: Table) -> list[list[str]]:
    return [list(row) for row in zip(*(column.texts() for column in table.columns), strict=True)]


def saved(book: object) -> bytes:
    out = io.BytesIO()
    book.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def workbook(rows: list[list[object]], **sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for name, more in sheets.items():
        sheet = book.create_sheet(name)
        for row in more:
            sheet.append(row)
    return saved(book)


def parts(sheet: str, texts: str = "", styles: str = "", **options: object) -> bytes:
    """Write a workbook by hand, of the parts given."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    out = io.BytesIO()
    kinds = [
        ("worksheet", "worksheets/sheet1.xml"),
        ("sharedStrings", "sharedStrings.xml"),
        ("styles", "/xl/styles.xml"),
    ]
    relations = "".join(
        f'<Relationship Id="r{i}" Type="{office}/{kind}" Target="{target}"/>' for i, (kind, target) in enumerate(kinds)
    )
    top = f'<Relationship Id="a" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
    book = f'<x:workbook xmlns:x="{main}" xmlns:r="{office}"><x:sheet name="S" sheetId="1" r:id="r0"/></x:workbook>'
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{package}">{top}</Relationships>')
        archive.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}">{relations}</Relationships>')
        archive.writestr("xl/workbook.xml", book)
        archive.writestr("xl/sharedStrings.xml", (texts or "<sst/>").replace("<sst", f'<sst xmlns="{main}"', 1))
        archive.writestr("xl/styles.xml", styles or f'<styleSheet xmlns="{main}"/>')
        if "<sheetData>" not in sheet:
            sheet = sheet.replace("<worksheet>", "<worksheet><sheetData>")
            sheet = sheet.replace("</worksheet>", "</sheetData></worksheet>")
        archive.writestr("xl/worksheets/sheet1.xml", sheet.replace("<worksheet", f'<worksheet xmlns="{main}"', 1))
    return out.getvalue()


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def inline(reference: str, text: str) -> str:
    return f'<c r="{reference}" t="inlineStr"><is><t>{text}</t></is></c>'


HEADER = row(1, inline("A1", "a"), inline("B1", "b"))


def parquet(columns: object, **options: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), out, **options)
    return out.getvalue()


SECRET = "Roe7391HIV"


def everything_said(error: BaseException) -> Iterator[str]:
    """Every text that a log or a page could show of an error."""
    seen: set[int] = set()
    queue: list[BaseException | None] = [error]
    while queue:
        one = queue.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield from (str(one), repr(one), repr(one.args), repr(vars(one)))
        yield from (repr(getattr(one, name, "")) for name in ("object", "reason", "filename", "doc"))
        yield from traceback.TracebackException.from_exception(one).format(chain=False)
        for frame, _ in traceback.walk_tb(one.__traceback__):
            if "core/data/reading" in frame.f_code.co_filename and frame.f_code.co_name != "read_table":
                yield repr(frame.f_locals)
        queue += [one.__cause__, one.__context__]

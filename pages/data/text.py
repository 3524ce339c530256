"""Shared wording of the sections of the data page: columns, roles, tables in short."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from core import FrequencyTable, Table
from core.data.frequency_table import rows_of
from core.data.schemas.schema import Role
from pages.shared.ui.text import count, plain, safe

ROLE_WORDS = {
    Role.QUASI_IDENTIFIER: "others may know it",
    Role.SENSITIVE: "to protect",
    Role.UNMODIFIED: "published as it is",
    Role.IDENTIFIER: "left out: identifier",
    Role.PERSON: "left out: person",
    Role.PROVIDER: "left out: provider",
    Role.OTHER: "left out",
}
PREVIEW = 8


def headers(names: Iterable[str], most: int = 60) -> list[str]:
    """Short one-line headers, each different from the others, for tables that show text as it is."""
    unique: dict[str, None] = {}
    for name in names:
        short, number = plain(name, most), 2
        while short in unique:
            short, number = f"{plain(name, most - 5)} ({number})", number + 1
        unique[short] = None
    return list(unique)


STANDS_FOR = "Records of this row"


def preview(data: Table | FrequencyTable, rows: int = PREVIEW) -> pd.DataFrame:
    """Show the first rows as one-line texts; for a frequency table with the counts."""
    table = rows_of(data)
    cells = [[plain(column.labels[code], 80) for code in column.codes[:rows]] for column in table.columns]
    names = list(table.names)
    if isinstance(data, FrequencyTable):
        cells.append([count(number) for number in data.counts[:rows]])
        names.append(STANDS_FOR)
    return pd.DataFrame(dict(zip(headers(names), cells, strict=True)), dtype="str")


def size(data: Table | FrequencyTable) -> str:
    """Size of a table; for a frequency table the number of records and of distinct rows."""
    columns = len(rows_of(data).names)
    wide = f"{columns} column{'s' if columns != 1 else ''}"
    if isinstance(data, FrequencyTable):
        rows = f"{count(len(data))} distinct row{'s' if len(data) != 1 else ''}"
        return f"a frequency table of {count(data.records)} records in {rows}, {wide}"
    return f"{count(len(data))} record{'s' if len(data) != 1 else ''}, {wide}"


def how_read(table: Table) -> str:
    """How a file was read, safe for Markdown; empty for a table that was not read from a file."""
    source = table.read_info
    if "encoding" not in source and "sheet" not in source and source.get("format") != "Parquet":
        return ""
    parts = [source.get("format", "")]
    parts += [f"encoding {source['encoding']}"] if "encoding" in source else []
    parts += [f"fields separated by {source['delimiter']}"] if "delimiter" in source else []
    parts += [f"sheet {plain(source['sheet'], 40)}"] if "sheet" in source else []
    parts += [f"decimal {source['decimal']}"] if "decimal" in source else []
    return safe(", ".join(parts), 200)

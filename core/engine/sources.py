"""How an engine reads files: which of their columns, of which types; and the frequency table made of its rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from core.base.arrays import Progress
from core.base.errors import InputError, LimitError, nearest
from core.base.errors import shown_name as shown
from core.data.frequency_table import FrequencyTable
from core.data.reading.delimiter import check_delimiter, sniff
from core.data.reading.frequency_file import COUNT, marked_count
from core.data.reading.gather import Gather, clean_header
from core.data.tables.arrow_values import check_type, is_floating, without_points
from core.data.tables.input_limits import InputLimits
from core.data.tables.numbers import decimal_mark
from core.data.tables.table import Table
from core.engine.file_patterns import PARQUET, Files, files_of
from core.engine.text_files import TextFiles
from core.release.published.layout import ONE_EACH, names_a_count

MOST_TUPLES = 20_000_000
"""Largest number of distinct rows loaded into memory."""
HEAD = 262_144
"""Bytes of a text file from which its form is detected."""
MEMORY = "7 GB"
"""Memory that a release of that many distinct rows takes, engine included."""
LIMITS = InputLimits(rows=2**60, bytes=2**60)
OTHER_RECORDS = "The files do not hold as many records as they say; write them again."


@dataclass(frozen=True)
class Source:
    """Files, and how an engine reads them.

    Parameters
    ----------
    files
        None for a frame, of which only names and types are known.
    names
        Of the requested columns.
    columns
        The engine's name of each.
    types
        Arrow type of each; ``None`` for text.
    rows
        In all files, by their footers; 0 of text.
    count
        The engine's name of the column that counts records, if the files are frequency tables; "" if a row is one
        record.
    lines
        Properties of text files.
    header
        Names of all columns.
    may_count
        Columns that by their names and types may count records.
    """

    files: Files
    names: tuple[str, ...]
    columns: tuple[str, ...]
    types: tuple[Any, ...] | None
    rows: int
    count: str = ""
    lines: TextFiles | None = None
    header: tuple[str, ...] = ()
    may_count: tuple[str, ...] = ()

    def check_counts(self) -> None:
        """Refuse a column that by its name may count records, but is not known to.

        Raises
        ------
        InputError
            If it has no role.
        """
        if COUNT in self.may_count and not self.count and COUNT not in self.names:
            raise InputError(
                f"The files have a column {shown(COUNT)}: if it counts the records of each row, give --count {COUNT}; "
                "if each row is one record, give --count none.",
                parameter="count",
            )

    @property
    def comma(self) -> bool:
        """Whether fields are separated by commas."""
        return self.lines is not None and self.lines.delimiter == ","

    def there(self, progress: Progress | None = None) -> int:
        """Number of rows that the files hold by their own account; of text, the lines that are not blank."""
        return self.rows if self.lines is None else self.lines.count(progress)

    def check(self, read: int, there: int) -> None:
        """Refuse files of which an engine ``read`` another number of rows than is :meth:`there`."""
        if self.lines is not None:
            self.lines.check(read, there)
        elif read != there:
            raise InputError(OTHER_RECORDS)


def source_of(files: Files, columns: Sequence[str], delimiter: str | None, count: str | None = None) -> Source:
    """How an engine reads some columns of some files; see :func:`frequency_table_of_files` for what is refused."""
    check_role(count, columns)
    if files.file_format == PARQUET:
        return _parquet(files, columns, count)
    return _text(files, columns, delimiter, count)


def has_column(pattern: str, column: str, delimiter: str | None) -> bool:
    """Whether the files that a pattern names have a column."""
    with suppress(InputError):  # whatever else is wrong is said when they are read
        source_of(files_of(pattern), (column,), delimiter)
        return True
    return False


def header_of(pattern: str, delimiter: str | None, count: str | None) -> tuple[str, ...]:
    """Names of all columns of the files that a pattern names, without the one that counts records."""
    count = "" if count == ONE_EACH else count
    source = source_of(files_of(pattern), (), delimiter, count)
    counts = {count, source.count if source.lines is None else count}
    return tuple(name for name in source.header if name not in counts)


def check_role(count: str | None, columns: Sequence[str]) -> None:
    """Refuse a column that counts records if it has another role."""
    if count and count in columns:
        raise InputError(
            f"The column {shown(count)} counts the records of a frequency table; it can have no other role.",
            parameter="count",
        )


def _parquet(files: Files, columns: Sequence[str], count: str | None) -> Source:
    names: tuple[str, ...] = ()
    types: tuple[Any, ...] = ()
    counts: set[str] = set()
    header: dict[str, bool] = {}
    rows = 0
    for path in files.paths:
        footer = arrow = None
        try:
            footer = parquet.read_metadata(path)
            arrow = footer.schema.to_arrow_schema()
        except (pa.ArrowException, OSError, ValueError):
            pass  # its text may hold a cell
        if footer is None or arrow is None:
            raise InputError(f"The Parquet file {shown(Path(path).name)} is damaged; write it again.")
        rows += footer.num_rows
        for name, arrow_type in zip(arrow.names, arrow.types, strict=True):
            may_count = name == COUNT or (names_a_count(name) and _is_whole(arrow_type))
            header[name] = header.get(name, False) or may_count
        counts.add(_count_of(footer.metadata, arrow, path, count))
        if len(counts) > 1:
            raise InputError(
                "Some of the files are frequency tables and some are not; name those of one kind with a pattern."
            )
        place = places(arrow.names, columns, f"The file {shown(Path(path).name)}")
        mine = tuple(arrow.names[i] for i in place), tuple(plain(arrow.field(i).type) for i in place)
        if names and mine != (names, types):
            raise InputError(
                f"A column of {shown(Path(path).name)} has another name or type than in "
                f"{shown(Path(files.paths[0]).name)}; write all files the same way."
            )
        names, types = mine
    for column, arrow_type in zip(columns, types, strict=True):
        check_type(column, arrow_type)
    times = counts.pop()
    check_role(times, columns)
    able = tuple(name for name, may_count in header.items() if may_count)
    return Source(files, tuple(columns), names, types, rows, times, header=tuple(header), may_count=able)


def _count_of(metadata: dict[bytes, bytes] | None, arrow: Any, path: str, given: str | None) -> str:
    """Column of a file that counts records: the given one, else that of a file marked as a frequency table."""
    if given:
        name = arrow.names[places(arrow.names, [given], f"The file {shown(Path(path).name)}")[0]]
        check_counts(given, arrow.field(name).type)
        return str(name)
    count = marked_count(metadata) if given is None else ""
    if count and (count not in arrow.names or not pa.types.is_integer(arrow.field(count).type)):
        raise InputError(
            f"{shown(Path(path).name)} is marked as a frequency table but its counts are not whole numbers; write it "
            f"again.",
            parameter=count,
        )
    return count


def check_counts(count: str, arrow_type: Any) -> None:
    """Refuse a type that counts no records."""
    if not _is_whole(arrow_type):
        raise InputError(
            f"The column {shown(count)} does not hold whole numbers, so it counts no records.", parameter=count
        )


def _is_whole(arrow_type: Any) -> bool:
    # Snowflake writes a count as a decimal number without places.
    return bool(pa.types.is_integer(arrow_type) or (pa.types.is_decimal(arrow_type) and arrow_type.scale == 0))


def check_case(header: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse columns that DuckDB may take for others, because it ignores the case of names."""
    lower = [name.lower() for name in header]
    for column in columns:
        if lower.count(column.lower()) > 1:
            raise InputError(
                f"Another column differs from {shown(column)} only in case, and DuckDB takes one for the other; rename "
                "it.",
                parameter=column,
            )


def plain(arrow_type: Any) -> Any:
    """Type of the values, whether they are kept as a dictionary or not."""
    arrow_type = arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type
    return pa.string() if pa.types.is_large_string(arrow_type) or pa.types.is_string_view(arrow_type) else arrow_type


def _text(files: Files, columns: Sequence[str], delimiter: str | None, count: str | None) -> Source:
    check_delimiter(delimiter)
    head, first = _head(files.paths[0])
    dialect = sniff(head, delimiter)
    if dialect.spaced:
        raise InputError(
            "The files have a space after each delimiter, which the engine does not remove; write them without it."
        )
    for path in files.paths[1:]:
        if _head(path)[1] != first:
            raise InputError(
                f"The first line of {shown(Path(path).name)} differs from that of "
                f"{shown(Path(files.paths[0]).name)}; give all files the same header."
            )
    try:
        header = next(csv.reader([first], delimiter=dialect.delimiter), [])
    except csv.Error:
        header = []
    if not header:
        raise InputError(
            f"The first line of {shown(Path(files.paths[0]).name)} is not a header; it must name the columns."
        )
    place = places(header, [*columns, *([count] if count else [])], f"The file {shown(Path(files.paths[0]).name)}")
    times = f"f{place.pop()}" if count else ""
    lines, able = TextFiles(files.paths, dialect.delimiter, len(header)), tuple(filter(names_a_count, header))
    names = tuple(clean_header(header, LIMITS)[1])
    return Source(files, tuple(columns), tuple(f"f{at}" for at in place), None, 0, times, lines, names, able)


def _head(path: str) -> tuple[str, str]:
    """Text that a file begins with, and its first line."""
    with Path(path).open("rb") as stream:
        raw = stream.read(HEAD)
    try:
        head = raw[: raw.rfind(b"\n") + 1 or len(raw)].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            f"The file {shown(Path(path).name)} is not UTF-8 text, the only encoding that the engine reads; save it as "
            "such."
        ) from None
    return head, next(io.StringIO(head, newline=""), "").rstrip("\r\n")


def places(header: Sequence[str], columns: Sequence[str], what: str) -> list[int]:
    """Position of each requested column in a header; ``what`` begins the error message."""
    _, names, _ = clean_header(header, LIMITS)
    for column in columns:
        if column not in names:
            raise InputError(
                f"{what} has no column {shown(column)} among its {len(names):,} columns{nearest(column, names)}.",
                parameter=column,
            )
    return [names.index(column) for column in columns]


def loaded(
    names: Sequence[str],
    types: Sequence[Any] | None,
    batches: Iterable[Any],
    decimal: str | None,
    comma: bool = False,
    progress: Progress | None = None,
) -> tuple[FrequencyTable, int]:
    """Load an engine's distinct rows, with the texts that core writes; O(columns x rows + rows log rows).

    Parameters
    ----------
    names
        Of the columns.
    types
        Their Arrow types, in which the values are written; ``None`` for text.
    batches
        Arrow record batches of the cells, then of the records and of the rows of each.
    decimal
        As for :func:`core.data.reading.read_table`.
    comma
        Whether fields are separated by commas.
    progress
        Called with the share of the largest number of rows; may raise to cancel.

    Returns
    -------
    table, rows
        The frequency table, and the number of rows that the engine read.

    Raises
    ------
    InputError
        If there is no row, or a count below 1.
    LimitError
        If there are too many distinct rows.
    """
    gather, counts, read = Gather(names, 1, LIMITS, "row", count_text=True), list[Any](), 0
    for batch in batches:
        *cells, records, rows = batch.columns
        gather.add_columns(cells if types is None else list(map(_as, cells, types)))
        counts.append(records.to_numpy())
        read += int(rows.to_numpy().sum())
        if gather.rows > MOST_TUPLES:
            widest = max(gather.finish(), key=lambda column: len(column.labels))
            raise LimitError(
                f"There are more than {MOST_TUPLES:,} distinct rows in these columns, for which a release "
                f"takes some {MEMORY} of memory; round a column, such as {shown(widest.name)} with its "
                f"{len(widest.labels):,} values, or leave it out.",
                parameter=widest.name,
            )
        if progress is not None:
            progress(gather.rows / MOST_TUPLES)
    if not read:
        raise InputError("There are no rows; at least one record is needed.")
    columns = tuple(
        without_points(column) if arrow_type is not None and is_floating(arrow_type) else column
        for column, arrow_type in zip(gather.finish(), types or [None] * len(names), strict=True)
    )
    if progress is not None:
        progress(1.0)
    mark, remarks = (decimal, []) if decimal else decimal_mark(columns, comma)
    table = Table(columns, mark, {"format": "CSV" if types is None else "Parquet", "note": " ".join(remarks)})
    return FrequencyTable.of(table, names, np.concatenate(counts)), read


def _as(cells: Any, arrow_type: Any) -> Any:
    """Cells in the type of their column; an engine may return another type for an empty column."""
    return pa.nulls(len(cells)) if pa.types.is_null(arrow_type) else cells.cast(arrow_type)

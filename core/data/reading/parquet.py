"""Parquet files, through pyarrow, in batches.

A tiny Parquet file can hold billions of rows or texts that unpack to gigabytes. So texts
are read as dictionary codes, rows and characters are counted batch by batch, and the
process that reads has a limit of memory for what pyarrow unpacks on the way.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, BinaryIO

from pyarrow import ArrowException, parquet, types

from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.reading.frequency_file import fact_of
from core.data.reading.gather import Gather, Parsed
from core.data.tables.arrow_values import check_type, is_floating, without_points
from core.data.tables.input_limits import InputLimits, check_size

BATCH = 65_536
# The order of the values is in the file only if its writer kept every page in one form.
UNORDERED = "The order of the categories of {} is not in the file for sure and was left out; give it as an order."


def read_parquet(stream: BinaryIO, limits: InputLimits, columns: Collection[str] | None = None) -> Parsed:
    """Read a Parquet file, or only some of its columns.

    Whole numbers have no decimal point, even if their column is stored as floating point; other floats have their
    shortest form; dates and times follow ISO 8601; booleans are ``TRUE`` and ``FALSE``; null and NaN are the empty
    text.

    Raises
    ------
    InputError, LimitError
        Naming the column or row, never a cell.
    """
    try:
        return _read(stream, limits, columns)
    except MemoryError:
        raise  # ours, and pyarrow's, which is also an ArrowException
    except (ArrowException, OSError, ValueError, TypeError, LookupError, ArithmeticError, RuntimeError):
        pass  # pyarrow does not say which errors a damaged file gives; they hold cells
    raise InputError("The Parquet file is damaged or uses a feature that cannot be read; write it again, or as CSV.")


def _read(stream: BinaryIO, limits: InputLimits, chosen: Collection[str] | None) -> Parsed:
    footer = parquet.read_metadata(stream)
    check_size(footer.num_rows, 0, limits)
    stream.seek(0)
    schema = parquet.ParquetFile(stream, metadata=footer).schema_arrow
    gather = Gather(schema.names, 1, limits, "row", count_text=True, chosen=chosen)
    fields = [schema.field(place) for place in gather.kept]
    for name, field in zip(gather.names, fields, strict=True):
        check_type(name, field.type, gather.names)
        if types.is_dictionary(field.type) and field.type.ordered:
            gather.notes.append(UNORDERED.format(shown(name)))
    # pyarrow cannot give delta-encoded texts as dictionary codes.
    delta = _delta_encoded(footer)
    texts = [field.name for field in fields if "string" in str(field.type) and field.name not in delta]
    stream.seek(0)
    file = parquet.ParquetFile(
        stream, metadata=footer, read_dictionary=texts, pre_buffer=False, page_checksum_verification=True
    )
    # Names only if they are needed: for pyarrow "a" also selects "a.b".
    names = None if chosen is None else gather.names
    for rows in file.iter_batches(batch_size=BATCH, columns=names):
        gather.add_columns(rows.columns if names is None else [rows.column(name) for name in names])
    columns = [
        without_points(column) if is_floating(field.type) else column
        for column, field in zip(gather.finish(), fields, strict=True)
    ]
    return Parsed(tuple(columns), {"format": "Parquet", **fact_of(footer.metadata)}, gather.notes)


def _delta_encoded(footer: Any) -> set[str]:
    """Names of the columns with delta-encoded pages."""
    groups = (footer.row_group(group) for group in range(footer.num_row_groups))
    parts = (group.column(place) for group in groups for place in range(group.num_columns))
    return {part.path_in_schema for part in parts if any("DELTA" in str(encoding) for encoding in part.encodings)}

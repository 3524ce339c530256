"""The class of every row of a release, as a file that is as secret as the data.

A release does not identify the people in its rows. Its publisher may need to know who is in which class, and with whom.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from core.base.arrays import Ints
from core.base.errors import ParameterError
from core.base.errors import shown_name as shown
from core.data.tables.csv_export import harmless
from core.data.tables.table import Table
from core.engine.output import ROWS, write_batches

ROW, CLASS = "row", "class"
"""Columns of the file: the number of a row unless a column names it, and the number of its class."""
ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}


@dataclass(frozen=True)
class ClassFile:
    """Destination for the class of every row.

    Parameters
    ----------
    path
        Ends in ``.parquet``, ``.pq`` or ``.csv``.
    key
        Column of the data that names each row, such as a record number; "" for the number of the row, from 1.

    Raises
    ------
    ParameterError
        If the ending is another one, or the column has the name of that of the classes.
    """

    path: Path
    key: str = ""

    def __post_init__(self) -> None:
        """Validate the destination."""
        if self.path.suffix not in ENDINGS:
            raise ParameterError(
                f"The file of the classes ends in {', '.join(ENDINGS)}; {shown(self.path.name)} does not.",
                parameter="classes",
            )
        if self.key == CLASS:
            raise ParameterError(
                f"The classes are written to a column {shown(CLASS)}; name another column as key, or rename this one.",
                parameter="key",
            )

    @property
    def named(self) -> str:
        """Name of the column that names each row."""
        return self.key or ROW

    @property
    def file_format(self) -> str:
        """Of the ending."""
        return ENDINGS[self.path.suffix]

    def batch(self, key: Any, classes: Ints) -> Any:
        """Arrow record batch of some rows: what identifies each, and its class from 0, or -1 for an empty cell."""
        names = [self.named, CLASS]
        if "string" in str(key.type):
            key = key.cast(pa.string())
        if self.file_format == "csv":
            names[0] = harmless(names[0])
            if pa.types.is_string(key.type):  # texts that a spreadsheet cannot run as formulas
                coded = key.dictionary_encode()
                safe = [None if text is None else harmless(text) for text in coded.dictionary.to_pylist()]
                key = pa.DictionaryArray.from_arrays(coded.indices, pa.array(safe, pa.string())).dictionary_decode()
        return pa.record_batch([key, pa.array(classes.astype(np.int64) + 1, mask=classes < 0)], names=names)


def write_classes(table: Table, classes: Ints, file: ClassFile, place: Path) -> None:
    """Write the class of every row of a table in memory.

    Parameters
    ----------
    table
        The table that was released.
    classes
        (records,) number of its class, from 0; -1 for a record that was left out, whose cell is empty.
    file
        Its format.
    place
        Where to write.

    Raises
    ------
    InputError
        If the table has no such column.
    """

    def batches() -> Iterator[Any]:
        for first in range(0, len(classes), ROWS):
            last = min(first + ROWS, len(classes))
            key = pa.array(np.arange(first, last) + 1)
            if file.key:
                column = table.column(file.key)
                codes = pa.array(column.codes[first:last], type=pa.int32())
                key = pa.DictionaryArray.from_arrays(codes, pa.array(column.labels, pa.string())).dictionary_decode()
            yield file.batch(key, classes[first:last])

    write_batches(place, file.file_format, batches())

"""Files of Stata, SAS and SPSS, through pyreadstat.

Missing values are those of the program: its system-missing value, Stata's .a to .z, SAS's .A to .Z and the codes that
an SPSS file declares. A value with a label becomes its label, as shown in that program. So another hospital's file can
be matched by words instead of codes, which differ between studies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, BinaryIO

import pyarrow as pa

from core.base.errors import InputError, MissingPackageError
from core.base.errors import shown_name as shown
from core.base.wording import listed
from core.data.reading.gather import Gather, Parsed
from core.data.tables.arrow_values import is_floating, without_points
from core.data.tables.column import Column
from core.data.tables.input_limits import InputLimits, check_size

READERS = {
    "Stata": "read_dta",
    "SAS": "read_sas7bdat",
    "SAS transport": "read_xport",
    "SPSS": "read_sav",
    "SPSS portable": "read_por",
}
"""Function of pyreadstat by format."""
LABELLED = (
    "Values of {} are shown by the labels that the file gives them; an order of their codes was left out: give it as "
    "an order if there is one."
)
MOST_NAMED = 5


def read_statistical(
    stream: BinaryIO, file_format: str, limits: InputLimits, columns: Collection[str] | None = None
) -> Parsed:
    """Read a file of a statistics program, or only some of its columns.

    Numbers, dates and times are written as :func:`core.data.reading.parquet.read_parquet` gives them.

    Raises
    ------
    InputError, LimitError
        Naming the column or row, never a cell.
    MissingPackageError
        If pyreadstat is not installed.
    """
    program, *_ = file_format.split(maxsplit=1)
    try:
        import pyreadstat
    except ImportError:
        raise MissingPackageError("pyreadstat", f"read files of {program}") from None
    read = getattr(pyreadstat, READERS[file_format])
    try:
        return _read(read, stream, file_format, limits, columns)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError, TypeError, ArithmeticError):
        pass  # their messages can quote the file
    raise InputError(f"The {program} file is damaged or cannot be read; write it again, or as CSV.")


def _read(
    read: Callable[..., tuple[Any, Any]],
    stream: BinaryIO,
    file_format: str,
    limits: InputLimits,
    chosen: Collection[str] | None,
) -> Parsed:
    about = read(stream, metadataonly=True)[1]
    check_size(about.number_rows or 0, 0, limits)
    gather = Gather(about.column_names, 1, limits, "row", count_text=True, chosen=chosen)
    stream.seek(0)
    frame = read(stream, usecols=None if chosen is None else gather.names)[0]
    cells = [pa.array(frame[name], from_pandas=True) for name in gather.names]
    gather.add_columns(cells)
    columns = [
        without_points(column) if is_floating(own.type) else column
        for column, own in zip(gather.finish(), cells, strict=True)
    ]
    labels = about.variable_value_labels
    written = [_labelled(column, labels.get(column.name, {})) for column in columns]
    changed = [shown(new.name) for new, old in zip(written, columns, strict=True) if new is not old]
    if changed:
        named = [*changed[:MOST_NAMED], *[f"{len(changed) - MOST_NAMED} more"][: len(changed) > MOST_NAMED]]
        gather.notes.append(LABELLED.format(listed(named)))
    return Parsed(tuple(written), {"format": file_format}, gather.notes)


def _labelled(column: Column, labels: Mapping[Any, str]) -> Column:
    """A column with labels in place of its codes; the column itself if none of its values has one."""
    words = {_text(code): label for code, label in labels.items() if label.strip()}
    texts = [words.get(text, text) for text in column.labels]
    return column if tuple(texts) == column.labels else column.renamed(column.name, texts)


def _text(code: Any) -> str:
    return str(int(code)) if isinstance(code, float) and code == int(code) else str(code)

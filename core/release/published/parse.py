"""Read another publisher's table [definitions §4]: columns, cells, suppressed rows, sensitive values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.arrays import Ints, runs
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.data.encoding.columns import joint_domain
from core.data.encoding.domain import Domain, shortest, with_missing
from core.data.encoding.encoded import Encoded
from core.data.encoding.published_columns import PlainColumn, plain_columns
from core.data.schemas.joint_value import joint_column
from core.data.schemas.schema import ColumnType, Schema
from core.data.tables.cell_syntax import is_star, is_withheld
from core.data.tables.column import Column
from core.data.tables.csv_export import harmless
from core.data.tables.numbers import LEADING_ZERO, looks_numeric
from core.data.tables.table import Table, table_of
from core.release.published.cell_reader import ABSENT, WITHHELD, Reader
from core.release.published.correspondence import headers_of, in_my_case
from core.release.published.layout import ONE_EACH, counts_of, joined, possible_counts
from core.release.published.published import Cells, Published, SensitiveCells, assemble
from core.release.published.region import Region

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

Meaning: TypeAlias = str | tuple[str, ...]
"""Value or values of mine for one of theirs."""


def parse(
    frame: Table | IntoDataFrame,
    schema: Schema,
    *,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, Mapping[str, Meaning]] | None = None,
    centroids: bool = False,
    mine: Encoded | None = None,
    suppression: bool = True,
    marks: str = "",
    count: str | None = None,
) -> Published:
    """Read another publisher's table [definitions §4].

    Parameters
    ----------
    frame
        The table as published, or a frame of pandas, Polars or Arrow: one row per record, or per
        group of equal records (``count``). Ranges in two columns (``age_min``, ``age_max``) and sets in
        columns of true and false (``ward_A``, ``ward_B``) are put together first. Row numbers in
        messages count from 1, from the first row whose count is not 0.
    schema
        Mine: its quasi-identifiers, their types, taxonomies and orders, and the sensitive attribute. The type of my
        column decides how a cell is read, see :mod:`core.release.published.cell_reader`; a type that is not given is
        inferred from ``mine``, else from the cells.
    columns
        My column to their header. A quasi-identifier that it leaves out is not published and reveals nothing. By
        default columns correspond by name.
    values
        For my columns, a mapping of their value to mine, also for a category within a set. Several of theirs may map to
        one of mine, one of theirs to a tuple of mine (a coarser code); values that it leaves out stay as they are.
    centroids
        Whether the cells are centroids of microaggregation.
    mine
        My encoded table: its types, and its labels, which take precedence over any other reading of a cell.
    suppression
        Whether rows that are withheld in every quasi-identifier are suppressed records, in no class,
        as ARX writes them. If every row is, they are one class of everyone. Their columns without a counterpart in mine
        count if they contain any ``*``.
    marks
        What empty cells, missing tokens and marks such as ``NA``, ``.`` and ``suppressed`` mean, if they are not values
        of mine: ``"withheld"``, any value, or ``"missing"``. By default they are withheld if no value of my column is
        missing; otherwise the function asks. A withheld sensitive value rules nothing out for its class.
    count
        Their column with the number of records per row; "" if each row is one record. By default the function asks if a
        column looks like one.

    Returns
    -------
    Published

    Raises
    ------
    InputError
        If there are no rows, columns do not correspond, a cell cannot be read, or the meaning of marks or counts must
        be given; the message has their column, the row and the forms that are understood.
    LimitError
        If a column has more than 200,000 distinct cells.

    Notes
    -----
    Each distinct cell of a column is read once; O(columns x rows + distinct cells).
    """
    table = joined(table_of(frame), schema.quasi_identifiers, (columns or {}).values())
    headers, meant = headers_of(table.names, schema, columns), values or {}
    table, weight = _counted(table, headers.values(), count)
    domains = {} if mine is None else {domain.name: domain for domain in (*mine.qids, *mine.sensitive.columns)}
    common = [name for name in schema.quasi_identifiers if name in headers]
    theirs = [table.column(headers[name]) for name in common]
    for column in (*theirs, *(table.column(headers[name]) for name in schema.sensitive_columns)):
        _check_size(column)
    readers = [
        reader_of(column, name, schema, domains.get(name), meant.get(name, {}), marks or WITHHELD, table.decimal)
        for name, column in zip(common, theirs, strict=True)
    ]
    if not marks:
        for name, header in headers.items():
            if _is_asked(table.column(header), name, schema, domains.get(name)):
                _ask(header, name)
    read = [
        read_cells(column, reader, meant.get(name, {}))
        for name, column, reader in zip(common, theirs, readers, strict=True)
    ]
    apart = _suppressed(table, read, headers) if suppression else np.zeros(len(table), dtype=bool)
    parts = [
        _sensitive(table.column(headers[name]), name, schema, meant.get(name, {}), domains.get(name), marks)
        for name in schema.sensitive_columns
    ]
    sensitive = parts[0] if len(parts) == 1 else _joint(parts, schema)
    plain = _plain(table, schema, headers, meant)
    unit = np.where(apart, -1, np.arange(len(table)))
    if apart.any():
        rows = np.flatnonzero(~apart)
        read = [replace(column, codes=column.codes[rows]) for column in read]
        unit[rows] = np.arange(len(rows))
    return assemble(read, unit, sensitive, centroids, weight, plain)


def _counted(table: Table, used: Iterable[str], count: str | None) -> tuple[Table, Ints | int]:
    """The rows with at least one record, and their numbers of records."""
    if count is None:
        possible = possible_counts(table, set(used))
        if possible:
            raise InputError(
                f"The published table has a column {shown(possible[0])}, which may say how many records each row "
                f"represents: name it as the count (at the gate with --count), or say that each row is one record "
                f"(--count {ONE_EACH}).",
                parameter="count",
            )
    if not count:
        return table, 1
    if count in used:
        raise InputError(
            f"The column {shown(count)} counts records, so it cannot be one of my columns.", parameter=count
        )
    weight = counts_of(table, count)
    rows = np.flatnonzero(weight)
    if not len(rows):
        raise InputError(f"All counts of the column {shown(count)} are 0, so no record is left.", parameter=count)
    return (table, weight) if len(rows) == len(table) else (table.take(rows), weight[rows])


def undecided_marks(table: Table, schema: Schema, mine: Encoded, columns: Mapping[str, str]) -> tuple[str, ...]:
    """My columns for which it is unknown whether their empty cells, NA and similar marks are withheld or missing.

    ``columns`` maps each of my columns to their header.
    """
    domains = {domain.name: domain for domain in (*mine.qids, *mine.sensitive.columns)}
    pairs = ((name, columns[name]) for name in columns if name in domains)
    return tuple(name for name, header in pairs if _is_asked(table.column(header), name, schema, domains[name]))


def _is_asked(column: Column, name: str, schema: Schema, domain: Domain | None) -> bool:
    """Whether a column has marks of a withheld or missing value while mine also has missing values."""
    if domain is None or domain.missing < 0:
        return False
    reader = replace(Reader.of(domain, schema.missing_tokens), marks=WITHHELD)
    if name in schema.sensitive_columns:
        return any(_is_mark(text, domain.labels, schema) for text in column.labels)
    return any(reader.marked(text.strip()) for text in column.labels)


def _is_mark(text: str, labels: Sequence[str], schema: Schema) -> bool:
    """Whether a sensitive cell marks a withheld or missing value other than by stars, and is not a value of mine."""
    return text in schema.missing_tokens or (text not in labels and is_withheld(text))


def _ask(header: str, mine: str) -> NoReturn:
    raise InputError(
        f"The published column {shown(header)} has empty cells or marks such as NA, and my column {shown(mine)} also "
        f"has missing values: say whether theirs are withheld, that is, could be any value, or missing (at the gate "
        f"with --their-marks {WITHHELD} or {ABSENT}).",
        parameter="marks",
    )


def _plain(
    table: Table, schema: Schema, headers: Mapping[str, str], meant: Mapping[str, Mapping[str, Meaning]]
) -> tuple[PlainColumn, ...]:
    """Columns that both of us publish as they are, with my names and values."""
    columns = []
    for name in schema.unmodified:
        if name in headers:
            column = table.column(headers[name])
            words = [_meant(label, meant.get(name, {}))[0] for label in column.labels]
            columns.append(column.renamed(name, words))
    return plain_columns(Table(tuple(columns), table.decimal), schema) if columns else ()


def _check_size(column: Column) -> None:
    LIMITS["published cells"].check(
        len(column.labels), column.name, f"The number of distinct cells of the published column {shown(column.name)}"
    )


def reader_of(
    column: Column,
    name: str,
    schema: Schema,
    domain: Domain | None,
    words: Collection[str] = (),
    marks: str = WITHHELD,
    decimal: str = ".",
) -> Reader:
    """Decide how to read one of their columns: by my schema, by my table, or by its cells.

    Parameters
    ----------
    column, name
        Theirs, and my name of it.
    schema, domain
        My schema and the domain of my column; ``None`` if my table is not known.
    words
        Their values that are known to mean one of mine.
    marks
        What the marks of a withheld or missing value mean.
    decimal
        Of their table.
    """
    reader = replace(_reader(name, column, schema, domain, decimal, marks), words=frozenset(words))
    return reader.of_column(column.labels)


def _reader(name: str, column: Column, schema: Schema, domain: Domain | None, decimal: str, marks: str) -> Reader:
    absent = schema.missing_tokens
    if domain is not None:
        return replace(Reader.of(domain, absent, decimal), marks=marks)
    tree, order = schema.taxonomies.get(name), schema.orders.get(name, ())
    column_type = schema.column_types.get(name)
    if column_type is None and (tree is not None or order):
        column_type = ColumnType.TAXONOMY if tree is not None else ColumnType.ORDINAL
    if column_type is ColumnType.TAXONOMY and tree is not None:
        return Reader(name, column_type, tree.leaf_labels, tree, frozenset(absent), decimal, marks)
    if column_type is not None:
        return Reader(
            name,
            column_type,
            order if column_type is ColumnType.ORDINAL else (),
            None,
            frozenset(absent),
            decimal,
            marks,
        )
    numeric = Reader(name, ColumnType.NUMERIC, absent=frozenset(absent), decimal=decimal, marks=marks)
    if all(not LEADING_ZERO.match(text.strip()) and numeric.read(text) is not None for text in column.labels):
        return numeric
    return replace(numeric, column_type=ColumnType.CATEGORICAL)


def read_cells(column: Column, reader: Reader, meant: Mapping[str, Meaning]) -> Cells:
    """Read each distinct cell of a column once, with a mapping of some values to mine."""
    regions: list[Region] = []
    for number, text in enumerate(column.labels):
        parts = [reader.read(word) for word in _each(meant.get(text, text))]
        region = None if None in parts else Region.union(part for part in parts if part is not None)
        if region is None:
            row = int(np.flatnonzero(column.codes == number)[0]) + 1
            raise InputError(
                f"The cell of the published column {shown(column.name)} in row {row:,} cannot be read as a "
                f"generalised {reader.column_type} value; understood are {reader.forms}, each also followed by "
                "' or (missing)'. Change the cell, or the type of my column.",
                parameter=column.name,
            )
        regions.append(region)
    if reader.column_type is ColumnType.CATEGORICAL and reader.labels:
        regions = _in_my_words(regions, reader.labels, meant)
    return Cells(reader, regions, list(column.labels), column.codes.astype(np.int64))


def _in_my_words(regions: list[Region], mine: Sequence[str], meant: Mapping[str, Meaning]) -> list[Region]:
    """Map categories to their meaning, and those that differ only in letter case to mine."""
    published = frozenset[str]().union(*(region.labels for region in regions))
    same = {**in_my_case(published, mine), **meant} if published - set(mine) else meant
    if not same:
        return regions
    return [
        replace(region, labels=frozenset(word for label in region.labels for word in _each(same.get(label, label))))
        for region in regions
    ]


def _suppressed(table: Table, common: Sequence[Cells], headers: Mapping[str, str]) -> NDArray[np.bool_]:
    """Rows withheld in every quasi-identifier, by ``*`` or another mark, while other rows are not.

    A column that corresponds to none of mine counts as a quasi-identifier of theirs if it has a ``*``, or the mark of
    such a row, anywhere. If all rows are withheld throughout, they are one class of everyone.
    """
    apart, marks = np.ones(len(table), dtype=bool), set[str]()
    for read in common:
        # A leaf of a taxonomy may be called "*".
        pairs = zip(read.texts, read.regions, strict=True)
        gone = [(is_star(text) or read.reader.marked(text)) and region.everything for text, region in pairs]
        marks |= {text for text, away in zip(read.texts, gone, strict=True) if away}
        apart &= np.array(gone)[read.codes]
    if apart.any():
        used = set(headers.values())
        for column in table.columns:
            starred = np.array([is_star(text) or text in marks for text in column.labels])[column.codes]
            if column.name not in used and starred.any():
                apart &= starred
    return np.zeros(len(table), dtype=bool) if apart.all() else apart


def _joint(parts: Sequence[SensitiveCells], schema: Schema) -> SensitiveCells:
    """Join several sensitive columns: every combination of the values of each row."""
    frame = pd.DataFrame({"row": parts[0].row, 0: parts[0].code})
    for place, part in enumerate(parts[1:], 1):
        frame = frame.merge(pd.DataFrame({"row": part.row, place: part.code}), on="row")
    columns, texts = [], []
    for place, part in enumerate(parts):
        _, cells, _ = part.domain.separate[0]
        columns.append(Column(part.domain.name, part.domain.labels, frame[place].to_numpy(np.int32)))
        texts.append(dict(zip(part.domain.labels, cells, strict=True)))
    domain, code = joint_domain(joint_column(schema.sensitive, columns, texts), schema.parts)
    withheld = np.concatenate([part.withheld for part in parts])
    return SensitiveCells(domain, frame["row"].to_numpy(), code.astype(np.int64), withheld)


def _sensitive(
    column: Column, name: str, schema: Schema, values: Mapping[str, Meaning], known: Domain | None, marks: str
) -> SensitiveCells:
    """Read a sensitive column under my name; a code of theirs may mean several of mine."""
    mine = known.labels if known is not None else ()
    column_type = known.column_type if known is not None else schema.column_types.get(name)
    cells = [_meant(text, values) for text in column.labels]
    gone = [cell[0] for cell in cells if len(cell) == 1 and _is_mark(cell[0], mine, schema)]
    stars = {cell[0] for cell in cells if len(cell) == 1 and is_star(cell[0]) and cell[0] not in mine}
    given = [text for cell in cells for text in cell if text not in stars and text not in gone]
    numeric = column_type is ColumnType.NUMERIC or (column_type is None and looks_numeric(given))
    text_of = dict(zip(given, shortest(given) if numeric else given, strict=True))
    labels = sorted(set(text_of.values()))
    if not labels:
        raise InputError(f"All sensitive values of the published column {shown(column.name)} are missing.")
    if known is not None and not set(labels) & set(mine):
        raise InputError(
            f"No value of the published column {shown(column.name)} is a value of my sensitive attribute "
            f"{shown(name)}; choose another column, or say which of its values correspond to mine.",
            parameter=column.name,
        )
    domain = Domain(name, ColumnType.CATEGORICAL, tuple(labels))
    domain = with_missing(domain) if gone or stars else domain
    place = {label: code for code, label in enumerate(labels)}
    codes = [[place.get(text_of.get(text, ""), domain.missing) for text in cell] for cell in cells]
    many = np.array([len(cell) for cell in codes])[column.codes]
    first = np.cumsum([0, *(len(cell) for cell in codes)])[:-1][column.codes]
    code = np.concatenate([np.array(cell, dtype=np.int64) for cell in codes])[runs(first, many)]
    withheld = np.array([cell[0] in stars or (cell[0] in gone and marks != ABSENT) for cell in cells])
    return SensitiveCells(domain, np.repeat(np.arange(len(column)), many), code, withheld[None, column.codes])


def _meant(text: str, values: Mapping[str, Meaning]) -> tuple[str, ...]:
    """My values for one of theirs; the value itself by default."""
    plain = text[1:] if text.startswith("'") and harmless(text[1:]) == text else text
    return _each(values.get(text, values.get(plain, plain)))


def _each(meant: Meaning) -> tuple[str, ...]:
    return (meant,) if isinstance(meant, str) else meant

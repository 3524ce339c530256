"""Reading somebody else's published table [definitions §4]: columns, cells, suppressed rows, sensitive values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.base.errors import InputError, LimitError
from core.base.errors import shown_name as shown
from core.data.csv_export import harmless
from core.data.domain import Domain, shortest, with_missing
from core.data.encoding import Encoded, joint_domain, sensitive_column
from core.data.frames import table_of
from core.data.plain import PlainColumn, plain_columns
from core.data.schema import Kind, Schema
from core.data.table import LEADING_ZERO, Column, Table, looks_numeric
from core.release.published.cell_reader import Reader
from core.release.published.correspondence import headers_of, in_my_case
from core.release.published.published import Cells, Published, assemble
from core.release.published.region import Region

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

MAX_DISTINCT = 200_000
"""Distinct cells of one column."""


def parse(
    frame: Table | IntoDataFrame,
    schema: Schema,
    *,
    columns: Mapping[str, str] | None = None,
    values: Mapping[str, Mapping[str, str]] | None = None,
    centroids: bool = False,
    mine: Encoded | None = None,
    suppression: bool = True,
) -> Published:
    """Read somebody else's published table; see :meth:`core.release.release.Release.parse`."""
    table = table_of(frame)
    headers, meant = headers_of(table.names, schema, columns), values or {}
    domains = {} if mine is None else {domain.name: domain for domain in mine.qids}
    common = [name for name in schema.quasi_identifiers if name in headers]
    theirs = [table.column(headers[name]) for name in common]
    secrets = [table.column(headers[name]) for name in schema.sensitive_columns]
    for column in (*theirs, *secrets):
        _check_size(column)
    read = [
        _read(column, _reader(name, column, schema, domains.get(name), table.decimal), meant.get(name, {}))
        for name, column in zip(common, theirs, strict=True)
    ]
    apart = _suppressed(table, read, headers) if suppression else np.zeros(len(table), dtype=bool)
    known = mine.sensitive if mine is not None else None
    for name, column in zip(schema.sensitive_columns, secrets, strict=True):
        _check_stars(column, meant.get(name, {}), apart)
    if schema.parts:
        sensitive, secret = _joint(secrets, schema, meant, table.decimal)
        _check_common(schema.sensitive, sensitive.labels, known)
    else:
        sensitive, secret = _sensitive(secrets[0], schema, meant.get(schema.sensitive, {}), known)
    plain = _plain(table, schema, headers, meant)
    unit = np.where(apart, -1, np.arange(len(table)))
    if apart.any():
        rows = np.flatnonzero(~apart)
        read = [replace(column, codes=column.codes[rows]) for column in read]
        unit[rows] = np.arange(len(rows))
    return assemble(read, unit, sensitive, secret, centroids, plain=plain)


def _plain(
    table: Table, schema: Schema, headers: Mapping[str, str], meant: Mapping[str, Mapping[str, str]]
) -> tuple[PlainColumn, ...]:
    """Columns that both of us publish as they are, under my names and in my words."""
    columns = []
    for name in schema.published:
        if name in headers:
            column = table.column(headers[name])
            words = [_recoded(label, meant.get(name, {})) for label in column.labels]
            columns.append(column.renamed(name, words))
    return plain_columns(Table(tuple(columns), table.decimal), schema) if columns else ()


def _check_size(column: Column) -> None:
    if len(column.labels) > MAX_DISTINCT:
        raise LimitError(
            f"The published column {shown(column.name)} has {len(column.labels):,} distinct cells; at most "
            f"{MAX_DISTINCT:,} are accepted.",
            parameter=column.name,
        )


def _reader(name: str, column: Column, schema: Schema, domain: Domain | None, decimal: str) -> Reader:
    """How to read a column: as my schema says, as my table shows, or as the cells look."""
    absent = schema.missing_tokens
    if domain is not None:
        return Reader.of(domain, absent, decimal)
    tree, order = schema.taxonomies.get(name), schema.orders.get(name, ())
    kind = schema.kinds.get(name)
    if kind is None and (tree is not None or order):
        kind = Kind.TAXONOMY if tree is not None else Kind.ORDINAL
    if kind is Kind.TAXONOMY and tree is not None:
        return Reader(name, kind, tree.leaf_labels, tree, frozenset(absent), decimal)
    if kind is not None:
        return Reader(name, kind, order if kind is Kind.ORDINAL else (), None, frozenset(absent), decimal)
    numeric = Reader(name, Kind.NUMERIC, absent=frozenset(absent), decimal=decimal)
    if all(not LEADING_ZERO.match(text.strip()) and numeric.read(text) is not None for text in column.labels):
        return numeric
    return replace(numeric, kind=Kind.CATEGORICAL)


def _read(column: Column, reader: Reader, meant: Mapping[str, str]) -> Cells:
    """Read each distinct cell of a column once, with what some values mean in my words."""
    regions: list[Region] = []
    for number, text in enumerate(column.labels):
        region = reader.read(meant.get(text, text))
        if region is None:
            row = int(np.flatnonzero(column.codes == number)[0]) + 1
            raise InputError(
                f"The cell of the published column {shown(column.name)} in row {row:,} cannot be read as a "
                f"generalised {reader.kind} value; understood are {reader.forms}, each also followed by "
                "' or (missing)'. Change the cell, or the kind of my column.",
                parameter=column.name,
            )
        regions.append(region)
    if reader.kind is Kind.CATEGORICAL and reader.labels:
        regions = _in_my_words(regions, reader.labels, meant)
    return Cells(reader, regions, list(column.labels), column.codes.astype(np.int64))


def _in_my_words(regions: list[Region], mine: Sequence[str], meant: Mapping[str, str]) -> list[Region]:
    """Read categories as what they mean, and those that differ from mine in letter case alone as mine."""
    published = frozenset[str]().union(*(region.labels for region in regions))
    same = {**in_my_case(published, mine), **meant} if published - set(mine) else meant
    if not same:
        return regions
    return [replace(region, labels=frozenset(same.get(label, label) for label in region.labels)) for region in regions]


def _stars(column: Column) -> NDArray[np.bool_]:
    return np.array([_is_star(text) for text in column.labels])[column.codes]


def _is_star(text: str) -> bool:
    return bool(text.strip()) and not text.strip().strip("*")


def _suppressed(table: Table, common: Sequence[Cells], headers: Mapping[str, str]) -> NDArray[np.bool_]:
    """Rows of ``*`` in every quasi-identifier, while other rows are not.

    A column that corresponds to none of mine counts as a quasi-identifier of theirs if it
    has a ``*`` anywhere. Where all rows are ``*`` throughout, they are one class of everybody.
    """
    apart = np.ones(len(table), dtype=bool)
    for read in common:
        # A leaf of a taxonomy may be called "*".
        pairs = zip(read.texts, read.regions, strict=True)
        apart &= np.array([_is_star(text) and region.everything for text, region in pairs])[read.codes]
    if apart.any():
        used = set(headers.values())
        for column in table.columns:
            if column.name not in used and (starred := _stars(column)).any():
                apart &= starred
    return np.zeros(len(table), dtype=bool) if apart.all() else apart


def _check_stars(column: Column, values: Mapping[str, str], apart: NDArray[np.bool_]) -> None:
    """Refuse a suppressed sensitive value of a row that is in a class."""
    starred = np.flatnonzero(_stars(column) & ~apart)
    if len(starred) and column.labels[column.codes[starred[0]]] not in values:
        raise InputError(
            f"The sensitive value in row {int(starred[0]) + 1:,} of the published column {shown(column.name)} is "
            "suppressed while the row is in a class; take such rows out of the file.",
            parameter=column.name,
        )


def _joint(
    columns: Sequence[Column], schema: Schema, meant: Mapping[str, Mapping[str, str]], decimal: str
) -> tuple[Domain, Ints]:
    """Joint values of several sensitive columns in my coding, and their codes."""
    pairs = zip(schema.parts, columns, strict=True)
    renamed = [
        column.renamed(name, [_recoded(text, meant.get(name, {})) for text in column.labels]) for name, column in pairs
    ]
    domain, codes = joint_domain(sensitive_column(Table(tuple(renamed), decimal), schema), schema.parts)
    return domain, codes.astype(np.int64)


def _sensitive(column: Column, schema: Schema, values: Mapping[str, str], known: Domain | None) -> tuple[Domain, Ints]:
    """Sensitive values in my coding, and their codes."""
    name = schema.sensitive
    texts = [_recoded(text, values) for text in column.labels]
    absent = set(schema.missing_tokens)
    kind = known.kind if known is not None else schema.kinds.get(name)
    given = [text for text in texts if text not in absent]
    if kind is Kind.NUMERIC or (kind is None and looks_numeric(given)):
        texts = shortest(texts)
    labels = sorted({text for text in texts if text not in absent})
    domain = Domain(name, Kind.CATEGORICAL, tuple(labels))
    if not labels:
        raise InputError(f"All sensitive values of the published column {shown(column.name)} are missing.")
    _check_common(column.name, labels, known)
    if len(labels) < len(set(texts)):
        domain = with_missing(domain)
    place = {label: code for code, label in enumerate(labels)}
    lookup = np.array([place.get(text, domain.missing) for text in texts], dtype=np.int64)
    return domain, lookup[column.codes]


def _check_common(header: str, labels: Sequence[str], known: Domain | None) -> None:
    """Refuse sensitive values none of which is mine."""
    if known is not None and not set(labels) & set(known.labels):
        raise InputError(
            f"No value of the published column {shown(header)} is a value of my sensitive attribute "
            f"{shown(known.name)}; choose another column, or say which of its values correspond to mine.",
            parameter=header,
        )


def _recoded(text: str, values: Mapping[str, str]) -> str:
    plain = text[1:] if text.startswith("'") and harmless(text[1:]) == text else text
    return values.get(text, values.get(plain, plain))

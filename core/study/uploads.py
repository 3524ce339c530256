"""Another publisher's file: its correspondence to my columns and values, and the result of reading it.

A *raw* table is anonymised here as the other publisher is assumed to do it; an
*anonymised* one is read as it was published. If both raw tables hold an identifier,
the people they share are known; this is also true if a release is an earlier one of mine, kept
with a column that identifies the person of each row. Elsewhere it is unknown who is in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from msgspec import Struct, structs

from core.base.arrays import Ints
from core.base.errors import InputError, ParameterError, SchemaError
from core.base.errors import shown_name as shown
from core.base.short import named, short
from core.data.encoding.columns import inferred_column_type, order_of, shared_formats
from core.data.encoding.encoded import Encoded, encode
from core.data.frequency_table import FrequencyTable
from core.data.schemas.bands import Bands
from core.data.schemas.schema import ColumnType, DateFormat, Schema
from core.data.tables.column import Column
from core.data.tables.table import Table
from core.release.published.cell_reader import ABSENT
from core.release.published.correspondence import in_my_case
from core.release.published.count_table import (
    Possible,
    count_columns,
    lengthened,
    possible_rows,
    rules_of,
    without_totals,
)
from core.release.published.layout import joined, names_a_count, possible_counts
from core.release.published.locate import locate
from core.release.published.matching import guess_meanings, match_columns, strange_values
from core.release.published.published import Published
from core.release.published.targets import Targets
from core.release.release import Release


class Upload(Struct, frozen=True, forbid_unknown_fields=True):
    """Declarations about a file of another publisher.

    Parameters
    ----------
    content_id
        Content id of its table.
    anonymised
        Whether it is a published release; else raw records.
    columns
        Pairs (my column, their header): quasi-identifiers, the sensitive attribute and, for
        raw tables and releases of mine, an identifier. A quasi-identifier of mine without a pair is not in their table
        and reveals nothing.
    values
        Pairs (their sensitive value, mine) for values with different codes. In a release one of their values may be in
        several pairs: a coarser code, which means any of mine.
    cells
        The same for quasi-identifiers: my column, their value, mine. In a release also a value within a set.
    centroids
        Whether the cells of a release are centroids of microaggregation, not regions.
    name
        What the file is called on screen.
    own
        Whether it is an earlier release of mine: one of ``columns`` identifies the person of each row. In a table of
        counts of mine no column does: everyone in my table who fits one of its groups is in it.
    further
        For a release of mine, headers of published columns that correspond to none of mine now: they also distinguish
        its classes.
    marks
        For a release, what empty cells, NA and similar marks mean: "withheld" or "missing"; "" if not known.
    count
        For a release, the column with the number of records per row; "" if each row is one record, ``None`` if not
        known.
    counts
        For a table of counts, what its publisher says (:func:`core.release.published.count_table.rules_of`); "" if the
        file is none.

    Raises
    ------
    ParameterError
        If the rules of a table of counts cannot be read.
    """

    content_id: str
    anonymised: bool
    columns: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, str], ...] = ()
    centroids: bool = False
    name: str = ""
    own: bool = False
    further: tuple[str, ...] = ()
    cells: tuple[tuple[str, str, str], ...] = ()
    marks: Literal["", "withheld", "missing"] = ""
    count: str | None = None
    counts: str = ""

    def __post_init__(self) -> None:
        """Check the rules of a table of counts."""
        rules_of(self.counts)

    def __repr__(self) -> str:
        what, columns = "release" if self.anonymised else "records", named(mine for mine, _ in self.columns)
        return short(self, what, f"columns {columns}")

    def meanings(self, sensitive: str) -> dict[str, dict[str, tuple[str, ...]]]:
        """Mapping of their values to mine, by my column; ``sensitive`` is the column of ``values``."""
        by_column: dict[str, dict[str, tuple[str, ...]]] = {}
        for column, theirs, mine in (*((sensitive, *pair) for pair in self.values), *self.cells):
            meant = by_column.setdefault(column, {})
            meant[theirs] = (*meant.get(theirs, ()), mine)
        return by_column

    def theirs(self, column: str) -> str | None:
        """Header of one of my columns in their table, if it exists."""
        return dict(self.columns).get(column)


COUNT = "count"
"""Header of the counts of a table that has one column for each value."""


@dataclass(frozen=True, eq=False)
class Foreign:
    """A file of another publisher, ready for an attack; one of ``published`` and ``encoded`` is given.

    Parameters
    ----------
    published
        What the reader of an anonymised table knows.
    encoded
        Records of a raw table, under my names and my sensitive values.
    mine, theirs
        Rows of my table and of theirs that hold the same person, by a common identifier.
    possible
        For a table of counts, how it was read.
    """

    published: Published | None = None
    encoded: Encoded | None = None
    mine: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    theirs: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    possible: Possible | None = None

    def __repr__(self) -> str:
        return short(self, repr(self.published or self.encoded), f"{len(self.mine):,} linked")

    @property
    def to_release(self) -> Encoded | None:
        """Records of a raw table (:class:`core.study.publisher.Publisher`)."""
        return self.encoded

    @property
    def given_out(self) -> Published | None:
        """An anonymised table."""
        return self.published

    def shared(self, rows: Ints, drawn: Ints) -> Ints | None:  # noqa: ARG002 - nobody was drawn for it
        """Positions of the people in my rows, if the file is linked; else ``None``."""
        return self.positions(rows) if self.linked else None

    def positions(self, rows: Ints) -> Ints:
        """Position in a linked file, among its encoded records, of the person in each row of mine; -1 for no one."""
        theirs = self._places
        place = np.full(int(max(self.theirs.max(initial=-1), theirs.max(initial=-1))) + 1, -1, dtype=np.int64)
        place[theirs] = np.arange(len(theirs))
        there = np.full(int(max(rows.max(initial=-1), self.mine.max(initial=-1))) + 1, -1, dtype=np.int64)
        there[self.mine] = place[self.theirs]
        positions: Ints = there[rows]
        return positions

    @property
    def _places(self) -> Ints:
        """Row in the file of each record that can be attacked; for a release, every row."""
        if self.published is not None:
            return np.arange(len(self.published.labels))
        assert self.encoded is not None
        return self.encoded.rows

    @property
    def linked(self) -> bool:
        """Whether the shared people are known."""
        return len(self.mine) > 0

    @property
    def records(self) -> int:
        """Number of records in the file that are in a class."""
        if self.published is not None:
            return int(self.published.sizes.sum())
        return 0 if self.encoded is None else len(self.encoded)


def laid_out(theirs: Table, schema: Schema, anonymised: bool) -> Table:
    """Their table with one column per attribute: in a release, ranges in two columns and sets in several are one."""
    return joined(theirs, schema.quasi_identifiers) if anonymised else theirs


def proposed_upload(
    theirs: Table,
    mine: Table | FrequencyTable,
    encoded: Encoded,
    schema: Schema,
    anonymised: bool,
    name: str = "",
    counts: str = "",
) -> Upload:
    """Suggest a mapping for a file from its headers and values: its columns, and the meaning of unusual values.

    Parameters
    ----------
    theirs
        The file as text.
    mine, encoded, schema
        My table, as text and as codes.
    anonymised
        Whether the file is a release; else raw records.
    name
        What it is called.
    counts
        Rules of a table of counts.

    Returns
    -------
    Upload
        A guess (:func:`core.release.published.matching.match_columns`); no one is linked by an identifier.

    Raises
    ------
    InputError
        If no column is found for the sensitive attribute, or for any quasi-identifier.
    """
    table = laid_out(theirs, schema, anonymised)
    if counts:
        named = {match.theirs for match in match_columns(mine, table, schema) if match.by == "name" and match.theirs}
        table, _ = lengthened(table, encoded.sensitive.labels, schema.sensitive, COUNT, named)
    columns = tuple((match.mine, match.theirs) for match in match_columns(mine, table, schema) if match.theirs)
    values, cells = [], []
    headers = dict(columns)
    if counts:
        domains = (*encoded.qids, *encoded.sensitive.columns)
        own = {headers[domain.name]: domain.labels for domain in domains if domain.name in headers}
        table = without_totals(table, own)
    for domain in (*encoded.qids, *encoded.sensitive.columns):
        if domain.name in headers:
            column, sets = table.column(headers[domain.name]), domain.name not in schema.sensitive_columns
            strange = strange_values(column, domain, schema.missing_tokens, anonymised, sets)
            for value, meant in guess_meanings(strange, domain, anonymised):
                if domain.name == schema.sensitive:
                    values.append((value, meant))
                else:
                    cells.append((domain.name, value, meant))
    upload = Upload(theirs.content_id, anonymised, columns, tuple(values), name=name, cells=tuple(cells), counts=counts)
    _check(upload, table, schema)
    return upload


def open_upload(upload: Upload, their_table: Table, my_table: Table | FrequencyTable, schema: Schema) -> Foreign:
    """Read the part of another publisher's table that corresponds to mine.

    Parameters
    ----------
    upload
        The correspondence.
    their_table, my_table
        Both tables as text; mine may be a frequency table, which cannot be linked person by person.
    schema
        Roles and types of my columns.

    Raises
    ------
    InputError
        If a column of the correspondence is missing or named twice, or cells of a release
        cannot be read.
    SchemaError
        If values of a raw table do not fit the types of my columns.
    """
    their_table = laid_out(their_table, schema, upload.anonymised and (bool(upload.counts) or not upload.own))
    possible = None
    if upload.counts:
        upload, possible = _of_counts(upload, their_table, my_table, schema)
        their_table = possible.rows
    _check(upload, their_table, schema)
    my_data = my_table
    if isinstance(my_table, FrequencyTable):
        if (upload.own and not upload.counts) or any(mine in _keys(schema) for mine, _ in upload.columns):
            encode(my_table, schema).need_rows("A file that is linked person by person", "columns")
        my_table = my_table.table
    if upload.own and not upload.counts:
        return _earlier(upload, their_table, my_table, schema)
    if upload.anonymised:
        records = encode(my_data, schema)
        published = Release.parse(
            their_table,
            schema,
            columns={mine: theirs for mine, theirs in upload.columns if mine not in _keys(schema)},
            values=upload.meanings(schema.sensitive),
            centroids=upload.centroids,
            mine=records,
            marks=upload.marks,
            count=upload.count,
        )
        foreign = Foreign(published=published, possible=possible)
        if not upload.own:
            return foreign
        rows, there = _groups_of(records, published)
        return replace(foreign, mine=rows, theirs=there)
    renamed, named = _renamed(upload, their_table, my_table, schema)
    try:
        encoded = encode(renamed, their_schema(named, renamed, my_table, schema))
    except SchemaError as error:
        raise SchemaError(f"In the file {shown(upload.name)}: {error.message}", parameter=error.parameter) from error
    if schema.person is not None and upload.theirs(schema.person) is not None:
        mine, theirs = _same_persons(upload, their_table, encoded, encode(my_table, schema), my_table, schema.person)
    else:
        mine, theirs = _links(upload, their_table, my_table, schema)
    return Foreign(encoded=encoded, mine=mine, theirs=theirs)


def _of_counts(
    upload: Upload, table: Table, my_table: Table | FrequencyTable, schema: Schema
) -> tuple[Upload, Possible]:
    """A table of counts as a release of groups and possible values."""
    if not upload.anonymised or upload.centroids:
        raise InputError("A table of counts is a release, not raw records; load it as one.", parameter="counts")
    if len(schema.sensitive_columns) > 1:
        raise InputError("A table of counts is read for one sensitive column only.", parameter="counts")
    mine, headers = encode(my_table, schema), dict(upload.columns)
    meant = upload.meanings(schema.sensitive).get(schema.sensitive, {})
    covered = {value for values in meant.values() for value in values}
    groups = [header for name, header in headers.items() if name in schema.quasi_identifiers]
    labels = mine.sensitive.labels
    table, count = lengthened(table, [*labels, *meant], schema.sensitive, COUNT, groups)
    sensitive = headers.get(schema.sensitive, schema.sensitive)
    used = {*groups, sensitive}
    able = possible_counts(table, used) or [*filter(names_a_count, count_columns(table, used))]
    count = count or upload.count or (able[0] if len(able) == 1 else "")
    if not count:
        raise InputError(
            "The table of counts has no column, or several, that may hold the count; name one (at the gate with "
            "--count).",
            parameter="count",
        )
    if not groups:
        raise InputError(
            "No quasi-identifier of mine is matched with a column of the table of counts; match at least one.",
            parameter="columns",
        )
    for name in (*groups, sensitive, count):
        if name not in table.names:
            raise InputError(f"The table of counts has no column {shown(name)}; match another one.", parameter=name)
    unnamed = [label for label in labels if label not in covered]
    known = mine.sensitive.size - (mine.sensitive.missing >= 0)
    possible = possible_rows(
        table,
        (*groups, sensitive),
        count,
        unnamed,
        rules_of(upload.counts),
        {sensitive: labels, **{headers[qid.name]: qid.labels for qid in mine.qids if qid.name in headers}},
        [label for label in labels[known:] if label not in covered],
    )
    pairs = tuple(pair for pair in upload.columns if pair[1] in possible.rows.names)
    return structs.replace(upload, columns=pairs, count=count), possible


def _groups_of(mine: Encoded, published: Published) -> tuple[Ints, Ints]:
    """Rows of my table that fit one group of my own table of counts, and a published row of it.

    None if persons have several records or my table is a frequency table: who is in it is then assumed.
    """
    if mine.has_multiple_records or mine.counted:
        nobody = np.empty(0, dtype=np.int64)
        return nobody, nobody
    located = locate(published, Targets.of(mine, np.arange(len(mine))))
    there = np.flatnonzero(located.counts == 1)
    first = np.unique(published.labels, return_index=True)[1]
    return mine.rows[there], first[located.classes[located.starts[there]]]


def _earlier(upload: Upload, their_table: Table, my_table: Table, schema: Schema) -> Foreign:
    """Read a release of mine, and find the person of each row; everything published distinguishes classes."""
    keys = [mine for mine, _ in upload.columns if mine in _keys(schema)]
    if len(keys) > 1:
        raise ParameterError("Match one identifier at most.", parameter="columns")
    key = next(iter(keys), None)
    if key is None or not upload.anonymised:
        raise InputError(
            "No column of the earlier release identifies the person of each row; match an identifier or the person "
            "column, or "
            "load the file as another hospital's release.",
            parameter="columns",
        )
    mine = encode(my_table, schema)
    if mine.has_multiple_records:
        raise ParameterError(
            "People of my table have several records, and the earlier release does not say which of them each row is; "
            "choose one record per person.",
            parameter="columns",
        )
    pairs = {name: theirs for name, theirs in upload.columns if name not in _keys(schema)}
    taken = {name for name, _ in schema.roles()}
    further = {name if name not in taken else f"{name} (then)": name for name in upload.further}
    published = Release.parse(
        their_table,
        _wider(schema, tuple(further)),
        columns={**pairs, **further},
        values=upload.meanings(schema.sensitive),
        centroids=upload.centroids,
        mine=mine,
        marks=upload.marks or ABSENT,  # this program writes what it withholds as "*"
        count="",
    )
    theirs = their_table.column(dict(upload.columns)[key])
    rows, there = _once_in_both(my_table.column(key), mine.rows, theirs, schema)
    kept = published.labels[there] >= 0
    if not kept.any():
        raise InputError(
            f"According to the column {shown(theirs.name)}, no one in my table is in the earlier release; check that "
            f"both files write it the same way, or match another column.",
            parameter=theirs.name,
        )
    return Foreign(published=published, mine=rows[kept], theirs=there[kept])


def _wider(schema: Schema, further: tuple[str, ...]) -> Schema:
    """Add columns of categories to the quasi-identifiers; of the rest only descriptions of values are kept."""
    return Schema(
        (*schema.quasi_identifiers, *further),
        schema.sensitive_columns,
        column_types={**schema.column_types, **dict.fromkeys(further, ColumnType.CATEGORICAL)},
        taxonomies=schema.taxonomies,
        orders=schema.orders,
        missing_tokens=schema.missing_tokens,
        unassigned="drop",
        unmodified=schema.unmodified,
    )


def _keys(schema: Schema) -> tuple[str, ...]:
    """Columns that may link records of theirs to records of mine."""
    return (*schema.identifiers, *([schema.person] if schema.person else []))


def _check(upload: Upload, table: Table, schema: Schema) -> None:
    known = {*schema.released, *_keys(schema)}
    mine = [pair[0] for pair in upload.columns]
    theirs = [pair[1] for pair in upload.columns]
    for names, whose in ((mine, "my table"), (theirs, "the other table")):
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(
                f"The column {shown(twice)} of {whose} is matched twice; match each column with at most one other.",
                parameter=twice,
            )
    for name in mine:
        if name not in known:
            raise InputError(f"{shown(name)} is not a column that I publish.", parameter=name)
    for name in theirs:
        if name not in table.names:
            raise InputError(f"The other table has no column {shown(name)}; match another one.", parameter=name)
    unmatched = next((name for name in schema.sensitive_columns if name not in mine), None)
    if unmatched is not None:
        raise InputError(
            f"No column of the other table is matched with my sensitive attribute {shown(unmatched)}; match "
            "one, or there is nothing to intersect.",
            parameter=unmatched,
        )
    lacking = next((name for name in upload.further if name not in table.names or name in theirs), None)
    if lacking is not None:
        raise InputError(
            f"The earlier release needs a separate column {shown(lacking)}; it is missing, or matched already. "
            "Load the file as it was published.",
            parameter=lacking,
        )
    if not set(mine) & set(schema.quasi_identifiers) and not upload.further:
        raise InputError(
            "No quasi-identifier of mine is matched with a column of the other table; match at least one.",
            parameter="columns",
        )


def _renamed(upload: Upload, table: Table, my_table: Table, schema: Schema) -> tuple[Table, tuple[str, ...]]:
    """Their table with my names, my sensitive values and my spelling of categories."""
    columns, meant = [], upload.meanings(schema.sensitive)
    named = []
    for name in schema.quasi_identifiers:
        theirs = upload.theirs(name)
        if theirs is not None:
            column, mine = table.column(theirs), my_table.column(name)
            categories = inferred_column_type(mine, schema, my_table.decimal) is ColumnType.CATEGORICAL
            same = in_my_case(column.labels, mine.labels) if categories else {}
            columns.append(_recoded(column, {**same, **_single(meant, name)}, name))
            named.append(name)
    for name in (*schema.sensitive_columns, *schema.unmodified):
        theirs = upload.theirs(name)
        if theirs is not None:
            columns.append(_recoded(table.column(theirs), _single(meant, name), name))
    whose = None if schema.person is None else upload.theirs(schema.person)
    if schema.person is not None and whose is not None:
        columns.append(Column(schema.person, table.column(whose).labels, table.column(whose).codes))
    return Table(tuple(columns), table.decimal), tuple(named)


def _single(meant: Mapping[str, Mapping[str, tuple[str, ...]]], name: str) -> dict[str, str]:
    """Meaning of values of a raw table: one of mine each."""
    pairs = meant.get(name, {})
    if any(len(mine) > 1 for mine in pairs.values()):
        raise InputError(
            f"A value of the column {shown(name)} of a raw table is mapped to several of mine; only values of a "
            f"release can be.",
            parameter=name,
        )
    return {theirs: mine[0] for theirs, mine in pairs.items()}


def _recoded(column: Column, values: Mapping[str, str], name: str) -> Column:
    """A column of theirs under my name, with values replaced by mine; several of theirs may become one of mine."""
    return column.renamed(name, [values.get(label, label) for label in column.labels])


def their_schema(named: tuple[str, ...], their_table: Table, my_table: Table, schema: Schema) -> Schema:
    """Read their columns with the types of mine, or with theirs if one of us has bands of numbers.

    Parameters
    ----------
    named
        My quasi-identifiers that their table has, under the same names.
    their_table, my_table
        Both tables; of frequency tables their distinct rows.
    schema
        Of mine.
    """
    kept = schema.agreement
    by_person = schema.person is not None and schema.person in their_table.names
    columns = (*named, *schema.sensitive_columns)
    column_types = {name: inferred_column_type(my_table.column(name), schema, my_table.decimal) for name in columns}
    orders = {name: order for name, order in schema.orders.items() if name in columns}
    for name in named:
        mine = order_of(my_table.column(name), schema)
        plain = schema.with_(column_types={}, orders={})
        if column_types[name] is ColumnType.ORDINAL and Bands.in_order(mine) is not None:
            column_types[name] = inferred_column_type(their_table.column(name), plain, their_table.decimal)
            orders.pop(name, None)
        elif column_types[name] is ColumnType.NUMERIC:
            column_type = inferred_column_type(their_table.column(name), plain, their_table.decimal)
            column_types[name] = ColumnType.ORDINAL if column_type is ColumnType.ORDINAL else ColumnType.NUMERIC
        if column_types[name] is ColumnType.ORDINAL and name not in orders:
            own = my_table.column(name).order  # the order of an ordered category of a frame; their file has none
            orders[name] = own or order_of(their_table.column(name), plain)
    units = {name: own.unit for name, own in schema.dates.items() if name in columns}
    return Schema(
        quasi_identifiers=named,
        sensitive=schema.sensitive_columns,
        unmodified=[column for name, column in schema.unmodified.items() if name in their_table.names],
        column_types=column_types,
        dates=DateFormat.each(shared_formats(columns, my_table, their_table, schema), units),
        taxonomies={name: tree for name, tree in schema.taxonomies.items() if name in columns},
        orders=orders,
        missing=schema.missing,
        missing_tokens=schema.missing_tokens,
        person=schema.person if by_person else None,
        one_record=schema.one_record if by_person else None,
        agreement=kept if kept is not None and set(kept.columns) <= set(named) else None,
        record_seed=schema.record_seed,
    )


def _same_persons(
    upload: Upload, their_table: Table, their_records: Encoded, my_records: Encoded, my_table: Table, person: str
) -> tuple[Ints, Ints]:
    """Rows of both tables for the same person, in my order; none if persons keep several records.

    Encounters cannot be matched between the two tables; so their table then counts persons, and it does not say who is
    in both.
    """
    nobody = np.empty(0, dtype=np.int64)
    if my_records.has_multiple_records or their_records.has_multiple_records:
        return nobody, nobody
    mine, theirs = my_table.column(person), their_table.column(dict(upload.columns)[person])
    row_of = dict(zip(theirs.codes[their_records.rows].tolist(), their_records.rows.tolist(), strict=True))
    place = {label: row_of[code] for code, label in enumerate(theirs.labels) if code in row_of}
    there = np.array([place.get(label, -1) for label in mine.labels], dtype=np.int64)
    rows = my_records.rows[there[mine.codes[my_records.rows]] >= 0]
    return rows, there[mine.codes[rows]]


def _links(upload: Upload, their_table: Table, my_table: Table, schema: Schema) -> tuple[Ints, Ints]:
    """Rows of both tables with the same identifier, if it occurs once in each; in my order."""
    pairs = [(mine, theirs) for mine, theirs in upload.columns if mine in schema.identifiers]
    nobody = np.empty(0, dtype=np.int64)
    if not pairs:
        return nobody, nobody
    if len(pairs) > 1:
        raise ParameterError("Match one identifier at most.", parameter="columns")
    mine, theirs = my_table.column(pairs[0][0]), their_table.column(pairs[0][1])
    return _once_in_both(mine, np.arange(len(my_table)), theirs, schema)


def _once_in_both(mine: Column, rows: Ints, theirs: Column, schema: Schema) -> tuple[Ints, Ints]:
    """Rows of mine, among those given, and rows of theirs whose label occurs once among them and once in theirs."""
    absent = set(schema.missing_tokens)
    place = {
        label: code for code, label in enumerate(theirs.labels) if label not in absent and theirs.counts[code] == 1
    }
    code = np.array([place.get(label, -1) for label in mine.labels], dtype=np.int64)
    code[np.bincount(mine.codes[rows], minlength=len(mine.labels)) != 1] = -1
    both: Ints = rows[code[mine.codes[rows]] >= 0]
    row_of = np.empty(len(theirs.labels), dtype=np.int64)
    row_of[theirs.codes] = np.arange(len(theirs))
    return both, row_of[code[mine.codes[both]]]

"""Another publisher's file: its correspondence to my columns and values, and the result of reading it.

It is read as it was published. If it has a column that identifies the person of each row, as the private copy of an
earlier release of mine has, it is known who is in both. Elsewhere it is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from msgspec import Struct, structs

from core.base.arrays import Ints
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.short import named, short
from core.data.encoding.encoded import Encoded, encode
from core.data.frequency_table import FrequencyTable
from core.data.schemas.schema import ColumnType, Schema
from core.data.tables.column import Column
from core.data.tables.csv_export import harmless
from core.data.tables.table import Table
from core.release.published.cell_reader import ABSENT, WITHHELD
from core.release.published.count_table import (
    Possible,
    count_columns,
    lengthened,
    possible_rows,
    rules_of,
    totals_of,
    without_totals,
)
from core.release.published.layout import joined, names_a_count, possible_counts
from core.release.published.locate import locate
from core.release.published.matching import guess_meanings, match_columns, strange_values
from core.release.published.parse import read_cells, reader_of
from core.release.published.published import Published
from core.release.published.targets import Targets
from core.release.release import Release


class Upload(Struct, frozen=True, forbid_unknown_fields=True):
    """Declarations about a file of another publisher.

    Parameters
    ----------
    content_id
        Content id of its table.
    columns
        Pairs (my column, their header): quasi-identifiers, the sensitive attribute and, if it is known who is in which
        row, an identifier. A quasi-identifier of mine without a pair is not in their table
        and reveals nothing.
    values
        Pairs (their sensitive value, mine) for values with different codes. One of their values may be in several
        pairs: a coarser code, which means any of mine.
    cells
        The same for quasi-identifiers: my column, their value, mine. Also a value within a set.
    centroids
        Whether its cells are centroids of microaggregation, not regions.
    name
        What the file is called on screen.
    own
        Whether it is known who is in it: one of ``columns`` identifies the person of each row, as in an earlier release
        of mine. In a table of counts of mine no column does: everyone in my table who fits one of its groups is in it.
    further
        If it is known who is in it, headers of published columns that correspond to none of mine now: they also
        distinguish its classes.
    marks
        What empty cells, NA and similar marks mean: "withheld" or "missing"; "" if not known.
    count
        The column with the number of records per row; "" if each row is one record, ``None`` if not
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
        return short(self, f"columns {named(mine for mine, _ in self.columns)}")

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
    """A file of another publisher, ready for an attack.

    Parameters
    ----------
    published
        What its reader knows.
    mine, theirs
        Rows of my table and of theirs that hold the same person, by a common identifier.
    possible
        For a table of counts, how it was read.
    """

    published: Published
    mine: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    theirs: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    possible: Possible | None = None

    def __repr__(self) -> str:
        return short(self, repr(self.published), f"{len(self.mine):,} linked")

    @property
    def to_release(self) -> None:
        """``None``: it was released already (:class:`core.study.publisher.Publisher`)."""
        return

    @property
    def given_out(self) -> Published:
        """The table as it was published."""
        return self.published

    def shared(self, rows: Ints, drawn: Ints) -> Ints | None:  # noqa: ARG002 - nobody was drawn for it
        """Positions of the people in my rows, if the file is linked; else ``None``."""
        return self.positions(rows) if self.linked else None

    def positions(self, rows: Ints) -> Ints:
        """Row of a linked file with the person in each row of mine; -1 for no one."""
        there = np.full(int(max(rows.max(initial=-1), self.mine.max(initial=-1))) + 1, -1, dtype=np.int64)
        there[self.mine] = self.theirs
        positions: Ints = there[rows]
        return positions

    @property
    def linked(self) -> bool:
        """Whether the shared people are known."""
        return len(self.mine) > 0

    @property
    def records(self) -> int:
        """Number of records in the file that are in a class."""
        return int(self.published.sizes.sum())


def proposed_upload(
    theirs: Table, mine: Table | FrequencyTable, encoded: Encoded, schema: Schema, name: str = "", counts: str = ""
) -> Upload:
    """Suggest a mapping for a file from its headers and values: its columns, and the meaning of unusual values.

    Parameters
    ----------
    theirs
        The file as text.
    mine, encoded, schema
        My table, as text and as codes.
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
    table = joined(theirs, schema.quasi_identifiers)
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
            strange = strange_values(column, domain, schema.missing_tokens, sets)
            for value, meant in guess_meanings(strange, domain):
                if domain.name == schema.sensitive:
                    values.append((value, meant))
                else:
                    cells.append((domain.name, value, meant))
    upload = Upload(theirs.content_id, columns, tuple(values), name=name, cells=tuple(cells), counts=counts)
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
    """
    if upload.counts or not upload.own:
        their_table = joined(their_table, schema.quasi_identifiers)
    possible = None
    if upload.counts:
        upload, possible = _of_counts(upload, their_table, my_table, schema)
        their_table = possible.rows
    _check(upload, their_table, schema)
    my_data = my_table
    if isinstance(my_table, FrequencyTable):
        if upload.own and not upload.counts:
            encode(my_table, schema).need_rows("A file that is linked person by person", "columns")
        my_table = my_table.table
    if upload.own and not upload.counts:
        return _earlier(upload, their_table, my_table, schema)
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
    foreign = Foreign(published, possible=possible)
    if not upload.own:
        return foreign
    rows, there = _groups_of(records, published)
    return replace(foreign, mine=rows, theirs=there)


def _of_counts(
    upload: Upload, table: Table, my_table: Table | FrequencyTable, schema: Schema
) -> tuple[Upload, Possible]:
    """A table of counts as a release of groups and possible values."""
    if upload.centroids:
        raise InputError("A table of counts has no means in its cells; leave them out.", parameter="centroids")
    if len(schema.sensitive_columns) > 1:
        raise InputError("A table of counts is read for one sensitive column only.", parameter="counts")
    mine, headers = encode(my_table, schema), dict(upload.columns)
    meant = upload.meanings(schema.sensitive).get(schema.sensitive, {})
    covered = {value for values in meant.values() for value in values}
    groups = [header for name, header in headers.items() if name in schema.quasi_identifiers]
    for domain in mine.qids:  # a row of the groups that are read below is none of the file
        if headers.get(domain.name) in table.names:
            column, words = table.column(headers[domain.name]), upload.meanings(schema.sensitive).get(domain.name, {})
            wider = dict.fromkeys(totals_of(column, domain.labels), "*")
            reader = reader_of(column, domain.name, schema, domain, words, upload.marks or WITHHELD, table.decimal)
            read_cells(column, reader, {**words, **wider})
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
    # A cell that a spreadsheet would run is written with an apostrophe.
    there = table.column(sensitive).labels
    unnamed = [label for label in labels if label not in covered and harmless(label) not in there]
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
    """Read a release with identifiers, and find the person of each row; everything published distinguishes classes."""
    keys = [mine for mine, _ in upload.columns if mine in _keys(schema)]
    if len(keys) > 1:
        raise ParameterError("Match one identifier at most.", parameter="columns")
    key = next(iter(keys), None)
    if key is None:
        raise InputError(
            "No column of the file identifies the person of each row; match an identifier or the person column, or "
            "load it as a release whose people are not known.",
            parameter="columns",
        )
    mine = encode(my_table, schema)
    if mine.has_multiple_records:
        raise ParameterError(
            "People of my table have several records, and the other file does not say which of them each row is; "
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
            f"According to the column {shown(theirs.name)}, no one in my table is in the other file; check that "
            f"both files write it the same way, or match another column.",
            parameter=theirs.name,
        )
    return Foreign(published, mine=rows[kept], theirs=there[kept])


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
            f"The file needs a separate column {shown(lacking)}; it is missing, or matched already. "
            "Load the file as it was published.",
            parameter=lacking,
        )
    if not set(mine) & set(schema.quasi_identifiers) and not upload.further:
        raise InputError(
            "No quasi-identifier of mine is matched with a column of the other table; match at least one.",
            parameter="columns",
        )


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

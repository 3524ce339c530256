"""What a release did to each column, as a file that does the same to a later table.

The regions of a release's classes are kept, not its records. A record of a later table that lies in one of them gets
its cells; one that lies in none is left out. So two deliveries of a growing table are coded in the same way. The
classes then contain other people, so their guarantees must be measured again. The file has the values of ordered and
categorical columns and of taxonomies, so it stays with the publisher.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np
import pandas as pd
from msgspec import Meta

from core.base.arrays import Bools, Ints
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.base.json_files import digest_of, parsed, read, sealed
from core.base.version import VERSION
from core.data.classes import distinct_columns
from core.data.encoding.domain import Domain, with_missing, without_missing
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import ColumnType, Schema
from core.data.schemas.schema_file import SchemaInFile, schema_of
from core.data.schemas.taxonomy import ROOT, Taxonomy
from core.data.tables.number_forms import numbers_of
from core.data.tables.table import Table, table_of
from core.release.published.cell_reader import Reader
from core.release.published.locate import locate
from core.release.published.published import Cells, Published, SensitiveCells, assemble
from core.release.published.targets import Targets
from core.release.release import Release

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

RECODING_VERSION: Literal[1] = 1
FORMAT = "composition recoding"
MAX_TEXT = 50_000_000
"""Largest number of characters of a recoding."""
TEXT, _READ = ColumnType.CATEGORICAL, (ColumnType.NUMERIC, ColumnType.DATE)
"""Column types whose values are read in the form that a later table has; others are compared as texts."""


class ColumnRecoding(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the cells of one quasi-identifier are read.

    Parameters
    ----------
    name, column_type
        Of the table that was released.
    labels
        Its values if they are texts: the order, the categories, the leaves of a tree.
    unit
        Of its numbers, such as "years"; "" if the cells have none.
    """

    name: Annotated[str, Meta(min_length=1)]
    column_type: ColumnType
    labels: tuple[str, ...] = ()
    unit: str = ""


class Recoding(msgspec.Struct, frozen=True, tag_field="format", tag=FORMAT):
    """The regions of a release's classes.

    Parameters
    ----------
    columns
        The quasi-identifiers.
    classes
        The published cells of each class, one per quasi-identifier.
    schema
        Schema of the released table: which other columns are published and how, and whether one record per person is
        kept.
    centroids
        Whether the cells are means; a record then belongs to the nearest class.
    schema_version, version
        Of the file, and of the program that wrote it.

    Examples
    --------
    >>> from composition_dashboard import Policy, anonymize, examples
    >>> from composition_dashboard.core.release.recoding import Recoding
    >>> city, schema = examples.city(500), examples.city_schema()
    >>> recoding = Recoding.of(anonymize(city, schema, Policy(k=10)), schema, city)
    >>> recoding = Recoding.from_json(recoding.to_json())
    >>> later = recoding.apply(examples.city(800, seed=3))
    >>> later.records == later.left_out + len(later.publish())
    True
    """

    columns: Annotated[tuple[ColumnRecoding, ...], Meta(min_length=1)]
    classes: tuple[tuple[str, ...], ...]
    schema: SchemaInFile
    centroids: bool = False
    schema_version: Literal[1] = RECODING_VERSION
    version: str = VERSION

    def __post_init__(self) -> None:
        """Check that each class has a cell for each column."""
        if any(len(cells) != len(self.columns) for cells in self.classes):
            raise InputError("A class of the recoding does not have one cell for each of its columns.")

    @classmethod
    def of(cls, release: Release, schema: Schema, data: Table | IntoDataFrame) -> Recoding:
        """Keep the regions of a release of this table under this schema; O(classes x columns)."""
        table = table_of(data)
        columns = [
            ColumnRecoding(
                domain.name,
                domain.column_type,
                () if domain.column_type in _READ else domain.labels,
                _unit(table, domain.name, schema.missing_tokens) if domain.column_type is ColumnType.NUMERIC else "",
            )
            for domain in map(without_missing, release.encoded.qids)
        ]
        cells = release.region_frame().astype(object).drop_duplicates()
        return cls(
            tuple(columns),
            tuple(cells.itertuples(index=False, name=None)),
            msgspec.convert(schema.to_json(), SchemaInFile),
            release.publishes_centroids,
        )

    def to_json(self) -> str:
        """Write as JSON with its own digest: same recoding, same text."""
        return sealed(msgspec.to_builtins(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Recoding:
        """Read what :meth:`to_json` wrote.

        Raises
        ------
        InputError
            If it is no recoding, of a later version, changed since it was written, or a field is missing or of the
            wrong type.
        """
        facts = parsed(text) if len(text) <= MAX_TEXT else None
        if facts is None or facts.get("format") != FORMAT:
            raise InputError("The file is not a recoding of this program; load the JSON file that it wrote.")
        if facts.get("schema_version") != RECODING_VERSION:
            raise InputError(
                "The recoding is of a later version than this program reads; use the program that wrote it.",
                parameter="schema_version",
            )
        if facts.get("digest") != digest_of(facts):
            raise InputError("The recoding was changed after it was written; load the file as it was.")
        return read(facts, cls, "recoding", InputError)

    def apply(self, data: Table | IntoDataFrame) -> Recoded:
        """Give the records of another table the cells of the class that they lie in.

        A record that lies in several classes gets the first in the order of the file; with centroids the nearest.

        Raises
        ------
        InputError
            If the table lacks a column, or a cell of a numeric or date column cannot be read or has another unit.
        """
        table = table_of(data)
        schema = self._schema_of_later(table.names)
        for column in self.columns:
            if column.column_type is ColumnType.NUMERIC:
                unit = _unit(table, column.name, schema.missing_tokens)
                if unit != column.unit:
                    raise InputError(
                        f"The numbers of {shown(column.name)} are not in the unit of the recoding "
                        f"({column.unit or 'none'}); write them in that one.",
                        parameter=column.name,
                    )
        encoded, published = encode(table, schema), self._published()
        targets, known = self._targets(encoded)
        candidates = locate(published, targets)
        # To a reader, classes with equal regions are one class; their order differs.
        first = np.full(published.histogram.classes, len(self.classes))
        np.minimum.at(first, published.labels, np.arange(len(self.classes)))
        many = candidates.counts
        best = np.full(len(encoded), len(self.classes))
        np.minimum.at(best, np.repeat(np.arange(len(encoded)), many), first[candidates.classes])
        place = np.where(known & (many > 0), best, -1)
        return Recoded(self, encoded, len(table), place, int((known & (many > 1)).sum()))

    def _schema_of_later(self, present: Collection[str]) -> Schema:
        """The schema without what only the released table must meet; values of orders and trees are texts."""
        schema, names = schema_of(self.schema), {column.name for column in self.columns}
        typed = {each.name: each.column_type if each.column_type in _READ else TEXT for each in self.columns}
        return schema.with_(
            column_types={**schema.column_types, **typed},
            taxonomies={name: tree for name, tree in schema.taxonomies.items() if name not in names},
            orders={name: order for name, order in schema.orders.items() if name not in names},
            identifiers=[name for name in schema.identifiers if name in present],
            other=[],
            provider=None,
            agreement=None,
            unassigned="drop",
        )

    def _published(self) -> Published:
        """The classes as a reader of the release sees them, in their order."""
        columns = []
        for number, column in enumerate(self.columns):
            texts = [cells[number] for cells in self.classes]
            reader = self._reader(column)
            regions = [reader.read(text) for text in texts]
            if None in regions:
                raise InputError(f"The recoding has a cell of {shown(column.name)} that cannot be read.")
            codes = np.arange(len(texts))
            columns.append(Cells(reader, [region for region in regions if region is not None], texts, codes))
        everyone = Domain("sensitive", TEXT, ("any",))
        sensitive = SensitiveCells.one_each(everyone, np.zeros(len(self.classes), dtype=np.int64))
        return assemble(columns, np.arange(len(self.classes)), sensitive, self.centroids)

    def _reader(self, column: ColumnRecoding) -> Reader:
        tree = schema_of(self.schema).taxonomies.get(column.name)
        return Reader.of(with_missing(Domain(column.name, column.column_type, column.labels, None, tree)))

    def _targets(self, encoded: Encoded) -> tuple[Targets, Bools]:
        """The records as people to be located, and whether every order and tree has the values of each."""
        targets, known = Targets.of(encoded, np.arange(len(encoded))), np.ones(len(encoded), dtype=bool)
        texts = list(targets.texts)
        for number, column in enumerate(self.columns):
            if column.column_type in (*_READ, TEXT):
                continue
            there = np.array([text in {*column.labels, ""} for text in texts[number]])
            known &= there[targets.codes[number]]
            texts[number] = tuple(text if ok else "" for text, ok in zip(texts[number], there, strict=True))
        return Targets(targets.names, tuple(texts), targets.codes), known


def _unit(table: Table, name: str, missing: Collection[str]) -> str:
    """Unit in the cells of a column; "" if there is none, or the cells are not numbers."""
    numbers = numbers_of([label for label in table.column(name).labels if label not in missing], table.decimal)
    return "" if numbers is None else numbers.unit


def applied_hierarchies(release: Release) -> dict[str, Taxonomy]:
    """Recoding of each column in which every value has one published cell: value, published cell, everything.

    A column is left out if a value is published in several ways, as by most algorithms, or if nothing was changed.
    """
    trees = {}
    for number, domain in enumerate(release.encoded.qids):
        texts, which = release.region_codes(number)
        there = release.classes.labels >= 0
        pairs = np.stack([release.encoded.codes[number][there], which[release.classes.labels[there]]])
        code, cell = pairs[:, distinct_columns(pairs)[0]]
        if len(set(code.tolist())) == len(code) and any(
            domain.labels[a] != texts[b] for a, b in zip(code.tolist(), cell.tolist(), strict=True)
        ):
            rows = [(domain.labels[a], texts[b], ROOT) for a, b in zip(code.tolist(), cell.tolist(), strict=True)]
            trees[domain.name] = Taxonomy.from_levels(rows)
    return trees


@dataclass(frozen=True, eq=False)
class Recoded:
    """A later table under a recoding.

    Parameters
    ----------
    recoding
        The recoding that was applied.
    encoded
        The later table's records; one of each person if the release kept one.
    records
        Number of records of the later table.
    place
        (encoded records,) class of each record; -1 if it lies in none.
    several
        Number of records that lie in more than one class.
    """

    recoding: Recoding
    encoded: Encoded
    records: int
    place: Ints
    several: int

    @property
    def left_out(self) -> int:
        """Number of records that are not published: in no class, or not the one that is kept per person."""
        return self.records - int((self.place >= 0).sum())

    @property
    def smallest(self) -> int:
        """People of the smallest class that has any; 0 if none has."""
        kept = self.place >= 0
        sizes = np.bincount(np.unique(np.stack((self.place[kept], self.encoded.person[kept])), axis=1)[0])
        return int(sizes[sizes > 0].min(initial=self.records)) if sizes.any() else 0

    def publish(self, seed: int | None = None) -> pd.DataFrame:
        """The table to publish, without the records in no class; ``seed`` as for :meth:`Release.publish`."""
        rows = np.random.default_rng(seed).permutation(np.flatnonzero(self.place >= 0))
        cells = np.array(self.recoding.classes, dtype=object).reshape(-1, len(self.recoding.columns))
        columns = {column.name: cells[self.place[rows], number] for number, column in enumerate(self.recoding.columns)}
        for name, texts, which in self.encoded.sensitive.separate:
            columns[name] = np.array(texts, dtype=object)[which[self.encoded.sensitive_codes[rows]]]
        for column in self.encoded.plain:
            columns[column.name] = np.array(column.labels, dtype=object)[column.codes[rows]]
        return pd.DataFrame(columns)

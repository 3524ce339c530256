"""Check whether records are people: identifiers that repeat although no column identifies persons."""

from __future__ import annotations

from dataclasses import dataclass

from core.base.errors import shown_name as shown
from core.data.encoding.missing import codes_of
from core.data.frequency_table import FrequencyTable, label_counts, records_of, rows_of
from core.data.schemas.header_topics import names_person
from core.data.schemas.schema import Schema
from core.data.tables.table import Table


@dataclass(frozen=True)
class Repeat:
    """An identifier that has the same value in several records.

    Parameters
    ----------
    column
        Its header.
    records
        Records that have a value of it.
    values
        Distinct values.
    most
        Records of the most common one.
    """

    column: str
    records: int
    values: int
    most: int

    def text(self, k: int) -> str:
        """Caution to show before a release with ``k`` records per class; never a cell."""
        return (
            f"{shown(self.column)} repeats: {self.records:,} records have {self.values:,} values of it, one of them "
            f"{self.most:,} times. If it says whose a record is, people have several, and a class of {k:,} records may "
            "hold fewer people: make it the person column. As it is, every number counts records."
        )


UNNAMED = (
    "An identifier of the table repeats, so a person may have several records; no person column was given, and every "
    "number counts records."
)
"""The same for outsiders: no name and no number."""


def repeated_identifiers(data: Table | FrequencyTable, schema: Schema) -> tuple[Repeat, ...]:
    """Identifiers that name the same value in several records, in the order of the schema.

    Unused columns also count as identifiers if their header names a person. Records may then not be people, while k, l,
    t, the attack and every promise count records. Empty if a person column identifies the person of each record.
    O(identifiers x records).
    """
    table, repeats = rows_of(data), []
    for name in _naming(table, schema) if schema.person is None else ():
        column = table.column(name)
        counts = label_counts(data, column).copy()
        counts[codes_of(column, schema.missing_tokens)] = 0
        records, values = int(counts.sum()), int((counts > 0).sum())
        if records > values:
            repeats.append(Repeat(name, records, values, int(counts.max())))
    return tuple(repeats)


def _naming(table: Table, schema: Schema) -> list[str]:
    """Candidates for the person column: identifiers, then others by their header."""
    taken = {name for name, _ in schema.roles()} - set(schema.other)
    unused = [name for name in table.names if name not in taken and names_person(name)]
    return [name for name in schema.identifiers if name in table.names] + unused


def people_of(data: Table | FrequencyTable, schema: Schema) -> int:
    """Count the people of a table that fits a schema: persons if it has a person column, else records."""
    return records_of(data) if schema.person is None else len(rows_of(data).column(schema.person).labels)

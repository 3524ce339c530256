"""Check whether records are people: identifiers that repeat although no column identifies persons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NoReturn

from core.base.errors import RepeatedIdentifierError
from core.base.errors import shown_name as shown
from core.data.encoding.missing import codes_of
from core.data.frequency_table import FrequencyTable, label_counts, records_of, rows_of
from core.data.schemas.header_topics import names_person
from core.data.schemas.schema import Schema
from core.data.tables.csv_export import in_one_form
from core.data.tables.table import Table


def check_people(data: Table | FrequencyTable, schema: Schema) -> None:
    """Refuse a table of which it is not known whether its records are people.

    Raises
    ------
    RepeatedIdentifierError
        If an identifier has one value in several records: they may be of one person, and k, l, t, the attack and every
        promise would count records. Not if a column identifies the person of each record, or every record is said to
        be another person.

    """
    name = repeating_identifier(data, schema)
    if name is not None:
        refuse_repeats(name)


def repeating_identifier(data: Table | FrequencyTable, schema: Schema) -> str | None:
    """The first identifier that repeats while it is open whether records are people; O(identifiers x records).

    Missing cells repeat nothing.
    """
    table = rows_of(data)
    for name in naming(table.names, schema):
        column = table.column(name)
        counts = label_counts(data, column).copy()
        counts[codes_of(column, schema.missing_tokens)] = 0
        people = Counter[str]()
        for label, count in zip(column.labels, counts.tolist(), strict=True):
            people[in_one_form(label)] += count  # the same person may be 3 and 3.0
        if max(people.values(), default=0) > 1:
            return name
    return None


def refuse_repeats(name: str) -> NoReturn:
    """Refuse an identifier that repeats, with what to answer."""
    raise RepeatedIdentifierError(
        f"{shown(name)} repeats, so a person may have several records. If it says whose a record is, make it the "
        "person column (--person). If every record is another person, say so "
        "(rows_are_people=True, --rows-are-people).",
        parameter=name,
    )


def naming(names: Sequence[str], schema: Schema) -> list[str]:
    """Columns that may say whose a record is, while that is open: identifiers, then unused ones by their header."""
    if schema.person is not None or schema.rows_are_people:
        return []
    taken = {name for name, _ in schema.roles()} - set(schema.other)
    unused = [name for name in names if name not in taken and names_person(name)]
    return [name for name in schema.identifiers if name in names] + unused


def people_of(data: Table | FrequencyTable, schema: Schema) -> int:
    """Count the people of a table that fits a schema: persons if it has a person column, else records."""
    if schema.person is None:
        return records_of(data)
    return len({in_one_form(label) for label in rows_of(data).column(schema.person).labels})

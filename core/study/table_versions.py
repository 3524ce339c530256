"""Two versions of my growing table, released one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from core.algorithms import partition
from core.attack.updates import Update, unchanged, update_attack
from core.base.arrays import Ints
from core.base.errors import InfeasibleError, ParameterError, SchemaError
from core.base.errors import shown_name as shown
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import Schema
from core.data.tables.column import Column
from core.data.tables.csv_export import in_one_form
from core.data.tables.table import Table, table_of
from core.privacy.policy import Policy
from core.release.algorithm import MINE
from core.study.kept_classes import KeptClasses, keep_classes

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


def attack_versions(
    before: Table | IntoDataFrame,
    after: Table | IntoDataFrame,
    schema: Schema,
    policy: Policy,
    algorithm: str = MINE,
    identifiers: Sequence[str] = (),
    knowledge: str = "all",
) -> Update:
    """Release two versions of a table under one policy, and attack the difference.

    Parameters
    ----------
    before, after
        The earlier version, and the present one.
    schema
        Of both.
    policy, algorithm
        How each is released.
    identifiers
        Columns that together identify a person in both versions; those of the schema by default.
    knowledge
        What the reader knows: one of :data:`core.attack.updates.KNOWLEDGE`.

    Returns
    -------
    Update
        What is left for new, removed and changed people [definitions §4].

    Raises
    ------
    SchemaError, ParameterError
        If a version lacks a column, a person occurs twice in one, or no person is in both.

    Examples
    --------
    >>> from composition_dashboard import Policy, Schema, attack_versions
    >>> rows = [(str(n), 20 + n, "flu" if n % 2 else "gout") for n in range(40)]
    >>> names = ["id", "age", "diagnosis"]
    >>> import pandas as pd
    >>> old, new = (pd.DataFrame(some, columns=names) for some in (rows[:38], rows))
    >>> schema = Schema(["age"], "diagnosis", identifiers=["id"], column_types={"age": "numeric"})
    >>> attack_versions(old, new, schema, Policy(4)).new.people
    2
    """
    (first, old), (second, new) = _versions((before, after), schema, identifiers)
    earlier, present = partition(first, policy, algorithm), partition(second, policy, algorithm)
    return update_attack(earlier, present, old, new, knowledge)


def release_with_earlier_classes(
    before: Table | IntoDataFrame,
    after: Table | IntoDataFrame,
    schema: Schema,
    policy: Policy,
    algorithm: str = MINE,
    identifiers: Sequence[str] = (),
) -> KeptClasses:
    """Release the present version of a table with the classes of the earlier one.

    People who are new form classes of their own. Classes that people left are joined, so that the difference shows
    neither fewer than k people who left nor one value. Records that changed stay as they were.

    Parameters
    ----------
    before, after
        The earlier version, and the present one.
    schema
        Of both.
    policy, algorithm
        How the earlier version was released, and how the classes of those who are new are formed.
    identifiers
        Columns that together name a person in both versions; the schema's by default.

    Returns
    -------
    KeptClasses
        The release, what the exact attack on the difference leaves, and the information loss [definitions §4].

    Raises
    ------
    InfeasibleError
        If too few people are new or have left; the message says how many more to wait for.
    SchemaError, ParameterError
        As :func:`attack_versions`.

    Examples
    --------
    >>> from composition_dashboard import Policy, Schema, release_with_earlier_classes
    >>> rows = [(str(n), 20 + n, "flu" if n % 2 else "gout") for n in range(40)]
    >>> import pandas as pd
    >>> old, new = (pd.DataFrame(some, columns=["id", "age", "diagnosis"]) for some in (rows[:30], rows))
    >>> schema = Schema(["age"], "diagnosis", identifiers=["id"], column_types={"age": "numeric"})
    >>> kept = release_with_earlier_classes(old, new, schema, Policy(4))
    >>> kept.update.new.people, int(kept.update.new.together.min()) >= 4
    (10, True)
    """
    versions = table_of(before), table_of(after)
    (first, old), (second, new) = _versions(versions, schema, identifiers)
    _, there, place = np.intersect1d(old, new, assume_unique=True, return_indices=True)
    changed = np.setdiff1d(np.arange(len(there)), np.searchsorted(there, unchanged(first, second, old, new)[0]))
    if len(changed):
        rows = first.rows[there[changed]], second.rows[place[changed]]
        try:
            second = encode(_as_they_were(*versions, schema, *rows), schema)
        except SchemaError as error:
            raise InfeasibleError(OTHER_NOTATION, parameter="before") from error
        if len(unchanged(first, second, old, new)[0]) < len(there):
            raise InfeasibleError(OTHER_NOTATION, parameter="before")
    kept = keep_classes(partition(first, policy, algorithm), second, old, new)
    return replace(kept, as_they_were=len(changed))


def kept_or_refused(*versions: Any) -> tuple[KeptClasses | None, str]:
    """:func:`release_with_earlier_classes`, or why there is no such release."""
    try:
        return release_with_earlier_classes(*versions), ""
    except InfeasibleError as error:
        return None, error.message


OTHER_NOTATION = (
    "Records that changed cannot be released as they were: the two versions write numbers, dates or missing values "
    "differently. Write both in the same way."
)


def _as_they_were(before: Table, after: Table, schema: Schema, old_rows: Ints, rows: Ints) -> Table:
    """The present version with some rows of the earlier one in what is released."""

    def mixed(column: Column) -> Column:
        texts = column.texts()
        texts[rows] = before.column(column.name).texts()[old_rows]
        labels, codes = np.unique(texts, return_inverse=True)
        return replace(Column.from_codes(column.name, labels.tolist(), codes), order=column.order)

    columns = (mixed(column) if column.name in schema.released else column for column in after.columns)
    return replace(after, columns=tuple(columns))


def _versions(
    versions: tuple[Table | IntoDataFrame, Table | IntoDataFrame], schema: Schema, identifiers: Sequence[str]
) -> list[tuple[Encoded, Ints]]:
    """Records of both versions, with (records,) the number of the person of each."""
    names = tuple(identifiers) or schema.identifiers
    if not names:
        raise ParameterError(
            "Name the columns that identify a person in both versions, as identifiers.", parameter="identifiers"
        )
    tables = table_of(versions[0]), table_of(versions[1])
    numbers = _persons(tables, names)
    encoded = [encode(table, schema) for table in tables]
    return [(own, persons[own.rows]) for own, persons in zip(encoded, numbers, strict=True)]


def _persons(tables: tuple[Table, Table], names: Sequence[str]) -> tuple[Ints, Ints]:
    """(rows,) number of the person of each row of both tables: the same number for texts that are one."""
    number: dict[tuple[str, ...], int] = {}
    numbered = []
    for table, which in zip(tables, ("earlier", "present"), strict=True):
        for name in names:
            if name not in table.names:
                raise SchemaError(f"The {which} version has no column {shown(name)}.", parameter="identifiers")
        columns = [table.column(name) for name in names]
        texts = [np.array([*map(in_one_form, column.labels)], dtype=object)[column.codes] for column in columns]
        rows = [*zip(*texts, strict=True)]
        if any(not "".join(row).strip() for row in rows):
            raise ParameterError(
                f"The {which} version has a row without {', '.join(map(shown, names))}; fill it in, or remove the row.",
                parameter="identifiers",
            )
        if len(set(rows)) != len(rows):
            raise ParameterError(
                f"The {which} version names a person twice by {', '.join(map(shown, names))}; an update needs one "
                "record of each person.",
                parameter="identifiers",
            )
        numbered.append(np.array([number.setdefault(row, len(number)) for row in rows], dtype=np.int64))
    if not np.isin(numbered[0], numbered[1]).any():
        raise ParameterError(
            f"No one is in both versions by {', '.join(map(shown, names))}; name the columns that identify a person "
            "in both.",
            parameter="identifiers",
        )
    return numbered[0], numbered[1]

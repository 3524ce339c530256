"""Two versions of my growing table, released one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.algorithms import partition
from core.attack.updates import Update, update_attack
from core.base.arrays import Ints
from core.base.errors import ParameterError, SchemaError
from core.base.errors import shown_name as shown
from core.data.encoding.encoded import encode
from core.data.schemas.schema import Schema
from core.data.tables.table import Table, table_of
from core.privacy.policy import Policy
from core.release.algorithm import MINE

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
    names = tuple(identifiers) or schema.identifiers
    if not names:
        raise ParameterError(
            "Name the columns that identify a person in both versions, as identifiers.", parameter="identifiers"
        )
    tables = table_of(before), table_of(after)
    first, second = (partition(encode(table, schema), policy, algorithm) for table in tables)
    old, new = _persons(tables, names)
    return update_attack(first, second, old[first.encoded.rows], new[second.encoded.rows], knowledge)


def _persons(tables: tuple[Table, Table], names: Sequence[str]) -> tuple[Ints, Ints]:
    """(rows,) number of the person of each row of both tables: the same number for equal texts."""
    number: dict[tuple[str, ...], int] = {}
    numbered = []
    for table, which in zip(tables, ("earlier", "present"), strict=True):
        for name in names:
            if name not in table.names:
                raise SchemaError(f"The {which} version has no column {shown(name)}.", parameter="identifiers")
        columns = [table.column(name) for name in names]
        texts = [np.array(column.labels, dtype=object)[column.codes] for column in columns]
        rows = [*zip(*texts, strict=True)]
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

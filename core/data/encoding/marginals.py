"""How often each value of each attribute occurs in a population, one attribute at a time.

The marginals of [Sattar 2018, Def. 5-6]: P(q) of every quasi-identifier and P(s) of the
sensitive attribute. They come from population statistics that the user supplies, and from
the table itself if there is none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.short import named, short
from core.data.classes import weighted_count
from core.data.encoding.domain import Domain, shortest
from core.data.encoding.encoded import Encoded
from core.data.reading import read_table
from core.data.schemas.schema import ColumnType
from core.data.tables.numbers import parse_numbers
from core.data.tables.table import Table

PRIOR_RECORDS = 20.0
"""Weight of the overall distribution, in records, when the distribution of a class is smoothed."""
HEADER = ("column", "value", "share")
"""Columns of a file of marginals."""
TOLERANCE = 1e-3
"""Tolerance for the sum of the shares of one column of a file."""


@dataclass(frozen=True, eq=False)
class Marginals:
    """P(q) of every quasi-identifier and P(s), over the domains of one table.

    Parameters
    ----------
    names
        Quasi-identifiers in the order of the table, then the sensitive attribute.
    shares
        For each of these the probability of every code of its domain; sums to 1.
    from_table
        Columns whose shares were counted in the table because none were supplied.
    """

    names: tuple[str, ...]
    shares: tuple[Floats, ...]
    from_table: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return short(self, f"shares of {named(self.names)}")

    # ---- making one -----------------------------------------------------------------

    @classmethod
    def of(cls, encoded: Encoded) -> Marginals:
        """Count the table itself; O(quasi-identifiers x records)."""
        domains = _domains(encoded)
        counts = [
            weighted_count(codes, encoded.weight, domain.size)
            for domain, codes in zip(domains, (*encoded.codes, encoded.sensitive_codes), strict=True)
        ]
        names = tuple(domain.name for domain in domains)
        return cls(names, tuple(_normalised(count) for count in counts), names)

    @classmethod
    def read(
        cls,
        source: str | os.PathLike[str] | bytes | BinaryIO,
        encoded: Encoded,
        progress: Callable[[float], None] | None = None,
    ) -> Marginals:
        """Read population statistics from a small file of the columns ``column, value, share``.

        Parameters
        ----------
        source
            Path, content or file object, as for :func:`core.read_table`. One row per value: the quasi-identifier or
            sensitive column, the value as the table writes it (an empty cell for a missing one), and its share of the
            population.
        encoded
            The table whose values these are.
        progress
            As for :func:`core.read_table`.

        Returns
        -------
        Marginals
            Shares of each column made to sum to exactly 1. A value that is not in the file
            has the probability 0; a column that is not in it is counted in the table and listed in ``from_table``.

        Raises
        ------
        InputError
            If the file cannot be read, lacks a column, or a row names an unknown column or
            value, repeats one, or has a share that is not a number from 0 to 1; or the shares
            of a column do not sum to 1 within 0.001. Messages name column and record, never
            a value.
        """
        table = read_table(source, progress=progress)
        for name in HEADER:
            if name not in table.names:
                raise InputError(
                    f"The file of marginals has no column {shown(name)}; it needs {', '.join(HEADER)}.", parameter=name
                )
        column, share = (table.column(name) for name in ("column", "share"))
        known = {domain.name for domain in _domains(encoded)}
        foreign = np.array([label not in known for label in column.labels])[column.codes]
        if foreign.any():
            raise InputError(
                f"Record {_first(foreign):,} of the file of marginals names a column that is neither a "
                f"quasi-identifier nor the sensitive one; those are {_listed(encoded)}.",
                parameter="column",
            )
        number = parse_numbers(share.labels, table.decimal)[share.codes]
        shares = {
            name: _column_shares(table, np.flatnonzero(column.codes == place), number, _domain(encoded, name))
            for place, name in enumerate(column.labels)
        }
        return cls._filled_up(shares, encoded)

    @classmethod
    def _filled_up(cls, shares: Mapping[str, Floats], encoded: Encoded) -> Marginals:
        """Fill in what was not supplied from the table."""
        table = cls.of(encoded)
        absent = tuple(name for name in table.names if name not in shares)
        return cls(
            table.names,
            tuple(shares.get(name, counted) for name, counted in zip(table.names, table.shares, strict=True)),
            absent,
        )

    # ---- reading it -----------------------------------------------------------------

    def probability(self, attribute: int) -> Floats:
        """(values,) P(q) of every code of one quasi-identifier, counted from 0."""
        if not 0 <= attribute < len(self.shares) - 1:
            raise ParameterError(
                f"There are {len(self.shares) - 1} quasi-identifiers, counted from 0.", parameter="attribute"
            )
        return self.shares[attribute]

    @property
    def sensitive(self) -> Floats:
        """(values,) P(s) of every code of the sensitive attribute."""
        return self.shares[-1]

    def check(self, encoded: Encoded) -> None:
        """Refuse a table with other columns or other values than those the marginals were made for.

        Raises
        ------
        ParameterError
            Naming the column.
        """
        domains = _domains(encoded)
        if len(domains) != len(self.names):
            raise ParameterError(
                f"The marginals cover {len(self.names)} columns but the table has {len(domains)}.",
                parameter="marginals",
            )
        for domain, name, share in zip(domains, self.names, self.shares, strict=True):
            if domain.name != name or domain.size != len(share):
                raise ParameterError(
                    f"The marginals do not fit {shown(domain.name)}; make them from the table they are used with.",
                    parameter=domain.name,
                )


def _domains(encoded: Encoded) -> tuple[Domain, ...]:
    return (*encoded.qids, encoded.sensitive)


def _domain(encoded: Encoded, name: str) -> Domain | None:
    return next((domain for domain in _domains(encoded) if domain.name == name), None)


def _listed(encoded: Encoded) -> str:
    return ", ".join(shown(domain.name) for domain in _domains(encoded))


def _normalised(weight: NDArray[np.int64] | Floats) -> Floats:
    share: Floats = weight / weight.sum()
    share.setflags(write=False)
    return share


def _codes(domain: Domain, labels: Sequence[str], decimal: str = ".") -> Ints:
    """Code of every text; -1 if the domain does not have it. Numbers are compared as numbers."""
    code = {label: place for place, label in enumerate(domain.labels)}
    if domain.missing >= 0:
        code.setdefault("", domain.missing)
    texts = shortest(labels, decimal) if domain.column_type is ColumnType.NUMERIC else labels
    return np.array([code.get(text, -1) for text in texts], dtype=np.int64)


def _first(wrong: NDArray[np.bool_]) -> int:
    """Number of the first invalid record of a file, from 1."""
    return int(np.flatnonzero(wrong)[0]) + 1


def _column_shares(table: Table, rows: Ints, number: Floats, domain: Domain | None) -> Floats:
    """(values,) shares of one column of the file; ``rows`` are its records."""
    assert domain is not None
    name, value = domain.name, table.column("value")
    code = _codes(domain, value.labels, table.decimal)[value.codes[rows]]
    again = np.ones(len(rows), dtype=bool)
    again[np.unique(code, return_index=True)[1]] = False
    share = number[rows]
    for wrong, words in (
        (code < 0, "has a value of {} that the table does not have; leave it out"),
        (again, "repeats a value of {}; give each value once"),
        (~((share >= 0) & (share <= 1)), "has a share of {} that is not a number from 0 to 1; write 0.25 for 25%"),
    ):
        if wrong.any():
            record = int(rows[_first(wrong) - 1]) + 1
            raise InputError(f"Record {record:,} of the file of marginals {words.format(shown(name))}.", parameter=name)
    total = float(share.sum())
    if abs(total - 1) > TOLERANCE:
        raise InputError(
            f"The shares of {shown(name)} sum to {total:.4g}; they must sum to 1, within {TOLERANCE:g}.", parameter=name
        )
    return _normalised(np.bincount(code, weights=share, minlength=domain.size))

"""Roles and types of the columns of a table.

A column is an *identifier* (dropped first), the *person* (identifies the person of each record, if people have several;
also dropped), a *quasi-identifier* (what an adversary may know), the *sensitive* attribute (what they want), the
*provider* (who contributed the record) or *other* (not published). Every column has exactly one role. A
quasi-identifier has a *column type* that says how it may be generalised.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from core.base.errors import SchemaError, nearest
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.base.short import named, short
from core.data.schemas.agreement import Agreement
from core.data.schemas.joint_value import joint_text
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.dates import FORMATS, UNITS

_STEPS = (np.nextafter(0, 1), np.finfo(float).max)
MISSING = ("category", "drop", "complete")
"""Treatment of records with missing values."""
ONE_RECORD = ("first", "last", "random")
"""Record that represents a person if only one is released."""


class ColumnType(StrEnum):
    """Order and generalisation of a column's values."""

    NUMERIC = "numeric"
    """Numbers, cut by value; a region is a range."""
    ORDINAL = "ordinal"
    """Labels with a declared order, cut along it; a region is a range of it."""
    CATEGORICAL = "categorical"
    """Labels in alphabetical order; a region is a set."""
    TAXONOMY = "taxonomy"
    """Leaves of a tree, cut by specialising a node; a region is a node."""
    DATE = "date"
    """Dates, cut by time; a region is a day, month, quarter or year, or a range of them."""

    @property
    def ordered(self) -> bool:
        """Whether a region is a range from a lowest to a highest value."""
        return self in (ColumnType.NUMERIC, ColumnType.ORDINAL, ColumnType.DATE)


class Role(StrEnum):
    """Role of a column."""

    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    UNMODIFIED = "unmodified"
    IDENTIFIER = "identifier"
    PERSON = "person"
    PROVIDER = "provider"
    OTHER = "other"


@dataclass(frozen=True)
class UnmodifiedColumn:
    """A column that is published as it is [definitions §4].

    Parameters
    ----------
    name
        Header.
    same_value_rate
        Probability that a shared person has the same value at another hospital: 1 same, 0 independent or not published
        there.
    rounded
        Step to whose multiples its numbers are rounded, if they are.
    diverse
        Whether it must meet l and t like the sensitive attribute.

    Raises
    ------
    SchemaError
        If the rate or the step is out of range.

    Examples
    --------
    >>> from composition_dashboard import UnmodifiedColumn, Schema
    >>> stay = UnmodifiedColumn("days", same_value_rate=0.9, rounded=2)
    >>> Schema(["age"], "diagnosis", unmodified=[stay]).unmodified["days"].rounded
    2
    """

    name: str
    same_value_rate: float = 1.0
    rounded: float | None = None
    diverse: bool = False

    def __post_init__(self) -> None:
        """Validate the column."""
        for what, number, low, high, words in (
            ("same_value_rate", self.same_value_rate, 0, 1, "a number from 0 to 1"),
            ("rounded", 1 if self.rounded is None else self.rounded, *_STEPS, "a number above 0"),
        ):
            given: Any = number
            if isinstance(given, bool) or not isinstance(given, int | float) or not low <= given <= high:
                raise SchemaError(f"{what} of {shown(self.name)} must be {words}.", parameter=self.name)

    @classmethod
    def each(
        cls,
        names: Sequence[str],
        same_value_rate: Mapping[str, float],
        rounded: Mapping[str, float],
        diverse: Sequence[str],
    ) -> list[UnmodifiedColumn]:
        """Columns as files and options give them: by name, with settings for some.

        Raises
        ------
        SchemaError
            If there are settings for a column that is not among the names.
        """
        for what, columns in (("same_value_rate", same_value_rate), ("rounded", rounded), ("diverse", diverse)):
            strange = next((column for column in columns if column not in names), None)
            if strange is not None:
                raise SchemaError(
                    f"{what} is given for {shown(strange)}, which is not an unmodified column.", parameter=strange
                )
        return [cls(name, same_value_rate.get(name, 1.0), rounded.get(name), name in diverse) for name in names]


@dataclass(frozen=True)
class DateFormat:
    """Date format of a column, and the unit that dates are converted to before grouping [definitions §1].

    Parameters
    ----------
    form
        Such as ``"%d/%m/%Y"`` (:mod:`core.data.tables.dates`); needed if the order of day and month is ambiguous, else
        inferred from the cells.
    unit
        ``"day"``, ``"week"``, ``"month"``, ``"quarter"`` or ``"year"``; never finer than the cells.

    Examples
    --------
    >>> from composition_dashboard import DateFormat, Schema
    >>> schema = Schema(["age", "seen"], "diagnosis", dates={"seen": DateFormat("%d/%m/%Y", "month")})
    >>> schema.dates["seen"].unit
    'month'
    """

    form: str | None = None
    unit: str = "day"

    @classmethod
    def each(cls, forms: Mapping[str, str], units: Mapping[str, str]) -> dict[str, DateFormat]:
        """Dates by column, as files and options give them."""
        return {column: cls(forms.get(column), units.get(column, "day")) for column in dict.fromkeys((*forms, *units))}


@dataclass(frozen=True)
class Schema:
    """Roles of all columns [definitions §1].

    Parameters
    ----------
    quasi_identifiers
        Columns that an adversary may know, in the order that breaks ties.
    sensitive
        The column to protect. Several are protected as one joint value, whose name is then in ``sensitive``.
    identifiers
        Columns dropped before anything else.
    provider
        Column naming the provider that contributed each record, if any.
    other
        Columns that are not published.
    column_types
        Type of a quasi-identifier or of the sensitive attribute. A type that is not given is inferred: *taxonomy* or
        *ordinal* if a tree or an order is given, *date* if a quasi-identifier looks like dates, *numeric* if every
        value is a number and none has a leading zero, else *categorical*.
    taxonomies
        Generalisation tree of a column.
    orders
        Values of an ordinal column from lowest to highest.
    missing
        ``"category"`` keeps a missing quasi-identifier as a separate value, ``"drop"``
        leaves such records out, ``"complete"`` also those whose sensitive value is missing
        (both are counted).
    missing_tokens
        Cells that mean "missing", in addition to the empty cell, which always does.
    unassigned
        What to do with columns without a role: ``"error"`` or ``"drop"``.
    person
        Column that identifies the person of each record, if people may have several. It is never
        published; classes then count persons, see the Method page.
    one_record
        ``None`` keeps all records of a person; ``"first"``, ``"last"`` (in the order of the
        table) and ``"random"`` keep one, and every record is then a person.
    record_seed
        Of the random choice.
    rows_are_people
        Whether every record is another person although an identifier repeats, such as a name. A table with such an
        identifier is refused unless this is said, or there is a person column.
    agreement
        The agreement that several publishers keep, if there is one; see :func:`core.algorithms.coordinated.agree`.
    unmodified
        Columns that are published as they are: headers, or :class:`UnmodifiedColumn` for further settings. An adversary
        knows none of these values about a person, but links releases by them. Kept by header.
    dates
        The date format of a column, and the unit to which dates are converted first, if its cells do not determine
        them.
    parts
        The sensitive columns if there are several, else empty; they are given as ``sensitive``.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier, a column has two roles, or an option is unknown.

    Examples
    --------
    >>> from composition_dashboard import Schema
    >>> Schema(["age", "zip code"], "diagnosis", identifiers=["name"]).counted
    ('age', 'zip code', 'diagnosis')
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: str
    identifiers: tuple[str, ...] = ()
    provider: str | None = None
    other: tuple[str, ...] = ()
    column_types: Mapping[str, ColumnType] = field(default_factory=dict)
    taxonomies: Mapping[str, Taxonomy] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: str = "category"
    missing_tokens: tuple[str, ...] = ("",)
    unassigned: str = "error"
    person: str | None = None
    one_record: str | None = None
    record_seed: int = 0
    unmodified: Mapping[str, UnmodifiedColumn] = field(default_factory=dict)
    dates: Mapping[str, DateFormat] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    agreement: Agreement | None = None
    rows_are_people: bool = False

    def __repr__(self) -> str:
        roles = {"provider": self.provider, "person": self.person}
        more = [f"{role} {shown(name)}" for role, name in roles.items() if name is not None]
        more += [f"unmodified {named(self.unmodified)}"] if self.unmodified else []
        known = f"quasi-identifiers {named(self.quasi_identifiers)}"
        return short(self, f"sensitive {shown(self.sensitive)}", *more, known)

    def __init__(
        self,
        quasi_identifiers: Sequence[str],
        sensitive: str | Sequence[str],
        identifiers: Sequence[str] = (),
        provider: str | None = None,
        other: Sequence[str] = (),
        column_types: Mapping[str, str] | None = None,
        taxonomies: Mapping[str, Taxonomy] | None = None,
        orders: Mapping[str, Sequence[str]] | None = None,
        missing: str = "category",
        missing_tokens: Iterable[str] = ("",),
        unassigned: str = "error",
        person: str | None = None,
        one_record: str | None = None,
        record_seed: int = 0,
        unmodified: Sequence[str | UnmodifiedColumn] | Mapping[str, UnmodifiedColumn] = (),
        dates: Mapping[str, DateFormat] | None = None,
        parts: Sequence[str] = (),
        agreement: Agreement | None = None,
        rows_are_people: bool = False,
    ) -> None:
        lists = {
            "quasi_identifiers": quasi_identifiers,
            "identifiers": identifiers,
            "other": other,
            "unmodified": unmodified,
        }
        for name, value in lists.items():
            if isinstance(value, str):
                raise SchemaError(f"{name} must be a list of column names, not one text.", parameter=name)
        put = object.__setattr__
        put(self, "quasi_identifiers", tuple(quasi_identifiers))
        protected = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive or ())
        if parts and sensitive == joint_text(parts):  # a copy of a schema
            protected = tuple(parts)
        if not all(isinstance(name, str) for name in protected):
            raise SchemaError("sensitive must be a column name, or a list of several.", parameter="sensitive")
        LIMITS["protected"].check(len(protected), "sensitive")
        put(self, "sensitive", protected[0] if len(protected) == 1 else joint_text(protected))
        put(self, "parts", protected if len(protected) > 1 else ())
        put(self, "identifiers", tuple(identifiers))
        put(self, "provider", provider)
        put(self, "other", tuple(other))
        put(
            self,
            "column_types",
            {column: _column_type(column, column_type) for column, column_type in (column_types or {}).items()},
        )
        put(self, "taxonomies", dict(taxonomies or {}))
        put(self, "orders", {column: tuple(order) for column, order in (orders or {}).items()})
        put(self, "missing", missing)
        put(self, "missing_tokens", tuple(dict.fromkeys(("", *missing_tokens))))
        put(self, "unassigned", unassigned)
        put(self, "person", person or None)
        put(self, "one_record", one_record)
        put(self, "record_seed", record_seed)
        put(self, "agreement", agreement)
        put(self, "rows_are_people", rows_are_people)
        put(self, "unmodified", _by_name(unmodified))
        put(self, "dates", dict(dates or {}))
        self._validate()

    def _validate(self) -> None:
        if not self.quasi_identifiers:
            raise SchemaError(
                "No quasi-identifier is chosen; give the role quasi-identifier to at least one column that an "
                "adversary may know.",
                parameter="quasi_identifiers",
            )
        if not all(self.sensitive_columns):
            raise SchemaError("No sensitive attribute is chosen; choose one column to protect.", parameter="sensitive")
        seen: dict[str, str] = {}
        for column, role in self.roles():
            if column in seen:
                raise SchemaError(
                    f"The column {shown(column)} is given two roles ({seen[column]} and {role}); leave it one.",
                    parameter=column,
                )
            seen[column] = role
        if self.missing not in MISSING:
            raise SchemaError("missing must be 'category', 'drop' or 'complete'.", parameter="missing")
        if self.unassigned not in ("error", "drop"):
            raise SchemaError("unassigned must be 'error' or 'drop'.", parameter="unassigned")
        self._validate_person()
        self._validate_dates()
        self._validate_parts(seen)
        described = {*self.quasi_identifiers, *self.sensitive_columns}
        for column in (*self.column_types, *self.taxonomies, *self.orders, *self.dates):
            if column not in described:
                raise SchemaError(
                    f"A column type, taxonomy, order or date format is given for {shown(column)}, which is neither a "
                    "quasi-identifier nor the sensitive attribute.",
                    parameter=column,
                )
        for column, column_type in self.column_types.items():
            if column_type is ColumnType.TAXONOMY and column not in self.taxonomies:
                raise SchemaError(
                    f"The column {shown(column)} has the column type taxonomy but no taxonomy; load a hierarchy or "
                    "choose another column type.",
                    parameter=column,
                )
            if column_type is ColumnType.ORDINAL and column not in self.orders:
                raise SchemaError(
                    f"The column {shown(column)} has the column type ordinal but no order; give its values from "
                    "lowest to highest or choose another column type.",
                    parameter=column,
                )
        for column, order in self.orders.items():
            if len(set(order)) != len(order):
                raise SchemaError(f"The order of {shown(column)} names a value twice.", parameter=column)

    def _validate_parts(self, named_columns: Collection[str]) -> None:
        """Refuse declarations about single values if the joint value is protected."""
        if self.parts and self.sensitive in named_columns:
            raise SchemaError(
                f"The column {shown(self.sensitive)} has the name of a joint value; rename it.",
                parameter=self.sensitive,
            )
        for column in self.parts:
            own = self.column_types.get(column, ColumnType.CATEGORICAL)
            given = {*self.taxonomies, *self.orders, *self.dates}
            if own not in (ColumnType.CATEGORICAL, ColumnType.NUMERIC) or column in given:
                raise SchemaError(
                    f"{shown(column)} is one of several sensitive columns, whose joint values have no taxonomy, "
                    f"order or dates; remove those of the column, or protect it alone.",
                    parameter=column,
                )
        if self.agreement is not None:
            self.need_one_sensitive("An agreement", "agreement")

    def need_one_sensitive(self, what: str, parameter: str = "sensitive") -> None:
        """Refuse several sensitive columns, for declarations that need the values of one.

        Raises
        ------
        SchemaError
            With the columns.
        """
        if self.parts:
            raise SchemaError(
                f"{what} covers the values of one sensitive column, but {named(self.parts)} are protected as one; "
                f"give all but one of them another role.",
                parameter=parameter,
            )

    def _validate_dates(self) -> None:
        for column, own in self.dates.items():
            if self.column_types.get(column, ColumnType.DATE) is not ColumnType.DATE or column in {
                *self.taxonomies,
                *self.orders,
            }:
                raise SchemaError(
                    f"A date format or unit is given for {shown(column)}, which has a column type; give it the "
                    f"column type date.",
                    parameter=column,
                )
            if own.form not in (None, *FORMATS) or own.unit not in UNITS:
                raise SchemaError(
                    f"The date format of {shown(column)} must be one of {', '.join(FORMATS)}, and its unit one of "
                    f"{', '.join(UNITS)}.",
                    parameter=column,
                )

    def _validate_person(self) -> None:
        if self.one_record is not None and self.one_record not in ONE_RECORD:
            raise SchemaError("one_record must be 'first', 'last' or 'random', or None.", parameter="one_record")
        if self.one_record is not None and self.person is None:
            raise SchemaError(
                "One record per person needs a column that identifies the person of each record; give one column the "
                "role person.",
                parameter="one_record",
            )
        LIMITS["record_seed"].check(self.record_seed, "record_seed")

    @property
    def diverse(self) -> tuple[str, ...]:
        """Published columns that must also meet l and t."""
        return tuple(name for name, column in self.unmodified.items() if column.diverse)

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """Columns that hold the sensitive attribute: one, or those of a joint value."""
        return self.parts or (self.sensitive,)

    @property
    def counted(self) -> tuple[str, ...]:
        """Columns that define classes and their values: quasi-identifiers and sensitive ones."""
        return (*self.quasi_identifiers, *self.sensitive_columns)

    @property
    def released(self) -> tuple[str, ...]:
        """Columns of a release: quasi-identifiers, sensitive ones and those published as they are."""
        return (*self.counted, *self.unmodified)

    def roles(self) -> list[tuple[str, Role]]:
        """Every declared column with its role, in the order of the arguments."""
        roles = [(column, Role.QUASI_IDENTIFIER) for column in self.quasi_identifiers]
        roles += [(column, Role.SENSITIVE) for column in self.sensitive_columns]
        roles += [(column, Role.UNMODIFIED) for column in self.unmodified]
        roles += [(column, Role.IDENTIFIER) for column in self.identifiers]
        roles += [(self.person, Role.PERSON)] if self.person else []
        roles += [(self.provider, Role.PROVIDER)] if self.provider else []
        roles += [(column, Role.OTHER) for column in self.other]
        return roles

    def check_columns(self, names: Sequence[str], *, need: Iterable[str] | None = None) -> None:
        """Refuse a table that lacks a declared column or has an undeclared one.

        No message holds a name that only the table has: the first row of a file without a header
        is a record.

        Parameters
        ----------
        names
            Columns of the table.
        need
            Declared columns that must be there; all by default.

        Raises
        ------
        SchemaError
            Naming the column.
        """
        declared = [column for column, _ in self.roles()]
        for column in declared if need is None else need:
            if column not in names:
                raise SchemaError(
                    f"The table has no column {shown(column)} among its {len(names):,} columns"
                    f"{nearest(column, names)}; check the name, and that the first row of the file holds the "
                    "names of the columns.",
                    parameter=column,
                )
        if self.unassigned == "error":
            self._need_roles(
                names, "give each a role, or leave out all columns without one (unassigned='drop', --drop-unassigned)"
            )

    def check_published(self, names: Sequence[str]) -> None:
        """Refuse a published table with an undeclared column, whatever ``unassigned`` says: its readers have it.

        Raises
        ------
        SchemaError
            With the number of the column.
        """
        self._need_roles(
            names,
            "who reads the table can link by it. Give it one: unmodified (--unmodified) if it is published as it is, "
            "identifier (--identifiers) if it is not published",
        )

    def _need_roles(self, names: Sequence[str], what_to_do: str) -> None:
        declared = {column for column, _ in self.roles()}
        extra = [name for name in names if name not in declared]
        if extra:
            more = f", as {len(extra) - 1:,} more" if len(extra) > 1 else ""
            raise SchemaError(
                f"Column {list(names).index(extra[0]) + 1:,} of the table has no role{more}; {what_to_do}.",
                parameter=extra[0],
            )

    def with_(self, **changes: Any) -> Schema:
        """Return a copy with some arguments changed."""
        arguments: dict[str, Any] = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return Schema(**{**arguments, **changes})

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON file; persons, an agreement, published columns and dates only if given."""
        person = {"person": self.person, "one_record": self.one_record, "record_seed": self.record_seed}
        columns = self.unmodified.values()
        unmodified = {
            "unmodified": list(self.unmodified),
            "same_value_rate": {
                column.name: column.same_value_rate for column in columns if column.same_value_rate != 1
            },
            "rounded": {column.name: column.rounded for column in columns if column.rounded is not None},
            "diverse": list(self.diverse),
        }
        forms = {name: own.form for name, own in self.dates.items() if own.form is not None}
        units = {name: own.unit for name, own in self.dates.items() if own.unit != "day" or name not in forms}
        return {
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.parts) or self.sensitive,
            "identifiers": list(self.identifiers),
            "provider": self.provider,
            "other": list(self.other),
            "kinds": {column: str(column_type) for column, column_type in self.column_types.items()},
            "taxonomies": {column: tree.to_json() for column, tree in self.taxonomies.items()},
            "orders": {column: list(order) for column, order in self.orders.items()},
            "missing": self.missing,
            "missing_tokens": list(self.missing_tokens),
            "unassigned": self.unassigned,
            **(person if self.person or self.record_seed else {}),
            **({"rows_are_people": True} if self.rows_are_people else {}),
            **({} if self.agreement is None else {"agreement": self.agreement.sealed_facts}),
            **(unmodified if self.unmodified else {}),
            **({"date_formats": forms} if forms else {}),
            **({"date_units": units} if units else {}),
        }


def _by_name(
    unmodified: Sequence[str | UnmodifiedColumn] | Mapping[str, UnmodifiedColumn],
) -> dict[str, UnmodifiedColumn]:
    given = unmodified.values() if isinstance(unmodified, Mapping) else unmodified
    columns: dict[str, UnmodifiedColumn] = {}
    for each in given:
        column = UnmodifiedColumn(each) if isinstance(each, str) else each
        if column.name in columns:
            raise SchemaError(f"The column {shown(column.name)} is published twice.", parameter=column.name)
        columns[column.name] = column
    return columns


def _column_type(column: str, column_type: str) -> ColumnType:
    try:
        return ColumnType(column_type)
    except ValueError:
        raise SchemaError(
            f"The column type of {shown(column)} must be one of {', '.join(ColumnType)}.", parameter=column
        ) from None

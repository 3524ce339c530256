"""Encode text as the integer codes that all algorithms use.

Each quasi-identifier becomes a row of int32 codes, its ranks in a :class:`Domain`. Codes
are ordered by value, declared order, label or leaf number, so every region is an interval
of codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Codes, Ints, is_first, runs
from core.base.errors import ParameterError, SchemaError, SeveralRecordsError
from core.base.errors import shown_name as shown
from core.base.short import many, named, short
from core.data.classes import ClassHistogram, first_of_each, weighted_count
from core.data.encoding.agreed_values import check_years, with_agreement
from core.data.encoding.domain import Domain, shrink, without_missing
from core.data.encoding.persons import check_people
from core.data.encoding.published_columns import PlainColumn, plain_columns, with_settings
from core.data.frequency_table import FrequencyTable, data_of
from core.data.schemas.schema import Schema
from core.data.tables.table import Table

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame
from core.data.encoding.columns import encode_column, encode_provider, encode_sensitive, person_codes


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table as codes.

    Parameters
    ----------
    qids
        Domain of each quasi-identifier.
    codes
        (quasi-identifiers, records) int32.
    sensitive
        Domain of the sensitive attribute. It is shared by all parts of one table, so that
        sensitive codes of two hospitals agree.
    sensitive_codes
        (records,) int32 sensitive code.
    rows
        (records,) position of each record in the table it came from.
    dropped
        Records left out because a value was missing.
    provider
        Domain of the column that names who contributed a record, if the schema has one;
        shared by all parts of one table.
    provider_code
        (records,) int32 provider code of each record, if there is such a column.
    person
        (records,) int32 person of each record; by default each record is a separate person. Numbers
        are shared by all parts of one table.
    set_aside
        Records left out because another one of their person is kept (one record per person).
    everybody
        People of the table before any record was left out; 0 if that is not known, as for a part.
    weight
        (records,) number of records of the table that each represents, 1 by default. If a
        :class:`~core.data.frequency_table.FrequencyTable` was encoded, a record is a tuple of values and belongs to no
        particular person.
    plain
        Columns that are published as they are.
    """

    qids: tuple[Domain, ...]
    codes: Codes
    sensitive: Domain
    sensitive_codes: Codes
    rows: NDArray[np.int64]
    dropped: int = 0
    provider: Domain | None = None
    provider_code: Codes | None = None
    person: Codes = None  # type: ignore[assignment]
    set_aside: int = 0
    everybody: int = 0
    weight: Ints = None  # type: ignore[assignment]
    plain: tuple[PlainColumn, ...] = ()

    def __post_init__(self) -> None:
        """By default each record is a separate person with weight 1."""
        if self.person is None:
            object.__setattr__(self, "person", np.arange(len(self.sensitive_codes), dtype=np.int32))
        if self.weight is None:
            object.__setattr__(self, "weight", np.ones(len(self.sensitive_codes), dtype=np.int64))

    def __repr__(self) -> str:
        known, sensitive_codes = named(domain.name for domain in self.qids), shown(self.sensitive.name)
        return short(self, many(self.records, "record"), f"quasi-identifiers {known}", f"sensitive {sensitive_codes}")

    def __len__(self) -> int:
        """Number of records in memory (for a frequency table its tuples); see :attr:`records`."""
        return len(self.sensitive_codes)

    @cached_property
    def records(self) -> int:
        """Number of records of the table; for a frequency table the sum of its counts."""
        return int(self.weight.sum())

    @cached_property
    def people(self) -> int:
        """Number of people: records, or distinct persons if they may have several."""
        persons = int(np.count_nonzero(np.bincount(self.person)))
        return persons + self.records - len(self)

    @property
    def has_multiple_records(self) -> bool:
        """Whether any person has several records; persons are then counted, each once."""
        return self.people < self.records

    @cached_property
    def counted(self) -> bool:
        """Whether a record represents several, as in a frequency table; individuals are then unknown."""
        return self.records > len(self)

    @property
    def to_release(self) -> Encoded:
        """These records, from which their publisher makes a release (:class:`core.study.publisher.Publisher`)."""
        return self

    @property
    def given_out(self) -> None:
        """``None``: nothing was published yet."""
        return

    def shared(self, rows: NDArray[np.int64], drawn: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: ARG002 - a file of another publisher goes by rows
        """Positions of shared people among records that were drawn with them: ``drawn``."""
        return drawn

    @cached_property
    def overall(self) -> NDArray[np.int64]:
        """Number of people with each sensitive value: records, or persons once per value if they may have several."""
        return self.overall_of(np.arange(len(self)))

    def overall_of(self, kept: Ints) -> Ints:
        """(values,) number of people with each sensitive value among the records at some positions."""
        if self.has_multiple_records:
            kept = kept[first_of_each(self.sensitive_codes[kept], self.person[kept])]
        return weighted_count(self.sensitive_codes[kept], self.weight[kept], self.sensitive.size)

    def histogram(self, labels: NDArray[Any], classes: int, overall: Ints) -> ClassHistogram:
        """Number of people with each sensitive value by class.

        Parameters
        ----------
        labels
            (records,) class of each record, -1 for one that is left out; every class must occur.
        classes
            Their number.
        overall
            (values,) people of each value in the table that classes are compared with.
        """
        kept, missing = np.flatnonzero(labels >= 0), self.sensitive.missing
        labels, sensitive_codes = labels[kept], self.sensitive_codes[kept]
        if self.has_multiple_records:
            return ClassHistogram.of_persons(labels, sensitive_codes, overall, classes, self.person[kept], missing)
        return ClassHistogram.of_records(labels, sensitive_codes, overall, classes, self.weight[kept], missing)

    @property
    def known_values(self) -> int:
        """Number of sensitive values that occur, without missing ones."""
        return int(np.count_nonzero(self.sensitive.is_known(np.flatnonzero(self.overall))))

    @cached_property
    def as_one_class(self) -> ClassHistogram:
        """Sensitive values of the whole table as one class."""
        value = np.flatnonzero(self.overall)
        start = np.zeros(min(len(value), 1), dtype=np.int64)
        missing, people = self.sensitive.missing, np.full(len(start), self.people)
        return ClassHistogram(np.zeros_like(value), value, self.overall[value], start, self.overall, missing, people)

    @cached_property
    def neighbours(self) -> dict[int, Any]:
        """Donors of values for each record, by scale, as far as known (:mod:`core.study`)."""
        return {}

    @cached_property
    def whose(self) -> NDArray[np.int64]:
        """(records,) number of each record's person, from 0 in order of first appearance."""
        self.need_rows("What is done to single people")
        _, first, number = np.unique(self.person, return_index=True, return_inverse=True)
        place = np.empty(len(first), dtype=np.int64)
        place[np.argsort(first)] = np.arange(len(first))
        whose: NDArray[np.int64] = place[number]
        return whose

    @cached_property
    def first_records(self) -> NDArray[np.int64]:
        """(people,) position of the first record of each person."""
        first: NDArray[np.int64] = np.unique(self.whose, return_index=True)[1]
        return first

    @cached_property
    def _by_person(self) -> tuple[Ints, Ints]:
        """Positions of the records, person after person, and (people + 1,) the start of each person's records."""
        many = np.bincount(self.whose, minlength=self.people)
        return np.argsort(self.whose, kind="stable"), np.concatenate(([0], np.cumsum(many)))

    def records_of(self, people: NDArray[Any]) -> NDArray[np.int64]:
        """Positions of all records of some people, person after person in the order given.

        ``people`` are numbers as in ``whose``. O(records log records) once, then O(records given).
        """
        chosen: NDArray[np.int64] = np.asarray(people, dtype=np.int64)
        order, starts = self._by_person
        records: NDArray[np.int64] = order[runs(starts[chosen], starts[chosen + 1] - starts[chosen])]
        return records

    def leading(self, people: int) -> int:
        """Count the records of the first ``people`` people of a table in which the records of a person are together.

        Count the tuples of a frequency table if the first ones represent exactly that many people.
        """
        begins = np.cumsum(is_first(self.person) * self.weight)
        return int(np.searchsorted(begins, people, side="right"))

    def take(self, positions: NDArray[Any]) -> Encoded:
        """Return some records as a separate table.

        Numeric and categorical domains shrink to the values that occur: another publisher knows only its own records,
        so its ranges and sets follow from these. Orders and taxonomies are public and stay whole. O(quasi-identifiers x
        records).
        """
        domains, codes = [], np.empty((len(self.qids), len(positions)), dtype=np.int32)
        for i, domain in enumerate(self.qids):
            own, codes[i] = shrink(domain, self.codes[i][positions])
            domains.append(own)
        source = None if self.provider_code is None else self.provider_code[positions]
        return Encoded(
            tuple(domains),
            codes,
            self.sensitive,
            self.sensitive_codes[positions],
            self.rows[positions],
            provider=self.provider,
            provider_code=source,
            person=self.person[positions],
            weight=self.weight[positions],
            plain=tuple(column.take(positions) for column in self.plain),
        )

    def tuples(self, positions: NDArray[Any], weight: Ints) -> Encoded:
        """Return some tuples of a frequency table, a tuple perhaps several times, as a separate table.

        ``weight``, (positions,), is the number of records each represents, at least 1.
        """
        nobody = np.arange(len(positions), dtype=np.int32)
        return replace(self.take(positions), weight=weight, person=nobody)

    def only(self, names: Sequence[str]) -> Encoded:
        """Return the same records with some of the quasi-identifiers, in the present order.

        Raises
        ------
        ParameterError
            If none of the names is a quasi-identifier, or one is not.
        """
        have = [domain.name for domain in self.qids]
        unknown = next((name for name in names if name not in have), None)
        if unknown is not None or not names:
            what = "No quasi-identifier is named" if unknown is None else f"{shown(unknown)} is no quasi-identifier"
            raise ParameterError(f"{what}; name at least one that the table has.", parameter="attributes")
        keep = [i for i, name in enumerate(have) if name in set(names)]
        return replace(self, qids=tuple(self.qids[i] for i in keep), codes=self.codes[keep])

    def one_record(self, how: str = "first", seed: int = 0) -> Encoded:
        """Return one record of each person, in the present order; every record is then a person.

        Parameters
        ----------
        how
            ``"first"``, ``"last"`` or ``"random"``.
        seed
            Of the random choice: each record of a person is as likely.
        """
        if not self.has_multiple_records:
            return self
        order = np.arange(len(self))
        if how == "last":
            order = order[::-1]
        elif how == "random":
            # One number for each row of the table: which record is chosen does not depend on other people's records.
            draws = np.random.default_rng(seed).random(int(self.rows.max(initial=-1)) + 1)
            order = np.argsort(draws[self.rows], kind="stable")
        first = np.unique(self.person[order], return_index=True)[1]
        kept = self.take(np.sort(order[first]))
        return replace(kept, dropped=self.dropped, set_aside=len(self) - len(kept))

    def need_one_record(self, what: str, parameter: str) -> None:
        """Refuse a table whose persons have several records, for functions that count records.

        Raises
        ------
        SeveralRecordsError
            With the way out.
        """
        if self.has_multiple_records:
            raise SeveralRecordsError(
                f"{what} counts records, but persons of this table have several; choose one record per person when "
                f"you load the table.",
                parameter=parameter,
            )

    def need_rows(self, what: str, parameter: str = "data") -> None:
        """Refuse a frequency table, for functions that need individual records.

        Raises
        ------
        ParameterError
            With the way out.
        """
        if self.counted:
            raise ParameterError(
                f"{what} needs the records themselves, and a frequency table only counts equal ones; give the table.",
                parameter=parameter,
            )

    def with_sensitive(self, sensitive_codes: Codes) -> Encoded:
        """Return the same people with other sensitive values."""
        return replace(self, sensitive_codes=sensitive_codes)


def check_is_schema(schema: object) -> None:
    """Refuse what is no schema."""
    if not isinstance(schema, Schema):
        raise SchemaError('The roles of the columns are a schema, such as Schema(["age", "sex"], "diagnosis").')


def encode(table: Table | FrequencyTable | IntoDataFrame, schema: Schema) -> Encoded:
    """Encode the quasi-identifiers and the sensitive attribute of a table.

    Parameters
    ----------
    table
        Any table or frame, or a frequency table of one. A frequency table has only the quasi-identifiers and the
        sensitive attribute; other columns of the schema are not expected in it.
    schema
        Roles and types; every column of the table needs a role unless ``unassigned="drop"``.

    Returns
    -------
    Encoded
        Without the records that ``schema.missing`` leaves out; if the schema asks for one record per person, one of the
        remaining ones is kept.

    Raises
    ------
    SchemaError
        If a column is missing, undeclared, not of its type, or entirely empty, the person
        column has an empty cell, or the sensitive attribute has one value only or a different one in every record.
    RepeatedIdentifierError
        If it is not known whether records are people (:func:`core.data.encoding.persons.check_people`).
    LimitError
        If a categorical column has more than 50,000 distinct values.

    Notes
    -----
    Texts are parsed once per distinct value; O(columns x (records + distinct log distinct)).
    """
    given = table = data_of(table)
    check_is_schema(schema)
    if isinstance(table, FrequencyTable):
        weight = table.counts
        table = table.checked(schema)
    else:
        weight = np.ones(len(table), dtype=np.int64)
        schema.check_columns(table.names)
    absent = set(schema.missing_tokens)
    if schema.agreement is not None:
        check_years(schema, {name: table.column(name) for name in schema.quasi_identifiers})
    domains, rows = [], []
    for name in schema.quasi_identifiers:
        domain, codes = encode_column(table.column(name), schema, absent, table.decimal)
        domains.append(domain)
        rows.append(codes)
    sensitive, sensitive_codes = encode_sensitive(table, schema, absent)
    codes, everyone = np.array(rows, dtype=np.int32), np.arange(len(table))
    sensitive, sensitive_codes = with_agreement(sensitive, sensitive_codes, domains, codes, schema.agreement)
    plain = with_settings(plain_columns(table, schema), schema)
    encoded = Encoded(tuple(domains), codes, sensitive, sensitive_codes, everyone, weight=weight, plain=plain)
    if schema.provider is not None and schema.provider in table.names:
        provider, source = encode_provider(table.column(schema.provider), absent)
        encoded = replace(encoded, provider=provider, provider_code=source)
    if schema.person is not None:  # refused before for a frequency table
        encoded = replace(encoded, person=person_codes(table.column(schema.person), absent))
    everybody = encoded.people
    if schema.missing != "category":
        encoded = _without_missing(encoded, also_sensitive=schema.missing == "complete")
    if schema.one_record is not None:
        encoded = encoded.one_record(schema.one_record, schema.record_seed)
    _check_sensitive(encoded)
    check_people(given, schema)
    return replace(encoded, everybody=everybody)


def _without_missing(encoded: Encoded, also_sensitive: bool) -> Encoded:
    keep = np.ones(len(encoded), dtype=bool)
    for domain, codes in zip(encoded.qids, encoded.codes, strict=True):
        if domain.missing >= 0:
            keep &= codes != domain.missing
    if also_sensitive and encoded.sensitive.missing >= 0:
        keep &= encoded.sensitive.is_known(encoded.sensitive_codes)
    if keep.all():
        return encoded
    if not keep.any():
        raise SchemaError(
            "Every record has a missing value; keep missing values as a category of their own, or choose other "
            "columns.",
            parameter="missing",
        )
    kept = encoded.take(np.flatnonzero(keep))
    sensitive = without_missing(kept.sensitive) if also_sensitive else kept.sensitive
    return replace(kept, sensitive=sensitive, dropped=encoded.records - kept.records)


def _check_sensitive(encoded: Encoded) -> None:
    name = encoded.sensitive.name
    distinct = encoded.known_values
    if distinct == 0:
        raise SchemaError(f"All values of the sensitive column {shown(name)} are missing.", parameter=name)
    if distinct == 1:
        raise SchemaError(
            f"The sensitive column {shown(name)} has only one value, so there is nothing to protect; choose another "
            f"column.",
            parameter=name,
        )
    if distinct == encoded.records and distinct > 20:
        raise SchemaError(
            f"Every record has its own value of {shown(name)}; a sensitive attribute needs values that people share. "
            "Is it an identifier?",
            parameter=name,
        )

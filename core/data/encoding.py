"""From text to integer codes: what every algorithm of core works on.

Each quasi-identifier becomes a row of int32 codes, its ranks in a :class:`Domain`. Codes
are ordered by value, declared order, label or leaf number, so every region is an interval
of codes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Codes, Ints, is_first, runs
from core.base.errors import ParameterError, SchemaError, SeveralRecordsError, TaxonomyError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.base.short import many, named, short
from core.data.bands import Bands
from core.data.classes import ClassHistogram, first_of_each, weighted_count
from core.data.dates import days_of, first_day, formats_of, looks_like_dates, published_unit, text_of
from core.data.domain import Domain, number_text, shortest, shrink, with_missing, without_missing
from core.data.hierarchies import why_lacking
from core.data.joint import cells_of, joint_column
from core.data.number_forms import numbers_of
from core.data.persons import Repeat, repeated_identifiers
from core.data.plain import PlainColumn, plain_columns, with_settings
from core.data.schema import Dates, Kind, Schema
from core.data.table import Column, Table, parse_numbers
from core.data.tally import Tally, data_of

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

MAX_CATEGORIES = int(LIMITS["categories"].most)


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
    secret
        (records,) int32 sensitive code.
    rows
        (records,) position of each record in the table it came from.
    dropped
        Records left out because a value was missing.
    provider
        Domain of the column that names who contributed a record, if the schema has one;
        shared by all parts of one table.
    source
        (records,) int32 provider code of each record, if there is such a column.
    person
        (records,) int32 person of each record; by default each record is a separate person. Numbers
        are shared by all parts of one table.
    set_aside
        Records left out because their person has another one (one record a person).
    everybody
        People of the table before any record was left out; 0 if that is not known, as of a part.
    repeats
        Identifiers that repeat although no column says whose a record is; of a table that was
        read as a whole, not of parts of it.
    weight
        (records,) how many records of the table each one stands for, 1 by default. Where a
        :class:`~core.data.tally.Tally` was encoded, a record is a tuple of values, and it is of nobody in particular.
    plain
        Columns that are published as they are.
    """

    qids: tuple[Domain, ...]
    codes: Codes
    sensitive: Domain
    secret: Codes
    rows: NDArray[np.int64]
    dropped: int = 0
    provider: Domain | None = None
    source: Codes | None = None
    person: Codes = None  # type: ignore[assignment]
    set_aside: int = 0
    everybody: int = 0
    repeats: tuple[Repeat, ...] = ()
    weight: Ints = None  # type: ignore[assignment]
    plain: tuple[PlainColumn, ...] = ()

    def __post_init__(self) -> None:
        """By default each record is a separate person with weight 1."""
        if self.person is None:
            object.__setattr__(self, "person", np.arange(len(self.secret), dtype=np.int32))
        if self.weight is None:
            object.__setattr__(self, "weight", np.ones(len(self.secret), dtype=np.int64))

    def __repr__(self) -> str:
        known, secret = named(domain.name for domain in self.qids), shown(self.sensitive.name)
        return short(self, many(self.records, "record"), f"quasi-identifiers {known}", f"sensitive {secret}")

    def __len__(self) -> int:
        """Number of records held: of a tally its tuples; see :attr:`records`."""
        return len(self.secret)

    @cached_property
    def records(self) -> int:
        """Number of records of the table: of a tally the sum of its counts."""
        return int(self.weight.sum())

    @cached_property
    def people(self) -> int:
        """Number of people: records, or distinct persons where they may have several."""
        persons = int(np.count_nonzero(np.bincount(self.person)))
        return persons + self.records - len(self)

    @property
    def several(self) -> bool:
        """Whether somebody has several records; persons are then counted, each once."""
        return self.people < self.records

    @cached_property
    def counted(self) -> bool:
        """Whether a record stands for several, as in a tally; nobody is then known one by one."""
        return self.records > len(self)

    @property
    def to_release(self) -> Encoded:
        """These records: what their publisher makes a release of (:class:`core.study.publisher.Publisher`)."""
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
        """People of each sensitive value: records, or persons, each once a value, where they may have several."""
        return self.overall_of(np.arange(len(self)))

    def overall_of(self, kept: Ints) -> Ints:
        """(values,) people of each sensitive value among the records at some positions."""
        if self.several:
            kept = kept[first_of_each(self.secret[kept], self.person[kept])]
        return weighted_count(self.secret[kept], self.weight[kept], self.sensitive.size)

    def histogram(self, labels: NDArray[Any], classes: int, overall: Ints) -> ClassHistogram:
        """People of each sensitive value by class.

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
        labels, secret = labels[kept], self.secret[kept]
        if self.several:
            return ClassHistogram.of_persons(labels, secret, overall, classes, self.person[kept], missing)
        return ClassHistogram.tally(labels, secret, overall, classes, self.weight[kept], missing)

    @property
    def known_values(self) -> int:
        """Number of sensitive values that occur, those that are missing left out."""
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
        """Who may lend values to whom, by scale, as far as it is known (:mod:`core.study`)."""
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
        """Positions of the records, person after person, and (people + 1,) where each person's begin among them."""
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

        Of a tally, count the tuples, if the first ones stand for exactly that many people.
        """
        begins = np.cumsum(is_first(self.person) * self.weight)
        return int(np.searchsorted(begins, people, side="right"))

    def take(self, positions: NDArray[Any]) -> Encoded:
        """Return some records as a table of their own.

        Numeric and categorical domains shrink to the values that occur: another publisher
        knows only its own records, so its ranges and sets are its own. Orders and
        taxonomies are public and stay whole. O(quasi-identifiers x records).
        """
        domains, codes = [], np.empty((len(self.qids), len(positions)), dtype=np.int32)
        for i, domain in enumerate(self.qids):
            own, codes[i] = shrink(domain, self.codes[i][positions])
            domains.append(own)
        source = None if self.source is None else self.source[positions]
        return Encoded(
            tuple(domains),
            codes,
            self.sensitive,
            self.secret[positions],
            self.rows[positions],
            provider=self.provider,
            source=source,
            person=self.person[positions],
            weight=self.weight[positions],
            plain=tuple(column.take(positions) for column in self.plain),
        )

    def tuples(self, positions: NDArray[Any], weight: Ints) -> Encoded:
        """Return some tuples of a tally, a tuple perhaps several times, as a separate table.

        ``weight``, (positions,), is the number of records each stands for, at least 1.
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
        if not self.several:
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
        """Refuse a table whose persons have several records, for what counts records.

        Raises
        ------
        SeveralRecordsError
            With the way out.
        """
        if self.several:
            raise SeveralRecordsError(
                f"{what} counts records, and persons of this table have several; choose one record a person "
                "where the table is loaded.",
                parameter=parameter,
            )

    def need_rows(self, what: str, parameter: str = "data") -> None:
        """Refuse a tally, for what needs every record by itself.

        Raises
        ------
        ParameterError
            With the way out.
        """
        if self.counted:
            raise ParameterError(
                f"{what} needs the records themselves, and a tally only counts those that are alike; give the table.",
                parameter=parameter,
            )

    def with_secret(self, secret: Codes) -> Encoded:
        """Return the same people with other sensitive values."""
        return replace(self, secret=secret)


def encode(table: Table | Tally | IntoDataFrame, schema: Schema) -> Encoded:
    """Encode the quasi-identifiers and the sensitive attribute of a table.

    Parameters
    ----------
    table
        Any table or frame, or a tally of one. A tally has the quasi-identifiers and the sensitive
        attribute alone; whatever else the schema names is not looked for in it.
    schema
        Roles and kinds; every column of the table needs a role unless ``others="drop"``.

    Returns
    -------
    Encoded
        Without the records that ``schema.missing`` leaves out; where one record a person is
        asked for, with one of those that remain.

    Raises
    ------
    SchemaError
        If a column is missing, undeclared, not of its kind, or empty throughout, the person
        column has an empty cell, or the sensitive attribute has one value only or a different one in every record.
    LimitError
        If a categorical column has more than 50,000 distinct values.

    Notes
    -----
    Texts are parsed once per distinct value; O(columns x (records + distinct log distinct)).
    """
    given = table = data_of(table)
    if not isinstance(schema, Schema):
        raise SchemaError('The roles of the columns are a schema, such as Schema(["age", "sex"], "diagnosis").')
    if isinstance(table, Tally):
        weight = table.counts
        table = table.checked(schema)
    else:
        weight = np.ones(len(table), dtype=np.int64)
        schema.check_columns(table.names)
    absent = set(schema.missing_tokens)
    domains, rows = [], []
    for name in schema.quasi_identifiers:
        domain, codes = _encode_column(table.column(name), schema, absent, table.decimal)
        domains.append(domain)
        rows.append(codes)
    sensitive, secret = _encode_sensitive(table, schema, absent)
    sensitive, secret = _with_agreed(sensitive, secret, schema)
    codes, everyone = np.array(rows, dtype=np.int32), np.arange(len(table))
    plain = with_settings(plain_columns(table, schema), schema)
    encoded = Encoded(tuple(domains), codes, sensitive, secret, everyone, weight=weight, plain=plain)
    if schema.provider is not None and schema.provider in table.names:
        provider, source = _encode_provider(table.column(schema.provider), absent)
        encoded = replace(encoded, provider=provider, source=source)
    if schema.person is not None:  # of a tally it was refused
        encoded = replace(encoded, person=_person_codes(table.column(schema.person), absent))
    everybody = encoded.people
    if schema.missing != "category":
        encoded = _without_missing(encoded, also_sensitive=schema.missing == "complete")
    if schema.one_record is not None:
        encoded = encoded.one_record(schema.one_record, schema.record_seed)
    _check_sensitive(encoded)
    return replace(encoded, everybody=everybody, repeats=repeated_identifiers(given, schema))


def _without_missing(encoded: Encoded, also_sensitive: bool) -> Encoded:
    keep = np.ones(len(encoded), dtype=bool)
    for domain, codes in zip(encoded.qids, encoded.codes, strict=True):
        if domain.missing >= 0:
            keep &= codes != domain.missing
    if also_sensitive and encoded.sensitive.missing >= 0:
        keep &= encoded.sensitive.is_known(encoded.secret)
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
            f"The sensitive column {shown(name)} has one value only, so there is nothing to tell apart; choose "
            "another column.",
            parameter=name,
        )
    if distinct == encoded.records and distinct > 20:
        raise SchemaError(
            f"Every record has its own value of {shown(name)}; a sensitive attribute needs values that people share. "
            "Is it an identifier?",
            parameter=name,
        )


# ---- one column -----------------------------------------------------------------------


def inferred_kind(column: Column, schema: Schema, decimal: str = ".") -> Kind:
    """Return the kind of a column: as declared, else as its values look."""
    name = column.name
    if name in schema.kinds:
        return schema.kinds[name]
    if name in schema.taxonomies:
        return Kind.TAXONOMY
    if name in schema.orders:
        return Kind.ORDINAL
    known = [label for label in column.labels if label not in schema.missing_tokens]
    if name in schema.dates:
        return Kind.DATE
    if name not in schema.sensitive_columns and looks_like_dates(known):
        return Kind.DATE
    if numbers_of(known, decimal) is not None:
        return Kind.NUMERIC
    # A sensitive attribute gets no order that its publisher did not declare.
    placed = name in schema.quasi_identifiers and bool(order_of(column, schema))
    return Kind.ORDINAL if placed else Kind.CATEGORICAL


def shared_formats(names: Sequence[str], mine: Table, theirs: Table, schema: Schema) -> dict[str, str]:
    """My format of each column of dates, declared or recognised, where dates of another table fit it."""
    shared: dict[str, str] = {}
    for name in names:
        pair = [table.column(name) for table in (mine, theirs)]
        if inferred_kind(pair[0], schema, mine.decimal) is Kind.DATE:
            known = [[label for label in column.labels if label not in schema.missing_tokens] for column in pair]
            own, other = map(formats_of, known)
            form = schema.dates.get(name, Dates()).form or (own[0] if len(own) == 1 else "")
            shared |= {name: form} if form in other else {}
    return shared


def order_of(column: Column, schema: Schema) -> tuple[str, ...]:
    """Order of an ordinal column: as declared, else as its frame has it or its bands are (:mod:`core.data.bands`)."""
    if column.name in schema.orders:
        return schema.orders[column.name]
    return own_order(column, [label for label in column.labels if label not in schema.missing_tokens])


def own_order(column: Column, known: Sequence[str]) -> tuple[str, ...]:
    """Order that a column brings along for the values that are known; empty if it has none."""
    if column.order and set(known) <= set(column.order):
        gone = set(column.labels) - set(known)
        return tuple(label for label in column.order if label not in gone)
    bands = Bands.of(known)
    return () if bands is None else bands.labels


def _encode_column(column: Column, schema: Schema, absent: set[str], decimal: str) -> tuple[Domain, Codes]:
    kind = inferred_kind(column, schema, decimal)
    known = [label for label in column.labels if label not in absent]
    _check_known(column, known, kind)
    domain, known_codes = _READERS[kind](_Values(column, known, schema, decimal))
    code_of = dict(zip(known, known_codes, strict=True))
    if len(known) < len(column.labels):
        domain = with_missing(domain)
    lookup = np.array([code_of.get(label, domain.missing) for label in column.labels], dtype=np.int32)
    return domain, lookup[column.codes]


def sensitive_column(table: Table, schema: Schema) -> Column:
    """The sensitive attribute of a table: its column, or the joint values of several under the name of the schema."""
    columns = [table.column(name) for name in schema.sensitive_columns]
    if not schema.parts:
        return columns[0]
    absent, texts = set(schema.missing_tokens), []
    for column in columns:
        known = [label for label in column.labels if label not in absent]
        numeric = inferred_kind(column, schema, table.decimal) is Kind.NUMERIC
        written = shortest(known, table.decimal) if numeric else known
        texts.append({**dict.fromkeys(column.labels, ""), **dict(zip(known, written, strict=True))})
    return joint_column(schema.sensitive, columns, texts)


def joint_domain(column: Column, parts: tuple[str, ...]) -> tuple[Domain, Codes]:
    """Domain of a column of joint values, and its codes; values that lack a cell come last."""
    whole = [all(cells_of(label)) for label in column.labels]
    known = [label for label, is_whole in zip(column.labels, whole, strict=True) if is_whole]
    _check_known(column, known, Kind.CATEGORICAL)
    rest = [label for label, is_whole in zip(column.labels, whole, strict=True) if not is_whole]
    place = {label: code for code, label in enumerate((*known, *rest))}
    missing = len(known) if rest else -1
    domain = Domain(column.name, Kind.CATEGORICAL, tuple(place), missing=missing, parts=parts)
    return domain, np.array([place[label] for label in column.labels], dtype=np.int32)[column.codes]


def _encode_sensitive(table: Table, schema: Schema, absent: set[str]) -> tuple[Domain, Codes]:
    column = sensitive_column(table, schema)
    if schema.parts:
        return joint_domain(column, schema.parts)
    return _encode_column(column, schema, absent, table.decimal)


def _check_known(column: Column, known: Sequence[str], kind: Kind) -> None:
    if not known:
        raise SchemaError(f"All values of the column {shown(column.name)} are missing.", parameter=column.name)
    if kind is Kind.CATEGORICAL:
        LIMITS["categories"].check(
            len(known),
            column.name,
            f"Without a taxonomy the number of distinct values of the column {shown(column.name)}",
            "Give it a taxonomy, another kind, or another role.",
        )


def _with_agreed(domain: Domain, secret: Codes, schema: Schema) -> tuple[Domain, Codes]:
    """Domain with the list, and codes for those of its values that the table lacks: they may be among those left."""
    if schema.agreed is None:
        return domain, secret
    with_buckets = replace(domain, agreed=schema.agreed)
    there = np.unique(secret)
    known = there[there != with_buckets.missing]
    outside = int(np.count_nonzero(with_buckets.bucket_of[known] < 0))
    if outside:
        raise SchemaError(
            f"The agreed list lacks {outside:,} of the {len(known):,} values of "
            f"{shown(domain.name)}; put every value that is published into one of its buckets.",
            parameter="agreed",
        )
    return _with_further_values(with_buckets, secret)


def _with_further_values(domain: Domain, secret: Codes) -> tuple[Domain, Codes]:
    """Add codes for the values of the agreed list that the table lacks, where any text can be a value."""
    assert domain.agreed is not None
    if domain.kind is not Kind.CATEGORICAL:
        return domain, secret
    there = set(domain.labels)
    further = tuple(value for value in domain.agreed.bucket_of if value not in there)
    if not further:
        return domain, secret
    known = domain.size - (domain.missing >= 0)
    labels = (*domain.labels[:known], *further, *domain.labels[known:])
    missing = len(labels) - 1 if domain.missing >= 0 else -1
    secret = np.where(secret == domain.missing, missing, secret).astype(np.int32) if missing >= 0 else secret
    return replace(domain, labels=labels, missing=missing), secret


def _encode_provider(column: Column, absent: set[str]) -> tuple[Domain, Codes]:
    """Names of providers are labels, whatever they look like; who needs them refuses a missing one."""
    known = tuple(label for label in column.labels if label not in absent)
    LIMITS["categories"].check(
        len(known), column.name, f"The number of providers in the column {shown(column.name)}", "Is it an identifier?"
    )
    domain = Domain(column.name, Kind.CATEGORICAL, known)
    if len(known) < len(column.labels):
        domain = with_missing(domain)
    code_of = {label: code for code, label in enumerate(known)}
    lookup = np.array([code_of.get(label, domain.missing) for label in column.labels], dtype=np.int32)
    return domain, lookup[column.codes]


def _person_codes(column: Column, absent: set[str]) -> Codes:
    gone = [code for code, label in enumerate(column.labels) if label in absent]
    if gone:
        raise SchemaError(
            f"The person column {shown(column.name)} is empty in {int(column.counts[gone].sum()):,} of "
            f"{len(column):,} records, and a record of no one cannot be counted; fill these cells or leave the records "
            "out of the file.",
            parameter=column.name,
        )
    return column.codes


@dataclass(frozen=True)
class _Values:
    """The known values of a column and all that says how to read them."""

    column: Column
    known: list[str]
    schema: Schema
    decimal: str


def _numeric(values: _Values) -> tuple[Domain, list[int]]:
    column, known = values.column, values.known
    read = numbers_of(known, values.decimal)
    numbers = parse_numbers(known, values.decimal) if read is None else read.values
    if np.isnan(numbers).any():
        count = int(
            column.counts[[column.labels.index(t) for t, x in zip(known, numbers, strict=True) if x != x]].sum()
        )
        raise SchemaError(
            f"The column {shown(column.name)} has the kind numeric but {count:,} of {len(column):,} cells are not "
            "numbers; choose the kind categorical, or declare those cells as missing.",
            parameter=column.name,
        )
    with np.errstate(over="ignore", invalid="ignore"):
        length = numbers.max() - numbers.min()
    if not np.isfinite(numbers).all() or not np.isfinite(length):
        raise SchemaError(
            f"The numbers of {shown(column.name)} are too large to subtract from each other; rescale them or choose "
            "the kind categorical.",
            parameter=column.name,
        )
    distinct, codes = np.unique(numbers, return_inverse=True)
    return Domain(column.name, Kind.NUMERIC, tuple(map(number_text, distinct)), distinct + 0.0), codes.tolist()


def _placed(column: Column, known: list[str], order: Sequence[str], what: str) -> list[int]:
    place = {label: i for i, label in enumerate(order)}
    outside = [label for label in known if label not in place]
    if outside:
        gone = {column.labels.index(label) for label in outside}
        first = int(np.flatnonzero(np.isin(column.codes, list(gone)))[0]) + 1
        raise TaxonomyError(
            f"The {what} of {shown(column.name)} lacks {len(outside):,} of its {len(known):,} values (first in record "
            f"{first:,}); add them or choose another kind.",
            parameter=column.name,
        )
    return [place[label] for label in known]


def _ordinal(values: _Values) -> tuple[Domain, list[int]]:
    name = values.column.name
    order = order_of(values.column, values.schema)
    return Domain(name, Kind.ORDINAL, order), _placed(values.column, values.known, order, "order")


def _taxonomic(values: _Values) -> tuple[Domain, list[int]]:
    name = values.column.name
    tree = values.schema.taxonomies[name]
    if values.known and not set(values.known) & set(tree.leaf_labels) and (why := why_lacking(tree, values.known)):
        raise TaxonomyError(f"The taxonomy of {shown(name)} holds none of its values. {why}.", parameter=name)
    codes = _placed(values.column, values.known, tree.leaf_labels, "taxonomy")
    return Domain(name, Kind.TAXONOMY, tree.leaf_labels, None, tree), codes


def _categorical(values: _Values) -> tuple[Domain, list[int]]:
    return Domain(values.column.name, Kind.CATEGORICAL, tuple(values.known)), list(range(len(values.known)))


def _dated(values: _Values) -> tuple[Domain, list[int]]:
    name, schema = values.column.name, values.schema
    own = schema.dates.get(name, Dates())
    days, form = days_of(values.column, values.known, own.form)
    unit = published_unit(name, form, own.unit)
    distinct, codes = np.unique([first_day(day, unit) for day in days], return_inverse=True)
    labels = tuple(text_of(day, unit) for day in distinct.tolist())
    return Domain(name, Kind.DATE, labels, distinct.astype(np.float64)), codes.tolist()


_READERS: dict[Kind, Callable[[_Values], tuple[Domain, list[int]]]] = {
    Kind.NUMERIC: _numeric,
    Kind.ORDINAL: _ordinal,
    Kind.CATEGORICAL: _categorical,
    Kind.TAXONOMY: _taxonomic,
    Kind.DATE: _dated,
}

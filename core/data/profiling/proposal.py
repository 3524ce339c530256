"""Propose roles and types for the columns of a table, each with its reason.

The guess looks at headers, at how many distinct values a column has and at how they are
written. It errs on the safe side: a column without a reason to be published is not.
It is a proposal; the publisher decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.base.errors import SchemaError
from core.base.errors import shown_name as shown
from core.base.wording import count
from core.data.classes import pack
from core.data.encoding.columns import MAX_CATEGORIES, own_order
from core.data.encoding.missing import MissingToken, find_tokens
from core.data.frequency_table import FrequencyTable, data_of, records_of, rows_of
from core.data.profiling.strays import CODED_TOPICS
from core.data.schemas import header_topics as topics
from core.data.schemas.icd import chapter_taxonomy
from core.data.schemas.schema import ColumnType, Role, Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.column import Column
from core.data.tables.dates import formats_of, looks_like_dates
from core.data.tables.number_forms import Numbers, numbers_of
from core.data.tables.numbers import looks_numeric
from core.data.tables.table import Table

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

QUASI_TOPICS = (
    topics.AGE,
    topics.BIRTH,
    topics.SEX,
    topics.ZIP,
    topics.PLACE,
    topics.ORIGIN,
    topics.MARITAL,
    topics.FAMILY,
    topics.EDUCATION,
    topics.WORK,
    topics.JOB,
    topics.BELIEF,
)
IDENTIFYING_TOPICS = (topics.NAME, topics.NUMBER, topics.CONTACT)
MOST_GUESSED = 8
FEW_RECORDS = 10


@dataclass(frozen=True)
class ColumnProposal:
    """Proposal for one column.

    Parameters
    ----------
    name
        The column.
    role, column_type
        The proposal; for an unused column, the type that it would have.
    reason
        One plain phrase, without any cell value.
    """

    name: str
    role: Role
    column_type: ColumnType
    reason: str


@dataclass(frozen=True)
class Proposal:
    """A proposed schema to start from.

    Parameters
    ----------
    schema
        Roles and types of all columns; ``missing_tokens`` holds the likely ones.
    columns
        The same column by column, with reasons.
    tokens
        Cells that may mean "missing", likely or not.
    """

    schema: Schema
    columns: tuple[ColumnProposal, ...]
    tokens: tuple[MissingToken, ...] = ()

    @property
    def reasons(self) -> dict[str, str]:
        """Reason for every column's role."""
        return {column.name: column.reason for column in self.columns}


@dataclass(frozen=True, eq=False)
class _Look:
    """Features of a column's values and header, without missing values.

    ``formats`` are the date formats that fit every value, if the column looks like dates.
    """

    column: Column
    known: tuple[str, ...]
    records: int
    topic: str | None
    numbers: Numbers | None
    order: tuple[str, ...] = ()
    chapters: Taxonomy | None = None
    formats: tuple[str, ...] | None = None
    role: Role | None = None
    reason: str = ""

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def numeric(self) -> bool:
        return self.numbers is not None

    @property
    def distinct(self) -> int:
        return len(self.known)

    @property
    def is_unique(self) -> bool:
        return self.distinct == self.records >= FEW_RECORDS

    @property
    def column_type(self) -> ColumnType:
        # Numbers that are codes of categories have no order.
        if self.chapters is not None:
            return ColumnType.TAXONOMY
        if self.formats is not None:
            return ColumnType.DATE
        if self.order:
            return ColumnType.ORDINAL
        return ColumnType.NUMERIC if self.numeric and self.topic not in CODED_TOPICS else ColumnType.CATEGORICAL

    @property
    def can_be_quasi(self) -> bool:
        if self.formats is not None:
            return len(self.formats) == 1
        return self.distinct >= 1 and (self.column_type is ColumnType.NUMERIC or self.distinct <= MAX_CATEGORIES)

    @property
    def can_be_sensitive(self) -> bool:
        own = self.distinct == self.records and self.records > 20
        return self.distinct >= 2 and self.can_be_quasi and not own

    def takes(self, role: Role, reason: str) -> _Look:
        return replace(self, role=role, reason=reason)


def propose(
    data: Table | FrequencyTable | IntoDataFrame,
    missing_tokens: Iterable[str] | None = None,
    roles: Mapping[str, Role] | None = None,
) -> Proposal:
    """Propose roles and types for a table.

    Parameters
    ----------
    data
        Any table or frame of two columns or more, or a frequency table of one.
    missing_tokens
        Texts that mean "missing", if that is known; by default the likely ones.
    roles
        Roles that the file itself declares; the others are proposed.

    Returns
    -------
    Proposal
        With exactly one sensitive attribute and at least one quasi-identifier.

    Raises
    ------
    SchemaError
        If no column can be protected, or none is left as a quasi-identifier.

    Notes
    -----
    Every distinct text is read once; columns about the same thing are compared record by record. O(distinct + columns x
    records).
    """
    data = data_of(data)
    table, tokens = rows_of(data), find_tokens(data)
    likely = (token.token for token in tokens if token.likely)
    absent = {"", *(likely if missing_tokens is None else missing_tokens)}
    looks = {column.name: _look(column, absent, data) for column in table.columns}
    for name, role in (roles or {}).items():
        looks[name] = looks[name].takes(role, "The file says so")
    _set_aside(looks)
    if not _has(looks, Role.SENSITIVE):
        sensitive = _choose_sensitive(looks)
        looks[sensitive.name] = sensitive
    if Role.QUASI_IDENTIFIER not in (roles or {}).values():
        _choose_quasi(looks)
    chosen = {name: look if look.role else look.takes(Role.OTHER, _why_not(look)) for name, look in looks.items()}
    columns = tuple(
        ColumnProposal(name, look.role or Role.OTHER, look.column_type, look.reason) for name, look in chosen.items()
    )
    return Proposal(_schema(chosen, absent), columns, tokens)


def _schema(looks: Mapping[str, _Look], absent: Iterable[str]) -> Schema:
    def having(role: Role) -> list[str]:
        return [name for name, look in looks.items() if look.role is role]

    described = [look for look in looks.values() if look.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE)]
    return Schema(
        having(Role.QUASI_IDENTIFIER),
        having(Role.SENSITIVE)[0],
        identifiers=having(Role.IDENTIFIER),
        provider=next(iter(having(Role.PROVIDER)), None),
        person=next(iter(having(Role.PERSON)), None),
        other=having(Role.OTHER),
        column_types={look.name: look.column_type for look in described},
        orders={look.name: look.order for look in described if look.order and look.column_type is ColumnType.ORDINAL},
        taxonomies={look.name: look.chapters for look in described if look.chapters},
        missing_tokens=sorted(absent),
    )


# ---- looking ---------------------------------------------------------------------------


def _has(looks: Mapping[str, _Look], role: Role) -> bool:
    return any(look.role is role for look in looks.values())


def _look(column: Column, absent: set[str], data: Table | FrequencyTable) -> _Look:
    known = tuple(label for label in column.labels if label not in absent)
    topic, numbers = topics.topic_of(column.name), _numbers(known, rows_of(data).decimal)
    formats = formats_of(known) if looks_like_dates(known) else None
    unordered = numbers is not None or formats is not None or (topic in CODED_TOPICS and not column.order)
    chapters = chapter_taxonomy(known) if topic == topics.DIAGNOSIS and len(known) <= MAX_CATEGORIES else None
    return _Look(
        column,
        known,
        records_of(data),
        topic,
        numbers,
        () if unordered else own_order(column, known),
        chapters,
        formats,
    )


def _numbers(labels: Sequence[str], decimal: str) -> Numbers | None:
    numbers = numbers_of(labels, decimal)
    if numbers is None:
        return None
    with np.errstate(over="ignore"):
        return numbers if bool(np.isfinite(numbers.values.max() - numbers.values.min())) else None


def _is_free_text(look: _Look) -> bool:
    seen = look.known[:: max(1, look.distinct // 500)]
    return bool(seen) and sum(map(len, seen)) / len(seen) > 60


def _set_aside(looks: dict[str, _Look]) -> None:
    """Give roles to identifiers, the provider, and columns that cannot take part."""
    for name, look in looks.items():
        if look.role is not None:
            continue
        nearly_unique = look.distinct * 2 >= look.records >= FEW_RECORDS
        taken = _has(looks, Role.PERSON)
        if _is_person_key(look) and not taken:
            reason = f"Named like whose a record is, and {count(look.records - look.distinct)} records repeat one"
            looks[name] = look.takes(Role.PERSON, reason)
        elif look.topic in IDENTIFYING_TOPICS:
            looks[name] = look.takes(Role.IDENTIFIER, f"Named like {topics.WORDS[look.topic or '']}")
        elif not look.distinct:
            looks[name] = look.takes(Role.OTHER, "No value at all")
        elif look.topic == topics.PROVIDER and 2 <= look.distinct <= 100 and not look.is_unique:
            role = Role.OTHER if _has(looks, Role.PROVIDER) else Role.PROVIDER
            looks[name] = look.takes(role, f"Named like {topics.WORDS[topics.PROVIDER]}")
        elif nearly_unique and topics.ends_like_a_number(name) and look.topic not in QUASI_TOPICS:
            looks[name] = look.takes(Role.IDENTIFIER, "Named like a number, and hardly ever repeated")
        elif look.topic is None and look.is_unique and _is_key(look):
            looks[name] = look.takes(Role.IDENTIFIER, "Every record has its own value")
        elif _is_free_text(look):
            looks[name] = look.takes(Role.OTHER, "Long texts, which cannot be generalised")


def _is_person_key(look: _Look) -> bool:
    """Whether a column is named like a person key, repeats for some persons and has no empty cell."""
    repeats = 2 <= look.distinct < look.records and look.distinct == len(look.column.labels)
    return repeats and topics.names_person(look.name)


def _is_key(look: _Look) -> bool:
    """Whether values that never repeat are texts or whole numbers; measurements may be unique by chance."""
    return not look.numeric or all("." not in label and "," not in label for label in look.known[:1000])


# ---- the sensitive attribute -----------------------------------------------------------


def _choose_sensitive(looks: Mapping[str, _Look]) -> _Look:
    free = [look for look in looks.values() if look.role is None and look.can_be_sensitive]
    for wanted, enough in (
        (topics.DIAGNOSIS, 2),
        (topics.HEALTH, 2),
        (topics.MONEY, 3),
        (topics.SECRET, 2),
        (topics.JOB, 3),
        (topics.MONEY, 2),
    ):
        candidates = [look for look in free if look.topic == wanted and look.distinct >= enough]
        if candidates and len(looks) > 1:
            best = min(candidates, key=lambda look: (look.distinct < 3, topics.place_in_topic(look.name, wanted)))
            note = "; its codes lie in chapters of the ICD" if best.chapters is not None else ""
            return best.takes(Role.SENSITIVE, f"Named like {topics.WORDS[wanted]}{note}")
    spare = [look for look in looks.values() if look.can_be_sensitive]
    for choice in ([look for look in free if look.topic is None], free, spare):
        if choice and len(looks) > 1:  # among equally suitable ones the last: outcomes are often at the end
            best = min(
                choice[::-1],
                key=lambda look: (look.distinct < 3, look.column_type in (ColumnType.NUMERIC, ColumnType.DATE)),
            )
            return best.takes(Role.SENSITIVE, "A guess: no header says what to protect")
    raise SchemaError(
        "No column can be sensitive and leave another as a quasi-identifier: it needs at least two columns, "
        "one of them with two or more values that people share. Is this the right table?",
        parameter="sensitive",
    )


# ---- quasi-identifiers -----------------------------------------------------------------


def _choose_quasi(looks: dict[str, _Look]) -> None:
    free = [look for look in looks.values() if look.role is None and look.can_be_quasi]
    named = [look for look in free if look.topic in QUASI_TOPICS]
    kept: list[_Look] = []
    for look in named:
        twin = next((other for other in kept if other.topic == look.topic and _say_the_same(other, look)), None)
        if twin is not None:
            looks[look.name] = look.takes(Role.OTHER, f"Says the same as {shown(twin.name)}")
        elif look.distinct == 1:
            looks[look.name] = look.takes(Role.OTHER, "The same value in every record")
        else:
            kept.append(look)
            reason = f"Named like {topics.WORDS[look.topic or '']}{_about_numbers(look)}"
            looks[look.name] = look.takes(Role.QUASI_IDENTIFIER, reason)
    if kept:
        return
    rest = [look for look in looks.values() if look.role is None and look.can_be_quasi]
    varied = [look for look in rest if look.distinct >= 2 and look.topic is None][:MOST_GUESSED]
    spare = [look for look in looks.values() if look.role is not Role.SENSITIVE and look.can_be_quasi]
    for look in varied or rest[:1] or spare[:1]:
        reason = "A guess: no header says what others may know"
        looks[look.name] = look.takes(Role.QUASI_IDENTIFIER, reason)
    if not (varied or rest or spare):
        raise SchemaError(
            "No column can be a quasi-identifier: it needs at least one with values, and at most "
            f"{MAX_CATEGORIES:,} of them if they are not numbers; ambiguous dates are not guessed.",
            parameter="quasi_identifiers",
        )


def _about_numbers(look: _Look) -> str:
    if look.order:
        return "; its values lie in an order"
    if look.formats is not None:
        return "; its dates are in the order of time"
    if look.numbers is not None and look.numbers.unit:
        return f"; its numbers are read without their unit, {look.numbers.unit}"
    if look.numeric and look.column_type is ColumnType.CATEGORICAL:
        return "; its numbers look like codes"
    if not look.numeric and looks_numeric([label.strip().lstrip("0") or "0" for label in look.known[:1000]]):
        return "; leading zeros are kept, as in codes"
    return ""


def _say_the_same(first: _Look, two: _Look) -> bool:
    """Whether each value of one column occurs with exactly one value of the other."""
    if first.distinct != two.distinct:
        return False
    codes: NDArray[np.int32] = np.array([first.column.codes, two.column.codes])
    pairs = len(np.unique(pack(codes)))
    return pairs == len(first.column.labels) == len(two.column.labels)


def _why_not(look: _Look) -> str:
    if look.distinct == 1:
        return "The same value in every record"
    if look.topic in (topics.DIAGNOSIS, topics.HEALTH, topics.MONEY, topics.SECRET):
        return f"Named like {topics.WORDS[look.topic]}; one attribute is protected at a time"
    if look.formats is not None and len(look.formats) > 1:
        return "Dates whose day and month can be either way round"
    if look.formats == ():
        return "Dates in several formats, or that are none of the calendar"
    if look.topic == topics.DATE:
        return "Named like a date, which reveals much about a person"
    if not look.can_be_quasi:
        return f"More than {MAX_CATEGORIES:,} values"
    return "Nothing says that others know it"

"""One publication of the register: what it is, when, to whom, and digests; no cell of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct, structs

from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.data.tables.table import Table
from core.dp.composition import Cost, Ledger
from core.release.algorithm import ALGORITHMS
from core.release.published.count_table import rules_of
from core.release.record import MAX_WORDS, ReleaseRecord, content_digest, headers_in

Kind = Literal["release", "version", "counts", "noisy", "other"]
KINDS: dict[Kind, str] = {
    "release": "release",
    "version": "version of an earlier release",
    "counts": "table of counts",
    "noisy": "noisy table",
    "other": "publication of another organisation",
}
"""Kinds of publication, in words."""
assert tuple(KINDS) == get_args(Kind)
Word = Annotated[str, Meta(max_length=MAX_WORDS)]
Name = Annotated[str, Meta(min_length=1, max_length=MAX_WORDS)]
Digest = Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")]


class Publication(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One publication, as the register keeps it.

    Parameters
    ----------
    number
        In the register, from 1; 0 before it is in one.
    kind
        A key of :data:`KINDS`.
    published
        Day.
    recipients
        Names as typed, without repetition.
    public
        Whether everyone has it; it is then among the publications of each recipient.
    name
        What it is called, such as its file.
    quasi_identifiers, sensitive, unmodified
        Headers of the published columns; none for a noisy table.
    content
        :func:`core.release.record.content_digest` of the published columns; "" if no file was given.
    copy
        The same of the private copy with identifiers, without the identifiers; "" if there is none, and then the
        publication is not assessed.
    key
        Column of the private copy that identifies the person in each row.
    count, counts
        For a table of counts, the column of its counts, and what its publisher says
        (:func:`core.release.published.count_table.rules_of`).
    records
        Published rows; for a noisy table, records that it was computed from. 0 if not known.
    version_of
        Number of the earlier release that this is a version of; 0 if it is none.
    epsilon, delta
        Cost of a noisy table.
    algorithm, settings
        How the classes were formed, and every parameter that they had to satisfy.
    agreement
        Digest of the agreement that the classes keep; "" if they keep none.

    Raises
    ------
    InputError
        If fields contradict each other.
    """

    kind: Kind
    published: date
    number: Annotated[int, Meta(ge=0)] = 0
    recipients: tuple[Name, ...] = ()
    public: bool = False
    name: Word = ""
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    unmodified: tuple[str, ...] = ()
    content: Digest = ""
    copy: Digest = ""
    key: str = ""
    count: str = ""
    counts: Word = ""
    records: Annotated[int, Meta(ge=0)] = 0
    version_of: Annotated[int, Meta(ge=0)] = 0
    epsilon: Annotated[float, Meta(ge=0, le=1e6)] = 0.0
    delta: Annotated[float, Meta(ge=0)] = 0.0
    algorithm: Word = ""
    settings: dict[str, str | float] = {}
    agreement: Annotated[str, Meta(max_length=64)] = ""

    def __post_init__(self) -> None:
        """Check what the types cannot say."""
        rules_of(self.counts)
        columns = self.columns
        twice = next((name for name in columns if columns.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"The publication names the column {shown(twice)} twice.", parameter=twice)
        if self.kind == "noisy":
            LIMITS["cost epsilon"].check(self.epsilon, "epsilon")
            LIMITS["cost delta"].check(self.delta, "delta")
            if columns or self.copy:
                raise InputError("A noisy table has no columns to attack; leave them out.", parameter="kind")
        elif self.epsilon or self.delta:
            raise InputError("Only a noisy table has an epsilon and a delta; choose that kind.", parameter="epsilon")
        elif not self.quasi_identifiers or not self.sensitive:
            raise InputError(
                "A publication needs its quasi-identifiers and its sensitive column; name them, or give its release "
                "record.",
                parameter="quasi_identifiers",
            )
        if (self.kind == "version") != bool(self.version_of):
            raise InputError(
                "A version names the publication that it is a version of, and nothing else does.",
                parameter="version_of",
            )
        if self.is_of_counts and (len(self.sensitive) > 1 or not self.count or self.unmodified):
            raise InputError(
                "A table of counts has one sensitive column, a column of counts, and no column published as it is.",
                parameter="count",
            )
        if not all(math.isfinite(value) for value in self.settings.values() if not isinstance(value, str)):
            raise InputError("The settings of a publication must be numbers or texts.", parameter="settings")
        if bool(self.copy) != bool(self.key):
            raise InputError("A private copy needs the column that identifies people; name its key.", parameter="key")

    @property
    def is_of_counts(self) -> bool:
        """Whether its cells are counts."""
        return self.kind == "counts" or bool(self.counts or self.count)

    @property
    def columns(self) -> tuple[str, ...]:
        """Headers of the published columns, in the order of the digest."""
        counted = (self.count,) if self.count else ()
        return (*self.quasi_identifiers, *self.sensitive, *self.unmodified, *counted)

    @property
    def linked_columns(self) -> tuple[str, ...]:
        """Columns of the private copy, without the key: a person has a group of a table of counts, not a count."""
        return self.quasi_identifiers if self.is_of_counts else self.columns

    @property
    def is_assessed(self) -> bool:
        """Whether it can be attacked together with others: noise is counted instead, and the rest needs a copy."""
        return bool(self.copy)

    @property
    def cost(self) -> Cost:
        """Epsilon and delta."""
        return Cost(self.epsilon, self.delta)

    @property
    def words(self) -> str:
        """Its number and kind in a sentence."""
        return f"publication {self.number} ({KINDS[self.kind]} of {self.published})"

    def digest(self, table: Table, columns: Sequence[str], who_names: str = "its publication has") -> str:
        """Digest of these of its columns in a file; ``who_names`` ends the refusal of one that lacks them.

        Raises
        ------
        InputError
            If one is missing.
        """
        headers = headers_in(table, columns, (), who_names)
        return content_digest(table, [headers[name] for name in columns])

    def fits(self, table: Table, digest: str, columns: Sequence[str], more: Sequence[str] = ()) -> bool:
        """Whether a file has these columns and ``more``, and the cells of the first have this digest."""
        try:
            headers_in(table, (*columns, *more), (), "")
        except InputError:
            return False
        return bool(digest) and self.digest(table, columns) == digest

    def has_content(self, table: Table) -> bool:
        """Whether a file has the published rows, with an identifier or without."""
        return bool(self.columns) and not self.is_of_counts and self.fits(table, self.content, self.columns)

    def with_copy(self, copy: Table, key: str) -> Publication:
        """The publication with the digest of its private copy and the column that identifies people.

        Raises
        ------
        InputError
            If a column is missing, or a publication of rows has other cells than its private copy.
        """
        digest = self.digest(copy, self.linked_columns)
        if self.content and not self.is_of_counts and digest != self.content:
            raise InputError(
                "The private copy is not that of the published file: a cell, a row or the number of rows differs.",
                parameter="private",
            )
        return structs.replace(self, copy=digest, key=key, records=self.records or len(copy))


def publication_of_record(record: ReleaseRecord, recipients: Sequence[str] = (), name: str = "") -> Publication:
    """Read a release record as a publication of mine, for its recipient unless others are given.

    Parameters
    ----------
    record
        A release record of any version.
    recipients, name
        See :class:`Publication`.

    Returns
    -------
    Publication
        Not assessed until its private copy is given.
    """
    sensitive = (record.sensitive,) if isinstance(record.sensitive, str) else record.sensitive
    typed = recipients or filter(None, [" ".join(record.recipient.split())])
    return Publication(
        "release",
        record.released,
        recipients=tuple(typed),
        name=name,
        quasi_identifiers=record.quasi_identifiers,
        sensitive=sensitive,
        unmodified=record.unmodified,
        content=record.content,
        records=record.records,
        algorithm=record.algorithm,
        settings=record.policy,
        agreement=record.agreement,
    )


def publications_of_ledger(ledger: Ledger, published: date, recipients: Sequence[str]) -> list[Publication]:
    """Read the noisy tables of a ledger as publications.

    Parameters
    ----------
    ledger
        Its budget is not part of a register.
    published, recipients
        Of all of them; a ledger does not say.
    """
    return [
        Publication(
            "noisy",
            published,
            recipients=tuple(recipients),
            name=entry.what[:MAX_WORDS],
            records=ledger.records,
            epsilon=entry.cost.epsilon,
            delta=entry.cost.delta,
        )
        for entry in ledger.entries
    ]


def as_record(publication: Publication) -> ReleaseRecord:
    """A release of the register as its release record, such as for *My earlier versions* and the attack with the next.

    Raises
    ------
    InputError
        If it is no release of rows.
    """
    own = publication
    if own.kind == "noisy" or own.is_of_counts or not own.content:
        raise InputError(f"The register has no rows of {own.words}; choose a release.", parameter="kind")
    algorithm = ALGORITHMS.get(own.algorithm)
    return ReleaseRecord(
        own.published,
        own.quasi_identifiers,
        own.sensitive[0] if len(own.sensitive) == 1 else own.sensitive,
        own.content,
        ", ".join(own.recipients)[:MAX_WORDS],
        own.key,
        {},
        own.settings,
        own.algorithm,
        algorithm is not None and algorithm.centroids,
        own.records,
        "",
        own.unmodified,
        agreement=own.agreement,
    )


def with_recipients(publication: Publication, recipients: Sequence[str], known: Sequence[str]) -> Publication:
    """The publication with these recipients as well, spelled as those that are known already.

    Raises
    ------
    InputError
        If a name is empty or too long.
    """
    spelled = {name.casefold(): name for name in (*known, *publication.recipients)}
    names = dict.fromkeys(publication.recipients)
    for typed in recipients:
        name = " ".join("".join(ch if ch.isprintable() else " " for ch in typed).split())
        if not 0 < len(name) <= MAX_WORDS:
            raise InputError(
                f"The name of a recipient must have from 1 to {MAX_WORDS} characters.", parameter="recipient"
            )
        names[spelled.setdefault(name.casefold(), name)] = None
    return structs.replace(publication, recipients=tuple(names))

"""One publication of the register: what it is, when, to whom, and digests; no cell of it."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct, structs

from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.data.tables.table import Table
from core.dp.composition import Cost
from core.release.algorithm import ALGORITHMS
from core.release.published.count_table import count_columns, lengthened, rules_of
from core.release.published_content import content_digest, headers_in
from core.release.release import Release

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
MAX_WORDS = 200
"""Largest number of characters of a typed text."""
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
        :func:`core.release.published_content.content_digest` of the published columns; for a noisy table, SHA-256 of
        its download. "" if no file was given.
    copy
        The same of the private copy with identifiers, without the identifiers; "" if there is none, and then the
        publication is not assessed.
    keyed
        Digest of the private copy with the identifiers, by which it is told from another one with the same cells.
    key
        Column of the private copy that identifies the person in each row; it may be known before the copy is given.
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
    scenario_digest
        SHA-256 of the scenario file of the run that wrote the entry; "" if none did.

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
    keyed: Digest = ""
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
    scenario_digest: Digest = ""

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
                "A publication needs its quasi-identifiers and its sensitive column; name them, or give the entry of "
                "its release.",
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
        if self.copy and not (self.key and self.keyed):
            raise InputError(
                "A private copy needs the column that identifies people, and a digest with it; enter the copy again.",
                parameter="key",
            )

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
    def has_centroids(self) -> bool:
        """Whether its cells are means, not regions."""
        return self.algorithm in ALGORITHMS and ALGORITHMS[self.algorithm].centroids

    @property
    def settings_text(self) -> str:
        """Algorithm and parameters in a line; "" if they are not known."""
        numbers = (value if isinstance(value, str) else f"{value:g}" for value in self.settings.values())
        return ", ".join(filter(None, [self.algorithm, *map(" ".join, zip(self.settings, numbers, strict=True))]))

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
        table = self.laid_out(table) if columns == self.columns else table
        headers = headers_in(table, columns, (), who_names)
        return content_digest(table, [headers[name] for name in columns])

    def of_file(self, table: Table, who_names: str = "its publication has") -> Publication:
        """The publication with the digest of its published file.

        Raises
        ------
        InputError
            If a column is missing, or has no role: a reader of the file can link by it.
        """
        published = self.laid_out(table)
        digest = self.digest(table, self.columns or table.names, who_names)
        roles = {*headers_in(published, self.columns, (), who_names).values()} or {*table.names}
        extra = [place for place, name in enumerate(table.names, 1) if name in published.names and name not in roles]
        if extra:
            more = f", as {len(extra) - 1:,} more" if len(extra) > 1 else ""
            raise InputError(
                f"Column {extra[0]:,} of the published file has no role{more}, and who reads the file can link by it; "
                "say that it is published as it is (unmodified), or give it another role.",
                parameter="file",
            )
        return structs.replace(self, content=digest)

    def fits(self, table: Table, digest: str, columns: Sequence[str], more: Sequence[str] = ()) -> bool:
        """Whether a file has these columns and ``more``, and the cells of the first have this digest."""
        try:
            headers_in(table, more, (), "")
            return bool(digest) and self.digest(table, columns) == digest
        except InputError:
            return False

    def is_copy(self, table: Table) -> bool:
        """Whether a file is its private copy, with the same identifier in each row."""
        return self.fits(table, self.copy, self.linked_columns, [self.key]) and (
            self.with_copy(table, self.key).keyed == self.keyed
        )

    def laid_out(self, table: Table) -> Table:
        """A table of counts with one row per group and value, also if it was published with a column per value."""
        if not self.is_of_counts or self.count in table.names:
            return table
        values = count_columns(table, self.quasi_identifiers)
        return lengthened(table, values, self.sensitive[0], self.count, self.quasi_identifiers)[0]

    def is_same(self, other: Publication) -> bool:
        """Whether another entry is of the same file, or of an equal noisy table, which has no file."""
        if self.content or other.content:
            return self.content == other.content
        mine, theirs = (structs.replace(own, number=0, recipients=(), public=False) for own in (self, other))
        return mine == theirs

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
        if key not in headers_in(copy, (), (key,), ""):
            raise InputError(
                f"The private copy has no column {shown(key)}, its key; name another one.", parameter="key"
            )
        if self.content and not self.is_of_counts and digest != self.content:
            raise InputError(
                "The private copy is not that of the published file: a cell, a row or the number of rows differs.",
                parameter="private",
            )
        # The cells are published, so a guess of the people of a small table could be tried in all orders: 20 ms each.
        whole = hashlib.pbkdf2_hmac(
            "sha256", self.digest(copy, (*self.linked_columns, key)).encode(), digest.encode(), 50_000
        )
        return structs.replace(self, copy=digest, keyed=whole.hex(), key=key, records=self.records or len(copy))


def publication_of(release: Release, published: date, name: str = "", key: str = "") -> Publication:
    """A release of mine as an entry, with the digest of its cells; no one has it yet.

    Parameters
    ----------
    release
        What is published.
    published, name
        See :class:`Publication`.
    key
        Column of its private copy that identifies the person in each row; it is not assessed until that is given.

    Notes
    -----
    The digest is one for every download, whatever the order of the rows. O(records log records).

    Examples
    --------
    >>> from datetime import date
    >>> from composition_dashboard import Policy, anonymize, examples
    >>> from composition_dashboard.core.register import publication_of
    >>> release = anonymize(examples.city(300), examples.city_schema(), Policy(k=5))
    >>> publication_of(release, date(2026, 1, 31)).records
    300
    """
    encoded = release.encoded
    # A frequency table may represent more records than fit into memory.
    table, counts = release.publish_counts() if encoded.counted else (release.publish(seed=0), None)
    policy = {name: value for name, value in release.policy.values.items() if value is not None}
    settings = {name: value if isinstance(value, str) else float(value) for name, value in policy.items()}
    own = Publication(
        "release",
        published,
        name=name,
        quasi_identifiers=tuple(domain.name for domain in encoded.qids),
        sensitive=encoded.sensitive.parts or (encoded.sensitive.name,),
        unmodified=tuple(column.name for column in encoded.plain),
        key=key,
        records=len(table) if counts is None else int(counts.sum()),
        algorithm=release.algorithm.name,
        settings=settings,
        agreement=release.agreement,
    )
    return structs.replace(own, content=content_digest(table, own.columns, counts))


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
        name = unicodedata.normalize("NFC", " ".join("".join(ch if ch.isprintable() else " " for ch in typed).split()))
        if not 0 < len(name) <= MAX_WORDS:
            raise InputError(
                f"The name of a recipient must have from 1 to {MAX_WORDS} characters.", parameter="recipient"
            )
        names[spelled.setdefault(name.casefold(), name)] = None
    return structs.replace(publication, recipients=tuple(names))

"""The record of a release: what was published, when and to whom, for the next release to be held against.

A publisher keeps it beside the published file. It has names of columns, settings and digests, and no
cell of the table. The format is in ``docs/release-record.md``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from core.base.arrays import Ints
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.version import VERSION
from core.data.classes import distinct_columns, weighted_count
from core.data.csv_export import harmless
from core.data.frames import columns_of
from core.data.table import Table
from core.release.release import Release

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

RECORD_VERSION = 1
"""Of the file; a later one that changes a meaning raises it."""
FORMAT = "composition release record"
MAX_TEXT = 1_000_000
"""Characters of a record file."""
MAX_WORDS = 200
"""Characters of what is typed into a record."""
_DIGEST = 64


@dataclass(frozen=True)
class ReleaseRecord:
    """What was released.

    Parameters
    ----------
    released
        Day, as YYYY-MM-DD.
    recipient
        To whom, as it was typed; may be empty.
    quasi_identifiers, sensitive
        Columns that were published, in the names of the table.
    key
        Column that says whose each record of the table is, an identifier or the person column; empty
        where there is none. It is in the publisher's own copy and never in what is published.
    kinds
        Kind of each quasi-identifier (:class:`core.data.schema.Kind`).
    policy
        Every parameter that was asked of the classes.
    algorithm
        What formed them.
    centroids
        Whether the cells are means, not regions.
    records
        Rows that were published.
    content
        :func:`content_digest` of the published columns.
    data
        Content id of the table that was released.
    published
        Columns that were published as they are; left out of the file where there are none.
    """

    released: str
    quasi_identifiers: tuple[str, ...]
    sensitive: str
    content: str
    recipient: str = ""
    key: str = ""
    kinds: tuple[tuple[str, str], ...] = ()
    policy: tuple[tuple[str, str | float], ...] = ()
    algorithm: str = ""
    centroids: bool = False
    records: int = 0
    data: str = ""
    published: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what no record can be."""
        try:
            date.fromisoformat(self.released)
        except ValueError:
            raise ParameterError("The day of a release must be written YYYY-MM-DD.", parameter="released") from None
        if len(self.recipient) > MAX_WORDS:
            raise ParameterError(f"The recipient can have {MAX_WORDS} characters at most.", parameter="recipient")
        if not self.quasi_identifiers or not self.sensitive or len(self.content) != _DIGEST:
            raise ParameterError(
                "A release record needs quasi_identifiers, sensitive and the digest of the content.",
                parameter="content",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """Published columns, in the order of the published file."""
        return (*self.quasi_identifiers, self.sensitive, *self.published)

    def to_json(self) -> str:
        """Write as JSON with its own digest: same record, same text."""
        facts = {
            "format": FORMAT,
            "schema_version": RECORD_VERSION,
            "version": VERSION,
            **{field.name: getattr(self, field.name) for field in fields(self)},
            "kinds": dict(self.kinds),
            "policy": dict(self.policy),
        }
        if not self.published:
            del facts["published"]
        return json.dumps({**facts, "digest": _digest(facts)}, indent=1, sort_keys=True, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> ReleaseRecord:
        """Read what :meth:`to_json` wrote.

        Raises
        ------
        InputError
            If it is no release record, of a later version, changed since it was written, or a field is
            missing or of the wrong type.
        """
        try:
            facts = json.loads(text) if len(text) <= MAX_TEXT else None
        except (ValueError, RecursionError):
            facts = None
        if not isinstance(facts, dict) or facts.get("format") != FORMAT:
            raise InputError("The file is no release record of this program; load the JSON file that came with it.")
        if facts.get("schema_version") != RECORD_VERSION:
            raise InputError(
                f"The release record has another version than {RECORD_VERSION}, which this program reads; use the "
                "program that wrote it.",
                parameter="schema_version",
            )
        if facts.get("digest") != _digest(facts):
            raise InputError("The release record was changed after it was written; load the one that came with it.")
        facts.setdefault("published", [])
        wrong = next((field.name for field in fields(cls) if not _fits(field.name, facts.get(field.name))), None)
        if wrong is not None:
            raise InputError(
                f"The field {wrong} of the release record is missing or of the wrong type.", parameter=wrong
            )
        given = {field.name: facts[field.name] for field in fields(cls)}
        pairs = {name: tuple(sorted(given[name].items())) for name in ("kinds", "policy")}
        try:
            lists = {name: tuple(given[name]) for name in ("quasi_identifiers", "published")}
            return cls(**{**given, **pairs, **lists})
        except ParameterError as error:
            raise InputError(error.message, parameter=error.parameter) from None

    def headers(self, table: Table) -> dict[str, str]:
        """Header in a published file of each published column, and of the key where the file has it."""
        wanted = (*self.columns, *([self.key] if self.key else []))
        headers = {name: header for name in wanted for header in (harmless(name), name) if header in table.names}
        lacking = next((name for name in self.columns if name not in headers), None)
        if lacking is not None:
            raise InputError(
                f"The file has no column {shown(lacking)}, which its release record names; load the file that was "
                "published with this record.",
                parameter=lacking,
            )
        return headers

    def check(self, table: Table) -> None:
        """Refuse a file that is not the one that was published, or its copy with a key.

        Raises
        ------
        InputError
            If a column is not there or any cell is another one. The order of rows is of no effect.
        """
        headers = self.headers(table)
        if content_digest(table, [headers[name] for name in self.columns]) != self.content:
            raise InputError(
                "The file is not the one of its release record: a cell, a row or the number of rows differs. Load the "
                "file as it was published.",
                parameter="content",
            )


def record_of(release: Release, data: str, released: str, recipient: str = "", key: str = "") -> ReleaseRecord:
    """Write down a release.

    Parameters
    ----------
    release
        What is published.
    data
        Content id of the table that it is made of.
    released, recipient, key
        See :class:`ReleaseRecord`.

    Notes
    -----
    The digest is that of the published cells whatever the order of their rows, so it is one for every download.
    O(records log records).
    """
    domains, policy = release.encoded.qids, release.policy.values
    # A tally may stand for more records than there is room for.
    table, counts = release.publish_counts() if release.encoded.counted else (release.publish(seed=0), None)
    published = tuple(column.name for column in release.encoded.plain)
    names = (*(domain.name for domain in domains), release.encoded.sensitive.name, *published)
    return ReleaseRecord(
        released=released,
        quasi_identifiers=tuple(domain.name for domain in domains),
        sensitive=release.encoded.sensitive.name,
        content=content_digest(table, names, counts),
        recipient=recipient,
        key=key,
        kinds=tuple(sorted((domain.name, str(domain.kind)) for domain in domains)),
        policy=tuple(sorted((name, _plain(value)) for name, value in policy.items() if value is not None)),
        algorithm=release.algorithm.name,
        centroids=release.publishes_centroids,
        records=len(table) if counts is None else int(counts.sum()),
        data=data,
        published=published,
    )


def content_digest(table: Table | IntoDataFrame, columns: Sequence[str], counts: Ints | None = None) -> str:
    """SHA-256 over the cells of some columns as a published file has them, whatever the order of its rows.

    Each distinct row is written as the lengths and texts of its cells and the number of times it stands there; these
    lines are sorted. Headers do not enter. ``counts`` (rows,) says how often each row stands in the file, where the
    table has equal rows once. O(rows log rows).
    """
    read = columns_of(table, columns)
    chosen = [read[name] for name in columns]
    first, group, many = distinct_columns(np.array([column.codes for column in chosen], dtype=np.int64))
    many = many if counts is None else weighted_count(group, counts, len(first))
    texts = [[harmless(label).strip() for label in column.labels] for column in chosen]
    written = [[f"{len(text)}:{text}" for text in labels] for labels in texts]
    codes = [column.codes[first].tolist() for column in chosen]
    cells = [[labels[code] for code in some] for labels, some in zip(written, codes, strict=True)]
    counted: dict[str, int] = {}
    for row, times in zip(map("".join, zip(*cells, strict=True)), many.tolist(), strict=True):
        counted[row] = counted.get(row, 0) + times  # two labels may be one text in a file
    digest = hashlib.sha256()
    for row in sorted(counted):
        digest.update(f"{counted[row]} {row}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _fits(name: str, value: Any) -> bool:
    """Whether a field of a file is of its type."""
    if name in ("quasi_identifiers", "published"):
        return isinstance(value, list) and all(isinstance(text, str) for text in value)
    if name == "kinds":
        return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
    if name == "policy":
        return isinstance(value, dict) and all(isinstance(part, str | int | float) for part in value.values())
    if name == "records":
        return isinstance(value, int)
    return isinstance(value, bool if name == "centroids" else str)


def _plain(value: Any) -> str | float:
    return value if isinstance(value, str) else float(value)


def _digest(facts: Mapping[str, Any]) -> str:
    content = {name: value for name, value in facts.items() if name != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

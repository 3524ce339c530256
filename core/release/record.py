"""The record of a release: what was published, when and to whom, for comparison with the next release.

A publisher keeps it next to the published file. It has names of columns, settings and digests, and no
cell of the table. The format is in ``docs/release-record.md``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from core.base.arrays import Ints
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.json_files import digest_of, parsed, read, sealed
from core.base.version import VERSION
from core.data.classes import distinct_columns, weighted_count
from core.data.schemas.schema import ColumnType
from core.data.tables.csv_export import harmless
from core.data.tables.table import Table, columns_of
from core.release.release import Release

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

RECORD_VERSION: Literal[2] = 2
"""Version of the file; version 1 calls unmodified columns ``published``."""
FORMAT = "composition release record"
MAX_TEXT = 1_000_000
"""Largest number of characters of a record file."""
MAX_WORDS = 200
"""Largest number of characters of a typed text in a record."""


class ReleaseRecord(msgspec.Struct, frozen=True, tag_field="format", tag=FORMAT):
    """Released file, as its record describes it.

    Parameters
    ----------
    released
        Day.
    quasi_identifiers, sensitive
        Columns that were published, with their names in the table.
    content
        :func:`content_digest` of the published columns.
    recipient
        The recipient as typed; may be empty.
    key
        Column that identifies the person of each record, an identifier or the person column; empty if there is none. It
        is in the publisher's private copy and never in what is published.
    kinds
        Type of each quasi-identifier (:class:`core.data.schemas.schema.ColumnType`).
    policy
        Every parameter that the classes must satisfy.
    algorithm
        The algorithm that formed them.
    centroids
        Whether the cells are means, not regions.
    records
        Rows that were published.
    data
        Content id of the table that was released.
    unmodified
        Columns that were published as they are; left out of the file if there are none.
    agreement
        Digest of the agreement that the classes keep; left out of the file if they keep none.
    schema_version, version
        Of the file, and of the program that wrote it.
    """

    released: date
    quasi_identifiers: Annotated[tuple[str, ...], Meta(min_length=1)]
    sensitive: Annotated[str, Meta(min_length=1)] | Annotated[tuple[str, ...], Meta(min_length=2)]
    content: Annotated[str, Meta(min_length=64, max_length=64)]
    recipient: Annotated[str, Meta(max_length=MAX_WORDS)]
    key: str
    kinds: dict[str, ColumnType]
    policy: dict[str, str | float]
    algorithm: str
    centroids: bool
    records: Annotated[int, Meta(ge=0)]
    data: str
    unmodified: tuple[str, ...] = ()
    agreement: Annotated[str, Meta(max_length=64)] = ""
    schema_version: Literal[2] = RECORD_VERSION
    version: str = VERSION

    def __post_init__(self) -> None:
        """Refuse a column that is named twice."""
        twice = next((name for name in self.columns if self.columns.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"The release record names the column {shown(twice)} twice.", parameter=twice)

    @property
    def columns(self) -> tuple[str, ...]:
        """Published columns, in the order of the published file."""
        sensitive = (self.sensitive,) if isinstance(self.sensitive, str) else self.sensitive
        return (*self.quasi_identifiers, *sensitive, *self.unmodified)

    def to_json(self) -> str:
        """Write as JSON with its own digest: same record, same text."""
        facts = msgspec.to_builtins(self)
        for name in ("unmodified", "agreement"):
            if not facts[name]:
                del facts[name]
        return sealed(facts)

    @classmethod
    def from_json(cls, text: str | bytes) -> ReleaseRecord:
        """Read what :meth:`to_json` wrote.

        Raises
        ------
        InputError
            If it is no release record, of a later version, changed since it was written, or a field is
            missing or of the wrong type.
        """
        facts = parsed(text) if len(text) <= MAX_TEXT else None
        if facts is None or facts.get("format") != FORMAT:
            raise InputError("The file is not a release record of this program; load the JSON file that came with it.")
        version = facts.get("schema_version")
        if type(version) is not int or not 1 <= version <= RECORD_VERSION:
            raise InputError(
                f"The release record has a version other than 1 to {RECORD_VERSION}, which this program reads; use "
                f"the program that wrote it.",
                parameter="schema_version",
            )
        if facts.get("digest") != digest_of(facts):
            raise InputError("The release record was changed after it was written; load the one that came with it.")
        if version == 1:
            facts["schema_version"] = RECORD_VERSION
            facts |= {"unmodified": facts.pop("published")} if "published" in facts else {}
        return read(facts, cls, "release record", InputError)

    def headers(self, table: Table) -> dict[str, str]:
        """Header in a published file of each published column, and of the key if the file has one."""
        return headers_in(table, self.columns, (self.key,), "its release record names")

    def check(self, table: Table) -> None:
        """Refuse a file that is not the one that was published, or its copy with a key.

        Raises
        ------
        InputError
            If a column is missing or any cell differs. The order of rows does not matter.
        """
        headers = self.headers(table)
        if content_digest(table, [headers[name] for name in self.columns]) != self.content:
            raise InputError(
                "The file is not the one of its release record: a cell, a row or the number of rows differs. Load the "
                "file as it was published.",
                parameter="content",
            )


def record_of(release: Release, data: str, released: str, recipient: str = "", key: str = "") -> ReleaseRecord:
    """Create the record of a release.

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
    # A frequency table may represent more records than fit into memory.
    table, counts = release.publish_counts() if release.encoded.counted else (release.publish(seed=0), None)
    unmodified = [column.name for column in release.encoded.plain]
    sensitive = release.encoded.sensitive.parts or (release.encoded.sensitive.name,)
    names = [*(domain.name for domain in domains), *sensitive, *unmodified]
    return read(
        {
            "format": FORMAT,
            "released": released,
            "quasi_identifiers": [domain.name for domain in domains],
            "sensitive": list(release.encoded.sensitive.parts) or release.encoded.sensitive.name,
            "content": content_digest(table, names, counts),
            "recipient": recipient,
            "key": key,
            "kinds": {domain.name: str(domain.column_type) for domain in domains},
            "policy": {name: _plain(value) for name, value in policy.items() if value is not None},
            "algorithm": release.algorithm.name,
            "centroids": release.publishes_centroids,
            "records": len(table) if counts is None else int(counts.sum()),
            "data": data,
            "unmodified": unmodified,
            "agreement": release.agreement,
        },
        ReleaseRecord,
        "release record",
        ParameterError,
    )


def headers_in(table: Table, columns: Sequence[str], more: Sequence[str], who_names: str) -> dict[str, str]:
    """Header in a published file of each published column, and of those of ``more`` that the file has.

    Raises
    ------
    InputError
        If a published column is missing; ``who_names`` ends the sentence about it.
    """
    wanted = (*columns, *more)
    headers = {name: header for name in wanted for header in (harmless(name), name) if header in table.names}
    lacking = next((name for name in columns if name not in headers), None)
    if lacking is not None:
        raise InputError(
            f"The file has no column {shown(lacking)}, which {who_names}; load the file as it was published.",
            parameter=lacking,
        )
    return headers


def content_digest(table: Table | IntoDataFrame, columns: Sequence[str], counts: Ints | None = None) -> str:
    """SHA-256 over the published cells of some columns, independent of the order of rows.

    Each distinct row is written as the lengths and texts of its cells and its number of occurrences; these lines are
    sorted. Headers are not included. ``counts`` (rows,) is the number of occurrences of each row in the file, if the
    table lists equal rows once. O(rows log rows).
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


def _plain(value: Any) -> str | float:
    return value if isinstance(value, str) else float(value)

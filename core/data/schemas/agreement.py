"""The agreement: a small public file by which several publishers form classes that hold together [definitions §11].

It divides the sensitive values into buckets, region by region, and gives each bucket of a region a tree of cuts. It is
made from public data only and never depends on the records of anyone who keeps it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import msgspec

from core.base.errors import InputError, SchemaError
from core.base.errors import shown_name as shown
from core.base.json_files import digest_of, parsed, read, sealed
from core.base.limits import LIMITS
from core.base.short import many, short
from core.base.version import VERSION
from core.data.tables.cell_syntax import unescaped

AGREEMENT_VERSION: Literal[1] = 1
FORMAT = "composition agreement"
MAX_TEXT = 50_000_000
"""Largest number of characters of an agreement file."""
BY_NUMBER = ("numeric", "date")
"""Types of columns that are cut at a number; dates at days, 1 for the first of January of year 1."""
FEWEST = 2
"""Values of a bucket at least."""
Origin = Literal["table", "file"]


class Cut(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A cut of a tree in two.

    Parameters
    ----------
    column
        Quasi-identifier.
    at
        Of a number or a date: up to it, a record is on the first side.
    values
        Of any other column: with one of them, a record is on the first side. A missing value is on the second.
    first, second
        Index of the cut of each side in the list of the tree's cuts; -1 if the side is not cut.
    """

    column: str
    at: float | None = None
    values: tuple[str, ...] = ()
    first: int = -1
    second: int = -1


class Inside(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a region has of one column: numbers from ``low`` to ``high``, or some values."""

    column: str
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] = ()

    def overlaps(self, other: Inside) -> bool:
        """Whether a value can be in both."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return not set(self.values).isdisjoint(other.values)
        return self.low <= other.high and other.low <= self.high


class AgreedRegion(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A public and stable part of the population, with its own list of values.

    Parameters
    ----------
    buckets
        Published values of each bucket.
    trees
        Cuts of each bucket's tree, the cut of the whole region first; a bucket without cuts is one class.
    inside
        What defines it; everyone if it is empty.
    """

    buckets: tuple[tuple[str, ...], ...]
    trees: tuple[tuple[Cut, ...], ...]
    inside: tuple[Inside, ...] = ()

    @property
    def bucket_of(self) -> dict[str, int]:
        """Bucket of each published value."""
        return {value: number for number, bucket in enumerate(self.buckets) for value in bucket}


class Made(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How lists and trees were made: from which public data, of how many records, with which settings."""

    origin: Origin = "file"
    data: str = ""
    records: int = 0
    settings: dict[str, float] = {}


class Agreement(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True, tag_field="format", tag=FORMAT):
    """Lists of sensitive values by region and a tree of cuts for each bucket [definitions §11].

    It is the same for all publishers.

    Parameters
    ----------
    sensitive
        The sensitive column.
    columns
        Type of each quasi-identifier; no other may be published.
    regions
        Regions without a record in common.
    label
        What is published instead of a value that the list of a region does not have; "" if such records are left out.
    coarser
        Values that are published as another: a node of their taxonomy.
    made
        From what it was made.
    schema_version, version
        Of the file, and of the program that wrote it.

    Raises
    ------
    InputError
        If a bucket is empty or repeats a value, regions overlap, or cuts are no tree.

    Examples
    --------
    >>> from composition_dashboard import Policy, agree, anonymize, examples
    >>> public, mine, schema = examples.city(2_000, seed=1), examples.city(500), examples.city_schema()
    >>> agreement = agree(public, schema, least=3, stable=["sex"])
    >>> anonymize(mine, schema, Policy(k=5), agreement=agreement).agreement == agreement.digest
    True
    """

    sensitive: str
    columns: dict[str, str]
    regions: tuple[AgreedRegion, ...]
    label: str = ""
    coarser: dict[str, str] = {}
    made: Made = Made()
    schema_version: Literal[1] = AGREEMENT_VERSION
    version: str = VERSION

    def __post_init__(self) -> None:
        """Validate lists, regions and trees."""
        LIMITS["agreement regions"].check(len(self.regions), "agreement")
        if not self.regions:
            _refuse("has no region; give it one with all values")
        LIMITS["agreed"].check(sum(len(bucket) for _, bucket in self._buckets()), "agreement")
        LIMITS["agreement cuts"].check(sum(len(tree) for region in self.regions for tree in region.trees), "agreement")
        for region in self.regions:
            values = [value for bucket in region.buckets for value in bucket]
            if not region.buckets or min(map(len, region.buckets)) < FEWEST:
                _refuse(
                    "needs at least one bucket in every list, and two values in each bucket: one value alone says what "
                    "everyone in its classes has"
                )
            if len(values) != len(set(values)):
                _refuse("has a list in which a value occurs twice; put every value into one bucket")
            if len(values) != len(set(map(unescaped, values))):
                _refuse(
                    "has two values that differ only in an apostrophe at their start, which a file for spreadsheets "
                    "adds; rename one of them"
                )
            if len(region.trees) != len(region.buckets):
                _refuse("has more trees than buckets in a region, or fewer; make one from public data with agree")
            for tree in region.trees:
                self._check_tree(tree)
            for part in region.inside:
                self._check_side(part.column, part.low is not None and part.high is not None, part.values, "region")
        for region, other in combinations(self.regions, 2):
            theirs = {part.column: part for part in other.inside}
            if all(part.column not in theirs or part.overlaps(theirs[part.column]) for part in region.inside):
                _refuse("has regions that overlap, so the list of some records is not clear")

    def __repr__(self) -> str:
        regions = many(len(self.regions), "region")
        return short(self, regions, many(self.buckets, "bucket"), f"at least {many(self.least, 'value')} in each")

    def _buckets(self) -> Iterator[tuple[AgreedRegion, tuple[str, ...]]]:
        return ((region, bucket) for region in self.regions for bucket in region.buckets)

    def _check_tree(self, tree: Sequence[Cut]) -> None:
        depth = {0: 1} if tree else {}
        for number, cut in enumerate(tree):
            self._check_side(cut.column, cut.at is not None, cut.values, "cut")
            if cut.at is not None and not math.isfinite(cut.at):
                _refuse("has a cut at a number that is not finite")
            if number not in depth:
                _refuse("has a tree with a cut that belongs to no side of another")
            for side in (cut.first, cut.second):
                if side >= 0:
                    if side <= number or side >= len(tree) or side in depth:
                        _refuse("has a tree with a side that is cut twice, or by a cut that is not in it")
                    depth[side] = depth[number] + 1
                    LIMITS["agreement depth"].check(depth[side], "agreement")

    def _check_side(self, column: str, by_number: bool, values: Sequence[str], what: str) -> None:
        if column not in self.columns:
            _refuse(f"has a {what} of {shown(column)}, which is not among its columns")
        if by_number != (self.columns[column] in BY_NUMBER) or by_number == bool(values):
            _refuse(f"has a {what} of {shown(column)} that does not fit the type of the column")

    # ---- what it says -------------------------------------------------------------------

    @property
    def buckets(self) -> int:
        """Number of buckets in all regions."""
        return sum(len(region.buckets) for region in self.regions)

    @property
    def least(self) -> int:
        """Number of values of the smallest bucket: what is left of the values of anyone."""
        return min(len(bucket) for _, bucket in self._buckets())

    @property
    def stable(self) -> tuple[str, ...]:
        """Columns that define regions."""
        return tuple(dict.fromkeys(part.column for region in self.regions for part in region.inside))

    @property
    def in_words(self) -> str:
        """Description and source, inside a sentence."""
        records = self.made.records
        source = f"a public table of {records:,} records" if records else "a file that all publishers have"
        regions = f" in {len(self.regions):,} regions" if len(self.regions) > 1 else ""
        return f"{self.buckets:,} buckets of at least {self.least:,} values{regions}, from {source}"

    def check_origin(self, content_id: str) -> None:
        """Refuse to protect the table that it was made from, by the content id of that table.

        Raises
        ------
        InputError
            With what to do.
        """
        if self.made.data and self.made.data == content_id:
            _refuse(
                "was made from this very table, and what depends on the records that it protects guarantees nothing; "
                "make one from public data"
            )

    def check_names(self, quasi_identifiers: Sequence[str], sensitive: str) -> None:
        """Refuse a table with other columns than those of the trees.

        Raises
        ------
        SchemaError
            Naming the column and what to do.
        """
        if self.sensitive != sensitive:
            raise SchemaError(
                f"The agreement is about {shown(self.sensitive)}, and the sensitive column is {shown(sensitive)}; "
                "choose that column, or another agreement.",
                parameter=sensitive,
            )
        for column in quasi_identifiers:
            if column not in self.columns:
                raise SchemaError(
                    f"The agreement does not cut {shown(column)}, so that column cannot be published with it; give it "
                    "another role than quasi-identifier.",
                    parameter=column,
                )
        for column in self.columns:
            if column not in quasi_identifiers:
                raise SchemaError(
                    f"The agreement cuts {shown(column)}, which is not a quasi-identifier here; give a column that "
                    "role.",
                    parameter=column,
                )

    # ---- to a file and back -------------------------------------------------------------

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Plain values of the file, without its digest."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        return facts

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file; publishers who keep the same agreement have the same digest."""
        return digest_of(self.facts)

    @property
    def sealed_facts(self) -> dict[str, Any]:
        """The same with its digest, as it is kept in a scenario."""
        return {**self.facts, "digest": self.digest}

    def to_json(self) -> str:
        """Write as JSON with its digest: same agreement, same text."""
        return sealed(self.facts)

    @classmethod
    def from_json(cls, text: str | bytes) -> Agreement:
        """Read what :meth:`to_json` wrote.

        Raises
        ------
        InputError
            If it is no agreement, of another version, larger than the limits, or changed since it was written.
        """
        facts = parsed(text) if len(text) <= MAX_TEXT else None
        if facts is None or facts.get("format") != FORMAT:
            raise InputError(
                "The file is not an agreement of this program; load the JSON file that its publishers share.",
                parameter="agreement",
            )
        return cls.from_facts(facts)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Agreement:
        """Read the content of a file as plain values; see :meth:`from_json`."""
        version = facts.get("schema_version")
        if type(version) is not int or version != AGREEMENT_VERSION:
            raise InputError(
                f"The agreement has a version other than {AGREEMENT_VERSION}, which this program reads; use the "
                "program that wrote it.",
                parameter="schema_version",
            )
        if facts.get("digest") != digest_of(facts):
            raise InputError(
                "The agreement was changed after it was written; load the file that all publishers have.",
                parameter="agreement",
            )
        return read({name: value for name, value in facts.items() if name != "digest"}, cls, "agreement", InputError)


def _refuse(why: str) -> None:
    raise InputError(f"The agreement {why}.", parameter="agreement")


__all__ = ["AgreedRegion", "Agreement", "Cut", "Inside", "Made"]

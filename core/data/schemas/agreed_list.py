"""The agreed list: a public partition of the sensitive values into buckets that all publishers keep whole.

A list is made from public information: a level of a taxonomy, a file, or published shares. It must not depend on
anyone's records, or the guarantee that rests on it is void [definitions §11].
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from core.base.errors import ParameterError, SchemaError
from core.base.limits import LIMITS
from core.base.short import many, short
from core.base.wording import count
from core.data.schemas.taxonomy import Taxonomy

ORIGINS = {
    "taxonomy": "a level of the taxonomy of the sensitive attribute",
    "file": "a file that all publishers have",
    "shares": "neighbours in published shares of the sensitive values",
}
"""Sources of a list, each in words."""


@dataclass(frozen=True)
class AgreedList:
    """Buckets of sensitive values; every value is in exactly one.

    Parameters
    ----------
    buckets
        The values of each bucket, as text.
    origin
        One of :data:`ORIGINS`.

    Raises
    ------
    SchemaError
        If there is no bucket, one is empty, a value occurs twice, or the list is made from nothing public.
    """

    buckets: tuple[tuple[str, ...], ...]
    origin: str = "file"

    def __repr__(self) -> str:
        values = sum(len(bucket) for bucket in self.buckets)
        return short(self, many(len(self.buckets), "bucket"), many(values, "value"))

    def __post_init__(self) -> None:
        """Validate the list."""
        if self.origin not in ORIGINS:
            raise SchemaError(
                "An agreed list must depend only on what is public: a level of a taxonomy, a file that all "
                "publishers have, or published shares.",
                parameter="agreed",
            )
        if not self.buckets or not all(self.buckets):
            raise SchemaError(
                "The agreed list needs at least one bucket, and a value in each; leave empty buckets out.",
                parameter="agreed",
            )
        values = [value for bucket in self.buckets for value in bucket]
        LIMITS["agreed"].check(len(values), "agreed")
        twice = len(values) - len(set(values))
        if twice:
            raise SchemaError(
                f"{count(twice)} values occur twice in the agreed list; put every value into one bucket.",
                parameter="agreed",
            )

    @property
    def least(self) -> int:
        """Number of values of the smallest bucket, which remain whatever others publish."""
        return min(map(len, self.buckets))

    @property
    def bucket_of(self) -> dict[str, int]:
        """Bucket of every value."""
        return {value: number for number, bucket in enumerate(self.buckets) for value in bucket}

    @property
    def in_words(self) -> str:
        """Description and source, inside a sentence."""
        return f"{len(self.buckets):,} buckets of at least {self.least:,} values, from {ORIGINS[self.origin]}"

    def check(self, least: int) -> AgreedList:
        """Refuse buckets with too few values.

        Raises
        ------
        SchemaError
            With the number of such buckets.
        """
        small = sum(len(bucket) < least for bucket in self.buckets)
        if small:
            raise SchemaError(
                f"{small:,} of the {len(self.buckets):,} buckets of the agreed list have fewer than {least:,} values; "
                "join them with others or ask for fewer values.",
                parameter="agreed",
            )
        return self

    # ---- making one -----------------------------------------------------------------

    @classmethod
    def from_taxonomy(cls, tree: Taxonomy, level: int, least: int | None = None) -> AgreedList:
        """Use the nodes of one level of a tree, counted from 0 at its root; a leaf above it is a separate bucket.

        A bucket cannot be in more classes than its rarest value has records, so large nodes cost much.

        Parameters
        ----------
        tree, level
            A level of the tree.
        least
            Divide each node into as many runs of neighbouring leaves as possible, each with at least ``least`` values
            and all about equally long; a node with fewer than ``2 * least`` stays whole. By default all do.

        Raises
        ------
        SchemaError
            If the tree has no such level.
        """
        if not 0 <= level <= tree.height:
            raise SchemaError(
                f"The taxonomy has the levels 0 to {tree.height}; choose one of them for the agreed list.",
                parameter="agreed",
            )
        nodes: dict[int, list[str]] = {}
        for leaf, node in enumerate(tree.ancestors[level].tolist()):
            nodes.setdefault(node, []).append(tree.leaf_labels[leaf])
        buckets: list[tuple[str, ...]] = []
        for leaves in nodes.values():
            runs = max(1, len(leaves) // max(1, least or len(leaves)))
            ends = [len(leaves) * run // runs for run in range(runs + 1)]
            buckets += [tuple(leaves[begin:end]) for begin, end in pairwise(ends)]
        return cls(tuple(buckets), "taxonomy")

    @classmethod
    def from_file(cls, raw: bytes | str) -> AgreedList:
        """Read a text file with a value and its bucket per line, separated by a semicolon, comma or tab; no header.

        Raises
        ------
        SchemaError
            If it is not such a file, or a value occurs twice; with the line, never a value.
        """
        rows = _pairs(raw, "agreed list", "the value and the name of its bucket")
        buckets: dict[str, list[str]] = {}
        for value, bucket in rows:
            buckets.setdefault(bucket, []).append(value)
        return cls(tuple(map(tuple, buckets.values())))

    @classmethod
    def from_shares(
        cls, shares: Mapping[str, float], least: int, mine: Mapping[str, float] | None = None
    ) -> AgreedList:
        """Make buckets of about equally common values, from published shares.

        Of all ways to cut the values, ordered by share, into buckets of ``least`` to
        ``2 least - 1`` values, the one with the least sum of ``p ln(p / r)`` is chosen, where p is
        the share of a bucket and r that of its rarest value: a bucket cannot be published in more
        classes than its rarest value has records, so p / r is roughly the factor by which its classes are larger than
        necessary. Equal shares are ordered by the text of the value. O(values x least).

        Parameters
        ----------
        shares
            Published share of every value, of any positive sum.
        least
            Least number of values of a bucket, l.
        mine
            Shares in the user's own table, if there is one: a file with the same shares was counted in it.

        Raises
        ------
        ParameterError
            If there are fewer values than ``least``, a share is not a positive number, or the shares are those of the
            user's own table.
        """
        if least < 1 or least > len(shares):
            raise ParameterError(
                f"Buckets of at least {least:,} values cannot be made of {len(shares):,}; ask for 1 to "
                f"{len(shares):,}.",
                parameter="agreed",
            )
        if not all(math.isfinite(share) and share > 0 for share in shares.values()):
            raise ParameterError(
                "Every published share must be a number above 0; give a value that no one has the smallest share.",
                parameter="agreed",
            )
        total = sum(shares.values())
        if mine is not None and _same(shares, mine):
            raise ParameterError(
                "These shares are those of your own table, and a list that depends on the records it protects "
                "guarantees nothing; give shares that another organisation has published.",
                parameter="agreed",
            )
        ordered = sorted(shares, key=lambda value: (shares[value], value))
        share = [shares[value] / total for value in ordered]
        cuts = _cheapest(share, least)
        return cls(tuple(tuple(ordered[begin:end]) for begin, end in pairwise(cuts)), "shares")

    # ---- to a file and back -----------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        return {"buckets": [list(bucket) for bucket in self.buckets], "origin": self.origin}


def read_shares(raw: bytes | str) -> dict[str, float]:
    """Read a text file with a value and its published share per line; no header.

    Raises
    ------
    SchemaError
        If it is not such a file, a value occurs twice, or a share is not a number.
    """
    shares: dict[str, float] = {}
    for line, (value, share) in enumerate(_pairs(raw, "file of shares", "the value and its share"), start=1):
        if value in shares:
            raise SchemaError(
                f"Line {line:,} of the file of shares repeats a value; give each once.", parameter="agreed"
            )
        try:
            shares[value] = float(share)
        except ValueError:
            raise SchemaError(
                f"Line {line:,} of the file of shares has no number in its second column; write 0.25 for 25%.",
                parameter="agreed",
            ) from None
    return shares


def _pairs(raw: bytes | str, what: str, columns: str) -> list[tuple[str, str]]:
    try:
        text = raw if isinstance(raw, str) else raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SchemaError(f"The {what} is not UTF-8 text; save it as such.", parameter="agreed") from None
    first = text.split("\n", 1)[0]
    mark = next((mark for mark in ";\t," if mark in first), ";")
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True) if any(row)]
    except csv.Error:
        raise SchemaError(f"The {what} cannot be read; is a quotation mark left open?", parameter="agreed") from None
    pairs = []
    for line, row in enumerate(rows, start=1):
        cells = tuple(cell.strip() for cell in row)
        if len(cells) != 2 or not all(cells):
            raise SchemaError(f"Line {line:,} of the {what} needs two columns: {columns}.", parameter="agreed")
        pairs.append((cells[0], cells[1]))
    return pairs


def _cheapest(share: Sequence[float], least: int) -> list[int]:
    """Bounds of the buckets, in rising shares, that minimise the sum of p ln(p / r)."""
    n = len(share)
    upto = [0.0]
    for weight in share:
        upto.append(upto[-1] + weight)
    cost, came = [0.0] + [math.inf] * n, [0] * (n + 1)
    for end in range(least, n + 1):
        for begin in range(max(0, end - 2 * least + 1), end - least + 1):
            p = upto[end] - upto[begin]
            loss = cost[begin] + p * math.log(p / share[begin])
            if loss < cost[end]:
                cost[end], came[end] = loss, begin
    cuts = [n]
    while cuts[-1]:
        cuts.append(came[cuts[-1]])
    return cuts[::-1]


def _same(first: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Whether two sets of weights give every value the same share, to six figures."""
    if {value for value in first if first[value] > 0} != {value for value in other if other[value] > 0}:
        return False
    a, b = sum(first.values()), sum(other.values())
    return all(math.isclose(first[value] / a, other[value] / b, rel_tol=1e-6) for value in first if first[value] > 0)

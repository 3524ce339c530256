"""Where an agreed list comes from: a level of the taxonomy, a file, published shares; never the user's own table."""

from __future__ import annotations

from core import examples
from core.base.errors import ParameterError
from core.base.words import count
from core.data.agreed import AgreedList, read_shares
from core.data.encoding import Encoded
from pages.shared import results, session

TREE, FILE, SHARES, EXAMPLE = "taxonomy", "file", "shares", "example"
FROM = {
    TREE: "A level of its taxonomy",
    FILE: "A file (value; bucket)",
    SHARES: "A file (value; share)",
    EXAMPLE: "Shares of another city",
}
"""What a list is made from, in words."""
MOST = 5
"""Megabytes of a list."""
NEIGHBOURS, NEIGHBOUR = 300_000, 1
"""Residents and seed of the other city, whose shares stand for published statistics of the built-in example."""


def ways(encoded: Encoded) -> list[str]:
    """What a list of the present table can be made from."""
    tree = encoded.sensitive.taxonomy is not None
    return [way for way in FROM if (way != TREE or tree) and (way != EXAMPLE or session.workspace().example)]


def from_shares(raw: bytes | str, least: int, encoded: Encoded) -> AgreedList:
    """Buckets of neighbours in published shares; shares of the table itself are refused."""
    counts = dict(zip(encoded.sensitive.labels, encoded.overall.tolist(), strict=True))
    return AgreedList.from_shares(read_shares(raw), least, counts)


def from_example(least: int) -> AgreedList:
    """Buckets of neighbours in the shares of another synthetic city."""

    def shares() -> dict[str, float]:
        column = examples.city(NEIGHBOURS, seed=NEIGHBOUR).column(session.workspace().schema.sensitive)
        return {label: float(many) for label, many in zip(column.labels, column.counts.tolist(), strict=True)}

    return AgreedList.from_shares(results.remembered(("shares of the other city",), shares), least)


def checked(agreed: AgreedList) -> AgreedList:
    """Refuse a list that leaves one value.

    Raises
    ------
    ParameterError
        With the number of buckets that have one.
    """
    alone = sum(len(bucket) < 2 for bucket in agreed.buckets)
    if alone:
        raise ParameterError(
            f"{count(alone)} of the buckets have one value, which would be all that is left; choose another list.",
            parameter="agreed",
        )
    return agreed

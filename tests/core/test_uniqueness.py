"""Who is unique: against counting tuple by tuple, by hand on small tables, and fast enough."""

from collections import Counter

from hypothesis import given

from core.data.encoding import Encoded
from core.data.uniqueness import BINS, Uniqueness, uniqueness
from tests.strategies import cases


def slow(encoded: Encoded) -> tuple[object, ...]:
    """Count combinations of values one record at a time."""
    rows = list(zip(*encoded.codes.tolist(), strict=True))
    groups = Counter(rows)

    def lonely(keep: list[int]) -> int:
        seen = Counter(tuple(row[i] for i in keep) for row in rows)
        return sum(seen[tuple(row[i] for i in keep)] == 1 for row in rows)

    qids = range(len(encoded.qids))
    crowds = []
    for low, high in BINS:
        inside = [size for size in groups.values() if low <= size <= (high or len(rows))]
        crowds.append((low, high, sum(inside), len(inside)))
    parts = [
        (encoded.qids[i].name, len({row[i] for row in rows}), lonely([j for j in qids if j != i]), lonely([i]))
        for i in qids
    ]
    return (len(rows), sum(size == 1 for size in groups.values()), min(groups.values()), len(groups), crowds, parts)


def plain(found: Uniqueness) -> tuple[object, ...]:
    crowds = [(crowd.low, crowd.high, crowd.people, crowd.groups) for crowd in found.crowds]
    parts = [(part.name, part.distinct, part.without, part.alone) for part in found.contributions]
    return found.people, found.unique, found.smallest, found.groups, crowds, parts


@given(cases())
def test_agrees_with_counting_one_by_one(case):
    for encoded in (case.encoded, case.encoded.take([0])):
        assert plain(uniqueness(encoded)) == slow(encoded)

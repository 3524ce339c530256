"""Who is unique: against counting tuple by tuple, by hand on small tables, and fast enough."""

from collections import Counter

import pandas as pd
from hypothesis import given

from core import Schema, Table
from core.data.encoding import Encoded, encode
from core.data.uniqueness import BINS, Contribution, Uniqueness, uniqueness
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
    encoded = case.encoded
    assert plain(uniqueness(encoded)) == slow(encoded)


@given(cases())
def test_crowds_hold_everybody_once_and_leaving_a_column_out_never_adds_unique_people(case):
    found = uniqueness(case.encoded)
    assert sum(crowd.people for crowd in found.crowds) == found.people
    assert sum(crowd.groups for crowd in found.crowds) == found.groups
    assert found.crowds[0].people == found.unique
    assert all(part.without <= found.unique and part.alone <= found.unique for part in found.contributions)


def table(**columns: list[str]) -> Encoded:
    frame = pd.DataFrame({**columns, "illness": ["a", "b"] * (len(next(iter(columns.values()))) // 2)})
    return encode(Table.from_frame(frame), Schema(list(columns), "illness"))


def test_a_table_by_hand():
    # (30,f) twice, (30,m), (31,f), (31,m) twice: two people are unique, and only by both values.
    found = uniqueness(table(age=["30", "30", "30", "31", "31", "31"], sex=["f", "f", "m", "f", "m", "m"]))
    assert (found.people, found.unique, found.smallest, found.groups, found.share) == (6, 2, 1, 4, 2 / 6)
    assert found.contributions == (Contribution("age", 2, 0, 0), Contribution("sex", 2, 0, 0))


def test_a_single_record_is_unique_even_when_nothing_is_known():
    encoded = table(age=["30", "31"]).take([0])
    found = uniqueness(encoded)
    assert (found.people, found.unique) == (1, 1)
    assert found.contributions == (Contribution("age", 1, 1, 1),)

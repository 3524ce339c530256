"""The partition cut by cut: it must tell the story of the partition that is published."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table, examples
from core.algorithms import partition
from core.algorithms.mondrian import trace as trace_module
from core.algorithms.mondrian.trace import Trace, trace
from core.base.errors import InfeasibleError, LimitError
from core.data.encoding import Encoded, encode
from core.data.schema import Kind
from tests.strategies import Case, cases, policies

Region = tuple[tuple[int, int], ...]


def encoded_of(ages: list[int], **others: list[str]) -> Encoded:
    frame = pd.DataFrame({"age": [str(age) for age in ages], **others})
    frame["s"] = ["x", "y", "z"] * (len(frame) // 3) + ["x", "y", "z"][: len(frame) % 3]
    return encode(Table.from_frame(frame), Schema(["age", *others], "s"))


def regions_of(found: Trace, nodes: list[int]) -> Counter[tuple[Region, int]]:
    """Codes covered and records of some nodes."""
    return Counter(
        (tuple(zip(found.low[n].tolist(), found.high[n].tolist(), strict=True)), int(found.sizes[n])) for n in nodes
    )


def published_regions(encoded: Encoded, policy: Policy) -> Counter[tuple[Region, int]]:
    """The same of the classes that partition() makes."""
    release = partition(encoded, policy)
    classes: Counter[tuple[Region, int]] = Counter()
    for number in range(release.classes.count):
        codes = encoded.codes[:, release.labels == number]
        classes[tuple((int(row.min()), int(row.max())) for row in codes), codes.shape[1]] += 1
    return classes


def assert_story(encoded: Encoded, policy: Policy) -> Trace:
    """Every rule of a trace."""
    found = trace(encoded, policy)
    nodes = len(found.sizes)
    assert found.low.shape == found.high.shape == (nodes, len(encoded.qids))
    assert found.after(0) == [0]
    assert found.sizes[0] == len(encoded)
    assert found.low[0].tolist() == encoded.codes.min(axis=1).tolist()
    assert found.high[0].tolist() == encoded.codes.max(axis=1).tolist()
    assert regions_of(found, found.after(len(found.cuts))) == published_regions(encoded, policy)
    made = [part for cut in found.cuts for part in cut.parts]
    assert sorted(made) == list(range(1, nodes))
    for number, cut in enumerate(found.cuts):
        before, after = found.after(number), found.after(number + 1)
        assert cut.parent in before
        assert sorted({*before, *cut.parts} - {cut.parent}) == after == sorted(after)
        assert found.sizes[after].sum() == len(encoded)
        assert found.sizes[list(cut.parts)].sum() == found.sizes[cut.parent]
        assert (found.sizes[list(cut.parts)] >= policy.k).all()
        taxonomy = encoded.qids[cut.attribute].kind is Kind.TAXONOMY
        assert len(cut.parts) >= 2
        assert taxonomy or len(cut.parts) == 2
        low, high = found.low[list(cut.parts)], found.high[list(cut.parts)]
        by_start = np.argsort(low[:, cut.attribute])
        starts, ends = low[by_start, cut.attribute], high[by_start, cut.attribute]
        assert (ends[:-1] < starts[1:]).all()
        # Parts lie inside the whole, and together they reach its ends.
        assert (low.min(axis=0) == found.low[cut.parent]).all()
        assert (high.max(axis=0) == found.high[cut.parent]).all()
    return found


@settings(max_examples=100)
@given(case=cases(rows=(2, 60)), data=st.data())
def test_the_story_ends_with_the_published_classes(case: Case, data: st.DataObject) -> None:
    policy = data.draw(policies(case.sensitive))
    policy = replace(policy, c=policy.c and float(policy.c))
    encoded = case.encoded
    try:
        policy.check_feasible(encoded)
    except InfeasibleError:
        assume(False)
    assert_story(encoded, policy)


@pytest.mark.parametrize("policy", [Policy(2), Policy(10), Policy(40), Policy(5, l=3), Policy(5, t=0.6)])
def test_a_city_cut_by_cut(policy: Policy) -> None:
    encoded = encode(examples.city(2_000, seed=9), examples.city_schema())
    found = assert_story(encoded, policy)
    assert len(found.cuts) > 3
    assert {encoded.qids[cut.attribute].kind for cut in found.cuts} >= {Kind.NUMERIC, Kind.TAXONOMY}


def test_cuts_by_hand() -> None:
    found = trace(encoded_of([1, 2, 3, 4, 5, 6, 7, 8]), Policy(2))
    assert [(cut.parent, cut.parts, cut.attribute) for cut in found.cuts] == [
        (0, (1, 2), 0),
        (1, (3, 4), 0),
        (2, (5, 6), 0),
    ]
    assert [found.after(n) for n in range(4)] == [[0], [1, 2], [2, 3, 4], [3, 4, 5, 6]]
    assert found.sizes.tolist() == [8, 4, 4, 2, 2, 2, 2]
    assert found.low.ravel().tolist() == [0, 0, 4, 0, 2, 4, 6]
    assert found.high.ravel().tolist() == [7, 3, 7, 1, 3, 5, 7]


def test_level_by_level_although_a_class_may_wait_for_its_second_attribute() -> None:
    """The left half is widest in sex but cannot be cut there; its cut still comes before those of the next level.

    Within a level the order is that of the nodes.
    """
    ages = [1, 1, 1, 2, 2, 2, 2, 20, 21, 22, 23, 30, 31, 32, 33]
    sexes = list("fmfmmmm") + list("mmmmmmmm")
    encoded = encoded_of(ages, sex=sexes)
    found = assert_story(encoded, Policy(3))
    depth = {0: 0}
    for cut in found.cuts:
        depth |= dict.fromkeys(cut.parts, depth[cut.parent] + 1)
    order = [(depth[cut.parent], cut.parent) for cut in found.cuts]
    assert order == sorted(order)


def test_nothing_to_cut() -> None:
    for encoded, policy in ((encoded_of([1, 2, 3]), Policy(2)), (encoded_of([5] * 9), Policy(2))):
        found = assert_story(encoded, policy)
        assert found.cuts == ()
        assert found.after(0) == found.after(99) == [0]


def test_too_many_records_are_refused_and_the_limit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trace_module.MAX_RECORDS == 50_000
    many = encoded_of(list(range(50)) * 1_000 + [7])
    with pytest.raises(LimitError, match="50,000"):
        trace(many, Policy(30_000))
    assert trace(many.take(np.arange(50_000)), Policy(30_000)).cuts == ()


def test_a_policy_that_nothing_meets_is_refused() -> None:
    with pytest.raises(InfeasibleError) as caught:
        trace(encoded_of([1, 2, 3]), Policy(4))
    assert caught.value.parameter == "k"
    with pytest.raises(InfeasibleError) as caught:
        trace(encoded_of([1, 2, 3]), Policy(2, l=4))
    assert caught.value.parameter == "l"
    with pytest.raises(InfeasibleError) as caught:
        trace(encoded_of([1, 2, 3]), Policy(2, l=1, diversity="recursive", c=Fraction(1, 3)))
    assert caught.value.parameter == "c"

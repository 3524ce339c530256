"""What Mondrian's late stop gives away: sure for every table, counted as by hand, and what taking cuts back costs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.data import adult_bytes, adult_schema, folder
from core import Policy, Schema, Table, read_table
from core.algorithms import partition
from core.algorithms.mondrian.stops import applies, stops, taken_back
from core.algorithms.mondrian.trace import trace
from core.data.encoding import encode
from core.data.schema import Kind
from core.release.release import Release
from core.release.utility import gcp
from tests.tables import a_table


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, int]:
    rows = draw(st.integers(8, 40))
    few = draw(st.integers(1, 6))
    columns = {
        name: draw(st.lists(st.integers(0, few), min_size=rows, max_size=rows)) for name in ("age", "size", "town")
    }
    frame = pd.DataFrame(columns).assign(s=["x", "y"] * (rows // 2) + ["x"] * (rows % 2)).astype(str)
    frame["town"] = "t" + frame["town"]
    return Table.from_frame(frame), draw(st.integers(2, 5))


def by_hand(release: Release) -> tuple[float, float, float, float]:
    """Shares and means over records one by one."""
    encoded, labels, k = release.encoded, release.classes.labels.tolist(), release.policy.k
    members: dict[int, list[int]] = {}
    for row, label in enumerate(labels):
        members.setdefault(label, []).append(row)
    late = sum(len(rows) for rows in members.values() if len(rows) >= 2 * k)
    generalised, said, known, really = 0, 0, 0.0, 0.0
    for i, domain in enumerate(encoded.qids):
        for rows in members.values():
            counted = Counter(encoded.codes[i][rows].tolist())
            if len(counted) < 2:
                continue
            generalised += len(rows)
            if len(rows) < 2 * k or domain.kind is Kind.TAXONOMY:
                continue
            said += len(rows)
            sure, most = len(rows) - 2 * k + 2, max(counted.values())
            assert most >= sure, "the argument is a proof"
            known += sure
            really += most
    return (
        late / len(labels),
        said / generalised if generalised else 0.0,
        known / said if said else 0.0,
        really / said if said else 0.0,
    )


@given(tables())
@settings(deadline=None, max_examples=150)
def test_what_is_said_is_sure_and_counted_as_by_hand(drawn: tuple[Table, int]) -> None:
    table, k = drawn
    release = partition(encode(table, Schema(["age", "size", "town"], "s")), Policy(k))
    found = stops(release)
    assert (found.people, found.cells, found.known, found.really) == pytest.approx(by_hand(release))


def test_trees_and_missing_values_are_counted_as_by_hand() -> None:
    release = partition(a_table(), Policy(4))
    found = stops(release)
    assert (found.people, found.cells, found.known, found.really) == pytest.approx(by_hand(release))
    assert found.cells < 1


def test_taking_cuts_back_costs_what_the_merged_classes_cost() -> None:
    encoded, policy = a_table(), Policy(4)
    cuts, release = trace(encoded, policy), partition(encoded, policy)
    none, every = taken_back(encoded, cuts, 0.0), taken_back(encoded, cuts, 1.0)
    assert none.before == none.after == pytest.approx(gcp(release))
    final = set(cuts.after(len(cuts.cuts)))
    merged = {part: cut.parent for cut in cuts.cuts if final.issuperset(cut.parts) for part in cut.parts}
    assert len(set(merged.values())) == every.last
    # The merged classes as a release of their own: every record to the node whose codes hold it.
    low, high = cuts.low[sorted(final)], cuts.high[sorted(final)]
    holds = ((encoded.codes.T[:, None] >= low) & (encoded.codes.T[:, None] <= high)).all(axis=2)
    assert (holds.sum(axis=1) == 1).all()
    node = np.array(sorted(final))[holds.argmax(axis=1)]
    of = np.array([merged.get(one, one) for one in node.tolist()])
    by_merging = Release.of(encoded, np.unique(of, return_inverse=True)[1], policy, "mondrian")
    assert every.after == pytest.approx(gcp(by_merging))
    half = taken_back(encoded, cuts, 0.5)
    assert half.after == pytest.approx((none.after + every.after) / 2)


def test_it_applies_to_strict_mondrian_under_k_alone() -> None:
    encoded = a_table()
    assert applies(partition(encoded, Policy(4)))
    assert not applies(partition(encoded, Policy(4, l=2)))
    assert not applies(partition(encoded, Policy(4), "least-loss"))


@pytest.mark.data
@pytest.mark.skipif(folder() is None, reason="the public data sets are not here")
def test_adult_is_golden() -> None:
    place = folder()
    assert place is not None
    found = stops(partition(encode(read_table(adult_bytes(place)), adult_schema()), Policy(5)))
    shares = tuple(round(share, 3) for share in (found.people, found.cells, found.known, found.really))
    assert shares == GOLDEN


GOLDEN = (0.482, 0.132, 0.432, 0.729)

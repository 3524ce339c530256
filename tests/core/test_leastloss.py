"""Least loss against its slow twin, against the best partition there is, and what its cells promise."""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core import examples
from core.algorithms import anonymize, leastloss, partition, partition_sweep
from core.algorithms.leastloss import lines, splitting
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.table import Table
from core.measurement import measure
from core.privacy.policy import Policy
from core.release.release import Release
from core.release.utility import gcp, ncp
from tests.partitions import agreed_by_twin, released
from tests.reference import leastloss as twin
from tests.reference.attributes import Attribute
from tests.reference.policies import meets
from tests.strategies import Case, cases, classes_of, policies

NAME = "least-loss"
TREE = {"Europe": ["Italy", "Poland"], "Asia": {"East": ["Japan", "Korea"], "South": ["India"]}}


def test_a_node_is_written_only_where_all_its_leaves_occur() -> None:
    tree = Taxonomy.from_nested(TREE)
    places = ["Italy", "Japan", "Italy", "Japan", "Poland", "India"]
    found = released({"a": places, "b": [1, 1, 1, 1, 1, 1]}, Policy(6), NAME, taxonomies={"a": tree})
    assert set(found.region_frame()["a"]) == {"{Europe, Japan, South}"}
    whole = released({"a": [*places, "Korea"]}, Policy(7), NAME, taxonomies={"a": tree})
    assert set(whole.region_frame()["a"]) == {"*"}


# ---- the twin ---------------------------------------------------------------------------


@settings(max_examples=250, deadline=None)
@given(data=st.data(), together=st.sampled_from((1, 60, 10**6)))
def test_partition_equals_the_twin_however_the_work_is_parted(data: st.DataObject, together: int) -> None:
    # Lines one by one or side by side; classes in pieces or not.
    case = data.draw(cases())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(splitting, "TOGETHER", together)
        patched.setattr(leastloss, "AT_ONCE", data.draw(st.sampled_from((1, 7, 10**6))))
        agreed_by_twin(case, data.draw(policies(case.sensitive)), NAME, twin.partition)


@settings(max_examples=80, deadline=None)
@given(
    case=cases(rows=(6, 80)),
    ks=st.sets(st.integers(1, 12), min_size=2, max_size=6),
    units=st.sampled_from([1, 7, 20, 10**6]),
)
def test_all_k_in_one_pass_are_each_k_alone(case: Case, ks: set[int], units: int) -> None:
    """Classes in pieces or not."""
    asked, shares = [Policy(k) for k in sorted(ks) if k <= len(case)], list[float]()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(leastloss, "AT_ONCE", units)
        releases = partition_sweep(case.encoded, asked, NAME, shares.append)
    for policy, release in zip(asked, releases, strict=True):
        assert np.array_equal(release.labels, partition(case.encoded, policy, NAME).labels)
        assert classes_of(release.labels) == twin.partition(case.qids, case.sensitive, policy)
    assert shares == sorted(shares)
    assert not asked or shares[-1] == pytest.approx(1.0)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_partition_of_taxonomies_equals_the_twin(data: st.DataObject) -> None:
    case = data.draw(cases(column_types=("taxonomy", "categorical"), sensitive_column_types=("taxonomy",)))
    agreed_by_twin(case, data.draw(policies(case.sensitive, k=3)), NAME, twin.partition)


@settings(max_examples=80, deadline=None)
@given(case=cases(rows=(4, 60), column_types=("taxonomy", "numeric")), k=st.integers(1, 4))
def test_partition_where_cells_are_nodes_equals_the_twin(case: Case, k: int) -> None:
    trees = {name: replace(tree, one_node=True) for name, tree in case.schema.taxonomies.items()}
    nodes = tuple(replace(qid, one_node=qid.column_type == "taxonomy") for qid in case.qids)
    policy = Policy(min(k, len(case)))
    release = partition(encode(case.table, case.schema.with_(taxonomies=trees)), policy, NAME)
    assert classes_of(release.labels) == twin.partition(nodes, case.sensitive, policy)


@settings(max_examples=40, deadline=None)
@given(case=cases(rows=(10, 60)), k=st.integers(1, 4))
def test_categories_beyond_the_limit_are_runs_of_labels(case: Case, k: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lines, "MOST_SET", 3)
        patched.setattr(twin, "LARGE", 3)
        release = partition(case.encoded, Policy(k), NAME)
        boxes = boxes_of(release)
    assert not overlapping(boxes)


# ---- boxes ------------------------------------------------------------------------------


def boxes_of(release: Release) -> np.ndarray:
    """(classes, quasi-identifiers, 2) ends of every class on the lines that are cut."""
    ends = []
    for domain, codes in zip(release.encoded.qids, release.encoded.codes, strict=True):
        places = lines.line_of(domain, codes)[codes]
        ends.append(
            [
                (places[release.labels == number].min(), places[release.labels == number].max())
                for number in range(release.classes.count)
            ]
        )
    return np.array(ends).transpose(1, 0, 2)


def overlapping(boxes: np.ndarray) -> bool:
    return any(
        bool(((one[:, 0] <= other[:, 1]) & (other[:, 0] <= one[:, 1])).all())
        for one, other in itertools.combinations(boxes, 2)
    )


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_boxes_are_disjoint_and_a_reader_sees_the_same_classes(data: st.DataObject) -> None:
    case = data.draw(cases(rows=(4, 50)))
    policy, everyone = data.draw(policies(case.sensitive)), list(case.sensitive.values)
    assume(meets(policy, everyone, everyone, case.sensitive))
    release = partition(case.encoded, policy, NAME)
    assert not overlapping(boxes_of(release))
    assert len(release.published.sizes) == release.classes.count
    found = measure(release.publish(seed=0), case.schema, policy.distance)
    assert found.classes == release.classes.count
    assert found.k >= policy.k


# ---- what a cell says -------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(case=cases(rows=(4, 50)), k=st.integers(1, 6))
def test_a_cell_lists_the_values_that_occur_and_reads_back_as_them(case: Case, k: int) -> None:
    release = partition(case.encoded, Policy(min(k, len(case))), NAME)
    lost = ncp(release)
    for i, attribute in enumerate(case.qids):
        for number in range(release.classes.count):
            members = np.flatnonzero(release.labels == number)
            assert lost[number, i] == pytest.approx(float(twin.ncp(attribute, members.tolist())))
            if attribute.column_type not in ("categorical", "taxonomy"):
                continue
            cells = release.value_sets(i)
            held = cells.values(int(cells.which[number])).tolist()
            assert held == sorted(set(release.encoded.codes[i][members].tolist()))
    published = release.published
    assert len(published.labels) == len(case)
    back = Release.parse(release.publish(seed=3), case.schema, mine=release.encoded, suppression=False, marks="missing")
    assert sorted(back.sizes.tolist()) == sorted(release.sizes.tolist())
    for mine, theirs in zip(published.attributes, back.attributes, strict=True):
        assert set(mine.regions) == set(theirs.regions)


def test_labels_that_look_like_sets_read_back_as_themselves() -> None:
    labels = ["{a, b}", "a", "b", "{", "*", "a or (missing)", '"a"', "x}", "(missing)"]
    rows = [*labels, *labels, None, None]
    frame = pd.DataFrame({"q": rows, "n": range(len(rows)), "s": [f"s{i % 7}" for i in range(len(rows))]})
    schema = Schema(["q", "n"], "s", column_types={"q": "categorical"})
    for k in (1, 2, 3, 5, 9):
        release = anonymize(Table.from_frame(frame), schema, Policy(k), NAME)
        part = release.published.attributes[0]
        for number in range(release.classes.count):
            region = part.regions[int(part.which[release.reader_classes[number]])]
            wanted = {rows[i] for i in np.flatnonzero(release.labels == number)}
            read = {*labels, None} if region.everything else region.labels | ({None} if region.missing else set())
            assert read == wanted


# ---- the optimum ------------------------------------------------------------------------


@functools.cache
def with_optimum(seed: int, k: int) -> tuple[Encoded, float]:
    """Thirteen records of two numbers and a category, and the least loss of any strict partition of them."""
    rng = np.random.default_rng(seed)
    a, b, c = (rng.integers(0, most, 13) for most in (30, 5, 8))
    columns = (
        Attribute("a", "numeric", tuple(Fraction(int(x)) for x in a)),
        Attribute("b", "categorical", tuple(f"v{x}" for x in b)),
        Attribute("c", "numeric", tuple(Fraction(int(x)) for x in c)),
    )
    secrets = Attribute("s", "categorical", tuple(f"s{i}" for i in range(13)))
    return Case(columns, secrets, {}).encoded, float(twin.best_strict(columns, tuple(range(13)), k))


def test_the_sum_over_tiny_tables_is_at_most_five_quarters_of_the_best_strict_partition() -> None:
    for k in (2, 3):
        mine = best = 0.0
        for seed in range(25):
            encoded, least = with_optimum(seed, k)
            lost = gcp(partition(encoded, Policy(k), NAME)) * len(encoded) * 3
            assert lost >= least - 1e-9
            mine, best = mine + lost, best + least
        assert mine <= 1.25 * best


def test_less_is_lost_than_by_mondrian_on_a_city() -> None:
    encoded = encode(examples.city(3000), examples.city_schema())
    for policy in (Policy(5), Policy(10, l=3), Policy(10, l=3, diversity="entropy"), Policy(10, t=0.5)):
        assert gcp(partition(encoded, policy, NAME)) < gcp(partition(encoded, policy, "mondrian"))

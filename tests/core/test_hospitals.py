"""Overlapping samples, disagreement, and hospitals from other sources [definitions §4, study design]."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Release, Table, examples, intersection_attack
from core.algorithms import partition
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import Schema
from core.release.query_error import query_error
from core.study.draw import disagree, overlapping_samples
from core.study.hospitals import Hospital, Study
from core.study.one_run import run_study, seeds
from core.study.provider_cost import pool
from core.study.redraws import Redraws
from core.study.sweep import sweep
from core.study.uploads import Foreign, Upload, open_upload
from core.study.vary import at_value
from tests.tables import city_of_providers


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_samples_share_exactly_the_overlap_and_nobody_else(data: st.DataObject) -> None:
    releases = data.draw(st.integers(2, 8))
    records = data.draw(st.integers(2, 120))
    overlap = data.draw(st.integers(1, records))
    room = (records - overlap) // releases
    sizes = data.draw(
        st.none()
        | st.integers(overlap, overlap + room)
        | st.lists(st.integers(overlap, overlap + room), min_size=releases, max_size=releases)
    )
    samples = overlapping_samples(records, overlap, releases, sizes, seed=data.draw(st.integers(0, 5)))
    assert len(samples) == releases
    shared = samples[0][:overlap].tolist()
    assert len(set(shared)) == overlap
    for number, sample in enumerate(samples):
        assert sample[:overlap].tolist() == shared
        assert len(set(sample.tolist()) & set(range(records))) == len(sample)
        wanted = sizes[number] if isinstance(sizes, list) else sizes
        assert len(sample) == (overlap + room if wanted is None else wanted)
    for one, other in combinations(samples, 2):
        assert set(one.tolist()) & set(other.tolist()) == set(shared)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_draws_are_nested_in_releases_overlap_and_size(data: st.DataObject) -> None:
    records = data.draw(st.integers(20, 120))
    deal = data.draw(st.integers(2, 8))
    most = data.draw(st.integers(1, records - deal))
    size = data.draw(st.integers(most, most + (records - most) // deal))
    seed = data.draw(st.integers(0, 5))
    largest = overlapping_samples(records, most, deal, size, seed, deal)
    releases = data.draw(st.integers(2, deal))
    fewer = overlapping_samples(records, most, releases, size, seed, deal)
    assert all(np.array_equal(a, b) for a, b in zip(fewer, largest, strict=False))
    # A smaller overlap: the first P of P_max, and the same synthetic people first.
    overlap = data.draw(st.integers(1, most))
    smaller = overlapping_samples(records, overlap, releases, size - most + overlap, seed, deal)
    for small, large in zip(smaller, largest, strict=False):
        assert np.array_equal(small[:overlap], large[:overlap])
        assert np.array_equal(small[overlap:], large[most:])
    # A smaller size: the beginning of the larger draw.
    cut = data.draw(st.integers(most, size))
    for small, large in zip(overlapping_samples(records, most, releases, cut, seed, deal), largest, strict=False):
        assert np.array_equal(small, large[:cut])


def test_every_record_is_equally_likely_to_be_shared() -> None:
    seen = np.zeros(20)
    for seed in range(2000):
        seen[overlapping_samples(20, 5, seed=seed)[0][:5]] += 1
    assert abs(seen / 2000 - 0.25).max() < 0.05


@pytest.mark.parametrize(
    ("arguments", "parameter", "said"),
    [
        ({"releases": 1}, "releases", ["2 to 8"]),
        ({"releases": 9}, "releases", ["2 to 8"]),
        ({"deal": 9}, "releases", ["2 to 8"]),
        ({"overlap": 0}, "overlap", ["1 to", "100"]),
        ({"overlap": 101}, "overlap", ["1 to", "100", "101"]),
        ({"sizes": 9}, "sizes", ["9", "10"]),
        ({"sizes": [50, 9]}, "sizes", ["9", "10"]),
        ({"sizes": 56}, "sizes", ["100 records", "at most 55"]),
        ({"sizes": [20, 56]}, "sizes", ["at most 55"]),
        ({"sizes": [50]}, "sizes", ["2 hospitals", "1 were"]),
        ({"sizes": [50] * 3}, "sizes", ["2 hospitals", "3 were"]),
        ({"releases": 3, "sizes": 41}, "sizes", ["at most 40"]),
        ({"deal": 3, "sizes": 41}, "sizes", ["at most 40"]),
    ],
    ids=str,
)
def test_what_the_table_cannot_give_is_refused_with_the_limit(
    arguments: dict[str, object], parameter: str, said: list[str]
) -> None:
    with pytest.raises(ParameterError) as caught:
        overlapping_samples(**{"records": 100, "overlap": 10, **arguments})  # type: ignore[arg-type]
    assert caught.value.parameter == parameter
    for text in said:
        assert text in str(caught.value)


# ---- disagreement --------------------------------------------------------------------------


def hospital(records: int = 400) -> Encoded:
    secrets = np.random.default_rng(0).choice(list("abcd"), records, p=[0.5, 0.3, 0.15, 0.05])
    frame = pd.DataFrame({"q": np.arange(records) % 7, "s": secrets})
    return encode(Table.from_frame(frame), Schema(["q"], "s"))


@pytest.mark.parametrize("same_value_rate", [0, 0.7])
def test_agreement_is_the_probability_to_keep_the_value_and_nobody_else_is_redrawn(same_value_rate: float) -> None:
    encoded = hospital(20_000)
    before = encoded.sensitive_codes
    found = disagree(encoded, 10_000, same_value_rate, 3)
    assert np.array_equal(found.sensitive_codes[10_000:], before[10_000:])
    assert np.bincount(found.sensitive_codes[:10_000], minlength=4) / 10_000 == pytest.approx(
        encoded.overall / 20_000, abs=0.02
    )
    # What is redrawn is independent of the true value: equal by chance only, sum of p squared.
    equal = (found.sensitive_codes[:10_000] == before[:10_000]).mean()
    assert equal == pytest.approx(
        same_value_rate + (1 - same_value_rate) * ((encoded.overall / 20_000) ** 2).sum(), abs=0.02
    )


def test_a_lower_agreement_redraws_the_same_people_and_more() -> None:
    encoded = hospital()
    found = [disagree(encoded, 300, same_value_rate, 5).sensitive_codes for same_value_rate in np.linspace(0, 1, 11)]
    changed = [set(np.flatnonzero(secret != encoded.sensitive_codes).tolist()) for secret in found]
    assert changed[10] == set()
    for lower, higher in zip(range(10), range(1, 11), strict=True):
        assert changed[higher] <= changed[lower]
        kept = sorted(changed[higher])
        assert np.array_equal(found[lower][kept], found[higher][kept])


def test_values_are_redrawn_from_the_whole_table() -> None:
    """A study gives shared people values that their hospital need not have."""
    encoded = hospital(4_000)
    rare = encoded.with_sensitive(
        np.where(np.arange(4_000) < 4, 3, np.arange(4_000) % 3).astype(encoded.sensitive_codes.dtype)
    )
    mine, other = Study.uniform(Policy(3), 40).hospitals
    study = Study((mine, replace(other, same_value_rate=0.0)), 40, size=60)
    found = Counter[int]()
    for seed in range(150):
        parts = study.draw(rare, seed)
        found.update(parts[1].sensitive_codes[:40].tolist())
        larger = replace(study, size=90).draw(rare, seed)[1]
        assert np.array_equal(parts[1].sensitive_codes[:40], larger.sensitive_codes[:40]), (
            "the size of the hospital takes no part"
        )
    shares = np.array([found[value] for value in range(4)]) / found.total()
    assert shares == pytest.approx(rare.overall / 4_000, abs=0.02)


# ---- hospitals from other sources ----------------------------------------------------------


def city(records: int = 300) -> Encoded:
    return encode(examples.city(records), examples.city_schema())


def test_my_table_stays_whole_where_nobody_is_drawn_from_it() -> None:
    encoded = city()
    upload = Upload("", ())
    file = Foreign(partition(encoded, Policy(2)).published)
    study = Study((Hospital(Policy(2)), Hospital(Policy(2), origin="published", upload=upload)), 40)
    mine, theirs = study.with_files({upload: file}).draw(encoded, 3)
    assert sorted(mine.rows.tolist()) == list(range(300))
    assert theirs is file
    with pytest.raises(ParameterError, match="load it again"):
        study.draw(encoded, 3)


def test_linked_people_are_the_ones_shared() -> None:
    encoded = city()
    upload = Upload("", ())
    linked = np.arange(100, 160)
    file = Foreign(partition(encoded, Policy(2)).published, mine=linked, theirs=linked[::-1].copy())
    study = Study((Hospital(Policy(2)), Hospital(Policy(2), origin="published", upload=upload)), 50)
    mine, _ = study.with_files({upload: file}).draw(encoded, 0)
    assert set(mine.rows[:50].tolist()) <= set(linked.tolist())
    assert file.positions(mine.rows[:50]).tolist() == (259 - mine.rows[:50]).tolist()
    with_others = replace(study, hospitals=(*study.hospitals, Hospital(Policy(2))))
    mine, _, simulated = with_others.with_files({upload: file}).draw(encoded, 0)
    assert mine.rows[:50].tolist() == simulated.rows[:50].tolist()
    assert not set(mine.rows[50:].tolist()) & set(simulated.rows[50:].tolist())
    with pytest.raises(ParameterError, match="60 people in common"):
        replace(study, overlap=61).with_files({upload: file}).draw(encoded, 0)


def test_people_who_are_not_in_a_linked_file_are_not_shared() -> None:
    encoded = city(100)
    file = Foreign(partition(encoded, Policy(1)).published, mine=np.array([1, 3]), theirs=np.array([7, 4]))
    assert file.positions(np.array([0, 1, 2, 3])).tolist() == [-1, 7, -1, 4]
    study = Study((Hospital(Policy(1)), Hospital(Policy(1), origin="published", upload=Upload("", ()))), 3)
    with pytest.raises(ParameterError, match="2 people in common"):
        study.with_files(dict.fromkeys(study.uploads, file)).draw(encoded, 0)


def test_a_hospital_may_be_smaller_and_publish_less() -> None:
    encoded = city()
    first = encoded.qids[2].name
    study = Study((Hospital(Policy(2)), Hospital(Policy(2), size=90, attributes=(first,))), 60)
    mine, theirs = study.draw(encoded, 1)
    assert (len(mine), len(theirs)) == (60 + 240 // 2, 90)
    assert [domain.name for domain in theirs.qids] == [first]
    assert mine.rows[:60].tolist() == theirs.rows[:60].tolist()


def test_sources_do_not_change_whom_the_simulated_ones_have() -> None:
    encoded = city()
    two = Study((Hospital(Policy(2)),) * 2, 60)
    upload = Upload("", ())
    three = Study((*two.hospitals, Hospital(Policy(2), origin="published", upload=upload)), 60)
    file = Foreign(partition(encoded, Policy(2)).published)
    for a, b in zip(two.draw(encoded, 9), three.with_files({upload: file}).draw(encoded, 9), strict=False):
        assert a.rows.tolist() == b.rows.tolist()


@pytest.mark.parametrize(
    "changes",
    [
        {"origin": "dreamt"},
        {"origin": "published"},
        {"upload": Upload("", ())},
        {"origin": "raw", "upload": Upload("", ())},
        {"same_value_rate": 1.1},
        {"size": 0},
        {"attributes": ()},
    ],
)
def test_no_such_hospital(changes: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Hospital(Policy(2), **changes)


# ---- studies with files and models, put together by hand ---------------------------------------

SCHEMA = examples.city_schema()
MINE, THEIRS = examples.city(800, seed=1), examples.city(900, seed=2)
NAMES = (*SCHEMA.quasi_identifiers, SCHEMA.sensitive)
SAME = tuple((name, name) for name in NAMES)


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(MINE, SCHEMA)


def published(release: Release) -> tuple[Upload, Foreign]:
    """A release as a file, and what it becomes."""
    table = Table.from_frame(release.publish(seed=4))
    upload = Upload(table.content_id, SAME, name="release")
    return upload, open_upload(upload, table, MINE, SCHEMA)


THEIR_RELEASE = partition(encode(THEIRS, SCHEMA), Policy(4))
UPLOAD, FILE = published(THEIR_RELEASE)


def test_a_release_of_others_is_read_by_its_regions(encoded: Encoded) -> None:
    study = ALONE.with_files({UPLOAD: FILE})
    found = run_study(encoded, study, 0)
    release = partition(study.draw(encoded, seeds(0, 1)[0])[0], Policy(3))
    by_hand = intersection_attack([release, THEIR_RELEASE.published], [np.arange(150), None])
    assert found.result.posterior.tolist() == by_hand.posterior.tolist()
    assert found.mine.labels.tolist() == release.labels.tolist()
    assert len(found.mine.labels) == len(encoded), "my table stays whole"
    assert found.result.located_correctly[1] is None, "it is not known who is in it"


ALONE = Study((Hospital(Policy(3)), Hospital(Policy(4), origin="published", upload=UPLOAD)), 150)
MIXED = Study(
    (
        Hospital(Policy(3)),
        Hospital(Policy(4)),
        Hospital(Policy(4), origin="published", upload=UPLOAD),
        Hospital(Policy(5), origin="resampled", same_value_rate=0.8),
    ),
    100,
)


@pytest.mark.parametrize(
    ("vary", "values"),
    [
        ("k", [3, 8]),
        ("their k", [2, 6]),
        ("l", [2, 3]),
        ("overlap", [20, 100]),
        ("same_value_rate", [0.5, 1.0]),
        ("releases", [2, 6]),
    ],
)
def test_every_sweep_of_a_mixed_study_is_its_points(encoded: Encoded, vary: str, values: list[int]) -> None:
    frame = sweep(encoded, MIXED.with_files({UPLOAD: FILE}), vary, values, Redraws(2, 5, confidences=(0.25,)))
    # Size and dealing by hand: mine and the simulated ones share the table, in the widest point; beyond four
    # hospitals the drawn ones come again: simulated, modelled, simulated, ...
    deal = 2 + (1 if vary == "releases" and max(values) > 4 else 0)
    size = min(p + (800 - p) // deal for p in (values if vary == "overlap" else [100]))
    for value in values:
        row = frame[frame["value"] == value].iloc[0]
        point = at_value(MIXED, vary, value)
        shares = []
        for redraw in seeds(5, 2):
            found = run_study(encoded, replace(point, size=size, deal=deal).with_files({UPLOAD: FILE}), redraw)
            shares.append(found.result.breached(0.25).mean())
        assert row["share"] == pytest.approx(np.mean(shares)), value
        assert row["n"] == point.overlap


def test_a_file_cannot_be_two_hospitals(encoded: Encoded) -> None:
    with pytest.raises(ParameterError, match="cannot serve as two") as caught:
        sweep(encoded, ALONE.with_files({UPLOAD: FILE}), "releases", [2, 3])
    assert caught.value.parameter == "releases"


def test_agreement_of_a_file_is_what_it_says(encoded: Encoded) -> None:
    frame = sweep(
        encoded, ALONE.with_files({UPLOAD: FILE}), "same_value_rate", [0.0, 1.0], Redraws(confidences=(0.25,))
    )
    assert frame["share"].min() == frame["share"].max()


# ---- providers who pool their records ----------------------------------------------------------


def test_the_row_is_what_the_release_says():
    encoded, policy = city_of_providers(900, 4), Policy(8, l=2, m=1)
    row = pool(encoded, policy, "mondrian", queries=100).row()
    release = partition(encoded, policy, "mondrian")
    assert row["classes"] == release.classes.count
    assert row["mean size"] == pytest.approx(release.sizes.mean())
    assert row["absolute"] == pytest.approx(query_error(release, 100).absolute)

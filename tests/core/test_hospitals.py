"""Overlapping samples and disagreement [definitions §4, study design]."""

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

from core import Policy, examples
from core.base.errors import ParameterError
from core.data.encoding import Encoded, encode
from core.data.schema import Schema
from core.data.table import Table
from core.study.draw import default_size, disagree, overlapping_samples
from core.study.hospitals import Hospital, Study
from core.study.uploads import Foreign, Upload
from tests.source import ROOT
from tests.strategies import message_of


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
        assert len(set(sample.tolist())) == len(sample)
        assert sample.min() >= 0
        assert sample.max() < records
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


def test_default_sizes_deal_out_the_table() -> None:
    assert default_size(30_162, 5_000, 2) == 17_581
    assert default_size(10, 3, 2) == 6
    assert [len(sample) for sample in overlapping_samples(30_162, 5_000)] == [17_581, 17_581]
    assert [len(sample) for sample in overlapping_samples(100, 10, 4)] == [32] * 4
    assert [len(sample) for sample in overlapping_samples(100, 10, 2, deal=4)] == [32] * 2
    everyone = overlapping_samples(10, 10, 3)
    assert all(sorted(sample.tolist()) == list(range(10)) for sample in everyone)


def test_same_seed_same_people_and_another_seed_others() -> None:
    one, again, other = (overlapping_samples(1000, 100, seed=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert set(one[0][:100].tolist()) != set(other[0][:100].tolist())
    generator = overlapping_samples(1000, 100, seed=np.random.default_rng(1))
    assert np.array_equal(one[0], generator[0])


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


def test_the_limit_that_a_message_names_is_accepted() -> None:
    assert len(overlapping_samples(100, 10, sizes=55)[0]) == 55
    assert len(overlapping_samples(100, 10, releases=3, sizes=40)[0]) == 40
    assert len(overlapping_samples(100, 100)[0]) == 100


# ---- disagreement --------------------------------------------------------------------------


def hospital(records: int = 400) -> Encoded:
    secrets = np.random.default_rng(0).choice(list("abcd"), records, p=[0.5, 0.3, 0.15, 0.05])
    frame = pd.DataFrame({"q": np.arange(records) % 7, "s": secrets})
    return encode(Table.from_frame(frame), Schema(["q"], "s"))


def test_full_agreement_changes_nothing() -> None:
    encoded = hospital()
    assert np.array_equal(disagree(encoded, 100, 1, 0).secret, encoded.secret)
    assert np.array_equal(disagree(encoded, 100, 1.0, 0).secret, encoded.secret)


def test_no_agreement_redraws_all_shared_people_and_nobody_else() -> None:
    encoded = hospital(20_000)
    before = encoded.secret.copy()
    found = disagree(encoded, 10_000, 0, 0)
    assert np.array_equal(found.secret[10_000:], before[10_000:])
    assert np.array_equal(encoded.secret, before)
    assert found.codes is encoded.codes
    drawn = np.bincount(found.secret[:10_000], minlength=4) / 10_000
    assert drawn == pytest.approx(encoded.overall / 20_000, abs=0.02)
    # Independent of the true value: equal ones only by chance, sum of p squared.
    equal = (found.secret[:10_000] == before[:10_000]).mean()
    assert equal == pytest.approx(((encoded.overall / 20_000) ** 2).sum(), abs=0.02)


def test_a_lower_agreement_redraws_the_same_people_and_more() -> None:
    encoded = hospital()
    found = [disagree(encoded, 300, agreement, 5).secret for agreement in np.linspace(0, 1, 11)]
    changed = [set(np.flatnonzero(secret != encoded.secret).tolist()) for secret in found]
    for lower, higher in zip(range(10), range(1, 11), strict=True):
        assert changed[higher] <= changed[lower]
        kept = sorted(changed[higher])
        assert np.array_equal(found[lower][kept], found[higher][kept])


def test_agreement_is_the_probability_to_keep_the_value() -> None:
    encoded = hospital(20_000)
    found = disagree(encoded, 20_000, 0.7, 3)
    by_chance = ((encoded.overall / 20_000) ** 2).sum()
    assert (found.secret == encoded.secret).mean() == pytest.approx(0.7 + 0.3 * by_chance, abs=0.015)


def test_disagreement_is_repeatable() -> None:
    encoded = hospital()
    assert np.array_equal(disagree(encoded, 300, 0.5, 9).secret, disagree(encoded, 300, 0.5, 9).secret)
    assert not np.array_equal(disagree(encoded, 300, 0.5, 9).secret, disagree(encoded, 300, 0.5, 10).secret)


def test_values_are_redrawn_from_the_whole_table() -> None:
    """As the Method page says: a study gives shared people values that their hospital need not have."""
    encoded = hospital(4_000)
    rare = encoded.with_secret(np.where(np.arange(4_000) < 4, 3, np.arange(4_000) % 3).astype(encoded.secret.dtype))
    mine, other = Study.alike(Policy(3), 40).hospitals
    study = Study((mine, replace(other, agreement=0.0)), 40, size=60)
    found = Counter[int]()
    same = []
    for seed in range(150):
        parts = study.draw(rare, seed)
        assert isinstance(parts[1], Encoded)
        found.update(parts[1].secret[:40].tolist())
        larger = replace(study, size=90).draw(rare, seed)[1]
        assert isinstance(larger, Encoded)
        same.append(np.array_equal(parts[1].secret[:40], larger.secret[:40]))
    shares = np.array([found[value] for value in range(4)]) / found.total()
    assert shares == pytest.approx(rare.overall / 4_000, abs=0.02)
    assert all(same), "the size of the hospital takes no part"
    said = (ROOT / "assets" / "method" / "study.md").read_text(encoding="utf-8")
    assert "drawn anew from the overall distribution, that of the whole table" in said


@pytest.mark.parametrize("agreement", [-0.1, 1.1, float("nan")])
def test_agreement_outside_0_to_1_is_refused(agreement: float) -> None:
    assert "from 0 to 1" in message_of(lambda: disagree(hospital(), 10, agreement, 0), ParameterError)


# ---- hospitals from other sources ----------------------------------------------------------


def city(records: int = 300) -> Encoded:
    return encode(examples.city(records), examples.city_schema())


def test_my_table_stays_whole_where_nobody_is_drawn_from_it() -> None:
    encoded = city()
    upload = Upload("", False, ())
    file = Foreign(encoded=encoded)
    study = Study((Hospital(Policy(2)), Hospital(Policy(2), source="raw", upload=upload)), 40)
    mine, theirs = study.with_files({upload: file}).draw(encoded, 3)
    assert study.whole
    assert sorted(mine.rows.tolist()) == list(range(300))
    assert theirs is file
    assert study.size_of(0, 300) == 300
    with pytest.raises(ParameterError, match="load it again"):
        study.draw(encoded, 3)


def test_linked_people_are_the_ones_shared() -> None:
    encoded = city()
    upload = Upload("", False, ())
    linked = np.arange(100, 160)
    file = Foreign(encoded=encoded, mine=linked, theirs=linked[::-1].copy())
    study = Study((Hospital(Policy(2)), Hospital(Policy(2), source="raw", upload=upload)), 50)
    mine, _ = study.with_files({upload: file}).draw(encoded, 0)
    assert set(mine.rows[:50].tolist()) <= set(linked.tolist())
    assert file.positions(mine.rows[:50]).tolist() == (259 - mine.rows[:50]).tolist()
    with_others = replace(study, hospitals=(*study.hospitals, Hospital(Policy(2))))
    mine, _, simulated = with_others.with_files({upload: file}).draw(encoded, 0)
    assert mine.rows[:50].tolist() == simulated.rows[:50].tolist()
    assert set(mine.rows[:50].tolist()) <= set(linked.tolist())
    assert not set(mine.rows[50:].tolist()) & set(simulated.rows[50:].tolist())
    with pytest.raises(ParameterError, match="60 people in common"):
        replace(study, overlap=61).with_files({upload: file}).draw(encoded, 0)


def test_people_left_out_of_a_linked_table_are_not_shared() -> None:
    encoded = city(100)
    file = Foreign(encoded=encoded.take(np.array([4, 7])), mine=np.array([1, 2, 3]), theirs=np.array([7, 5, 4]))
    assert file.positions(np.array([0, 1, 2, 3])).tolist() == [-1, 1, -1, 0]


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
    upload = Upload("", False, ())
    three = Study((*two.hospitals, Hospital(Policy(2), source="raw", upload=upload)), 60)
    for a, b in zip(
        two.draw(encoded, 9), three.with_files({upload: Foreign(encoded=encoded)}).draw(encoded, 9), strict=False
    ):
        assert a.rows.tolist() == b.rows.tolist()


@pytest.mark.parametrize(
    "changes",
    [
        {"source": "dreamt"},
        {"source": "raw"},
        {"source": "published"},
        {"upload": Upload("", False, ())},
        {"source": "published", "upload": Upload("", False, ())},
        {"source": "raw", "upload": Upload("", True, ())},
        {"agreement": 1.1},
        {"size": 0},
        {"attributes": ()},
    ],
)
def test_no_such_hospital(changes: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Hospital(Policy(2), **changes)

"""What is published: readable regions, shuffled rows, and nothing else."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.algorithms import anonymize, partition
from core.base.errors import ParameterError
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import encode
from core.data.schemas.schema import ColumnType, Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.table import Table
from core.privacy.policy import Policy
from core.release import region_text as region_text_module
from core.release.algorithm import ALGORITHMS, for_one_publisher
from core.release.published.cell_reader import Reader
from core.release.published.containment import inside
from core.release.published.targets import MISSING
from core.release.region_text import region_text, set_text
from core.release.release import Release
from tests.reference.utility import region as hull
from tests.strategies import Case, cases, cell_text

TREE = Taxonomy.from_nested({"Europe": ["Italy", "Poland"], "Asia": {"East": ["Japan", "Korea"]}})


def domain(values: list[Any], **schema: Any) -> Domain:
    """Domain of one column."""
    frame = pd.DataFrame({"q": values * 2, "s": ["x", "y"] * len(values)}, dtype=object)
    return encode(Table.from_frame(frame), Schema(["q"], "s", **schema)).qids[0]


def text(found: Domain, low: str, high: str) -> str:
    return region_text(found, found.labels.index(low), found.labels.index(high))


# ---- regions of each kind ------------------------------------------------------------------

NUMBERS = {"values": ["20", "25", "30", "40"]}
LEVELS = {"values": ["lo"], "orders": {"q": ["lo", "mid", "hi", "very hi"]}}
WORDS = {"values": ["a", "b", "c", "d"]}
PLACES = {"values": ["Italy", "Japan"], "taxonomies": {"q": TREE}}
MARKED = {"values": ["a, b", "c", 'd"e', "f}", "z"]}
DOTTED = {"values": ["a .. b"], "orders": {"q": ["a .. b", "c", "[d]"]}}
TWO = ["1", "2", None]


@pytest.mark.parametrize(
    ("column", "low", "high", "expected"),
    [
        (NUMBERS, "20", "30", "[20-30]"),
        (NUMBERS, "20", "40", "[20-40]"),
        (NUMBERS, "25", "25", "25"),
        ({"values": ["1.5", "2.25", "3"]}, "1.5", "2.25", "[1.5-2.25]"),
        ({"values": ["-5", "0", "3"]}, "-5", "3", "[-5, 3]"),
        ({"values": ["-5", "-2", "3"]}, "-5", "-2", "[-5, -2]"),
        ({"values": ["-5", "0", "3"]}, "-5", "-5", "-5"),
        ({"values": ["0.00001", "1"]}, "1e-05", "1", "[1e-05, 1]"),
        ({"values": ["0", "1e300"]}, "0", "1e+300", "[0-1e+300]"),
        (LEVELS, "lo", "mid", "[lo .. mid]"),
        (LEVELS, "lo", "very hi", "[lo .. very hi]"),
        (LEVELS, "mid", "mid", "mid"),
        (WORDS, "a", "b", "{a, b}"),
        (WORDS, "b", "d", "{b, c, d}"),
        (WORDS, "c", "c", "c"),
        (WORDS, "a", "d", "*"),
        ({"values": ["a", "a"]}, "a", "a", "a"),
        (PLACES, "Italy", "Italy", "Italy"),
        (PLACES, "Italy", "Poland", "Europe"),
        (PLACES, "Japan", "Korea", "East"),
        (PLACES, "Poland", "Japan", "*"),
        (MARKED, "a, b", "f}", r'{"a, b", c, "d\"e", "f}"}'),
        ({"values": ["a", "*", "b", "z"]}, "*", "a", '{"*", a}'),
        (DOTTED, "a .. b", "c", '["a .. b" .. c]'),
        (DOTTED, "c", "[d]", '[c .. "[d]"]'),
        ({"values": ["20", "30", "40", None]}, "20", "(missing)", "[20-40] or (missing)"),
        ({"values": ["20", "30", "40", None]}, "40", "(missing)", "40 or (missing)"),
        ({"values": ["lo", None], "orders": {"q": ["lo", "hi"]}}, "lo", "(missing)", "[lo .. hi] or (missing)"),
        ({"values": ["a", "b", "c", None]}, "b", "(missing)", "{b, c} or (missing)"),
        ({"values": ["a", "b", "c", None]}, "a", "(missing)", "*"),
        ({"values": ["a", "b", "c", None]}, "a", "c", "{a, b, c}"),
        (PLACES | {"values": ["Italy", "Japan", None]}, "Italy", "(missing)", "*"),
        ({"values": TWO}, "(missing)", "(missing)", "(missing)"),
        ({"values": TWO, "column_types": {"q": "categorical"}}, "(missing)", "(missing)", "(missing)"),
        ({"values": TWO, "orders": {"q": ["1", "2"]}}, "(missing)", "(missing)", "(missing)"),
        ({"values": TWO, "taxonomies": {"q": Taxonomy.flat(["1", "2"])}}, "(missing)", "(missing)", "(missing)"),
    ],
)
def test_regions_are_written_by_the_kind_of_their_column(
    column: dict[str, Any], low: str, high: str, expected: str
) -> None:
    assert text(domain(**column), low, high) == expected


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("*", '"*"'),
        ("a, b", "a, b"),
        ("{x}", '"{x}"'),
        ("[1-2]", '"[1-2]"'),
        ("(1,2]", '"(1,2]"'),
        ("<30", '"<30"'),
        ("≥40", '"≥40"'),
        ('"quoted"', r'"\"quoted\""'),
        (" blank ", '" blank "'),
        ("a b", "a b"),
        ("=1+1", "=1+1"),
    ],
)
def test_a_label_that_reads_like_a_region_is_quoted(label: str, shown: str) -> None:
    assert text(domain([label, "zz", "zzz"]), label, label) == shown


# ---- regions read back (labels: test_bands.py) ---------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6) | st.integers(-50, 50), min_size=1, max_size=7), st.booleans(), st.data())
def test_a_range_of_numbers_reads_back(numbers: list[float], missing: bool, data: st.DataObject) -> None:
    found = domain([*map(repr, numbers), *[None] * missing], column_types={"q": "numeric"})
    low = data.draw(st.integers(0, found.size - 1))
    high = data.draw(st.integers(low, found.size - 1))
    region = Reader.of(found).read(region_text(found, low, high))
    assert region.missing == (high == found.missing)
    known = found.values[low : high + 1 - region.missing]  # type: ignore[index]
    assert region.ranges == ({(known[0], known[-1])} if len(known) else set())


# ---- publishing ----------------------------------------------------------------------------------


def people(rows: int = 60) -> Release:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "name": [f"name {i}" for i in range(rows)],
            "age": rng.integers(20, 60, rows),
            "ward": rng.choice(["north", "south", "east"], rows),
            "notes": [f"note {i}" for i in range(rows)],
            "disease": rng.choice(["flu", "cold", "cancer"], rows),
        }
    )
    schema = Schema(["age", "ward"], "disease", identifiers=["name"], other=["notes"])
    return anonymize(Table.from_frame(frame), schema, Policy(4))


def as_text(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    return [tuple(row) for row in frame.astype(object).to_numpy().tolist()]


def test_only_regions_and_the_sensitive_value_are_published() -> None:
    frame = people().publish()
    assert list(frame.columns) == ["age", "ward", "disease"]
    assert not re.search("name|note", frame.to_csv())
    assert list(frame.index) == list(range(60))


def test_rows_are_shuffled() -> None:
    """By chance where no seed is given; what the rows hold, the property below says."""
    release = people()
    regions, secret = as_text(release.region_frame()), release.encoded.sensitive_codes
    in_order = [
        (*regions[label], release.encoded.sensitive.labels[code])
        for label, code in zip(release.labels, secret, strict=True)
    ]
    published = [as_text(release.publish(seed)) for seed in (None, None, 0, 1)]
    assert len({tuple(rows) for rows in (*published, in_order)}) == 5


def test_published_order_says_nothing_of_the_input_order() -> None:
    # The record at the top is anybody, equally often.
    release = people(12)
    secret = release.encoded.sensitive_codes
    seen = Counter(release.publish(seed)["disease"].astype(object).iloc[0] for seed in range(800))
    for code, label in enumerate(release.encoded.sensitive.labels):
        assert seen[label] / 800 == pytest.approx((secret == code).mean(), abs=0.07)


@settings(max_examples=60, deadline=None)
@given(cases(), st.integers(1, 5), st.integers(0, 3))
def test_published_rows_are_the_records(case: Case, k: int, seed: int) -> None:
    release = partition(case.encoded, Policy(min(k, len(case))))
    regions = as_text(release.region_frame())
    labels = list(release.encoded.sensitive.labels)
    if release.encoded.sensitive.missing >= 0:
        labels[release.encoded.sensitive.missing] = ""
    expected = Counter(
        (*regions[label], labels[code])
        for label, code in zip(release.labels, release.encoded.sensitive_codes, strict=True)
    )
    assert Counter(as_text(release.publish(seed))) == expected


@settings(max_examples=100, deadline=None)
@given(cases(), st.data(), st.sampled_from([name for name in for_one_publisher() if not ALGORITHMS[name].centroids]))
def test_a_cell_fits_the_hull_of_its_members_and_nobody_else(case: Case, data: st.DataObject, algorithm: str) -> None:
    """A missing member is in it besides: it does not draw the region to the end of the column."""
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=len(case), max_size=len(case)))
    release = Release.of(case.encoded, np.unique(drawn, return_inverse=True)[1], Policy(1), algorithm)
    for i, (attribute, part) in enumerate(zip(case.qids, release.published.attributes, strict=True)):
        every = [*attribute.labels(), *([None] if attribute.has_missing else [])]
        fits = inside(part, [cell_text(value) or MISSING for value in every])
        for number, members in enumerate(map(release.classes.members, range(release.classes.count))):
            values = [attribute.values[member] for member in members]
            wanted = set(values) if release.lists_values(i) else set(hull(attribute, values))
            cell = part.which[release.reader_classes[number]]
            assert {value for value, fit in zip(every, fits[:, cell], strict=True) if fit} == wanted


# ---- records left out ------------------------------------------------------------------------------


def test_records_left_out_have_no_class() -> None:
    frame = pd.DataFrame({"q": ["1", None, "2", "3", "4", None], "s": ["x", "y", "x", "y", "z", "z"]})
    schema = Schema(["q"], "s", missing="drop")
    release = anonymize(Table.from_frame(frame), schema, Policy(2))
    assert release.labels.tolist() == [0, -1, 0, 1, 1, -1]
    assert release.inputs == 6
    assert len(release.publish(0)) == 4
    part = anonymize(Table.from_frame(frame), schema, Policy(1), rows=[5, 4, 1, 0])
    assert part.labels.tolist() == [-1, 1, -1, 0]
    assert part.position.tolist() == [1, 3]
    with pytest.raises(ParameterError):
        anonymize(Table.from_frame(frame), schema, Policy(1), rows=[1, 5])


def test_suppressed_records_are_counted_apart() -> None:
    encoded = people().encoded
    labels = np.arange(60) % 3 - 1
    release = Release.of(encoded, labels, Policy(1), "by hand")
    assert (release.sizes.tolist(), release.classes.suppressed, len(release.publish(0))) == ([20, 20], 20, 40)
    assert release.labels.tolist() == labels.tolist()
    kept = encoded.sensitive_codes[labels >= 0]
    assert release.histogram.overall.tolist() == np.bincount(kept, minlength=3).tolist()
    low, high, _ = release.regions
    for number in range(2):
        mine = encoded.codes[:, labels == number]
        assert (low[number].tolist(), high[number].tolist()) == (mine.min(axis=1).tolist(), mine.max(axis=1).tolist())


def test_labels_must_fit_the_records() -> None:
    with pytest.raises(ParameterError, match="60"):
        Release.of(people().encoded, np.zeros(59, dtype=int), Policy(1), "by hand")


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=20)
def test_a_set_is_written_as_a_domain_writes_it_that_remembers_nothing(seed: int) -> None:
    """Also where the texts that are remembered become too many, and where labels look like marks."""
    rng = np.random.default_rng(seed)
    labels = tuple(sorted({"*", "a, b", "{c}", "d", "e", "(missing)", "[f .. g]", "h"}))
    found = Domain("ill", ColumnType.CATEGORICAL, labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(region_text_module, "MOST_WRITTEN", 5)
        for _ in range(30):
            codes = np.flatnonzero(rng.random(len(labels)) < 0.5).tolist() or [0]
            fresh = Domain("ill", ColumnType.CATEGORICAL, labels)
            assert set_text(found, codes) == set_text(fresh, codes) == set_text(found, codes)
            assert len(found.written) <= 5
    assert found.written
    assert not pickle.loads(pickle.dumps(found)).written

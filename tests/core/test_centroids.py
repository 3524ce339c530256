"""What microaggregation publishes: means, medians and modes, as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.data.schemas.schema import Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.table import Table
from core.measurement import measure
from core.privacy.policy import Policy
from core.release.published.cell_reader import Reader
from core.release.release import Release
from tests.reference import microaggregation as twin
from tests.strategies import Case, cases

TREE = Taxonomy.from_nested({"Europe": ["Italy", "Poland"], "Asia": ["Japan", "India"]})


def cells(values: list[Any], labels: list[int] | None = None, **schema: Any) -> list[str]:
    """Published cell of each class of one column."""
    frame = pd.DataFrame({"q": values, "s": [f"s{i % 2}" for i in range(len(values))]}, dtype=object)
    encoded = encode(Table.from_frame(frame), Schema(["q"], "s", **schema))
    classes = np.zeros(len(values), dtype=int) if labels is None else np.array(labels)
    release = Release.of(encoded, classes, Policy(1), "mdav")
    return release.region_frame()["q"].astype(object).tolist()


NUMERIC = {"column_types": {"q": "numeric"}}
LEVELS = {"orders": {"q": ["lo", "mid", "hi"]}}
PLACES = {"taxonomies": {"q": TREE}}


@pytest.mark.parametrize(
    ("values", "schema", "expected"),
    [
        # Means.
        ([30, 40, 41], NUMERIC, "37"),
        ([30, 40, 42], NUMERIC, "37.3"),
        ([20, 21, 21, 21], NUMERIC, "20.8"),
        ([-20, -21, -21, -21], NUMERIC, "-20.7"),  # halves up: -20.75
        (["1.5", "2.25"], NUMERIC, "1.875"),
        (["0.1", "0.2", "0.2"], NUMERIC, "0.17"),
        ([5, 5, 5], NUMERIC, "5"),
        (["0.123456789012", "0.123456789012"], NUMERIC, "0.123456789012"),
        (["0.123456789012", "0.5"], NUMERIC, "0.3117284"),
        ([0, "1e300"], NUMERIC, "5e+299"),
        (["-1e308", "-0.9e308"], NUMERIC, "-9.5e+307"),
        (["1e307", "0.5"], NUMERIC, "5e+306"),
        ([None, 30, 41], NUMERIC, "35.5"),
        ([None, None, 30, 41], NUMERIC, "35.5"),
        ([None, None, None, 30, 41], NUMERIC, "(missing)"),
        # Medians.
        (["lo", "mid", "hi"], LEVELS, "mid"),
        (["lo", "mid", "hi", "hi"], LEVELS, "mid"),
        (["lo", "lo", "hi", "hi"], LEVELS, "lo"),
        (["hi", None], LEVELS, "hi"),
        (["lo", "hi", None, "hi"], LEVELS, "hi"),
        (["hi", None, None], LEVELS, "(missing)"),
        # Modes.
        (list("abb"), {}, "b"),
        (list("bbaac"), {}, "a"),  # of two the one that sorts first
        (["a", "b", None, None], {}, "(missing)"),
        (["*", "*", "a"], {}, '"*"'),  # quoted, it is not everything
        (["Japan", "Italy", "Japan", "India"], PLACES, "Japan"),
        (["Japan", "Italy"], PLACES, "Italy"),  # in the order of the leaves
    ],
)
def test_means_medians_and_modes(values: list[Any], schema: dict[str, Any], expected: str) -> None:
    assert cells(values, **schema) == [expected]


@settings(max_examples=150, deadline=None)
@given(cases(), st.integers(1, 6))
def test_centroids_are_those_of_the_slow_twin(case: Case, k: int) -> None:
    release = partition(case.encoded, Policy(min(k, len(case))), "mdav")
    frame = release.region_frame().astype(object)
    for attribute in case.qids:
        expected = [twin.central_text(attribute, release.classes.members(i)) for i in range(release.classes.count)]
        assert frame[attribute.name].tolist() == expected


@settings(max_examples=80, deadline=None)
@given(cases(), st.integers(1, 6))
def test_every_cell_reads_back(case: Case, k: int) -> None:
    encoded = case.encoded
    release = partition(encoded, Policy(min(k, len(case))), "mdav")
    for i, domain in enumerate(encoded.qids):
        texts, which = release.region_codes(i)
        assert len(texts) == len(set(texts)) > which.max(), "one text a centroid"
        assert None not in [Reader.of(domain).read(text) for text in texts]


def test_classes_with_one_centroid_are_one_to_the_reader() -> None:
    frame = pd.DataFrame({"q": [1, 3, 2, 2], "s": ["x", "x", "y", "z"]})
    schema = Schema(["q"], "s")
    release = Release.of(encode(Table.from_frame(frame), schema), np.array([0, 0, 1, 1]), Policy(2), "mdav")
    assert release.classes.count == 2
    found = measure(release.publish(seed=0), schema)
    assert (found.classes, found.k, found.distinct_l) == (1, 4, 3)
    assert release.published.sizes.tolist() == [4]
    low, high, _ = release.regions
    assert (low[:, 0].tolist(), high[:, 0].tolist()) == ([0, 1], [2, 1]), "the true extent stays known to the owner"

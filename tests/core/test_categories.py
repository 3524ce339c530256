"""Category breach: golden cases, and its slow twin on random trees and releases."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Taxonomy, examples
from core.attack.categories import Categories, CategoryBreach, category_breach_parts, levels
from core.errors import ParameterError
from core.published.located import Located
from tests.reference import categories as twin
from tests.reference.attributes import paths_of
from tests.reference.weighted import share_of
from tests.releases import release_of
from tests.situations import Setting, packed, situations
from tests.strategies import BUSHES, TREES

ILLNESSES = {
    "infection": {"viral": ["flu", "cold"], "bacterial": ["cholera"]},
    "injury": ["sprain", "burn"],
    "other": [],
}


def attacked(setting: Setting, tree: Taxonomy, level: int) -> CategoryBreach:
    number = {value: place for place, value in enumerate(setting.values)}
    first = setting.releases[0]
    codes = [np.array([number[s] for s in r.encoded.sensitive.labels]) for r in setting.releases]
    located = []
    for candidates in setting.candidates:
        starts = np.concatenate(([0], np.cumsum([len(mine) for mine in candidates])))
        classes = np.array([c for mine in candidates for c in sorted(mine)], dtype=np.int64)
        located.append(Located(starts.astype(np.int64), classes))
    return category_breach_parts(
        packed([{number[s] for s in setting.said(i)} for i in setting.people], len(number)),
        located,
        [release.histogram for release in setting.releases],
        codes,
        np.array([-1 if s is None else number[s] for s in setting.truth]),
        np.bincount(codes[0], weights=first.histogram.overall, minlength=len(number)).astype(np.int64),
        Categories.at(setting.values, tree, level),
    )


@settings(max_examples=60, deadline=None)
@given(setting=situations(), data=st.data())
def test_equals_its_slow_twin(setting: Setting, data: st.DataObject) -> None:
    """Values of the releases are put under random trees by renaming leaves; some stay foreign."""
    tree = data.draw(st.sampled_from(BUSHES))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    labels = list(paths_of(tree))
    named = rng.permutation(setting.values)[: len(labels)].tolist()
    rename = dict(zip(labels, named, strict=False))
    nested = _renamed(tree, rename)
    taxonomy, paths = Taxonomy.from_nested(nested), paths_of(nested)
    level = data.draw(st.integers(1, taxonomy.height))
    found = attacked(setting, taxonomy, level)
    kinds = found.categories.names
    expected = [twin.common(frozenset(setting.said(i)), paths, level) for i in setting.people]
    assert [kinds[c] if c >= 0 else None for c in found.category] == expected
    for j, records in enumerate(setting.records):
        alone = [
            twin.common(frozenset(share_of(records, classes)), paths, level) if classes else None
            for classes in setting.candidates[j]
        ]
        assert [kinds[c] if c >= 0 else None for c in found.alone[j]] == alone
    breached = [kind is not None for kind in expected]
    assert found.rate.value == pytest.approx(np.mean(breached))
    wrong = [
        kind is not None and truth is not None and twin.category(truth, paths, level) != kind
        for kind, truth in zip(expected, setting.truth, strict=True)
    ]
    assert found.wrong.value == pytest.approx(np.mean(wrong))
    count = Counter[str]()
    for value, n in share_of(setting.records[0], None).items():
        count[twin.category(value, paths, level)] += n
    assert found.guess == pytest.approx(max(count.values()) / sum(count.values()))
    right = [
        kind is not None and truth is not None and twin.category(truth, paths, level) == kind
        for kind, truth in zip(expected, setting.truth, strict=True)
    ]
    assert found.right.value == pytest.approx(np.mean(right))
    assert found.rate.single == pytest.approx((found.alone >= 0).mean(axis=1).max())
    assert found.rate.n == len(expected)


def _renamed(tree: dict, names: dict[str, str]) -> dict:
    return {names.get(label, label): _renamed(below, names) for label, below in tree.items()}


@given(tree=st.sampled_from(TREES))
def test_levels_gather_values(tree: dict) -> None:
    taxonomy = Taxonomy.from_nested(tree)
    values = taxonomy.leaf_labels
    height = max(len(path) for path in paths_of(tree).values()) - 1
    assert levels(taxonomy) == tuple(range(1, height))
    if height:
        deepest = Categories.at(values, taxonomy, height)
        assert deepest.names == values, "at the lowest level every value is its own category"


def test_categories_by_hand() -> None:
    tree = Taxonomy.from_nested(ILLNESSES)
    values = ["sprain", "flu", "cold", "cholera", "other", "nobody knows", "viral", "infection"]
    first = Categories.at(values, tree, 1)
    assert [first.names[c] for c in first.of_value] == [
        "injury",
        "infection",
        "infection",
        "infection",
        "other",
        "nobody knows",
        "infection",
        "infection",
    ]
    second = Categories.at(values, tree, 2)
    assert [second.names[c] for c in second.of_value] == [
        "sprain",
        "viral",
        "viral",
        "bacterial",
        "other",
        "nobody knows",
        "viral",
        "infection",
    ]


def test_words_beyond_the_first() -> None:
    values = [f"v{i}" for i in range(200)]
    tree = Taxonomy.from_nested({"low": values[:100], "high": values[100:]})
    categories = Categories.at(values, tree, 1)
    sets = packed([{0, 99}, {99, 100}, {100, 199}, {63}, {64, 127}, {199}, set(), set(range(200))], 200)
    assert categories.of_sets(sets).tolist() == [0, -1, 1, 0, -1, 1, -1, -1]


def test_flu_and_cold_are_an_infection() -> None:
    domain = ["burn", "cholera", "cold", "flu", "sprain"]
    releases = [release_of([0, 0, 0], [2, 3, 4], domain), release_of([0, 0, 0, 0], [0, 1, 2, 3], domain)]
    setting = Setting(releases, [[frozenset([0])], [frozenset([0])]], ["burn"])
    tree = Taxonomy.from_nested(ILLNESSES)
    found = attacked(setting, tree, 1)
    assert found.categories.names[found.category[0]] == "infection"
    assert (found.rate.value, found.rate.single, found.wrong.value) == (1.0, 0.0, 1.0)
    assert found.guess == pytest.approx(2 / 3)
    assert found.right.value == 0.0
    setting.truth = ["flu"]
    assert attacked(setting, tree, 2).wrong.value == 0.0
    assert not attacked(setting, tree, 3).breached.any(), "flu and cold are two values"


def test_the_city_has_categories() -> None:
    tree = examples.city_schema().taxonomies["diagnosis"]
    assert levels(tree) == (1,)
    assert "Infections" in Categories.at(["A08"], tree, 1).names


@pytest.mark.parametrize("level", [0, -1, 4])
def test_level_out_of_range(level: int) -> None:
    with pytest.raises(ParameterError) as caught:
        Categories.at(["flu"], Taxonomy.from_nested(ILLNESSES), level)
    assert caught.value.parameter == "level"
    assert "flu" not in str(caught.value)


def test_a_tree_of_one_value_has_no_level() -> None:
    with pytest.raises(ParameterError) as caught:
        Categories.at(["only"], Taxonomy(("only",), (-1,)), 1)
    assert caught.value.parameter == "level"

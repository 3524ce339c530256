"""Trees: what files and mappings give, what is refused, and leaves as intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import TaxonomyError
from core.data.schema import Schema
from core.data.schema_file import read_schema
from core.data.taxonomy import MAX_DEPTH, Taxonomy
from tests.reference.taxonomy import leaf_paths, lowest_common_slowly

PLACES = Taxonomy.from_nested({"Europe": ["Italy", "Poland"], "Asia": {"East": ["Japan", "Korea"], "Israel": None}})

EDUCATION = """\
Bachelors;Undergraduate;Higher education;*
Some-college;Undergraduate;Higher education;*
11th;High School;Secondary education;*
Masters;Graduate;Higher education;*
9th;High School;Secondary education;*
"""


@st.composite
def nested(draw: st.DrawFn) -> dict[str, Any]:
    """Trees with labels n0, n1, ... of up to four levels and a leaf at least."""
    count = iter(range(10_000))

    def grow(depth: int) -> dict[str, Any]:
        width = draw(st.integers(1 if depth == 0 else 0, 3)) if depth < 4 else 0
        return {f"n{next(count)}": grow(depth + 1) for _ in range(width)}

    return grow(0)


# ---- making one --------------------------------------------------------------------------


def test_preorder_of_a_nested_mapping() -> None:
    assert PLACES.labels == ("*", "Europe", "Italy", "Poland", "Asia", "East", "Japan", "Korea", "Israel")
    assert PLACES.parents == (-1, 0, 1, 1, 0, 4, 5, 5, 4)
    assert PLACES.leaf_labels == ("Italy", "Poland", "Japan", "Korea", "Israel")
    assert (PLACES.nodes, PLACES.leaves, PLACES.height) == (9, 5, 3)
    assert PLACES.depth.tolist() == [0, 1, 2, 2, 1, 2, 3, 3, 2]


def test_nodes_are_intervals_of_leaves() -> None:
    intervals = dict(zip(PLACES.labels, zip(PLACES.low.tolist(), PLACES.high.tolist(), strict=True), strict=True))
    assert intervals == {
        "*": (0, 4),
        "Europe": (0, 1),
        "Italy": (0, 0),
        "Poland": (1, 1),
        "Asia": (2, 4),
        "East": (2, 3),
        "Japan": (2, 2),
        "Korea": (3, 3),
        "Israel": (4, 4),
    }


def test_arx_hierarchy() -> None:
    tree = Taxonomy.from_arx(EDUCATION)
    assert tree == Taxonomy.from_nested(
        {
            "Higher education": {"Undergraduate": ["Bachelors", "Some-college"], "Graduate": ["Masters"]},
            "Secondary education": {"High School": ["11th", "9th"]},
        }
    )


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a;x;*\nb;x;*\nc;y;*\n", {}),
        ("a;x\nb;x\nc;y\n", {}),  # no common top: a root is put above
        ("\n a ; x ;*\r\n\r\nb;x;*\nc;y;*", {}),
        ("a,x,*\nb,x,*\nc,y,*\n", {"delimiter": ","}),
        ('"a";"x";"*"\nb;x;*\nc;y;*\na;x;*\n', {}),
    ],
)
def test_arx_files_as_people_write_them(text: str, options: dict[str, str]) -> None:
    assert Taxonomy.from_arx(text, **options) == Taxonomy.from_nested({"x": ["a", "b"], "y": ["c"]})


def test_arx_from_bytes_and_files(tmp_path: Path) -> None:
    expected = Taxonomy.flat(["Łódź", "x"])
    content = "Łódź;*\nx;*\n"
    path = tmp_path / "hierarchy.csv"
    path.write_bytes(content.encode("utf-8-sig"))
    assert Taxonomy.from_arx(path) == Taxonomy.from_arx(content.encode()) == Taxonomy.from_arx(content) == expected
    assert Taxonomy.from_arx("Zoë;*\n".encode("latin-1")).leaf_labels == ("Zoë",)


@given(nested())
def test_json_round_trip(mapping: dict[str, Any]) -> None:
    tree = Taxonomy.from_nested(mapping)
    schema = Schema(["a"], "s", taxonomies={"a": tree})
    assert read_schema(schema.to_json()).taxonomies["a"] == tree


def test_labels_that_repeat_among_inner_nodes_get_their_level() -> None:
    tree = Taxonomy.from_arx("a;other;*\nother;x;*\nb;x;*\n")
    assert tree.labels == ("*", "other (level 1)", "a", "x", "other", "b")
    assert Taxonomy.from_arx("*;x;*\nb;x;*\n").labels == ("* (level 2)", "x", "*", "b")


def test_prefixes() -> None:
    tree = Taxonomy.from_prefixes(["13012", "13068", "14850", "2"], keep=(3, 1))
    assert tree == Taxonomy.from_nested({"1****": {"130**": ["13012", "13068"], "148**": ["14850"]}, "2": None})


def test_flat_and_one_more_leaf() -> None:
    assert Taxonomy.flat(["b", "a", "b"]).leaf_labels == ("b", "a")
    more = PLACES.with_leaf("Mars")
    assert more.leaf_labels == (*PLACES.leaf_labels, "Mars")
    assert more.labels[more.parents[-1]] == "*"


# ---- refusals ----------------------------------------------------------------------------


def deep(levels: int) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for level in range(levels):
        tree = {f"n{level}": tree}
    return tree


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "no rows"),
        ("\n \n;;\n", "no rows"),
        ("a;x;*\nb;*\n", "Row 2 of the hierarchy has 2 levels but row 1 has 3"),
        ("a;x;*\nb;y;*\na;y;*\n", "Row 3 .* another parent"),
        ("a;x;p;*\nb;x;q;*\n", "Row 2 .* label of level 1 under another parent"),
        ("a;\x00x;*\n", "not text"),
        (";".join(f"l{i}" for i in range(MAX_DEPTH + 1)), "at most 30 levels"),
    ],
)
def test_malformed_hierarchy_files(text: str, match: str) -> None:
    with pytest.raises(TaxonomyError, match=match) as caught:
        Taxonomy.from_arx(text)
    assert "SECRET" not in str(caught.value)


def test_refusals_name_the_row_and_not_the_label() -> None:
    secret = "Roe7391"
    for text in (f"{secret};x;*\n{secret};y;*\n", f"a;{secret};p;*\nb;{secret};q;*\n", f"{secret};*\nb\n"):
        with pytest.raises(TaxonomyError, match="Row 2") as caught:
            Taxonomy.from_arx(text)
        assert secret not in repr(caught.value)


@pytest.mark.parametrize(
    ("labels", "parents", "match"),
    [
        ((), (), "one root"),
        (("*", "a"), (-1,), "one root"),
        (("*",), (0,), "one root"),
        (("*", "a", "b"), (-1, 0, -1), "preorder"),
        (("*", "a", "b"), (-1, 2, 0), "preorder"),
        (("*", "a", "b", "c"), (-1, 0, 0, 1), "preorder"),
        (("*", "a"), (-1, 5), "preorder"),
        (("*", "a", "a"), (-1, 0, 0), "same label"),
        (("*", "*"), (-1, 0), "same label"),
        (tuple(map(str, range(MAX_DEPTH + 1))), tuple(range(-1, MAX_DEPTH)), "at most 30 levels"),
    ],
)
def test_nodes_that_are_no_tree(labels: tuple[str, ...], parents: tuple[int, ...], match: str) -> None:
    with pytest.raises(TaxonomyError, match=match):
        Taxonomy(labels, parents)


@pytest.mark.parametrize("tree", [{"a": ["b", "b"]}, {"a": {"*": None}}, {"a": "text"}, {"a": 3}, deep(MAX_DEPTH)])
def test_mappings_that_are_no_tree(tree: dict[str, Any]) -> None:
    with pytest.raises(TaxonomyError):
        Taxonomy.from_nested(tree)


@pytest.mark.parametrize("keep", [(), (-1,)])
def test_prefixes_of_no_length(keep: tuple[int, ...]) -> None:
    with pytest.raises(TaxonomyError, match="leading characters"):
        Taxonomy.from_prefixes(["13012"], keep)


# ---- intervals ---------------------------------------------------------------------------


@given(nested(), st.data())
@settings(max_examples=200)
def test_lowest_common_agrees_with_the_slow_twin(mapping: dict[str, Any], data: st.DataObject) -> None:
    tree = Taxonomy.from_nested(mapping)
    assert list(tree.leaf_labels) == [path[-1] for path in leaf_paths(mapping)]
    pairs = [(a, b) for a in range(tree.leaves) for b in range(a, tree.leaves)]
    chosen = data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=20))
    low, high = (np.array(ends) for ends in zip(*chosen, strict=True))
    found = tree.lowest_common(low, high)
    assert [tree.labels[node] for node in found] == [lowest_common_slowly(mapping, a, b) for a, b in chosen]
    assert (tree.low[found] <= low).all()
    assert (tree.high[found] >= high).all()


@given(nested())
def test_ancestors_are_the_paths_of_the_leaves(mapping: dict[str, Any]) -> None:
    tree = Taxonomy.from_nested(mapping)
    paths = leaf_paths(mapping)
    table = [[tree.labels[node] for node in tree.ancestors[:, leaf]] for leaf in range(tree.leaves)]
    assert table == [[*path, *[path[-1]] * (tree.height + 1 - len(path))] for path in paths]

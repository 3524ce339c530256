"""Trees: what files, mappings and columns give, what is refused, and leaves as intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table, Taxonomy
from core.algorithms import partition
from core.base.errors import TaxonomyError
from core.data.encoding.encoded import encode
from core.data.reading import read_hierarchy
from core.data.schemas.hierarchies import CHAPTERS, proposed_hierarchy
from core.release.release import Release
from core.release.utility import gcp, loss_by_attribute
from tests.reference.taxonomy import leaf_paths, lowest_common_slowly

PLACES = Taxonomy.from_nested({"Europe": ["Italy", "Poland"], "Asia": {"East": ["Japan", "Korea"], "Israel": None}})


@st.composite
def nested(draw: st.DrawFn) -> dict[str, Any]:
    """Trees with labels n0, n1, ... of up to four levels and a leaf at least."""
    count = iter(range(10_000))

    def grow(depth: int) -> dict[str, Any]:
        width = draw(st.integers(1 if depth == 0 else 0, 3)) if depth < 4 else 0
        return {f"n{next(count)}": grow(depth + 1) for _ in range(width)}

    return grow(0)


# ---- making one --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a;x;*\nb;x;*\nc;y;*\n",
        "a;x\nb;x\nc;y\n",  # no common top: a root is put above
        "\n a ; x ;*\r\n\r\nb;x;*\nc;y;*",
        "a,x,*\nb,x,*\nc,y,*\n",
        '"a";"x";"*"\nb;x;*\nc;y;*\na;x;*\n',
    ],
)
def test_arx_files_as_people_write_them(text: str) -> None:
    assert read_hierarchy(text.encode()) == Taxonomy.from_nested({"x": ["a", "b"], "y": ["c"]})


def test_arx_from_bytes_and_files(tmp_path: Path) -> None:
    expected = Taxonomy.flat(["Łódź", "x"])
    content = "Łódź;*\nx;*\n"
    path = tmp_path / "hierarchy.csv"
    path.write_bytes(content.encode("utf-8-sig"))
    assert read_hierarchy(path) == read_hierarchy(content.encode()) == expected
    assert read_hierarchy("Zoë;*\n".encode("latin-1")).leaf_labels == ("Zoë",)


def test_labels_that_repeat_among_inner_nodes_get_their_level() -> None:
    tree = read_hierarchy(b"a;other;*\nother;x;*\nb;x;*\n")
    assert tree.labels == ("*", "other (level 1)", "a", "x", "other", "b")
    assert read_hierarchy(b"*;x;*\nb;x;*\n").labels == ("* (level 2)", "x", "*", "b")


def test_prefixes() -> None:
    tree = Taxonomy.from_prefixes(["13012", "13068", "14850", "2"], keep=(3, 1))
    assert tree == Taxonomy.from_nested({"1****": {"130**": ["13012", "13068"], "148**": ["14850"]}, "2": None})


def test_flat_and_one_more_leaf() -> None:
    assert Taxonomy.flat(["b", "a", "b"]).leaf_labels == ("b", "a")
    more = PLACES.with_leaf("Mars")
    assert more.leaf_labels == (*PLACES.leaf_labels, "Mars")
    assert more.labels[more.parents[-1]] == "*"


# ---- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "no rows"),
        ("\n \n;;\n", "no rows"),
        ("a;x;*\nb;*\n", "Row 2 of the hierarchy has 2 levels but row 1 has 3"),
        ("SECRET;x;*\nb;y;*\nSECRET;y;*\n", "Row 3 .* a different parent"),
        ("a;SECRET;p;*\nb;SECRET;q;*\n", "Row 2 .* label of level 1 under a different parent"),
        ("SECRET;*\nb\n", "Row 2"),
        ("a;\x00x;*\n", "not text"),
    ],
)
def test_malformed_hierarchy_files(text: str, match: str) -> None:
    with pytest.raises(TaxonomyError, match=match) as caught:
        read_hierarchy(text.encode())
    assert "SECRET" not in repr(caught.value)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (partial(Taxonomy, (), ()), "one root"),
        (partial(Taxonomy, ("*", "a"), (-1,)), "one root"),
        (partial(Taxonomy, ("*",), (0,)), "one root"),
        (partial(Taxonomy, ("*", "a", "b"), (-1, 0, -1)), "preorder"),
        (partial(Taxonomy, ("*", "a", "b"), (-1, 2, 0)), "preorder"),
        (partial(Taxonomy, ("*", "a", "b", "c"), (-1, 0, 0, 1)), "preorder"),
        (partial(Taxonomy, ("*", "a"), (-1, 5)), "preorder"),
        (partial(Taxonomy, ("*", "a", "a"), (-1, 0, 0)), "same label"),
        (partial(Taxonomy, ("*", "*"), (-1, 0)), "same label"),
        *(
            (partial(Taxonomy.from_nested, tree), None)
            for tree in ({"a": ["b", "b"]}, {"a": {"*": None}}, {"a": "x"}, {"a": 3})
        ),
        *((partial(Taxonomy.from_prefixes, ["13012"], keep), None) for keep in ((), (-1,))),
    ],
)
def test_what_makes_no_tree_is_refused(make: Callable[[], Taxonomy], match: str | None) -> None:
    with pytest.raises(TaxonomyError, match=match):
        make()


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


@given(nested())
def test_ancestors_are_the_paths_of_the_leaves(mapping: dict[str, Any]) -> None:
    tree = Taxonomy.from_nested(mapping)
    paths = leaf_paths(mapping)
    table = [[tree.labels[node] for node in tree.ancestors[:, leaf]] for leaf in range(tree.leaves)]
    assert table == [[*path, *[path[-1]] * (tree.height + 1 - len(path))] for path in paths]


# ---- what a column suggests --------------------------------------------------------------------


def steps(name: str, values: list[str]) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in proposed_hierarchy(name, values).tree.levels()}


def test_postcodes_lose_their_last_digits_to_two():
    assert steps("zip", ["01135", "01136", "01144", "02110"])["01136"] == ("0113*", "011**", "01***", "*")
    assert steps("plz3", ["100", "104"])["104"] == ("10*", "*")


def test_a_band_has_just_the_ages_that_it_says():
    tree = proposed_hierarchy("age", ["0", "99"]).tree  # type: ignore[union-attr]
    inner = [node for node in range(1, tree.nodes) if not tree.labels[node].isdecimal()]
    for node in inner:
        low, _, high = tree.labels[node].rstrip("+").partition("-")
        leaves = tree.leaf_labels[tree.low[node] : tree.high[node] + 1]
        assert leaves == tuple(str(age) for age in range(int(low), int(high or 99) + 1))
    assert len(inner) == 18 + 1 + 9 + 5


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", ["3.5", "4"]),
        ("age", ["03", "4"]),
        ("age", ["300", "4"]),
        ("age", ["10-20", "20-30"]),
        ("zip", ["0113", "01136"]),
        ("zip", ["01 13", "01 14"]),
        ("colour", ["red", "tan"]),
        ("diagnosis", ["cold", "flue"]),
        ("zip", ["01135"]),
        ("zip", []),
    ],
)
def test_nothing_is_suggested_where_the_form_does_not_say_it(name, values):
    assert proposed_hierarchy(name, values) is None


def test_codes_of_diseases_are_under_their_chapters():
    proposed = proposed_hierarchy("diagnosis", ["A01", "A02", "J45.1", "J46"])
    assert (proposed.by, proposed.steps) == (CHAPTERS, ("J45.1", "J00-J99 Respiration", "*"))


def stays(rows: int = 300) -> Table:
    rng = np.random.default_rng(1)
    zips = [f"{zip_code:05d}" for zip_code in rng.choice(rng.integers(1_000, 1_400, 40), rows)]
    ages = rng.integers(0, 95, rows).astype(str)
    return Table.from_frame(pd.DataFrame({"zip": zips, "age": ages, "disease": rng.choice(list("abcd"), rows)}))


def tree_of(table: Table, name: str) -> Taxonomy:
    return proposed_hierarchy(name, table.column(name).labels).tree


@pytest.mark.parametrize("algorithm", ["least-loss", "mondrian"])
def test_a_class_is_published_as_the_lowest_node_above_its_values(algorithm):
    table = stays()
    trees = {name: tree_of(table, name) for name in ("zip", "age")}
    release = partition(encode(table, Schema(["zip", "age"], "disease", taxonomies=trees)), Policy(k=5), algorithm)
    for at, domain in enumerate(release.encoded.qids):
        texts, which = release.region_codes(at)
        tree = domain.taxonomy
        for number in range(release.classes.count):
            codes = release.encoded.codes[at][release.classes.labels == number]
            above = [set(tree.ancestors[:, code].tolist()) for code in codes]
            lowest = max(set.intersection(*above), key=lambda node: tree.depth[node])
            assert texts[which[number]] == tree.labels[lowest]


def test_least_loss_cuts_along_the_tree_where_a_class_is_one_node():
    table = stays(2_000)
    tree = tree_of(table, "zip")
    schema = Schema(["zip", "age"], "disease", column_types={"age": "numeric"}, taxonomies={"zip": tree})
    as_list = schema.with_(taxonomies={"zip": replace(tree, one_node=False)})
    nodes, listed = (partition(encode(table, own), Policy(k=5), "least-loss") for own in (schema, as_list))
    assert loss_by_attribute(listed)["zip"] < loss_by_attribute(nodes)["zip"]
    by_median = partition(nodes.encoded, Policy(k=5), "mondrian")
    assert gcp(nodes) < 1.05 * gcp(by_median)


def test_what_was_done_to_a_column_in_one_way_is_a_hierarchy() -> None:
    frame = pd.DataFrame(
        {"age": ["20", "21", "30", "31"] * 5, "sex": list("MF") * 10, "dx": ["flu", "gout", "tb", "flu"] * 5}
    )
    schema = Schema(["age", "sex"], "dx", column_types={"age": "numeric"})
    encoded = encode(Table.from_frame(frame), schema)
    halves = Release.of(encoded, (frame["age"].astype(int) >= 30).to_numpy(int), Policy(5), "by hand")
    found = halves.hierarchies()
    assert list(found) == ["age"] or set(found) == {"age", "sex"}
    assert found["age"].levels() == [
        ("20", "[20-21]", "*"),
        ("21", "[20-21]", "*"),
        ("30", "[30-31]", "*"),
        ("31", "[30-31]", "*"),
    ]
    assert read_hierarchy(found["age"].to_arx(), column="age") == found["age"]
    ages = Release.of(encoded, encoded.codes[0] // 2 * 2 + encoded.codes[1], Policy(5), "by hand")
    assert "sex" not in ages.hierarchies(), "nothing was done to it"
    overlapping = Release.of(encoded, np.arange(20) % 3, Policy(5), "by hand")
    assert "age" not in overlapping.hierarchies() or len(set(overlapping.region_frame()["age"])) == 1

"""Hierarchy files in the spellings of other programs: the same tree, or a refusal that names its own cause."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Schema, Table, Taxonomy
from core.base.errors import TaxonomyError
from core.data.encoding.encoded import encode
from core.data.reading import read_hierarchy
from tests.strategies import message_of

ROWS = [
    (str(age), f"{age - age % 2}-{age - age % 2 + 1}", f"{age - age % 4}-{age - age % 4 + 3}", "*")
    for age in range(20, 28)
]
TREE = Taxonomy.from_levels(ROWS)
HEADER, PAIRS = (
    ("The first line was left out as a line of column names.",),
    ("The file was read as a list of children and parents.",),
)


def written(rows: list[tuple[str, ...]], mark: str = ";") -> bytes:
    return "".join(f"{mark.join(row)}\n" for row in rows).encode()


def pairs(rows: list[tuple[str, ...]] = ROWS) -> list[tuple[str, ...]]:
    return list(dict.fromkeys((child, parent) for row in rows for child, parent in pairwise(row)))


def quoted(mark: str) -> bytes:
    """Labels of intervals with a semicolon in them, as ARX writes them."""
    return written([(row[0], *(f'"[{label.replace("-", "; ")}["' for label in row[1:3]), "*") for row in ROWS], mark)


@pytest.mark.parametrize("mark", [";", ",", "\t", "|"])
@pytest.mark.parametrize(
    ("content", "notes"),
    [
        (ROWS, ()),
        ([("age", "level1", "level2", "level3"), *ROWS], HEADER),
        ([("Value", "Level-1", "Level-2", "Level-3"), *ROWS], HEADER),
        ([("age", "two years", "four years", "all"), *ROWS], HEADER),
        (pairs(), PAIRS),
        ([("child", "parent"), *pairs()], HEADER + PAIRS),
        ([("parent", "child"), *(pair[::-1] for pair in pairs())], HEADER + PAIRS),
    ],
)
def test_each_form_is_the_same_tree(content: list[tuple[str, ...]], notes: tuple[str, ...], mark: str) -> None:
    tree = read_hierarchy(written(content, mark), column="age")
    assert (tree, tree.notes) == (TREE, notes)


def test_separators_within_quotes_and_a_line_that_names_the_separator() -> None:
    assert read_hierarchy(quoted(",")).levels()[0] == ("20", "[20; 21[", "[20; 23[", "*")
    assert read_hierarchy(quoted(",")) == read_hierarchy(quoted(";")) == read_hierarchy(quoted("\t"))
    assert read_hierarchy(b"sep=;\n" + written(ROWS)) == TREE
    assert read_hierarchy(written(ROWS).decode().encode("utf-16")) == TREE
    assert read_hierarchy("Köln;NRW\nBonn;NRW\n".encode("latin-1")).leaf_labels == ("Köln", "Bonn")


def test_a_first_line_that_may_be_a_value_is_never_dropped_without_a_word() -> None:
    """A tree that lacks a value of the table is refused; one whose first line stays has all of them."""
    assert read_hierarchy(b"flu;lung\ngout;joint\ncold;lung\n", column="dx").leaf_labels == ("flu", "cold", "gout")
    two = [("NA", "unknown"), ("20", "*"), ("21", "*")]
    tree = read_hierarchy(written(two))
    assert (tree.leaf_labels, tree.notes) == (("20", "21"), HEADER)
    frame = pd.DataFrame({"age": ["NA", "20", "21"], "dx": ["flu", "flu", "gout"]})
    schema = Schema(["age"], "dx", taxonomies={"age": tree})
    assert "lacks 1 of its 3 values" in message_of(lambda: encode(Table.from_frame(frame), schema), TaxonomyError)


@given(st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_a_list_of_pairs_in_any_order_is_its_tree(nodes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    parent_of = {f"n{node}": f"n{rng.integers(node)}" for node in range(1, nodes)}
    lines = [f"{child},{parent}\n" for child, parent in parent_of.items()]
    tree = read_hierarchy("".join(rng.permutation(lines)).encode())
    if not set(parent_of) & set(parent_of.values()):
        return  # one level: a file of levels
    labels = tree.labels
    assert {labels[i]: labels[p] for i, p in enumerate(tree.parents) if p >= 0} == parent_of


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,b\nb,c\nc,a\n", "form a circle"),
        (b"a,b\nb,c\nx,y\ny,x\n", "form a circle"),
        (b"a,b\na,c\nb,c\nd,c\n", "a different parent"),
        (b"a;b;c\nd;e\n", "Row 2 of the hierarchy has 2 levels but row 1 has 3"),
    ],
)
def test_what_is_no_tree_is_refused(content: bytes, said: str) -> None:
    message = message_of(lambda: read_hierarchy(content), TaxonomyError)
    assert said in message


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (written(ROWS, ":"), "Its lines were not separated"),
        (written([(str(i), *row) for i, row in enumerate(ROWS)]), "Its first column numbers the lines"),
        (written([(f"{row[0]}.0", *row[1:]) for row in ROWS]), "It writes numbers in another form"),
        (written([(f"0{row[0]}", *row[1:]) for row in ROWS]), "It writes numbers in another form"),
    ],
)
def test_a_tree_without_any_value_of_the_column_names_the_cause(rows: bytes, said: str) -> None:
    frame = pd.DataFrame({"age": [row[0] for row in ROWS], "dx": ["flu", "gout"] * 4})
    schema = Schema(["age"], "dx", taxonomies={"age": read_hierarchy(rows, column="age")})
    message = message_of(lambda: encode(Table.from_frame(frame), schema), TaxonomyError)
    assert f"The taxonomy of 'age' holds none of its values. {said}" in message
    letters = Schema(["dx"], "age", taxonomies={"dx": Taxonomy.flat(["Flu", "Gout"])})
    assert "another letter case" in message_of(lambda: encode(Table.from_frame(frame), letters), TaxonomyError)


# ---- other forms -----------------------------------------------------------------------


def nested(tree: Taxonomy, node: int = 0) -> dict[str, Any]:
    below = [child for child, parent in enumerate(tree.parents) if parent == node]
    return {tree.labels[child]: nested(tree, child) for child in below}


def with_lists(tree: dict[str, Any]) -> Any:
    return list(tree) if not any(tree.values()) else {label: with_lists(below) for label, below in tree.items()}


def amnesia(tree: Taxonomy) -> str:
    has = {tree.labels[node]: list(nested(tree, node)) for node in reversed(range(len(tree.labels)))}
    lines = [f"{label} has {' '.join(below)} \n" for label, below in has.items() if below]
    return "distinct\nname age\ntype int\nheight 4\n\n" + "\n".join(lines) + "\n"


JSON_NOTE = ("The file was read as a tree in JSON.",)
OTHER_FORMS: dict[str, tuple[Callable[[Taxonomy], str], tuple[str, ...]]] = {
    "objects": (lambda tree: json.dumps(nested(tree)), JSON_NOTE),
    "objects under the root": (lambda tree: json.dumps({"*": nested(tree)}), JSON_NOTE),
    "objects and lists": (lambda tree: json.dumps(with_lists(nested(tree))), JSON_NOTE),
    "Amnesia": (amnesia, ("The file was read as a hierarchy of Amnesia.",)),
    "comments": (
        lambda tree: "# made by hand\n# twice\n" + written(tree.levels()).decode(),
        ("2 lines of comments were left out.",),
    ),
    "numbers of rows": (
        lambda tree: (
            ",age,level1,level2,level3\n" + "".join(f"{n},{','.join(row)}\n" for n, row in enumerate(tree.levels()))
        ),
        ("The first column, which has no name, was left out.", *HEADER),
    ),
}


@pytest.mark.parametrize("form", OTHER_FORMS)
@given(leaves=st.integers(3, 12), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_other_forms_are_the_same_tree(form: str, leaves: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    halves = rng.permutation([0, 1, *rng.integers(0, 2, leaves - 2)])
    tree = Taxonomy.from_levels(
        [(str(20 + n), f"{half}{n % 2}", f"half {half}".replace(" ", "-"), "*") for n, half in enumerate(halves)]
    )
    write, notes = OTHER_FORMS[form]
    read = read_hierarchy(write(tree).encode(), column="age")
    assert (sorted(read.levels()), read.notes) == (sorted(tree.levels()), notes)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("range\nname age\ntype int\nheight 2\n\n0,100 has 0,50 50,100\n", "ends in ranges and holds no values"),
        ('{"a": 1}', "is no tree of labels"),
        ("[]", "is no tree of labels"),
        ('{"flu":"resp","cold":"resp","flu":"inf"}', "is no tree of labels"),
        ('{"resp":{"flu":{}},"resp":{"cold":{}}}', "is no tree of labels"),
        ('[{"name":"a","children":["b"]},{"name":"a","children":["c"]}]', "is no tree of labels"),
        ('[{"value":"flu","level1":"resp"},{"value":"gout","level1":"joint"}]', "is no tree of labels"),
        ('[{"id":"flu","parent":"resp"}]', "is no tree of labels"),
        ("[" * 5000 + "]" * 5000, "is no tree of labels"),
        ('{"flu": "resp", "gout": "joint"}', "is no tree of labels"),
        ('{"name": "*", "children": [{"name": "flu"}]}', "is no tree of labels"),
        ("a\n  b\n  c\nd\n  e\n", "are indented"),
        ("a\n\tb\n\tc\n", "levels but row 1 has"),
    ],
)
def test_what_is_no_tree_in_another_form_is_refused(content: str, said: str) -> None:
    assert said in message_of(lambda: read_hierarchy(content.encode()), TaxonomyError)


def test_values_that_begin_with_brackets_or_spaces_are_levels() -> None:
    rows = [("[0-5)", "[0-10)"), ("[5-10)", "[0-10)"), ("{10}", "[10-20)")]
    assert read_hierarchy(written(rows)).leaf_labels == tuple(row[0] for row in rows)
    assert read_hierarchy(b"10,10-19,*\n 5,0-9,*\n").leaf_labels == ("10", "5")


def test_empty_cells_that_a_spreadsheet_pads_with_repeat_the_level_below() -> None:
    tree = read_hierarchy(b"flu;resp;*\ncold;resp;*\nhiv;;*\nburn;;*\n")
    assert {row[0]: row[1] for row in tree.levels()} == {"flu": "resp", "cold": "resp", "hiv": "hiv", "burn": "burn"}
    assert tree.notes == ("Empty cells were read as the level below them.",)

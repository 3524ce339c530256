"""Generalised cells: each form by hand, and random ones whose meaning is known from how they were made."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.domain import Domain
from core.data.schema import Kind
from core.data.taxonomy import Taxonomy
from core.release.published.cell_reader import Reader
from core.release.published.containment import inside
from core.release.published.published import Attribute
from core.release.published.region import ALL, Region
from tests.reference import cells as twin

NUMBER = Reader("q", Kind.NUMERIC)
SCHOOL = ("none", "primary", "upper-secondary", "college", "20-30")
ORDER = Reader("q", Kind.ORDINAL, SCHOOL)
TREE = Taxonomy.from_nested({"Europe": ["Italy", "Poland"], "Asia": {"East": ["Japan", "Korea"]}})
LEAVES = {
    "*": ["Italy", "Poland", "Japan", "Korea"],
    "Europe": ["Italy", "Poland"],
    "Asia": ["Japan", "Korea"],
    "East": ["Japan", "Korea"],
    "Italy": ["Italy"],
    "Poland": ["Poland"],
    "Japan": ["Japan"],
    "Korea": ["Korea"],
}
PLACE = Reader("q", Kind.TAXONOMY, TREE.leaf_labels, TREE)
WORD = Reader("q", Kind.CATEGORICAL)


def fits(reader: Reader, cell: str, values: Sequence[str]) -> list[str]:
    """Values that a cell may stand for; "" is a missing one."""
    region = reader.read(cell)
    assert region is not None, cell
    part = Attribute(reader, (region,), (cell,), np.zeros(1, dtype=np.int64))
    return [value for value, hit in zip(values, inside(part, list(values))[:, 0], strict=True) if hit]


# ---- numbers ----------------------------------------------------------------------------

TESTED = ["-30", "-3", "3", "19.9", "20", "20.5", "25", "30", "30.5", "39", "40", "300", ""]


@pytest.mark.parametrize(
    ("cell", "low", "high"),
    [
        ("[20-30]", 20, 30),
        ("20-30", 20, 30),
        ("[20, 30]", 20, 30),
        ("[20,30]", 20, 30),
        (" [ 20 - 30 ] ", 20, 30),
        ("[20 .. 30]", 20, 30),
        ("20..30", 20, 30),
        ("20 – 30", 20, 30),
        ("20 to 30", 20, 30),
        ("[20;30]", 20, 30),
        ("(20,30]", 20.1, 30),
        ("]20,30]", 20.1, 30),
        ("[20,30[", 20, 29.9),
        ("[20, 30)", 20, 29.9),
        ("(20.0, 30.0)", 20.1, 29.9),
        ("(2e1,3.0E1]", 20.1, 30),
        ("[-30, -3]", -30, -3),
        ("-30--3", -30, -3),
        ("[-30-20]", -30, 20),
        ("(-inf, 20]", -999, 20),
        ("[30, inf)", 30, 999),
        ("(-∞;∞)", -999, 999),
        ("<30", -999, 29.9),
        ("< 30", -999, 29.9),
        ("<=30", -999, 30),
        ("≤30", -999, 30),
        (">30", 30.1, 999),
        (">=30", 30, 999),
        ("≥ 30", 30, 999),
        ("30+", 30, 999),
        (">-3", -2.9, 999),
        ("3*", 30, 39.9),
        ("30*", 300, 309),
        ("-3*", -39.9, -30),
        ("2*", 20, 29.9),
        ("25", 25, 25),
        ("25.0", 25, 25),
        ("+25", 25, 25),
        ("-3", -3, -3),
        ("2.5e1", 25, 25),
        ("'-3", -3, -3),
        ("'-30 - -3", -30, -3),
    ],
)
def test_numbers(cell: str, low: float, high: float) -> None:
    assert fits(NUMBER, cell, TESTED) == [x for x in TESTED if x and low <= float(x) <= high]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("*", TESTED),
        ("***", TESTED),
        ("(missing)", [""]),
        ("", [""]),
        ("[20-25] or (missing)", ["20", "20.5", "25", ""]),
        ("3 or (missing)", ["3", ""]),
        ("{3, 25, 999}", ["3", "25"]),
        ("{3, [20-30)}", ["3", "20", "20.5", "25"]),
        ("{-3}", ["-3"]),
        ("*0", ["20", "30", "40"]),
        ("*0*", ["300"]),
        ("{*}", TESTED),
        ("{3, (missing)}", ["3", ""]),
    ],
)
def test_other_cells_of_numbers(cell: str, expected: list[str]) -> None:
    if cell == "*0*":
        assert fits(NUMBER, cell, ["300", "101", "10", "110"]) == ["300", "101"]
    else:
        assert fits(NUMBER, cell, TESTED) == expected


@pytest.mark.parametrize(
    "cell",
    [
        "old",
        "20-",
        "-",
        "[20-30",
        "20-30]",
        "[30-20]",
        "(20,20]",
        "[20]",
        "20 30",
        "1,5",
        "<",
        "<old",
        ">=",
        "inf",
        "[a-b]",
        "{}",
        "{20,}",
        "{20, old}",
        "20 or",
        " or (missing)",
        "3*.5",
        "(missing",
        "nan",
        "1e999",
        "[1,2,3]",
        '"20"',
        "20-30-40",
        "**+",
        "[" * 5000,
    ],
)
def test_what_is_no_number_is_not_guessed(cell: str) -> None:
    assert NUMBER.read(cell) is None


def test_decimal_comma() -> None:
    german = Reader("q", Kind.NUMERIC, decimal=",")
    assert german.read("[1,5-2,5]") == german.read("1,5-2,5") == german.read("[1,5; 2,5]") == german.read("[1,5, 2,5]")
    assert german.read("1,5") == Region(ranges=frozenset({(1.5, 1.5)}))
    assert german.read("[1,2]") == Region(ranges=frozenset({(1.0, 2.0)}))
    assert german.read("[1,2,3]") is None, "1,2 to 3 or 1 to 2,3"


# ---- orders, trees, labels --------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("primary", ["primary"]),
        ("[none .. upper-secondary]", ["none", "primary", "upper-secondary"]),
        ("primary-upper-secondary", ["primary", "upper-secondary"]),
        ("[upper-secondary-college]", ["upper-secondary", "college"]),
        ("(none, college]", ["primary", "upper-secondary", "college"]),
        ("<primary", ["none"]),
        ("≤ primary", ["none", "primary"]),
        (">=college", ["college", "20-30"]),
        ("{none, college}", ["none", "college"]),
        ("20-30", ["20-30"]),
        ('["20-30" .. "20-30"]', ["20-30"]),
        ("college or (missing)", ["college", ""]),
        ("*", [*SCHOOL, ""]),
        ("(missing)", [""]),
        ("n***", ["none"]),
        ("2*-30", ["20-30"]),
        ("z***", []),
    ],
)
def test_orders(cell: str, expected: list[str]) -> None:
    assert fits(ORDER, cell, [*SCHOOL, ""]) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("Italy", "Italy"),
        ("Europe", "Italy Poland"),
        ("Asia", "Japan Korea"),
        ("East", "Japan Korea"),
        ("{Europe, Japan}", "Italy Poland Japan"),
        ('{"Italy"}', "Italy"),
        ("J****", "Japan"),
        ("****a", "Korea"),
        ("X*", ""),
        ("Europe or (missing)", "Italy Poland <missing>"),
        ("*", "Italy Poland Japan Korea <missing>"),
    ],
)
def test_trees(cell: str, expected: str) -> None:
    found = fits(PLACE, cell, [*TREE.leaf_labels, ""])
    assert " ".join(found and [value or "<missing>" for value in found]) == expected


@pytest.mark.parametrize("reader", [ORDER, PLACE])
@pytest.mark.parametrize("cell", ["Atlantis", "{Italy, Atlantis}", "[Italy .. ", "<Atlantis", "3", "[1-2]", '"'])
def test_labels_that_nobody_declared_are_not_guessed(reader: Reader, cell: str) -> None:
    assert reader.read(cell) is None


def test_ages_of_a_tree_and_of_an_order_also_read_ranges() -> None:
    ages = Taxonomy.from_levels([(str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}") for age in range(18, 45)])
    tree = Reader("age", Kind.TAXONOMY, ages.leaf_labels, ages)
    everybody = [str(age) for age in range(18, 45)]
    assert fits(tree, "30-39", everybody) == everybody[12:22], "a node"
    assert fits(tree, "[25-33]", everybody) == everybody[7:16]
    assert fits(tree, "<20", everybody) == everybody[:2]
    assert fits(tree, "≥40", everybody) == everybody[22:]
    assert fits(tree, "[50-60]", everybody) == []
    codes = Reader("code", Kind.ORDINAL, ("1", "2", "3", "10"))
    assert fits(codes, "[2-10]", ["1", "2", "3", "10"]) == ["2", "3", "10"]
    assert fits(codes, "[2-5]", ["1", "2", "3", "10"]) == ["2", "3"]


@pytest.mark.parametrize(
    ("cell", "values", "expected"),
    [
        ("130**", "13012 13099 1301 130123 14012 130**", "13012 13099 130**"),
        ("1****", "13012 23012", "13012"),
        ("*3012", "13012 13013", "13012"),
        ("021**", "02101 2101", "02101"),
        ("{A, B}", "A B C", "A B"),
        ("A", "A a", "A"),
        ("<30", "<30 29 30", "<30 29"),
        ("20-30", "20-30 25 35", "20-30 25"),
        ("A-B", "A-B A B", "A-B"),
        ("[1-4]", "0 1 4 5 x", "1 4"),
        ('"*"', "* A", "*"),
        ('"a, b"', "a,b x", ""),
        ("{A*, C}", "AA AB BA C", "AA AB C"),
        ("'=x", "=x '=x x", "=x '=x"),
        ('{"*", x}', "* x y", "* x"),
        ("(other)", "(other) other", "(other)"),
        ("≥", "≥ x", "≥"),
    ],
)
def test_labels(cell: str, values: str, expected: str) -> None:
    assert fits(WORD, cell, values.split()) == expected.split()


@pytest.mark.parametrize("cell", ["{A", "A}", "{}", "{A,}", '{"A}', '{"A" B}'])
def test_a_set_that_does_not_close_is_no_label(cell: str) -> None:
    assert WORD.read(cell) is None


NASTY = ("<30", "20-30", "A-B", "{A, B}", "A", "B", "*", "(missing)", "A or (missing)", '"A"', "130**", "'=1", "=1")


@pytest.mark.parametrize("label", [label for label in NASTY if label != "*"])
@pytest.mark.parametrize("kind", [Kind.CATEGORICAL, Kind.ORDINAL])
def test_a_label_of_mine_stands_for_itself_first(label: str, kind: Kind) -> None:
    """Another reading counts too only where this program could have written it."""
    both = {"{A, B}": {"A", "B"}, '"A"': {"A"}, "A or (missing)": {"A", ""}, "'=1": {"=1"}}
    found = fits(
        Reader("q", kind, NASTY), label, [*NASTY, "25", "13012", ""] if kind is Kind.CATEGORICAL else [*NASTY, ""]
    )
    assert set(found) == {label} | both.get(label, set())


def test_a_star_is_everything_unless_the_tree_says_otherwise() -> None:
    assert Reader("q", Kind.CATEGORICAL, NASTY).read("*") == ALL
    tree = Taxonomy.from_nested({"*": {}, "x": {}}, root="all")
    reader = Reader("q", Kind.TAXONOMY, tree.leaf_labels, tree)
    assert fits(reader, "*", ["*", "x", ""]) == ["*"]
    assert fits(reader, "all", ["*", "x", ""]) == ["*", "x", ""]


def test_missing_tokens_and_the_mark_of_my_own_domain() -> None:
    reader = Reader("q", Kind.CATEGORICAL, ("(missing)", "x"), absent=frozenset({"", "?"}))
    assert fits(reader, "?", ["(missing)", "x", "", "?"]) == ["", "?"]
    assert fits(reader, "((missing))", ["(missing)", "x", ""]) == [""]
    assert fits(reader, "(missing)", ["(missing)", "x", ""]) == ["(missing)"]
    domain = Domain("q", Kind.CATEGORICAL, ("x", "y", "gone"), missing=2)
    assert Reader.of(domain).read("gone") == Region(missing=True)
    assert Reader.of(domain).labels == ("x", "y")


def test_long_cells_take_no_time() -> None:
    many = "{" + ", ".join(f"label {i}" for i in range(50_000)) + "}"
    assert len(WORD.read(many).labels) == 50_000  # type: ignore[union-attr]
    assert ORDER.read("[" + "-" * 100_000 + "]") is None
    assert NUMBER.read("{" + " " * 100_000 + "}") is None


# ---- against cells whose meaning is known ------------------------------------------------


@settings(max_examples=400)
@given(st.randoms(use_true_random=False), st.booleans())
def test_numbers_mean_what_they_were_made_for(rng: random.Random, signed: bool) -> None:
    values = list(range(-99 if signed else 0, 100))
    cell = twin.number(rng, values)
    texts = [*map(str, values), ""]
    assert fits(NUMBER, cell.text, texts) == [text for text in texts if cell.holds(int(text) if text else None)]


LABELS = ("ab", "ac", "bb", "b-c", "c d", "x,y", "é", "ü{")


@settings(max_examples=300)
@given(st.randoms(use_true_random=False), st.booleans())
def test_labels_mean_what_they_were_made_for(rng: random.Random, known: bool) -> None:
    plain = [label for label in LABELS if "," not in label and "{" not in label]
    cell = twin.category(rng, plain)
    reader = Reader("q", Kind.CATEGORICAL, LABELS if known else ())
    assert fits(reader, cell.text, [*LABELS, ""]) == [x for x in [*LABELS, ""] if cell.holds(x or None)]


@settings(max_examples=300)
@given(st.randoms(use_true_random=False), st.permutations(["ab", "ac", "bb", "b-c", "c d", "é"]))
def test_orders_mean_what_they_were_made_for(rng: random.Random, labels: list[str]) -> None:
    cell = twin.order(rng, labels)
    reader = Reader("q", Kind.ORDINAL, tuple(labels))
    assert fits(reader, cell.text, [*labels, ""]) == [x for x in [*labels, ""] if cell.holds(x or None)]


@settings(max_examples=200)
@given(st.randoms(use_true_random=False))
def test_trees_mean_what_they_were_made_for(rng: random.Random) -> None:
    cell = twin.node(rng, LEAVES)
    texts = [*TREE.leaf_labels, ""]
    assert fits(PLACE, cell.text, texts) == [x for x in texts if cell.holds(x or None)]

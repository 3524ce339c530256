"""Generalised cells and bands: each form by hand, random ones whose meaning is known from how they were made."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table, Taxonomy, intersection_attack
from core.algorithms import partition
from core.data.encoding.domain import Domain, with_missing
from core.data.encoding.encoded import encode
from core.data.schemas.bands import Bands, band
from core.data.schemas.schema import ColumnType
from core.release.published.cell_reader import Reader
from core.release.published.containment import bits, inside
from core.release.published.published import Attribute
from core.release.published.region import ALL, Region
from core.release.region_text import region_text
from core.study.uploads import Upload, open_upload
from tests.reference import cells as twin

NUMBER = Reader("q", ColumnType.NUMERIC)
SCHOOL = ("none", "primary", "upper-secondary", "college", "20-30")
ORDER = Reader("q", ColumnType.ORDINAL, SCHOOL)
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
PLACE = Reader("q", ColumnType.TAXONOMY, TREE.leaf_labels, TREE)
WORD = Reader("q", ColumnType.CATEGORICAL)


def fits(reader: Reader, cell: str, values: Sequence[str]) -> list[str]:
    """Values that a cell may stand for; "" is a missing one."""
    region = reader.read(cell)
    assert region is not None, cell
    part = Attribute(reader, (region,), (cell,), np.zeros(1, dtype=np.int64))
    hits = inside(part, list(values))[:, 0]
    assert (bits(part, list(values))[:, 0] == hits).all(), "two ways to ask the same"
    return [value for value, hit in zip(values, hits, strict=True) if hit]


# ---- numbers ----------------------------------------------------------------------------

TESTED = ["-30", "-3", "3", "10", "19.9", "20", "20.5", "25", "30", "30.5", "39", "40", "101", "300", ""]


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
        ("*0", ["10", "20", "30", "40"]),
        ("*0*", ["101", "300"]),
        ("{*}", TESTED),
        ("{3, (missing)}", ["3", ""]),
    ],
)
def test_other_cells_of_numbers(cell: str, expected: list[str]) -> None:
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
    german = Reader("q", ColumnType.NUMERIC, decimal=",")
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


AGES = Taxonomy.from_levels([(str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}") for age in range(18, 45)])


@pytest.mark.parametrize(
    ("cell", "low", "high"),
    [("30-39", 30, 39), ("[25-33]", 25, 33), ("<20", 0, 19), ("≥40", 40, 99), ("[50-60]", 50, 60)],
)
def test_ages_of_a_tree_also_read_ranges(cell: str, low: int, high: int) -> None:
    reader = Reader("age", ColumnType.TAXONOMY, AGES.leaf_labels, AGES)
    assert fits(reader, cell, AGES.leaf_labels) == [age for age in AGES.leaf_labels if low <= int(age) <= high]


def test_codes_of_an_order_also_read_ranges() -> None:
    codes = Reader("code", ColumnType.ORDINAL, ("1", "2", "3", "10"))
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
        ("['A*', 'C']", "AA AB BA C", "AA AB C"),
        ("'=x", "=x '=x x", "=x '=x"),
        ('{"*", x}', "* x y", "* x"),
        ("(other)", "(other) other", "(other)"),
        ("≥", "≥ x", "≥"),
    ],
)
def test_labels(cell: str, values: str, expected: str) -> None:
    assert fits(WORD, cell, values.split()) == expected.split()


@pytest.mark.parametrize(
    ("cell", "labels"),
    [("ab/zz", {"ab", "zz"}), ("yy/zz", {"yy/zz"}), ("{ab/zz}", {"ab", "zz"}), ("{ab; ac}", {"ab", "ac"})],
)
def test_a_known_separator_parts_what_has_a_value_of_mine_alone(cell: str, labels: set[str]) -> None:
    reader = Reader("q", ColumnType.CATEGORICAL, ("ab", "ac"), separators=frozenset("/"))
    assert reader.read(cell) == Region(labels=frozenset(labels))


@pytest.mark.parametrize("cell", ["{A", "A}", "{}", "{A,}", '{"A}', '{"A" B}'])
def test_a_set_that_does_not_close_is_no_label(cell: str) -> None:
    assert WORD.read(cell) is None


NASTY = ("<30", "20-30", "A-B", "{A, B}", "A", "B", "*", "(missing)", "A or (missing)", '"A"', "130**", "'=1", "=1")


@pytest.mark.parametrize("label", [label for label in NASTY if label != "*"])
@pytest.mark.parametrize("column_type", [ColumnType.CATEGORICAL, ColumnType.ORDINAL])
def test_a_label_of_mine_stands_for_itself_first(label: str, column_type: ColumnType) -> None:
    """Another reading counts too only where this program could have written it."""
    both = {"{A, B}": {"A", "B"}, '"A"': {"A"}, "A or (missing)": {"A", ""}, "'=1": {"=1"}}
    found = fits(
        Reader("q", column_type, NASTY),
        label,
        [*NASTY, "25", "13012", ""] if column_type is ColumnType.CATEGORICAL else [*NASTY, ""],
    )
    assert set(found) == {label} | both.get(label, set())


def test_a_star_is_everything_unless_the_tree_says_otherwise() -> None:
    assert Reader("q", ColumnType.CATEGORICAL, NASTY).read("*") == ALL
    tree = Taxonomy.from_nested({"*": {}, "x": {}}, root="all")
    reader = Reader("q", ColumnType.TAXONOMY, tree.leaf_labels, tree)
    assert fits(reader, "*", ["*", "x", ""]) == ["*"]
    assert fits(reader, "all", ["*", "x", ""]) == ["*", "x", ""]


def test_missing_tokens_and_the_mark_of_my_own_domain() -> None:
    reader = Reader("q", ColumnType.CATEGORICAL, ("(missing)", "x"), absent=frozenset({"", "?"}))
    assert fits(reader, "?", ["(missing)", "x", "", "?"]) == ["", "?"]
    assert fits(reader, "((missing))", ["(missing)", "x", ""]) == [""]
    assert fits(reader, "(missing)", ["(missing)", "x", ""]) == ["(missing)"]
    domain = Domain("q", ColumnType.CATEGORICAL, ("x", "y", "gone"), missing=2)
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


SPELT = ("ab", "ac", "bb", "b-c", "c d", "x,y", "é", "ü{")


@settings(max_examples=300)
@given(st.randoms(use_true_random=False), st.booleans())
def test_labels_mean_what_they_were_made_for(rng: random.Random, known: bool) -> None:
    plain = [label for label in SPELT if "," not in label and "{" not in label]
    cell = twin.category(rng, plain)
    reader = Reader("q", ColumnType.CATEGORICAL, SPELT if known else ())
    assert fits(reader, cell.text, [*SPELT, ""]) == [x for x in [*SPELT, ""] if cell.holds(x or None)]


@settings(max_examples=300)
@given(st.randoms(use_true_random=False), st.permutations(["ab", "ac", "bb", "b-c", "c d", "é"]))
def test_orders_mean_what_they_were_made_for(rng: random.Random, labels: list[str]) -> None:
    cell = twin.order(rng, labels)
    reader = Reader("q", ColumnType.ORDINAL, tuple(labels))
    assert fits(reader, cell.text, [*labels, ""]) == [x for x in [*labels, ""] if cell.holds(x or None)]


@settings(max_examples=200)
@given(st.randoms(use_true_random=False))
def test_trees_mean_what_they_were_made_for(rng: random.Random) -> None:
    cell = twin.node(rng, LEAVES)
    texts = [*TREE.leaf_labels, ""]
    assert fits(PLACE, cell.text, texts) == [x for x in texts if cell.holds(x or None)]


# ---- bands: read, put in order, published as one, matched with another publisher's -------------

OPEN = tuple(f"[{low}-{low + 10})" for low in range(0, 90, 10))


def column(bands: tuple[str, ...], rows: int = 180, seed: int = 1) -> Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"age": rng.choice(bands, rows), "sex": rng.choice(["f", "m"], rows), "ill": rng.choice(list("abcdef"), rows)}
    )
    return Table.from_frame(frame)


SCHEMA = Schema(("age", "sex"), "ill")


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("[0-10)", (0, math.nextafter(10, 0))),
        ("(20,30]", (math.nextafter(20, 30), 30)),
        ("[20, 30[", (20, math.nextafter(30, 0))),
        ("]20; 30]", (math.nextafter(20, 30), 30)),
        ("0-9", (0, 9)),
        ("0 – 9", (0, 9)),
        ("0 to 9", (0, 9)),
        ("[5 .. 7]", (5, 7)),
        ("12", (12, 12)),
        ("65+", (65, math.inf)),
        (">=65", (65, math.inf)),
        ("≥ 65", (65, math.inf)),
        ("<5", (-math.inf, math.nextafter(5, 0))),
        ("<= 5", (-math.inf, 5)),
        ("[-10, -5)", (-10, math.nextafter(-5, -9))),
        ("young", None),
        ("A-B", None),
        ("01-05", None),
        ("10-05", None),
        ("", None),
        ("5*", None),
        ("[5", None),
        ("nan-5", None),
        ("1" * 70, None),
    ],
)
def test_a_band_is_an_interval(text: str, span: tuple[float, float] | None) -> None:
    assert band(text) == span


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [
        (("[40-60)", "[0-10)", "[10-20)"), ("[0-10)", "[10-20)", "[40-60)")),  # a gap
        (("(30,40]", "(20,30]"), ("(20,30]", "(30,40]")),
        (("10-19", "100+", "20-99", "0-9"), ("0-9", "10-19", "20-99", "100+")),
        (("65+", "<5", "5-17", "18-64"), ("<5", "5-17", "18-64", "65+")),
        (("3+", "0", "2", "1"), ("0", "1", "2", "3+")),
        (("[10-20)", "<5", "5-9", "20+"), ("<5", "5-9", "[10-20)", "20+")),  # mixed
        (("40-50", "50-60"), None),  # both hold 50
        (("0-20", "10-30"), None),
        (("<5", "<10"), None),
        (("0-9", "unknown"), None),
        (("1", "2", "3"), None),  # numbers
        (("01-05", "06-10"), None),  # codes
        (("0-9",), None),
    ],
)
def test_bands_lie_in_the_order_of_their_numbers(labels: tuple[str, ...], ordered: tuple[str, ...] | None) -> None:
    found = Bands.of(labels)
    assert (None if found is None else found.labels) == ordered
    encoded = encode(column(labels), SCHEMA)
    if ordered is not None:
        assert encoded.qids[0].column_type is ColumnType.ORDINAL
        assert encoded.qids[0].labels == ordered


@pytest.mark.parametrize(
    ("labels", "first", "last", "text"),
    [
        (("[0-10)", "[10-20)", "[20-30)"), 1, 2, "[10-30)"),
        (("[0-10)", "[10-20)", "[20-30)"), 1, 1, "[10-20)"),
        (("(20,30]", "(30,40]", "(40,50]"), 0, 1, "(20,40]"),
        (("0-9", "10-19", "20-29"), 0, 1, "0-19"),
        (("0-9", "20-29", "40-49"), 0, 1, "0-29"),
        (("5-17", "18-64", "65+"), 1, 2, "18+"),
        (("<5", "5-17", "18-64"), 0, 1, "<=17"),
        (("<5", "[5-18)", "[18-65)"), 0, 1, "<18"),
        (("<5", "5-64", "65+"), 0, 2, "[<5 .. 65+]"),
        (("0", "1", "2", "3+"), 0, 1, "0-1"),
        (("0", "1", "2", "3+"), 2, 3, "2+"),
        (("5-9", "[10-20)", "20+"), 0, 1, "[5-20)"),
        (("[-10, -5)", "[-5, 0)", "[0, 5)"), 0, 1, "[-10,0)"),
    ],
)
def test_neighbours_are_published_as_one_interval(labels: tuple[str, ...], first: int, last: int, text: str) -> None:
    domain = Domain("age", ColumnType.ORDINAL, labels)
    shown = region_text(domain, first, last)
    assert shown.replace('"', "") == text
    assert said(domain, shown) == set(range(first, last + 1))


def said(domain: Domain, text: str) -> set[int]:
    """Codes whose values a published text may stand for, as an adversary finds them."""
    values = ["" if code == domain.missing else label for code, label in enumerate(domain.labels)]
    return {values.index(value) for value in fits(Reader.of(domain), text, values)}


def test_another_publishers_wider_bands_are_understood() -> None:
    """Their [40-60) holds everybody of my [40-50); [45-65) may hold him; [50-60) does not."""
    encoded = encode(column(OPEN), SCHEMA)
    domain = encoded.qids[0]
    place = {label: code for code, label in enumerate(domain.labels)}
    for theirs, mine in {
        "[40-60)": {"[40-50)", "[50-60)"},
        "(40,50]": {"[40-50)", "[50-60)"},  # 50 is in my [50-60)
        "[45-65)": {"[40-50)", "[50-60)", "[60-70)"},
        "40-49": {"[40-50)"},
        "45": {"[40-50)"},
        "80+": {"[80-90)"},
        "<=10": {"[0-10)", "[10-20)"},
        "<10": {"[0-10)"},
        "4*": {"[40-50)"},
        "{[0-10), [80-90)}": {"[0-10)", "[80-90)"},
        "*": set(OPEN),
        "200-300": set(),
    }.items():
        assert said(domain, theirs) == {place[label] for label in mine}, theirs


def test_my_numbers_and_their_bands_and_the_other_way_round() -> None:
    """A release of theirs with bands of its own, or with ages, against mine with the other."""
    rng = np.random.default_rng(4)
    ages = rng.integers(0, 90, 150)
    wide = [f"[{a // 30 * 30}-{a // 30 * 30 + 30})" for a in ages]
    narrow = [OPEN[a // 10] for a in ages]
    rest = {"sex": rng.choice(["f", "m"], 150), "ill": rng.choice(list("abcd"), 150)}
    tables = {
        name: Table.from_frame(pd.DataFrame({"age": values, **rest}))
        for name, values in {"ages": ages, "wide": wide, "narrow": narrow}.items()
    }
    same = tuple((name, name) for name in ("age", "sex", "ill"))
    for mine in tables.values():
        for theirs in tables.values():
            release = Table.from_frame(partition(encode(theirs, SCHEMA), Policy(3)).publish(seed=1))
            foreign = open_upload(Upload(release.content_id, same), release, mine, SCHEMA)
            releases = [partition(encode(mine, SCHEMA), Policy(3)), foreign.published]
            result = intersection_attack(releases, [range(150), None], "published")
            assert result.true_value_left.all(), "the same people: nobody is left out of the class he is in"
            assert result.unlocated.tolist() == [0, 0]


# ---- publish, then parse, is the identity ---------------------------------------------------

MARKS = st.sampled_from(
    [
        *"{}[]()\"'*<>≤≥=+-@,;:.…–\\",
        "..",
        " .. ",
        " or ",
        "or (missing)",
        "(missing)",
        " or (missing)",
        " ",
        "\t",
        "\n",
        "a",
        "b",
        "A",
        "10",
        "20",
        "3",
        "1",
        "{A, B}",
        "[a .. b]",
        '"a"',
        "'=a",
        "=a",
        "**",
        "\u00a0",
        "\u202e",
        "é",
    ]
)
ALIKE = ["a", "b", "a, b", "{a, b}", "[a .. b]", "a ..", ".. b", "a .. b", "b or (missing)", "(missing)", '"b"', "*"]
LABEL = st.sampled_from(ALIKE) | st.lists(MARKS, min_size=1, max_size=5).map("".join)
LABELS = st.lists(LABEL, min_size=1, max_size=7, unique=True)


def domain_of(column_type: ColumnType, labels: list[str], missing: bool) -> Domain:
    tree = None
    if column_type is ColumnType.TAXONOMY:
        root = "root"
        while root in labels:
            root += "!"
        tree = Taxonomy([root, *labels], [-1, *[0] * len(labels)])
        labels = list(tree.leaf_labels)
    elif column_type is ColumnType.CATEGORICAL:
        labels = sorted(labels)
    found = Domain("age", column_type, tuple(labels), None, tree)
    return with_missing(found) if missing else found


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from([ColumnType.CATEGORICAL, ColumnType.ORDINAL, ColumnType.TAXONOMY]), LABELS, st.booleans(), st.data()
)
def test_what_is_published_reads_back(
    column_type: ColumnType, labels: list[str], missing: bool, data: st.DataObject
) -> None:
    domain = domain_of(column_type, labels, missing)
    low = data.draw(st.integers(0, domain.size - 1))
    high = data.draw(st.integers(low, domain.size - 1))
    text = region_text(domain, low, high)
    ends = (np.array([low]), np.array([high]))
    first, last = (int(end[0]) for end in domain.cover(*ends))
    assert said(domain, text) == set(range(first, last + 1)), text


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(-50, 120), min_size=2, max_size=8, unique=True),
    st.sampled_from("[("),
    st.booleans(),
    st.data(),
)
def test_bands_of_every_form_read_back(cuts: list[int], bracket: str, ends: bool, data: st.DataObject) -> None:
    cuts = sorted(cuts)
    close = ")" if bracket == "[" else "]"
    labels = [f"{bracket}{low}, {high}{close}" for low, high in pairwise(cuts)]
    if ends:
        labels = [
            f"{'<' if bracket == '[' else '<='}{cuts[0]}",
            *labels,
            f"{'>=' if bracket == '[' else '>'}{cuts[-1]}",
        ]
    if len(labels) < 2:
        return
    domain = with_missing(Domain("age", ColumnType.ORDINAL, tuple(labels)))
    assert domain.bands is not None
    low = data.draw(st.integers(0, domain.size - 1))
    high = data.draw(st.integers(low, domain.size - 1))
    assert said(domain, region_text(domain, low, high)) == set(range(low, high + 1))

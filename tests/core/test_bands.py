"""Bands as values of a column: read, put in order, published as one, matched with another publisher's; round trips."""

from __future__ import annotations

import io
import math
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table, Taxonomy, intersection_attack, read_table
from core.algorithms import partition
from core.data.bands import Bands, band
from core.data.csv_export import csv_bytes
from core.data.domain import Domain, with_missing
from core.data.encoding import encode
from core.data.proposal import propose
from core.data.schema import Kind
from core.release.published.cell_reader import Reader
from core.release.published.containment import bits, inside
from core.release.published.published import Attribute
from core.release.region_text import region_text
from core.release.release import Release
from core.study.uploads import Upload, open_upload

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
        assert encoded.qids[0].kind is Kind.ORDINAL
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
    domain = Domain("age", Kind.ORDINAL, labels)
    shown = region_text(domain, first, last)
    assert shown.replace('"', "") == text
    assert said(domain, shown) == set(range(first, last + 1))


def said(domain: Domain, text: str) -> set[int]:
    """Codes whose values a published text may stand for, as an adversary finds them."""
    reader = Reader.of(domain)
    region = reader.read(text)
    assert region is not None, text
    part = Attribute(reader, (region,), (text,), np.zeros(1, dtype=np.int64))
    values = ["" if code == domain.missing else label for code, label in enumerate(domain.labels)]
    fits = inside(part, values)[:, 0]
    assert (bits(part, values)[:, 0] == fits).all(), "two ways to ask the same"
    return set(np.flatnonzero(fits).tolist())


def test_a_release_of_half_open_bands_holds_intervals_and_reads_back() -> None:
    encoded = encode(column(OPEN), SCHEMA)
    release = partition(encoded, Policy(20))
    texts = set(release.region_frame()["age"].astype(str))
    assert any(band(text) not in [band(label) for label in OPEN] for text in texts), "some bands were merged"
    assert all(band(text) is not None for text in texts)
    for frame in (release.publish(seed=0), read_table(io.BytesIO(csv_bytes(release.publish(seed=0)))).to_frame()):
        for mine in (encoded, None):
            back = Release.parse(frame, SCHEMA, mine=mine)
            assert len(back.sizes) == release.published.histogram.classes
            result = intersection_attack([release, back], [range(180), None], "published")
            assert result.true_value_left.all()
            assert result.unlocated.tolist() == [0, 0]


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
    """A raw table of theirs with bands of its own, or with ages, against mine with the other."""
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
            upload = Upload(theirs.content_id, False, same)
            foreign = open_upload(upload, theirs, mine, SCHEMA)
            assert foreign.encoded is not None
            releases = [partition(encode(mine, SCHEMA), Policy(3)), partition(foreign.encoded, Policy(3))]
            result = intersection_attack(releases, [range(150), range(150)], "published")
            assert result.true_value_left.all(), "the same people: nobody is left out of the class he is in"
            assert result.unlocated.tolist() == [0, 0]


def test_bands_are_proposed_as_an_order() -> None:
    table = column(OPEN)
    schema = propose(table).schema
    assert schema.kinds["age"] is Kind.ORDINAL
    assert schema.orders["age"] == tuple(label for label in OPEN if label in table.column("age").labels)
    assert "ranges lie in an order" in propose(table).reasons["age"]


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


def domain_of(kind: Kind, labels: list[str], missing: bool) -> Domain:
    tree = None
    if kind is Kind.TAXONOMY:
        root = "root"
        while root in labels:
            root += "!"
        tree = Taxonomy([root, *labels], [-1, *[0] * len(labels)])
        labels = list(tree.leaf_labels)
    elif kind is Kind.CATEGORICAL:
        labels = sorted(labels)
    found = Domain("age", kind, tuple(labels), None, tree)
    return with_missing(found) if missing else found


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([Kind.CATEGORICAL, Kind.ORDINAL, Kind.TAXONOMY]), LABELS, st.booleans(), st.data())
def test_what_is_published_reads_back(kind: Kind, labels: list[str], missing: bool, data: st.DataObject) -> None:
    domain = domain_of(kind, labels, missing)
    low = data.draw(st.integers(0, domain.size - 1))
    high = data.draw(st.integers(low, domain.size - 1))
    text = region_text(domain, low, high)
    ends = (np.array([low]), np.array([high]))
    first, last = (int(end[0]) for end in domain.cover(*ends))
    assert said(domain, text) == set(range(first, last + 1)), text


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        (Kind.ORDINAL, ["c or (missing)", "c"]),
        (Kind.ORDINAL, ["a", "a ..", ".. b", "b"]),
        (Kind.CATEGORICAL, ALIKE),
        (Kind.TAXONOMY, ALIKE),
    ],
)
def test_every_region_of_labels_that_look_like_regions_reads_back(kind: Kind, labels: list[str]) -> None:
    domain = domain_of(kind, labels, missing=True)
    for low, high in combinations_with_replacement(range(domain.size), 2):
        first, last = (int(end[0]) for end in domain.cover(np.array([low]), np.array([high])))
        assert said(domain, region_text(domain, low, high)) == set(range(first, last + 1))


@pytest.mark.parametrize(
    "label", ["A}", "}", "a or b}", '"x"}', "*}", "{", "{A", "{A, B}", '"A"', "[1-2)", "'=1", "a..b"]
)
def test_a_hostile_label_through_a_file(label: str) -> None:
    """Published, written as CSV, read by somebody who has never seen my table."""
    frame = pd.DataFrame({"age": [label] * 5 + ["other"] * 5, "ill": list("abcde") * 2})
    table, schema = Table.from_frame(frame), Schema(("age",), "ill", kinds={"age": "categorical"})
    release = partition(encode(table, schema), Policy(5))
    file = read_table(io.BytesIO(csv_bytes(release.publish(seed=0))))
    back = Release.parse(file, schema)
    assert [sorted(region.labels) for region in back.attributes[0].regions] in (
        [[label], ["other"]],
        [["other"], [label]],
    )


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
    domain = with_missing(Domain("age", Kind.ORDINAL, tuple(labels)))
    assert domain.bands is not None
    low = data.draw(st.integers(0, domain.size - 1))
    high = data.draw(st.integers(low, domain.size - 1))
    assert said(domain, region_text(domain, low, high)) == set(range(low, high + 1))

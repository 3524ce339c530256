"""Tables of text and groups of their rows: codes and labels, content ids, numbers, classes, who is unique."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Schema, anonymize
from core.base.errors import InputError
from core.data.classes import Classes, ClassHistogram, distinct_columns, group_columns, pack
from core.data.encoding.encoded import Encoded
from core.data.profiling.uniqueness import BINS, Contribution, Uniqueness, UniquenessBand, uniqueness
from core.data.profiling.value_pictures import value_picture
from core.data.schemas.schema import ColumnType
from core.data.tables.column import Column
from core.data.tables.input_limits import check_header
from core.data.tables.number_forms import numbers_of
from core.data.tables.numbers import looks_numeric, parse_numbers
from core.data.tables.table import Table
from tests.strategies import cases
from tests.tables import column_of

TEXTS = st.lists(st.text(max_size=4), min_size=1, max_size=20)


def table_of(**columns: list[str]) -> Table:
    return Table(tuple(column_of(name, texts) for name, texts in columns.items()))


# ---- columns -----------------------------------------------------------------------------


@given(TEXTS)
def test_a_column_gives_its_texts_back(texts: list[str]) -> None:
    column = column_of("a", texts)
    assert column.texts().tolist() == texts
    assert list(column.labels) == sorted(set(texts))
    assert column.counts.tolist() == [texts.count(label) for label in column.labels]
    assert column.codes.dtype == np.int32
    assert len(column) == len(texts)


@given(TEXTS, st.data())
def test_taking_rows_drops_labels_that_are_gone(texts: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=10))
    column = column_of("a", texts).take(np.array(rows, dtype=np.int64))
    assert column.texts().tolist() == [texts[row] for row in rows]
    assert list(column.labels) == sorted({texts[row] for row in rows})


# ---- tables ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Table((column_of("a", ["1"]), column_of("b", ["1", "2"]))), "differ in length"),
        (lambda: Table((column_of("a", ["1"]), column_of("a", ["1"]))), "same header"),
        (lambda: Table((column_of("a", []),)), "no rows"),
        (lambda: Column.from_codes("a", ["x", "x"], np.array([0, 1])), "column 'a' are the same"),
        (lambda: check_header([]), "no columns"),
        (lambda: check_header(["a", " "]), "Column 2 has an empty"),
        (lambda: check_header(["a", "b", "a"]), "Columns 1 and 3"),
    ],
)
def test_a_table_and_its_headers_are_checked(make: Callable[[], object], match: str) -> None:
    with pytest.raises(InputError, match=match):
        make()
    check_header(["x" * 200, "<b>", "=1"])


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="no column 'c'") as caught:
        table_of(a=["1", "2"], b=["x", "y"]).column("c")
    assert caught.value.parameter == "c"


# ---- content ids -------------------------------------------------------------------------


def test_content_id_is_that_of_equal_cells() -> None:
    table = table_of(a=["1", "2", "1"], b=["x", "", "y"])
    assert len(table.content_id) == 64
    same = Table(
        (Column.from_codes("a", ["2", "1", "unused"], np.array([1, 0, 1])), column_of("b", ["x", "", "y"])),
        read_info={"format": "elsewhere"},
    )
    assert same.content_id == table.content_id
    assert table.take(np.arange(3)).content_id == table.content_id
    assert Table.from_frame(table.to_frame()).content_id == table.content_id


@pytest.mark.parametrize(
    "other",
    [
        table_of(a=["1", "2", "2"], b=["x", "", "y"]),  # a cell
        table_of(a=["1", "1", "2"], b=["x", "", "y"]),  # the order of rows
        table_of(b=["x", "", "y"], a=["1", "2", "1"]),  # the order of columns
        table_of(a=["1", "2", "1"], c=["x", "", "y"]),  # a name
        table_of(a=["1", "2", "1"]),
        table_of(a=["1", "2", "1"], b=["x", " ", "y"]),
        table_of(a=["1", "2", "1 "], b=["x", "", "y"]),
        Table(table_of(a=["1", "2", "1"], b=["x", "", "y"]).columns, decimal=","),
    ],
    ids=["cell", "rows", "columns", "name", "fewer", "space", "other space", "decimal"],
)
def test_content_id_tells_other_cells(other: Table) -> None:
    assert other.content_id != table_of(a=["1", "2", "1"], b=["x", "", "y"]).content_id


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=1, max_size=6), st.data())
def test_content_id_changes_with_any_cell(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    cells = [list(row) for row in rows]
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, 1))
    cells[row][column] = data.draw(st.text(max_size=3).filter(lambda text: text != rows[row][column]))
    first, second = (
        table_of(**dict(zip("ab", (list(column) for column in zip(*each, strict=True)), strict=True)))
        for each in (rows, cells)
    )
    assert first.content_id != second.content_id


# ---- numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "decimal", "numbers"),
    [
        (["1,5", "-0,25", "2"], ",", [1.5, -0.25, 2.0]),
        (["1e400", "-1e400"], ".", [np.inf, -np.inf]),
        (["12"], ".", [12]),
        (["-0.5", "+3", ".5", "5."], ".", [-0.5, 3, 0.5, 5]),
        (["1e3", "1E-2", " 7 ", "01"], ".", [1000, 0.01, 7, 1]),
        (
            ["9007199254740992", "4611686018427387904", "0.1234567890123456789"],
            ".",
            [2**53, 2**62, 0.1234567890123456789],
        ),
    ],
)
def test_numbers(texts: list[str], decimal: str, numbers: list[float]) -> None:
    assert parse_numbers(texts, decimal).tolist() == numbers


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "nan",
        "inf",
        "-Infinity",
        "1,5",
        "1 000",
        "1_000",
        "0x10",
        "1.2.3",
        "e5",
        "-",
        ".",
        "-9007199254740993",
        "9007199254740993",
        pytest.param("9" * 4301, id="of 4,301 digits"),
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert np.isnan(parse_numbers([text])).all()
    assert not looks_numeric(["1", text])


def test_whole_numbers_that_a_real_number_does_not_hold_are_labels() -> None:
    """As numbers, 9007199254740993 and its neighbour would be one, and ranges would have wrong ends."""
    texts = [str(2**53 + number) for number in range(1, 41, 2)]
    assert numbers_of(texts) is None
    assert numbers_of([f"{text} g" for text in texts]) is None
    frame = pd.DataFrame({"id": texts * 3, "ill": ["a", "b", "c"] * len(texts)})
    published = anonymize(frame, Schema(["id"], "ill", unassigned="drop"), Policy(3)).publish(seed=0)
    assert set(published["id"]) == set(texts)
    even = Table.from_frame(pd.DataFrame({"id": [str(2**53 + number) for number in range(0, 80, 2)]}))
    assert sum(value_picture(even, even.column("id"), ColumnType.NUMERIC)) == pytest.approx(1)


# ---- grouping, packing and counting against plain loops ----------------------------------------

# ---- classes -----------------------------------------------------------------------------


def test_classes_of_labels() -> None:
    found = Classes.from_labels([1, 0, -1, 1, 2, -1])
    assert found.sizes.tolist() == [1, 2, 1]
    assert found.suppressed == 2
    assert found.order.tolist() == [1, 0, 3, 4]
    assert [found.members(i).tolist() for i in range(3)] == [[1], [0, 3], [4]]
    low, high = found.lows_highs(np.array([[5, 7, 0, 2, 9, 99], [1, 1, 0, 1, 1, 99]], dtype=np.int32))
    assert low.tolist() == [[7, 1], [2, 1], [9, 1]]
    assert high.tolist() == [[7, 1], [5, 1], [9, 1]]


# ---- grouping ------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_group_columns_equals_loops(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 3))
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=25))
    seen: dict[tuple[int, ...], int] = {}
    expected = [seen.setdefault(row, len(seen)) for row in rows]
    assert group_columns(np.array(rows).T).labels.tolist() == expected


# ---- packing -------------------------------------------------------------------------------


def check_packing(codes: np.ndarray) -> None:
    key = pack(codes)
    columns = [tuple(column) for column in codes.T.tolist()]
    order = sorted(range(len(columns)), key=columns.__getitem__)
    assert key.min() >= 0
    for first, second in pairwise(order):
        assert (key[first] < key[second]) == (columns[first] < columns[second])
    first, group, count = distinct_columns(codes)
    expected = sorted(set(columns))
    assert [columns[i] for i in first] == expected
    assert [columns.index(column) for column in expected] == first.tolist()
    assert [expected[g] for g in group] == columns
    assert count.tolist() == [Counter(columns)[column] for column in expected]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_packed_keys_keep_the_order_of_the_columns(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 8))
    top = data.draw(st.lists(st.sampled_from([0, 1, 2, 1000, 2**20, 2**31 - 1]), min_size=width, max_size=width))
    people = st.tuples(*(st.integers(0, most) | st.sampled_from([0, most]) for most in top))
    rows = data.draw(st.lists(people, min_size=1, max_size=20))
    check_packing(np.array(rows, dtype=np.int32).T)


def test_packing_many_large_domains_does_not_overflow() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2**31 - 1, (9, 300)).astype(np.int32)
    codes[:6] = codes[:6, rng.integers(0, 3, 300)]  # the first six alone do not tell records apart
    check_packing(codes)
    check_packing(np.full((5, 4), 2**31 - 1, dtype=np.int32))


# ---- histograms ----------------------------------------------------------------------------


@st.composite
def counted(draw: st.DrawFn) -> tuple[list[int], list[int], int, list[int] | None]:
    values = draw(st.sampled_from([2, 3, 5, 40_000]))  # the last one takes the sparse way
    used = draw(st.lists(st.integers(0, values - 1), min_size=1, max_size=5))
    classes = draw(st.integers(1, 6))
    pairs = draw(st.lists(st.tuples(st.integers(0, classes - 1), st.sampled_from(used)), max_size=30))
    pairs += [(number, used[0]) for number in range(classes)]
    order = draw(st.permutations(pairs))
    weights = None
    if draw(st.booleans()):
        weights = draw(st.lists(st.integers(1, 9) | st.just(2**40 + 1), min_size=len(order), max_size=len(order)))
    return [p[0] for p in order], [p[1] for p in order], values, weights


@settings(max_examples=120, deadline=None)
@given(counted())
def test_frequency_table_equals_a_counter(drawn: tuple[list[int], list[int], int, list[int] | None]) -> None:
    labels, secret, values, weights = drawn
    classes = max(labels) + 1
    overall = np.bincount(secret, weights=weights, minlength=values).astype(int)
    found = ClassHistogram.of_records(
        np.array(labels), np.array(secret), overall, classes, 1 if weights is None else np.array(weights)
    )
    expected: Counter[tuple[int, int]] = Counter()
    for position, pair in enumerate(zip(labels, secret, strict=True)):
        expected[pair] += weights[position] if weights else 1
    triples = list(zip(found.owner.tolist(), found.value.tolist(), found.count.tolist(), strict=True))
    assert triples == [(*pair, expected[pair]) for pair in sorted(expected)]
    assert found.classes == classes
    for number in range(classes):
        mine = {value: count for (owner, value), count in expected.items() if owner == number}
        value, count = found.of_class(number)
        assert dict(zip(value.tolist(), count.tolist(), strict=True)) == mine
        assert found.sizes[number] == sum(mine.values())
        assert found.distinct[number] == len(mine)


@settings(max_examples=80, deadline=None)
@given(counted())
def test_known_leaves_out_the_missing_value(drawn: tuple[list[int], list[int], int, list[int] | None]) -> None:
    labels, secret, values, _ = drawn
    missing = values - 1  # always the last
    classes = max(labels) + 1
    whole = ClassHistogram.of_records(
        np.array(labels), np.array(secret), np.bincount(secret, minlength=values), classes, missing=missing
    )
    known = whole.known
    for number in range(classes):
        value, count = known.of_class(number)
        mine = Counter(s for owner, s in zip(labels, secret, strict=True) if owner == number and s != missing)
        assert {v: c for v, c in zip(value.tolist(), count.tolist(), strict=True) if c} == mine
        assert len(count) >= 1
        assert (count > 0).all() or count.tolist() == [0]


# ---- who is unique -----------------------------------------------------------------------------


def slow(encoded: Encoded) -> Uniqueness:
    """Count combinations of values one record at a time."""
    rows = list(zip(*encoded.codes.tolist(), strict=True))
    groups = Counter(rows)

    def lonely(keep: list[int]) -> int:
        seen = Counter(tuple(row[i] for i in keep) for row in rows)
        return sum(seen[tuple(row[i] for i in keep)] == 1 for row in rows)

    qids = range(len(encoded.qids))
    bands = []
    for low, high in BINS:
        inside = [size for size in groups.values() if low <= size <= (high or len(rows))]
        bands.append(UniquenessBand(low, high, sum(inside), len(inside)))
    parts = [
        Contribution(
            encoded.qids[i].name, len({row[i] for row in rows}), lonely([j for j in qids if j != i]), lonely([i])
        )
        for i in qids
    ]
    alone = sum(size == 1 for size in groups.values())
    return Uniqueness(len(rows), alone, min(groups.values()), len(groups), tuple(bands), tuple(parts))


def test_groups_of_each_size_are_in_one_band() -> None:
    for size in range(1, 100):
        assert sum(low <= size <= (high or size) for low, high in BINS) == 1, size


@given(cases())
def test_agrees_with_counting_one_by_one(case):
    for encoded in (case.encoded, case.encoded.take([0])):
        assert uniqueness(encoded) == slow(encoded)

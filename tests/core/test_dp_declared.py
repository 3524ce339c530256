"""Declared domains: a noisy table's lines never come from a record; thresholds for what is not declared."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import msgspec
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from msgspec import structs

from core import Schema, Table, Taxonomy, dp
from core.base.errors import LimitError, ParameterError, SchemaError
from core.base.json_files import read
from core.dp import Declared, digest_of, mechanism, publish, suggest, threshold_for
from core.dp.public_domains import AGES, OPEN, SEXES, YEARS, bins_of
from core.dp.threshold import Threshold, chance_above, thresholded
from tests.reference import dp as slow

ZIPS = ("13012", "13013", "44000", "97001")
TREE = Taxonomy.from_prefixes(ZIPS, keep=(2,))
ORDER = ("none", "school", "degree", "doctorate")
SCHEMA = Schema(
    ["age", "sex", "zip", "schooling"],
    "diagnosis",
    column_types={"age": "numeric", "sex": "categorical", "diagnosis": "categorical"},
    taxonomies={"zip": TREE},
    orders={"schooling": ORDER},
    missing_tokens=["?"],
)
DIAGNOSES = Declared("values", values=("Flu", "Cold", "Ulcer"))
Row = tuple[str, str, str, str, str]


def made(rows: list[Row]) -> Table:
    return Table.from_frame(pd.DataFrame(rows, columns=["age", "sex", "zip", "schooling", "diagnosis"], dtype=object))


def counted(rows: list[Row], grid: Mapping[str, Declared], sensitive: Declared = DIAGNOSES) -> dp.ContingencyTable:
    return dp.contingency_table(made(rows), SCHEMA, grid, sensitive)


def some_rows(records: int = 40, seed: int = 0) -> list[Row]:
    rng = np.random.default_rng(seed)
    return [
        (
            str(rng.integers(20, 70)),
            str(rng.choice(["f", "m"])),
            str(rng.choice(ZIPS[:3])),
            str(rng.choice(ORDER[:3])),
            str(rng.choice(["Flu", "Cold"])),
        )
        for _ in range(records)
    ]


def everything(rest: bool = True) -> dict[str, Declared]:
    return {
        "age": Declared("range", low=0, high=120, width=10, rest=rest),
        "sex": Declared("values", values=("f", "m"), rest=rest),
        "zip": Declared("tree", level=1, digest=digest_of(SCHEMA, "zip"), rest=rest),
        "schooling": Declared("order", groups=2, digest=digest_of(SCHEMA, "schooling"), rest=rest),
    }


RESERVED = st.sampled_from(
    ["*", "[1-2]", '"', "=1+1", "other or missing", "(other or missing)", "(missing)", "a;b", "é"]
)
LABELS = st.one_of(
    RESERVED,
    st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=6),
    st.sampled_from(["f", "m", "Flu", "Cold", "Ulcer", "?"]),
)
AGE_TEXTS = st.one_of(st.integers(-50, 300).map(str), st.sampled_from(["?", "", "0.5", "1e6", "97", "120", "119.99"]))
ROW = st.tuples(AGE_TEXTS, LABELS, st.sampled_from([*ZIPS, "?"]), st.sampled_from([*ORDER, "?"]), LABELS)


# ---- the grid never comes from a record ------------------------------------------------------


@settings(max_examples=120, deadline=None)
@given(
    ROW,
    st.integers(0, 39),
    st.sets(st.sampled_from(["age", "sex", "zip", "schooling"])),
    st.booleans(),
    st.integers(0, 5),
)
def test_a_replaced_record_changes_counts_and_never_a_line(
    new: Row, place: int, columns: set[str], rest: bool, seed: int
) -> None:
    """Also by values nobody else has: same cells, same labels, same statement; counts differ by at most 2 in L1."""
    rows = some_rows(seed=seed)
    tables = []
    for part in (rows, [*rows[:place], new, *rows[place + 1 :]]):
        grid = {name: declared for name, declared in everything(rest).items() if name in columns}
        secret = Declared("values", values=DIAGNOSES.values, rest=rest)
        tables.append(counted(part, grid, secret))
    one, other = tables
    lines = [table.frame().drop(columns="count") for table in tables]
    pd.testing.assert_frame_equal(lines[0], lines[1])
    assert np.abs(one.counts - other.counts).sum() <= 2
    assert one.size == math.prod(one.shape) * one.sensitive.size
    assert one.records == other.records == 40
    chosen = mechanism("laplace", 1.0)
    said = [dp.NoisyTable(table, chosen, table.counts).statement() for table in tables]
    assert said[0] == said[1]


@settings(max_examples=80, deadline=None)
@given(st.lists(ROW, min_size=30, max_size=40), st.booleans())
def test_counts_are_those_of_each_text_by_itself(rows: list[Row], rest: bool) -> None:
    """Brute force on the texts: the bin of a record from its own cells and the declarations."""
    rows = [("30", "f", "13012", "none", "Flu"), ("40", "m", "13012", "none", "Cold"), *rows]
    grid = {
        "age": Declared("range", low=0, high=120, width=10, rest=rest),
        "sex": Declared("values", values=("f", "m", "x"), rest=rest),
        "zip": structs.replace(ZIP_LEVEL, rest=rest),
    }
    secret = Declared("values", values=DIAGNOSES.values, rest=rest)
    table = counted(rows, grid, secret)
    plain = [
        (0, {"kind": "range", "low": 0, "high": 120, "width": 10, "rest": rest}),
        (1, {"kind": "values", "values": ("f", "m", "x"), "rest": rest}),
        (4, {"kind": "values", "values": DIAGNOSES.values, "rest": rest}),
    ]
    expected: dict[tuple[str, ...], int] = {}
    for row in rows:
        age, sex, secret_bin = (slow.declared_bin(row[i].strip() if i else row[i], how, ("", "?")) for i, how in plain)
        node = f"{row[2][:2]}***" if row[2] in ZIPS else "other or missing" if rest else None
        if None not in (key := (age, sex, node, secret_bin)):
            expected[key] = expected.get(key, 0) + 1
    frame = table.frame()
    found = {tuple(row[:-1]): row[-1] for row in frame.itertuples(index=False)}
    assert len(found) == len(frame) == table.size
    assert {key: n for key, n in found.items() if n} == expected


TENTHS = ("below 0.1", *(f"0.{i} to below 0.{i + 1}" for i in range(1, 9)), "0.9 and above")
ZIP_LEVEL = Declared("tree", level=1, digest=digest_of(SCHEMA, "zip"))
HALVES = Declared("order", groups=2, digest=digest_of(SCHEMA, "schooling"))


@pytest.mark.parametrize(
    ("name", "declared", "labels"),
    [
        (
            "age",
            Declared("range", low=0, high=25, width=10),
            ("below 10", "10 to below 20", "20 and above", "other or missing"),
        ),
        ("age", Declared("range", low=0, high=120, width=120, rest=False), ("every number",)),
        ("age", Declared("range", low=0, high=1, width=0.1, rest=False), TENTHS),
        ("sex", Declared("values", values=("m", "other or missing")), ("m", "other or missing", "(other or missing)")),
        ("zip", ZIP_LEVEL, ("13***", "44***", "97***", "other or missing")),
        ("zip", structs.replace(ZIP_LEVEL, level=9, rest=False), ZIPS),
        ("schooling", HALVES, ("[none .. school]", "[degree .. doctorate]", "other or missing")),
        ("schooling", structs.replace(HALVES, groups=0, rest=False), ORDER),
        ("age", Declared(OPEN, width=20), ("20 to below 40", "other or missing")),
        ("age", Declared(OPEN, numbers=True), ("20", "39.5", "other or missing")),
        ("age", Declared(OPEN), ("(missing)", "20", "39.5", "Flu")),
    ],
)
def test_bins_of_each_kind(name: str, declared: Declared, labels: tuple[str, ...]) -> None:
    assert bins_of(("?", "20", "39.5", "Flu"), SCHEMA, name, declared).labels == labels


# ---- neighbouring tables -----------------------------------------------------------------------

NUMBERS = {".": [f"{i}" for i in range(1, 9)], "0": [f"{i}.0" for i in range(1, 9)], ",": [f"{i},5" for i in range(9)]}
BANDS = ["<5", "5-9", "10-19", "20+"]
ODD = ["nan", "inf", "1e400", "<5", "é", "1,5", "1.5", "01", "1.0", "-0", "", " ", "?", '"1"', "[1-2]", "(missing)"]
WORDS = ["1", "2", "3", "female", "male", "?"]
LISTS = st.sampled_from([*NUMBERS.values(), BANDS, WORDS[:5], ["01", "1", "1.0", "é", "?"]]).map(tuple)
CHOSEN = {
    "tree": Taxonomy.from_nested({"low": ["1", "2", "01"], "high": ["3", "é", ""]}),
    "order": ("1", "2", "01", "é"),
}
"""Trees and orders have every odd text that occurs with them: other texts are refused."""


@st.composite
def _domains(draw: st.DrawFn) -> Declared:
    """Any form of a domain of a column without a tree or an order."""
    how = draw(st.sampled_from(["range", "values", "numbers", "open", "open numbers", "steps"]))
    decimal, rest = draw(st.sampled_from(".,")), draw(st.booleans())
    if how == "range":
        return Declared("range", low=0, high=10, width=2, decimal=decimal, rest=rest)
    if how == "values":
        return Declared("values", values=draw(LISTS), rest=rest)
    if how == "numbers":
        return Declared("values", values=("1", "2", "3", "4"), numbers=True, decimal=decimal, rest=rest)
    return Declared(OPEN, numbers=how == "open numbers", width=3.0 if how == "steps" else 0.0, decimal=decimal)


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[list[Table], Schema, list[Declared]]:
    """Two tables that differ in one record with odd cells, and a declaration of each column; the last is sensitive."""
    names = ["a", "b", "tree", "order", "s"]
    missing = draw(st.sampled_from(["category", "drop", "complete"]))
    column_types = {name: "categorical" for name in "abs" if draw(st.booleans())}
    schema = Schema(
        names[:4],
        "s",
        column_types=column_types,
        taxonomies={"tree": CHOSEN["tree"]},
        orders={"order": CHOSEN["order"]},
        missing=missing,
        missing_tokens=draw(st.sampled_from([["?"], []])),
    )
    usual = [draw(st.sampled_from([*NUMBERS.values(), BANDS, WORDS[3:5]])) for _ in "ab"]
    usual += [["1", "2", "3"], ["1", "2"], draw(st.sampled_from([*NUMBERS.values(), BANDS]))]
    odd = [ODD, ODD, ["01", "é", ""], ["01", "é", ""], ODD]
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    rows = [[str(rng.choice(texts)) for texts in usual] for _ in range(30)]
    other = [draw(st.sampled_from([*some, *texts])) for some, texts in zip(odd, usual, strict=True)]
    decimal = draw(st.sampled_from(".,"))
    tables = [
        Table.from_frame(pd.DataFrame(part, columns=names, dtype=object), decimal)
        for part in (rows, [other, *rows[1:]])
    ]
    closed = draw(st.booleans())
    tree = Declared("tree", level=draw(st.integers(1, 2)), digest=digest_of(schema, "tree"), rest=closed)
    order = Declared("order", groups=draw(st.integers(0, 3)), digest=digest_of(schema, "order"), rest=closed)
    declared = [draw(_domains()), draw(_domains()), tree, order, draw(_domains())]
    return tables, schema, declared


@settings(max_examples=300, deadline=None)
@given(neighbours())
def test_one_odd_record_moves_one_count(made: tuple[list[Table], Schema, list[Declared]]) -> None:
    """Kinds given or not, every form of domain: counts differ in the cells of the two records alone."""
    tables, schema, declared = made
    grid = dict(zip(schema.quasi_identifiers, declared, strict=False))
    found, cells, labels = [], [], []
    for table in tables:
        try:
            counts = dp.contingency_table(table, schema, grid, declared[-1])
        except SchemaError:  # no value of the sensitive attribute is left, or one: nothing is counted
            reject()
        frame = counts.frame()
        found.append({tuple(row[:-1]): row[-1] for row in frame.itertuples(index=False) if row[-1]})
        cells.append([_alone(table, schema, name, each) for name, each in {**grid, "s": declared[-1]}.items()])
        labels.append([axis.labels for axis in counts.every if axis.declared.closed])
    assert labels[0] == labels[1]
    moved = {cell: found[1].get(cell, 0) - found[0].get(cell, 0) for cell in {*found[0], *found[1]}}
    changed = {cell: by for cell, by in moved.items() if by}
    assert sum(map(abs, changed.values())) <= 2
    assert set(changed) <= {tuple(cell) for cell in cells}


def _alone(table: Table, schema: Schema, name: str, declared: Declared) -> str | None:
    """Bin of the first record of a table, from its own cell."""
    bins = bins_of([table.column(name).texts()[0]], schema, name, declared)
    return None if bins.of[0] < 0 else bins.labels[bins.of[0]]


def test_cells_are_read_as_declared() -> None:
    texts = ["1", "1.0", "1,0", "01", " 1", "é"]
    schema = Schema(["a"], "s")
    found = {}
    for numbers, decimal in ((False, "."), (True, "."), (True, ",")):
        one = Declared("values", values=("1",), numbers=numbers, decimal=decimal)
        places = bins_of(texts, schema, "a", one).of
        found[numbers, decimal] = [texts[i] for i in np.flatnonzero(places == 0)]
    assert found == {
        (False, "."): ["1", " 1"],
        (True, "."): ["1", "1.0", "01", " 1"],
        (True, ","): ["1", "1,0", "01", " 1"],
    }


def test_another_tree_or_order_is_not_declared() -> None:
    grid = everything()
    other = Schema(
        ["zip", "schooling"],
        "diagnosis",
        taxonomies={"zip": Taxonomy.from_prefixes(ZIPS, keep=(3,))},
        orders={"schooling": ORDER[::-1]},
        unassigned="drop",
    )
    for name in ("zip", "schooling"):
        with pytest.raises(ParameterError, match=f"'{name}' differs from the declared one"):
            dp.contingency_table(made(some_rows()), other, {name: grid[name]}, DIAGNOSES)
    assert digest_of(SCHEMA, "age") == ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "guess"},
        {"kind": "range", "low": 5, "high": 5, "width": 1},
        {"kind": "range", "high": 5},
        {"kind": "range", "high": 1e9, "width": 1e-3},
        {"kind": "values"},
        {"kind": "values", "values": ["a", "a"]},
        {"kind": "values", "values": ["a", ""]},
        {"kind": "values", "values": [" a"]},
        {"kind": "values", "values": ["a"], "numbers": True},
        {"kind": "values", "values": ["1", "1.0"], "numbers": True},
        {"kind": "range", "high": 5, "width": 1, "decimal": "'"},
        {"kind": "open", "width": -1},
        {"kind": "range", "high": math.inf, "width": 1},
        {"kind": "tree", "level": 0},
        {"kind": "range", "high": True},
        {"kind": "values", "values": [1]},
        {"kind": "tree", "level": 1.5},
        {"kind": "open", "more": 1},
        {},
        [],
        None,
        {"kind": "order", "groups": -1},
        {"kind": "open", "source": "x" * 201},
        {"kind": "range", "high": 10**400},
    ],
)
def test_what_declares_nothing_is_refused(wrong: object) -> None:
    with pytest.raises(ParameterError):
        read(wrong, Declared, "domain", ParameterError)


@pytest.mark.parametrize(
    "declared",
    [
        AGES,
        DIAGNOSES,
        Declared(OPEN),
        Declared(OPEN, width=5, decimal=","),
        Declared("values", values=("1", "2,5"), numbers=True, decimal=","),
        Declared("tree", level=2, digest="ab", rest=False),
        Declared("order", groups=3, source="the ministry's list"),
    ],
)
def test_there_and_back(declared: Declared) -> None:
    assert read(msgspec.to_builtins(declared), Declared, "domain", ParameterError) == declared


# ---- suggestions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "suggested"),
    [
        ("Age of patient", [AGES]),
        ("year of birth", [YEARS]),
        ("sex", [Declared("values", values=values, source="list of sexes") for values in SEXES]),
        *((header, []) for header in ("place of birth", "zip", "schooling", "diagnosis")),
    ],
)
def test_suggestions_are_of_the_header_alone(header: str, suggested: list[Declared]) -> None:
    """No value of a table takes part, nor a tree or an order of the schema, which may be made from the table."""
    assert [suggestion.declared for suggestion in suggest(header)] == suggested


# ---- what may be published -------------------------------------------------------------------


def test_the_statement_lists_what_is_public() -> None:
    flu = Declared("values", values=("Flu",), rest=False, source="list\nof 2025")
    table = counted(some_rows(), everything(), flu)
    said = publish(table, mechanism("laplace", 0.5)).statement()
    for line in (
        "- the number of records of the table, 40",
        "- the names of the columns, and that these were chosen",
        "- which texts mean a missing value",
        (
            "- age: 0 to 120 by 10, 13 bins; numbers outside are counted in the first or last bin; read as numbers "
            'with a decimal point; else in the bin "other or missing"'
        ),
        (
            "- diagnosis: 1 listed value, 1 bin; as listed in the table of counts; read as text; "
            "else the record is not counted (source: list of 2025)"
        ),
    ):
        assert line in said.splitlines()
    assert len([line for line in said.splitlines() if line.startswith("- ")]) == 3 + 5


# ---- thresholds ------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("least", [2, 4, 9])
@pytest.mark.parametrize(
    ("before", "after"),
    [([1, 0], [0, 1]), ([5, 0], [4, 1]), ([1, 7], [0, 8]), ([3, 3], [2, 4]), ([2, 0], [1, 1]), ([1, 1], [2, 0])],
)
def test_a_threshold_keeps_epsilon_and_delta(epsilon: float, least: int, before: list[int], after: list[int]) -> None:
    """All outputs of both neighbours enumerated: what exceeds e^epsilon is within the stated delta."""
    exact = slow.threshold_delta(before, after, least, epsilon)
    assert exact <= chance_above(mechanism("laplace", epsilon), least) * (1 + 1e-9) + 1e-12


def test_the_librarys_own_delta_is_too_small() -> None:
    """OpenDP tells a count equal to the threshold; its map takes the chance of more. Ours is what happens."""
    chosen, least = mechanism("laplace", 2.0), 3
    ones = np.ones(30_000, dtype=np.int64)
    stated = Threshold(least, chance_above(chosen, least))
    share = float((thresholded(ones, chosen, stated) > 0).mean())
    p = 1 - math.sqrt(1 - stated.delta)
    assert share == pytest.approx(p, abs=6 * math.sqrt(p / 30_000))
    assert p == pytest.approx(math.exp(-2) / (1 + math.exp(-1)))


def test_the_least_threshold() -> None:
    chosen = mechanism("laplace", 1.0)
    for delta in (1e-2, 1e-6, 1e-12):
        found = threshold_for(chosen, delta)
        assert found.delta == delta
        assert chance_above(chosen, found.least) <= delta < chance_above(chosen, found.least - 1)


FINE = Declared("range", low=0, high=1e4, width=0.25)
OPEN_SEX = {"sex": Declared(OPEN)}


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (
            lambda: counted(some_rows(), {"age": FINE, "sex": everything()["sex"], "zip": everything()["zip"]}),
            LimitError,
            r"\(40,001 x 3 x 4 x 4 sensitive values\) must be at most 1,000,000.*wider bins, first of all of 'age'",
        ),
        (lambda: counted(some_rows(), {"income": AGES}), ParameterError, "'income' is not a quasi-identifier"),
        (
            lambda: publish(counted(some_rows(), OPEN_SEX), mechanism("laplace", 1.0)),
            ParameterError,
            r"'sex' are not declared.*declare its domain, or leave out rare",
        ),
        (
            lambda: thresholded(np.ones(3, dtype=np.int64), mechanism("laplace", 1.0), Threshold(5, 1e-6)),
            ParameterError,
            "guarantee",
        ),
        (lambda: threshold_for(mechanism("gaussian", 1.0, 1e-6), 1e-6), ParameterError, "Laplace"),
        (lambda: threshold_for(mechanism("laplace", 1.0), 0), ParameterError, "delta"),
    ],
    ids=["too many cells", "no such column", "not declared", "another delta", "no Laplace noise", "no delta"],
)
def test_what_cannot_be_counted_published_or_promised_is_refused(
    call: Callable[[], object], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        call()


def test_rare_values_are_not_told_and_common_ones_are() -> None:
    rows = [("30", "f", "13012", "none", "Flu")] * 300 + [("40", "m", "13012", "none", "Cold")] * 300
    rows.append(("97", "Lonely Farm", "97001", "doctorate", "Ebola"))
    table = counted(rows, {"age": Declared(OPEN, width=10), "sex": Declared(OPEN)}, Declared(OPEN))
    chosen = mechanism("laplace", 1.0)
    found = publish(table, chosen, threshold_for(chosen, 1e-9))
    frame = found.frame()
    assert sorted(frame[["age", "sex", "diagnosis"]].itertuples(index=False, name=None)) == [
        ("30 to below 40", "f", "Flu"),
        ("40 to below 50", "m", "Cold"),
    ]
    assert (frame["noisy_count"] > 200).all()
    said = found.statement()
    assert "epsilon = 1, delta = 1e-09" in said
    assert "- sex: nothing; its values are not declared" in said
    assert (found.cost.epsilon, found.cost.delta, found.published_cells) == (1.0, 1e-9, 2)
    assert "Ebola" not in said

"""Declared domains: a noisy table's lines never come from a record; thresholds for what is not declared."""

from __future__ import annotations

import io
import math
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Schema, Table, Taxonomy, dp
from core.data.encoding import Encoded, encode
from core.dp import Declared, axis_of, digest_of, mechanism, publish, suggest, threshold_for
from core.dp.declared import AGES, OPEN
from core.dp.threshold import Threshold, chance_above, thresholded
from core.errors import LimitError, ParameterError
from tests.reference import dp as slow

ZIPS = ("13012", "13013", "44000", "97001")
TREE = Taxonomy.from_prefixes(ZIPS, keep=(2,))
ORDER = ("none", "school", "degree", "doctorate")
SCHEMA = Schema(
    ["age", "sex", "zip", "schooling"],
    "diagnosis",
    kinds={"age": "numeric", "sex": "categorical", "diagnosis": "categorical"},
    taxonomies={"zip": TREE},
    orders={"schooling": ORDER},
    missing_tokens=["?"],
)
DIAGNOSES = Declared("values", values=("Flu", "Cold", "Ulcer"))
Row = tuple[str, str, str, str, str]


def coded(rows: list[Row]) -> Encoded:
    frame = pd.DataFrame(rows, columns=["age", "sex", "zip", "schooling", "diagnosis"], dtype=object)
    return encode(Table.from_frame(frame), SCHEMA)


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


def everything(encoded: Encoded, rest: bool = True) -> dict[str, Declared]:
    digest = {domain.name: digest_of(domain) for domain in encoded.qids}
    return {
        "age": Declared("range", low=0, high=120, width=10, rest=rest),
        "sex": Declared("values", values=("f", "m"), rest=rest),
        "zip": Declared("tree", level=1, digest=digest["zip"], rest=rest),
        "schooling": Declared("order", groups=2, digest=digest["schooling"], rest=rest),
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
        encoded = coded(part)
        grid = {name: declared for name, declared in everything(encoded, rest).items() if name in columns}
        secret = Declared("values", values=DIAGNOSES.values, rest=rest)
        tables.append(dp.contingency_table(encoded, grid, secret))
    one, other = tables
    lines = [table.frame().drop(columns="count") for table in tables]
    pd.testing.assert_frame_equal(lines[0], lines[1])
    assert np.abs(one.counts - other.counts).sum() <= 2
    assert one.size == math.prod(one.shape) * one.sensitive.size
    assert one.records == other.records == 40
    chosen = mechanism("laplace", 1.0)
    said = [dp.NoisyTable(table, chosen, table.counts).statement() for table in tables]
    assert said[0] == said[1]


def test_the_audits_record_changes_no_line() -> None:
    """(97, Lonely Farm, Ebola) doubled the lines of a table; now each column's bins are there before it."""
    rows = some_rows(200)
    lines = []
    for part in (rows, [("97", "Lonely Farm", "97001", "doctorate", "Ebola"), *rows[1:]]):
        encoded = coded(part)
        table = dp.contingency_table(encoded, everything(encoded), DIAGNOSES)
        found = publish(table, mechanism("laplace", 1.0))
        with zipfile.ZipFile(io.BytesIO(found.package())) as archive:
            text = archive.read("noisy_table.csv").decode()
        lines.append([line.rsplit(",", 1)[0] for line in text.splitlines()])
    assert lines[0] == lines[1]
    assert not any("Ebola" in line or "Lonely" in line for line in lines[1])


@settings(max_examples=80, deadline=None)
@given(st.lists(ROW, min_size=30, max_size=40), st.booleans())
def test_counts_are_those_of_each_text_by_itself(rows: list[Row], rest: bool) -> None:
    """Brute force on the texts: the bin of a record from its own cells and the declarations."""
    rows = [("30", "f", "13012", "none", "Flu"), ("40", "m", "13012", "none", "Cold"), *rows]
    encoded = coded(rows)
    grid = {
        "age": Declared("range", low=0, high=120, width=10, rest=rest),
        "sex": Declared("values", values=("f", "m", "x"), rest=rest),
    }
    secret = Declared("values", values=DIAGNOSES.values, rest=rest)
    table = dp.contingency_table(encoded, grid, secret)
    plain = [
        (0, {"kind": "range", "low": 0, "high": 120, "width": 10, "rest": rest}),
        (1, {"kind": "values", "values": ("f", "m", "x"), "rest": rest}),
        (4, {"kind": "values", "values": DIAGNOSES.values, "rest": rest}),
    ]
    expected: dict[tuple[str, ...], int] = {}
    for row in rows:
        key = tuple(slow.declared_bin(row[i].strip() if i else row[i], how, ("", "?")) for i, how in plain)
        if None not in key:
            expected[key] = expected.get(key, 0) + 1  # type: ignore[index, arg-type]
    frame = table.frame()
    found = {tuple(row[:-1]): row[-1] for row in frame.itertuples(index=False)}
    assert len(found) == len(frame) == table.size
    assert {key: n for key, n in found.items() if n} == expected


def test_bins_of_each_kind() -> None:
    encoded = coded([("?", "f", "?", "?", "Flu"), *some_rows()])
    age, sex, zips, schooling = encoded.qids

    def labels(domain: object, declared: Declared) -> tuple[str, ...]:
        return axis_of(domain, declared).labels  # type: ignore[arg-type]

    assert labels(age, Declared("range", low=0, high=25, width=10)) == (
        "below 10",
        "10 to below 20",
        "20 and above",
        "other or missing",
    )
    assert labels(age, Declared("range", low=0, high=120, width=120, rest=False)) == ("every number",)
    tenths = axis_of(age, Declared("range", low=0, high=1, width=0.1, rest=False))
    assert tenths.labels[3] == "0.3 to below 0.4"
    assert labels(sex, Declared("values", values=("m", "other or missing"))) == (
        "m",
        "other or missing",
        "(other or missing)",
    )
    level = Declared("tree", level=1, digest=digest_of(zips))
    assert labels(zips, level) == ("13***", "44***", "97***", "other or missing")
    assert labels(zips, replace(level, level=9, rest=False)) == ZIPS
    two = Declared("order", groups=2, digest=digest_of(schooling))
    assert labels(schooling, two) == ("[none .. school]", "[degree .. doctorate]", "other or missing")
    assert labels(schooling, Declared("order", digest=digest_of(schooling), rest=False)) == ORDER
    assert axis_of(age, Declared(OPEN, width=20)).labels[-1] == "other or missing"
    assert "20 to below 40" in axis_of(age, Declared(OPEN, width=20)).labels


def test_ends_of_a_range_take_what_lies_outside() -> None:
    ages = {"-3": "Flu", "0": "Flu", "9.99": "Cold", "10": "Cold", "119": "Cold", "300": "Flu"}
    rows = [(age, "f", "13012", "none", diagnosis) for age, diagnosis in ages.items()]
    table = dp.contingency_table(coded(rows), {"age": AGES}, DIAGNOSES)
    by_age = dict(zip(table.axes[0].labels, table.counts.sum(axis=1).tolist(), strict=True))
    assert {label: n for label, n in by_age.items() if n} == {"below 10": 3, "10 to below 20": 1, "110 and above": 2}


def test_another_tree_or_order_is_not_declared() -> None:
    encoded = coded(some_rows())
    grid = everything(encoded)
    other = Schema(
        ["zip", "schooling"],
        "diagnosis",
        taxonomies={"zip": Taxonomy.from_prefixes(ZIPS, keep=(3,))},
        orders={"schooling": ORDER[::-1]},
        others="drop",
    )
    frame = pd.DataFrame(some_rows(), columns=["age", "sex", "zip", "schooling", "diagnosis"])
    turned = encode(Table.from_frame(frame), other)
    for name in ("zip", "schooling"):
        with pytest.raises(ParameterError, match=f"'{name}' is not the one that was declared"):
            dp.contingency_table(turned, {name: grid[name]}, DIAGNOSES)
    assert digest_of(encoded.qids[0]) == ""
    # A missing value adds a leaf to the tree in use, not to the one that is declared.
    assert digest_of(coded([("?", "f", "?", "?", "Flu"), *some_rows()]).qids[2]) == grid["zip"].digest


def test_large_grids_and_unknown_columns() -> None:
    encoded = coded(some_rows())
    many = r"\(40,001 x 3 x 4 x 4 sensitive values\); at most 1,000,000.*wider bins, first of all of 'age'"
    with pytest.raises(LimitError, match=many):
        dp.contingency_table(
            encoded,
            {
                "age": Declared("range", low=0, high=1e4, width=0.25),
                "sex": everything(encoded)["sex"],
                "zip": everything(encoded)["zip"],
            },
            DIAGNOSES,
        )
    with pytest.raises(ParameterError, match="'income' is no quasi-identifier"):
        dp.contingency_table(encoded, {"income": AGES}, DIAGNOSES)


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
        Declared.from_json(wrong)


@pytest.mark.parametrize(
    "declared",
    [
        AGES,
        DIAGNOSES,
        Declared(OPEN),
        Declared(OPEN, width=5),
        Declared("tree", level=2, digest="ab", rest=False),
        Declared("order", groups=3, source="the ministry's list"),
    ],
)
def test_there_and_back(declared: Declared) -> None:
    assert Declared.from_json(declared.to_json()) == declared


# ---- suggestions -----------------------------------------------------------------------------


def test_suggestions_are_of_public_things_alone() -> None:
    """The same for a table with other records; none where only the data could tell."""
    found = []
    for rows in (some_rows(), [("97", "Lonely Farm", "97001", "doctorate", "Ebola"), *some_rows()[1:]]):
        encoded = coded(rows)
        found.append([suggest(domain) for domain in encoded.qids] + [suggest(encoded.sensitive, sensitive=True)])
    assert found[0] == found[1]
    age, sex, zips, schooling, diagnosis = found[0]
    assert age is not None
    assert sex is not None
    assert zips is not None
    assert schooling is not None
    assert age.declared == AGES
    assert sex.declared.values == ("f", "m")
    assert (zips.declared.kind, zips.declared.level, schooling.declared.kind) == ("tree", 1, "order")
    assert diagnosis is None


# ---- what may be published -------------------------------------------------------------------


def test_an_undeclared_column_is_not_published() -> None:
    table = dp.contingency_table(coded(some_rows()), {"sex": Declared(OPEN)}, DIAGNOSES)
    with pytest.raises(ParameterError, match=r"'sex' are not declared.*declare its domain, or leave out rare"):
        publish(table, mechanism("laplace", 1.0))


def test_the_statement_lists_what_is_public() -> None:
    encoded = coded(some_rows())
    table = dp.contingency_table(
        encoded, everything(encoded), Declared("values", values=("Flu",), rest=False, source="list\nof 2025")
    )
    said = publish(table, mechanism("laplace", 0.5)).statement()
    for line in (
        "- the number of records of the table, 40",
        "- the names of the columns, and that these were chosen",
        "- how the file is written: its kinds of columns, its decimal mark and its marks of missing values",
        (
            "- age: 0 to 120 by 10, 13 bins; numbers outside are counted in the first or last bin; else in the bin "
            '"other or missing"'
        ),
        (
            "- diagnosis: 1 listed value, 1 bin; as listed in the table of counts; else the record is not counted "
            "(source: list of 2025)"
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
    with pytest.raises(ParameterError, match="do not keep their promise"):
        thresholded(np.ones(3, dtype=np.int64), chosen, Threshold(5, 1e-6))
    with pytest.raises(ParameterError, match="Laplace"):
        threshold_for(mechanism("gaussian", 1.0, 1e-6), 1e-6)
    with pytest.raises(ParameterError):
        threshold_for(chosen, 0)


def test_rare_values_are_not_told_and_common_ones_are() -> None:
    rows = [("30", "f", "13012", "none", "Flu")] * 300 + [("40", "m", "13012", "none", "Cold")] * 300
    rows.append(("97", "Lonely Farm", "97001", "doctorate", "Ebola"))
    table = dp.contingency_table(coded(rows), {"age": Declared(OPEN, width=10), "sex": Declared(OPEN)}, Declared(OPEN))
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
    assert f"at least {threshold_for(chosen, 1e-9).least}" in said
    assert "- sex: nothing; its values are not declared" in said
    assert "numbers in steps of 10 from 0" in said
    assert (found.cost.epsilon, found.cost.delta, found.published_cells) == (1.0, 1e-9, 2)
    assert "Ebola" not in frame.to_csv() + said

"""Roles and kinds, and from text to codes: missing values, refusals that name no cell, extreme numbers, JSON."""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import DateFormat
from core.base.errors import CompositionError, LimitError, SchemaError, TaxonomyError
from core.data.encoding.columns import MAX_CATEGORIES
from core.data.encoding.domain import MISSING, Domain, number_text
from core.data.encoding.encoded import encode
from core.data.schemas.schema import ColumnType, Role, Schema
from core.data.schemas.schema_file import SchemaInFile, read_schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.table import Table
from tests.reference import mondrian as twin
from tests.strategies import Case, cases, cell_text, message_of

TREE = Taxonomy.from_nested({"Europe": ["Italy", "Poland"], "Asia": ["Japan"]})


def table(decimal: str = ".", **columns: list[Any]) -> Table:
    """Give the text columns asked for, and a sensitive column s if there is none."""
    n = len(next(iter(columns.values())))
    columns.setdefault("s", ["x", "y", "z", "x", "y"][:n])
    columns["s"] = (columns["s"] * n)[:n]
    return Table.from_frame(pd.DataFrame(columns, dtype=object), decimal=decimal)


def qid(values: list[Any], decimal: str = ".", **schema: Any) -> tuple[Domain, list[str]]:
    """Encode one quasi-identifier: its domain, and the label of every record."""
    encoded = encode(table(decimal, q=values), Schema(["q"], "s", **schema))
    domain = encoded.qids[0]
    return domain, [domain.labels[code] for code in encoded.codes[0]]


# ---- kinds ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "column_type"),
    [
        (["1", "20", "3"], ColumnType.NUMERIC),
        (["-1", "+2", "0"], ColumnType.NUMERIC),
        (["1.5", ".5", "2."], ColumnType.NUMERIC),
        (["0.5", "0", "-0.25"], ColumnType.NUMERIC),
        (["1e3", "2E-2", "5"], ColumnType.NUMERIC),
        ([" 1", "2 ", "3"], ColumnType.NUMERIC),
        (["1", "", "3"], ColumnType.NUMERIC),
        (["01", "2", "3"], ColumnType.CATEGORICAL),
        (["13012", "01301", "20000"], ColumnType.CATEGORICAL),
        (["-01", "2", "3"], ColumnType.CATEGORICAL),
        (["1,5", "2", "3"], ColumnType.CATEGORICAL),
        (["1", "two", "3"], ColumnType.CATEGORICAL),
        (["nan", "1", "2"], ColumnType.CATEGORICAL),
        (["inf", "1", "2"], ColumnType.CATEGORICAL),
        (["1e999", "1", "2"], ColumnType.CATEGORICAL),
        (["0x10", "1", "2"], ColumnType.CATEGORICAL),
        (["1_000", "1", "2"], ColumnType.CATEGORICAL),
        (["2020-01-31", "2021-02-28", "2020-03-01"], ColumnType.DATE),
        (["31.01.2020", "1", "2"], ColumnType.CATEGORICAL),
        (["12:30", "1", "2"], ColumnType.CATEGORICAL),
    ],
)
def test_kind_is_inferred(values: list[str], column_type: ColumnType) -> None:
    assert qid(values)[0].column_type is column_type


def test_decimal_comma() -> None:
    domain, labels = qid(["1,5", "2", "-0,25"], decimal=",")
    assert domain.column_type is ColumnType.NUMERIC
    assert labels == ["1.5", "2", "-0.25"]
    assert qid(["1.500,5", "2", "3"], decimal=",")[1] == ["1500.5", "2", "3"]


def test_declared_kinds_come_before_inferred_ones() -> None:
    assert qid(["01", "2", "10"], column_types={"q": "numeric"})[1] == ["1", "2", "10"]
    assert qid(["1", "2", "10"], column_types={"q": "categorical"})[0].labels == ("1", "10", "2")
    assert qid(["Italy", "Japan"], taxonomies={"q": TREE})[0].column_type is ColumnType.TAXONOMY
    assert qid(["b", "a"], orders={"q": ["b", "a"]})[0].column_type is ColumnType.ORDINAL
    assert qid(["Italy", "Japan"], taxonomies={"q": TREE}, column_types={"q": "categorical"})[0].taxonomy is None


def test_numbers_are_ordered_by_value_and_equal_numbers_are_one() -> None:
    domain, labels = qid(["10", "9", "1e1", "9.0", "-3"])
    assert domain.labels == ("-3", "9", "10")
    assert labels == ["10", "9", "10", "9", "-3"]


@pytest.mark.parametrize(
    ("number", "text"),
    [(3.0, "3"), (-0.0, "0"), (0.1, "0.1"), (1e14, "100000000000000"), (-2.5, "-2.5"), (1e300, "1e+300")],
)
def test_shortest_text_of_a_number(number: float, text: str) -> None:
    assert number_text(number) == text


@settings(max_examples=80, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_text_reads_back(number: float) -> None:
    assert float(number_text(number)) == number


# ---- every record keeps its value ------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(cases(rows=(2, 25)))
def test_codes_stand_for_the_cells(case: Case) -> None:
    encoded = case.encoded
    for attribute, domain, codes in zip(case.qids, encoded.qids, encoded.codes, strict=True):
        texts = [cell_text(value) or domain.labels[domain.missing] for value in attribute.values]
        assert [domain.labels[code] for code in codes] == texts
        assert len(set(domain.labels)) == domain.size
        assert (domain.missing == domain.size - 1) if attribute.has_missing else (domain.missing == -1)
    secrets = [encoded.sensitive.labels[code] for code in encoded.sensitive_codes]
    assert secrets == [
        cell_text(v) or encoded.sensitive.labels[encoded.sensitive.missing] for v in case.sensitive.values
    ]
    assert encoded.overall.tolist() == [secrets.count(label) for label in encoded.sensitive.labels]


@settings(max_examples=80, deadline=None)
@given(cases(rows=(2, 12), qids=2), st.data())
def test_width_and_cover_of_a_region_equal_the_twin(case: Case, data: st.DataObject) -> None:
    encoded = case.encoded
    members = data.draw(st.lists(st.integers(0, len(case) - 1), min_size=1, max_size=5))
    for attribute, domain, codes in zip(case.qids, encoded.qids, encoded.codes, strict=True):
        low, high = codes[members].min(keepdims=True), codes[members].max(keepdims=True)
        width = domain.width(low, high)
        if low != high or attribute.column_type in ("categorical", "taxonomy"):
            assert width[0] == float(twin.width(attribute, members))
        else:
            assert width[0] == 0
        first, last = domain.cover(low, high)
        if domain.taxonomy is None:
            assert (first, last) == (low, high)
        else:
            above = twin.common_path(attribute, members)
            under = [label for label in (*attribute.labels(), None) if attribute.path(label)[: len(above)] == above]
            under = under if attribute.has_missing else [label for label in under if label is not None]
            texts = [domain.labels[-1] if label is None else label for label in under]
            assert list(domain.labels[first[0] : last[0] + 1]) == texts


# ---- missing values ----------------------------------------------------------------------------

GAPS = {"q": ["1", "", "3", "4", "5"], "p": ["a", "b", "", "d", "a"], "s": ["x", "y", "x", "", "y"]}


@pytest.mark.parametrize(
    ("missing", "rows"), [("category", [0, 1, 2, 3, 4]), ("drop", [0, 3, 4]), ("complete", [0, 4])]
)
def test_records_with_a_missing_value_are_kept_or_left_out_as_wished(missing: str, rows: list[int]) -> None:
    encoded = encode(table(**GAPS), Schema(["q", "p"], "s", missing=missing))
    assert encoded.rows.tolist() == rows
    assert encoded.dropped == 5 - len(rows)
    assert encoded.overall.sum() == len(rows)


@pytest.mark.parametrize(
    "schema",
    [
        {"column_types": {"q": "numeric"}},
        {"orders": {"q": ["1", "2"]}},
        {"column_types": {"q": "categorical"}},
        {"taxonomies": {"q": Taxonomy.flat(["1", "2"])}},
    ],
    ids=str,
)
def test_dropping_leaves_no_trace_of_missing_in_any_kind(schema: dict[str, Any]) -> None:
    domain, labels = qid(["1", "2", "", "1"], missing="drop", **schema)
    assert labels == ["1", "2", "1"]
    assert domain.labels == ("1", "2")
    assert domain.missing == -1
    assert domain.taxonomy is None or domain.taxonomy.leaf_labels == ("1", "2")
    assert domain.width(np.array([0]), np.array([1]))[0] == 1


def test_a_value_that_reads_like_the_missing_one_stays_apart() -> None:
    domain, labels = qid(["(missing)", "", "a"])
    assert labels == ["(missing)", "((missing))", "a"]
    assert domain.missing == 2
    tree = Taxonomy.from_nested({"(missing)": ["a", "b"]})
    domain, labels = qid(["a", "", "b"], taxonomies={"q": tree})
    assert labels == ["a", "((missing))", "b"]


def test_missing_tokens_are_missing_only_when_declared() -> None:
    assert qid(["NA", "?", "x"])[0].missing == -1
    domain, labels = qid(["NA", "?", "x", ""], missing_tokens=["NA", "?"])
    assert labels == [MISSING, MISSING, "x", MISSING]
    assert domain.labels == ("x", MISSING)


def test_missing_in_a_taxonomy_of_one_value() -> None:
    single = Taxonomy.from_levels([("a", "a")])  # merged into one node
    domain, labels = qid(["a", "", "a"], taxonomies={"q": single})
    assert labels == ["a", MISSING, "a"]
    assert domain.taxonomy.leaf_labels == domain.labels


# ---- refusals ------------------------------------------------------------------------------------

TOKEN = "SECRET-TOKEN-471"
REFUSALS: dict[str, tuple[Callable[[], Any], type[CompositionError], str, list[str]]] = {
    "a column is not there": (
        lambda: encode(table(q=[TOKEN, "b"]), Schema(["gone"], "s", unassigned="drop")),
        SchemaError,
        "gone",
        ["'gone'", "among its 2 columns"],
    ),
    "a column has no role": (
        lambda: encode(table(q=["a", "b"], more=[TOKEN, "b"]), Schema(["q"], "s")),
        SchemaError,
        "more",
        ["Column 2 of the table", "unassigned='drop'"],
    ),
    "a column is empty": (
        lambda: encode(table(q=["", ""], s=[TOKEN, "b"]), Schema(["q"], "s")),
        SchemaError,
        "q",
        ["'q'"],
    ),
    "a column holds tokens for missing only": (
        lambda: encode(table(q=[TOKEN, ""]), Schema(["q"], "s", missing_tokens=[TOKEN])),
        SchemaError,
        "q",
        ["'q'"],
    ),
    "the sensitive column is empty": (
        lambda: encode(table(q=[TOKEN, "b"], s=["", ""]), Schema(["q"], "s")),
        SchemaError,
        "s",
        ["'s'"],
    ),
    "the sensitive column has one value": (
        lambda: encode(table(q=["a", "b"], s=[TOKEN, TOKEN]), Schema(["q"], "s")),
        SchemaError,
        "s",
        ["'s'", "one value"],
    ),
    "the sensitive column has one value and missing ones": (
        lambda: encode(table(q=["a", "b", "c"], s=[TOKEN, "", TOKEN]), Schema(["q"], "s")),
        SchemaError,
        "s",
        ["'s'", "one value"],
    ),
    "the sensitive column differs in every record": (
        lambda: encode(table(q=["a"] * 30, s=[f"{TOKEN}{i}" for i in range(30)]), Schema(["q"], "s")),
        SchemaError,
        "s",
        ["'s'", "identifier"],
    ),
    "a numeric column holds words": (
        lambda: encode(table(q=["1", TOKEN, TOKEN, "2"]), Schema(["q"], "s", column_types={"q": "numeric"})),
        SchemaError,
        "q",
        ["'q'", "2 of 4", "categorical"],
    ),
    "a numeric column overflows": (
        lambda: encode(table(q=["1", "1e999"], s=[TOKEN, "b"]), Schema(["q"], "s", column_types={"q": "numeric"})),
        SchemaError,
        "q",
        ["'q'", "too large"],
    ),
    "a numeric column spans more than a number can": (
        lambda: encode(table(q=["-1.1e308", "1.1e308"], s=[TOKEN, "b"]), Schema(["q"], "s")),
        SchemaError,
        "q",
        ["'q'", "too large"],
    ),
    "an order lacks values": (
        lambda: encode(table(q=["lo", TOKEN, "hi", TOKEN]), Schema(["q"], "s", orders={"q": ["lo", "mid"]})),
        TaxonomyError,
        "q",
        ["order of 'q'", "2 of its 3", "record 2"],
    ),
    "a taxonomy lacks values": (
        lambda: encode(table(q=["Italy", "Poland", TOKEN]), Schema(["q"], "s", taxonomies={"q": TREE})),
        TaxonomyError,
        "q",
        ["taxonomy of 'q'", "1 of its 3", "record 3"],
    ),
    "a cell is an inner node": (
        lambda: encode(table(q=["Italy", "Europe", TOKEN]), Schema(["q"], "s", taxonomies={"q": TREE})),
        TaxonomyError,
        "q",
        ["2 of its 3", "record 2"],
    ),
    "every record misses something": (
        lambda: encode(table(q=[TOKEN, ""], p=["", "b"]), Schema(["q", "p"], "s", missing="drop")),
        SchemaError,
        "missing",
        ["missing"],
    ),
    "too many categories": (
        lambda: encode(
            table(q=[f"{TOKEN}{i}" for i in range(MAX_CATEGORIES + 1)], s=["a", "b", "c"]), Schema(["q"], "s")
        ),
        LimitError,
        "q",
        ["'q'", "50,001", "50,000"],
    ),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_refusals_name_the_column_and_no_cell(what: str) -> None:
    call, error_class, parameter, said = REFUSALS[what]
    with pytest.raises(error_class) as caught:
        call()
    error: BaseException | None = caught.value
    assert caught.value.parameter == parameter
    for text in said:
        assert text in str(error)
    while error is not None:
        assert TOKEN not in str(error)
        assert "1e308" not in str(error)
        error = error.__cause__ or error.__context__


def test_a_long_or_hostile_header_is_shown_short_and_on_one_line() -> None:
    name = "q\n" + "<b>" * 60
    said = message_of(lambda: encode(table(q=["a", "b"]), Schema([name], "s", unassigned="drop")), SchemaError)
    assert "\n" not in said
    assert len(said) < 300


# ---- extremes ------------------------------------------------------------------------------------


def test_the_widest_span_a_number_allows() -> None:
    domain, labels = qid(["0", "1e308", "5e307", "-1e-308"])
    assert domain.column_type is ColumnType.NUMERIC
    assert labels == ["0", "1e+308", "5e+307", "-1e-308"]
    assert domain.width(np.array([0, 1]), np.array([3, 2])).tolist() == [1.0, 0.5]


def test_the_smallest_span_a_number_allows() -> None:
    domain, _ = qid(["0", "5e-324"])
    assert domain.width(np.array([0]), np.array([1])).tolist() == [1.0]


# ---- parts of a table ----------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_take_equals_encoding_the_part(data: st.DataObject) -> None:
    case = data.draw(cases(rows=(3, 25)))
    rows = data.draw(st.lists(st.integers(0, len(case) - 1), min_size=1, unique=True))
    try:
        alone = case.take(rows).encoded
    except SchemaError:
        return
    whole = case.encoded
    part = whole.take(np.array(rows))
    assert part.rows.tolist() == rows
    for one, other in zip(part.qids, alone.qids, strict=True):
        assert one.labels == other.labels
        assert one.missing == other.missing
        assert one.taxonomy is None or one.taxonomy.labels == other.taxonomy.labels
    assert np.array_equal(part.codes, alone.codes)
    assert [part.sensitive.labels[code] for code in part.sensitive_codes] == [
        alone.sensitive.labels[code] for code in alone.sensitive_codes
    ]


# ---- roles, and the stored form of a schema ----------------------------------------------------

PLACES = replace(Taxonomy.from_nested({"Europe": ["Italy", "Poland"], "Asia": ["Japan"]}), one_node=True)
FULL = Schema(
    ["age", "place", "grade", "seen"],
    "disease",
    identifiers=["name"],
    provider="hospital",
    person="patient",
    one_record="random",
    record_seed=4,
    other=["notes"],
    column_types={"age": "numeric", "place": "taxonomy"},
    taxonomies={"place": PLACES},
    orders={"grade": ["lo", "hi"]},
    dates={"seen": DateFormat("%d/%m/%Y", "month")},
    missing="drop",
    missing_tokens=["?"],
    unassigned="drop",
)


def test_every_declared_column_has_its_role() -> None:
    assert dict(FULL.roles()) == {
        "age": Role.QUASI_IDENTIFIER,
        "place": Role.QUASI_IDENTIFIER,
        "grade": Role.QUASI_IDENTIFIER,
        "seen": Role.QUASI_IDENTIFIER,
        "disease": Role.SENSITIVE,
        "name": Role.IDENTIFIER,
        "hospital": Role.PROVIDER,
        "patient": Role.PERSON,
        "notes": Role.OTHER,
    }
    assert FULL.column_types == {"age": ColumnType.NUMERIC, "place": ColumnType.TAXONOMY}
    assert FULL.missing_tokens == ("", "?")


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({"quasi_identifiers": []}, "quasi_identifiers"),
        ({"quasi_identifiers": "age"}, "quasi_identifiers"),
        ({"identifiers": "age"}, "identifiers"),
        ({"other": "age"}, "other"),
        ({"unmodified": "age"}, "unmodified"),
        ({"sensitive": ""}, "sensitive"),
        ({"sensitive": []}, "sensitive"),
        ({"sensitive": [1]}, "sensitive"),
        ({"one_record": "best", "person": "p"}, "one_record"),
        ({"one_record": "first"}, "one_record"),
        ({"dates": {"a": DateFormat(form="%Q")}}, "a"),
        ({"dates": {"a": DateFormat(unit="hour")}}, "a"),
        ({"dates": {"zz": DateFormat()}}, "zz"),
        ({"missing": "maybe"}, "missing"),
        ({"unassigned": "keep"}, "unassigned"),
        ({"column_types": {"a": "colour"}}, "a"),
        ({"column_types": {"zz": "numeric"}}, "zz"),
        ({"taxonomies": {"zz": PLACES}}, "zz"),
        ({"orders": {"zz": ["a"]}}, "zz"),
        ({"column_types": {"a": "taxonomy"}}, "a"),
        ({"column_types": {"a": "ordinal"}}, "a"),
        ({"orders": {"a": ["x", "y", "x"]}}, "a"),
    ],
    ids=str,
)
def test_what_is_no_schema_is_refused_by_name(arguments: dict[str, Any], parameter: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema(**{"quasi_identifiers": ["a", "b"], "sensitive": "s", **arguments})
    assert caught.value.parameter == parameter


NAMING = {
    name: "Sequence" in parameter.annotation
    for name, parameter in inspect.signature(Schema).parameters.items()
    if parameter.annotation.startswith(("str | ", "Sequence[str")) and name not in ("one_record", "parts")
}
"""Arguments of a schema that name columns, and whether each takes several."""


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations_with_replacement(NAMING, 2)))
def test_no_column_is_named_twice(first: str, second: str) -> None:
    arguments: dict[str, Any] = {"quasi_identifiers": ["q"], "sensitive": ["s"]}
    for name in (first, second):
        arguments[name] = [*arguments.get(name, []), "twice"] if NAMING[name] else "twice"
    if first == second and not NAMING[first]:
        arguments["other"] = ["twice"]
    with pytest.raises(SchemaError, match="'twice'") as caught:
        Schema(**arguments)
    assert caught.value.parameter == "twice"


# ---- against a table -------------------------------------------------------------------------


@pytest.mark.parametrize("gone", ["a", "s", "id", "p", "o"])
def test_a_declared_column_must_be_there(gone: str) -> None:
    schema = Schema(["a"], "s", identifiers=["id"], provider="p", other=["o"], unassigned="drop")
    with pytest.raises(SchemaError) as caught:
        encode(Table.from_frame(pd.DataFrame({name: ["x", "y"] for name in {*"aspoq", "id"} - {gone}})), schema)
    assert caught.value.parameter == gone


def test_only_needed_columns_need_be_there() -> None:
    schema = Schema(["a"], "s", identifiers=["id"])
    schema.check_columns(["a", "s"], need=["a", "s"])
    with pytest.raises(SchemaError):
        schema.check_columns(["a"], need=["a", "s"])


# ---- JSON --------------------------------------------------------------------------------------

NAMES = st.text(min_size=1, max_size=8)


def round_trip(schema: Schema) -> Schema:
    return read_schema(json.loads(json.dumps(schema.to_json())))


def test_json_round_trip() -> None:
    assert round_trip(FULL) == FULL
    assert round_trip(Schema(["a"], "s")) == Schema(["a"], "s")


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, min_size=2, max_size=6, unique=True), st.lists(NAMES, max_size=4, unique=True))
def test_json_round_trip_of_any_names(names: list[str], order: list[str]) -> None:
    schema = Schema(names[1:], names[0], orders={names[1]: order}, missing_tokens=order)
    assert round_trip(schema) == schema


HOSTILE: list[Any] = [
    {},
    {"sensitive": "s"},
    {"quasi_identifiers": ["a"]},
    {"quasi_identifiers": "a", "sensitive": "s"},
    {"quasi_identifiers": [1], "sensitive": "s"},
    {"quasi_identifiers": None, "sensitive": "s"},
    {"quasi_identifiers": {"a": 1}, "sensitive": 5},
    {"quasi_identifiers": ["a"], "sensitive": 5},
    {"quasi_identifiers": ["a"], "sensitive": []},
    {"quasi_identifiers": ["a"], "sensitive": ["s", 1]},
    {"quasi_identifiers": ["a"], "sensitive": ["s", ""]},
    {"quasi_identifiers": ["a"], "sensitive": ["s", "s"]},
    {"quasi_identifiers": ["a"], "sensitive": None},
    {"quasi_identifiers": ["a"], "sensitive": "s", "surprise": 1},
    {"quasi_identifiers": ["a"], "sensitive": "s", "__class__": "x"},
    {"quasi_identifiers": ["a"], "sensitive": "s", "provider": 3},
    {"quasi_identifiers": ["a"], "sensitive": "s", "provider": ["p"]},
    {"quasi_identifiers": ["a"], "sensitive": "s", "person": 3},
    {"quasi_identifiers": ["a"], "sensitive": "s", "person": "p", "one_record": 1},
    {"quasi_identifiers": ["a"], "sensitive": "s", "person": "p", "record_seed": "x"},
    {"quasi_identifiers": ["a"], "sensitive": "s", "kinds": ["a"]},
    {"quasi_identifiers": ["a"], "sensitive": "s", "kinds": {"a": 7}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "kinds": {"a": ["numeric"]}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "kinds": {"a": {}}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "kinds": None},
    {"quasi_identifiers": ["a"], "sensitive": "s", "taxonomies": {"a": 1}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "taxonomies": {"a": {}}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "taxonomies": {"a": {"labels": ["x"], "parents": []}}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "taxonomies": {"a": {"labels": 5, "parents": 5}}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "taxonomies": {"a": {"labels": ["x", "y"], "parents": [-1, "q"]}}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "taxonomies": {"a": {"labels": ["x", "y"], "parents": [-1, 7]}}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "taxonomies": {"a": {"labels": ["x", "x"], "parents": [-1, 0]}}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "taxonomies": {"a": {"labels": ["x"], "parents": [1e999]}}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "orders": {"a": "xyz"}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "orders": {"a": [1, 2]}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "orders": {"a": None}},
    {"quasi_identifiers": ["a"], "sensitive": "s", "orders": 3},
    {"quasi_identifiers": ["a"], "sensitive": "s", "date_units": ["month"]},
    {"quasi_identifiers": ["a"], "sensitive": "s", "missing": 3},
    {"quasi_identifiers": ["a"], "sensitive": "s", "missing": ["drop"]},
    {"quasi_identifiers": ["a"], "sensitive": "s", "unassigned": None},
    {"quasi_identifiers": ["a"], "sensitive": "s", "missing_tokens": "NA"},
    {"quasi_identifiers": ["a"], "sensitive": "s", "missing_tokens": [None]},
    {"quasi_identifiers": ["a"], "sensitive": "s", "identifiers": "x"},
    {"quasi_identifiers": ["a"], "sensitive": "s", "other": 3},
    [],
    None,
    "schema",
    5,
]


@pytest.mark.parametrize("data", HOSTILE, ids=lambda data: str(data)[:70])
def test_hostile_json_is_a_schema_error(data: Any) -> None:
    with pytest.raises(SchemaError):
        read_schema(data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SchemaInFile.__struct_fields__), VALUES)
def test_any_json_in_any_field_is_a_schema_or_a_schema_error(field: str, value: Any) -> None:
    data = {"quasi_identifiers": ["a"], "sensitive": "s", field: value}
    try:
        schema = read_schema(data)
    except SchemaError:
        return
    assert round_trip(schema) == schema


@settings(max_examples=100, deadline=None)
@given(st.lists(VALUES, max_size=5), st.lists(VALUES, max_size=5))
def test_any_json_as_a_taxonomy_is_a_taxonomy_or_a_schema_error(labels: list[Any], parents: list[Any]) -> None:
    trees = {"a": {"labels": labels, "parents": parents}}
    try:
        schema = read_schema({"quasi_identifiers": ["a"], "sensitive": "s", "taxonomies": trees})
    except SchemaError:
        return
    assert schema.taxonomies["a"].leaves >= 1

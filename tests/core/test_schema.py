"""Roles and kinds, and the stored form of a schema."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Dates
from core.base.errors import SchemaError
from core.data.encoding import encode
from core.data.schema import Kind, Role, Schema
from core.data.schema_file import SchemaInFile, read_schema
from core.data.table import Table
from core.data.taxonomy import Taxonomy

TREE = replace(Taxonomy.from_nested({"Europe": ["Italy", "Poland"], "Asia": ["Japan"]}), one_node=True)
FULL = Schema(
    ["age", "place", "grade", "seen"],
    "disease",
    identifiers=["name"],
    provider="hospital",
    person="patient",
    one_record="random",
    record_seed=4,
    other=["notes"],
    kinds={"age": "numeric", "place": "taxonomy"},
    taxonomies={"place": TREE},
    orders={"grade": ["lo", "hi"]},
    dates={"seen": Dates("%d/%m/%Y", "month")},
    missing="drop",
    missing_tokens=["?"],
    others="drop",
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
    assert FULL.kinds == {"age": Kind.NUMERIC, "place": Kind.TAXONOMY}
    assert FULL.missing_tokens == ("", "?")


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({"quasi_identifiers": []}, "quasi_identifiers"),
        ({"quasi_identifiers": "age"}, "quasi_identifiers"),
        ({"identifiers": "age"}, "identifiers"),
        ({"other": "age"}, "other"),
        ({"sensitive": ""}, "sensitive"),
        ({"sensitive": "a"}, "a"),
        ({"quasi_identifiers": ["a", "a"]}, "a"),
        ({"identifiers": ["a"]}, "a"),
        ({"identifiers": ["s"]}, "s"),
        ({"provider": "b"}, "b"),
        ({"other": ["s"]}, "s"),
        ({"identifiers": ["x"], "other": ["x"]}, "x"),
        ({"missing": "maybe"}, "missing"),
        ({"others": "keep"}, "others"),
        ({"kinds": {"a": "colour"}}, "a"),
        ({"kinds": {"zz": "numeric"}}, "zz"),
        ({"taxonomies": {"zz": TREE}}, "zz"),
        ({"orders": {"zz": ["a"]}}, "zz"),
        ({"kinds": {"a": "taxonomy"}}, "a"),
        ({"kinds": {"a": "ordinal"}}, "a"),
        ({"orders": {"a": ["x", "y", "x"]}}, "a"),
    ],
    ids=str,
)
def test_what_is_no_schema_is_refused_by_name(arguments: dict[str, Any], parameter: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Schema(**{"quasi_identifiers": ["a", "b"], "sensitive": "s", **arguments})
    assert caught.value.parameter == parameter


def test_a_column_in_two_roles_is_named_with_both() -> None:
    with pytest.raises(SchemaError, match=r"'a' is given two roles \(quasi-identifier and identifier\)"):
        Schema(["a"], "s", identifiers=["a"])


# ---- against a table -------------------------------------------------------------------------


def rows(*names: str) -> Table:
    return Table.from_frame(pd.DataFrame({name: ["x", "y", "z"] for name in names}))


@pytest.mark.parametrize("gone", ["a", "s", "id", "p", "o"])
def test_a_declared_column_must_be_there(gone: str) -> None:
    schema = Schema(["a"], "s", identifiers=["id"], provider="p", other=["o"], others="drop")
    with pytest.raises(SchemaError) as caught:
        encode(rows(*({"a", "s", "id", "p", "o", "q"} - {gone})), schema)
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
    {"quasi_identifiers": ["a"], "sensitive": ["s"]},
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
    {"quasi_identifiers": ["a"], "sensitive": "s", "others": None},
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

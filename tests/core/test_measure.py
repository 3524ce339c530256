"""Measured guarantees: against slow loops, and against what the policies declare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import FrequencyTable, Release
from core.algorithms import anonymize
from core.base.errors import SchemaError
from core.data.encoding.encoded import encode
from core.data.schemas.schema import Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.table import Table
from core.measurement import measure
from core.privacy.policy import DISTANCES, Policy
from core.release.remeasured import remeasured
from tests.reference.measure import measured
from tests.strategies import Case, cases

TREE = Taxonomy.from_nested({"viral": ["flu", "cold"], "other": ["cancer"]})


PLAIN = Schema(["q"], "s", column_types={"s": "categorical"})


# ---- the twin --------------------------------------------------------------------------------------

CELLS = ["*", "***", "{a, b}", "x", "", None, "NA"]


@settings(max_examples=100, deadline=None)
@given(data=st.data(), case=cases(rows=(2, 30), qids=1))
def test_measured_values_equal_the_twin(data: st.DataObject, case: Case) -> None:
    """Any frame is a published table: cells at random, secrets of every kind, some missing."""
    width = data.draw(st.integers(1, 3))
    n = len(case)
    cells = data.draw(st.lists(st.integers(0, len(CELLS) ** width - 1), min_size=n, max_size=n))
    columns = np.array(np.unravel_index(cells, [len(CELLS)] * width))
    table = pd.DataFrame({f"q{i}": [CELLS[c] for c in column] for i, column in enumerate(columns)}, dtype=object)
    secrets = case.frame["s"].astype(object)
    blank = data.draw(st.sampled_from(["", None, float("nan")]))
    table["s"] = [blank if secret == "" else secret for secret in secrets]
    if data.draw(st.booleans()):
        table = table.astype("category")
    names = [f"q{i}" for i in range(width)]
    schema = case.schema.with_(
        quasi_identifiers=names,
        column_types={"s": case.sensitive.column_type},
        taxonomies={n: t for n, t in case.schema.taxonomies.items() if n == "s"},
        orders={n: o for n, o in case.schema.orders.items() if n == "s"},
    )
    # A reader of the file sees no difference between a missing cell and an empty one.
    expected = measured([[CELLS[c] or "" for c in column] for column in columns.T], case.sensitive)
    for distance in DISTANCES if case.sensitive.column_type == "taxonomy" else DISTANCES[:2]:
        found = measure(table, schema, distance)
        assert (found.rows + found.suppressed, found.classes, found.k) == (n, len(expected.groups), expected.k)
        assert found.rows == sum(map(len, expected.groups))
        assert found.sizes.tolist() == [len(group) for group in expected.groups]
        assert found.distinct_l == expected.distinct_l
        assert found.entropy_l == pytest.approx(expected.entropy_l, abs=1e-9)
        assert found.entropy == pytest.approx(expected.entropies(), abs=1e-12)
        assert found.t_of_class == pytest.approx([float(d) for d in expected.distances(distance)], abs=1e-12)
        assert found.t == pytest.approx(expected.t(distance), abs=1e-12)
        for l in range(1, 6):  # noqa: E741
            assert found.recursive_c(l) == expected.recursive_c(l)


def test_numbers_with_a_decimal_comma_lie_in_the_order_of_numbers() -> None:
    values = {",": ["10,5", "10,5", "9,5", "11,5"], ".": ["10.5", "10.5", "9.5", "11.5"]}
    found = [
        measure(
            Table.from_frame(pd.DataFrame({"q": list("aabb"), "s": texts}), decimal), Schema(["q"], "s"), "ordered"
        ).t
        for decimal, texts in values.items()
    ]
    assert found[0] == found[1] == pytest.approx(0.25)


# ---- forms of the same table ---------------------------------------------------------------------------


def test_the_type_of_the_columns_does_not_matter() -> None:
    table = pd.DataFrame({"q": ["a", "a", None, None, "b", "b"], "r": ["c"] * 6, "s": ["x", None, "x", "y", "y", None]})
    schema = Schema(["q", "r"], "s", taxonomies={"s": Taxonomy.flat(["x", "y"])})
    for distance in DISTANCES:
        forms = [
            table.astype(object),
            table.astype("category"),
            table.astype("string"),
            table.astype("str").where(table.notna()),
            table.astype(object).where(table.notna(), ""),
            table.astype(object).where(table.notna(), np.nan),
            table.astype(object).where(table.notna(), pd.NA),
        ]
        found = [measure(form, schema, distance) for form in forms]
        for one in found:
            assert (one.rows, one.classes, one.k, one.distinct_l) == (6, 3, 2, 1)
            assert one.entropy_l == pytest.approx(1)
            assert one.t == pytest.approx(found[0].t)


TREES = Table.from_frame(pd.DataFrame({"q": list("uvx"), "s": list("sts")}))


@pytest.mark.parametrize("data", [TREES, FrequencyTable.of(TREES, TREES.names, np.array([2, 1, 2]))])
def test_the_root_of_a_tree_is_no_record_left_out(data: Table | FrequencyTable) -> None:
    schema = Schema(["q"], "s", taxonomies={"q": Taxonomy.from_nested({"a": ["x", "y"], "b": ["u", "v"]})})
    release = Release.of(encode(data, schema), np.array([0, 1, 0]), Policy(1), "mondrian")
    found = remeasured(release, schema)
    assert (found.classes, found.k) == (2, 1)


NUMBERS = pd.DataFrame({"q": ["1", "1", "2", "2"], "s": ["10", "9", "9", "10"]})
PRESENT_OR_NOT = pd.DataFrame({"q": ["a", "a", "b", "b"], "s": ["x", "", "x", "?"]})


@pytest.mark.parametrize(
    ("table", "more", "distance", "distinct", "t"),
    [
        *((NUMBERS.astype(kinds), {}, "ordered", 2, 0) for kinds in (str, int, {"s": int})),
        (pd.DataFrame({"q": ["1", "1"], "s": [5, "5"]}, dtype=object), {}, "equal", 1, 0),
        # pandas turns a column of whole numbers with a gap into floats.
        (
            pd.DataFrame({"q": ["a", "a", "b", "b"], "s": [1, 2, 3, None]}),
            {"orders": {"s": ["1", "2", "3"]}},
            "ordered",
            1,
            (0.25 + 0.5 + 0.25) / 3,
        ),
        *((PRESENT_OR_NOT, {"missing_tokens": ["?"]}, distance, 1, 0) for distance in ("equal", "ordered")),
        (
            pd.DataFrame({"q": ["a", "a", "b"], "s": ["x", "y", None]}),
            {"taxonomies": {"s": Taxonomy.from_nested({"(missing)": ["x", "y"]})}},
            "hierarchical",
            0,
            2 / 3,
        ),
        # Values outside the order do not matter for other distances.
        (pd.DataFrame({"q": ["a", "a"], "s": ["x", "new"]}), {"orders": {"s": ["x"]}}, "equal", 2, 0),
    ],
    ids=[
        "numbers as texts",
        "as numbers",
        "as both",
        "a number and its text are one value",
        "whole numbers beside missing ones are the values of the order",
        "all missing tokens are one value",
        "all missing tokens are one value, ordered",
        "a node that is called missing is not the missing value",
        "a value outside the order",
    ],
)
def test_cells_of_every_form(table: pd.DataFrame, more: dict[str, Any], distance: str, distinct: int, t: float) -> None:
    found = measure(table, Schema(["q"], "s", **more), distance)
    assert (found.classes, found.distinct_l, found.t) == (table["q"].nunique(), distinct, pytest.approx(t))


def test_order_of_the_sensitive_values() -> None:
    # Values, declared orders and leaves come before the alphabet.
    table = pd.DataFrame({"q": ["a", "a", "b", "b"], "s": ["9", "10", "100", "100"]})
    by_value = measure(table, Schema(["q"], "s"), "ordered").t_of_class
    by_label = measure(table, PLAIN, "ordered").t_of_class
    other = ["9", "100", "10"]
    declared = measure(table, Schema(["q"], "s", orders={"s": other}), "ordered").t_of_class
    leaves = measure(table, Schema(["q"], "s", taxonomies={"s": Taxonomy.flat(other)}), "ordered").t_of_class
    assert by_value == pytest.approx([0.375, 0.375])  # 9, 10, 100
    assert by_label == pytest.approx([0.25, 0.25])  # 10, 100, 9: the other class lies between
    assert declared == pytest.approx([0.25, 0.25])
    assert leaves == pytest.approx([0.25, 0.25])


def test_policy_and_measure_order_a_column_with_an_order_and_a_tree_alike() -> None:
    source = pd.DataFrame({"q": [1, 1, 9, 9], "s": ["a", "b", "c", "c"]})
    schema = Schema(["q"], "s", orders={"s": ["a", "c", "b"]}, taxonomies={"s": Taxonomy.flat(["a", "b", "c"])})
    release = anonymize(Table.from_frame(source), schema, Policy(2))
    far = measure(release.publish(), schema, "ordered").t
    assert Policy(1, t=far, distance="ordered").is_satisfied(release.histogram, release.encoded.sensitive).all()
    lower = Policy(1, t=far - 0.01, distance="ordered")
    assert not lower.is_satisfied(release.histogram, release.encoded.sensitive).all()


# ---- refusals --------------------------------------------------------------------------------------------

TOKEN = "SECRET-TOKEN-471"


@pytest.mark.parametrize(
    ("table", "schema", "distance", "parameter"),
    [
        ({"q": [TOKEN]}, PLAIN, "equal", "s"),
        ({"s": [TOKEN]}, PLAIN, "equal", "q"),
        ({"q": ["a"], "s": [TOKEN]}, PLAIN, "far", "distance"),
        ({"q": ["a"], "s": [TOKEN]}, PLAIN, "hierarchical", "distance"),
        ({"q": ["a", "a"], "s": ["x", TOKEN]}, Schema(["q"], "s", orders={"s": ["x"]}), "ordered", "s"),
        ({"q": ["a", "a"], "s": ["flu", TOKEN]}, Schema(["q"], "s", taxonomies={"s": TREE}), "hierarchical", "s"),
        ({"q": ["a", "a"], "s": ["flu", TOKEN]}, Schema(["q"], "s", taxonomies={"s": TREE}), "ordered", "s"),
        ({"q": ["a", "a"], "s": ["5", TOKEN]}, Schema(["q"], "s", column_types={"s": "numeric"}), "ordered", "s"),
    ],
    ids=["no s", "no q", "distance", "no tree", "order", "tree", "tree, ordered", "numeric"],
)
def test_what_cannot_be_measured_is_refused_without_naming_a_cell(
    table: dict[str, list[str]], schema: Schema, distance: str, parameter: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        measure(pd.DataFrame(table, dtype=object), schema, distance)
    assert caught.value.parameter == parameter
    assert TOKEN not in str(caught.value)

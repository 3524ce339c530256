"""Several sensitive attributes as one column."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.combined import with_product
from core.data.table import Table
from core.errors import InputError, SchemaError

CELLS = st.sampled_from(["a", "b", "a + b", 'say "a"', "+", "", "?"])


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=20))
def test_equal_combinations_and_only_these_are_equal(rows):
    table = Table.from_frame(pd.DataFrame(rows, columns=["x", "y"]))
    made = with_product(table, ["x", "y"], missing_tokens=["?"]).column("x + y").texts()
    for one, first in zip(rows, made, strict=True):
        missing = {"", "?"} & set(one)
        assert (first == "") == bool(missing)
        for other, second in zip(rows, made, strict=True):
            if not missing and not {"", "?"} & set(other):
                assert (one == other) == (first == second)


def test_plain_labels_are_joined():
    table = Table.from_frame(pd.DataFrame({"x": ["flu", "cold"], "y": ["mild", "severe"], "z": ["1", "2"]}))
    made = with_product(table, ["x", "y"])
    assert made.names == ("x", "y", "z", "x + y")
    assert made.column("x + y").texts().tolist() == ["flu + mild", "cold + severe"]
    assert with_product(table, ["x", "y", "z"], "all").column("all").texts().tolist()[0] == "flu + mild + 1"


def test_refusals():
    table = Table.from_frame(pd.DataFrame({"x": ["a"], "y": ["b"], "x + y": ["c"]}))
    for columns in (["x"], ["x", "x"], []):
        with pytest.raises(SchemaError, match="two or more"):
            with_product(table, columns)
    with pytest.raises(SchemaError, match="already"):
        with_product(table, ["x", "y"])
    with pytest.raises(InputError, match="no column"):
        with_product(table, ["x", "q"])

"""Marginals: counted, given as weights, read from a file; every refusal names the column and no value."""

from __future__ import annotations

import collections

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from core.base.errors import InputError, ParameterError
from core.data.encoding.encoded import Encoded, encode
from core.data.encoding.marginals import Marginals
from core.data.schemas.schema import Schema
from core.data.tables.table import Table
from tests.strategies import Case, cases

SECRET = "neverseen"


@pytest.fixture
def encoded() -> Encoded:
    frame = pd.DataFrame(
        {
            "age": ["30", "30", "40", "", "50.5", "30"],
            "sex": list("fmfmff"),
            "illness": ["flu", "flu", "cold", "gout", "flu", "cold"],
        }
    )
    return encode(Table.from_frame(frame), Schema(["age", "sex"], "illness"))


def file(*rows: str, header: str = "column,value,share") -> bytes:
    return "\n".join([header, *rows]).encode()


def by_label(marginals: Marginals, encoded: Encoded) -> list[dict[str, float]]:
    domains = (*encoded.qids, encoded.sensitive)
    return [
        {label: float(p) for label, p in zip(domain.labels, share, strict=True) if p}
        for domain, share in zip(domains, marginals.shares, strict=True)
    ]


@settings(max_examples=50)
@given(case=cases())
def test_of_a_table_counts_its_values(case: Case) -> None:
    encoded = case.encoded
    marginals = Marginals.of(encoded)
    columns = (*case.qids, case.sensitive)
    assert marginals.names == marginals.from_table == tuple(a.name for a in columns)
    for place, attribute in enumerate(columns):
        share = marginals.shares[place]
        counted = collections.Counter(attribute.values)
        assert sorted(share[share > 0].tolist()) == pytest.approx(sorted(n / len(case) for n in counted.values()))
        assert share.sum() == pytest.approx(1)
    marginals.check(encoded)


def test_read(encoded: Encoded) -> None:
    marginals = Marginals.read(file("sex,f,0.2", "age,30.0,0.25", "age,,0.5", "age,50.5,0.25", "sex,m,0.8"), encoded)
    assert marginals.from_table == ("illness",)
    assert by_label(marginals, encoded) == [
        {"30": 0.25, "50.5": 0.25, "(missing)": 0.5},
        {"f": 0.2, "m": 0.8},
        {"flu": 3 / 6, "cold": 2 / 6, "gout": 1 / 6},
    ]


def test_read_a_decimal_comma_and_a_path(encoded: Encoded, tmp_path) -> None:
    path = tmp_path / "shares.csv"
    path.write_bytes(file("illness;gout;0,5", "illness;flu;0,5", "age;50,5;1", header="column;value;share"))
    marginals = Marginals.read(path, encoded)
    assert by_label(marginals, encoded)[::2] == [{"50.5": 1.0}, {"flu": 0.5, "gout": 0.5}]
    assert marginals.from_table == ("sex",)


def test_shares_nearly_one_are_made_one(encoded: Encoded) -> None:
    marginals = Marginals.read(file("sex,f,0.3333", "sex,m,0.6666"), encoded)
    assert marginals.probability(1).sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("content", "parameter", "words"),
    [
        (file("sex,f,1", header="column,value,chance"), "share", "no column 'share'"),
        (file("sex,f,0.5", f"{SECRET},m,0.5"), "column", "Record 2"),
        (file("sex,f,0.5", f"sex,{SECRET},0.5"), "sex", "Record 2"),
        (file("age,31,1"), "age", "Record 1"),
        (file("sex,,1"), "sex", "Record 1"),
        (file("age,30,0.5", "sex,f,1", "age,30.0,0.5"), "age", "Record 3"),
        (file("sex,f,-0.5", "sex,m,1.5"), "sex", "Record 1"),
        (file("sex,f,0.1", f"sex,m,{SECRET}"), "sex", "Record 2"),
        (file("sex,f,50", "sex,m,50"), "sex", "Record 1"),
        (file("sex,f,0.5", "sex,m,nan"), "sex", "Record 2"),
        (file("sex,f,0.5", "sex,m,0.502"), "sex", "sum to 1.002"),
        (file("sex,f,0", "sex,m,0"), "sex", "sum to 0"),
        (file("age,30,1", "sex,f,0.9"), "sex", "sum to 0.9"),
    ],
)
def test_what_is_refused_in_a_file(encoded: Encoded, content: bytes, parameter: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        Marginals.read(content, encoded)
    assert caught.value.parameter == parameter
    assert words in str(caught.value)
    assert SECRET not in str(caught.value)


def test_another_table_is_refused(encoded: Encoded) -> None:
    with pytest.raises(ParameterError) as caught:
        Marginals.of(encoded).check(encoded.take(np.array([0, 1])))
    assert caught.value.parameter == "age"

"""From text to codes: kinds, missing values, refusals that name no cell, extreme numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import CompositionError, LimitError, SchemaError, TaxonomyError
from core.data.domain import MISSING, Domain, number_text
from core.data.encoding import MAX_CATEGORIES, Encoded, encode
from core.data.schema import Kind, Schema
from core.data.table import Table
from core.data.taxonomy import Taxonomy
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
    ("values", "kind"),
    [
        (["1", "20", "3"], Kind.NUMERIC),
        (["-1", "+2", "0"], Kind.NUMERIC),
        (["1.5", ".5", "2."], Kind.NUMERIC),
        (["0.5", "0", "-0.25"], Kind.NUMERIC),
        (["1e3", "2E-2", "5"], Kind.NUMERIC),
        ([" 1", "2 ", "3"], Kind.NUMERIC),
        (["1", "", "3"], Kind.NUMERIC),
        (["01", "2", "3"], Kind.CATEGORICAL),
        (["13012", "01301", "20000"], Kind.CATEGORICAL),
        (["-01", "2", "3"], Kind.CATEGORICAL),
        (["1,5", "2", "3"], Kind.CATEGORICAL),
        (["1", "two", "3"], Kind.CATEGORICAL),
        (["nan", "1", "2"], Kind.CATEGORICAL),
        (["inf", "1", "2"], Kind.CATEGORICAL),
        (["1e999", "1", "2"], Kind.CATEGORICAL),
        (["0x10", "1", "2"], Kind.CATEGORICAL),
        (["1_000", "1", "2"], Kind.CATEGORICAL),
        (["2020-01-31", "2021-02-28", "2020-03-01"], Kind.DATE),
        (["31.01.2020", "1", "2"], Kind.CATEGORICAL),
        (["12:30", "1", "2"], Kind.CATEGORICAL),
    ],
)
def test_kind_is_inferred(values: list[str], kind: Kind) -> None:
    assert qid(values)[0].kind is kind


def test_decimal_comma() -> None:
    domain, labels = qid(["1,5", "2", "-0,25"], decimal=",")
    assert domain.kind is Kind.NUMERIC
    assert labels == ["1.5", "2", "-0.25"]
    assert qid(["1.500,5", "2", "3"], decimal=",")[0].kind is Kind.CATEGORICAL


def test_declared_kinds_come_before_inferred_ones() -> None:
    assert qid(["01", "2", "10"], kinds={"q": "numeric"})[1] == ["1", "2", "10"]
    assert qid(["1", "2", "10"], kinds={"q": "categorical"})[0].labels == ("1", "10", "2")
    assert qid(["Italy", "Japan"], taxonomies={"q": TREE})[0].kind is Kind.TAXONOMY
    assert qid(["b", "a"], orders={"q": ["b", "a"]})[0].kind is Kind.ORDINAL
    assert qid(["Italy", "Japan"], taxonomies={"q": TREE}, kinds={"q": "categorical"})[0].taxonomy is None


def test_numbers_are_ordered_by_value_and_equal_numbers_are_one() -> None:
    domain, labels = qid(["10", "9", "1e1", "9.0", "-3"])
    assert domain.labels == ("-3", "9", "10")
    assert labels == ["10", "9", "10", "9", "-3"]


def test_labels_are_ordered_by_code_point_orders_and_leaves_as_given() -> None:
    assert qid(["b", "a", "B", "é"])[0].labels == ("B", "a", "b", "é")
    assert qid(["b", "a"], orders={"q": ["c", "b", "a"]})[0].labels == ("c", "b", "a")
    assert qid(["Japan", "Italy"], taxonomies={"q": TREE})[0].labels == ("Italy", "Poland", "Japan")


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
    assert len(encoded) == len(case)
    for attribute, domain, codes in zip(case.qids, encoded.qids, encoded.codes, strict=True):
        texts = [cell_text(value) or domain.labels[domain.missing] for value in attribute.values]
        assert [domain.labels[code] for code in codes] == texts
        assert len(set(domain.labels)) == domain.size
        assert (domain.missing == domain.size - 1) if attribute.has_missing else (domain.missing == -1)
    secrets = [encoded.sensitive.labels[code] for code in encoded.secret]
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
        assert width.shape == (1,)
        if low != high or attribute.kind in ("categorical", "taxonomy"):
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


def gaps(missing: str) -> Encoded:
    return encode(
        table(**{name: list(cells) for name, cells in GAPS.items()}), Schema(["q", "p"], "s", missing=missing)
    )


@pytest.mark.parametrize(
    ("missing", "rows"), [("category", [0, 1, 2, 3, 4]), ("drop", [0, 3, 4]), ("complete", [0, 4])]
)
def test_records_with_a_missing_value_are_kept_or_left_out_as_wished(missing: str, rows: list[int]) -> None:
    encoded = gaps(missing)
    assert encoded.rows.tolist() == rows
    assert encoded.dropped == 5 - len(rows)
    assert encoded.overall.sum() == len(rows)


@pytest.mark.parametrize(
    "schema",
    [
        {"kinds": {"q": "numeric"}},
        {"orders": {"q": ["1", "2"]}},
        {"kinds": {"q": "categorical"}},
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
    domain, labels = qid(["a", "", "a"], taxonomies={"q": Taxonomy.flat(["a"])})
    assert labels == ["a", MISSING, "a"]
    single = Taxonomy.from_levels([("a", "a")])  # merged into one node
    domain, labels = qid(["a", "", "a"], taxonomies={"q": single})
    assert labels == ["a", MISSING, "a"]
    assert domain.taxonomy is not None
    assert domain.taxonomy.leaf_labels == domain.labels


# ---- refusals ------------------------------------------------------------------------------------

TOKEN = "SECRET-TOKEN-471"
REFUSALS: dict[str, tuple[Callable[[], Any], type[CompositionError], str, list[str]]] = {
    "a column is not there": (
        lambda: encode(table(q=[TOKEN, "b"]), Schema(["gone"], "s", others="drop")),
        SchemaError,
        "gone",
        ["'gone'", "among its 2 columns"],
    ),
    "a column has no role": (
        lambda: encode(table(q=["a", "b"], more=[TOKEN, "b"]), Schema(["q"], "s")),
        SchemaError,
        "more",
        ["Column 2 of the table", "others='drop'"],
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
        lambda: encode(table(q=["1", TOKEN, TOKEN, "2"]), Schema(["q"], "s", kinds={"q": "numeric"})),
        SchemaError,
        "q",
        ["'q'", "2 of 4", "categorical"],
    ),
    "a numeric column overflows": (
        lambda: encode(table(q=["1", "1e999"], s=[TOKEN, "b"]), Schema(["q"], "s", kinds={"q": "numeric"})),
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
    call, kind, parameter, said = REFUSALS[what]
    with pytest.raises(kind) as caught:
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
    said = message_of(lambda: encode(table(q=["a", "b"]), Schema([name], "s", others="drop")), SchemaError)
    assert "\n" not in said
    assert len(said) < 300


# ---- extremes ------------------------------------------------------------------------------------


def test_the_widest_span_a_number_allows() -> None:
    domain, labels = qid(["0", "1e308", "5e307", "-1e-308"])
    assert domain.kind is Kind.NUMERIC
    assert labels == ["0", "1e+308", "5e+307", "-1e-308"]
    assert domain.width(np.array([0, 1]), np.array([3, 2])).tolist() == [1.0, 0.5]


def test_the_smallest_span_a_number_allows() -> None:
    domain, _ = qid(["0", "5e-324"])
    assert domain.width(np.array([0]), np.array([1])).tolist() == [1.0]


def test_a_constant_has_no_width() -> None:
    for values in (["5", "5"], ["1e308", "1e308"]):
        domain, _ = qid(values)
        assert domain.size == 1
        assert domain.width(np.array([0]), np.array([0])).tolist() == [0.0]
    assert qid(["5", "", "5"])[0].width(np.array([0, 0]), np.array([0, 1])).tolist() == [0.0, 1.0]


def test_equal_spans_are_equally_wide_wherever_they_lie() -> None:
    for scale in (1, 10, 100, 1000):
        domain, _ = qid([repr(i / scale) for i in range(11)])
        for span in range(11):
            low = np.arange(11 - span)
            assert set(domain.width(low, low + span).tolist()) == {span / 10}


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
    assert part.sensitive is whole.sensitive
    for one, other in zip(part.qids, alone.qids, strict=True):
        assert one.labels == other.labels
        assert one.missing == other.missing
        assert (one.taxonomy is None) == (other.taxonomy is None)
        assert one.taxonomy is None or one.taxonomy.labels == other.taxonomy.labels
    assert np.array_equal(part.codes, alone.codes)
    mine = [part.sensitive.labels[code] for code in part.secret]
    assert mine == [alone.sensitive.labels[code] for code in alone.secret]


def test_other_sensitive_values_leave_the_people_alone() -> None:
    encoded = gaps("category")
    changed = encoded.with_secret(np.array([1, 1, 1, 0, 1], dtype=np.int32))
    assert changed.overall.tolist() == [1, 4, 0]

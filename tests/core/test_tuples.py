"""Columns published as they are: the attack on tuples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import FrequencyTable, Policy, Schema, Table, UnmodifiedColumn, anonymize, intersection_attack, measure
from core.algorithms import partition
from core.base.errors import InfeasibleError, SchemaError
from core.data.encoding.encoded import Encoded, encode
from core.data.encoding.published_columns import plain_column
from core.register import publication_of
from core.release.readable import Readable
from core.study.hospitals import Hospital, Study
from core.study.one_run import run_study
from core.study.published_cost import published_cost
from core.study.redraws import Redraws
from core.study.sweep import sweep
from core.study.uploads import Upload, open_upload
from tests.reference.tuples import Row, left
from tests.strategies import message_of
from tests.tables import extract


def schema(
    frame: pd.DataFrame,
    published: tuple[str, ...] = ("stay", "ward"),
    same_value_rate: Mapping[str, float] = MappingProxyType({}),
    rounded: Mapping[str, float] = MappingProxyType({}),
    diverse: Sequence[str] = (),
    **more: Any,
) -> Schema:
    return Schema(
        ["age", "sex"],
        "diagnosis",
        unmodified=UnmodifiedColumn.each(published, same_value_rate, rounded, diverse),
        unassigned="drop",
        missing_tokens=["NA"],
        person="person" if "person" in frame else None,
        **more,
    )


def rows_of_classes(release: Readable, position: int) -> list[Row] | None:
    mine = release.release
    label = mine.labels[position]
    if label < 0:
        return None
    encoded = mine.encoded
    return [
        (
            encoded.sensitive.labels[encoded.sensitive_codes[record]],
            {column.name: column.labels[column.codes[record]] for column in encoded.plain},
        )
        for record in mine.classes.members(int(label))
    ]


def hospitals(
    frame: pd.DataFrame, how: Schema, source: str, k: int, same_value_rate: float = 1.0
) -> tuple[Encoded, Study]:
    mine = Hospital(Policy(k=k))
    other = Hospital(Policy(k=k), origin=source, same_value_rate=same_value_rate)
    return encode(Table.from_frame(frame), how), Study((mine, other, other), overlap=60)


@given(
    st.integers(0, 10_000),
    st.sampled_from(["simulated", "resampled"]),
    st.sampled_from([1.0, 0.5, 0.0]),
    st.sampled_from([1.0, 0.6]),
    st.booleans(),
)
def test_the_attack_on_tuples_is_that_of_its_definition(
    seed: int, source: str, ward: float, diagnosis: float, persons: bool
) -> None:
    frame = extract(seed=seed, people=120 if persons else None)
    same_value_rate = {"stay": 1.0, "ward": ward}
    encoded, study = hospitals(frame, schema(frame, same_value_rate={"ward": ward}), source, 3, diagnosis)
    study = Study(study.hospitals, overlap=20)
    outcome = run_study(encoded, study, seed)
    result = outcome.result
    for number in range(len(result)):
        record = int(result.record[number])
        classes = [
            rows_of_classes(release, int(rows[record]))
            for release, rows in zip(outcome.releases, outcome.people, strict=True)
            if rows is not None
        ]
        assert (set(result.candidates(number)), int(result.tuples[number])) == left(classes, same_value_rate)


def test_no_published_column_leaves_every_number_as_it_was() -> None:
    frame = extract()
    alone = run_study(*hospitals(frame, schema(frame, ()), "resampled", 4), 1).result
    other = run_study(
        *hospitals(frame, schema(frame, same_value_rate={"stay": 0, "ward": 0}), "resampled", 4), 1
    ).result
    assert alone.tuples is None
    assert other.tuples is None
    assert (alone.sets == other.sets).all()
    assert alone.one_row_left.value == alone.one_value_left.value


def test_a_release_writes_the_published_columns_as_they_are() -> None:
    frame = extract()
    release = anonymize(Table.from_frame(frame), schema(frame), Policy(k=3))
    table = release.publish(seed=1)
    assert list(table.columns) == ["age", "sex", "diagnosis", "stay", "ward"]
    assert sorted(table["stay"].astype(str)) == sorted(frame["stay"].replace({"NA": "", "3.0": "3"}))
    entry = publication_of(release, date(2026, 1, 31))
    assert entry.unmodified == ("stay", "ward")
    assert entry.has_content(Table.from_frame(table))
    assert not entry.has_content(Table.from_frame(table.assign(ward="A")))


def test_a_file_of_theirs_links_by_what_both_publish() -> None:
    frame = extract()
    how, theirs = schema(frame), pd.concat([frame[:80], extract(seed=9)[80:]])
    headers = {"age": "age", "sex": "sex", "diagnosis": "dx", "stay": "nights"}
    own = Schema(["age", "sex"], "dx", unmodified=["nights"], unassigned="drop", missing_tokens=["NA"])
    table = Table.from_frame(theirs.rename(columns=headers)[[*headers.values()]])
    release, there = anonymize(Table.from_frame(frame), how, Policy(k=3)), anonymize(table, own, Policy(k=3))
    rows = np.arange(80)
    upload = Upload("x" * 64, tuple(headers.items()), marks="missing")
    file = open_upload(upload, Table.from_frame(there.publish(seed=2)), Table.from_frame(frame), how)
    result = intersection_attack([release, file.published], [rows, None], locate="published")
    for number in range(len(result)):
        ours, their_rows = rows_of_classes(release, number), rows_of_classes(there, number)
        if all(len(located.of_person(number)) == 1 for located in result.located):
            named = [(value, {"stay": next_to["nights"]}) for value, next_to in their_rows]
            assert set(result.candidates(number)) == left([ours, named], {"stay": 1.0, "ward": 1.0})[0]


@pytest.mark.parametrize(
    ("step", "texts"), [(0.1, ["0.1", "0.3", "-0.2", "1000000.1"]), (0.25, ["0", "0.25", "-0.25", "1000000"])]
)
def test_a_small_step_leaves_no_long_decimals(step: float, texts: list[str]) -> None:
    column = Table.from_frame(pd.DataFrame({"x": ["0.1", "0.3", "-0.2", "1000000.05"]})).column("x")
    rounded = plain_column(column, step=step)
    assert [rounded.labels[code] for code in rounded.codes] == texts
    with pytest.raises(SchemaError, match="so small a step"):
        plain_column(column, step=1e-320)


def test_numbers_are_rounded_to_a_step() -> None:
    frame = extract().assign(charge=np.linspace(120, 980, 240).round(2).astype(str))
    release = anonymize(Table.from_frame(frame), schema(frame, ("charge",), rounded={"charge": 100}), Policy(k=3))
    assert set(release.publish(seed=0)["charge"].astype(str)) == {str(100 * i) for i in range(1, 11)}


def of_table(frame: pd.DataFrame, **more: Any) -> Encoded:
    return encode(Table.from_frame(frame), schema(frame, **more))


ONE_WARD = extract().assign(ward="A")
COUNTED = FrequencyTable(Table.from_frame(extract()[["age", "sex", "diagnosis"]]), np.ones(240, dtype=np.int64))


@pytest.mark.parametrize(
    ("call", "error_class", "words"),
    [
        *(
            (lambda more=more: schema(extract(), **more), SchemaError, words)
            for more, words in (
                ({"same_value_rate": {"other": 1}}, "not an unmodified column"),
                ({"same_value_rate": {"ward": 1.5}}, "a number from 0 to 1"),
                ({"rounded": {"stay": 0}}, "a number above 0"),
                ({"published": (), "diverse": ["ward"]}, "not an unmodified column"),
            )
        ),
        (lambda: partition(of_table(ONE_WARD, diverse=["ward"]), Policy(k=3, l=2)), InfeasibleError, "In 'ward'"),
        (lambda: of_table(extract(), rounded={"ward": 10}), SchemaError, "not numbers"),
        (lambda: encode(COUNTED, schema(extract())), SchemaError, "cannot be published"),
    ],
)
def test_what_is_said_of_published_columns_is_checked(
    call: Callable[[], object], error_class: type[Exception], words: str
) -> None:
    """Words are not rounded, frequency tables not taken, and one value is not diverse."""
    assert words in message_of(call, error_class)


def test_what_a_column_adds_is_what_the_attack_with_it_says() -> None:
    frame = extract(600).assign(charge=np.random.default_rng(1).integers(1, 900, 600).astype(str))
    table, how = Table.from_frame(frame), schema(frame, ("stay",))
    encoded, study = hospitals(frame, how, "resampled", 5)
    draws = Redraws(2, confidences=(0.5,))
    costs = published_cost(table, encoded, how, study, draws)

    def exposed(wanted: Schema) -> float:
        swept = sweep(encode(table, wanted), study, "k", [5], draws)
        return float(swept["share"].iloc[0])

    assert costs.attrs["share"] == pytest.approx(exposed(how))
    expected = {
        ("stay", "left out"): how.with_(unmodified=[]),
        ("ward", "published"): how.with_(unmodified=["stay", "ward"]),
        ("charge", "published"): how.with_(unmodified=["stay", "charge"]),
        ("charge", "rounded"): how.with_(unmodified=["stay", UnmodifiedColumn("charge", rounded=100)]),
    }
    assert {(row.column, row.change) for row in costs.itertuples()} == expected.keys()
    for row in costs.itertuples():
        assert row.share == pytest.approx(exposed(expected[row.column, row.change]))
    assert costs["share"].is_monotonic_decreasing
    with pytest.raises(SchemaError, match="another role"):
        published_cost(table, encoded, how, study, columns=["age"])


ASKED: dict[str, dict[str, Any]] = {
    "distinct l": {"l": 2},
    "entropy l": {"l": 2, "diversity": "entropy"},
    "recursive l": {"l": 2, "diversity": "recursive", "c": 3},
    "t": {"t": 0.5},
}


@pytest.mark.parametrize("algorithm", ["mondrian", "least-loss", "mdav"])
@pytest.mark.parametrize("model", ASKED)
def test_l_and_t_are_kept_in_published_columns_too(algorithm: str, model: str) -> None:
    frame = extract(300)
    frame["ward"] = np.where(frame["age"] < "40", "A", frame["ward"])  # few values where people are young
    table, policy = Table.from_frame(frame), Policy.of({"k": 3, **ASKED[model]})
    diverse = schema(frame, diverse=["ward", "stay"])
    release = anonymize(table, diverse, policy, algorithm)
    published = release.publish(seed=0)
    parts = [measure(published, schema(frame, ()).with_(sensitive=name)) for name in ("diagnosis", "ward", "stay")]
    for part in parts:
        holds = {
            "distinct l": part.distinct_l >= 2,
            "entropy l": part.entropy_l >= 2 - 1e-9,
            "recursive l": part.recursive_c(2) < 3,
            "t": part.t <= 0.5 + 1e-9,
        }
        assert holds[model]
        assert part.k >= 3
    together = measure(published, diverse)
    assert together.distinct_l == min(part.distinct_l for part in parts)
    assert together.t == max(part.t for part in parts)
    before = anonymize(table, schema(frame), policy, algorithm).classes
    assert before.count > release.classes.count
    pairs = set(zip(before.labels.tolist(), release.classes.labels.tolist(), strict=True))
    assert len(pairs) == before.count  # classes are joined, never cut

"""Worked examples against their golden numbers, and the synthetic city."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.examples import CITY_NOTES, WorkedExample, city, city_schema, two_hospitals, worked_examples

ASSETS = Path(__file__).parents[2] / "assets" / "examples"
EXAMPLES = worked_examples()
by_name = pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])


# ---- worked examples ----------------------------------------------------------------


def inside(value: str, cell: str) -> bool:
    """Whether a value lies in a printed cell of hospitals A and B or of Bob's class."""
    if cell in ("*", value):
        return True
    if "*" in cell:
        return value.startswith(cell.rstrip("*")) and len(value) == len(cell)
    low, _, high = cell.strip("[]").replace(", ", "-").partition("-")
    return high != "" and int(low) <= int(value) <= int(high)


@by_name
def test_tables_labels_and_target_fit_each_other(example: WorkedExample) -> None:
    """Labels are the classes of the published table, whose rows keep the sensitive values of the original."""
    for frame, labels, rows in zip(example.published, example.labels, example.target_classes, strict=True):
        cells = [tuple(row) for row in frame[list(example.schema.quasi_identifiers)].to_numpy()]
        assert len(set(zip(cells, labels, strict=True))) == len(set(cells)) == len(set(labels))
        assert rows == tuple(row for row, label in enumerate(labels) if label == labels[rows[0]])
    for table, frame in zip(example.tables, example.published, strict=False):
        assert table.column(example.schema.sensitive).texts().tolist() == frame.iloc[:, -1].tolist()
    for table, row in zip(example.tables, example.expected.get("rows", ()), strict=False):
        assert {name: table.column(name).texts()[row] for name in example.target} == dict(example.target)


@by_name
def test_people_lie_in_their_printed_region_but_for_the_erratum(example: WorkedExample) -> None:
    outside = [
        (release, row)
        for release, (table, frame) in enumerate(zip(example.tables, example.published, strict=False))
        for row in range(len(table))
        if not all(
            inside(table.column(name).texts()[row], frame[name].iloc[row]) for name in example.schema.quasi_identifiers
        )
    ]
    assert outside == ([(1, 6), (1, 7), (1, 10)] if example.name == "hospitals_a_and_b" else [])


def test_the_files_in_assets_are_what_the_examples_hold() -> None:
    files = {}
    for example in EXAMPLES:
        for kind, frames in (("raw", [t.to_frame() for t in example.tables]), ("published", example.published)):
            ends = ("_a", "_b") if len(frames) > 1 else ("",)
            for end, frame in zip(ends, frames, strict=False):
                files[f"{example.name}_{kind}{end}.csv"] = frame.to_csv(index=False, lineterminator="\n")
    assert {path.name: path.read_bytes().decode() for path in ASSETS.iterdir()} == files


def test_examples_are_made_anew_so_that_no_caller_spoils_another() -> None:
    frame = two_hospitals().published[0]
    frame.loc[0, "Condition"] = "changed"
    assert two_hospitals().published[0].loc[0, "Condition"] == "AIDS"


# ---- the synthetic city -------------------------------------------------------------


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return city(100_000, seed=1).to_frame().astype({"age": int})


def test_the_city_does_not_change_under_its_users() -> None:
    """A report names the seed; the same seed must give the same residents in years to come."""
    people = city(1_000, seed=2008).to_frame()
    hospital = people.pop("hospital")
    for part, digest in ((people, "77e2341b308050c5"), (hospital, "5470c9d5f9b7ffc7")):
        text = part.to_csv(index=False, lineterminator="\n")
        assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest
    assert city(1_000, seed=np.random.default_rng(2008)).content_id == city(1_000, seed=2008).content_id
    assert city(1_000, seed=1).content_id != city(1_000, seed=2008).content_id


@settings(deadline=None, max_examples=40)
@given(residents=st.integers(100, 3_000), seed=st.integers(0, 2**63 - 1))
def test_any_size_works_and_no_cell_is_empty(residents: int, seed: int) -> None:
    table, schema = city(residents, seed), city_schema()
    schema.check_columns(table.names)
    assert {len(column) for column in table.columns} == {residents}
    assert all(label.strip() for column in table.columns for label in column.labels)
    known = {name: tree.leaf_labels for name, tree in schema.taxonomies.items()} | dict(schema.orders)
    for name, labels in known.items():
        assert set(table.column(name).labels) <= set(labels)


def test_diagnosis_depends_on_sex_and_age(people: pd.DataFrame) -> None:
    pregnant = people[people["diagnosis"].str.startswith("O") | (people["diagnosis"] == "Z34")]
    assert len(pregnant) > 500
    assert set(pregnant["sex"]) == {"female"}
    assert pregnant["age"].between(15, 49).all()
    prostate = people[people["diagnosis"].isin(["C61", "N40"])]
    assert set(prostate["sex"]) == {"male"}
    assert prostate["age"].median() > 55
    assert set(people.loc[people["diagnosis"].str.startswith("P"), "age"]) == {0}


def test_the_notes_say_that_it_is_invented() -> None:
    assert "No record of a real person" in CITY_NOTES
    assert city(100).read_info["format"] == "synthetic city, invented"

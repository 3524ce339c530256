"""Several sensitive columns, protected as one: their joint value [Goryczka 2011, §II]."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from core import Policy, Release, Scenario, Schema, Table, anonymize, intersection_attack, measure
from core.attack.intersection import AttackResult
from core.base.errors import CompositionError
from core.cli import BAD, MET, main
from core.data.encoding.encoded import encode
from core.data.schemas.agreement import AgreedRegion, Agreement
from core.data.schemas.joint_value import cells_of, joint_text
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.csv_export import csv_bytes
from core.study.hospitals import Study
from core.study.redraw_numbers import JOINT, PART
from core.study.redraws import Redraws
from core.study.sweep import sweep
from core.study.uploads import open_upload, proposed_upload
from tests.files import read_table
from tests.reference import joint as slow
from tests.strategies import message_of

Captured = pytest.CaptureFixture[str]
CELLS = ("flu", "", " + ", "a + b", '"flu"', "(missing)", "+", "=1", "2", " x", "a\nb")


def table_of(rows: list[tuple[int, int, int]]) -> pd.DataFrame:
    """Ages, and cells of two sensitive columns."""
    return pd.DataFrame(
        {
            "age": [str(20 + age) for age, _, _ in rows],
            "diagnosis, main": [CELLS[one] for _, one, _ in rows],
            "ward": [CELLS[-1 - other] for _, _, other in rows],
        }
    )


def schema(**options: Any) -> Schema:
    return Schema(["age"], ["diagnosis, main", "ward"], **options)


WARDS = Agreement("ward", {"age": "numeric"}, (AgreedRegion((("flu", "cold"),), ((),)),))


def joints(frame: pd.DataFrame) -> list[slow.Joint]:
    return list(zip(frame["diagnosis, main"].astype(str), frame["ward"].astype(str), strict=True))


records = st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 4))
tables = st.lists(records, min_size=8, max_size=30).filter(
    lambda rows: len({(a, b) for _, a, b in rows if CELLS[a] and CELLS[-1 - b]}) > 1
)


@given(st.lists(st.text('a+" ()\\\nmisng', max_size=12) | st.sampled_from(CELLS), min_size=1, max_size=4))
def test_the_cells_of_a_joint_text_are_read_back(cells: list[str]) -> None:
    assert cells_of(joint_text(cells)) == tuple(cells)


@given(tables, st.integers(1, 3), st.integers(2, 3))
def test_a_release_has_the_columns_and_is_measured_by_the_joint_value(
    rows: list[tuple[int, int, int]],
    k: int,
    l: int,  # noqa: E741
) -> None:
    frame = table_of(rows)
    try:
        release = anonymize(frame, schema(), Policy(k, l=l))
    except CompositionError:  # the table itself has less
        assert len({joint for joint in joints(frame) if all(joint)}) < l or len(frame) < k
        return
    published = release.publish(0)
    assert list(published) == ["age", "diagnosis, main", "ward"]
    assert sorted(joints(published)) == sorted(joints(frame))
    groups = [joints(own) for _, own in published.groupby("age", observed=True)]
    expected = slow.measured(groups)
    assert expected.distinct_l >= l
    assert expected.k >= k
    again = read_table(csv_bytes(published))
    counted, times = release.publish_counts()
    for guarantee in (measure(published, schema()), measure(again, schema()), measure(counted, schema(), counts=times)):
        assert (guarantee.k, guarantee.distinct_l) == (expected.k, expected.distinct_l)
        assert guarantee.entropy_l == pytest.approx(expected.entropy_l)
        assert guarantee.t == pytest.approx(expected.t)


# ---- the attack -----------------------------------------------------------------------------------


@given(tables, tables, st.integers(1, 3), st.integers(1, 2), st.integers(1, 3), st.randoms())
def test_exposure_in_each_column_and_in_any_is_that_of_plain_loops(
    mine: list[tuple[int, int, int]], theirs: list[tuple[int, int, int]], k: int, most: int, each: int, draw: Any
) -> None:
    """With one record a person and with several, of which each column chooses by itself."""
    frames = [table_of(mine), table_of(theirs)]
    records = [draw.sample(range(len(frame)), min(map(len, frames))) for frame in frames]
    whose = [number // each for number in range(len(records[0]))]
    person = np.full(len(frames[0]), -1)
    person[records[0]] = whose
    frames[0]["who"] = [f"p{who}" if who >= 0 else f"q{row}" for row, who in enumerate(person)]
    schemas = [schema(**({"person": "who"} if each > 1 else {"other": ["who"]})), schema()]
    releases = [anonymize(frame, of, Policy(k)) for frame, of in zip(frames, schemas, strict=True)]
    result = intersection_attack(releases, records)
    cells = [joints(frame) for frame in frames]
    people: list[Any] = [[] for _ in range(max(whose) + 1)]
    truth: list[Any] = [[] for _ in people]
    for number, rows in zip(whose, zip(*records, strict=True), strict=True):
        people[number].append(
            [
                [own[i] for i in np.flatnonzero(release.labels == release.labels[row])]
                for release, own, row in zip(releases, cells, rows, strict=True)
            ]
        )
        truth[number].append(cells[0][rows[0]])
    expected, anywhere = slow.by_column(people, truth, most)
    found = result.by_column(1 / most)
    assert [own.column for own in found] == ["diagnosis, main", "ward", ""]
    rate = result.pvp(1 / most)
    said = [(own.exposed, own.wrong) for own in found] + [(rate, result.mean(result.false_disclosures(1 / most)))]
    for (share, wrong), wanted in zip(said, [*expected, anywhere], strict=True):
        assert (share.value, share.single) == pytest.approx((wanted.share, wanted.single))
        assert wrong == pytest.approx(wanted.wrong)
    assert result.mean(result.true_disclosures(1 / most)) == pytest.approx(anywhere.share - anywhere.wrong)


def assert_as_exposed(one: AttackResult, more: AttackResult) -> None:
    """Whoever was exposed still is."""
    for confidence in (1.0, 0.5, 0.25):
        assert (one.breached(confidence) <= more.breached(confidence)).all()
        assert one.single(confidence) <= more.single(confidence)


@given(tables, tables, st.integers(1, 3), st.booleans(), st.randoms())
def test_a_further_column_hides_nobody(
    mine: list[tuple[int, int, int]], theirs: list[tuple[int, int, int]], k: int, withheld: bool, draw: Any
) -> None:
    """Of two tables as they are published, also where cells of the further column are withheld."""
    frames = [table_of(rows).assign(room=[draw.choice("12") for _ in rows]) for rows in (mine, theirs)]
    names = ["diagnosis, main", "ward", "room"]
    one, two, three = (Schema(["age"], names[:many], other=names[many:]) for many in (1, 2, 3))
    published = [anonymize(frame, three, Policy(k)).publish(0) for frame in frames]
    rows = [draw.sample(range(len(frame)), min(map(len, frames))) for frame in frames]
    if withheld:
        published[1] = published[1].astype(object)
        published[1].loc[rows[1][0], draw.choice(names[1:])] = "*"
    read = [[Release.parse(frame, of, marks="missing") for frame in published] for of in (one, two, three)]
    known = pd.DataFrame({"age": [frames[0]["age"][row] for row in rows[0]]})
    found = [intersection_attack(each, known, locate="published") for each in read]
    for fewer, more in pairwise(found):
        assert_as_exposed(fewer, more)


def test_two_columns_of_three_together_leave_one_value() -> None:
    """Whatever the third says: here it differs in each record, so no joint value of all three is in both classes."""
    names = ["dx", "proc", "ward"]
    mine = pd.DataFrame(
        [("A", "flu", "x", "1"), ("A", "hiv", "y", "2"), ("A", "ast", "y", "1")], columns=["zip", *names]
    )
    theirs = pd.DataFrame(
        [("A", "flu", "x", "2"), ("A", "hiv", "z", "1"), ("A", "dia", "y", "1")], columns=["zip", *names]
    )
    for cell in ("1", "*"):
        theirs.loc[1, "ward"] = cell
        read = [Release.parse(frame, Schema(["zip"], names)) for frame in (mine, theirs)]
        result = intersection_attack(read, pd.DataFrame({"zip": ["A"] * 3}), locate="published")
        assert result.one_value_left.value == 1
        assert [set(own.candidates(0)) for own in result.of_parts[:2]] == [{"flu"}, {"x"}]


@given(tables, st.integers(1, 3), st.integers(1, 3), st.integers(0, 9))
def test_a_copy_of_a_column_changes_nothing(rows: list[tuple[int, int, int]], k: int, each: int, seed: int) -> None:
    frame = table_of(rows).assign(who=[str(row // each) for row in range(len(rows))])
    frame["copy"] = frame["diagnosis, main"]
    person = {"person": "who" if each > 1 else None, "unassigned": "drop"}
    of = [Schema(["age"], protected, **person) for protected in ("diagnosis, main", ["diagnosis, main", "copy"])]
    try:
        people = encode(frame, of[0]).people
    except CompositionError:  # a column of one value
        return
    k = min(k, people // 2)
    study = Study.uniform(Policy(k), people // 2)
    one, two = (sweep(encode(frame, schema), study, "k", [k], Redraws(2, seed)) for schema in of)
    same = [
        name for name in one if name.split("_")[0] in ("share", "right", "low", "high", "single", "wrong", "fewest")
    ]
    pd.testing.assert_frame_equal(one[same], two[same])
    assert (two["share"] >= two[f"{PART}{JOINT}"]).all()


def pair(seed: int = 0, records: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, records).astype(str),
            "diagnosis, main": rng.choice(["flu", "cold", "ulcer", ""], records),
            "ward": rng.choice(["1", "2", "3"], records),
        }
    )


def test_the_separate_columns_of_another_hospital_are_one_value() -> None:
    """Their headers and spellings are matched column by column."""
    mine, their_cells = pair(), pair(1).replace({"flu": "FLU"}).rename(columns={"ward": "Ward"})
    theirs = anonymize(their_cells, Schema(["age"], ["diagnosis, main", "Ward"]), Policy(3)).publish(0)
    tables = read_table(csv_bytes(theirs)), read_table(csv_bytes(mine))
    encoded = encode(tables[1], schema())
    upload = proposed_upload(tables[0], tables[1], encoded, schema())
    with pytest.raises(CompositionError, match="'diagnosis, main'"):  # what empty cells mean is asked by column
        open_upload(upload, *tables, schema())
    foreign = open_upload(structs.replace(upload, marks="missing"), *tables, schema())
    domain = foreign.published.sensitive
    assert domain.parts == schema().parts
    assert set(domain.labels) == set(encoded.sensitive.labels)


def test_a_withheld_cell_of_one_column_rules_out_no_joint_value() -> None:
    frame = pd.DataFrame({"age": ["1", "1", "2", "2"], "a": list("xyxy"), "b": list("pqpq")})
    mine = anonymize(frame, Schema(["age"], ["a", "b"]), Policy(2))
    theirs = frame.assign(b=["p", "q", "p", "*"])
    read = Release.parse(theirs, Schema(["age"], ["a", "b"]), mine=mine.encoded)
    result = intersection_attack([mine, read], [range(4), range(4)])
    assert result.effective_anonymity[1].tolist() == [2, 2, len(result.values), len(result.values)]
    assert [len(result.candidates(person)) for person in range(4)] == [2] * 4


def test_a_copy_of_a_schema_protects_the_same_columns() -> None:
    copies = (schema().with_(unassigned="drop"), dataclasses.replace(schema(), unassigned="drop"))
    assert all(copy == schema(unassigned="drop") for copy in copies)
    assert all(copy.parts == schema().parts for copy in copies)
    assert schema().with_(sensitive="ward").parts == ()


# ---- what asks for one column -----------------------------------------------------------------


def lacking() -> tuple[Table, Table]:
    """A file without one of the sensitive columns, and mine."""
    return read_table(csv_bytes(pair(1).drop(columns=["ward"]))), read_table(csv_bytes(pair()))


BY_DISTANCE = Policy(3, t=0.5, distance="ordered")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *(
            (lambda options=options: schema(**options), column)
            for options, column in (
                ({"taxonomies": {"ward": Taxonomy.flat(["1", "2", "3"])}}, "'ward'"),
                ({"orders": {"ward": ("1", "2", "3")}}, "'ward'"),
                ({"column_types": {"diagnosis, main": "date"}}, "'diagnosis, main'"),
                ({"agreement": WARDS}, "'ward'"),
                ({"other": ["diagnosis, main + ward"]}, "'diagnosis, main + ward'"),
                ({"identifiers": ["ward"]}, "'ward'"),
            )
        ),
        (lambda: Release.parse(pair(1).drop(columns=["ward"]), schema()), "'ward'"),
        (lambda: proposed_upload(*lacking(), encode(lacking()[1], schema()), schema()), "'ward'"),
        (lambda: anonymize(pair(), schema(), BY_DISTANCE), "ordered distance"),
        (lambda: measure(pair(), schema(), "ordered"), "ordered distance"),
    ],
)
def test_what_asks_for_one_column_or_lacks_one_is_refused_by_name(call: Callable[[], object], words: str) -> None:
    assert words in message_of(call, CompositionError)


# ---- the gate ---------------------------------------------------------------------------------


@pytest.fixture
def data(tmp_path: Path) -> list[str]:
    path = tmp_path / "records.csv"
    pair(records=600).to_csv(path, index=False)
    return ["--data", str(path), "--qids", "age", "--sensitive", '"diagnosis, main",ward']


def test_the_gate_protects_several_columns_and_says_who_is_exposed_in_each(
    data: list[str], tmp_path: Path, capsys: Captured
) -> None:
    scenario, written_to, record = (str(tmp_path / name) for name in ("scenario.json", "report.json", "record.json"))
    attack = [*data, "-k", "3", "--overlap", "100"]
    assert main(["attack", *attack, "--json", "--save-scenario", scenario, "--record", record]) == MET
    said = json.loads(out := capsys.readouterr().out)["one_value_left_by_column"]
    assert list(said["columns"]) == ["diagnosis, main", "ward"]
    shares = [number["value"] for number in said["columns"].values()]
    everywhere = json.loads(out)["numbers"]["one_value_left"]["value"]
    assert said["joint"]["value"] <= max(shares) <= everywhere <= sum(shares)
    assert max(shares) > 0
    (entry,) = json.loads(Path(record).read_text(encoding="utf-8"))["publications"]
    assert entry["sensitive"] == ["diagnosis, main", "ward"]
    kept = Scenario.from_json(Path(scenario).read_text(encoding="utf-8"))
    assert kept.schema.parts == ("diagnosis, main", "ward")
    assert main(["attack", *data[:2], "--scenario", scenario]) == MET
    text = capsys.readouterr().out
    assert "One value left of 'ward'" in text
    assert "One joint value left" in text
    for strength, column in (("internal", "'ward'"), ("external", "column 2")):
        assert (
            main(["report", *attack, "--format", "json", "--strength", strength, "--out", written_to, "--force"]) == MET
        )
        assert "One joint value left" in capsys.readouterr().out
        written = Path(written_to).read_text(encoding="utf-8")
        rows = {row["metric"]: row["words"] for row in json.loads(written)["numbers"]}
        assert rows["one_value_left_in_column_2"] == f"One value left of {column}"
        assert strength == "internal" or "diagnosis, main" not in written


def test_a_released_folder_has_the_columns_and_is_measured_as_one_value(
    data: list[str], tmp_path: Path, capsys: Captured
) -> None:
    folder = tmp_path / "release"
    assert main(["release", *data, "-k", "3", "--l", "3", "--format", "csv", "--out", str(folder), "--json"]) == MET
    declared = json.loads(capsys.readouterr().out)["numbers"]
    for published in (folder, *folder.glob("*.csv")):
        assert main(["measure", "--data", str(published), *data[2:], "--json"]) == MET
        found = json.loads(capsys.readouterr().out)["numbers"]
        assert all(found[name]["value"] == pytest.approx(declared[name]["value"]) for name in found)
    agreement = tmp_path / "agreement.json"
    agreement.write_text(WARDS.to_json())
    assert main(["attack", *data, "-k", "3", "--agreement", str(agreement), "--overlap", "9"]) == BAD
    assert "one sensitive column" in capsys.readouterr().err


def test_a_class_that_withholds_one_column_rules_nothing_out_for_sets_that_hold_it() -> None:
    names = ["a", "b", "c"]
    mine = pd.DataFrame([("A", "x", "p", "1"), ("A", "y", "q", "2")], columns=["zip", *names])
    theirs = mine.assign(b=["*", "q"])
    read = [Release.parse(frame, Schema(["zip"], names)) for frame in (mine, theirs)]
    result = intersection_attack(read, pd.DataFrame({"zip": ["A", "A"]}), locate="published")
    assert result.one_value_left.value == 0
    assert [len(own.candidates(0)) for own in result.of_parts] == [2, 2, 2]

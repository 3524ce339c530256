"""People joined on the engine: the attack on their groups is that on the tables in memory, person by person."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core import Policy, Scenario, Schema, Table, anonymize, examples
from core.attack.intersection import AttackResult, intersection_attack
from core.base.errors import CompositionError, InputError, ParameterError
from core.cli import BAD, BROKEN, MET, main
from core.engine import EngineBudget, SharedPeople, frequency_table_of_files, shared_people, write_frequency_table
from core.engine.on_duckdb import DuckDB
from core.release.count_settings import CountSettings, GroupColumn
from core.study.hospitals import Hospital
from core.study.one_run import Outcome
from core.study.redraw_numbers import attack_numbers
from core.study.uploads import Upload, their_schema
from tests.source import ROOT

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")

Captured = pytest.CaptureFixture[str]
QIDS = ["age", "zip"]
SCHEMA = Schema(QIDS, "ill", person="id", unassigned="drop")
CONFIDENCES = (1.0, 0.5, 0.25)
NOBODY = ("", "unknown")
COUNTS = CountSettings((GroupColumn("age"),))
MINE = Hospital(Policy(3), "mondrian")
THEIRS = Hospital(
    Policy(3), "mondrian", origin="published", upload=Upload("x" * 64, (*zip(QIDS, QIDS, strict=True), ("ill", "ill")))
)


def hospital(rng: np.random.Generator, rows: int, known: int, repeats: bool) -> pd.DataFrame:
    """Records of people drawn from so many; some are of nobody, and some people have several."""
    ids = rng.choice(known, rows, replace=repeats or rows > known).astype(str).astype(object)
    ids[rng.random(rows) < 0.05] = ""
    frame = pd.DataFrame(
        {
            "id": ids,
            "age": rng.integers(0, 6, rows).astype(str),
            "zip": rng.choice(list("pqrs"), rows),
            "ill": [*["flu", "cold"], *rng.choice(["flu", "cold", "gout", "tb"], rows - 2)],
        }
    )
    # Most people are alike in all hospitals, so that the sets of their values do meet.
    steady = pd.to_numeric(frame["id"], errors="coerce").fillna(-1).astype(int).to_numpy()
    same = (steady >= 0) & (rng.random(rows) < 0.8)
    frame.loc[same, "age"] = (steady[same] % 6).astype(str)
    frame.loc[same, "zip"] = np.array(list("pqrs"))[steady[same] % 4]
    frame.loc[rng.random(rows) < 0.05, "age"] = ""
    return frame


def written(frame: pd.DataFrame, folder: Path, kind: str, parts: int = 2) -> None:
    folder.mkdir(parents=True)
    if kind == "numbers":
        frame = frame.assign(id=pd.to_numeric(frame["id"]).astype("Int64"))
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), parts)):
        if kind == "csv":
            frame.iloc[rows].to_csv(folder / f"{number}.csv", index=False)
        else:
            frame.iloc[rows].replace("", None).to_parquet(folder / f"{number}.parquet", index=False)


def in_memory(
    frames: list[pd.DataFrame], schema: Schema, policies: list[Policy], algorithm: str, locate: str
) -> tuple[Outcome, int]:
    """The same attack with every record by itself, and how many people have several records in some table."""
    own = schema.with_(person=None)
    read = [Table.from_frame(frame) for frame in frames]
    schemas = [own]
    for frame in frames[1:]:
        theirs = Table.from_frame(frame[[*QIDS, "ill"]])
        schemas.append(their_schema(tuple(QIDS), theirs, read[0], own).with_(unassigned="drop"))
    releases = [
        anonymize(table, one, policy, algorithm) for table, one, policy in zip(read, schemas, policies, strict=True)
    ]
    times = [frame.loc[~frame["id"].isin(NOBODY), "id"].value_counts() for frame in frames]
    everywhere = set(times[0].index).intersection(*(set(one.index) for one in times[1:]))
    once = sorted(person for person in everywhere if all(one[person] == 1 for one in times))
    places = [dict(zip(frame["id"], range(len(frame)), strict=True)) for frame in frames]
    rows = [np.array([place[person] for person in once], dtype=np.int64) for place in places]
    kept = np.ones(len(once), dtype=bool)
    for release, row in zip(releases, rows, strict=True):
        kept &= release.labels[row] >= 0
    rows = [row[kept] for row in rows]
    if not kept.any():
        raise InputError("nobody")
    result = intersection_attack(releases, rows, locate)
    return Outcome(tuple(releases), result, tuple(rows), (1.0,) * len(releases)), len(everywhere) - len(once)


def by_groups(people: SharedPeople, schema: Schema, policies: list[Policy], algorithm: str, locate: str) -> Outcome:
    own, mine = schema.with_(person=None), people.frequency_tables[0]
    schemas = [own]
    schemas += [
        their_schema(tuple(QIDS), frequencies.table, mine.table, own) for frequencies in people.frequency_tables[1:]
    ]
    releases = [
        anonymize(frequencies, one, policy, algorithm)
        for frequencies, one, policy in zip(people.frequency_tables, schemas, policies, strict=True)
    ]
    positions, weight = people.among([release.encoded for release in releases])
    rows = [release.encoded.rows[position] for release, position in zip(releases, positions, strict=True)]
    result = intersection_attack(releases, rows, locate, weight)
    return Outcome(tuple(releases), result, tuple(rows), (1.0,) * len(releases))


def each(result: AttackResult) -> np.ndarray:
    """(people, numbers) what is left of each person, in the order of these numbers."""
    truth = np.array([result.values.index(value) for value in sorted(result.values)])
    place = np.empty(len(truth), dtype=np.int64)
    place[truth] = np.arange(len(truth))
    columns = [
        result.posterior,
        place[result.truth],
        result.true_value_left,
        *result.effective_anonymity,
        *result.has_true_value,
    ]
    people = np.repeat(np.stack(columns).astype(np.int64), result.weight, axis=1)
    return people[:, np.lexsort(people)].T


@given(
    seed=st.integers(0, 10**6),
    hospitals=st.integers(2, 4),
    rows=st.integers(12, 150),
    setting=st.sampled_from(
        [
            (Policy(2), "mondrian", "assumed"),
            (Policy(3), "least-loss", "assumed"),
            (Policy(2, l=2), "mondrian", "assumed"),
            (Policy(3), "mondrian-tight", "published"),
            (Policy(2, l=1.5, diversity="entropy"), "least-loss", "published"),
        ]
    ),
    kinds=st.lists(st.sampled_from(["csv", "texts", "numbers"]), min_size=4, max_size=4),
    missing=st.sampled_from(["category", "drop"]),
    repeats=st.booleans(),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_tables(
    seed: int,
    hospitals: int,
    rows: int,
    setting: tuple[Policy, str, str],
    kinds: list[str],
    missing: str,
    repeats: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    rng, folder = np.random.default_rng(seed), tmp_path_factory.mktemp("hospitals")
    policy, algorithm, locate = setting
    sizes = [max(12, rows - 7 * number) for number in range(hospitals)]
    frames = [hospital(rng, size, max(sizes) + 20, repeats) for size in sizes]
    schema = SCHEMA.with_(missing=missing)
    policies = [policy, *(Policy(2 + number) for number in range(hospitals - 1))]
    try:
        expected, several = in_memory(frames, schema, policies, algorithm, locate)
    except CompositionError:
        assume(False)
    for number, (frame, kind) in enumerate(zip(frames, kinds, strict=False)):
        written(frame, folder / str(number), kind)
    people = shared_people([str(folder / str(number)) for number in range(hospitals)], schema, EngineBudget(threads=2))
    assert people.with_several_records == several
    assert (people.weight >= 1).all()
    assert len(np.unique(people.rows, axis=1).T) == len(people.weight)
    outcome = by_groups(people, schema, policies, algorithm, locate)
    assert outcome.result.people == expected.result.people
    np.testing.assert_array_equal(each(outcome.result), each(expected.result))
    for one, other in zip(
        attack_numbers(0, outcome, CONFIDENCES), attack_numbers(0, expected, CONFIDENCES), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-12, nan_ok=True)


# ---- who is joined --------------------------------------------------------------------------------


def of_people(ids: list[Any], folder: Path, kind: pa.DataType) -> str:
    folder.mkdir()
    many = len(ids)
    table = pa.table(
        {
            "id": pa.array(ids, kind),
            "age": [str(number % 3) for number in range(many)],
            "zip": ["p"] * many,
            "ill": [f"v{number % 2}" for number in range(many)],
        }
    )
    parquet.write_table(table, folder / "0.parquet")
    return str(folder)


def test_nobody_and_people_of_several_records_are_in_no_group(tmp_path: Path) -> None:
    one = of_people(["a", "b", "c", "d", None, "", "unknown", "only mine", "c"], tmp_path / "a", pa.string())
    other = of_people(["d", "c", "b", "a", "a", None, "", "unknown", "only theirs"], tmp_path / "b", pa.string())
    people = shared_people([one, other], SCHEMA.with_(missing_tokens=NOBODY))
    assert (people.people, people.with_several_records) == (2, 2), "b and d; a and c have several records in one"
    # b: second and third row, d: fourth and first.
    texts = [frequencies.table.to_frame() for frequencies in people.frequency_tables]
    ages = {tuple(str(text["age"][row]) for text, row in zip(texts, rows, strict=True)) for rows in people.rows.T}
    assert ages == {("1", "2"), ("0", "0")}


def test_an_identifier_that_most_records_have_multiplies_nothing(tmp_path: Path) -> None:
    many = ["nobody knows"] * 200_000
    one = of_people([*many, "a"], tmp_path / "a", pa.string())
    other = of_people(["a", *many], tmp_path / "b", pa.string())
    people = shared_people([one, other], SCHEMA, EngineBudget("500MB"))  # 40,000,000,000 pairs would not end
    assert (people.people, people.with_several_records) == (1, 1)


@pytest.mark.parametrize(
    ("kinds", "is_comparable"),
    [
        ((pa.int32(), pa.int64()), True),
        ((pa.int64(), pa.string()), True),
        ((pa.uint16(), pa.large_string()), True),
        ((pa.date32(), pa.date32()), True),
        ((pa.float64(), pa.float64()), False),
        ((pa.float64(), pa.int64()), False),
        ((pa.date32(), pa.string()), False),
    ],
)
def test_forms_of_the_person_column(kinds: tuple[pa.DataType, ...], is_comparable: bool, tmp_path: Path) -> None:
    folders = []
    for number, kind in enumerate(kinds):
        ids = pa.array([3, 4, None, 5, 6], pa.int32()).cast(kind)
        folders.append(of_people(ids.to_pylist(), tmp_path / str(number), kind))
    if not is_comparable:
        with pytest.raises(InputError, match="or as whole numbers, in all"):
            shared_people(folders, SCHEMA)
        return
    assert shared_people(folders, SCHEMA).people == 4


def test_a_number_means_missing_where_its_own_text_does(tmp_path: Path) -> None:
    folders = [of_people([999, -7, 10**18], tmp_path / str(number), pa.int64()) for number in range(2)]
    for tokens, many in ((("0999", "+999", "-07"), 3), (("999",), 2), (("-7", "999"), 1), ((str(10**18),), 2)):
        assert shared_people(folders, SCHEMA.with_(missing_tokens=("", *tokens))).people == many


def test_who_a_record_is_of_never_leaves_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [f"Zzyzx{number}" for number in range(40)]
    folders = [of_people(ids[number:], tmp_path / str(number), pa.string()) for number in range(3)]
    told: list[str] = []
    stream, values = DuckDB.stream, DuckDB.values

    def heard(self: DuckDB, frame: Any) -> Iterator[Any]:
        for batch in stream(self, frame):
            told.append(str(batch.to_pydict()))
            yield batch

    def listened(self: DuckDB, query: str) -> list[tuple[Any, ...]]:
        answer = values(self, query)
        told.append(str(answer))
        return answer

    monkeypatch.setattr(DuckDB, "stream", heard)
    monkeypatch.setattr(DuckDB, "values", listened)
    assert shared_people(folders, SCHEMA).people == 38
    assert "v1" in "".join(told)
    assert "Zzyzx" not in "".join(told)


def test_the_lines_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "larger.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    table = examples.city(2000).to_frame().assign(id=np.arange(2000))
    monkeypatch.chdir(tmp_path)
    for folder, rows in (("mine", table[:1500]), ("other", table[700:])):
        Path(folder).mkdir()
        rows.to_parquet(f"{folder}/city.parquet")
    names: dict[str, Any] = {}
    exec(text, names)
    assert (names["people"].people, names["people"].with_several_records) == (800, 0)
    assert names["result"].people == 800


def test_what_cannot_be_joined(tmp_path: Path) -> None:
    one = of_people(["a", "b", "c"], tmp_path / "a", pa.string())
    other = of_people(["x", "y", "z"], tmp_path / "b", pa.string())
    write_frequency_table(frequency_table_of_files(one, [*QIDS, "ill", "id"]), tmp_path / "frequencies.parquet")
    for patterns, schema, error, words in (
        ([one, other], SCHEMA, InputError, "no one has exactly one record in each"),
        ([one], SCHEMA, ParameterError, "two sources"),
        ([one, other], SCHEMA.with_(person=None), ParameterError, "has none"),
        ([one, other], SCHEMA.with_(person="town"), InputError, "no column 'town'"),
        ([one, str(tmp_path / "none")], SCHEMA, InputError, "No file matches"),
        (
            [one, str(tmp_path / "frequencies.parquet")],
            SCHEMA,
            InputError,
            "A frequency table counts records and does not identify",
        ),
    ):
        with pytest.raises(error, match=words):
            shared_people(patterns, schema)


# ---- the command line -------------------------------------------------------------------------------


@pytest.fixture
def frames(tmp_path: Path) -> list[pd.DataFrame]:
    rng = np.random.default_rng(5)
    both = [hospital(rng, 300, 350, False) for _ in range(2)]
    for frame, name, kind in zip(both, ("mine", "other"), ("texts", "numbers"), strict=True):
        written(frame, tmp_path / name, kind)
    return both


def asked(folder: Path, *more: str) -> list[str]:
    given = ["attack", "--data", f"{folder}/mine/*.parquet", "--others", str(folder / "other"), "--qids", "age,zip"]
    return [*given, "--sensitive", "ill", "--person", "id", *more]


def test_the_command_gives_the_numbers_of_the_tables_in_memory(
    frames: list[pd.DataFrame], tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "work").mkdir()
    more = ["-k", "3", "--their-k", "4", "--algorithm", "mondrian", "--work", str(tmp_path / "work")]
    assert main(asked(tmp_path, *more, "--curve-k", "5,2", "--json")) == MET
    shown = json.loads(capsys.readouterr().out)
    assert list((tmp_path / "work").iterdir()) == []

    def twin(k: int, theirs: int) -> dict[str, float]:
        outcome, _ = in_memory(frames, SCHEMA, [Policy(k), Policy(theirs)], "mondrian", "assumed")
        assert outcome.result.people == shown["numbers"]["one_value_left"]["n"]
        row = attack_numbers(0, outcome, [0.25])[0]
        result = outcome.result
        return {
            "one_value_left": result.one_value_left.value,
            "breach": row["share"],
            "hit": row["hit"],
            "weighted": row["weighted"],
        }

    def said(numbers: dict[str, Any]) -> dict[str, float]:
        return {name: numbers[name]["value"] for name in ("one_value_left", "breach", "hit", "weighted")}

    assert said(shown["numbers"]) == pytest.approx(twin(3, 4), abs=1e-12)
    assert [one["k"] for one in shown["curve"]] == [2, 5]
    for one in shown["curve"]:
        assert said(one["numbers"]) == pytest.approx(twin(one["k"], one["k"]), abs=1e-12)
    assert shown["numbers"]["breach"]["low"] is None, "no chance takes part"


def test_the_scenario_of_the_command_gives_its_numbers_again(
    frames: list[pd.DataFrame], tmp_path: Path, capsys: Captured
) -> None:
    saved = tmp_path / "gate.json"
    assert main(asked(tmp_path, "-k", "3", "--save-scenario", str(saved))) == MET
    out = capsys.readouterr().out
    assert "They are the people whose 'id' occurs in exactly one record of each." in out
    assert Scenario.from_json(saved.read_text()).schema.person == "id"
    again = [*asked(tmp_path)[:5], "--scenario", str(saved)]
    assert main(again) == MET
    assert capsys.readouterr().out == out
    assert main([*again, "--limit", "hit=0.01"]) == BROKEN


def test_people_with_several_records_are_counted_and_said(tmp_path: Path, capsys: Captured) -> None:
    rng = np.random.default_rng(7)
    for name in ("mine", "other"):
        written(hospital(rng, 300, 250, True), tmp_path / name, "texts")
    assert main(asked(tmp_path, "-k", "3")) == MET
    assert "more people are in all of them, with several records in one" in capsys.readouterr().err


@pytest.mark.usefixtures("frames")
@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--overlap", "30"], "--overlap is for simulated hospitals"),
        (["--same-value-rate", "0.5"], "--same-value-rate is for simulated hospitals"),
        (["--one-record", "first"], "--one-record is for simulated hospitals"),
        (["--releases", "3"], "2 folders are given for 3 hospitals"),
        (["--evidence", "e.json"], "--evidence is not for folders"),
        (["--algorithm", "mdav"], "needs the records themselves"),
        (["--curve-k", "5,x"], "whole number"),
        (["--person", "town"], "no column 'town'"),
        (["--out", "mine/0.parquet", "--force"], "is an input"),
        (["--out", "other/1.parquet", "--force"], "is an input"),
        (["--limit", "k=4"], "does not use k here"),
        (["--limit", "named_list=0.1"], "does not use named_list here"),
    ],
)
def test_one_sentence_for_what_cannot_be_used(
    more: list[str], words: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(asked(tmp_path, "-k", "3", *more)) == BAD
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


@pytest.mark.usefixtures("frames")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"schema": SCHEMA.with_(one_record="first")},
            "One record per person can only be chosen for a table in memory",
        ),
        ({"hospitals": (MINE, THEIRS)}, "has files of other hospitals"),
        ({"hospitals": (MINE, replace(MINE, counts=COUNTS))}, "has tables of counts"),
    ],
    ids=["one record", "files", "counts"],
)
def test_a_scenario_of_tables_in_memory_is_refused(
    changes: dict[str, Any], words: str, tmp_path: Path, capsys: Captured
) -> None:
    scenario = Scenario(**{"schema": SCHEMA, "hospitals": (MINE, MINE), "overlap": 30, **changes})
    (tmp_path / "gate.json").write_text(scenario.to_json(), encoding="utf-8")
    assert main([*asked(tmp_path)[:5], "--scenario", str(tmp_path / "gate.json")]) == BAD
    assert words in capsys.readouterr().err


def test_people_who_all_have_a_missing_value_are_refused(tmp_path: Path, capsys: Captured) -> None:
    for name, ages in (("mine", ["", "", "1", "1"]), ("other", ["1", "1", "1", "1"])):
        ids = ["a", "b", f"{name} c", f"{name} d"]
        written(pd.DataFrame({"id": ids, "age": ages, "zip": "p", "ill": ["x", "y"] * 2}), tmp_path / name, "texts")
    assert main(asked(tmp_path, "-k", "2", "--missing", "drop")) == BAD
    assert "Everyone who is in all of the data is left out" in capsys.readouterr().err


def test_other_words_for_sensitive_values_are_refused_or_said(tmp_path: Path, capsys: Captured) -> None:
    """Sets of values that share no word would leave nobody a value, and look safe."""
    rng = np.random.default_rng(8)
    mine, other = (hospital(rng, 300, 350, False) for _ in range(2))
    written(mine, tmp_path / "mine", "texts")
    written(other.assign(ill=other["ill"].str.upper()), tmp_path / "other", "texts")
    assert main(asked(tmp_path, "-k", "3")) == BAD
    assert "No value of 'ill' in '" in capsys.readouterr().err
    shutil.rmtree(tmp_path / "other")
    written(other.assign(ill=other["ill"].where(other["ill"] == "tb", "none")), tmp_path / "other", "texts")
    assert main(asked(tmp_path, "-k", "3")) == MET
    assert "If they are coded otherwise, the attack excludes values that are the same" in capsys.readouterr().err


def test_people_who_fit_no_class_by_other_words_are_said(
    frames: list[pd.DataFrame], tmp_path: Path, capsys: Captured
) -> None:
    """A release rules nothing out for them, and looks safe."""
    given = [*asked(tmp_path, "-k", "3"), "--locate", "published"]
    assert main(given) == MET
    assert "fit no class" not in capsys.readouterr().err
    shutil.rmtree(tmp_path / "other")
    written(frames[1].assign(zip=frames[1]["zip"].str.upper()), tmp_path / "other", "texts")
    assert main(given) == MET
    assert "but fit no class of it by my values" in capsys.readouterr().err


@pytest.mark.usefixtures("frames")
def test_a_column_of_others_that_may_count_must_be_explained(tmp_path: Path, capsys: Captured) -> None:
    for path in (tmp_path / "other").iterdir():
        table = parquet.read_table(path)
        parquet.write_table(table.append_column("count", pa.array([2] * len(table))), path)
    assert main(asked(tmp_path, "-k", "3")) == BAD
    assert "--count none" in capsys.readouterr().err
    assert main(asked(tmp_path, "-k", "3", "--count", "none")) == MET
    assert main(asked(tmp_path, "-k", "3", "--count", "count")) == BAD


@pytest.mark.usefixtures("frames")
def test_folders_of_others_need_the_person_column(tmp_path: Path, capsys: Captured) -> None:
    given = asked(tmp_path, "-k", "3", "--drop-unassigned")
    place = given.index("--person")
    assert main(given[:place] + given[place + 2 :]) == BAD
    assert "name it with --person" in capsys.readouterr().err
    one = ["attack", "--data", str(tmp_path / "mine" / "0.parquet"), *given[5:], "--overlap", "20"]
    assert main([*one, "--curve-k", "5"]) == BAD
    assert "--curve-k works only for folders" in capsys.readouterr().err

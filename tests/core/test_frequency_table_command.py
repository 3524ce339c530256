"""The commands frequency-table and release: from a table, a frequency table or a folder to a published folder."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet

from core import FrequencyTable, Policy, Schema, Table, anonymize, examples, measure
from core.base.errors import InputError
from core.cli import BAD, BROKEN, MET, main
from core.engine import output
from core.engine.file_patterns import would_name
from core.engine.output import write_release
from core.release.release import Release
from core.release.utility import gcp
from tests.source import ROOT

Captured = pytest.CaptureFixture[str]
QIDS = "age,sex,zip code"
COLUMNS = ("age", "sex", "zip code", "diagnosis")
engine = pytest.mark.skipif(find_spec("duckdb") is None, reason="the engine is optional: pip install duckdb")


@pytest.fixture(scope="module")
def city() -> Table:
    return examples.city(900)


@pytest.fixture
def data(city: Table, tmp_path: Path) -> Path:
    path = tmp_path / "city.csv"
    city.to_frame().to_csv(path, index=False)
    return path


def asked(data: Any, *more: str) -> list[str]:
    return ["release", "--data", str(data), "--qids", QIDS, "--sensitive", "diagnosis", "--drop-unassigned", *more]


def counted(data: Any, *more: str) -> list[str]:
    return ["frequency-table", "--data", str(data), "--qids", QIDS, "--sensitive", "diagnosis", *more]


def numbers_of(capsys: Captured, *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == MET
    shown: dict[str, Any] = json.loads(capsys.readouterr().out)
    return shown


def published(folder: Path) -> pd.DataFrame:
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.iterdir())], ignore_index=True)


def twin(city: Table, k: int = 9) -> Release:
    return anonymize(city, Schema(QIDS.split(","), "diagnosis", unassigned="drop"), Policy(k), "least-loss")


def rows_of(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    return sorted(frame.astype(object).itertuples(index=False, name=None))


def test_from_a_table_over_a_frequency_table_to_what_is_published(
    city: Table, data: Path, tmp_path: Path, capsys: Captured
) -> None:
    frequencies, out = tmp_path / "frequencies.parquet", tmp_path / "published"
    assert main(counted(data, "--out", str(frequencies))) == MET
    assert capsys.readouterr().out.startswith("'city.csv': 900 records, ")
    assert stat.S_IMODE(frequencies.stat().st_mode) == 0o600
    shown = numbers_of(capsys, *asked(frequencies, "-k", "9", "--out", str(out)))
    frame, release = published(out), twin(city)
    assert rows_of(frame) == rows_of(release.publish(seed=0))
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in out.iterdir()} == {0o600}
    guarantee = measure(frame, release.encoded and Schema(QIDS.split(","), "diagnosis"))
    for name, value in guarantee.numbers.items():
        assert shown["numbers"][name]["value"] == pytest.approx(value)
    assert shown["numbers"]["loss"]["value"] == pytest.approx(gcp(release))
    assert shown["data_id"] == FrequencyTable.of(city, COLUMNS).content_id


def test_a_table_is_released_as_it_is(city: Table, data: Path, tmp_path: Path, capsys: Captured) -> None:
    scenario = tmp_path / "gate.json"
    assert main(asked(data, "-k", "9", "--out", str(tmp_path / "a"), "--save-scenario", str(scenario))) == MET
    assert "least loss" in capsys.readouterr().out
    with_it = ["release", "--data", str(data), "--scenario", str(scenario), "--out", str(tmp_path / "b")]
    assert main(with_it) == MET
    assert rows_of(published(tmp_path / "a")) == rows_of(published(tmp_path / "b"))


def test_text_files_cannot_be_taken_for_formulas(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": ["20", "20", "30", "30"], "=ill()": ["=1+1", "@x", "-2", 'say "a", b']})
    release = anonymize(Table.from_frame(frame), Schema(["age"], "=ill()"), Policy(2))
    write_release(release, tmp_path / "out", "csv")
    raw = pd.read_csv(tmp_path / "out" / "part-00000.csv", dtype=str)
    assert list(raw.columns) == ["age", "'=ill()"]
    assert sorted(raw["'=ill()"]) == ["'=1+1", "'@x", "-2", 'say "a", b']


@pytest.mark.parametrize("different", [2, 900])
def test_many_files_of_many_batches(
    different: int, city: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "PART", 400)
    monkeypatch.setattr(output, "ROWS", 150)
    release = twin(city.take(np.arange(900) % different))
    write_release(release, tmp_path / "out")
    assert [parquet.read_metadata(path).num_rows for path in sorted((tmp_path / "out").iterdir())] == [400, 400, 100]
    assert rows_of(published(tmp_path / "out")) == rows_of(release.publish(seed=0))


def test_no_value_is_written_that_nobody_published_has(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": ["20", "20", ""], "ill": ["flu", "cold", "Zzyzx7"]})
    schema = Schema(["age"], "ill", missing="drop")
    write_release(anonymize(Table.from_frame(frame), schema, Policy(2)), tmp_path / "out")
    assert b"Zzyzx7" not in (tmp_path / "out" / "part-00000.parquet").read_bytes()


# ---- limits ----------------------------------------------------------------------------------


def test_a_release_that_breaks_a_limit_is_not_written(data: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out"
    assert main(asked(data, "-k", "9", "--limit", "k=10000", "--out", str(out))) == BROKEN
    told = capsys.readouterr()
    assert "Verdict: Not met" in told.out
    assert "Nothing was written" in told.err
    assert not out.exists()


# ---- nothing by half, and nothing replaced -------------------------------------------------------


def test_what_is_there_is_replaced_by_force_only(data: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "old").write_text("old")
    assert main(asked(data, "-k", "9", "--out", str(out))) == BAD
    assert "exists" in capsys.readouterr().err
    assert (out / "old").read_text() == "old"
    assert main(asked(data, "-k", "9", "--out", str(out), "--force")) == MET
    assert [path.name for path in out.iterdir()] == ["part-00000.parquet"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["city.csv", "out"]
    assert main(counted(data, "--out", str(out), "--force")) == BAD


def test_what_is_read_is_never_replaced(data: Path, tmp_path: Path, capsys: Captured) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    data.rename(lake / "city.csv")
    for source, out in ((lake / "city.csv", lake), (lake, lake), (lake / "city.csv", lake / "city.csv")):
        assert main(asked(source, "-k", "9", "--out", str(out), "--force")) == BAD
    assert (lake / "city.csv").is_file()
    capsys.readouterr()
    inside = ["--out", str(tmp_path / "out"), "--classes", str(lake / "classes.csv")]
    for source in (lake, Path(f"{lake}/**")):
        for more in (["--out", str(lake / "release")], inside):
            assert main(asked(source, "-k", "9", *more)) == BAD
            assert "would be in the data folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("pattern", "path", "is_named"),
    [
        ("lake/*.csv", "lake/classes.csv", True),
        ("lake/*/*.parquet", "lake/release", True),
        ("lake/*.parquet", "lake/release", False),
        ("lake/*.csv", "other/classes.csv", False),
    ],
)
def test_a_pattern_names_what_would_be_written(
    pattern: str, path: str, is_named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert would_name(pattern, str(tmp_path / path)) is is_named


@engine
def test_a_folder_counts_and_says_what_a_file_does(data: Path, tmp_path: Path, capsys: Captured) -> None:
    """The same column counts, also next to files of others, and the same is said of the cells."""
    assert main(asked(data, "-k", "5", "--out", str(tmp_path / "theirs"), "--format", "csv")) == MET
    frame = pd.read_csv(data, dtype=str)
    frame["age"] = np.where(frame.index % 2, "1,200", "3,400")
    frame.insert(0, "n", "2")
    (tmp_path / "lake").mkdir()
    frame.to_csv(tmp_path / "lake" / "0.csv", sep=";", index=False)
    roles = ["--qids", QIDS, "--sensitive", "diagnosis", "--drop-unassigned", "-k", "5", "--overlap", "20"]
    roles += ["--others", str(tmp_path / "theirs" / "part-00000.csv")]
    capsys.readouterr()
    for more in ([], ["--count", "n"]):
        for source in (tmp_path / "lake", tmp_path / "lake" / "0.csv"):
            assert main(["attack", "--data", str(source), *roles, *more]) == MET
            out, err = capsys.readouterr()
            assert f"{900 * (1 + bool(more)):,} records" in out
            assert ("may say how many records" in err) is (not more)
            assert "thousands" in err
    frame.drop(columns="n").to_csv(tmp_path / "lake" / "0.csv", sep=";", index=False)
    theirs = pd.read_csv(roles[-1], dtype=str).assign(n=1)
    theirs.to_csv(roles[-1], index=False)
    assert main(["attack", "--data", str(tmp_path / "lake"), *roles, "--count", "n"]) == MET
    assert "900 records" in capsys.readouterr().out


@engine
def test_only_whole_numbers_without_a_role_may_count(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "lake").mkdir()
    frame = pd.DataFrame(
        {"age": ["1", "2"] * 9, "ill": ["flu", "tb", "tb"] * 6, "n": 1, "size": "large", "records": range(18)}
    )
    frame.to_parquet(tmp_path / "lake" / "0.parquet", index=False)
    roles = ["--qids", "age", "--sensitive", "ill", "--identifiers", "records", "--drop-unassigned", "-k", "2"]
    assert main(["release", "--data", str(tmp_path / "lake"), *roles, "--out", str(tmp_path / "out")]) == MET
    assert re.findall("'(.*)' may say how many records", capsys.readouterr().err) == ["n"]


def test_a_stop_or_a_full_disk_leaves_nothing(city: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_release(twin(city), tmp_path / "out", progress=stop)
    assert list(tmp_path.iterdir()) == []

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="the disk is full"):
        write_release(twin(city), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frequency-table", "-k", "5"], "-k is for a release|--k is for a release"),
        (["frequency-table", "--count", "age"], "some of its cells are not whole numbers|already"),
        (["release"], "Give k"),
        (["release", "--qids", "", "--sensitive", ""], "Give a scenario with --scenario, or the columns"),
        (["release", "-k", "5", "--count", "nothing"], "no column 'nothing'"),
        (["release", "-k", "5", "--algorithm", "mdav"], "needs the records themselves"),
        (["release", "-k", "5", "--person", "age"], "person"),
        (["release", "-k", "5", "--others", "x.csv"], "does not use --others"),
        (["release", "-k", "5", "--limit", "one_value_left=0.1"], "does not use one_value_left"),
        (["release", "-k", "5", "--limit", "agreed=2"], "does not use agreed"),
        (["release", "-k", "5", "--engine", "duckdb", "--memory", "4"], "500MB or 4GB|duckdb"),
        (["release", "-k", "5", "--engine", "duckdb", "--work", "nowhere"], "nowhere|duckdb"),
    ],
)
def test_one_sentence_for_what_cannot_be_used(
    arguments: list[str], words: str, data: Path, tmp_path: Path, capsys: Captured
) -> None:
    command, *more = arguments
    start = asked(data) if command == "release" else counted(data)
    assert main([*start, *more, "--out", str(tmp_path / "out")]) == BAD
    told = capsys.readouterr().err
    assert any(word in told for word in words.split("|")), told
    assert told.count("\n") == 1
    assert not (tmp_path / "out").exists()


# ---- by the engine -----------------------------------------------------------------------------


@engine
def test_a_folder_is_released_as_the_table(city: Table, tmp_path: Path, capsys: Captured) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(900), 4)):
        city.take(rows).to_frame().to_parquet(lake / f"{number}.parquet")
    work = tmp_path / "work"
    work.mkdir()
    bounds = ["--memory", "500MB", "--threads", "2", "--work", str(work)]
    out = tmp_path / "out"
    shown = numbers_of(capsys, *asked(f"{lake}/*.parquet", "-k", "9", "--out", str(out), *bounds))
    assert (shown["data"], shown["data_id"]) == (f"{lake}/*.parquet", FrequencyTable.of(city, COLUMNS).content_id)
    assert rows_of(published(out)) == rows_of(twin(city).publish(seed=0))
    assert list(work.iterdir()) == []
    shown = numbers_of(capsys, *counted(lake, "--out", str(tmp_path / "frequencies.parquet")))
    assert shown["data_id"] == FrequencyTable.of(city, COLUMNS).content_id
    assert main(counted(lake, "--out", str(tmp_path / "t2.parquet"), "--count", "n")) == BAD


@engine
@pytest.mark.long
def test_the_commands_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "larger.md").read_text(encoding="utf-8")
    commands = text.split("```sh\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    subprocess.run(["bash", "-e", "-c", commands], check=True)
    assert rows_of(published(Path("again"))) == rows_of(published(Path("at_fifty")))
    assert sum(parquet.read_metadata(path).num_rows for path in Path("published").iterdir()) == 5_000


def test_others_are_files_and_no_folders(data: Path, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "theirs").mkdir()
    assert main(looked_at("attack", data, "--overlap", "300", "--others", str(tmp_path / "theirs"))) == BAD
    assert "release each folder with the command release" in capsys.readouterr().err


def test_a_folder_is_measured_as_its_files_are(data: Path, tmp_path: Path, capsys: Captured) -> None:
    """By the frequency table of the files, with the formulas for a table in memory."""
    assert main(asked(data, "--qids", "age,sex", "-k", "9", "--out", str(tmp_path / "out"))) == MET
    capsys.readouterr()
    (file,) = (tmp_path / "out").iterdir()
    shown = []
    for published_as in (file.parent, file):
        given = ["measure", "--data", str(published_as), "--qids", "age,sex", "--sensitive", "diagnosis", "--json"]
        assert main(given) == MET
        shown.append(json.loads(capsys.readouterr().out)["numbers"])
    assert shown[0] == shown[1]


# ---- attack, forecast, report --------------------------------------------------------------------


@pytest.fixture
def frequencies(data: Path, tmp_path: Path, capsys: Captured) -> Path:
    path = tmp_path / "frequencies.parquet"
    assert main(counted(data, "--out", str(path))) == MET
    capsys.readouterr()
    return path


def looked_at(command: str, data: Path, *more: str) -> list[str]:
    return [command, *asked(data, "--qids", "age,sex", "-k", "9", *more)[1:]]


def test_a_report_of_a_frequency_table_counts_records(frequencies: Path, tmp_path: Path, capsys: Captured) -> None:
    report, record = tmp_path / "report.json", tmp_path / "record.json"
    options = ("--overlap", "300", "--repeats", "3", "--count", "count", "--format", "json")
    files = ("--out", str(report), "--record", str(record))
    assert main(looked_at("report", frequencies, *options, *files)) == MET
    assert "900 records" in capsys.readouterr().out
    facts = json.loads(report.read_text())
    assert facts["data"]["records"] == 900
    assert json.loads(record.read_text())["publications"][0]["records"] == 900


@engine
@pytest.mark.parametrize("command", ["measure", "attack"])
def test_a_folder_is_looked_at_as_its_frequency_table(
    command: str, city: Table, frequencies: Path, tmp_path: Path, capsys: Captured
) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    frame = city.to_frame()
    for number, part in enumerate((frame[:200], frame[200:])):
        part.to_csv(lake / f"{number}.csv", index=False)
    more = ("--overlap", "300", "--repeats", "3") if command != "measure" else ()
    ours = numbers_of(capsys, *looked_at(command, lake, *more, "--memory", "500MB", "--work", str(tmp_path)))
    twin = numbers_of(capsys, *looked_at(command, frequencies, *more, "--count", "count"))
    assert ours["numbers"] == twin["numbers"]
    assert ours["data"] == str(lake)
    # No file of the data is replaced by what is said of them.
    taken = looked_at(command, lake, *more, "--out", str(lake / "0.csv"), "--force")
    assert main(taken) == BAD
    assert "0.csv" in capsys.readouterr().err


# ---- files that say themselves that they are frequency tables ---------------------------------------------

ROLES = ["--qids", QIDS, "--sensitive", "diagnosis"]


def as_text(frequencies: Path, path: Path, **renamed: str) -> Path:
    pd.read_parquet(frequencies).rename(columns=renamed).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    "command",
    [["attack", "-k", "9", "--overlap", "100", "--repeats", "2"], ["measure", "-k", "9"], ["measure"]],
    ids=" ".join,
)
def test_a_frequency_table_file_needs_no_count(
    command: list[str], frequencies: Path, tmp_path: Path, capsys: Captured
) -> None:
    def shown_for(path: Path, *more: str) -> tuple[dict[str, Any], str]:
        assert main([command[0], "--data", str(path), *ROLES, *command[1:], *more, "--json"]) == MET
        said = capsys.readouterr()
        return {**json.loads(said.out), "data": "", "scenario_digest": ""}, said.err  # both know the file's name

    given, _ = shown_for(frequencies, "--count", "count")
    assert given["records"] == 900
    assert shown_for(frequencies)[0] == given
    text = as_text(frequencies, tmp_path / "frequencies.csv")
    guessed, remark = shown_for(text)
    assert guessed == given
    assert "its column 'count' is taken to count the records of each row" in remark
    by_row = ["--drop-unassigned"] if "-k" in command else ["--count", "none", "--unmodified", "count"]
    rows, remark = shown_for(text, *by_row)
    assert rows["records"] == len(pd.read_csv(text)) < 900
    assert "looks like a frequency table" not in remark


def test_a_column_with_a_role_counts_nothing(frequencies: Path, tmp_path: Path, capsys: Captured) -> None:
    text = as_text(frequencies, tmp_path / "frequencies.csv")
    roles = ["--qids", f"{QIDS},count", "--sensitive", "diagnosis"]
    for more in ([], ["-k", "2"]):
        capsys.readouterr()
        assert main(["measure", "--data", str(text), *roles, *more, "--json"]) == MET
        assert json.loads(capsys.readouterr().out)["records"] == len(pd.read_csv(text))

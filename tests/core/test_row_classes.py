"""The class of every row of a table, for the publisher alone; from folders there is none."""

from __future__ import annotations

import io
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from core import Policy, Schema, Table, anonymize, read_table
from core.cli import BAD, BROKEN, MET, main
from core.data.tables.input_limits import InputLimits
from tests.folders import VALUES

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
Captured = pytest.CaptureFixture[str]
QIDS = ("age", "zip", "grade")


def people(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "number": [f"={n}" if n % 7 == 0 else f"p{n}" for n in rng.permutation(rows)],
            "age": rng.integers(0, 40, rows).astype(str),
            "zip": rng.choice(list("pqrstuv"), rows),
            "ward": rng.choice(["n1", "n2", "e1", "e2", "e3", "w1"], rows),
            "grade": rng.choice(["low", "mid", "high"], rows),
            "ill": [*["flu", "cold"], *rng.choice(["flu", "cold", "gout", "tb"], rows - 2, p=[0.5, 0.3, 0.15, 0.05])],
        }
    )
    for column, share in (("age", 0.05), ("ward", 0.03), ("ill", 0.02)):
        frame.loc[rng.random(rows) < share, column] = ""
    return frame


def as_read(frame: pd.DataFrame) -> Table:
    """The table that files of these rows are read as."""
    text = io.StringIO(frame.drop(columns="number").to_csv(index=False))
    return Table.from_frame(pd.read_csv(text, dtype=str, keep_default_na=False))


def twin(frame: pd.DataFrame, policy: Policy, algorithm: str, schema: Schema) -> np.ndarray:
    """(rows,) class of each by the release in memory, which works on records instead of a frequency table."""
    return anonymize(as_read(frame), schema, policy, algorithm).labels


def same_partition(one: np.ndarray, other: np.ndarray) -> None:
    """Classes may have other numbers, but hold the same rows; -1 is no class."""
    np.testing.assert_array_equal(one < 0, other < 0)
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    assert len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


def read(path: Path, name: str) -> pd.DataFrame:
    frame = pd.read_csv(path, dtype={name: str}) if path.suffix == ".csv" else pd.read_parquet(path)
    assert list(frame.columns) == [name, "class"]
    return frame


def asked(data: Path, *more: str) -> list[str]:
    start = [
        "release",
        "--data",
        str(data),
        "--qids",
        ",".join(QIDS),
        "--sensitive",
        "ill",
        "--drop-unassigned",
        "-k",
        "4",
    ]
    return [*start, *more]


# ---- by the command line ----------------------------------------------------------------------


@pytest.mark.parametrize(("algorithm", "ending"), [("mondrian", ".parquet"), ("least-loss", ".csv")])
def test_a_table_in_memory(algorithm: str, ending: str, tmp_path: Path, capsys: Captured) -> None:
    key = "=number"
    frame = people(200, 1)
    frame.rename(columns={"number": key}).to_csv(tmp_path / "data.csv", index=False)
    expected = twin(frame, Policy(4), algorithm, Schema(QIDS, "ill", unassigned="drop"))
    classes = tmp_path / f"classes{ending}"
    given = asked(tmp_path / "data.csv", "--algorithm", algorithm, "--classes", str(classes))
    assert main([*given, "--out", str(tmp_path / "a")]) == MET
    err = capsys.readouterr().err
    assert f"'classes{ending}' says which class each row of the data is in" in err
    assert "publish the folder 'a' alone" in err
    assert stat.S_IMODE(classes.stat().st_mode) == 0o600
    by_row = pd.read_csv(classes) if ending == ".csv" else pd.read_parquet(classes)
    np.testing.assert_array_equal(by_row["row"], np.arange(200) + 1)
    same_partition(by_row["class"].to_numpy() - 1, expected)
    assert main([*given, "--key", key, "--out", str(tmp_path / "b"), "--force"]) == MET
    # In text no name is taken for a formula.
    header = f"'{key}" if ending == ".csv" else key
    by_key, names = read(classes, header), frame["number"]
    assert list(by_key[header]) == list(names.where(~names.str.startswith("=") | (ending != ".csv"), "'" + names))
    same_partition(by_key["class"].to_numpy() - 1, expected)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_who_is_left_out_has_no_class(tmp_path: Path) -> None:
    frame = people(200, 3)
    frame.to_csv(tmp_path / "data.csv", index=False)
    given = asked(tmp_path / "data.csv", "--missing", "drop", "--classes", str(tmp_path / "c.csv"))
    assert main([*given, "--out", str(tmp_path / "out")]) == MET
    classes = pd.read_csv(tmp_path / "c.csv")["class"]
    np.testing.assert_array_equal(classes.isna(), frame["age"] == "")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--classes", "c.txt"], "ends in .parquet, .pq, .csv; 'c.txt' does not"),
        (["--classes", "there.csv"], "'there.csv' exists"),
        (["--classes", "out/c.csv"], "folder that is published"),
        (["--classes", "data.csv", "--force"], "'data.csv' is an input"),
        (["--classes", "c.csv", "--key", "none"], "no column 'none'"),
        (["--classes", "c.csv", "--key", "class"], "name another column as key"),
        (["--key", "number"], "--key needs --classes"),
        (["--classes", "c.csv", "--count", "age"], "not whole numbers|lists no rows"),
        (["--classes", "none/c.csv"], "folder of 'c.csv' does not exist"),
    ],
)
def test_one_sentence_for_what_cannot_be_used(
    more: list[str], words: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    people(60, 1).to_csv("data.csv", index=False)
    Path("there.csv").touch()
    given = ["--out", "out"] if "out/c.csv" not in more else ["--out", "out", "--force"]
    if "out/c.csv" in more:
        Path("out").mkdir()
    assert main(asked(Path("data.csv"), *more, *given)) == BAD
    told = capsys.readouterr().err
    assert any(word in told for word in words.split("|")), told
    assert told.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "out") == ["data.csv", "there.csv"]


@pytest.mark.parametrize("what", ["folder", "by an engine", "frequency table"])
def test_what_is_counted_has_no_rows_to_list(what: str, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "lake").mkdir()
    data, more = tmp_path / "lake", list[str]()
    people(60, 1).to_csv(data / "1.csv", index=False)
    if what == "by an engine":
        data, more = data / "1.csv", ["--engine", "duckdb"]
    if what == "frequency table":
        counting = ["frequency-table", "--data", str(data), "--qids", "age,zip", "--sensitive", "ill"]
        data = tmp_path / "frequencies.parquet"
        assert main([*counting, "--out", str(data)]) == MET
    given = ["release", "--data", str(data), "--qids", "age,zip", "--sensitive", "ill", "--drop-unassigned", "-k", "4"]
    out = ["--classes", str(tmp_path / "c.csv"), "--out", str(tmp_path / "out")]
    assert main([*given, *more, *out]) == BAD
    assert "lists no rows whose classes could be written" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_release_that_breaks_a_limit_leaves_no_classes(tmp_path: Path) -> None:
    frame = people(200, 1)
    frame.to_csv(tmp_path / "data.csv", index=False)
    more = ["--limit", "k=150", "--algorithm", "mondrian", "--classes", str(tmp_path / "c.csv")]
    assert main(asked(tmp_path / "data.csv", *more, "--out", str(tmp_path / "out"))) == BROKEN
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.parametrize("what", [what for what in VALUES if what != "nothing"])
def test_values_of_every_type_can_name_their_row(what: str, tmp_path: Path) -> None:
    values = pa.concat_arrays([VALUES[what]] * 4)
    table = pa.table({"v": values, "w": np.arange(len(values)) % 5, "ill": ["a", "b", "c"] * (len(values) // 3)})
    parquet.write_table(table, tmp_path / "0.parquet")
    given = ["release", "--data", str(tmp_path / "0.parquet"), "--qids", "v,w", "--sensitive", "ill", "-k", "3"]
    given += ["--algorithm", "mondrian", "--out", str(tmp_path / "out")]
    for ending, key in ((".csv", []), (".csv", ["--key", "v"]), (".parquet", ["--key", "v"])):
        classes = tmp_path / f"c{ending}"
        assert main([*given, "--classes", str(classes), *key, "--force"]) == MET
        if not key:
            by_row = pd.read_csv(classes).sort_values("row")["class"].to_numpy() - 1
    whole = read_table(tmp_path / "0.parquet", limits=InputLimits(isolated=False))
    same_partition(by_row, anonymize(whole, Schema(["v", "w"], "ill"), Policy(3)).labels)

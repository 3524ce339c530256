"""The class of every row: the rows of one class, taken from the data, are those that were published as one."""

from __future__ import annotations

import io
import stat
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core import Policy, Schema, Table, anonymize, read_table
from core.base.errors import CompositionError
from core.cli import BAD, BROKEN, MET, main
from core.data.table import Limits
from core.lake import Bounds, ClassFile, Output, counted_on_engine, release_by_blocks, words_of
from tests.lakes import VALUES

Captured = pytest.CaptureFixture[str]
engine = pytest.mark.skipif(find_spec("duckdb") is None, reason="the engine is optional: pip install duckdb")
QIDS = ["age", "zip", "grade"]
SCHEMA = Schema(QIDS, "ill", orders={"grade": ("low", "mid", "high")}, others="drop")


def people(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "number": [f"={n}" if n % 7 == 0 else f"p{n}" for n in rng.permutation(rows)],
            "age": rng.integers(0, 30, rows).astype(str),
            "zip": rng.choice(list("pqrstuv"), rows),
            "grade": rng.choice(["low", "mid", "high"], rows),
            "ill": [*["flu", "cold"], *rng.choice(["flu", "cold", "gout", "tb"], rows - 2)],
        }
    )
    frame.loc[rng.random(rows) < 0.05, "age"] = ""
    return frame


def in_files(frame: pd.DataFrame, folder: Path, kind: str, parts: int = 3) -> None:
    folder.mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), parts)):
        some = frame.iloc[rows]
        if kind == "csv":
            some.to_csv(folder / f"{number}.csv", index=False)
        else:
            some.replace("", None).to_parquet(folder / f"{number}.parquet", index=False)


def twin(frame: pd.DataFrame, policy: Policy, algorithm: str, schema: Schema = SCHEMA) -> np.ndarray:
    """(rows,) class of each by the release in memory, which works on records instead of a tally."""
    text = io.StringIO(frame.drop(columns="number").to_csv(index=False))
    table = Table.from_frame(pd.read_csv(text, dtype=str, keep_default_na=False))
    return anonymize(table, schema, policy, algorithm).labels


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
    start = ["release", "--data", str(data), "--qids", ",".join(QIDS), "--sensitive", "ill", "--drop-others", "-k", "4"]
    return [*start, *more]


# ---- by the command line ----------------------------------------------------------------------


@pytest.mark.parametrize(("algorithm", "ending"), [("mondrian", ".parquet"), ("least-loss", ".csv")])
def test_a_table_in_memory(algorithm: str, ending: str, tmp_path: Path, capsys: Captured) -> None:
    frame = people(200, 1)
    frame.to_csv(tmp_path / "data.csv", index=False)
    expected = twin(frame, Policy(4), algorithm, Schema(QIDS, "ill", others="drop"))
    classes = tmp_path / f"classes{ending}"
    given = asked(tmp_path / "data.csv", "--algorithm", algorithm, "--classes", str(classes))
    assert main([*given, "--out", str(tmp_path / "a")]) == MET
    err = capsys.readouterr().err
    assert f"'classes{ending}' says which class each row of the data is in" in err
    assert "publish the folder 'a' alone" in err
    assert stat.S_IMODE(classes.stat().st_mode) == 0o600
    by_row = pd.read_csv(classes) if ending == ".csv" else pd.read_parquet(classes)
    np.testing.assert_array_equal(by_row["row"], np.arange(200) + 1)
    assert by_row["class"].min() == 1
    same_partition(by_row["class"].to_numpy() - 1, expected)
    assert main([*given, "--key", "number", "--out", str(tmp_path / "b"), "--force"]) == MET
    by_key = read(classes, "number")
    names = frame["number"]
    # In text no name is taken for a formula.
    assert list(by_key["number"]) == list(names.where(~names.str.startswith("=") | (ending != ".csv"), "'" + names))
    same_partition(by_key["class"].to_numpy() - 1, expected)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@engine
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("blocks", [False, True])
def test_a_folder_of_files(
    kind: str, blocks: bool, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = people(300, 2)
    in_files(frame, tmp_path / "lake", kind)
    if blocks:
        monkeypatch.setattr("core.lake.BLOCK", 30)
        monkeypatch.setattr("core.lake.rounds.BLOCK", 60)
    expected = twin(frame, Policy(4), "mondrian", Schema(QIDS, "ill", others="drop"))
    classes, out = tmp_path / "classes.parquet", tmp_path / "out"
    given = asked(tmp_path / "lake", "--algorithm", "mondrian", "--classes", str(classes), "--out", str(out), "--force")
    if kind == "csv":
        assert main(given) == BAD
        assert "name a column that tells them apart with --key" in capsys.readouterr().err
    else:
        assert main(given) == MET
        by_row = read(classes, "row").sort_values("row")
        np.testing.assert_array_equal(by_row["row"], np.arange(300) + 1)
        same_partition(by_row["class"].to_numpy() - 1, expected)
    assert main([*given, "--key", "number"]) == MET
    assert "as secret as they are" in capsys.readouterr().err
    assert stat.S_IMODE(classes.stat().st_mode) == 0o600
    assert {path.suffix for path in out.iterdir()} == {".parquet"}
    by_key = read(classes, "number").set_index("number").loc[frame["number"]]
    same_partition(by_key["class"].to_numpy() - 1, expected)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["classes.parquet", "lake", "out"]


def test_who_is_left_out_has_no_class(tmp_path: Path) -> None:
    frame = people(200, 3)
    frame.to_csv(tmp_path / "data.csv", index=False)
    given = asked(tmp_path / "data.csv", "--missing", "drop", "--classes", str(tmp_path / "c.csv"))
    assert main([*given, "--out", str(tmp_path / "out")]) == MET
    classes = pd.read_csv(tmp_path / "c.csv")["class"]
    np.testing.assert_array_equal(classes.isna(), frame["age"] == "")
    if find_spec("duckdb") is not None:
        in_files(frame, tmp_path / "lake", "parquet")
        given = asked(tmp_path / "lake", "--missing", "drop", "--classes", str(tmp_path / "d.csv"))
        assert main([*given, "--out", str(tmp_path / "other")]) == MET
        by_row = pd.read_csv(tmp_path / "d.csv").sort_values("row")["class"]
        np.testing.assert_array_equal(by_row.isna(), frame["age"] == "")
        same_partition(by_row.fillna(0).to_numpy(int) - 1, classes.fillna(0).to_numpy(int) - 1)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--classes", "c.txt"], "ends in .parquet, .pq, .csv; 'c.txt' does not"),
        (["--classes", "there.csv"], "'there.csv' exists"),
        (["--classes", "out/c.csv"], "folder that is published"),
        (["--classes", "data.csv", "--force"], "'data.csv' is read here"),
        (["--classes", "c.csv", "--key", "none"], "no column 'none'"),
        (["--classes", "c.csv", "--key", "class"], "name another column as key"),
        (["--key", "number"], "--key is for --classes"),
        (["--classes", "c.csv", "--count", "age"], "no whole numbers|has none of them by itself"),
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


@engine
def test_files_whose_rows_have_no_number_of_the_engine(tmp_path: Path, capsys: Captured) -> None:
    frame = people(60, 1).rename(columns={"number": "file_row_number"})
    in_files(frame, tmp_path / "lake", "parquet")
    given = asked(tmp_path / "lake", "--classes", str(tmp_path / "c.csv"), "--out", str(tmp_path / "out"))
    assert main(given) == BAD
    assert "a column file_index or file_row_number" in capsys.readouterr().err
    assert main([*given, "--key", "file_row_number"]) == MET
    tally = tmp_path / "tally.parquet"
    counting = ["tally", "--data", str(tmp_path / "lake"), "--qids", "age,zip", "--sensitive", "ill"]
    assert main([*counting, "--out", str(tally)]) == MET
    for engine_wanted in ([], ["--engine", "duckdb"]):
        given = ["release", "--data", str(tally), "--qids", "age,zip", "--sensitive", "ill", "-k", "4", *engine_wanted]
        assert main([*given, "--classes", str(tmp_path / "d.csv"), "--out", str(tmp_path / "b")]) == BAD
        assert "has none of them by itself" in capsys.readouterr().err


def test_a_release_that_breaks_a_limit_leaves_no_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = people(200, 1)
    frame.to_csv(tmp_path / "data.csv", index=False)
    more = ["--limit", "k=150", "--algorithm", "mondrian", "--classes", str(tmp_path / "c.csv")]
    assert main(asked(tmp_path / "data.csv", *more, "--out", str(tmp_path / "out"))) == BROKEN
    left = ["data.csv"]
    if find_spec("duckdb") is not None:
        in_files(frame, tmp_path / "lake", "csv")
        monkeypatch.setattr("core.lake.BLOCK", 30)
        monkeypatch.setattr("core.lake.rounds.BLOCK", 60)
        given = asked(tmp_path / "lake", *more, "--key", "number", "--out", str(tmp_path / "out"))
        assert main(given) == BROKEN
        left = ["data.csv", "lake"]
    assert sorted(path.name for path in tmp_path.iterdir()) == left


# ---- block by block ------------------------------------------------------------------------------


@engine
@given(
    rows=st.integers(8, 120),
    seed=st.integers(0, 10**6),
    policy=st.sampled_from([Policy(2), Policy(5), Policy(3, l=2), Policy(2, t=0.5)]),
    most=st.integers(1, 40),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_blocks_of_any_size(
    rows: int, seed: int, policy: Policy, most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    frame, folder = people(rows, seed), tmp_path_factory.mktemp("classes")
    try:
        expected = twin(frame, policy, "mondrian")
    except CompositionError:
        assume(False)
    in_files(frame, folder / "lake", "parquet", 2)
    file = ClassFile(folder / "classes.parquet")
    with counted_on_engine(str(folder / "lake"), (*QIDS, "ill"), Bounds(threads=2)) as there:
        release_by_blocks(there, words_of(there), SCHEMA, policy, Output(folder / "out", classes=file), most)
    by_row = read(file.path, "row").sort_values("row")
    np.testing.assert_array_equal(by_row["row"], np.arange(rows) + 1)
    same_partition(by_row["class"].to_numpy() - 1, expected)


@engine
@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("what", [what for what in VALUES if what != "nothing"])
def test_values_of_every_type_find_their_class(
    what: str, blocks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if blocks:
        monkeypatch.setattr("core.lake.BLOCK", 1)
    values = pa.concat_arrays([VALUES[what]] * 4)
    table = pa.table({"v": values, "w": np.arange(len(values)) % 5, "ill": ["a", "b", "c"] * (len(values) // 3)})
    (tmp_path / "lake").mkdir()
    parquet.write_table(table, tmp_path / "lake" / "0.parquet")
    given = ["release", "--data", str(tmp_path / "lake"), "--qids", "v,w", "--sensitive", "ill", "-k", "3"]
    given += ["--algorithm", "mondrian", "--out", str(tmp_path / "out")]
    # As the key, too: values of every type can be written.
    for ending, key in ((".csv", []), (".csv", ["--key", "v"]), (".parquet", ["--key", "v"])):
        classes = tmp_path / f"c{ending}"
        assert main([*given, "--classes", str(classes), *key, "--force"]) == MET
        if not key:
            by_row = pd.read_csv(classes).sort_values("row")["class"].to_numpy() - 1
    whole = read_table(tmp_path / "lake" / "0.parquet", limits=Limits(isolated=False))
    same_partition(by_row, anonymize(whole, Schema(["v", "w"], "ill"), Policy(3)).labels)


# ---- nothing is left ------------------------------------------------------------------------------

"""Classes that are cut on the engine, and the class of every row: as in memory, whatever the size of the blocks."""

from __future__ import annotations

import io
import json
import os
import stat
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from core import FrequencyTable, Policy, Schema, Table, Taxonomy, anonymize, measure, read_table
from core.base.arrays import Progress
from core.base.errors import CompositionError, InfeasibleError, InputError, LimitError, ParameterError, PolicyError
from core.base.workers import WorkerError, Workers, can_fork
from core.cli import BAD, BROKEN, MET, main
from core.data.tables.input_limits import InputLimits
from core.engine import (
    ClassFile,
    EngineBudget,
    OnEngine,
    Output,
    blocks,
    check_scope,
    counted_on_engine,
    output,
    release_by_blocks,
    words_of,
)
from core.engine import release_rounds as by_rounds
from core.release.release import Release
from core.release.utility import gcp
from tests.folders import VALUES

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")

WARDS = Taxonomy.from_nested({"north": ["n1", "n2"], "south": {"east": ["e1", "e2", "e3"], "west": ["w1"]}})
COLUMNS = ("age", "zip", "ward", "grade", "ill")
SCHEMA = Schema(
    COLUMNS[:-1], "ill", taxonomies={"ward": WARDS}, orders={"grade": ("low", "mid", "high")}, unassigned="drop"
)
POLICIES = st.sampled_from(
    [
        Policy(2),
        Policy(5),
        Policy(3, l=2),
        Policy(2, l=1.8, diversity="entropy"),
        Policy(2, t=0.4),
        Policy(4, l=2, t=0.5),
    ]
)


def people(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "number": [f"={n}" if n % 7 == 0 else f"p{n}" for n in rng.permutation(rows)],
            "age": rng.integers(0, 40, rows).astype(str),
            "zip": rng.choice(list("pqrstuv"), rows),
            "ward": rng.choice(WARDS.leaf_labels, rows),
            "grade": rng.choice(["low", "mid", "high"], rows),
            "ill": [*["flu", "cold"], *rng.choice(["flu", "cold", "gout", "tb"], rows - 2, p=[0.5, 0.3, 0.15, 0.05])],
        }
    )
    for column, share in (("age", 0.05), ("ward", 0.03), ("ill", 0.02)):
        frame.loc[rng.random(rows) < share, column] = ""
    return frame


def counted(frame: pd.DataFrame, folder: Path, file_format: str = "csv") -> AbstractContextManager[OnEngine]:
    in_files(frame, folder, file_format, 2)
    return counted_on_engine(str(folder), COLUMNS, EngineBudget(threads=2))


def released(
    frame: pd.DataFrame, folder: Path, policy: Policy, most: int, classes: ClassFile | None = None
) -> tuple[by_rounds.Written, pd.DataFrame]:
    with counted(frame, folder, "csv" if classes is None else "parquet") as there:
        output = Output(folder.with_name(f"{folder.name} out"), "csv", classes=classes)
        written = release_by_blocks(there, words_of(there), SCHEMA, policy, output, most)
    parts = sorted(output.folder.iterdir())
    return written, pd.concat([pd.read_csv(one, dtype=str, keep_default_na=False) for one in parts])


def in_memory(frame: pd.DataFrame, policy: Policy) -> Release:
    return anonymize(FrequencyTable.of(as_read(frame), COLUMNS), SCHEMA, policy)


def alike(one: pd.DataFrame, other: pd.DataFrame) -> None:
    frames = (frame[list(COLUMNS)].sort_values(list(COLUMNS)).reset_index(drop=True) for frame in (one, other))
    pd.testing.assert_frame_equal(*frames)


@given(
    rows=st.integers(4, 150),
    seed=st.integers(0, 10**6),
    policy=POLICIES,
    most=st.integers(1, 60),
    tells_rows=st.booleans(),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_blocks_of_any_size_give_the_classes_of_the_table_in_memory(
    rows: int, seed: int, policy: Policy, most: int, tells_rows: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    frame, folder = people(rows, seed), tmp_path_factory.mktemp("lake")
    try:
        twin = in_memory(frame, policy)
    except CompositionError:
        assume(False)
    file = ClassFile(folder / "classes.parquet") if tells_rows else None
    written, published = released(frame, folder / "in", policy, most, file)
    alike(published, twin.publish(seed=0).astype(str))
    guarantee = measure(twin.publish(seed=0), SCHEMA)
    assert (written.records, written.measured.rows) == (rows, rows)
    assert written.loss == pytest.approx(gcp(twin))
    assert written.measured.classes == guarantee.classes
    assert written.measured.numbers["k"] == guarantee.k >= policy.k
    assert written.measured.numbers["t"] == pytest.approx(guarantee.t)
    if file is not None:
        by_row = read(file.path, "row").sort_values("row")
        np.testing.assert_array_equal(by_row["row"], np.arange(rows) + 1)
        same_partition(by_row["class"].to_numpy() - 1, anonymize(as_read(frame), SCHEMA, policy).labels)


def test_numbers_of_blocks_become_wider_when_they_no_longer_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_rounds, "NARROW", 255)
    frame = people(1500, 3)
    written, published = released(frame, tmp_path / "in", Policy(2), 4)
    assert written.blocks > 255
    alike(published, in_memory(frame, Policy(2)).publish(seed=0).astype(str))


@pytest.mark.parametrize("at_once", [1, 60])
def test_blocks_are_taken_in_any_number_of_passes(
    at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are the same, row by row: a pass for each block, for some, and for most."""
    frame = people(600, 7)
    _, one = released(frame, tmp_path / "a" / "in", Policy(4), 30)
    taken: list[int] = []
    rows_of = by_rounds.Top._rows_of

    def counted_passes(self: by_rounds.Top, blocks: Any, sizes: Any) -> Any:
        taken.append(int(sizes.sum()))
        return rows_of(self, blocks, sizes)

    monkeypatch.setattr(by_rounds.Top, "_rows_of", counted_passes)
    monkeypatch.setattr(by_rounds, "AT_ONCE", at_once)
    written, other = released(frame, tmp_path / "b" / "in", Policy(4), 30)
    pd.testing.assert_frame_equal(one, other)
    assert sum(taken) == written.rows
    assert max(taken) <= at_once + 30


def test_the_order_of_files_and_rows_is_not_that_of_the_release(tmp_path: Path) -> None:
    frame = people(400, 5)
    _, one = released(frame, tmp_path / "a" / "in", Policy(4), 30)
    _, other = released(frame.sample(frac=1, random_state=1), tmp_path / "b" / "in", Policy(4), 30)
    pd.testing.assert_frame_equal(one.reset_index(drop=True), other.reset_index(drop=True))


def test_a_cancelled_or_failed_release_leaves_nothing(tmp_path: Path) -> None:
    def stop(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    for policy, error, progress in (
        (Policy(3), KeyboardInterrupt, stop),
        (Policy(500), InfeasibleError, None),
        (Policy(2, l=9), InfeasibleError, None),
    ):
        folder = tmp_path / f"in {policy.k} {error.__name__}"
        with counted(people(200, 1), folder) as there, pytest.raises(error):
            release_by_blocks(there, words_of(there), SCHEMA, policy, Output(tmp_path / "out"), 20, progress)
    assert not (tmp_path / "out").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_files_that_change_while_blocks_are_cut_are_refused(tmp_path: Path) -> None:
    with counted(people(200, 1), tmp_path / "in") as there:
        words = words_of(there)
        (tmp_path / "in" / "0.csv").write_text("age\n1\n")
        with pytest.raises(InputError, match="was changed while"):
            release_by_blocks(there, words, SCHEMA, Policy(3), Output(tmp_path / "out"), 20)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("limit", "most", "words"), [("BLOCK", 50, "cannot be cut"), ("MOST_LABELS", 10, "distinct values")]
)
def test_a_class_that_does_not_fit_and_too_many_values_are_refused(
    limit: str, most: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_rounds, limit, most)
    with counted(people(200, 1), tmp_path / "in") as there, pytest.raises(LimitError, match=words):
        release_by_blocks(there, words_of(there), SCHEMA, Policy(150), Output(tmp_path / "out"))


def test_a_format_that_is_none_is_refused(tmp_path: Path) -> None:
    with (
        counted(people(20, 1), tmp_path / "in") as there,
        pytest.raises(ParameterError, match="parquet, csv") as refused,
    ):
        release_by_blocks(there, words_of(there), SCHEMA, Policy(2), Output(tmp_path / "out", "xlsx"))
    assert refused.value.parameter == "format"


@pytest.mark.parametrize(
    ("schema", "policy", "algorithm", "words"),
    [
        (SCHEMA, Policy(3), "least-loss", "only Mondrian"),
        (SCHEMA.with_(missing="drop"), Policy(3), "mondrian", "missing values must be kept"),
        (SCHEMA, Policy(3, l=2, c=2, diversity="recursive"), "mondrian", "distinct and entropy l"),
        (SCHEMA, Policy(3, t=0.3, distance="ordered"), "mondrian", "equal distance"),
        (SCHEMA, Policy(3, m=1), "mondrian", "ask for only these"),
    ],
)
def test_what_is_not_formed_block_by_block_is_refused(
    schema: Schema, policy: Policy, algorithm: str, words: str
) -> None:
    with pytest.raises((ParameterError, PolicyError), match=words):
        check_scope(schema, policy, algorithm)
    check_scope(SCHEMA, Policy(3, l=2, t=0.4), "mondrian")


def test_the_command_line_cuts_on_the_engine_what_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with counted(people(600, 4), tmp_path / "in"):
        pass
    given = ["release", "--data", str(tmp_path / "in"), "--qids", "age,zip,grade", "--sensitive", "ill", "-k", "5"]
    given += ["--drop-unassigned", "--algorithm", "mondrian", "--format", "csv", "--json"]
    answers = []
    for name, most in (("memory", by_rounds.BLOCK), ("blocks", 30)):
        monkeypatch.setattr("core.engine.BLOCK", most)
        monkeypatch.setattr(by_rounds, "BLOCK", most)
        assert main([*given, "--out", str(tmp_path / name)]) == 0
        answers.append(json.loads(capsys.readouterr().out)["numbers"])
    assert set(answers[1]) == {"classes", "k", "distinct_l", "entropy_l", "t", "average_risk", "loss"}
    for name, number in answers[1].items():
        assert number["value"] == pytest.approx(answers[0][name]["value"])
    monkeypatch.setattr("core.engine.MOST_TUPLES", 40)
    given[given.index("mondrian")] = "least-loss"
    assert main([*given, "--out", str(tmp_path / "no")]) == 2
    assert "the engine runs only Mondrian" in capsys.readouterr().err
    monkeypatch.setattr("core.engine.MOST_TUPLES", 4000)
    assert main([*given, "--out", str(tmp_path / "yes")]) == 0, "what fits is formed by any algorithm"


# ---- blocks dealt out to workers ----------------------------------------------------------------

in_workers = pytest.mark.skipif(not can_fork(), reason="this system cannot fork: blocks are cut in one process")


def written_by(
    workers: int, folder: Path, most: int = 40, progress: Progress | None = None
) -> tuple[by_rounds.Written, dict[str, bytes]]:
    """Release 600 people in blocks, with so many workers."""
    with counted(people(600, 7), folder) as there:
        goes = Output(folder.with_name(f"{folder.name} out"), "csv", bounds=EngineBudget(threads=workers))
        written = release_by_blocks(there, words_of(there), SCHEMA, Policy(4, t=0.6), goes, most, progress)
    return written, {path.name: path.read_bytes() for path in goes.folder.iterdir()}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of 600 people is large, and 100 rows are as many as may be in work at once."""
    monkeypatch.setattr(by_rounds, "BLOCK", 60)
    monkeypatch.setattr(blocks, "IN_WORK", 100)


@in_workers
@pytest.mark.usefixtures("small")
def test_files_are_the_same_however_many_workers_there_are(tmp_path: Path) -> None:
    shares: list[float] = []
    alone, files = written_by(1, tmp_path / "one")
    several, same = written_by(3, tmp_path / "three", progress=shares.append)
    assert (alone, files) == (several, same)
    assert len(files) == alone.blocks > 10
    assert shares == sorted(shares)


def test_a_block_of_many_records_takes_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, files = written_by(1, tmp_path / "one")
    monkeypatch.setattr(output, "PART", 15)
    _, more = written_by(1, tmp_path / "more")
    rows = [[line for name in sorted(made) for line in made[name].splitlines()[1:]] for made in (files, more)]
    assert rows[0] == rows[1]
    assert len(more) > len(files) == alone.blocks


@in_workers
@pytest.mark.usefixtures("small")
def test_a_block_whose_worker_ends_without_an_answer_is_released_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, files = written_by(1, tmp_path / "one")

    def ends(_self: Workers, _work: Any, block: blocks.Block, progress: Progress) -> blocks.Done:
        for number in block.files:
            (block.folder / f"part-{number:05d}.{block.file_format}").write_text("half")
        raise WorkerError("a worker ended without an answer")

    monkeypatch.setattr(Workers, "run", ends)
    assert written_by(2, tmp_path / "two")[1] == files


@in_workers
@pytest.mark.usefixtures("small")
def test_who_cancels_ends_the_workers_and_leaves_nothing(tmp_path: Path) -> None:
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = children.read_text()

    def stop(share: float) -> None:
        if share > 0.6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        written_by(2, tmp_path / "in", progress=stop)
    assert children.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


# ---- the class of every row: the rows of one class are those that were published as one --------

Captured = pytest.CaptureFixture[str]
QIDS = ["age", "zip", "grade"]
BY_GRADE = Schema(QIDS, "ill", orders={"grade": ("low", "mid", "high")}, unassigned="drop")


def in_files(frame: pd.DataFrame, folder: Path, file_format: str, parts: int = 3) -> None:
    folder.mkdir(parents=True)
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), parts)):
        some = frame.iloc[rows]
        if file_format == "csv":
            some.to_csv(folder / f"{number}.csv", index=False)
        else:
            some.replace("", None).to_parquet(folder / f"{number}.parquet", index=False)


def as_read(frame: pd.DataFrame) -> Table:
    """The table that files of these rows are read as."""
    text = io.StringIO(frame.drop(columns="number").to_csv(index=False))
    return Table.from_frame(pd.read_csv(text, dtype=str, keep_default_na=False))


def twin(frame: pd.DataFrame, policy: Policy, algorithm: str, schema: Schema = BY_GRADE) -> np.ndarray:
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


@pytest.mark.parametrize("file_format", ["csv", "parquet"])
@pytest.mark.parametrize("blocks", [False, True])
def test_a_folder_of_files(
    file_format: str, blocks: bool, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = people(300, 2)
    in_files(frame, tmp_path / "lake", file_format)
    if blocks:
        monkeypatch.setattr("core.engine.BLOCK", 30)
        monkeypatch.setattr("core.engine.release_rounds.BLOCK", 60)
    expected = twin(frame, Policy(4), "mondrian", Schema(QIDS, "ill", unassigned="drop"))
    classes, out = tmp_path / "classes.parquet", tmp_path / "out"
    given = asked(tmp_path / "lake", "--algorithm", "mondrian", "--classes", str(classes), "--out", str(out), "--force")
    if file_format == "csv":
        assert main(given) == BAD
        assert "name a column that identifies them with --key" in capsys.readouterr().err
    else:
        assert main(given) == MET
        by_row = read(classes, "row").sort_values("row")
        np.testing.assert_array_equal(by_row["row"], np.arange(300) + 1)
        same_partition(by_row["class"].to_numpy() - 1, expected)
    assert main([*given, "--key", "number"]) == MET
    assert "as secret as they are" in capsys.readouterr().err
    assert stat.S_IMODE(classes.stat().st_mode) == 0o600
    files = sorted(path.name for path in out.iterdir())
    assert files == [f"part-{number:05d}.parquet" for number in range(len(files))]
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
    in_files(frame, tmp_path / "lake", "parquet")
    given = asked(tmp_path / "lake", "--missing", "drop", "--classes", str(tmp_path / "d.csv"))
    assert main([*given, "--out", str(tmp_path / "other")]) == MET
    by_row = pd.read_csv(tmp_path / "d.csv").sort_values("row")["class"]
    same_partition(by_row.fillna(0).to_numpy(int) - 1, classes.fillna(0).to_numpy(int) - 1)


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
        (["--classes", "c.csv", "--count", "age"], "not whole numbers|does not list them"),
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


def test_files_whose_rows_have_no_number_of_the_engine(tmp_path: Path, capsys: Captured) -> None:
    frame = people(60, 1).rename(columns={"number": "file_row_number"})
    in_files(frame, tmp_path / "lake", "parquet")
    given = asked(tmp_path / "lake", "--classes", str(tmp_path / "c.csv"), "--out", str(tmp_path / "out"))
    assert main(given) == BAD
    assert "a column file_index or file_row_number" in capsys.readouterr().err
    assert main([*given, "--key", "file_row_number"]) == MET
    frequencies = tmp_path / "frequencies.parquet"
    counting = ["frequency-table", "--data", str(tmp_path / "lake"), "--qids", "age,zip", "--sensitive", "ill"]
    assert main([*counting, "--out", str(frequencies)]) == MET
    for engine_wanted in ([], ["--engine", "duckdb"]):
        given = [
            "release",
            "--data",
            str(frequencies),
            "--qids",
            "age,zip",
            "--sensitive",
            "ill",
            "-k",
            "4",
            *engine_wanted,
        ]
        assert main([*given, "--classes", str(tmp_path / "d.csv"), "--out", str(tmp_path / "b")]) == BAD
        assert "does not list them" in capsys.readouterr().err


def test_a_release_that_breaks_a_limit_leaves_no_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = people(200, 1)
    frame.to_csv(tmp_path / "data.csv", index=False)
    more = ["--limit", "k=150", "--algorithm", "mondrian", "--classes", str(tmp_path / "c.csv")]
    assert main(asked(tmp_path / "data.csv", *more, "--out", str(tmp_path / "out"))) == BROKEN
    in_files(frame, tmp_path / "lake", "csv")
    monkeypatch.setattr("core.engine.BLOCK", 30)
    monkeypatch.setattr("core.engine.release_rounds.BLOCK", 60)
    given = asked(tmp_path / "lake", *more, "--key", "number", "--out", str(tmp_path / "out"))
    assert main(given) == BROKEN
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "lake"]


# ---- block by block ------------------------------------------------------------------------------


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("what", [what for what in VALUES if what != "nothing"])
def test_values_of_every_type_find_their_class(
    what: str, blocks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if blocks:
        monkeypatch.setattr("core.engine.BLOCK", 1)
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
    whole = read_table(tmp_path / "lake" / "0.parquet", limits=InputLimits(isolated=False))
    same_partition(by_row, anonymize(whole, Schema(["v", "w"], "ill"), Policy(3)).labels)


# ---- nothing is left ------------------------------------------------------------------------------

"""Classes that are cut on the engine: the same as in memory, whatever the size of the blocks."""

from __future__ import annotations

import io
import json
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Tally, Taxonomy, anonymize, measure
from core.base.arrays import Progress
from core.base.errors import CompositionError, InfeasibleError, InputError, LimitError, ParameterError, PolicyError
from core.base.workers import WorkerError, Workers, can_fork
from core.cli.program import main
from core.data.table import Table
from core.lake import (
    Bounds,
    OnEngine,
    Output,
    blocks,
    check_scope,
    counted_on_engine,
    output,
    release_by_blocks,
    words_of,
)
from core.lake import rounds as by_rounds
from core.release.release import Release
from core.release.utility import gcp

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")

WARDS = Taxonomy.from_nested({"north": ["n1", "n2"], "south": {"east": ["e1", "e2", "e3"], "west": ["w1"]}})
COLUMNS = ("age", "zip", "ward", "grade", "ill")
SCHEMA = Schema(
    COLUMNS[:-1], "ill", taxonomies={"ward": WARDS}, orders={"grade": ("low", "mid", "high")}, others="drop"
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


def counted(frame: pd.DataFrame, folder: Path, files: int = 2) -> AbstractContextManager[OnEngine]:
    folder.mkdir(parents=True)
    for number, some in enumerate(np.array_split(np.arange(len(frame)), files)):
        frame.iloc[some].to_csv(folder / f"{number}.csv", index=False)
    return counted_on_engine(str(folder), COLUMNS, Bounds(threads=2))


def released(
    frame: pd.DataFrame, folder: Path, policy: Policy, most: int, schema: Schema = SCHEMA
) -> tuple[by_rounds.Written, pd.DataFrame]:
    with counted(frame, folder) as there:
        output = Output(folder.with_name(f"{folder.name} out"), "csv")
        written = release_by_blocks(there, words_of(there), schema, policy, output, most)
    parts = sorted(output.folder.iterdir())
    return written, pd.concat([pd.read_csv(one, dtype=str, keep_default_na=False) for one in parts])


def in_memory(frame: pd.DataFrame, policy: Policy) -> Release:
    text = io.StringIO(frame.to_csv(index=False))
    table = Table.from_frame(pd.read_csv(text, dtype=str, keep_default_na=False))
    return anonymize(Tally.of(table, COLUMNS), SCHEMA, policy)


def alike(one: pd.DataFrame, other: pd.DataFrame) -> None:
    frames = (frame[list(COLUMNS)].sort_values(list(COLUMNS)).reset_index(drop=True) for frame in (one, other))
    pd.testing.assert_frame_equal(*frames)


@given(rows=st.integers(4, 150), seed=st.integers(0, 10**6), policy=POLICIES, most=st.integers(1, 60))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_blocks_of_any_size_give_the_classes_of_the_table_in_memory(
    rows: int, seed: int, policy: Policy, most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    frame = people(rows, seed)
    try:
        twin = in_memory(frame, policy)
    except CompositionError:
        assume(False)
    written, published = released(frame, tmp_path_factory.mktemp("lake") / "in", policy, most)
    alike(published, twin.publish(seed=0).astype(str))
    guarantee = measure(twin.publish(seed=0), SCHEMA)
    assert (written.records, written.measured.rows) == (rows, rows)
    assert written.loss == pytest.approx(gcp(twin))
    assert written.measured.classes == guarantee.classes
    assert written.measured.numbers["k"] == guarantee.k >= policy.k
    assert written.measured.numbers["t"] == pytest.approx(guarantee.t)


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


def test_what_is_not_kept_is_not_there(tmp_path: Path) -> None:
    with counted(people(200, 1), tmp_path / "in") as there:
        output = Output(tmp_path / "out", "csv", keep=lambda written: written.measured.numbers["k"] > 10**6)
        written = release_by_blocks(there, words_of(there), SCHEMA, Policy(3), output, 20)
    assert written.measured.numbers["k"] >= 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


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


def test_a_class_that_cannot_be_cut_and_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_rounds, "BLOCK", 50)
    with counted(people(200, 1), tmp_path / "in") as there, pytest.raises(LimitError, match="cannot be cut"):
        release_by_blocks(there, words_of(there), SCHEMA, Policy(150), Output(tmp_path / "out"))


def test_too_many_values_of_one_column_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_rounds, "MOST_LABELS", 10)
    with counted(people(200, 1), tmp_path / "in") as there, pytest.raises(LimitError, match="distinct values"):
        words_of(there)


@pytest.mark.parametrize(
    ("schema", "policy", "algorithm", "words"),
    [
        (SCHEMA, Policy(3), "least-loss", "only Mondrian"),
        (SCHEMA.with_(missing="drop"), Policy(3), "mondrian", "missing values are kept"),
        (SCHEMA, Policy(3, l=2, c=2, diversity="recursive"), "mondrian", "distinct and entropy l"),
        (SCHEMA, Policy(3, t=0.3, distance="ordered"), "mondrian", "equal distance"),
        (SCHEMA, Policy(3, m=1), "mondrian", "ask for these alone"),
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
    given += ["--drop-others", "--algorithm", "mondrian", "--format", "csv", "--json"]
    answers = []
    for name, most in (("memory", by_rounds.BLOCK), ("blocks", 30)):
        monkeypatch.setattr("core.lake.BLOCK", most)
        monkeypatch.setattr(by_rounds, "BLOCK", most)
        assert main([*given, "--out", str(tmp_path / name)]) == 0
        answers.append(json.loads(capsys.readouterr().out)["numbers"])
    assert set(answers[1]) == {"classes", "k", "distinct_l", "entropy_l", "t", "average_risk", "loss"}
    for name, number in answers[1].items():
        assert number["value"] == pytest.approx(answers[0][name]["value"])
    monkeypatch.setattr("core.lake.MOST_TUPLES", 40)
    given[given.index("mondrian")] = "least-loss"
    assert main([*given, "--out", str(tmp_path / "no")]) == 2
    assert "only Mondrian is cut on the engine" in capsys.readouterr().err
    monkeypatch.setattr("core.lake.MOST_TUPLES", 4000)
    assert main([*given, "--out", str(tmp_path / "yes")]) == 0, "what fits is formed by any algorithm"


# ---- blocks dealt out to workers ----------------------------------------------------------------

in_workers = pytest.mark.skipif(not can_fork(), reason="this system cannot fork: blocks are cut in one process")


def written_by(
    workers: int, folder: Path, most: int = 40, progress: Progress | None = None
) -> tuple[by_rounds.Written, dict[str, bytes]]:
    """Release 600 people in blocks, with so many workers."""
    with counted(people(600, 7), folder) as there:
        goes = Output(folder.with_name(f"{folder.name} out"), "csv", bounds=Bounds(threads=workers))
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
            (block.folder / f"part-{number:05d}.{block.kind}").write_text("half")
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

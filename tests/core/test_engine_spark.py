"""Files that Spark counts on this machine: the frequency table of DuckDB, within bounds, with nothing told or left."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.base.errors import InputError, LimitError, MissingPackageError, ParameterError
from core.cli import BAD, MET, main
from core.engine import EngineBudget, frequency_table_of_files, on_spark
from core.engine.output import write_frequency_table
from tests.folders import COLUMNS, SECRET, VALUES, in_parts, invented, message, people, same
from tests.source import ROOT
from tests.sparks import counted_by_spark, has_spark, session
from tests.waiting import wait_for

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
pytest.importorskip("narwhals", reason="the frames are optional: pip install narwhals")
WHY = has_spark()
with_spark = pytest.mark.skipif(WHY is not None, reason=WHY or "")
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def bounds(work: Path) -> EngineBudget:
    return EngineBudget("1GB", 2, str(work))


def javas(parent: int | None = None) -> set[int]:
    """Processes of Java that a process has started, this one by default."""
    found = set()
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            if process.name.isdecimal() and (process / "exe").readlink().name == "java":
                begun_by = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                found |= {int(process.name)} if begun_by == (parent or os.getpid()) else set()
    return found


def listening(process: int) -> set[str]:
    """Addresses at which a process takes connections, as the system writes them."""
    sockets = set()
    for number in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):
            sockets.add(str(number.readlink()))
    lines = [line.split() for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().splitlines()]
    return {line[1].rpartition(":")[0] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in sockets}


# ---- equal to DuckDB -----------------------------------------------------------------------------


@with_spark
def test_values_of_every_type_and_hostile_names(work: Path, tmp_path: Path, capfd: Captured, monkeypatch: Any) -> None:
    """All in one run, for starting Spark takes long; with what a cluster's settings would do to it."""
    monkeypatch.setenv("SPARK_LOCAL_DIRS", str(tmp_path))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.chdir(work.parent)
    names = ["a.b", "`tick`", 'q"uote', "^a.*$", "*", "é λ", "x,y{}()=;", "c0", "n", "sum", "Age", "it's"]
    rng = np.random.default_rng(5)
    texts = {name: rng.choice(["", "x", f"of {name}"], 90).tolist() for name in names}
    typed = {f"type {what}": pa.chunked_array([values] * 15) for what, values in VALUES.items()}
    table = pa.table({**texts, "unread, age": ["x"] * 90, **typed})
    lake = tmp_path / "in put #1" / "year=2020"
    lake.mkdir(parents=True)
    for number, name in enumerate(("p", "100%25", "it's; a 'file' #1")):
        parquet.write_table(table.slice(30 * number, 30), lake / f"{name}.parquet")
    columns = [name for name in table.column_names if name != "unread, age"]
    done: list[float] = []
    addresses = set[str]()

    def look(share: float) -> None:
        done.append(share)
        for process in javas():
            addresses.update(listening(process))

    frequencies = counted_by_spark(str(lake), columns, bounds(work), master="local[2]", progress=look)
    assert javas() == set()
    same(frequencies, frequency_table_of_files(str(lake), columns))
    assert addresses == {"0000000000000000FFFF00000100007F"}  # 127.0.0.1
    assert 0 <= min(done) <= max(done) <= 1
    assert list(work.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in put #1", "work"]
    assert capfd.readouterr() == ("", "")


@with_spark
def test_the_command_line(work: Path, tmp_path: Path, capfd: Captured) -> None:
    table = people(2000)
    lake = tmp_path / "lake"
    in_parts(table.take(np.random.default_rng(1).permutation(len(table))), lake, parts=6)
    roles = ["--data", str(lake), "--qids", "age,sex", "--sensitive", "ill"]
    engine = ["--engine", "spark", "--master", "local[2]", "--memory", "1GB", "--work", str(work)]
    shown = {}
    for name, more in (("spark", engine), ("duckdb", [])):
        out = tmp_path / f"{name}.parquet"
        assert main(["frequency-table", *roles, *more, "--out", str(out), "--json"]) == MET
        said = capfd.readouterr()
        assert said.err == ""
        shown[name] = json.loads(said.out)
        again = ["release", *roles, *more, "-k", "5", "--drop-unassigned", "--out", str(tmp_path / name), "--json"]
        assert main(again) == MET
        shown[f"{name} released"] = json.loads(capfd.readouterr().out)
    assert shown["spark"] == shown["duckdb"]
    assert shown["spark released"] == shown["duckdb released"]
    assert (tmp_path / "spark.parquet").read_bytes() == (tmp_path / "duckdb.parquet").read_bytes()
    assert list(work.iterdir()) == []


@with_spark
def test_frequency_tables_are_counted_by_their_counts(work: Path, tmp_path: Path) -> None:
    in_parts(people(600), tmp_path / "lake", parts=2)
    (tmp_path / "counted").mkdir()
    for number in (0, 1):
        part = frequency_table_of_files(str(tmp_path / "lake" / f"part {number}.parquet"), COLUMNS)
        write_frequency_table(part, tmp_path / "counted" / f"{number}.parquet")
    counted_again = counted_by_spark(str(tmp_path / "counted"), COLUMNS, bounds(work))
    same(counted_again, frequency_table_of_files(str(tmp_path / "lake"), COLUMNS))


GUIDE = re.findall(r"(?ms)^```text\n(.*?)^```", (ROOT / "docs" / "larger.md").read_text(encoding="utf-8"))
LINES = [shlex.split(line)[3:] for line in "".join(GUIDE).splitlines()]


def test_the_guide_has_every_command_that_spark_runs() -> None:
    assert [words[0] for words in LINES] == ["frequency-table", "release", "measure"]


@with_spark
@pytest.mark.parametrize("words", LINES, ids=lambda words: words[0])
def test_a_command_of_the_guide_answers_as_with_duckdb(
    words: list[str], tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    invented(Path("lake"), 9000, 30)
    out = Path(words[words.index("--out") + 1]) if "--out" in words else None
    answers = []
    for engine in ("duckdb", "spark"):
        for line in [LINES[1], words] if words[0] == "measure" and engine == "duckdb" else [words]:
            options = line.copy()
            options[options.index("--engine") + 1] = engine
            assert main([*options, "--memory", "1GB", *(["--force"] if out else [])]) == MET
            shown = capfd.readouterr()
        files = [] if out is None else [out] if out.is_file() else sorted(out.iterdir())
        answers.append((*shown, [path.read_bytes() for path in files]))
    assert answers[0] == answers[1]
    assert {path.name for path in tmp_path.iterdir()} <= {"by_spark", "counted.parquet", "lake"}


# ---- what goes wrong -----------------------------------------------------------------------------


@with_spark
def test_another_name_for_several_files_is_seen(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark reads each of the three files three times, which nothing but the number of records shows."""
    in_parts(people(60), tmp_path / "{1}", parts=3)
    monkeypatch.setattr(on_spark, "_check_files", lambda _: None)
    with pytest.raises(InputError, match="as many"):
        counted_by_spark(str(tmp_path / "{1}"), COLUMNS, bounds(work))


@with_spark
def test_a_damaged_file_is_refused_without_its_cells(work: Path, tmp_path: Path, capfd: Captured) -> None:
    table = pa.table({"a": [f"{SECRET} {number}" for number in range(5000)], "ill": ["flu"] * 5000})
    path = tmp_path / "1.parquet"
    parquet.write_table(table, path, use_dictionary=False, compression="none")
    whole = path.read_bytes()
    data = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    path.write_bytes(whole[:4] + b"\xa5" * 3000 + whole[3004:data] + whole[data:])
    assert "cannot" in message(lambda: counted(path, ["a", "ill"], work), InputError)
    assert capfd.readouterr() == ("", "")
    assert list(work.iterdir()) == []


def counted(data: Path, columns: list[str], within: Path | EngineBudget, **how: Any) -> None:
    counted_by_spark(str(data), columns, within if isinstance(within, EngineBudget) else bounds(within), **how)


@with_spark
def test_cancelling_ends_spark_and_leaves_nothing(work: Path, tmp_path: Path) -> None:
    in_parts(people(200_000), tmp_path / "lake")

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        counted(tmp_path / "lake", ["name", "ill"], work, progress=stop)
    assert javas() == set()
    assert list(work.iterdir()) == []


@with_spark
def test_memory_that_does_not_suffice_is_said_and_nothing_is_left(work: Path, tmp_path: Path, capfd: Captured) -> None:
    texts = pa.array([letter * 150_000_000 for letter in "abc"])
    parquet.write_table(pa.table({"text": texts, "s": ["x", "y", "z"]}), tmp_path / "rows.parquet")
    few = EngineBudget("512MB", 1, str(work))
    found = message(lambda: counted(tmp_path / "rows.parquet", ["text", "s"], few), LimitError)
    assert found == "Spark's memory of 512MB does not suffice; raise it."
    assert not list(work.iterdir())
    assert not javas()
    assert capfd.readouterr() == ("", "")
    parquet.write_table(pa.table({"text": ["a"], "s": ["x"]}), tmp_path / "rows.parquet")
    counted(tmp_path / "rows.parquet", ["text", "s"], few)  # another can be started


@with_spark
def test_a_disk_that_is_full_is_said_and_nothing_is_left(tmp_path: Path, capfd: Captured) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(small)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk of two megabytes can be mounted by the administrator alone")
    try:
        rows = np.random.default_rng(0).integers(0, 2**62, 400_000)
        parquet.write_table(pa.table({"number": rows, "s": rows % 7}), tmp_path / "rows.parquet")
        found = message(lambda: counted(tmp_path / "rows.parquet", ["number", "s"], small), LimitError)
        assert found == "The disk that the engine works on is full; name a larger one."
        assert not list(small.iterdir())
        assert not javas()
    finally:
        subprocess.run(["umount", str(small)], capture_output=True, check=True)
    assert capfd.readouterr() == ("", "")


@with_spark
def test_a_run_that_is_killed_leaves_no_spark_and_no_rows(work: Path, tmp_path: Path) -> None:
    in_parts(people(200_000), tmp_path / "lake")
    command = [sys.executable, "-m", "core", "frequency-table", "--data", str(tmp_path / "lake"), "--qids", "name,age"]
    more = [
        "--sensitive",
        "ill",
        "--engine",
        "spark",
        "--work",
        str(work),
        "--out",
        str(tmp_path / "frequencies.parquet"),
    ]
    with subprocess.Popen([*command, *more], cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        wait_for(lambda: any(work.rglob("blockmgr*")), 120)
        (java,) = javas(process.pid)
        process.send_signal(signal.SIGKILL)
    wait_for(lambda: not Path(f"/proc/{java}/exe").exists(), 120)
    wait_for(lambda: not list(work.iterdir()), 120)
    assert not (tmp_path / "frequencies.parquet").exists()


@with_spark
def test_an_interrupt_prints_one_word_and_leaves_nothing(work: Path, tmp_path: Path) -> None:
    in_parts(people(200_000), tmp_path / "lake")
    command = [sys.executable, "-m", "core", "frequency-table", "--data", str(tmp_path / "lake"), "--qids", "name,age"]
    more = ["--sensitive", "ill", "--engine", "spark", "--work", str(work), "--out", str(tmp_path / "out.parquet")]
    for seconds in (0.0, 2.0, 5.0):
        with subprocess.Popen([*command, *more], cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
            wait_for(lambda: any(work.iterdir()), 120)
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
        assert (process.returncode, errors.strip().splitlines()[-1:]) == (130, ["Stopped."])
        assert "Traceback" not in errors
        wait_for(lambda: not list(work.iterdir()), 120)


@with_spark
def test_a_process_that_has_a_spark_keeps_it(work: Path, tmp_path: Path) -> None:
    in_parts(people(50), tmp_path / "lake")
    with session(tmp_path) as own:
        said = message(lambda: counted(tmp_path / "lake", ["age", "ill"], work), ParameterError)
        assert "already has a Spark session" in said
        assert own.range(3).count() == 3


@pytest.mark.parametrize(
    "how, words",
    [
        ({"master": "yarn"}, "give a session of your own"),
        ({"master": "local[0]"}, "spark://host:port for a cluster"),
        ({"master": "spark://ho st:7077"}, "spark://host:port for a cluster"),
        ({"bounds": EngineBudget()}, "name a work folder"),
        ({"bounds": EngineBudget("400MB", work="/nowhere")}, "512MB at least"),
        ({"data": "text"}, "Spark reads the cells of text files differently"),
        ({"data": "named/_*.parquet"}, "begins with _ or ."),
        ({"data": "{1}"}, "one of []{}*?"),
        ({"bounds": EngineBudget(work="a, b")}, "work folder has a space"),
    ],
)
def test_what_cannot_be_used(how: dict[str, Any], words: str, work: Path, tmp_path: Path) -> None:
    in_parts(people(50), tmp_path / "lake")
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "1.csv").write_text(f"age,ill\n1,{SECRET}\n")
    in_parts(people(50), tmp_path / "named", parts=1)
    (tmp_path / "named" / "part 0.parquet").rename(tmp_path / "named" / "_part.parquet")
    in_parts(people(50), tmp_path / "{1}")
    given = {"bounds": bounds(work), "master": "local"} | how
    data = str(tmp_path / given.pop("data", "lake"))

    def count() -> None:
        with counted_by_spark(data, ["age", "ill"], given.pop("bounds"), **given):
            pass

    assert words in message(count)


def test_without_spark_or_java_one_sentence_says_what_is_needed(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_parts(people(50), tmp_path / "lake")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(on_spark, "find_spec", lambda _: None)
    said = message(lambda: counted(tmp_path / "lake", ["age", "ill"], work), MissingPackageError)
    assert "'pyspark' is needed" in said
    monkeypatch.setattr(on_spark, "find_spec", lambda _: object())
    monkeypatch.setenv("PATH", str(tmp_path))
    for home in (None, str(tmp_path)):
        if home is not None:
            monkeypatch.setenv("JAVA_HOME", home)
        assert "needs Java 17" in message(lambda: counted(tmp_path / "lake", ["age", "ill"], work), ParameterError)


def test_the_master_is_of_spark(tmp_path: Path, capsys: Captured) -> None:
    in_parts(people(50), tmp_path / "lake")
    roles = ["--qids", "age", "--sensitive", "ill", "--out", str(tmp_path / "out")]
    for data in (tmp_path / "lake", tmp_path / "lake" / "part 0.parquet"):
        assert main(["frequency-table", "--data", str(data), *roles, "--master", "local"]) == BAD
        assert "--master is an option of Spark" in capsys.readouterr().err
    by_spark = ["--data", str(tmp_path / "lake"), *roles, "--engine", "spark"]
    assert main(["frequency-table", *by_spark]) == BAD
    assert "name a work folder" in capsys.readouterr().err

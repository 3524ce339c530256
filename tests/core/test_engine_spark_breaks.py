"""A release on either engine that is killed, or has no room on the disk: whole or not there, and nothing left."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.folders import invented
from tests.source import ROOT
from tests.sparks import has_spark
from tests.waiting import wait_for

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
WHY = has_spark()
ROLES = ["--qids", "age,sex,education,place", "--sensitive", "diagnosis", "--drop-unassigned"]
RELEASE = ["release", *ROLES, "-k", "20", "--algorithm", "mondrian", "--threads", "2"]
ENGINES = ["duckdb", pytest.param("spark", marks=pytest.mark.skipif(WHY is not None, reason=WHY or ""))]


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, except the data."""
    inside = (path for path in folder.rglob("*") if path.is_file())
    names = {str(path.relative_to(folder)): path for path in inside}
    return {name: path.read_bytes() for name, path in names.items() if not name.startswith("data/")}


def released(engine: str, data: Path, out: Path, work: Path, *options: str) -> subprocess.Popen[str]:
    """Start a release."""
    more = ["--data", str(data), "--engine", engine, "--work", str(work), "--force", *(options or ["--memory", "1GB"])]
    command = [sys.executable, "-m", "core", *RELEASE, *more, "--out", str(out / "release")]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of a few megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk of two megabytes can be mounted by the administrator alone")
    yield place
    subprocess.run(["umount", str(place)], capture_output=True, check=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_release_that_is_killed_at_any_time_is_whole_or_not_there(engine: str, tmp_path: Path) -> None:
    data, work, out = tmp_path / "data", tmp_path / "work", tmp_path / "out"
    work.mkdir()
    out.mkdir()
    invented(data, 30_000, 60)
    began = time.monotonic()
    with released(engine, data, out, work) as process:
        assert process.wait() == 0
    took, whole = time.monotonic() - began, files(out)
    assert list(whole) == ["release/part-00000.parquet"]
    for share in np.random.default_rng(0).random(10 if engine == "duckdb" else 3):
        shutil.rmtree(out)
        out.mkdir()
        with released(engine, data, out, work) as process:
            time.sleep(share * took)
            process.send_signal(signal.SIGKILL)
        wait_for(lambda: not [*work.iterdir(), *out.glob(".*")], 120)
        assert files(out) in ({}, whole)
    with released(engine, data, out, work) as process:
        assert process.wait() == 0
    assert files(out) == whole


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("full", ["work", "out"])
def test_a_disk_that_is_full_is_said_and_nothing_is_left(engine: str, full: str, small: Path, tmp_path: Path) -> None:
    data, other = tmp_path / "data", tmp_path / "other"
    other.mkdir()
    invented(data, 1_500_000)
    out, work = (other, small) if full == "work" else (small, other)
    memory = "100MB" if (engine, full) == ("duckdb", "work") else "1GB"
    # Text takes more room than Parquet.
    with released(engine, data, out, work, "--memory", memory, "--format", "csv") as process:
        _, errors = process.communicate()
    assert process.returncode == 2
    *_, message = errors.strip().splitlines()
    assert "disk" in message
    assert "full" in message
    assert not list(small.iterdir())
    assert not list(other.iterdir())

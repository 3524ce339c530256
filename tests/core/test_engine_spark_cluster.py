"""A standalone cluster of Spark on this machine: a master and two workers, one of which is killed during a release."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from core.cli import MET, main
from tests.folders import invented
from tests.source import ROOT
from tests.sparks import has_spark
from tests.waiting import wait_for

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
WHY = has_spark()
pytestmark = pytest.mark.skipif(WHY is not None, reason=WHY or "")
ROLES = ["--qids", "age,sex,education,place", "--sensitive", "diagnosis", "--drop-unassigned", "-k", "20"]
RELEASE = ["release", *ROLES, "--algorithm", "mondrian"]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Address of a master, and its two workers."""
    import pyspark

    spark_class = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    port, deploy = free_port(), "org.apache.spark.deploy"
    master = f"spark://127.0.0.1:{port}"
    variables = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(tmp_path / "local")}
    here = ["--host", "127.0.0.1", "--webui-port", "0"]
    logs = tmp_path / "logs"
    logs.mkdir()

    def started(name: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (logs / name).open("wb") as log:
            command = [spark_class, *arguments]
            return stack.enter_context(
                subprocess.Popen(command, env=variables, cwd=tmp_path, stdout=log, stderr=log, start_new_session=True)
            )

    with ExitStack() as stack:
        processes = [started("master", f"{deploy}.master.Master", *here, "--port", str(port))]
        try:
            wait_for(lambda: "I have been elected leader" in (logs / "master").read_text(), 120)
            for number in range(2):
                size = ["--cores", "1", "--memory", "1g", "--work-dir", str(tmp_path / f"worker {number}")]
                processes.append(started(f"worker {number}", f"{deploy}.worker.Worker", *here, *size, master))
            wait_for(lambda: (logs / "master").read_text().count("Registering worker") == 2, 120)
            yield master, processes[1:]
        finally:
            for process in processes:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_commands_run_on_a_cluster_that_loses_a_worker(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The release is that of DuckDB, whether a worker is killed during it or not; nothing is left."""
    master, workers = cluster
    work, lake = tmp_path / "work", tmp_path / "lake"
    work.mkdir()
    invented(lake, 30_000, 60)
    data = ["--data", str(lake)]
    on_cluster = ["--engine", "spark", "--master", master, "--memory", "512MB", "--work", str(work)]
    assert main([*RELEASE, *data, "--out", str(tmp_path / "duckdb")]) == MET
    expected = capfd.readouterr().out
    killed = threading.Event()

    def kill_one() -> None:
        # The rows are being counted.
        wait_for(lambda: any(work.glob("*/table-*")), 300)
        os.killpg(workers[0].pid, signal.SIGKILL)
        killed.set()

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        assert main([*RELEASE, *data, *on_cluster, "--out", str(tmp_path / "spark")]) == MET
    finally:
        killer.join()
    assert killed.is_set()
    assert capfd.readouterr().out == expected
    assert contents(tmp_path / "spark") == contents(tmp_path / "duckdb")
    measuring = ["measure", "--data", str(tmp_path / "spark"), "--qids", "age,sex,education,place"]
    assert main([*measuring, "--sensitive", "diagnosis", *on_cluster]) == MET
    assert "measured as published" in capfd.readouterr().out
    # Without workers it waits; who ends it leaves nothing.
    os.killpg(workers[1].pid, signal.SIGKILL)
    command = [sys.executable, "-m", "core", *RELEASE, *data, *on_cluster, "--out", str(tmp_path / "none")]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        wait_for(lambda: any(work.glob("*/blockmgr*")), 120)
        process.send_signal(signal.SIGKILL)
    wait_for(lambda: not list(work.iterdir()), 120)
    assert not (tmp_path / "none").exists()
    shutil.rmtree(tmp_path / "logs")

"""One bundle, installed once, for all tests that look at the installed program."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

import launch
from delivery import bundle as making
from tests.browser import rig


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder for a stick, made by what `make bundle` runs."""
    try:
        return making.make(tmp_path_factory.mktemp("bundle"))
    except making.FetchError as error:
        pytest.skip(f"pip cannot fetch the packages of requirements.lock here: {str(error).splitlines()[-1]}")


@pytest.fixture(scope="session")
def installed(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the programs that the bundle's installer put into an empty environment, offline."""
    target = tmp_path_factory.mktemp("home") / "composition"
    record = target.with_name("outside.log")
    variables = outsiders(target.parent) | {"PYTHONPATH": str(rig.GUARD), "COMPOSITION_OUTSIDE_LOG": str(record)}
    command = [sys.executable, str(bundle / "install.py"), str(target)]
    done = subprocess.run(command, env=variables, cwd=target.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not record.exists(), f"the installer tried to reach another host: {record.read_text()}"
    return target / "bin"


def outsiders(home: Path) -> dict[str, str]:
    """Return an environment in which nothing of the repository or of this machine's settings is left."""
    left_out = ("STREAMLIT_", "PIP_", "PYTHON", "COMPOSITION_", *launch.WIPING)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return kept | {"HOME": str(home), "PIP_NO_INDEX": "1"}


@contextlib.contextmanager
def started(
    command: Sequence[str], folder: Path, port: int, extra: Mapping[str, str] | None = None, within: Path | None = None
) -> Iterator[rig.App]:
    """Run a command that serves the app on a port, with the guard of the network in every Python of it."""
    record = folder / "outside.log"
    guard = {"PYTHONPATH": str(rig.GUARD), "COMPOSITION_OUTSIDE_LOG": str(record)}
    variables = outsiders(folder) | guard | dict(extra or {})
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=within or folder, env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
        app = rig.App(f"http://127.0.0.1:{port}", folder / "server.log", record, server.pid)
        try:
            assert launch.wait_until_healthy(app.url, rig.START_SECONDS), app.log.read_text()
            yield app
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    assert app.complaints() == []

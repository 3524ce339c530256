"""The installed program started, where nothing of this machine's settings is left."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import launch
from tests.browser import rig


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

"""The real app, driven without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import rig
from tests.server.people import APP


@pytest.fixture(scope="session")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[rig.App]:
    """Run the app as `make run` does, on a machine that keeps no file beyond 64 kB; note what it writes."""
    folder = tmp_path_factory.mktemp("server")
    watching = {
        **rig.ENVIRONMENT,
        "COMPOSITION_WRITTEN_LOG": str(folder / "written.log"),
        "COMPOSITION_FILE_LIMIT": "64000",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(folder),
    }
    with rig.running(APP, folder, environment=watching) as running:
        yield running
    assert not running.complaints()


@pytest.fixture
def written(watched: rig.App) -> Path:
    """Return the file with the names of the files that the server opened to write."""
    return watched.log.with_name("written.log")

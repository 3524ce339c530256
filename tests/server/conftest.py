"""The real app, driven without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import rig

APP = rig.ROOT / "app.py"
MARKER = "UNMISTAKABLE"


def people(records: int, marker: str = MARKER) -> bytes:
    """Return a table as CSV in which every name holds the marker and nothing else does."""
    rows = (
        f"{marker}{i:06d},{20 + i % 60},{10_000 + i % 97},{('flu', 'cold', 'asthma')[i % 3]}\n" for i in range(records)
    )
    return ("name,age,zip,illness\n" + "".join(rows)).encode()


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

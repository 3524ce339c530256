"""The installed program started, where nothing of this machine's settings is left."""

from __future__ import annotations

import contextlib
import os
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
    """Run a command that serves the app on a port, and hold it against what must not have happened."""
    with rig.served(command, folder, port, outsiders(folder) | dict(extra or {}), within or folder) as app:
        yield app
    assert app.complaints() == []

"""One bundle, installed once, for all tests that look at the installed program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from delivery import bundle as making
from tests.browser import rig
from tests.delivery.starting import outsiders


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

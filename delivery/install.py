"""Installs Composition from the folder that this file is in, without a network.

    python3 install.py [FOLDER]

Python 3.11 or later with venv is all it needs. Nothing is written but FOLDER, which becomes a
virtual environment of its own.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUMS = "SHA256SUMS"
NEED = (3, 11)
BAD = 2


class RefusedError(Exception):
    """Why nothing was installed, in a sentence."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the bundle, make the environment, install into it."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        target = _target(words)
        check_python(HERE)
        check_files(HERE)
        programs = install(HERE, target)
    except RefusedError as error:
        sys.stderr.write(f"{error}\n")
        return BAD
    sys.stdout.write(f"Composition is installed. Start it with\n\n    {programs / 'composition'} --open\n\n")
    sys.stdout.write(f"The gate for pipelines is {programs / 'composition-gate'}. To remove both, delete {target}.\n")
    return 0


def _target(words: list[str]) -> Path:
    if len(words) > 1 or (words and words[0].startswith("-")):
        raise RefusedError("Usage: python3 install.py [FOLDER]")
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    target = Path(words[0]).absolute() if words else home / "composition"
    earlier = (target / "pyvenv.cfg").is_file()
    if target.exists() and not earlier and (not target.is_dir() or any(target.iterdir())):
        raise RefusedError(f"{target} holds something else: name an empty folder, or one that does not exist.")
    return target


def check_python(folder: Path) -> None:
    """Look whether this Python will do for the wheels of the bundle.

    Raises
    ------
    RefusedError
        If it is too old, comes without venv, or is another than the bundle was made for.
    """
    if sys.version_info < NEED:
        raise RefusedError("Python 3.11 or later is needed: start this file with it, as in python3.12 install.py.")
    if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        raise RefusedError(
            "This Python comes without venv: install it (on Debian and Ubuntu the package is python3-venv)."
        )
    tags = [re.search(r"-cp3(\d+)-cp3", path.name) for path in (folder / "wheels").glob("*.whl")]
    made_for = sorted({f"3.{tag[1]}" for tag in tags if tag is not None})
    own = f"3.{sys.version_info.minor}"
    if made_for and own not in made_for:
        raise RefusedError(
            f"This bundle is for Python {' and '.join(made_for)}, and this is Python {own}: start it with "
            f"python{made_for[-1]} install.py, or have a bundle made with --python {own}."
        )


def check_files(folder: Path) -> None:
    """Hold every file of the bundle against SHA256SUMS.

    Raises
    ------
    RefusedError
        If one is missing, damaged, or not listed.
    """
    listed = {}
    for line in (folder / SUMS).read_text(encoding="utf-8").splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name in sorted(set(listed) | there - {SUMS}):
        if name not in there:
            raise RefusedError(f"{name} is missing from the bundle: copy it again.")
        if name not in listed:
            raise RefusedError(f"{name} does not belong to the bundle: take it away.")
        with (folder / name).open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != listed[name]:
                raise RefusedError(f"{name} is damaged or was changed: copy the bundle again.")


def install(folder: Path, target: Path) -> Path:
    """Install into a fresh environment; return the folder of its programs.

    Raises
    ------
    RefusedError
        If the bundle has no wheel for this Python or this system.
    """
    sys.stdout.write(f"Installing into {target} ...\n")
    sys.stdout.flush()
    _run([sys.executable, "-m", "venv", "--clear", str(target)], "The environment could not be made", target)
    programs = target / ("Scripts" if sys.platform == "win32" else "bin")
    _run(
        [
            *(str(programs / "python"), "-m", "pip", "--isolated", "--disable-pip-version-check", "install", "--quiet"),
            *("--no-index", "--find-links", str(folder / "wheels"), "--require-hashes"),
            *("-r", str(folder / "requirements.txt")),
        ],
        "The packages could not be installed; bundle.txt says for which Python and which system they are",
        target,
    )
    return programs


def _run(command: list[str], words: str, target: Path) -> None:
    # Settings of pip on this machine may name other places to look for packages.
    variables = {**os.environ, "PIP_CONFIG_FILE": os.devnull}
    if subprocess.run(command, env=variables, check=False).returncode != 0:  # noqa: S603 - Python's own venv and pip
        shutil.rmtree(target, ignore_errors=True)
        raise RefusedError(f"{words}.")


if __name__ == "__main__":
    sys.exit(main())

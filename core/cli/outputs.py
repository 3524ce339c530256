"""What goes out: text, JSON, files that were asked for, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.errors import shown_name as shown

MOST = 600
"""Characters of one line of a message."""


def one_line(text: str) -> str:
    """A message without line breaks and control characters, and not without end."""
    clean = "".join(ch if ch.isprintable() else " " for ch in text)
    return clean if len(clean) <= MOST else f"{clean[:MOST]}..."


def say(text: str) -> None:
    """Tell a person something, on standard error."""
    _write(sys.stderr, f"{text}\n")


def show(text: str) -> None:
    """Give out the result, on standard output."""
    _write(sys.stdout, text)
    sys.stdout.flush()


def _write(stream: Any, text: str) -> None:
    # A terminal or pipe that knows ASCII only gets \\N{...} instead of an error.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def plain(text: str) -> str:
    """Thin spaces and dashes of the report as every terminal has them."""
    return text.translate({0x202F: ",", 0xA0: " ", 0x2013: "-"})


def check_new(path: Path, inputs: list[Path], force: bool) -> None:
    """Refuse, before anything is worked out, a file that must not be written.

    Raises
    ------
    InputError
        If it is one of the inputs, exists without ``force``, or has no folder to be in.
    """
    if any(_same(path, given) for given in inputs):
        raise InputError(f"The file {shown(path.name)} is read here, so it cannot be written; choose another name.")
    if path.is_dir():
        raise InputError(f"{shown(path.name)} is a folder; name a file in it.")
    if path.exists() and not force:
        raise InputError(f"The file {shown(path.name)} exists; choose another name, or replace it with --force.")
    if not path.parent.is_dir():
        raise InputError(f"The folder of {shown(path.name)} does not exist.")


def _same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return path.absolute() == other.absolute()


def save(path: Path, content: str, force: bool) -> None:
    """Write a file that was asked for; one that came into being meanwhile stays as it is without ``force``."""
    try:
        with path.open("w" if force else "x", encoding="utf-8", newline="\n") as stream:
            stream.write(content)
    except FileExistsError:
        raise InputError(
            f"The file {shown(path.name)} exists; choose another name, or replace it with --force."
        ) from None
    except OSError:
        raise InputError(
            f"The file {shown(path.name)} cannot be written; check the path and your permission."
        ) from None

"""Output: text, JSON and the requested files, nothing else."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.base.placing import Place, placed

MOST = 600
"""Largest number of characters of a message line."""


def one_line(text: str) -> str:
    """Shorten a message to one line without control characters."""
    clean = "".join(ch if ch.isprintable() else " " for ch in text)
    return clean if len(clean) <= MOST else f"{clean[:MOST]}..."


def say(text: str) -> None:
    """Print a message on standard error, if it can be read."""
    with suppress(OSError):
        _write(sys.stderr, f"{plain(text)}\n")


def show(text: str) -> None:
    """Print the result on standard output; a reader who closes it early has seen enough.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    with suppress(BrokenPipeError):
        _write(sys.stdout, text)


def _write(stream: Any, text: str) -> None:
    if stream is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    # A terminal or pipe that knows ASCII only gets \\N{...} instead of an error.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError:
        # Without this Python complains once more at its end, with another exit status.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise


def plain(text: str) -> str:
    """Replace the report's thin spaces and dashes with characters that every terminal has."""
    return text.translate({0xA0: " ", 0x2013: "-"})


def check_new(path: Path, inputs: list[Path], force: bool) -> None:
    """Refuse, before anything is computed, a file that must not be written.

    Raises
    ------
    InputError
        If it is one of the inputs, exists without ``force``, or has no folder to be in.
    """
    if any(_same(path, given) for given in inputs):
        raise InputError(f"The file {shown(path.name)} is an input, so it cannot be written; choose another name.")
    if path.is_dir():
        raise InputError(f"{shown(path.name)} is a folder; name a file in it.")
    if path.exists() and not path.is_file():
        raise InputError(
            f"{shown(path.name)} is a pipe or a device; name a file, or omit the option for standard output."
        )
    if path.exists() and not force:
        raise InputError(f"The file {shown(path.name)} exists; choose another name, or replace it with --force.")
    if not path.parent.is_dir():
        raise InputError(f"The folder of {shown(path.name)} does not exist.")


def _same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return path.absolute() == other.absolute()


def save(files: Mapping[Path, str], force: bool) -> None:
    """Write the requested files for their user alone; see :func:`core.base.placing.placed`.

    Raises
    ------
    InputError
        If a file cannot be written, or exists without ``force``.
    """
    with placed(*(Place(path, force) for path in files)) as parts:
        for part, content in zip(parts, files.values(), strict=True):
            part.write_bytes(content.encode("utf-8", "backslashreplace"))


def save_again(path: Path, content: str, before: bytes | None) -> None:
    """Write a file that was read, if it is still what it was ``before``; it keeps its mode, group and access list.

    Raises
    ------
    InputError
        If it cannot be written, has another content, or its group cannot be kept.
    """
    with placed(Place(path, force=True)) as (part,):
        part.write_bytes(content.encode("utf-8"))
        if (path.read_bytes() if path.exists() else None) != before:  # where nothing can be locked
            raise InputError(f"Another run has changed {shown(path.name)} in the meantime; run the command again.")
        if before is not None and os.name == "posix":
            os.chown(part, -1, path.stat().st_gid)
            shutil.copystat(path, part)
            os.utime(part)

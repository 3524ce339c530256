"""What goes out: text, JSON, files that were asked for, and nothing else."""

from __future__ import annotations

import errno
import os
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from core.base.errors import InputError
from core.base.errors import shown_name as shown

MOST = 600
"""Characters of one line of a message."""


def one_line(text: str) -> str:
    """A message without line breaks and control characters, and not without end."""
    clean = "".join(ch if ch.isprintable() else " " for ch in text)
    return clean if len(clean) <= MOST else f"{clean[:MOST]}..."


def say(text: str) -> None:
    """Tell a person something, on standard error."""
    _write(sys.stderr, f"{plain(text)}\n")


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
    if path.exists() and not path.is_file():
        raise InputError(
            f"{shown(path.name)} is a pipe or a device; name a file, or leave the option away for standard output."
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
    """Write the files that were asked for, for the user alone (mode 0600).

    Each is written beside its place and brought to the disk; once all are there, each gets its name. A full disk or a
    stop in between leaves what was there before, and no part of a file. One that came into being meanwhile stays as
    it is without ``force``.

    Raises
    ------
    InputError
        If a file cannot be written, or exists without ``force``.
    """
    with ExitStack() as undo:
        staged = [(Path(os.path.realpath(path)), _staged(path, content, undo)) for path, content in files.items()]
        for place, part in staged:
            with _refusing(place):
                _put(part, place, force)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise InputError(
            f"The file {shown(path.name)} exists; choose another name, or replace it with --force."
        ) from None
    except OSError as error:
        why = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "your share of the disk is full"}.get(error.errno or 0)
        raise InputError(
            f"The file {shown(path.name)} cannot be written; {why or 'check the path and your permission'}. What was "
            "there before is unchanged."
        ) from None


def _staged(path: Path, content: str, undo: ExitStack) -> Path:
    """Write a file beside its place, on the disk before it gets its name; it goes when the work is over."""
    place = Path(os.path.realpath(path))
    with _refusing(path):
        part = place.with_name(f".{secrets.token_hex(8)}.part")
        number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        undo.callback(part.unlink, missing_ok=True)
        with os.fdopen(number, "wb") as stream:
            stream.write(content.encode("utf-8", "backslashreplace"))
            stream.flush()
            os.fsync(stream.fileno())
    return part


def _put(part: Path, place: Path, force: bool) -> None:
    """Give a written file its name."""
    if force:
        part.replace(place)
        return
    try:
        os.link(part, place)  # unlike a rename, never onto a file that came into being meanwhile
    except OSError as error:
        if error.errno not in _NO_LINKS or place.exists():
            raise
        part.rename(place)


_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
"""What file systems without hard links answer."""

"""A folder for what an engine cannot keep in memory: gone when the work ends, however it ends.

It holds rows of the table as they are. So a process of its own waits for the end of the one that
works, even where that is killed, and then removes the folder.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from core.base.errors import InputError
from core.base.errors import shown_name as shown

PREFIX = "composition-"
# Reads until the other end of the line is closed, which the system does for whoever is killed.
_REMOVER = "import shutil, sys; sys.stdin.buffer.read(); shutil.rmtree(sys.argv[1], ignore_errors=True)"


@contextmanager
def work_folder(place: str | None) -> Iterator[str | None]:
    """Make a folder of one's own in a place, readable for the user alone, and remove it at the end.

    Parameters
    ----------
    place
        A folder that is there; ``None`` yields ``None``: nothing goes to the disk.

    Raises
    ------
    InputError
        If the place is no folder, or nothing can be made in it.
    """
    if place is None:
        yield None
        return
    with shared_work_folder(place) as (folder, _):
        yield folder


@contextmanager
def shared_work_folder(place: str) -> Iterator[tuple[str, int]]:
    """Make a folder as :func:`work_folder` does, for another process to work in as well.

    Yields
    ------
    folder, line
        The folder, and a descriptor that the other process inherits: the folder is gone when both have ended.

    Raises
    ------
    InputError
        As for :func:`work_folder`.
    """
    name = shown(Path(place).name or place)
    if not Path(place).is_dir():
        raise InputError(f"The work folder {name} does not exist; make it, or name another.", parameter="work")
    with ExitStack() as stack:
        try:
            folder: tuple[str, int] | None = stack.enter_context(_watched_folder(place, PREFIX))
        except OSError:
            folder = None
        if folder is None:
            raise InputError(f"Nothing can be written in the work folder {name}; name another.", parameter="work")
        yield folder


@contextmanager
def vanishing_folder(place: str, prefix: str = PREFIX) -> Iterator[str]:
    """Make a folder for the user alone that is gone when the block or the process ends, also where it is killed.

    Raises
    ------
    OSError
        If it cannot be made.
    """
    with _watched_folder(place, prefix) as (folder, _):
        yield folder


@contextmanager
def _watched_folder(place: str, prefix: str) -> Iterator[tuple[str, int]]:
    folder = Path(place).resolve() / f"{prefix}{secrets.token_hex(8)}"
    remover = None
    try:
        # Before the folder is there: whoever is interrupted or killed right after making it leaves nothing either.
        remover = subprocess.Popen(  # noqa: S603 - our own words under our own interpreter
            [sys.executable, "-I", "-S", "-c", _REMOVER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is not meant for it
        )
        assert remover.stdin is not None
        folder.mkdir(0o700)
        yield str(folder), remover.stdin.fileno()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if remover is not None and remover.stdin is not None:
            with suppress(OSError):
                remover.stdin.close()
            remover.wait()

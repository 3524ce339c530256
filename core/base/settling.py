"""Complete or undo a set of files that an interrupted process left, and remove its temporary folders.

The next run calls this, and a process that waits for the end of the one that writes. For that process this file is a
script, which has the standard library alone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

try:
    import fcntl
except ImportError:  # Windows: a folder there is removed by its own process alone
    fcntl = None  # type: ignore[assignment]

SET = "set"
"""Name of the file, in each folder of a set, that lists the final names."""
TRIES = 50
"""Times that a folder is removed: a worker may create files in it until it notices that its caller has ended."""


class Item(NamedTuple):
    """One file or folder of a set.

    Parameters
    ----------
    part
        Where it was written.
    place
        What it is to be called.
    aside
        Where what has that name goes meanwhile.
    number
        Number of the file (inode).
    """

    part: Path
    place: Path
    aside: Path
    number: int

    @property
    def is_placed(self) -> bool:
        """Whether it has its final name."""
        with suppress(OSError):
            return self.place.lstat().st_ino == self.number
        return False


def write(folders: Sequence[str], items: Sequence[Item]) -> None:
    """Write the list of final names to each folder of a set; from here on the set can be settled."""
    text = json.dumps({"folders": list(folders), "items": items}, default=str)
    for folder in folders:
        with os.fdopen(os.open(Path(folder, SET), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
            stream.write(text)


def finish(items: Sequence[Item]) -> None:
    """Make a set all new if its first file has its final name already, else all old; existing files stay as they are.

    If the first is neither here nor there, something else has been written since, and nothing belongs to it.
    """
    first = items[0]
    if first.is_placed:
        names = [(item.part, item.place) for item in items[1:]]
    else:
        names = [(item.aside, item.place) for item in items if os.path.lexists(first.part)]
    for before, place in names:
        if os.path.lexists(before) and not os.path.lexists(place):
            with suppress(OSError):
                before.rename(place)


@contextmanager
def held(folder: str, wait: bool) -> Iterator[bool]:
    """Lock a folder, and yield whether that worked: a running process locks the folders that it writes in."""
    if fcntl is None:
        yield Path(folder).is_dir()
        return
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:
        yield False
        return
    try:
        there = wait  # also where the file system has no locks
        with suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            there = True
        yield there and Path(folder).is_dir()
    finally:
        os.close(number)


def settle(folder: str, wait: bool) -> None:
    """Settle the set that was written in a folder, and remove its folders; skip it if a running process locks it."""
    with held(folder, wait) as there:
        if not there:
            return
        folders = [folder]
        with suppress(OSError, ValueError):  # without a whole file nothing was named yet
            facts = json.loads(Path(folder, SET).read_text(encoding="utf-8"))
            folders = facts["folders"]
            finish(
                [Item(Path(part), Path(place), Path(aside), number) for part, place, aside, number in facts["items"]]
            )
        for own in folders:
            _remove(own)


def _remove(folder: str) -> None:
    """Remove a folder, again if a worker of the ended process has created a file in it meanwhile."""
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(0.02)


def tidy(place: str, prefix: str) -> None:
    """Settle the folders that dead processes of this user left in a place, found by their prefix."""
    if fcntl is None:
        return
    name = re.compile(re.escape(prefix) + "[0-9a-f]{16}")
    with suppress(OSError):
        folders = [entry for entry in os.scandir(place) if name.fullmatch(entry.name)]
        for entry in folders:
            # What another user made must not say what is to be renamed.
            if entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_uid == os.getuid():
                settle(entry.path, wait=False)


if __name__ == "__main__":
    # Reads until the other end of the line is closed, which the system does for a process that is killed.
    sys.stdin.buffer.read()
    for folder in sys.argv[1:]:
        settle(folder, wait=True)

"""Lock a folder, and remove one that an ended process left.

The next run calls this, and a process that waits for the end of the one that writes. For that process this file is a
script, which has the standard library alone. No list of names is read from the disk: only the folder itself goes.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: a folder there is removed by its own process alone
    fcntl = None  # type: ignore[assignment]

TRIES = 50
"""Times that a folder is removed: a worker may create files in it until it notices that its caller has ended."""


@contextmanager
def held(folder: str, wait: bool) -> Iterator[bool]:
    """Lock a folder, and yield whether that worked: a running process locks the folders that it writes in."""
    if fcntl is None:
        yield False
        return
    try:
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield False
        return
    try:
        is_held = False
        with suppress(OSError):  # another process holds it, or the file system has no locks
            fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            is_held = True
        yield is_held
    finally:
        os.close(number)


def numbered(folder: str) -> str:
    """Name that the folder of a run gets: it ends with the number that the file system gave the folder (inode).

    A folder that was unpacked or copied has another number than its name says: what somebody keeps in it stays.
    """
    return f"{folder}-{os.lstat(folder).st_ino}"


def remove(folder: str) -> None:
    """Remove a folder, again if a worker of the ended process has created a file in it meanwhile."""
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)  # removes links, and follows none
        if not os.path.lexists(folder):
            return
        time.sleep(0.02)


def tidy(place: str, prefix: str) -> None:
    """Remove the folders that ended processes of this user left in a place, found by their names."""
    if fcntl is None:
        return
    name = re.compile(re.escape(prefix) + "[0-9a-f]{16}-[0-9]+")
    with suppress(OSError):
        for entry in [entry for entry in os.scandir(place) if name.fullmatch(entry.name)]:
            facts = entry.stat(follow_symlinks=False)
            is_own = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid()
            if is_own and entry.name.endswith(f"-{facts.st_ino}"):
                with held(entry.path, wait=False) as is_left:
                    if is_left:
                        remove(entry.path)


if __name__ == "__main__":
    # Reads until the other end of the line is closed, which the system does for a process that is killed.
    sys.stdin.buffer.read()
    for start in sys.argv[1:]:
        for made in Path(start).parent.glob(f"{glob.escape(Path(start).name)}*"):
            remove(str(made))

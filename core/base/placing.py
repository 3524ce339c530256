"""Write a set of files atomically: first next to their places, so that the set is all new or all old."""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from core.base import settling
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.base.settling import Item

PREFIX = ".composition-"
"""Prefix of the temporary folders next to an output."""
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
"""Error codes of file systems without hard links."""
_FULL = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "your share of the disk is full"}
_OTHERWISE = "check the path and your permission"


@dataclass(frozen=True)
class Place:
    """Destination of a file or a folder.

    Parameters
    ----------
    path
        Its name; if this is a link to a file, the file that it leads to is written.
    force
        Whether to replace what has the name.
    is_folder
        Whether it is a folder.
    """

    path: Path
    force: bool = False
    is_folder: bool = False

    @property
    def real(self) -> Path:
        """Its name, without links to a file."""
        return self.path.absolute() if self.is_folder else Path(os.path.realpath(self.path))

    def check(self) -> None:
        """Refuse, before any work, a name that already exists or whose folder does not.

        Raises
        ------
        InputError
            Naming it.
        """
        if not self.real.parent.is_dir():
            raise InputError(f"The folder of {shown(self.path.name)} does not exist.")
        if not self.force and os.path.lexists(self.real):
            raise _exists(self.path.name)


@contextmanager
def placed(*places: Place) -> Iterator[list[Path]]:
    """Yield a new name for each place; what is written there gets its name when the block is over.

    They are for the user alone (modes 0600 and 0700). If the block fails or the process ends before the first has its
    name, all is as it was before. While the first is replaced, the others are absent, so a new file is never next to an
    old one. If the process ends then, the process that waits for its end completes the set, or the next run in the
    folder. That run also removes what dead processes left.

    Raises
    ------
    InputError
        If one cannot be written, or its name exists and ``force`` is not given.
    """
    for place in places:
        place.check()
    try:
        with watched_folders([str(place.real.parent) for place in places], PREFIX) as (folders, _):
            parts = [Path(folder) / f"new{number}" for number, folder in enumerate(folders)]
            for place, part in zip(places, parts, strict=True):
                if place.is_folder:
                    part.mkdir(0o700)
                else:
                    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            yield parts
            _name(places, parts)
    except FileExistsError as error:
        refusal = _exists(Path(error.filename2 or error.filename or places[0].path).name)
    except OSError as error:
        refusal = _unwritten(places, error, "What was there before is unchanged")
    else:
        return
    raise refusal


def _exists(name: str) -> InputError:
    return InputError(f"{shown(name)} exists; choose another name, or replace it with --force.")


def _unwritten(places: Sequence[Place], error: OSError, more: str) -> InputError:
    names = ", ".join(shown(place.path.name) for place in places)
    return InputError(f"{names} cannot be written; {_FULL.get(error.errno or 0, _OTHERWISE)}. {more}.")


def _name(places: Sequence[Place], parts: Sequence[Path]) -> None:
    """Move what was written to its final names."""
    items = []
    for number, (place, part) in enumerate(zip(places, parts, strict=True)):
        if not place.is_folder:
            with part.open("rb") as stream:
                os.fsync(stream.fileno())
        if not place.force and os.path.lexists(place.real):
            # not tested: another program takes the name in the same moment.
            raise FileExistsError(errno.EEXIST, "", str(place.real))
        items.append(Item(part, place.real, part.with_name(f"old{number}"), part.lstat().st_ino))
    settling.write(list(dict.fromkeys(str(part.parent) for part in parts)), items)
    try:
        for item in items[1:]:
            if os.path.lexists(item.place):
                item.place.rename(item.aside)
        for place, item in zip(places, items, strict=True):
            _put(place, item)
    except FileExistsError:  # one came into being meanwhile; without force nothing was replaced
        for place, item in zip(places, items, strict=True):
            if item.is_placed:
                item.place.rename(item.part) if place.is_folder else item.place.unlink()
        raise
    except OSError as error:
        settling.finish(items)
        left = [place for place, item in zip(places, items, strict=True) if not item.is_placed]
        if len(left) == len(places):
            raise
        if left:
            # not tested: the disk fails between two renames.
            raise _unwritten(left, error, "The other files are new") from None
    finally:
        settling.finish(items)


def _put(place: Place, item: Item) -> None:
    if not place.is_folder and place.force:
        item.part.replace(item.place)
    elif place.is_folder:
        if os.path.lexists(item.place):
            if not place.force:
                # not tested: another program takes the name in the same moment.
                raise FileExistsError(errno.EEXIST, "", str(item.place))
            if _exchanged(item.part, item.place):
                return
            item.place.rename(item.aside)
        item.part.rename(item.place)
    else:
        try:
            os.link(item.part, item.place)  # unlike a rename, never onto a file that came into being meanwhile
        except OSError as error:
            if error.errno not in _NO_LINKS or os.path.lexists(item.place):
                raise
            item.part.rename(item.place)


def _exchanged(part: Path, place: Path) -> bool:
    """Swap the names of two folders atomically, if the system can."""
    try:
        exchange = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):  # not Linux
        return False
    folder, swap = -100, 2  # AT_FDCWD and RENAME_EXCHANGE
    return bool(exchange(folder, os.fsencode(part), folder, os.fsencode(place), swap) == 0)


@contextmanager
def watched_folders(places: Sequence[str], prefix: str) -> Iterator[tuple[list[str], int]]:
    """Make a private folder in each place; all are removed when the block or the process ends.

    A separate process waits for the end of this one, even if this one is killed, and then settles what is in them.
    Folders that dead processes left are settled first.

    Yields
    ------
    folders, line
        One folder for each place, the same for the same place, and a descriptor that another process may inherit: the
        folders are gone when both have ended.

    Raises
    ------
    OSError
        If they cannot be made.
    """
    token = secrets.token_hex(8)
    folders = [str(Path(place).resolve() / f"{prefix}{token}") for place in places]
    for place in dict.fromkeys(places):
        settling.tidy(place, prefix)
    watcher = None
    with ExitStack() as stack:
        try:
            # Before a folder is there: a process that is interrupted or killed right after making it leaves nothing.
            watcher = subprocess.Popen(  # noqa: S603 - our own file under our own interpreter
                [sys.executable, "-I", "-S", settling.__file__, *dict.fromkeys(folders)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is not meant for it
            )
            assert watcher.stdin is not None
            for folder in dict.fromkeys(folders):
                _make(folder, stack)
            yield folders, watcher.stdin.fileno()
        finally:
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)
            stack.close()  # the watcher waits for the folders
            if watcher is not None and watcher.stdin is not None:
                with suppress(OSError):
                    watcher.stdin.close()
                watcher.wait()


def _make(folder: str, stack: ExitStack) -> None:
    """Make a folder and lock it; retry if a cleanup removed it before it was locked."""
    while True:
        Path(folder).mkdir(0o700)
        stack.enter_context(settling.held(folder, wait=True))
        if Path(folder).is_dir():
            return


__all__ = ["PREFIX", "Place", "placed", "watched_folders"]

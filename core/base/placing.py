"""Write files next to their places first, so that each gets its name whole or not at all."""

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
    name, all is as it was before. The names are then given one after another, each at once: a file is never half
    written, and a process that is killed between two of them leaves some new and some as they were.

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
    """Move what was written to its final names; without ``force`` all of them, or none if one is taken meanwhile."""
    for place, part in zip(places, parts, strict=True):
        if not place.is_folder:
            with part.open("rb") as stream:
                os.fsync(stream.fileno())
    with ExitStack() as undo:
        for number, (place, part) in enumerate(zip(places, parts, strict=True)):
            try:
                _put(place, part)
            except OSError as error:
                if number and place.force:
                    raise _unwritten(places[number:], error, "The other files are new") from None
                raise
            if not place.force:
                undo.callback(place.real.rename, part)
        undo.pop_all()


def _put(place: Place, part: Path) -> None:
    if place.is_folder and os.path.lexists(place.real):
        if not place.force:
            # not tested: another program takes the name in the same moment.
            raise FileExistsError(errno.EEXIST, "", str(place.real))
        if not _exchanged(part, place.real):
            _swap(part, place.real)
    elif place.is_folder or place.force:
        part.replace(place.real)
    else:
        try:
            os.link(part, place.real)  # unlike a rename, never onto a file that came into being meanwhile
            part.unlink()
        except OSError as error:
            if error.errno not in _NO_LINKS or os.path.lexists(place.real):
                raise
            part.rename(place.real)


def _swap(part: Path, place: Path) -> None:
    """Swap two folders in three steps; one that is replaced is never where the end of the process removes it."""
    aside = place.with_name(f"{place.name}-before-{secrets.token_hex(4)}")
    place.rename(aside)
    try:
        part.rename(place)
    except OSError:
        aside.rename(place)
        raise
    aside.rename(part)


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

    A separate process waits for the end of this one, even if this one is killed, and then removes them. Those that
    ended processes left are removed first; the folder of a run is locked, and known by its name
    (:func:`settling.numbered`).

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
    starts = [str(Path(place).resolve() / f"{prefix}{secrets.token_hex(8)}") for place in dict.fromkeys(places)]
    for place in dict.fromkeys(places):
        settling.tidy(place, prefix)
    watcher, made = None, dict[str, str]()
    with ExitStack() as stack:
        try:
            # Before a folder is there: a process that is interrupted or killed right after making it leaves nothing.
            watcher = subprocess.Popen(  # noqa: S603 - our own file under our own interpreter
                [sys.executable, "-I", "-S", settling.__file__, *starts],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is not meant for it
            )
            assert watcher.stdin is not None
            for place, start in zip(dict.fromkeys(places), starts, strict=True):
                Path(start).mkdir(0o700)
                stack.enter_context(settling.held(start, wait=True))  # until it has its name no other run removes it
                made[place] = str(Path(start).rename(settling.numbered(start)))
            yield [made[place] for place in places], watcher.stdin.fileno()
        finally:
            for folder in made.values():
                shutil.rmtree(folder, ignore_errors=True)
            if watcher is not None and watcher.stdin is not None:
                with suppress(OSError):
                    watcher.stdin.close()
                watcher.wait()


__all__ = ["PREFIX", "Place", "placed", "watched_folders"]

"""The files that a pattern names: their list, their format, and whether they stay unchanged."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import InputError
from core.base.errors import shown_name as shown

PARQUET, TEXT = "Parquet", "text"
ENDINGS = (".parquet", ".pq", ".csv", ".tsv", ".txt")
"""Suffixes of the data files of a folder."""
GZIP = b"\x1f\x8b"
MOST_FILES = 100_000


@dataclass(frozen=True)
class Files:
    """Files of one format.

    Parameters
    ----------
    paths
        Their real paths, sorted.
    file_format
        ``"Parquet"`` or ``"text"``, by content.
    seen
        Size, time of change and number of each, at the time of listing.
    """

    paths: tuple[str, ...]
    file_format: str
    seen: tuple[tuple[int, int, int], ...]

    def check_unchanged(self) -> None:
        """Refuse files if one was changed since they were listed.

        Raises
        ------
        InputError
            Naming the file.
        """
        for path, before in zip(self.paths, self.seen, strict=True):
            try:
                state = _state(path)
            except OSError:
                state = (0, 0, 0)
            if state != before:
                raise InputError(
                    f"The file {shown(Path(path).name)} was changed while it was read; wait until nothing writes to "
                    f"the data, then try again."
                )


@contextmanager
def unchanged(*files: Files) -> Iterator[None]:
    """Refuse files that were changed, whatever else went wrong because of it."""
    try:
        yield
    except Exception:
        for some in files:
            some.check_unchanged()
        raise


def is_several(pattern: str) -> bool:
    """Whether a name means a folder or a pattern of names instead of one file."""
    return not Path(pattern).is_file() and (glob.has_magic(pattern) or Path(pattern).is_dir())


def would_name(pattern: str, path: str) -> bool:
    """Whether files written at a path, or in a new folder there, would be among those of a folder or pattern."""
    if Path(pattern).is_dir() or "**" in pattern:
        return Path(path).resolve().is_relative_to(_root(pattern))
    written = Path(path).absolute()
    names = written, written / f"part-00000{Path(pattern).suffix}"
    return not Path(pattern).is_file() and any(name.match(str(Path(pattern).absolute())) for name in names)


def files_of(pattern: str) -> Files:
    """List the files of a folder, or those that a pattern with ``*``, ``?``, ``[...]`` or ``**`` names.

    Parameters
    ----------
    pattern
        A folder means its files, including those in subfolders; all must end in one of :data:`ENDINGS`.

    Raises
    ------
    InputError
        If there are none, or too many, they have different formats, or one is not an ordinary file, lies outside the
        folder that the pattern names, or has a name that the engine treats as a pattern.
    """
    root = _root(pattern)
    named = glob.glob(pattern, recursive=True)  # noqa: PTH207 - leaves hidden files out
    names = _inside(pattern) if Path(pattern).is_dir() else [name for name in named if not Path(name).is_dir()]
    if not names:
        raise InputError(f"No file matches {shown(pattern)}; check the folder and the ending of the names.")
    if len(names) > MOST_FILES:
        # not tested: it takes 100,001 files.
        raise InputError(f"{len(names):,} files match {shown(pattern)}; at most {MOST_FILES:,} are read at once.")
    paths = sorted({os.path.realpath(name) for name in names})
    file_formats = set()
    for path in paths:
        _check_place(path, root)
        file_formats.add(_file_format(path))
    if len(file_formats) > 1:
        raise InputError("Some of the files are Parquet and some are text; name those of one kind with a pattern.")
    return Files(tuple(paths), file_formats.pop(), tuple(map(_state, paths)))


def _inside(folder: str) -> list[str]:
    """Data files of a folder; refuse others, except those that only mark something, such as ``_SUCCESS``."""
    names = []
    for name in glob.glob(f"{glob.escape(folder)}/**", recursive=True):  # noqa: PTH207 - leaves hidden files out
        parts = Path(name).relative_to(folder).parts
        is_data, marks = name.lower().removesuffix(".gz").endswith(ENDINGS), [part[:1] == "_" for part in parts]
        if Path(name).is_dir() or (marks[-1] and not is_data):
            continue
        if not is_data or any(marks):
            raise InputError(
                f"The folder has {shown(parts[-1])}, which by its name or folder is no data file; remove it, or name "
                "the data files with a pattern such as 'folder/*.parquet'."
            )
        names.append(name)
    return names


def _check_place(path: str, root: Path) -> None:
    """Refuse anything but ordinary files below ``root``, and names that the engine treats as patterns."""
    name = shown(Path(path).name)
    if not Path(path).is_file():
        raise InputError(f"{name} is not an ordinary file; leave it out of the pattern.")
    if not Path(path).is_relative_to(root):
        raise InputError(f"A link in the folder points to {name} outside it; give the folder that holds the file.")
    if glob.has_magic(path):
        raise InputError(
            f"The name or folder of {name} contains *, ? or [, which have a meaning in patterns; rename it."
        )


def _root(pattern: str) -> Path:
    """Folder that must hold all files of a pattern."""
    parts = Path(os.path.abspath(pattern)).parts  # noqa: PTH100 - resolve() would follow links of a pattern
    fixed = [part for number, part in enumerate(parts) if not any(map(glob.has_magic, parts[: number + 1]))]
    root = Path(*fixed)
    return (root if root.is_dir() else root.parent).resolve()


def _file_format(path: str) -> str:
    """Whether a file is Parquet or text, by how it begins."""
    try:
        with Path(path).open("rb") as stream:
            head = stream.read(4)
    except OSError:
        # not tested: tests may run as root.
        raise InputError(f"The file {shown(Path(path).name)} cannot be read; check your permission.") from None
    if head.startswith(GZIP):
        raise InputError(
            f"The file {shown(Path(path).name)} is compressed with gzip, which no engine reads here; unpack it."
        )
    if not head:
        raise InputError(f"The file {shown(Path(path).name)} is empty; leave it out of the pattern.")
    return PARQUET if head == b"PAR1" else TEXT


def _state(path: str) -> tuple[int, int, int]:
    state = Path(path).stat()
    return state.st_size, state.st_mtime_ns, state.st_ino

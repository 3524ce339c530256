"""A folder for data that an engine cannot keep in memory, removed whenever and however the work ends.

It holds unchanged rows of the table. So a separate process waits for the end of the working one, even if that is
killed, and then removes the folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.base.placing import watched_folders

PREFIX = "composition-"


@contextmanager
def work_folder(place: str) -> Iterator[tuple[str, int]]:
    """Make a private folder in a place, and remove it at the end.

    Parameters
    ----------
    place
        An existing folder.

    Yields
    ------
    folder, line
        The folder, and a descriptor for another process that works in it: the folder is gone when both have ended.

    Raises
    ------
    InputError
        If the place is not a folder, or nothing can be created in it.
    """
    name = shown(Path(place).name or place)
    if not Path(place).is_dir():
        raise InputError(f"The work folder {name} does not exist; create it, or name another.", parameter="work")
    with ExitStack() as stack:
        try:
            made: tuple[list[str], int] | None = stack.enter_context(watched_folders([place], PREFIX))
        except OSError:
            made = None
        if made is None:
            raise InputError(f"Nothing can be written in the work folder {name}; name another.", parameter="work")
        (folder,), line = made
        yield folder, line

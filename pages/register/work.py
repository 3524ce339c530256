"""Computations of the page, in workers, and the register that they leave in the session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from core import Table
from core.base.arrays import Progress
from core.register import Linked, Register, match_files
from pages.shared.compute import cache, work_queue
from pages.shared.state import publications
from pages.shared.ui import widgets


def linked(register: Register) -> Mapping[int, Linked]:
    """Publications whose files are loaded."""
    files, entered = publications.files(), tuple((own.content, own.keyed, own.key) for own in register.publications)
    return cache.cached(
        ("register files", tuple(files), entered), lambda: match_files(register.publications, [*files.values()])
    )


def assessed(register: Register, more: Sequence[Table] = (), leave_open: bool = False) -> Register:
    """Attack every set that has no numbers yet, with the files that are loaded and ``more``.

    Raises
    ------
    CompositionError
        If a file is needed that is not loaded.
    """
    have = match_files(register.publications, [*publications.files().values(), *more]) if more else linked(register)
    with widgets.working("Attacking what recipients hold") as progress:
        (done,) = work_queue.in_workers([partial(_assessed, register, have, leave_open)], progress)
    return done


def _assessed(register: Register, have: Mapping[int, Linked], leave_open: bool, progress: Progress) -> Register:
    return register.assessed(have, leave_open=leave_open, progress=progress)

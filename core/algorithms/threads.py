"""Pieces of a table worked on side by side: numpy lets other threads compute while it sorts, gathers and adds up.

For algorithms that cut a class without a look at any other. Outcomes come in the order of the
pieces, so they are the same however many threads there are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

from core.arrays import Progress, T

P = TypeVar("P")
"""A piece."""
MOST = 4
"""Threads at most: what they do between two calls of numpy is done one at a time."""
LOOK = 0.05
"""Seconds between two looks at how far the pieces are."""


_most: ContextVar[int] = ContextVar("most", default=MOST)


class _EndedError(Exception):
    """Nobody waits for this piece any more."""


@contextmanager
def at_most(count: int) -> Iterator[None]:
    """Deal pieces out to so many threads at most: others have the other processors."""
    before = _most.set(count)
    try:
        yield
    finally:
        _most.reset(before)


def processors() -> int:
    """Threads that pieces are dealt out to: the processors of this process, or as many as OMP_NUM_THREADS says."""
    limit = os.environ.get("OMP_NUM_THREADS", "")
    if limit.isdigit() and int(limit):
        return min(int(limit), _most.get())
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(own, _most.get())


def in_threads(work: Callable[[P, Progress], T], pieces: Sequence[P], progress: Progress | None = None) -> list[T]:
    """Do work on each piece, in threads where there is more than one processor.

    Parameters
    ----------
    work
        Called with a piece and with what it tells its own share done to; that may raise to end it.
    pieces
        About equally large.
    progress
        Told the share done of all, in the thread of the caller; what it raises ends the work.

    Returns
    -------
    list
        What each piece gave, in order.
    """
    shares, ended = [0.0] * len(pieces), Event()

    def telling(number: int) -> Progress:
        def tell(share: float) -> None:
            if ended.is_set():
                raise _EndedError
            shares[number] = share

        return tell

    def report() -> None:
        if progress is not None:
            progress(sum(shares) / len(pieces))

    count = min(processors(), len(pieces))
    if count < 2:
        outcomes = []
        for number, piece in enumerate(pieces):
            tell = telling(number)

            def tell_both(share: float, tell: Progress = tell) -> None:
                tell(share)
                report()

            outcomes.append(work(piece, tell_both))
        return outcomes
    with ThreadPoolExecutor(count) as pool:
        try:
            answers = [pool.submit(work, piece, telling(number)) for number, piece in enumerate(pieces)]
            waiting = set(answers)
            while waiting:
                done, waiting = wait(waiting, LOOK)
                for answer in done:
                    answer.result()
                report()
            return [answer.result() for answer in answers]
        finally:
            ended.set()
            pool.shutdown(cancel_futures=True)

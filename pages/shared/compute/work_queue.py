"""Scheduling of computations if several users act at once.

- First answers, the number and the chart of a move, are computed one after the other. Sections below them wait, at most
  :data:`PATIENCE` at a time.
- Redraws, and other work of more than a moment, are computed in worker processes (:func:`in_workers`), as many at a
  time as there are processors. A first answer is pending there, too: redraws wait as sections do.
- A run that a newer move of the same person has ended stops at the next check (:func:`breathe`): wherever core reports
  progress, and before every result.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress

import streamlit as st

from core.base.arrays import Progress, T, step
from core.base.errors import LimitError
from core.base.workers import NO_ANSWER, WorkerError, Workers, can_fork

PATIENCE = 1.0
"""Longest time in seconds that a first answer waits for others, which may be reading a large file."""
LOOK = 0.05
"""Seconds between two checks whether a newer move has ended the run."""
_answers = threading.Lock()
_run = threading.local()


_wanting: set[int] = set()
"""Number of threads with a first answer pending."""


@contextmanager
def taken() -> Iterator[None]:
    """Compute a first answer, from here to :func:`answered`, after those of others."""
    _wanting.add(threading.get_ident())
    _run.is_answered = False
    _run.holds = _answers.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        answered()


def answered() -> None:
    """Note that the first answer is drawn, so others can compute theirs; later work of this run waits for them."""
    _run.is_answered = True
    _wanting.discard(threading.get_ident())
    _let_others_compute()


def _let_others_compute() -> None:
    if getattr(_run, "holds", False):
        _run.holds = False
        _answers.release()


def breathe() -> None:
    """End the run if a newer move has ended it. Details let first answers go first."""
    _look()
    if getattr(_run, "is_answered", False):
        _let_answers_go_ahead(_look)


def _look() -> None:
    "alive" in st.session_state  # noqa: B015


def _let_answers_go_ahead(look: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while _wanting and time.monotonic() < until:
        time.sleep(LOOK)
        look()


def breathing(progress: Progress | None) -> Progress:
    """Return a callback that reports progress and yields to others."""

    def tell(share: float) -> None:
        breathe()
        if progress is not None:
            progress(share)

    return tell


# ---- in worker processes -------------------------------------------------------------------


PROCESSORS = os.cpu_count() or 1
_places = {"answers": threading.Semaphore(PROCESSORS), "redraws": threading.Semaphore(PROCESSORS)}
_workers: Workers | None = None


@contextmanager
def _place(places: threading.Semaphore, look: Callable[[], object]) -> Iterator[None]:
    """Wait for one of the slots, one per processor; an exception from ``look`` ends the waiting."""
    while not places.acquire(timeout=LOOK):
        look()
    try:
        yield
    finally:
        places.release()


def employ(modules: Sequence[str]) -> None:
    """Start the processes for :func:`in_workers`, if the system supports them."""
    global _workers  # noqa: PLW0603 - one server a process
    if can_fork():
        _workers = Workers(modules)
        with suppress(OSError):
            _workers.start()


def dismiss() -> None:
    """End those processes."""
    global _workers  # noqa: PLW0603
    if _workers is not None:
        _workers.close()
    _workers = None


def in_workers(
    parts: Sequence[Callable[[Progress], T]],
    progress: Progress | None = None,
    keep: Callable[[int, T], object] | None = None,
) -> list[T]:
    """Call functions with a progress callback, in other processes if there are any.

    A newer move ends the processes at once.

    Parameters
    ----------
    parts
        The functions.
    progress
        Called with the share done of all.
    keep
        Called with the index of a part and its result, as soon as it is ready, so that it is not lost if a newer move
        ends the others.

    Returns
    -------
    list
        The results, in order.

    Raises
    ------
    CompositionError
        If a function refused, or a process was ended from outside.
    """
    keep = keep or (lambda _number, _result: None)
    if _workers is not None and parts:
        _let_others_compute()
        return _elsewhere(_workers, parts, progress, keep)
    done: list[T] = []
    for number, part in enumerate(parts):
        done.append(part(step(breathing(progress), number, len(parts))))
        keep(number, done[-1])
    return done


def _elsewhere(
    workers: Workers,
    parts: Sequence[Callable[[Progress], T]],
    progress: Progress | None,
    keep: Callable[[int, T], object],
) -> list[T]:
    """Call the functions in workers.

    Threads without access to the session wait for them; this one checks the session.
    """
    later = getattr(_run, "is_answered", False)
    over, shares = threading.Event(), [0.0] * len(parts)

    def look() -> None:
        if over.is_set():
            raise _Ended

    def wait_for(number: int) -> T:
        def tell(share: float) -> None:
            shares[number] = share
            look()

        with _place(_places["redraws" if later else "answers"], look):
            look()
            if later:
                _let_answers_go_ahead(look)
            return _computed(workers, parts[number], tell, later)

    # With one thread per processor the parts begin in their order.
    with ThreadPoolExecutor(min(len(parts), PROCESSORS)) as threads:
        numbers = {threads.submit(wait_for, number): number for number in range(len(parts))}
        try:
            waiting = set(numbers)
            while waiting:
                done, waiting = wait(waiting, LOOK, FIRST_COMPLETED)
                for answer in done:
                    keep(numbers[answer], answer.result())
                breathing(progress)(sum(shares) / len(parts))
        finally:
            over.set()
    return [answer.result() for answer in numbers]


def _computed(workers: Workers, part: Callable[[Progress], T], tell: Progress, later: bool) -> T:
    """Result of a function in a worker; without one it is called here."""
    try:
        return workers.run(part, progress=tell, background=later)
    except OSError:
        return part(tell)
    except WorkerError as error:
        if str(error) != NO_ANSWER:
            raise
        raise LimitError(
            "The computation was ended by the system, most often because memory ran out; close other programs, "
            "or load a part of the table, and try again."
        ) from None


class _Ended(BaseException):
    """No one waits for this work any more."""

"""Whose turn it is to compute, when several people move at once.

All sessions share the processors of one machine, and most of Python one at a time. Left alone,
everybody's work goes on at once and everybody waits for everybody: the redraws behind one person's
intervals, which take seconds, slow the first answer of another, which takes a tenth of one. So a
run of a script takes a turn:

- First answers, the number and the chart that a move is about, come first, in the order in which
  they were asked for. Whose run was ended before its answer by a move of his own keeps his place.
- Details, what stands below them, come next (:func:`answered`).
- Long work comes last, one after the other, each for a moment.
- A run that a newer move of the same person has ended stops as soon as it asks, also while it waits.

Work that does not ask for a second, because it is in another library, holds nobody up any longer.
A run becomes long work when it begins its redraws (:func:`step_back`), or when it has computed for
:data:`LONG` seconds. It asks whether to go on (:func:`breathe`) wherever core tells its progress and
before every result.

What takes more than a moment is computed in worker processes (:func:`in_workers`), as many at the
same time as there are processors; meanwhile others have the turn. Redraws have all of these for one
run at a time, and the newest run is next: the oldest is the likeliest to be ended by a newer move
before it is done, so in the order of arrival a busy server would finish almost none.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.arrays import Progress, T, step
from core.errors import CompositionError, LimitError
from core.workers import NO_ANSWER, WorkerError, Workers, can_fork

LONG = 0.5
"""Seconds of processor time after which a run is long work."""
MOMENT = 0.25
"""Seconds of processor time after which long work lets other long work go on."""
LOOK = 0.05
"""Seconds after which somebody who waits looks whether a newer move has ended the run."""
PATIENCE = 1.0
"""Seconds after which nobody waits any longer for work that does not ask whether to go on."""
SIGHT = 0.06
"""Seconds that a browser takes for the answer of a page."""
FIRST, DETAILS, LATER = 0, 1, 2


@dataclass(eq=False)
class Turn:
    """One run of a script.

    Parameters
    ----------
    rank, number
        How urgent it is, and when it came.
    began, since
        Processor time of its thread, and time of day, when it was let in.
    used
        Processor time that it had used before.
    away
        Whether it is computed elsewhere now and takes no place here.
    """

    rank: int
    number: int
    began: float = 0.0
    since: float = 0.0
    used: float = 0.0
    away: bool = False

    @property
    def order(self) -> tuple[int, int]:
        """What the waiting are sorted by."""
        return (self.rank, self.number)


@dataclass
class Turns:
    """Everybody's turns.

    Parameters
    ----------
    places
        How many compute at the same time. Who is more urgent does not count those who are less.
    patience
        Seconds without asking after which somebody is not counted.
    clock
        Processor time of the present thread, in seconds.
    """

    places: int = 1
    patience: float = PATIENCE
    clock: Callable[[], float] = time.thread_time
    _change: threading.Condition = field(default_factory=threading.Condition)
    _waiting: list[Turn] = field(default_factory=list)
    _working: list[Turn] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def number(self) -> int:
        """Return the place of somebody who comes now."""
        return next(self._numbers)

    def enter(self, alive: Callable[[], object], rank: int = FIRST, number: int | None = None) -> Turn:
        """Wait for a turn, at a place that was given before or behind all. What ``alive`` raises ends the waiting."""
        turn = Turn(rank, self.number() if number is None else number)
        self._wait(turn, alive)
        return turn

    def alone(self, turn: Turn) -> bool:
        """Whether nobody else computes here or waits to."""
        with self._change:
            return all(other is turn for other in (*self._waiting, *self._working))

    def leave(self, turn: Turn) -> None:
        """End a turn, or the waiting for one."""
        with self._change:
            for queue in (self._working, self._waiting):
                if turn in queue:
                    queue.remove(turn)
            self._change.notify_all()

    def step_back(self, turn: Turn, alive: Callable[[], object], rank: int = LATER) -> None:
        """Go on as less urgent work."""
        alive()
        if rank > turn.rank:
            turn.rank = rank
            self._rest(turn, alive)

    @contextmanager
    def paused(self, turn: Turn, alive: Callable[[], object]) -> Iterator[None]:
        """Let others compute meanwhile; go on at the same place when it is done."""
        self._stop(turn)
        turn.away = True
        try:
            yield
        except (CompositionError, WorkerError, MemoryError):
            # The script goes on after a refusal. What ends it gives its place back elsewhere.
            self._return(turn, alive)
            raise
        self._return(turn, alive)

    def _return(self, turn: Turn, alive: Callable[[], object]) -> None:
        self._wait(turn, alive)
        turn.away = False

    def _stop(self, turn: Turn) -> None:
        with self._change:
            turn.used += self.clock() - turn.began
            self._working.remove(turn)
            self._change.notify_all()

    def breathe(self, turn: Turn, alive: Callable[[], object]) -> None:
        """Let others go first who should. What ``alive`` raises ends the turn."""
        alive()
        if turn.away:
            return
        moment = self.clock() - turn.began
        if turn.rank < LATER and turn.used + moment > LONG:
            self.step_back(turn, alive)
        elif turn.rank > FIRST and ((turn.rank == LATER and moment > MOMENT) or self._is_urgent(turn)):
            self._rest(turn, alive)

    def _is_urgent(self, turn: Turn) -> bool:
        with self._change:
            return any(other.rank < turn.rank for other in (*self._waiting, *self._working))

    def _rest(self, turn: Turn, alive: Callable[[], object]) -> None:
        """Wait behind everybody who is waiting now."""
        self._stop(turn)
        turn.number = self.number()
        self._wait(turn, alive)

    def _wait(self, turn: Turn, alive: Callable[[], object]) -> None:
        with self._change:
            self._waiting.append(turn)
        begun = False
        try:
            while not (begun := self._begin(turn)):
                alive()
        finally:
            if not begun:
                self.leave(turn)

    def _begin(self, turn: Turn) -> bool:
        with self._change:
            if not self._may(turn):
                self._change.wait(LOOK)
            if not self._may(turn):
                return False
            self._waiting.remove(turn)
            self._working.append(turn)
            turn.began, turn.since = self.clock(), time.monotonic()
            self._change.notify_all()
            return True

    def _may(self, turn: Turn) -> bool:
        if min(self._waiting, key=lambda other: other.order) is not turn:
            return False
        moment = time.monotonic()
        asking = [other for other in self._working if moment - other.since < self.patience]
        return sum(other.rank <= turn.rank for other in asking) < self.places


EVERYBODY = Turns()
PROCESSORS = os.cpu_count() or 1
ANSWERS_IN_WORKERS = Turns(PROCESSORS, math.inf)
REDRAWS_IN_WORKERS = Turns(1, math.inf)
_mine = threading.local()
_PLACE = "turns:place"


def _alive() -> None:
    """Raise what ends a run of a script, where a newer move has ended it: any look into the session does."""
    "alive" in st.session_state  # noqa: B015


@contextmanager
def taken() -> Iterator[None]:
    """Compute in turn: a run of the script, from its first computation to its last."""
    place = st.session_state.setdefault(_PLACE, EVERYBODY.number())
    _mine.turn = EVERYBODY.enter(_alive, number=place)
    try:
        yield
        st.session_state.pop(_PLACE, None)
    finally:
        EVERYBODY.leave(_mine.turn)
        _mine.turn = None


def answered() -> None:
    """The number and the chart of this move are drawn: go on after the first answers of others."""
    turn = getattr(_mine, "turn", None)
    if turn is not None:
        st.session_state.pop(_PLACE, None)
        EVERYBODY.step_back(turn, _alive, DETAILS)


def let_it_be_seen(meanwhile: Callable[[], object] | None = None) -> None:
    """Wait until a browser has had the time to draw the answer: what comes together it draws in one go.

    ``meanwhile``, which draws nothing, is worked out first; what it takes need not be waited any more.
    """
    turn, began = getattr(_mine, "turn", None), time.monotonic()
    if meanwhile is not None:
        meanwhile()
    left = began + SIGHT - time.monotonic()
    if turn is not None and _served and left > 0:
        with EVERYBODY.paused(turn, _alive):
            time.sleep(left)


def breathe() -> None:
    """Let others go first who should; end the run if a newer move has ended it."""
    turn = getattr(_mine, "turn", None)
    if turn is None:
        _alive()
    else:
        EVERYBODY.breathe(turn, _alive)


def alone() -> bool:
    """Whether nobody else computes here or waits to: then work of a moment is done here soonest."""
    turn = getattr(_mine, "turn", None)
    return turn is None or EVERYBODY.alone(turn)


def step_back() -> None:
    """Go on after everybody's answers and details."""
    turn = getattr(_mine, "turn", None)
    if turn is not None:
        st.session_state.pop(_PLACE, None)
        EVERYBODY.step_back(turn, _alive)


def breathing(progress: Callable[[float], None] | None) -> Callable[[float], None]:
    """Return what tells progress and breathes."""

    def tell(share: float) -> None:
        breathe()
        if progress is not None:
            progress(share)

    return tell


# ---- in worker processes -------------------------------------------------------------------

_workers: Workers | None = None
_served = False


def employ(modules: Sequence[str]) -> None:
    """Start the processes that :func:`in_workers` computes in, where the system has them."""
    global _workers, _served  # noqa: PLW0603 - one server a process
    _served = True
    if can_fork():
        _workers = Workers(modules)
        with contextlib.suppress(OSError):
            _workers.start()


def dismiss() -> None:
    """End those processes."""
    global _workers, _served
    if _workers is not None:
        _workers.close()
    _workers, _served = None, False


def in_workers(
    parts: Sequence[Callable[[Progress], T]],
    progress: Progress | None = None,
    keep: Callable[[int, T], object] | None = None,
) -> list[T]:
    """Call functions whose argument is told the share done, in other processes if there are any.

    Redraws and other long work get there what first answers leave of the processors. A newer move
    ends the processes at once.

    Parameters
    ----------
    parts
        What is called.
    progress
        Told the share done of all.
    keep
        Called with the number of a part and what it returned, as soon as it is there: so it is not
        lost where a newer move ends the others.

    Returns
    -------
    list
        What each returns, in order.

    Raises
    ------
    CompositionError
        What a function refused, or that a process was ended from outside.
    """
    turn: Turn | None = getattr(_mine, "turn", None)
    done: list[T] = []
    for number, part in enumerate(parts):
        workers = _workers
        if workers is not None and turn is not None:
            # What a server that has just started began here, its workers end.
            return done + _elsewhere(workers, turn, parts, number, progress, keep)
        done.append(part(step(breathing(progress), number, len(parts))))
        if keep is not None:
            keep(number, done[-1])
    return done


def _elsewhere(
    workers: Workers,
    turn: Turn,
    parts: Sequence[Callable[[Progress], T]],
    first: int,
    progress: Progress | None,
    keep: Callable[[int, T], object] | None,
) -> list[T]:
    """Call the functions from the ``first`` on in workers, while others have the turn."""
    later = turn.rank == LATER
    jobs = [_Job(part, later) for part in parts[first:]]
    with EVERYBODY.paused(turn, _alive), _place_in_workers(turn.number, later), ThreadPoolExecutor(PROCESSORS) as pool:
        answers = [pool.submit(job.run, workers) for job in jobs]
        try:
            waiting = set(answers)
            while waiting and not any(map(_trouble, answers)):
                done, waiting = wait(waiting, LOOK)
                for answer in done:
                    if keep is not None and not _trouble(answer):
                        keep(first + answers.index(answer), answer.result())
                _alive()
                if progress is not None:
                    progress((first + sum(job.share for job in jobs)) / len(parts))
        finally:
            for job in jobs:
                job.ended = True
        for trouble in filter(None, map(_trouble, answers)):
            raise trouble
        return [answer.result() for answer in answers]


@contextmanager
def _place_in_workers(number: int, later: bool) -> Iterator[None]:
    """Wait for workers: first answers in order, redraws the newest first."""
    queue = REDRAWS_IN_WORKERS if later else ANSWERS_IN_WORKERS
    place = queue.enter(_alive, number=-number if later else number)
    try:
        yield
    finally:
        queue.leave(place)


def _trouble(answer: Future[Any]) -> BaseException | None:
    """What went wrong with a piece of work, if that is known already and was not its being ended."""
    error = answer.exception() if answer.done() else None
    return None if isinstance(error, _Ended) else error


class _Ended(BaseException):
    """Nobody waits for this work any more."""


class _Job:
    """A function on its way through a worker, in a thread that knows nothing of the session.

    Parameters
    ----------
    part
        What is called.
    background
        Whether it gets only what other work leaves of the processors.
    """

    def __init__(self, part: Callable[[Progress], Any], background: bool) -> None:
        self._part, self._background = part, background
        self.share, self.ended = 0.0, False

    def run(self, workers: Workers) -> Any:
        """Wait for the answer of a worker."""
        try:
            self._tell(0.0)
            return workers.run(self._part, progress=self._tell, background=self._background)
        except OSError:
            return self._part(self._tell)
        except WorkerError as error:
            if str(error) != NO_ANSWER:
                raise
            raise LimitError(
                "The computation was ended by the system, most often because memory was short; close other programs, "
                "or load a part of the table, and try again."
            ) from None

    def _tell(self, share: float) -> None:
        self.share = share
        if self.ended:
            raise _Ended

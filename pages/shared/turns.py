"""Whose turn it is to compute, when several people move at once.

All sessions share the processors of one machine, and most of Python one at a time. Left alone,
everybody's work goes on at once and everybody waits for everybody: the redraws behind one person's
intervals, which take seconds, slow the first answer of another, which takes a tenth of one. So a
run of a script takes a turn:

- First answers come before redraws and other long work, in the order in which they were asked for.
- Long work goes on while no first answer waits or is at work, one after the other, each for a moment.
- A run that a newer move of the same person has ended stops as soon as it asks, also while it waits.

Work that does not ask for a second, because it is in another library or in another process, holds
nobody up any longer. A run becomes long work when it begins its redraws (:func:`step_back`), or when
it has computed for :data:`LONG` seconds. It asks whether to go on (:func:`breathe`) wherever core
tells its progress.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import streamlit as st

LONG = 0.5
"""Seconds of processor time after which a run is long work."""
MOMENT = 0.25
"""Seconds of processor time after which long work lets other long work go on."""
LOOK = 0.05
"""Seconds after which somebody who waits looks whether a newer move has ended the run."""
PATIENCE = 1.0
"""Seconds after which nobody waits any longer for work that does not ask whether to go on."""
FIRST, LATER = 0, 1


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
    """

    rank: int
    number: int
    began: float = 0.0
    since: float = 0.0
    used: float = 0.0

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
        First answers that are computed at the same time.
    clock
        Processor time of the present thread, in seconds.
    """

    places: int = 1
    clock: Callable[[], float] = time.thread_time
    _change: threading.Condition = field(default_factory=threading.Condition)
    _waiting: list[Turn] = field(default_factory=list)
    _working: list[Turn] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def enter(self, alive: Callable[[], object]) -> Turn:
        """Wait for a turn to give a first answer. What ``alive`` raises ends the waiting."""
        turn = Turn(FIRST, next(self._numbers))
        self._wait(turn, alive)
        return turn

    def leave(self, turn: Turn) -> None:
        """End a turn, or the waiting for one."""
        with self._change:
            for these in (self._working, self._waiting):
                if turn in these:
                    these.remove(turn)
            self._change.notify_all()

    def step_back(self, turn: Turn, alive: Callable[[], object]) -> None:
        """Go on as long work."""
        alive()
        turn.rank = LATER
        self._rest(turn, alive)

    def breathe(self, turn: Turn, alive: Callable[[], object]) -> None:
        """Let others go first who should. What ``alive`` raises ends the turn."""
        alive()
        moment = self.clock() - turn.began
        if turn.rank == FIRST and turn.used + moment > LONG:
            self.step_back(turn, alive)
        elif turn.rank == LATER and (moment > MOMENT or self._is_urgent()):
            self._rest(turn, alive)

    def _is_urgent(self) -> bool:
        with self._change:
            return any(other.rank == FIRST for other in (*self._waiting, *self._working))

    def _rest(self, turn: Turn, alive: Callable[[], object]) -> None:
        """Wait behind everybody who is waiting now."""
        with self._change:
            turn.used += self.clock() - turn.began
            turn.number = next(self._numbers)
            self._working.remove(turn)
            self._change.notify_all()
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
        now = time.monotonic()
        asking = [other for other in self._working if now - other.since < PATIENCE]
        if turn.rank == LATER:
            return not asking
        return sum(other.rank == FIRST for other in asking) < self.places


EVERYBODY = Turns()
_mine = threading.local()


def _alive() -> None:
    """Raise what ends a run of a script, where a newer move has ended it: any look into the session does."""
    "alive" in st.session_state  # noqa: B015


@contextmanager
def taken() -> Iterator[None]:
    """Compute in turn: a run of the script, from its first computation to its last."""
    _mine.turn = EVERYBODY.enter(_alive)
    try:
        yield
    finally:
        EVERYBODY.leave(_mine.turn)
        _mine.turn = None


def breathe() -> None:
    """Let others go first who should; end the run if a newer move has ended it."""
    turn = getattr(_mine, "turn", None)
    if turn is None:
        _alive()
    else:
        EVERYBODY.breathe(turn, _alive)


def step_back() -> None:
    """Go on after everybody's first answers."""
    turn = getattr(_mine, "turn", None)
    if turn is not None:
        EVERYBODY.step_back(turn, _alive)


def breathing(progress: Callable[[float], None] | None) -> Callable[[float], None]:
    """Return what tells progress and breathes."""

    def tell(share: float) -> None:
        breathe()
        if progress is not None:
            progress(share)

    return tell

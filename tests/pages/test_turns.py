"""Who computes when: first answers before redraws, everybody in order, nobody forever."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from pages.shared import turns
from pages.shared.turns import FIRST, LATER, Turns


def alive() -> None:
    """Nothing has ended the run."""


class Ended(Exception):
    """A newer move has ended the run."""


def ended() -> None:
    raise Ended


class Clock:
    """Processor time that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def wait_for(what: Callable[[], bool]) -> None:
    """Wait until something is so."""
    stop = time.monotonic() + 10
    while not what():
        assert time.monotonic() < stop
        time.sleep(0.005)


class Run(threading.Thread):
    """A run of a script in a thread of its own: enters, steps back if asked, breathes until told to stop."""

    def __init__(self, every: Turns, done: list[str], name: str, back: bool = False) -> None:
        super().__init__(name=name, daemon=True)
        self.every, self.done, self.back = every, done, back
        self.stop, self.breaths = threading.Event(), 0
        self.start()

    def run(self) -> None:
        turn = self.every.enter(alive)
        if self.back:
            self.every.step_back(turn, alive)
        while not self.stop.is_set():
            time.sleep(0.002)
            self.every.breathe(turn, alive)
            self.breaths += 1
        self.done.append(self.name)
        self.every.leave(turn)


def waits(every: Turns, many: int) -> Callable[[], bool]:
    return lambda: len(every._waiting) == many


def test_first_answers_come_one_after_the_other_in_order() -> None:
    every, done = Turns(), []
    first = Run(every, done, "first")
    wait_for(lambda: len(every._working) == 1)
    second = Run(every, done, "second")
    wait_for(waits(every, 1))
    third = Run(every, done, "third")
    wait_for(waits(every, 2))
    for run in (third, second, first):
        run.stop.set()
    for run in (first, second, third):
        run.join(10)
    assert done == ["first", "second", "third"]
    assert not every._working
    assert not every._waiting


def test_redraws_rest_while_a_first_answer_is_at_work() -> None:
    every, done = Turns(), []
    redraws = Run(every, done, "redraws", back=True)
    wait_for(lambda: redraws.breaths > 3)
    answer = Run(every, done, "answer")
    wait_for(lambda: answer.breaths > 3)
    wait_for(waits(every, 1))
    before = redraws.breaths
    wait_for(lambda: answer.breaths > 30)
    assert redraws.breaths <= before + 1
    answer.stop.set()
    wait_for(lambda: redraws.breaths > before + 5)
    redraws.stop.set()
    redraws.join(10)
    assert done == ["answer", "redraws"]


def test_long_work_goes_on_one_after_the_other_in_moments() -> None:
    clock = Clock()
    every = Turns(clock=clock)
    one = every.enter(alive)
    every.step_back(one, alive)
    found: list[turns.Turn] = []

    def other() -> None:
        found.append(every.enter(alive))
        every.step_back(found[0], alive)

    def breathe(turn: turns.Turn) -> threading.Thread:
        thread = threading.Thread(target=every.breathe, args=(turn, alive), daemon=True)
        thread.start()
        return thread

    threads = [threading.Thread(target=other, daemon=True)]
    threads[0].start()
    wait_for(lambda: bool(every._waiting))
    assert every._working == [one], "its moment is not over"
    every.breathe(one, alive)
    assert every._working == [one]
    clock.now += 1.1 * turns.MOMENT
    threads.append(breathe(one))
    wait_for(lambda: every._working == found)
    clock.now += 1.1 * turns.MOMENT
    threads.append(breathe(found[0]))
    wait_for(lambda: every._working == [one])
    every.leave(one)
    for thread in threads:
        thread.join(10)
    every.leave(found[0])
    assert not every._working
    assert not every._waiting


def test_a_long_first_answer_becomes_long_work() -> None:
    clock = Clock()
    every = Turns(clock=clock)
    turn = every.enter(alive)
    clock.now += turns.LONG / 2
    every.breathe(turn, alive)
    assert turn.rank == FIRST
    clock.now += turns.LONG
    every.breathe(turn, alive)
    assert turn.rank == LATER


def test_nobody_waits_for_work_that_does_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE", 0.1)
    every = Turns()
    reading = every.enter(alive)
    began = time.monotonic()
    answer = every.enter(alive)
    assert 0.05 < time.monotonic() - began < 5
    every.leave(answer)
    every.leave(reading)


def test_a_run_that_was_ended_does_not_wait_for_its_turn() -> None:
    every = Turns()
    turn = every.enter(alive)
    with pytest.raises(Ended):
        every.enter(ended)
    assert not every._waiting
    with pytest.raises(Ended):
        every.breathe(turn, ended)
    every.leave(turn)
    assert not every._working


def test_an_ended_run_gives_its_place_back() -> None:
    with pytest.raises(Ended), turns.taken():
        raise Ended
    assert not turns.EVERYBODY._working
    with turns.taken():
        turns.breathe()
        turns.step_back()
    assert not turns.EVERYBODY._working
    assert not turns.EVERYBODY._waiting


def test_what_tells_progress_breathes(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    breaths: list[int] = []
    monkeypatch.setattr(turns, "breathe", lambda: breaths.append(1))
    turns.breathing(told.append)(0.5)
    turns.breathing(None)(0.7)
    assert told == [0.5]
    assert len(breaths) == 2

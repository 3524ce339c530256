"""Who computes when: first answers before redraws, everybody in order, nobody forever."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace

import pytest

from core.errors import CompositionError, LimitError
from core.workers import can_fork
from pages.shared import turns
from pages.shared.turns import DETAILS, FIRST, LATER, Turns
from tests.waiting import wait_for


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


def test_who_is_alone() -> None:
    every = Turns()
    mine = every.enter(alive)
    assert every.alone(mine)
    done: list[str] = []
    other = Run(every, done, "other")
    wait_for(lambda: bool(every._waiting))
    assert not every.alone(mine), "somebody waits"
    with every.paused(mine, alive):
        wait_for(lambda: bool(every._working))
        assert not every.alone(mine), "somebody computes"
        other.stop.set()
        other.join()
    assert every.alone(mine)
    every.leave(mine)


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


def test_details_come_after_the_first_answers_of_others_and_before_redraws() -> None:
    every, done = Turns(), []
    mine = every.enter(alive)
    redraws = Run(every, done, "redraws", back=True)
    wait_for(waits(every, 1))
    answer = Run(every, done, "answer")
    wait_for(waits(every, 2))
    details = threading.Thread(target=every.step_back, args=(mine, alive, DETAILS), daemon=True)
    details.start()
    wait_for(lambda: answer.breaths > 3)
    assert mine not in every._working
    assert not redraws.breaths
    answer.stop.set()
    details.join(10)
    assert mine in every._working
    assert redraws.breaths <= 1
    every.step_back(mine, alive, FIRST)
    assert mine.rank == DETAILS, "nobody becomes more urgent"
    every.leave(mine)
    redraws.stop.set()
    redraws.join(10)
    assert done == ["answer", "redraws"]


def test_whose_run_was_ended_before_its_answer_keeps_his_place() -> None:
    every = Turns()
    working = every.enter(alive)
    place = every.number()
    other = Run(every, [], "other")
    wait_for(waits(every, 1))
    came_back: list[turns.Turn] = []
    again = threading.Thread(target=lambda: came_back.append(every.enter(alive, FIRST, place)), daemon=True)
    again.start()
    wait_for(waits(every, 2))
    every.leave(working)
    again.join(10)
    assert every._working == came_back
    every.leave(came_back[0])
    wait_for(lambda: other.breaths > 0)
    other.stop.set()
    other.join(10)


def test_others_compute_while_a_worker_does(monkeypatch: pytest.MonkeyPatch) -> None:
    every = Turns()
    turn = every.enter(alive)
    with every.paused(turn, alive):
        other = every.enter(alive)
        every.breathe(turn, alive)
        every.leave(other)
    assert every._working == [turn]
    with pytest.raises(CompositionError), every.paused(turn, alive):
        raise LimitError("too much")
    assert every._working == [turn], "the script goes on after a refusal"
    with pytest.raises(Ended), every.paused(turn, alive):
        raise Ended
    assert not every._working
    every.leave(turn)


def plus(one: int, other: int, progress: Callable[[float], None]) -> int:
    progress(0.5)
    return one + other


def added(one: int, other: int) -> Callable[[Callable[[float], None]], int]:
    return partial(plus, one, other)


@pytest.fixture
def employed() -> Iterator[None]:
    turns.employ([])
    yield
    turns.dismiss()


def test_long_work_is_done_in_workers_where_there_are_any(employed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert turns.in_workers([added(1, 2)]) == [3], "outside a run of a script it is done here"
    ran: list[bool] = []
    if turns._workers is not None:
        run = turns._workers.run
        monkeypatch.setattr(turns._workers, "run", lambda *a, **k: ran.append(k["background"]) or run(*a, **k))
    shares: list[float] = []
    with turns.taken():
        assert turns.in_workers([added(2, 3)], shares.append) == [5]
        turns.step_back()
        assert turns.in_workers([added(3, 4), added(5, 6), added(7, 8)], shares.append) == [7, 11, 15]
    assert ran == ([False, True, True, True] if can_fork() else [])
    assert all(0 <= share <= 1 for share in shares)
    assert not left_in_workers()
    assert not turns.EVERYBODY._working


def test_no_work_is_done_at_once(employed: None) -> None:
    with turns.taken():
        assert turns.in_workers([]) == []


def test_without_workers_the_share_done_grows_over_all_parts() -> None:
    shares: list[float] = []
    assert turns.in_workers([added(1, 1), added(2, 2)], shares.append) == [2, 4]
    assert shares == [0.25, 0.75]


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_workers_that_come_meanwhile_do_the_rest() -> None:
    shares: list[float] = []
    kept: list[tuple[int, int]] = []

    def until_they_are_there(progress: Callable[[float], None]) -> int:
        turns.employ([])
        return added(1, 1)(progress)

    try:
        with turns.taken():
            parts = [added(0, 1), until_they_are_there, process, process]
            numbers = turns.in_workers(parts, shares.append, lambda number, result: kept.append((number, result)))
    finally:
        turns.dismiss()
    assert numbers[:2] == [1, 2]
    assert all(number != os.getpid() for number in numbers[2:])
    assert sorted(kept) == list(enumerate(numbers))
    assert shares == sorted(shares)
    assert shares[-1] <= 1


def left_in_workers() -> list[turns.Turn]:
    queues = (turns.ANSWERS_IN_WORKERS, turns.REDRAWS_IN_WORKERS)
    return [turn for queue in queues for turn in (*queue._working, *queue._waiting)]


def process(progress: Callable[[float], None]) -> int:
    return os.getpid()


def ended_from_outside(progress: Callable[[float], None]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def endless(progress: Callable[[float], None]) -> None:
    while True:
        time.sleep(0.01)
        progress(0.1)


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_a_worker_that_the_system_ends_is_one_sentence_and_ends_the_others(employed: None) -> None:
    with turns.taken():
        with pytest.raises(LimitError, match="ended by the system"):
            turns.in_workers([endless, ended_from_outside])
        assert turns.in_workers([added(2, 3)]) == [5]
    assert not left_in_workers()


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_a_newer_move_ends_the_work(employed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.monotonic()

    def alive() -> None:
        if time.monotonic() > began + 0.5:
            raise Ended

    def run() -> None:
        with turns.taken():
            monkeypatch.setattr(turns, "_alive", alive)
            turns.in_workers([endless, endless, endless])

    with pytest.raises(Ended):
        run()
    assert not left_in_workers()


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_workers_take_the_redraws_of_the_newest_run_next(employed: None) -> None:
    done: list[str] = []
    first_works, go_on = threading.Event(), threading.Event()

    def run(name: str) -> None:
        def share(_: float) -> None:
            first_works.set()
            go_on.wait(10)

        with turns.taken():
            turns.step_back()
            turns.in_workers([added(1, 1), added(2, 2)], share, lambda number, result: done.append(name))

    runs = []
    for number, name in enumerate(("first", "second", "third")):
        runs.append(threading.Thread(target=run, args=(name,)))
        runs[-1].start()
        assert first_works.wait(10)
        wait_for(waits(turns.REDRAWS_IN_WORKERS, number))
    go_on.set()
    for thread in runs:
        thread.join(10)
    assert done == ["first"] * 2 + ["third"] * 2 + ["second"] * 2


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_what_cannot_be_sent_to_a_worker_is_done_here(employed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError

    assert turns._workers is not None
    monkeypatch.setattr(turns._workers, "_worker", none)
    with turns.taken():
        assert turns.in_workers([added(2, 3)]) == [5]


def test_the_answer_is_seen_before_its_details_where_there_is_a_browser(
    employed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    clock = {**vars(time), "sleep": waits.append, "monotonic": lambda: seconds}
    seconds = 0.0
    monkeypatch.setattr(turns, "time", SimpleNamespace(**clock))
    turns.let_it_be_seen()
    assert not waits, "nobody looks outside a run of a script"

    def work(taken: float) -> None:
        nonlocal seconds
        seconds += taken

    with turns.taken():
        turns.let_it_be_seen()
        assert waits == [turns.SIGHT]
        turns.let_it_be_seen(partial(work, turns.SIGHT / 4))
        assert waits[1:] == pytest.approx([turns.SIGHT * 3 / 4])
        turns.let_it_be_seen(partial(work, turns.SIGHT * 2))
        assert len(waits) == 2, "what was worked out meanwhile took as long"
    turns.dismiss()
    with turns.taken():
        turns.let_it_be_seen()
    assert len(waits) == 2, "nobody looks where no server runs"

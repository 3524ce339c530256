"""Who computes when: first answers one after the other, redraws elsewhere; nobody waits forever."""

from __future__ import annotations

import importlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from unittest.mock import Mock

import pytest

from core.base.errors import LimitError
from core.base.workers import WorkerError, can_fork
from pages.shared import server
from pages.shared.compute import work_queue


class Ended(Exception):
    """A newer move has ended the run."""


class Run(threading.Thread):
    """A run of a script: its first answer when it is its turn, then its details until it is told to stop."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.computes, self.answer, self.stop = threading.Event(), threading.Event(), threading.Event()
        self.start()

    def run(self) -> None:
        with work_queue.taken():
            self.computes.set()
            self.answer.wait(10)
            work_queue.answered()
            self.stop.wait(10)

    def end(self) -> None:
        self.answer.set()
        self.stop.set()
        self.join(5)


def test_first_answers_come_one_after_the_other_and_details_hold_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_queue, "PATIENCE", 10)
    first = Run()
    assert first.computes.wait(5)
    second = Run()
    assert not second.computes.wait(0.1)
    first.answer.set()
    assert second.computes.wait(5)
    assert first.is_alive()
    first.end()
    second.end()


def test_nobody_waits_long_for_another_who_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_queue, "PATIENCE", 0.1)
    reading, other = Run(), Run()
    assert reading.computes.wait(5)
    assert other.computes.wait(5)
    other.end()
    reading.end()
    assert not work_queue._answers.locked()


def test_what_stands_below_an_answer_waits_for_the_first_answers_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_queue, "PATIENCE", 10)
    monkeypatch.setattr(work_queue.st, "session_state", {})
    went_on = threading.Event()
    other: list[Run] = []

    def details() -> None:
        with work_queue.taken():
            work_queue.answered()
            other.append(Run())
            assert other[0].computes.wait(5)
            work_queue.breathe()
            went_on.set()

    below = threading.Thread(target=details, daemon=True)
    below.start()
    assert not went_on.wait(0.3)
    other[0].answer.set()
    assert went_on.wait(5)
    other[0].end()
    below.join(5)
    assert not work_queue._wanting


def test_an_ended_run_gives_its_turn_back() -> None:
    with pytest.raises(Ended), work_queue.taken():
        raise Ended
    assert not work_queue._answers.locked()
    assert not work_queue._wanting


def plus(one: int, other: int, progress: Callable[[float], None]) -> int:
    progress(0.5)
    return one + other


def added(one: int, other: int) -> Callable[[Callable[[float], None]], int]:
    return partial(plus, one, other)


def test_without_workers_the_share_done_grows_over_all_parts() -> None:
    shares: list[float] = []
    kept: dict[int, int] = {}
    assert work_queue.in_workers([added(1, 1), added(2, 2)], shares.append, kept.__setitem__) == [2, 4]
    assert shares == [0.25, 0.75]
    assert kept == {0: 2, 1: 4}


@pytest.fixture(scope="module")
def employed() -> Iterator[None]:
    work_queue.employ([])
    yield
    work_queue.dismiss()


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_long_work_is_done_in_workers(employed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert work_queue._workers is not None
    run = Mock(wraps=work_queue._workers.run)
    monkeypatch.setattr(work_queue._workers, "run", run)
    shares: list[float] = []
    with work_queue.taken():
        assert work_queue.in_workers([added(2, 3)], shares.append) == [5]
        assert not work_queue._answers.locked(), "others compute meanwhile"
        work_queue.answered()
        assert work_queue.in_workers([added(3, 4), added(5, 6), added(7, 8)], shares.append) == [7, 11, 15]
    assert [done.kwargs["background"] for done in run.call_args_list] == [False, True, True, True]
    assert all(0 <= share <= 1 for share in shares)


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_a_first_answer_in_a_worker_is_pending_and_holds_up_no_other_but_redraws(
    employed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work_queue, "PATIENCE", 10)
    redrawn, behind = threading.Event(), []

    def redraw() -> None:
        with work_queue.taken():
            work_queue.answered()
            work_queue.in_workers([added(3, 4)], keep=lambda _number, _result: redrawn.set())

    def meanwhile(_number: int, _result: int) -> None:
        assert work_queue._wanting
        assert not work_queue._answers.locked()
        behind.append(threading.Thread(target=redraw, daemon=True))
        behind[0].start()
        assert not redrawn.wait(0.3)

    with work_queue.taken():
        work_queue.in_workers([added(1, 2)], keep=meanwhile)
    assert redrawn.wait(5)
    behind[0].join(5)


def ended_from_outside(progress: Callable[[float], None]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def endless(progress: Callable[[float], None]) -> None:
    while True:
        time.sleep(0.01)
        progress(0.1)


def all_places_are_free() -> bool:
    return all(places._value == work_queue.PROCESSORS for places in work_queue._places.values())


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_a_worker_that_the_system_ends_is_one_sentence_and_ends_the_others(employed: None) -> None:
    with pytest.raises(LimitError, match="ended by the system"):
        work_queue.in_workers([endless, ended_from_outside])
    assert work_queue.in_workers([added(2, 3)]) == [5]
    assert all_places_are_free()


def failing(progress: Callable[[float], None]) -> None:
    raise ZeroDivisionError("a cell")


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_an_error_that_nobody_foresaw_in_a_worker_is_none_of_the_system(employed: None) -> None:
    with pytest.raises(WorkerError, match="ZeroDivisionError at failing") as broke:
        work_queue.in_workers([failing])
    assert "a cell" not in str(broke.value)
    assert all_places_are_free()


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_a_newer_move_ends_the_work_and_what_is_done_stays(employed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[int, int] = {}

    def alive() -> None:
        if kept:
            raise Ended

    monkeypatch.setattr(work_queue, "breathe", alive)
    with pytest.raises(Ended):
        work_queue.in_workers([added(1, 1), *[endless] * work_queue.PROCESSORS], keep=kept.__setitem__)
    assert kept == {0: 2}
    assert all_places_are_free()


@pytest.mark.skipif(not can_fork(), reason="there are no workers")
def test_what_cannot_be_sent_to_a_worker_is_done_here(employed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_queue._workers, "_worker", Mock(side_effect=OSError))
    assert work_queue.in_workers([added(2, 3)]) == [5]


def test_what_workers_import_beforehand_is_there() -> None:
    for name in server.WORK:
        importlib.import_module(name)

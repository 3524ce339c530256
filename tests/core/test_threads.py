"""Pieces in threads: the same outcomes in the same order, progress of all, and an end when nobody waits."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from core import examples
from core.algorithms import leastloss, mondrian, partition_sweep, threads
from core.arrays import Progress
from core.data.encoding import encode
from core.privacy.policy import Policy

many = pytest.mark.parametrize("count", ["1", "3"])


class StoppedError(Exception):
    """Raised by a test to cancel."""


def slowly(piece: int, progress: Progress) -> int:
    """Take longer for earlier pieces."""
    for part in range(10):
        time.sleep(0.002 * (4 - piece))
        progress((part + 1) / 10)
    return piece * piece


@many
def test_outcomes_come_in_the_order_of_the_pieces(monkeypatch: pytest.MonkeyPatch, count: str) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", count)
    here, told = threading.get_ident(), list[tuple[int, float]]()
    outcomes = threads.in_threads(slowly, [0, 1, 2, 3], lambda share: told.append((threading.get_ident(), share)))
    assert outcomes == [0, 1, 4, 9]
    assert {thread for thread, _ in told} == {here}, "progress is told where it was asked for"
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@many
def test_what_progress_raises_ends_every_piece(monkeypatch: pytest.MonkeyPatch, count: str) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", count)
    ended = []

    def work(piece: int, progress: Progress) -> None:
        try:
            for _ in range(5_000):
                time.sleep(0.001)
                progress(0.5)
        except Exception:
            ended.append(piece)
            raise

    def stop(_: float) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        threads.in_threads(work, list(range(5)), stop)
    assert len(ended) == int(count), "those that were begun have ended, and no other was begun"


@many
def test_what_a_piece_raises_is_raised(monkeypatch: pytest.MonkeyPatch, count: str) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", count)

    def work(piece: int, progress: Progress) -> None:
        progress(0.0)
        if piece == 2:
            raise ValueError("two")

    with pytest.raises(ValueError, match="two"):
        threads.in_threads(work, list(range(4)))


def test_no_pieces_and_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert threads.in_threads(slowly, []) == []
    for said, count in (("1", 1), ("2", 2), ("1000", threads.MOST)):
        monkeypatch.setenv("OMP_NUM_THREADS", said)
        assert threads.processors() == count
    for said in ("", "0", "2,1", "many"):
        monkeypatch.setenv("OMP_NUM_THREADS", said)
        assert 1 <= threads.processors() <= threads.MOST


@pytest.mark.parametrize("policy", [Policy(2), Policy(3, l=2), Policy(2, t=0.5)])
@pytest.mark.parametrize("algorithm", ["mondrian", "least-loss"])
def test_classes_are_the_same_however_many_threads_there_are(
    monkeypatch: pytest.MonkeyPatch, algorithm: str, policy: Policy
) -> None:
    encoded = encode(examples.city(700), examples.city_schema())
    policies = [policy, policy.with_(k=9)]
    whole = [release.labels for release in partition_sweep(encoded, policies, algorithm)]
    monkeypatch.setattr(mondrian, "IN_CACHE", 40)
    monkeypatch.setattr(leastloss, "DEALT", 80)
    dealt = []
    monkeypatch.setattr(threads, "ThreadPoolExecutor", recording(threads.ThreadPoolExecutor, dealt))
    for count in ("1", "2", "4"):
        monkeypatch.setenv("OMP_NUM_THREADS", count)
        found = partition_sweep(encoded, policies, algorithm)
        assert all(np.array_equal(a, b.labels) for a, b in zip(whole, found, strict=True))
    assert min(dealt) >= 2, "there was something to deal out"
    with threads.at_most(1):
        dealt.clear()
        partition_sweep(encoded, policies, algorithm)
        assert not dealt


def recording(kind: type, counts: list[int]) -> object:
    """Make pools and note how many threads each has."""

    def make(count: int) -> object:
        counts.append(count)
        return kind(count)

    return make

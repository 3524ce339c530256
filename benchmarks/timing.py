"""Times of things that are compared, taken in turns so that a busy machine slows all of them alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

Run = Callable[[], object]
Clock = Callable[[], float]

CLOCKS: Mapping[str, Clock] = {"wall": time.perf_counter, "cpu": time.process_time}
YARDSTICK = 1_000_000
"""Random int64 that np.sort sorts once: how fast this machine is right now."""


@dataclass(frozen=True)
class Effort:
    """How often to measure: as often as ``seconds`` allow, from ``least`` to ``most`` times.

    Slow rivals are an exception: a round of more than 8 s is measured three times, one of more
    than 20 s once.
    """

    least: int = 5
    most: int = 15
    seconds: float = 8.0

    def rounds(self, one: float) -> int:
        """Rounds to measure after a warm-up round of so many seconds."""
        if one > 8:
            return min(self.least, 1 if one > 20 else 3)
        return max(self.least, min(self.most, int(self.seconds / max(one, 1e-9))))


QUICK = Effort(least=2, most=2)


@dataclass(frozen=True)
class Series:
    """Seconds of one thing, round by round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle run."""
        return statistics.median(self.seconds)

    @property
    def low(self) -> float:
        """The fastest run."""
        return min(self.seconds)

    @property
    def high(self) -> float:
        """The slowest run."""
        return max(self.seconds)

    def times(self, other: Series) -> float:
        """How many times as long as the other: the median over rounds of the ratio within the round."""
        pairs = zip(self.seconds, other.seconds, strict=True)
        return statistics.median(mine / max(yours, 1e-9) for mine, yours in pairs)


def measure(runs: Mapping[str, Run], clock: Clock, effort: Effort) -> dict[str, Series]:
    """Time several things in turns, A B A B, after one run of each to warm up."""
    began = time.perf_counter()
    for run in runs.values():
        run()
    rounds = effort.rounds(time.perf_counter() - began)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            gc.collect()
            start = clock()
            run()
            seconds[name].append(clock() - start)
    return {name: Series(tuple(found)) for name, found in seconds.items()}


def yardstick() -> Run:
    """Return a run of np.sort over a million random int64."""
    numbers = np.random.default_rng(1).integers(0, 2**62, YARDSTICK)
    return lambda: np.sort(numbers)

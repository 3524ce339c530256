"""Work in another process: the same answer, the same refusals, no values in failures, and nothing left behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.base.arrays import Progress
from core.base.errors import InfeasibleError, MissingPackageError
from core.base.workers import BACKGROUND, NO_ANSWER, WorkerError, Workers, can_fork
from core.data.encoding.encoded import encode
from core.examples import city, city_schema
from core.privacy.policy import Policy
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from tests.waiting import wait_for

pytestmark = pytest.mark.skipif(not can_fork(), reason="workers are copies of a process, which this system cannot make")


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    made = Workers(["core.study.sweep"])
    made.start()
    yield made
    made.close()


def doubled(number: float, progress: Progress) -> float:
    progress(0.5)
    return 2 * number


def whose(progress: Progress) -> tuple[int, int]:
    return os.getpid(), os.nice(0)


def refused(progress: Progress) -> None:
    raise InfeasibleError("The whole table does not do.", parameter="k")


def missing(progress: Progress) -> None:
    raise MissingPackageError("numpy", "counting")


def out_of_memory(progress: Progress) -> None:
    raise MemoryError


def failed(progress: Progress) -> None:
    {"a value": 1}["John Smith"]


def ended(progress: Progress) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def endless(progress: Progress) -> None:
    while True:
        time.sleep(0.01)
        progress(os.getpid())


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_an_answer_is_that_of_the_function(workers: Workers) -> None:
    assert workers.run(doubled, 21) == 42
    process, niceness = workers.run(whose)
    assert process != os.getpid()
    assert niceness == os.nice(0)
    assert workers.run(whose, background=True)[1] == min(19, os.nice(0) + BACKGROUND)


def test_a_sweep_is_the_same_there_and_here(workers: Workers) -> None:
    encoded = encode(city(600), city_schema())
    sweep_of = (encoded, Study.uniform(Policy(3), 100, 2), "k", [2, 3, 5], Redraws(2, 7))
    pd.testing.assert_frame_equal(workers.run(sweep, *sweep_of), sweep(*sweep_of))


def sent_back(value: object, progress: Progress) -> object:
    return value


def test_arrays_of_every_shape_come_back_as_they_were(workers: Workers) -> None:
    """They are sent beside the rest of a message; more than a line holds at a time, nothing, parts of others."""
    rng = np.random.default_rng(0)
    whole = rng.integers(0, 9, (400, 1000))
    fixed = np.arange(5)
    fixed.setflags(write=False)
    given = [whole, np.zeros(0), whole.T, whole[::3, ::2], np.float64(0.5), fixed, np.array(["a", "bc"]), fixed]
    came = workers.run(sent_back, given)
    for one, other in zip(given, came, strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype == np.asarray(other).dtype


def test_refusals_come_back_as_they_were(workers: Workers) -> None:
    with pytest.raises(InfeasibleError, match="does not do") as info:
        workers.run(refused)
    assert info.value.parameter == "k"
    with pytest.raises(MissingPackageError) as other:
        workers.run(missing)
    assert other.value.message == MissingPackageError("numpy", "counting").message


def test_a_failure_tells_its_kind_and_place_but_no_value(workers: Workers) -> None:
    with pytest.raises(WorkerError) as info:
        workers.run(failed)
    assert str(info.value).startswith("KeyError at failed:")
    assert "Smith" not in str(info.value)
    with pytest.raises(MemoryError):
        workers.run(out_of_memory)
    with pytest.raises(WorkerError, match=NO_ANSWER):
        workers.run(ended)
    assert workers.run(doubled, 1) == 2


def test_what_progress_raises_ends_the_worker_at_once(workers: Workers) -> None:
    told: list[float] = []

    def tell(share: float) -> None:
        if share:
            told.append(share)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workers.run(endless, progress=tell)
    wait_for(lambda: is_gone(int(told[0])))


def test_closing_ends_the_processes_and_a_lost_server_is_started_anew() -> None:
    made = Workers([])
    assert made.run(doubled, 1) == 2
    first = made._server
    first.kill()
    first.wait()
    assert made.run(doubled, 2) == 4
    second = made._server
    made.close()
    assert second.poll() is not None
    made.close()


def test_a_server_of_forks_keeps_no_workers(workers: Workers) -> None:
    server = workers._server
    for number in range(5):
        workers.run(doubled, number)
    listed = Path(f"/proc/{server.pid}/task/{server.pid}/children")
    if listed.exists():
        wait_for(lambda: not listed.read_text().split())

"""What the forecast page asks of core, kept like every other result of the session."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from core import Policy, Release
from core.arrays import Progress
from core.data.encoding import Encoded
from core.data.marginals import Marginals
from core.forecast import (
    Expected,
    Forecast,
    Goal,
    Merger,
    Question,
    Search,
    beside_real,
    calibration,
    contributions,
    forecast_curve,
    mergers,
    smallest_k,
    smallest_k_and_l,
)
from core.release.algorithm import ALGORITHMS
from core.review import other_algorithm, other_policy
from core.study.hospitals import Hospital, Study
from core.study.redraws import Redraws
from pages.shared import results, session, turns
from pages.shared.population import file
from pages.shared.results import data_key

GRID_K = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
FEW_K = (5, 10, 25, 50, 100)
MANY_ROWS = 100_000
"""Records, or distinct rows of a tally, beyond which the curve has few values of k."""
REDRAWS = 5
TRIED_K = (5, 10, 15, 20, 25)


def read(content: bytes, progress: Callable[[float], None] | None = None) -> Marginals:
    """Read population statistics against the session's table; raises InputError."""
    encoded = results.encoded()
    key = ("marginals", hashlib.sha256(content).hexdigest(), *data_key())
    return results.remembered(key, lambda: Marginals.read(content, encoded, progress))


def population() -> Marginals:
    """Return the population statistics in use: those of the file where one was chosen, else the table's."""
    given = file()
    if session.get("forecast_source") == "file" and given is not None:
        return read(given.content)
    encoded = results.encoded()
    return results.remembered(("marginals", *data_key()), lambda: Marginals.of(encoded))


def _source() -> str:
    given = file()
    return given.digest if session.get("forecast_source") == "file" and given is not None else "table"


def question() -> Question:
    """What is asked of every release, as chosen on the page."""
    same, alike = session.get("forecast_same"), session.get("forecast_like_mine")
    return Question(
        population(),
        results.encoded().records if same else int(session.get("forecast_others")),
        None if alike else float(session.get("forecast_size")),
        int(session.get("forecast_l")),
        float(session.get("forecast_c")),
        session.get("forecast_source") == "joint",
        int(session.get("overlap")),
        other_policy(session.scenario()),
        other_algorithm(session.scenario()),
    )


def their_algorithm() -> str:
    """How the other hospital is taken to form its classes."""
    scenario = session.scenario()
    return other_algorithm(scenario) or scenario.mine.algorithm


def their_policy() -> Policy:
    """What is asked of the classes of the other hospital."""
    scenario = session.scenario()
    return other_policy(scenario) or replace(scenario.mine.policy, m=None)


def from_a_release() -> bool:
    """Whether hospital 2 is a file anonymised already: how its classes were formed nobody knows, so as mine."""
    return session.scenario().hospitals[1].source == "published"


def _asked() -> tuple[Any, ...]:
    ask = question()
    paper = (ask.joint, ask.others, ask.other_class_sizes, ask.l, ask.confidence)
    return (_source(), *paper, ask.shared, ask.policy, ask.algorithm)


def expected() -> Expected:
    """What is expected of the people that the present release shares."""
    release, ask = results.my_release().release, question()

    def make() -> Expected:
        expected_breach = ask.expected(release)
        assert expected_breach is not None
        return expected_breach

    return results.remembered(("forecast expected", *results.release_key(), *_asked()), make)


def alone() -> float:
    """Share of the people in classes of mine with one value: they are left with one whoever else publishes."""
    histogram = results.my_release().release.histogram
    return float(histogram.sizes[histogram.distinct == 1].sum() / histogram.sizes.sum())


def present() -> Forecast:
    """Sattar & Helal's estimate of the present release."""
    release, ask = results.my_release().release, question()
    return results.remembered(("forecast", *results.release_key(), *_asked()), lambda: ask.of(release))


def _mine() -> tuple[Encoded, Policy, str]:
    mine = session.scenario().mine
    return results.encoded(), mine.policy, mine.algorithm


def many_at_once() -> bool:
    """Whether all k are partitioned in one pass, so that trying many costs little."""
    _, policy, algorithm = _mine()
    return policy.only_k and ALGORITHMS[algorithm].one_pass


def grid() -> tuple[int, ...]:
    """Values of k of the curve; fewer where each costs much. The present k is one of them."""
    encoded, policy, _ = _mine()
    ks = session.and_large(GRID_K if many_at_once() and len(encoded) <= MANY_ROWS else FEW_K)
    return tuple(sorted({k for k in (*ks, policy.k) if k <= max(2, encoded.people // 2)}))


def curve(progress: Progress | None = None) -> pd.DataFrame:
    """The forecast against k."""
    encoded, policy, algorithm = _mine()
    ask, ks = question(), grid()
    return results.remembered(
        ("forecast curve", *data_key(), replace(policy, k=2), algorithm, ks, *_asked()),
        lambda: _curve(encoded, policy, ks, ask, algorithm, progress),
    )


def _curve(
    encoded: Encoded, policy: Policy, ks: Sequence[int], ask: Question, algorithm: str, progress: Progress | None
) -> pd.DataFrame:
    """The curve; of a large table every second k in another process."""
    if encoded.people * len(ks) <= results.AT_ONCE:
        return forecast_curve(encoded, policy, ks, ask, algorithm, turns.breathing(progress))
    halves = [partial(forecast_curve, encoded, policy, ks[first::2], ask, algorithm) for first in range(2)]
    rows = pd.concat(turns.in_workers(halves, progress))
    return rows.sort_values("k", ignore_index=True)


def added(progress: Progress | None = None) -> pd.DataFrame:
    """What each quasi-identifier adds."""
    encoded, policy, algorithm = _mine()
    ask = question()
    return results.remembered(
        ("forecast columns", *results.release_key(), *_asked()),
        lambda: contributions(encoded, policy, ask, algorithm, progress),
    )


def measure() -> str:
    """The share that the limit is set for, in the chosen reading."""
    name: str = session.get("forecast_measure")
    subset = session.get("forecast_reading") == "every subset" and name in ("people", "risk")
    return f"{name}_subset" if subset else name


def search(with_l: bool, progress: Progress | None = None) -> Search:
    """The smallest k, or (k, l), under the limit."""
    encoded, policy, algorithm = _mine()
    ask, limit, most = question(), float(session.get("forecast_limit")), session.most_k(encoded.people)
    key = ("forecast search", with_l, *data_key(), replace(policy, k=2), algorithm, limit, measure(), most, *_asked())
    run = smallest_k_and_l if with_l else smallest_k
    return results.remembered(key, lambda: run(encoded, policy, Goal(limit, measure(), most), ask, algorithm, progress))


def is_searched(with_l: bool) -> bool:
    """Whether the search is done already, so that showing it costs nothing."""
    encoded, policy, algorithm = _mine()
    limit, most = float(session.get("forecast_limit")), session.most_k(encoded.people)
    return results.is_remembered(
        ("forecast search", with_l, *data_key(), replace(policy, k=2), algorithm, limit, measure(), most, *_asked())
    )


@dataclass(frozen=True, eq=False)
class MergerRow:
    """What a merger comes to, without its release.

    Parameters
    ----------
    share, rounds, treated
        See :class:`core.forecast.Merger`; ``treated`` is their number.
    classes, risk, people, pinned, expected, loss
        Afterwards; risk and people in the chosen reading.
    """

    share: float
    rounds: int
    treated: int
    classes: int
    risk: float
    people: float
    pinned: float
    expected: float
    loss: float


def merged(progress: Progress | None = None) -> tuple[list[MergerRow], pd.DataFrame]:
    """What merging more and more of the vulnerable classes brings, and the classes in the order of treatment."""
    release: Release = results.my_release().release
    ask, reading = question(), str(session.get("forecast_reading"))

    def make() -> tuple[list[MergerRow], pd.DataFrame]:
        steps = mergers(release, ask, reading, progress=progress)
        order = max((merger.treated for merger in steps), key=len)
        return [_row(merger, reading) for merger in steps], pd.DataFrame({"class_number": order})

    return results.remembered(("forecast mergers", reading, *results.release_key(), *_asked()), make)


def _row(merger: Merger, reading: str) -> MergerRow:
    estimate, then = merger.forecast, merger.expected
    return MergerRow(
        merger.share,
        merger.rounds,
        len(merger.treated),
        estimate.classes,
        estimate.risk(reading).value,
        estimate.people(reading).value,
        estimate.pinned_share,
        float("nan") if then is None else then.share,
        merger.loss,
    )


def judge_study() -> Study:
    """Two hospitals with my policy that share some people: what the forecast is judged against."""
    encoded, policy, algorithm = _mine()
    hospital = Hospital(policy, algorithm)
    overlap = max(1, min(int(session.get("overlap")), encoded.people // 6))
    return Study((hospital, hospital), overlap)


def judged(progress: Progress | None = None) -> pd.DataFrame:
    """Estimated and real risk of simulated hospitals against k."""
    encoded, policy, _ = _mine()
    study, ask = judge_study(), question()
    room = encoded.people // 4
    ks = tuple(sorted({k for k in (*TRIED_K, policy.k) if k <= max(2, room)}))
    seed = int(session.get("seed"))
    return results.remembered(
        ("forecast judged", *data_key(), study, ks, ask.l, ask.confidence, seed),
        lambda: beside_real(encoded, study, ks, ask, Redraws(1, seed), progress),
    )


def calibrated(progress: Progress | None = None) -> pd.DataFrame:
    """The pinning estimate beside simulated hospitals, decile by decile."""
    encoded, study, seed = results.encoded(), judge_study(), int(session.get("seed"))
    return results.remembered(
        ("forecast calibration", *data_key(), study, seed),
        lambda: calibration(encoded, study, 10, REDRAWS, seed, progress),
    )

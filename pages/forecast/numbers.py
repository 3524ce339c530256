"""What the forecast page asks of core, kept like every other result of the session."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from core import Encoded, Forecast, Marginals, Policy, Release
from core.forecast import (
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
from core.hospitals import Hospital, Study
from pages._ui import runs, state
from pages._ui.population import file

Progress = Callable[[float], None]

GRID_K = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
FEW_K = (5, 10, 25, 50, 100)
REDRAWS = 5
TRIED_K = (5, 10, 15, 20, 25)


def read(content: bytes) -> Marginals:
    """Read population statistics against the session's table; raises InputError."""
    encoded = runs.encoded()
    key = ("marginals", hashlib.sha256(content).hexdigest(), *_data())
    return runs.remembered(key, lambda: Marginals.read(content, encoded))


def population() -> Marginals:
    """Return the population statistics in use: those of the file where one was chosen, else the table's."""
    given = file()
    if state.get("forecast_source") == "file" and given is not None:
        return read(given.content)
    encoded = runs.encoded()
    return runs.remembered(("marginals", *_data()), lambda: Marginals.of(encoded))


def _source() -> str:
    given = file()
    return given.digest if state.get("forecast_source") == "file" and given is not None else "table"


def _data() -> tuple[Any, ...]:
    """What the table and its schema add to a key."""
    return runs.release_key()[1:-2]


def question() -> Question:
    """What is asked of every release, as chosen on the page."""
    same, alike = state.get("forecast_same"), state.get("forecast_like_mine")
    return Question(
        population(),
        len(runs.encoded()) if same else int(state.get("forecast_others")),
        None if alike else float(state.get("forecast_size")),
        int(state.get("forecast_l")),
        float(state.get("forecast_c")),
        state.get("forecast_source") == "joint",
    )


def _asked() -> tuple[Any, ...]:
    asked = question()
    return (_source(), asked.joint, asked.others, asked.other_class_sizes, asked.l, asked.confidence)


def present() -> Forecast:
    """The forecast of the present release."""
    release, asked = runs.my_release().release, question()
    return runs.remembered(("forecast", *runs.release_key(), *_asked()), lambda: asked.of(release))


def _mine() -> tuple[Encoded, Policy, str]:
    mine = state.scenario().mine
    return runs.encoded(), mine.policy, mine.algorithm


def many_at_once() -> bool:
    """Whether all k are partitioned in one pass, so that trying many costs little."""
    _, policy, algorithm = _mine()
    return policy.only_k and algorithm == "mondrian"


def grid() -> tuple[int, ...]:
    """Values of k of the curve; fewer where each costs a partition of its own. The present k is one of them."""
    encoded, policy, _ = _mine()
    ks = GRID_K if many_at_once() else FEW_K
    return tuple(sorted({k for k in (*ks, policy.k) if k <= max(2, len(encoded) // 2)}))


def curve(progress: Progress | None = None) -> pd.DataFrame:
    """The forecast against k."""
    encoded, policy, algorithm = _mine()
    asked, ks = question(), grid()
    return runs.remembered(
        ("forecast curve", *_data(), replace(policy, k=2), algorithm, ks, *_asked()),
        lambda: forecast_curve(encoded, policy, ks, asked, algorithm, progress),
    )


def added(progress: Progress | None = None) -> pd.DataFrame:
    """What each quasi-identifier adds."""
    encoded, policy, algorithm = _mine()
    asked = question()
    return runs.remembered(
        ("forecast columns", *runs.release_key(), *_asked()),
        lambda: contributions(encoded, policy, asked, algorithm, progress),
    )


def measure() -> str:
    """The share that the limit is set for, in the chosen reading."""
    name: str = state.get("forecast_measure")
    subset = state.get("forecast_reading") == "every subset" and name != "pinned"
    return f"{name}_subset" if subset else name


def search(with_l: bool, progress: Progress | None = None) -> Search:
    """The smallest k, or (k, l), under the limit."""
    encoded, policy, algorithm = _mine()
    asked, limit, most = question(), float(state.get("forecast_limit")), state.most_k(len(encoded))
    key = ("forecast search", with_l, *_data(), replace(policy, k=2), algorithm, limit, measure(), most, *_asked())
    run = smallest_k_and_l if with_l else smallest_k
    return runs.remembered(
        key, lambda: run(encoded, policy, limit, measure(), asked, algorithm, most, progress=progress)
    )


def is_searched(with_l: bool) -> bool:
    """Whether the search is done already, so that showing it costs nothing."""
    encoded, policy, algorithm = _mine()
    limit, most = float(state.get("forecast_limit")), state.most_k(len(encoded))
    return runs.is_remembered(
        ("forecast search", with_l, *_data(), replace(policy, k=2), algorithm, limit, measure(), most, *_asked())
    )


@dataclass(frozen=True, eq=False)
class MergerRow:
    """What a merger comes to, without its release.

    Parameters
    ----------
    share, rounds, treated
        See :class:`core.forecast.Merger`; ``treated`` is their number.
    classes, risk, people, pinned, loss
        Afterwards; risk and people in the chosen reading.
    """

    share: float
    rounds: int
    treated: int
    classes: int
    risk: float
    people: float
    pinned: float
    loss: float


def merged(progress: Progress | None = None) -> tuple[list[MergerRow], pd.DataFrame]:
    """What merging more and more of the vulnerable classes brings, and the classes in the order of treatment."""
    release: Release = runs.my_release().release
    asked, reading = question(), str(state.get("forecast_reading"))

    def make() -> tuple[list[MergerRow], pd.DataFrame]:
        found = mergers(release, asked, reading, progress=progress)
        order = max((merger.treated for merger in found), key=len)
        return [_row(merger, reading) for merger in found], pd.DataFrame({"class_number": order})

    return runs.remembered(("forecast mergers", reading, *runs.release_key(), *_asked()), make)


def _row(merger: Merger, reading: str) -> MergerRow:
    found = merger.forecast
    return MergerRow(
        merger.share, merger.rounds, len(merger.treated), found.classes, found.risk(reading).value,
        found.people(reading).value, found.pinned_share, merger.loss,
    )  # fmt: skip


def judge_study() -> Study:
    """Two hospitals with my policy that share some people: what the forecast is judged against."""
    encoded, policy, algorithm = _mine()
    one = Hospital(policy, algorithm)
    overlap = max(1, min(int(state.get("overlap")), len(encoded) // 6))
    return Study((one, one), overlap)


def judged(progress: Progress | None = None) -> pd.DataFrame:
    """Estimated and real risk of simulated hospitals against k."""
    encoded, policy, _ = _mine()
    study, asked = judge_study(), question()
    room = len(encoded) // 4
    ks = tuple(sorted({k for k in (*TRIED_K, policy.k) if k <= max(2, room)}))
    seed = int(state.get("seed"))
    return runs.remembered(
        ("forecast judged", *_data(), study, ks, asked.l, asked.confidence, seed),
        lambda: beside_real(encoded, study, ks, asked.l, asked.confidence, 1, seed, progress),
    )


def calibrated(progress: Progress | None = None) -> pd.DataFrame:
    """The pinning estimate beside simulated hospitals, decile by decile."""
    encoded, study, seed = runs.encoded(), judge_study(), int(state.get("seed"))
    return runs.remembered(
        ("forecast calibration", *_data(), study, seed),
        lambda: calibration(encoded, study, 10, REDRAWS, seed, progress),
    )

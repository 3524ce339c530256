"""Results that this page alone asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.attack.calibration import Claims, adversaries, calibration_over
from core.base.arrays import Progress
from core.study import coverage
from core.study.run import run_study, seeds
from core.study.sweep import what_if
from core.study.uploads import Foreign, Upload
from pages.shared import results, session


def reached(upload: Upload, read: Foreign) -> dict[str, float]:
    """Share of my records that another publisher's file can speak of, by column."""
    return results.remembered(("reach", *results.data_key(), upload), lambda: coverage.reach(read, results.encoded()))


def curve_bound() -> int:
    """Most people that the hospitals of a curve against the overlap can share: own sizes stay as they are."""
    study = session.scenario().study
    modelled = [h.size for h in study.hospitals if h.size is not None and h.source != "simulated"]
    return min([results.shared_bound(), *modelled])


@dataclass(frozen=True, eq=False)
class Judged:
    """Both adversaries judged by the truth.

    Parameters
    ----------
    people
        Output of :func:`core.attack.calibration.adversaries` for one draw.
    calibration
        Output of :func:`core.attack.calibration.calibration_over` for "weights" and "sets".
    repeats
        Redraws behind the calibration.
    """

    people: pd.DataFrame
    calibration: dict[str, pd.DataFrame]
    repeats: int


def judged(progress: Progress | None = None) -> Judged:
    """Redraw the hospitals and compare what each adversary says with the truth."""
    scenario = session.scenario()

    def make() -> Judged:
        claims: dict[str, list[Claims]] = {"weights": [], "sets": []}
        made = results.fixed_mine(scenario, "releases", [2])
        for number, draw in enumerate(seeds(scenario.seed, scenario.repeats)):
            redrawn = run_study(results.encoded(), results.study(), draw, made=made)
            claims["weights"].append(Claims.weighted(redrawn.weighed()))
            claims["sets"].append(Claims.sets(redrawn.result))
            if progress is not None:
                progress((number + 1) / scenario.repeats)
        present = results.outcome()
        return Judged(
            adversaries(present.result, present.weighed()),
            {name: calibration_over(each) for name, each in claims.items()},
            scenario.repeats,
        )

    key = ("judged", *results.data_key(scenario), scenario.study, scenario.seed, scenario.repeats)
    return results.remembered(key, make)


def doubts(ranges: dict[str, Sequence[Any]], progress: Progress | None = None) -> pd.DataFrame:
    """Breach over the range of each assumption, on the redraws of the headline."""
    scenario = session.scenario()
    frozen = tuple((name, tuple(values)) for name, values in ranges.items())
    confidence, redraws = scenario.confidence, (scenario.repeats, scenario.seed)
    return results.remembered(
        ("doubts", *results.data_key(scenario), scenario.study, frozen, confidence, *redraws),
        lambda: what_if(results.encoded(), results.study(), ranges, confidence, *redraws, progress),
    )

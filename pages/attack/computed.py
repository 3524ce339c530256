"""Results that this page alone asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.base.arrays import Progress
from core.study import coverage
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


def doubts(ranges: dict[str, Sequence[Any]], progress: Progress | None = None) -> pd.DataFrame:
    """Breach over the range of each assumption, on the redraws of the headline."""
    scenario = session.scenario()
    frozen = tuple((name, tuple(values)) for name, values in ranges.items())
    confidence, redraws = scenario.confidence, (scenario.repeats, scenario.seed)
    return results.remembered(
        ("doubts", *results.data_key(scenario), scenario.study, frozen, confidence, *redraws),
        lambda: what_if(results.encoded(), results.study(), ranges, confidence, *redraws, progress),
    )

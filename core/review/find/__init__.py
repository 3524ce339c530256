"""Find the setting: the least loss of information among the settings that meet every limit.

What is exact and cheap comes first (loss, guarantees, forecast), for all settings; then
the attack, on few redraws of the hospitals for what is left and on all of them for what
may be chosen.

**What is in order and what is not.** A larger k is another partition, not a merger of the
smaller one's classes: of 75 steps from one k to the next (16 values of k from 2 to 100
under no l and l = 2, 3, 4, 6) Mondrian's classes were nested in 7, on Adult and on the
synthetic city alike. Even so, loss rose and exposure (mean of ten redraws) fell in each of
those steps. From one l to the next, at one k, loss fell in 1 of 64 steps on Adult (by
0.00004) and exposure rose in up to 10 of 64 (by at most 0.0009). Microaggregation's loss
fell in 5 of 75 steps of k on Adult. So nothing is left out because of an order in k or t,
and because of one in l only where ``screen`` says so; nor is microaggregation under l or t by
what its k alone costs. What does hold: the mean over all redraws is no less than what the first
of them add to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.arrays import Progress
from core.attack.number import exposures
from core.errors import ParameterError
from core.metrics import MET, METRICS, ON_AVERAGE
from core.review.assessment import Assessment, assess
from core.review.case import Case
from core.review.compare import efficient
from core.review.find.caveat_texts import caveats, held, measured
from core.review.find.grid import Grid, Setting, at, broken, follows, further, miss
from core.review.find.search import Choosing
from core.scenario.scenario import Scenario

MEASURED = {"k": "measured_k", "t": "measured_t"}
"""Columns of the measured numbers whose names are those of what was asked."""
ALWAYS = ("perfect", "perfect_right", "breach", "breach_right")
"""Numbers of an attack that are told of every setting that was attacked."""
SCREEN = 2
"""Redraws after which settings far above a limit are left."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """The setting that fails least where none meets every limit.

    Parameters
    ----------
    scenario, assessment
        The setting, and all its numbers.
    misses
        By metric, how far the number is on the bad side of its limit, in its own unit; none where
        every limit is met, but some on average only.
    """

    scenario: Scenario
    assessment: Assessment
    misses: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Search:
    """Outcome of looking for the setting.

    Parameters
    ----------
    tried
        One row a setting: ``algorithm, k, l, t`` (NaN where no l or t is asked); ``loss``, the
        numbers that have a limit (the measured k and t as ``measured_k`` and ``measured_t``), and
        ``perfect`` and ``breach`` with the part that is right (``perfect_right, breach_right``)
        where there was an attack, NaN where one was not needed;
        ``redraws`` behind the exposure; ``exact``, whether all numbers are those of
        :func:`core.review.assess`, else the exposure is an estimate from fewer redraws;
        ``verdict``, "met", "met on average only" or "not met" by these numbers (from fewer than
        all redraws no better than on average; "" where one that was not needed is absent);
        ``meets``, whether that is enough for this search; ``fails``, the limits broken,
        separated by ", "; ``efficient``, whether no other row has both less loss and less
        ``risk``; ``leads``, whether the row is the cheapest of its algorithm that meets every limit, by
        exact numbers (of slow algorithms only where that costs less than what the others need);
        ``why`` a setting cannot be had at all.
    best
        The least loss among the settings that meet every limit, by exact numbers and, unless
        ``on_average``, with their whole intervals; of equal ones the least k, then the first in
        the order of ``tried``. ``None`` where none does.
    assessment
        All numbers of ``best``.
    nearest
        Where there is no best: the least sum of misses, each share and distance as it is, other
        numbers over their limit; of those that miss nothing, because they meet every limit on
        average, the one that costs least. ``None`` where no setting can be had.
    risk
        The metric that is held against the loss in ``efficient``.
    assumptions
        What was taken for granted and left out, in sentences.
    on_average
        Whether a limit met on average only counted as met: asked for, or because fewer than ten
        redraws give no interval.
    """

    tried: pd.DataFrame
    best: Scenario | None
    assessment: Assessment | None
    nearest: Nearest | None
    risk: str
    assumptions: tuple[str, ...]
    on_average: bool = False


def find_setting(
    case: Case,
    grid: Grid | None = None,
    progress: Progress | None = None,
    *,
    alike: bool = True,
    screen: int | None = SCREEN,
    on_average: bool = False,
) -> Search:
    """Look for the setting of my release that costs least under all limits of a scenario.

    Parameters
    ----------
    case
        The present setting and its data; its ``requirements`` are the limits, its redraws the
        measure. Algorithms of others stay as they are.
    grid
        What is tried.
    progress
        Called with the share done, rising to 1; an exception it raises cancels the search.
    alike
        Whether simulated and modelled others follow my k, l and t; files are what they are.
    screen
        Redraws after which a setting far above a limit is left, with an estimate; then, too,
        microaggregation under rising l is left after two l that cost more than the best.
        ``None`` leaves nothing that is not certain to be no better.
    on_average
        Whether a limit that is met on average only counts as met; always so where there are too
        few redraws for an interval.

    Returns
    -------
    Search

    Raises
    ------
    ParameterError
        If no limit is set, one is set for a number that cannot be had, or nothing is to be tried.

    Notes
    -----
    Mondrian answers all k of one l and t in one pass. Adult, 30,162 records, 16 k by 5 l,
    two hospitals, ten redraws, at most 2 % perfect breach: 6 s of one processor with Mondrian
    alone, one minute with microaggregation, too. Microaggregation takes longer where nothing
    of Mondrian meets the limits, because then all of it is formed.
    """
    scenario = case.scenario
    if not scenario.requirements.asked:
        raise ParameterError("Set at least one limit; without any every setting will do.", parameter="requirements")
    if screen is not None and screen < 1:
        raise ParameterError("screen must be at least 1, or None.", parameter="screen")
    meter = _Meter(progress)
    run = Choosing(case, (grid or Grid()).settings(case.encoded, scenario), alike, screen, on_average)
    best = run.choose(lambda low, high: meter.stage(0.9 * low, 0.9 * high))
    nearest = run.fails_least(meter.stage(0.9, 0.95)) if best is None else None
    chosen = best or nearest
    cheapest = None
    if chosen is not None:
        known = run.screening.redraws(chosen) == scenario.repeats
        cheapest = assess(
            replace(case, scenario=at(scenario, chosen, alike)),
            meter.stage(0.95, 1.0),
            release=run.releases[chosen],
            exposure=run.screening.frame(chosen) if known else None,
        )
    search = _search(run, best is not None, cheapest)
    meter.stage(0.0, 1.0)(1.0)
    return search


class _Meter:
    """Progress that never falls, in stages."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress, self._high = progress, 0.0

    def stage(self, low: float, high: float) -> Progress:
        def tell(share: float) -> None:
            self._high = max(self._high, min(high, low + share * (high - low)))
            if self._progress is not None:
                self._progress(self._high)

        return tell


def _search(run: Choosing, met: bool, assessed: Assessment | None) -> Search:
    """Put together what was tried and what came out."""
    limits, scenario = run.limits, run.scenario
    risk = next((name for name in (*exposures(), "forecast") if name in limits), "perfect")
    tried = _table(run, risk)
    alike = run.alike and any(follows(hospital) for hospital in scenario.hospitals[1:])
    exposure = measured(scenario.hospitals[1:], run.drawn)
    sentences = caveats(tried, limits, scenario.repeats, len(run.spared), len(run.guessed), alike, exposure)
    sentences = (*sentences, *held(run.on_average, run.without, bool(run.exposed)))
    if met or assessed is None:
        best = None if assessed is None else assessed.scenario
        return Search(tried, best, assessed, None, risk, sentences, run.on_average)
    misses = {name: miss(name, assessed.numbers[name].value, limit) for name, limit in limits.items()}
    nearest = Nearest(assessed.scenario, assessed, {name: far for name, far in misses.items() if far > 0})
    return Search(tried, None, None, nearest, risk, sentences, run.on_average)


def _table(run: Choosing, risk: str) -> pd.DataFrame:
    attacked = any(run.screening.redraws(setting) for setting in run.asked)
    shown = [name for name in METRICS if name in run.limits or name == "loss" or (attacked and name in ALWAYS)]
    numbers = dict.fromkeys(("l", "t", *further()), float)
    tried = pd.DataFrame([_row(run, setting, shown) for setting in run.asked]).astype(numbers)
    if risk in tried:
        tried["efficient"] = efficient(tried["loss"].tolist(), tried[risk].tolist())
    return tried


def _row(run: Choosing, setting: Setting, shown: Sequence[str]) -> dict[str, object]:
    why = run.refused.get(setting) or run.screening.refused.get(setting, "")
    numbers, done = run.numbers(setting), run.screening.redraws(setting)
    fails = broken(numbers, run.limits)
    verdict = "" if why else run.verdict(setting)
    return {
        "algorithm": setting.algorithm,
        "k": setting.k,
        "l": setting.l,
        "t": setting.t,
        **dict(setting.more),
        **{MEASURED.get(name, name): numbers.get(name, np.nan) for name in shown},
        "redraws": done,
        "exact": done in (0, run.repeats),
        "verdict": verdict,
        "meets": verdict == MET or (verdict == ON_AVERAGE and (run.on_average or done < run.repeats)),
        "fails": ", ".join(fails),
        "efficient": False,
        "leads": run.leaders.get(setting.algorithm) == setting,
        "why": why,
    }

"""My own table of counts, and other settings of a table of counts, kept for one session."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pandas as pd

from core import Scenario
from core.base.arrays import Progress
from core.release.count_settings import CountSettings
from core.release.made_counts import MadeCounts, usual_settings
from core.study.hospitals import OWN
from core.study.own_counts import CountVariant, OwnCounts, own_counts, tried, variants
from core.study.redraws import Redraws
from pages.shared.compute import attack_results, data_results, work_queue
from pages.shared.compute.cache import cached, is_cached
from pages.shared.compute.release_results import my_release, release_key
from pages.shared.state import session


def usual() -> CountSettings:
    """Settings to start from, for the present columns."""
    return cached(("usual counts", *data_results.data_key()), lambda: usual_settings(data_results.encoded()))


def mine_with(settings: CountSettings, progress: Progress) -> OwnCounts:
    """My release together with my table of counts, for everyone in my table."""
    encoded, locate = data_results.encoded(), session.scenario().locate
    key = ("own counts", *release_key(), settings, locate)
    if not is_cached(key):
        work = partial(_own, encoded, my_release(progress).release, settings, locate)
        work_queue.in_workers([work], progress, lambda _, numbers: cached(key, lambda: numbers))
    return cached(key, lambda: own_counts(encoded, my_release().release, settings, locate))


def _own(*arguments: Any) -> OwnCounts:
    """In a worker, which passes a callback for its progress last."""
    return own_counts(*arguments[:-1])


def made(settings: CountSettings) -> MadeCounts:
    """The table itself."""
    return MadeCounts.of(data_results.encoded(), settings)


# ---- other settings ------------------------------------------------------------------------


def tables() -> dict[int, CountSettings]:
    """Settings of the tables of counts in the study, by the number of their hospital."""
    hospitals = enumerate(session.hospitals())
    return {number: hospital.counts for number, hospital in hospitals if hospital.counts is not None}


def variants_of(number: int) -> list[CountVariant]:
    """Settings to try for the table of counts of one hospital."""
    encoded = data_results.encoded()
    return cached(
        ("count variants", *data_results.data_key(), tables()[number]), lambda: variants(encoded, tables()[number])
    )


def tried_key(number: int, scenario: Scenario) -> tuple[Any, ...]:
    """Cache key of the settings that were tried for a hospital's table."""
    return ("counts tried", number, *attack_results.headline_key(scenario, scenario.repeats))


def is_tried(number: int) -> bool:
    """Whether other settings of a hospital's table were tried in the present setting."""
    return is_cached(tried_key(number, session.scenario()))


def try_settings(number: int, progress: Progress | None = None) -> pd.DataFrame:
    """Exposure and error of counts of each setting: ``words, settings, error`` and the columns of a curve.

    All draws of the scenario are made for each, in the workers. ``without`` is the share exposed without this table,
    NaN if only my release would be left.
    """
    scenario = session.scenario()

    def make() -> pd.DataFrame:
        each, study = variants_of(number), attack_results.study(scenario)
        encoded = data_results.encoded()
        study.prepare(encoded)
        draws = Redraws(scenario.repeats, scenario.seed, confidences=(scenario.confidence,))
        mine = attack_results.fixed_mine(scenario, "releases", [len(scenario.hospitals)])
        every: list[CountSettings | None] = [variant.settings for variant in each]
        every += [None] * (len(scenario.hospitals) > 2)
        work = [partial(tried, encoded, study, number, settings, draws, mine) for settings in every]
        rows = work_queue.in_workers(work, progress)
        without = rows.pop()["share"].iloc[0] if every[-1] is None else math.nan
        frame = pd.concat(rows, ignore_index=True).assign(without=without)
        chosen: list[Any] = [variant.settings for variant in each]
        return frame.assign(words=[variant.words for variant in each], settings=chosen)

    return cached(tried_key(number, scenario), make)


def adopt(number: int, settings: CountSettings) -> None:
    """Use other settings for the table of counts of a hospital."""
    if session.hospitals()[number].origin == OWN:
        session.put("my_counts", settings)
    else:
        session.set_own(number, "counts", settings)

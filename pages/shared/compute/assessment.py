"""Results of core for the page Decide, cached like every other result of the session."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from core import Scenario
from core.base.arrays import Progress
from core.decision import review as decided
from core.decision.review import Assessment, Case, Judgement
from core.decision.scenario.questions import Plausible
from core.decision.scenario.requirements import Requirements
from pages.shared.compute import attack_results, cache, data_results, release_results, work_queue
from pages.shared.state import session


def key_of(scenario: Scenario) -> tuple[Any, ...]:
    """Cache key of a scenario's numbers; limits, plausible ranges and the name of the data are not part of it."""
    return (scenario.with_(requirements=Requirements(), plausible=Plausible(), data_name="").to_json(),)


def same_data(scenario: Scenario) -> bool:
    """Whether a scenario is of the session's table, whatever the roles of its columns."""
    return scenario.data_id == session.workspace().content_id


def case(scenario: Scenario) -> Case:
    """A scenario applied to the session's table, with its files."""
    return Case(data_results.encoded_as(scenario.schema), scenario, attack_results.files(scenario))


def assessed(scenario: Scenario | None = None, progress: Progress | None = None) -> Assessment:
    """Every number of the present scenario, or of another one on the same table.

    Release and exposure are those of the other pages, so nothing is computed twice.
    """
    scenario = session.scenario() if scenario is None else scenario

    def make() -> Assessment:
        release = release_results.my_release(scenario=scenario).release
        exposure = attack_results.headline(progress, scenario=scenario)
        return decided.assess(case(scenario), release=release, exposure=exposure)

    result = cache.cached(("assessment", *key_of(scenario)), make)
    return replace(result, scenario=scenario)


def is_assessed(scenario: Scenario) -> bool:
    """Whether an assessment exists already."""
    return cache.is_cached(("assessment", *key_of(scenario)))


def doubts(progress: Progress | None = None) -> pd.DataFrame:
    """Exposure at the present setting over the range of each assumption, those not tried yet in worker processes."""
    scenario, values = session.scenario(), _values()
    missing = [name for name in values if not cache.is_cached(_doubts_key(scenario, name, values))]

    def keep(number: int, frame: pd.DataFrame) -> None:
        cache.cached(_doubts_key(scenario, missing[number], values), lambda: frame)

    at = case(scenario)
    work_queue.in_workers([partial(decided.doubts, at, {name: values[name]}) for name in missing], progress, keep)
    return known_doubts()


def known_doubts() -> pd.DataFrame:
    """The cases tried so far; no rows at first."""
    scenario, values = session.scenario(), _values()
    keys = [_doubts_key(scenario, name, values) for name in values]
    frames = [cache.cached(key, pd.DataFrame) for key in keys if cache.is_cached(key)]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def untried() -> int:
    """How many assumptions are still to be tried at the present setting."""
    scenario, values = session.scenario(), _values()
    return sum(not cache.is_cached(_doubts_key(scenario, name, values)) for name in values)


def _values() -> dict[str, list[Any]]:
    scenario = session.scenario()
    return decided.tried_values(attack_results.study(), session.people(), decided.plausible_ranges(scenario))


def _doubts_key(scenario: Scenario, name: str, values: dict[str, list[Any]]) -> tuple[Any, ...]:
    fixed = (scenario.confidence, scenario.repeats, name, *values[name])
    return ("doubts of a verdict", *data_results.data_key(scenario), scenario.study, scenario.seed, *fixed)


def verdict(assessment: Assessment) -> Judgement:
    """Compare limits with numbers, and with those of every case that was tried."""
    return decided.judge(assessment, known_doubts())

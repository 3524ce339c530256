"""Results of core for the page Decide, cached like every other result of the session."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from core import Scenario
from core.base.arrays import Progress
from core.decision import review as decided
from core.decision.review import Assessment, Case, Judgement
from core.decision.scenario.requirements import Requirements
from pages.shared.compute import attack_results, cache, data_results, release_results
from pages.shared.state import session


def key_of(scenario: Scenario) -> tuple[Any, ...]:
    """Cache key of a scenario's numbers; limits and the name of the data are not part of it."""
    return (scenario.with_(requirements=Requirements(), data_name="").to_json(),)


def same_data(scenario: Scenario) -> bool:
    """Whether a scenario is of the session's table, whatever the roles of its columns."""
    return scenario.data_id == session.workspace().content_id


def case(scenario: Scenario) -> Case:
    """A scenario on the session's table, with its files."""
    return Case(data_results.encoded_as(scenario.schema), scenario, attack_results.files(scenario))


def assessed(scenario: Scenario | None = None, progress: Progress | None = None) -> Assessment:
    """Every number of the present scenario, or of another one on the same table.

    Release and exposure are those of the other pages, so what was seen there is not done again.
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
    """Exposure at the present setting over the range of each assumption."""
    scenario = session.scenario()
    return cache.cached(_doubts_key(scenario), lambda: decided.doubts(case(scenario), progress=progress))


def known_doubts() -> pd.DataFrame | None:
    """The same if it was run for the present setting."""
    key = _doubts_key(session.scenario())
    return doubts() if cache.is_cached(key) else None


def _doubts_key(scenario: Scenario) -> tuple[Any, ...]:
    fixed = (scenario.confidence, scenario.repeats)
    return ("doubts of a verdict", *data_results.data_key(scenario), scenario.study, scenario.seed, *fixed)


def verdict(assessment: Assessment) -> Judgement:
    """Compare limits with numbers, and with those under other assumptions if tried."""
    return decided.judge(assessment, known_doubts())

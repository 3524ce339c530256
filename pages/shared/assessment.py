"""What the Review page asks of core, kept like every other result of the session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd

from core import Marginals, Scenario
from core import review as decided
from core.requirements import Requirements
from core.review import Assessment, Judgement
from pages._ui import population, runs, state

Progress = Callable[[float], None]


def key_of(scenario: Scenario) -> tuple[Any, ...]:
    """What the numbers of a scenario depend on: limits and the name of the data take no part."""
    given, asked = population.file(), scenario.forecast
    there = asked.source == "file" and given is not None and given.digest == asked.file_id
    return (scenario.with_(requirements=Requirements(), data_name="").to_json(), there)


def same_data(scenario: Scenario) -> bool:
    """Whether a scenario is of the session's table, whatever the roles of its columns."""
    return scenario.data_id == state.workspace().table.content_id


def same_ground(scenario: Scenario) -> bool:
    """Whether a scenario is of the session's table with the present roles and kinds."""
    return same_data(scenario) and scenario.schema == state.workspace().schema


def marginals(scenario: Scenario) -> Marginals | None:
    """Population statistics of the file that a scenario names, where it is loaded; raises InputError."""
    given = population.file()
    if scenario.forecast.source != "file" or given is None or given.digest != scenario.forecast.file_id:
        return None
    encoded, content = runs.encoded_as(scenario.schema), given.content
    key = ("marginals", given.digest, *runs.data_key(scenario))
    return runs.remembered(key, lambda: Marginals.read(content, encoded))


def assessed(scenario: Scenario | None = None, progress: Progress | None = None) -> Assessment:
    """Every number of the present scenario, or of another one on the same table.

    Release and exposure are those of the other pages, so what was seen there is not done again.
    """
    scenario = state.scenario() if scenario is None else scenario

    def make() -> Assessment:
        release = runs.my_release(scenario=scenario).release
        exposure = runs.headline(progress, scenario=scenario)
        encoded, files = runs.encoded_as(scenario.schema), runs.files(scenario)
        return decided.assess(encoded, scenario, files, marginals(scenario), release=release, exposure=exposure)

    found = runs.remembered(("assessment", *key_of(scenario)), make)
    return replace(found, scenario=scenario)


def is_assessed(scenario: Scenario) -> bool:
    """Whether an assessment is there already."""
    return runs.is_remembered(("assessment", *key_of(scenario)))


def doubts(progress: Progress | None = None) -> pd.DataFrame:
    """Exposure at the present setting over the range of each assumption."""
    scenario = state.scenario()
    return runs.remembered(
        _doubts_key(scenario),
        lambda: decided.doubts(runs.encoded(), scenario, runs.files(), progress=progress),
    )


def known_doubts() -> pd.DataFrame | None:
    """The same where it was run for the present setting."""
    key = _doubts_key(state.scenario())
    return doubts() if runs.is_remembered(key) else None


def _doubts_key(scenario: Scenario) -> tuple[Any, ...]:
    asked = (scenario.confidence, scenario.category_level)
    return ("doubts of a verdict", *runs.data_key(scenario), scenario.study, scenario.seed, *asked)


def verdict(found: Assessment) -> Judgement:
    """Limits against numbers, and over what may be wrong where that was tried."""
    return decided.judge(found, known_doubts())

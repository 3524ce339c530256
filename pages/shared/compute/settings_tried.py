"""Settings of my release over k: the loss of each, and its exposure on the draws of the scenario."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from core import Policy, Scenario
from core.base.arrays import Progress
from core.base.errors import PolicyError
from core.base.wording import count
from core.privacy.parameters import sign
from core.release.algorithm import ALGORITHMS
from core.release.utility import gcp
from core.study.hospitals import Hospital
from core.study.remedies import stricter
from pages.shared.compute import attack_results, cache, data_results
from pages.shared.state import algorithm_choice, session

LS = (3, 5)
"""Additional requirements of distinct values per class."""


def lines() -> dict[str, Scenario]:
    """Scenarios that are tried, by the words of their line; the present one first."""
    scenario = session.scenario()
    names = algorithm_choice.compared(data_results.encoded(), scenario.mine.algorithm)
    others = [_formed_by(scenario, name) for name in names if ALGORITHMS[name].providers != "needed"]
    asked_for = scenario.mine.policy.l or 1
    by_l = [_asking(scenario, least) for least in LS if asked_for < least <= _most_l()]
    return {line_words(line.mine): line for line in (scenario, *by_l, *others)}


def line_words(mine: Hospital) -> str:
    """Algorithm and requirements of a line, in addition to k."""
    return ", ".join([ALGORITHMS[mine.algorithm].short, *_signs(mine.policy)[1:]])


def setting_words(mine: Hospital, k: int) -> str:
    """One setting of a line: "k = 8, l = 3, least loss"."""
    short = ALGORITHMS[mine.algorithm].short
    return ", ".join([f"k = {count(k)}", *_signs(mine.policy)[1:], f"{short[:1].lower()}{short[1:]}"])


def _signs(policy: Policy) -> list[str]:
    return [sign(model, policy.values) for model in policy.models]


def _formed_by(scenario: Scenario, algorithm: str) -> Scenario:
    mine, *others = scenario.hospitals
    return scenario.with_(hospitals=(replace(mine, algorithm=algorithm), *others))


def _asking(scenario: Scenario, least: int) -> Scenario:
    """Distinct l asked of my release, and of the others if they ask what I ask."""
    changed = stricter(scenario.study, l=least, diversity="distinct", c=None).hospitals
    return scenario.with_(hospitals=changed if session.get("their_models") else (changed[0], *scenario.hospitals[1:]))


def _most_l() -> int:
    """The largest l to ask of all hospitals: half of the table's values and one more.

    With more, hardly a class could do without any value, and a hospital whose people lack one could not publish.
    """
    encoded = data_results.encoded()
    return max(2, min(30, encoded.known_values // 2 + 1))


def varied() -> str:
    """Hospitals whose k is varied: all, if all have the same."""
    return "k" if session.get("linked") else "my k"


def is_known(line: Scenario, repeats: int) -> bool:
    """Whether a line is computed from ``repeats`` redraws."""
    return cache.is_cached(_key(line, repeats, line.confidence))


def worked_out(
    line: Scenario, repeats: int, progress: Progress | None = None, confidence: float | None = None
) -> pd.DataFrame:
    """The settings of a line: ``setting, k, loss`` and the columns of a curve at one confidence.

    None if a k cannot be met; the confidence is that of the scenario unless it is given.
    """
    level = line.confidence if confidence is None else confidence
    vary, ks = varied(), attack_results.k_points(varied())

    def make() -> pd.DataFrame:
        try:
            frame = attack_results.curve(vary, ks, repeats, progress, line)
            made = attack_results.mine_at(line, vary, ks)
        except PolicyError:
            return pd.DataFrame()
        frame = frame[frame["confidence"] == level].set_index("value").loc[ks].reset_index(drop=True)
        settings = [setting_words(line.mine, k) for k in ks]
        return frame.assign(setting=settings, k=ks, loss=[gcp(release) for release in made])

    return cache.cached(_key(line, repeats, level), make)


def best_known(line: Scenario) -> pd.DataFrame:
    """The settings of a line from as many redraws as it has; none before its first draw."""
    return next((worked_out(line, repeats) for repeats in (line.repeats, 1) if is_known(line, repeats)), pd.DataFrame())


def _key(line: Scenario, repeats: int, confidence: float) -> tuple[Any, ...]:
    key = attack_results.curve_key(varied(), attack_results.k_points(varied()), repeats, line)
    return ("settings tried", confidence, *key)

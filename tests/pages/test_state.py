"""The session's choices as a scenario and back: nothing of it is lost, and what does not matter to a run moves none."""

from __future__ import annotations

from typing import Any

import pytest

from core import Policy, Scenario
from core.decision.scenario.file import bounds
from core.decision.scenario.questions import AskedForecast, AskedNoise
from core.decision.scenario.requirements import Requirements
from core.study.hospitals import Hospital
from pages.attack import forecast as forecast_runs
from pages.noise import numbers as noise_runs
from pages.shared import results, session
from pages.shared.choices import CHOICES
from tests.pages.drive import Session
from tests.tables import small_table

TABLE, SCHEMA = small_table()


def scenario(**changes: Any) -> Scenario:
    return session.scenario().with_(**changes)


MINE = Hospital(Policy(4, l=2))
CHANGES: dict[str, dict[str, Any]] = {
    "forecast": {"forecast": AskedForecast(3, 0.8, "every subset", 700, "joint")},
    "noise": {"noise": AskedNoise(0.3, 1e-9, "gaussian")},
    "requirements": {"requirements": Requirements(k=5, perfect=0.05)},
    "size": {"size": 150},
    "their own l": {"hospitals": (MINE, Hospital(Policy(4, l=2)), Hospital(Policy(9, l=3, diversity="entropy")))},
    "their own t": {"hospitals": (MINE, Hospital(Policy(4)), Hospital(Policy(4, t=0.5)))},
    "their own distance": {"hospitals": (MINE, Hospital(Policy(6, l=2, t=0.5, distance="ordered")))},
}


@pytest.mark.parametrize("case", list(CHANGES))
def test_every_field_of_a_scenario_can_be_set_again(started: Session, case: str) -> None:
    wanted = scenario(**CHANGES[case])
    assert session.scenario() != wanted
    session.adopt(wanted)
    assert session.scenario() == wanted
    assert Scenario.from_json(session.scenario().to_json()) == wanted


def test_the_toggle_of_all_others_ends_what_one_has_alone(started: Session) -> None:
    session.adopt(scenario(**CHANGES["their own l"]))
    session.put("their_models", True)
    assert session.scenario().hospitals[2].policy == Policy(9, l=2)


def test_a_loaded_table_ends_the_size_of_a_scenario(started: Session) -> None:
    session.adopt(scenario(size=100))
    session.put("overlap", 120)
    assert session.scenario().size == 120, "never less than the people shared"
    session.load(TABLE, SCHEMA, "again")
    assert session.scenario().size is None


def test_what_is_asked_beside_the_attack_costs_no_run(started: Session) -> None:
    def keys() -> set[Any]:
        results.headline(repeats=1)
        results.my_release()
        forecast_runs.present()
        return set(started[session.RESULTS])

    before = keys()
    session.adopt(scenario(noise=AskedNoise(0.2), requirements=Requirements(k=7)))
    assert noise_runs.mechanism().epsilon == 0.2
    assert {key[1] for key in keys() - before} == {"noise mechanism"}


FIELDS = {
    "my_k": "k",
    "their_k": "k",
    "my_m": "m",
    "l": "l",
    "c": "c",
    "t": "t",
    "overlap": "overlap",
    "agreement": "agreement",
    "confidence": "confidence",
    "seed": "seed",
    "repeats": "repeats",
    "forecast_l": "forecast.l",
    "forecast_c": "forecast.confidence",
    "forecast_others": "forecast.others",
}


@pytest.mark.parametrize("choice", list(FIELDS))
def test_a_control_offers_nothing_that_a_scenario_file_may_not_hold(choice: str) -> None:
    """And the other way round where a control offers all: what a file holds is not moved by the page that shows it."""
    bound, control = bounds()[FIELDS[choice]], CHOICES[choice]
    assert bound.low <= control.low <= control.high <= bound.high
    if choice in ("agreement", "confidence", "seed", "repeats", "forecast_c"):
        assert (control.low, control.high) == (bound.low, bound.high)

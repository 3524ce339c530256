"""The session's choices as a scenario and back: nothing of it is lost, and what does not matter to a run moves none."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Hospital, Policy, Scenario, Schema, Table
from core.asked import AskedForecast, AskedNoise
from core.requirements import Requirements
from pages._ui import forecast_runs, noise_runs, population, runs, state
from tests.pages.test_attack import small_table
from tests.pages.test_hospitals import Session
from tests.source import ROOT

TABLE, SCHEMA = small_table()
FILE = population.File("town.csv", b"column,value,share\nsex,f,0.4\nsex,m,0.6\n")


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    fake = Session()
    monkeypatch.setattr(state.st, "session_state", fake)
    start(fake)
    return fake


def start(session: Session) -> None:
    session.clear()
    session["workspace"] = state.Workspace(TABLE, SCHEMA, "a table", example=False)
    state.fit_choices(len(TABLE))


def loaded(table: Table, schema: Schema, page: str) -> AppTest:
    """A page with a table of its own from the start."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["workspace"] = state.Workspace(table, schema, "a table", example=False)
    for name, value in (("overlap", 60), ("my_k", 4), ("their_k", 4)):
        app.session_state[f"choice:{name}"] = value
    return app.switch_page(page).run()


def scenario(**changes: Any) -> Scenario:
    return state.scenario().with_(**changes)


MINE = Hospital(Policy(4, l=2))
CHANGES: dict[str, dict[str, Any]] = {
    "forecast": {"forecast": AskedForecast(3, 0.8, "every subset", 700, 7.5, "joint")},
    "forecast file": {"forecast": AskedForecast(source="file", file_id=FILE.digest)},
    "noise": {"noise": AskedNoise(0.3, 1e-9, "gaussian")},
    "requirements": {"requirements": Requirements(k=5, perfect=0.05)},
    "size": {"size": 150},
    "their own l": {"hospitals": (MINE, Hospital(Policy(4, l=2)), Hospital(Policy(9, l=3, diversity="entropy")))},
    "their own t": {"hospitals": (MINE, Hospital(Policy(4)), Hospital(Policy(4, t=0.5)))},
    "their own distance": {"hospitals": (MINE, Hospital(Policy(6, l=2, t=0.5, distance="ordered")))},
}


@pytest.mark.parametrize("case", list(CHANGES))
def test_every_field_of_a_scenario_can_be_set_again(session: Session, case: str) -> None:
    population.keep(FILE.name, FILE.content)
    wanted = scenario(**CHANGES[case])
    assert state.scenario() != wanted
    state.adopt(wanted)
    assert state.scenario() == wanted
    assert Scenario.from_json(state.scenario().to_json()) == wanted


def test_the_toggle_of_all_others_ends_what_one_has_alone(session: Session) -> None:
    state.adopt(scenario(**CHANGES["their own l"]))
    state.put("their_models", True)
    assert state.scenario().hospitals[2].policy == Policy(9, l=2)


def test_statistics_of_a_file_that_is_not_there_are_those_of_the_table(session: Session) -> None:
    state.put("forecast_source", "file")
    assert state.scenario().forecast.source == "table"
    population.keep(FILE.name, FILE.content)
    assert state.scenario().forecast.file_id == FILE.digest


def test_a_loaded_table_ends_the_size_of_a_scenario(session: Session) -> None:
    state.adopt(scenario(size=100))
    state.put("overlap", 120)
    assert state.scenario().size == 120, "never less than the people shared"
    state.load(TABLE, SCHEMA, "again")
    assert state.scenario().size is None


def test_what_is_asked_beside_the_attack_costs_no_run(session: Session) -> None:
    def keys() -> list[Any]:
        runs.headline(repeats=1)
        runs.my_release()
        forecast_runs.present()
        return list(session[state.RESULTS])

    before = keys()
    state.adopt(scenario(noise=AskedNoise(0.2), requirements=Requirements(k=7)))
    assert noise_runs.mechanism().epsilon == 0.2
    assert [key for key in keys() if key not in before] == [key for key in keys() if key[1] == "noise mechanism"]

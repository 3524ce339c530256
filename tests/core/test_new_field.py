"""A field of the scenario is one declaration: a toy is seen in files, old and new, bounds, command line and report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import Policy, Scenario, report
from core.base.errors import ScenarioError
from core.cli.program import main
from core.data.encoding import encode
from core.decision.review import Case
from core.decision.scenario.field import FIELDS, bounds, schema_version
from core.study.hospitals import Hospital
from tests.tables import clinics_table
from tests.toys import add_horizon
from tests.toys.horizon import FIELD


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    add_horizon(monkeypatch)


def asked(**changes: object) -> Scenario:
    hospital = Hospital(Policy(4))
    scenario = Scenario(clinics_table()[1], (hospital, hospital), overlap=60, repeats=2)
    return scenario.with_(**changes)


def test_without_the_toy_nobody_knows_the_field() -> None:
    assert schema_version() == FIELD.since - 1
    with pytest.raises(ScenarioError, match="no further field 'horizon'"):
        asked(horizon=5)
    data = json.loads(asked().to_json()) | {"horizon": 5}
    with pytest.raises(ScenarioError, match="unknown field 'horizon'"):
        Scenario.from_json(json.dumps(data))


def test_the_scenario_keeps_it_and_goes_to_json_and_back(toy: None) -> None:
    one = asked(horizon=5)
    assert one.values["horizon"] == 5
    assert one != asked()
    assert one.with_(overlap=50).values["horizon"] == 5
    assert asked(horizon=1) == asked(), "its default is nothing chosen"
    data = json.loads(one.to_json())
    assert (data["horizon"], data["schema_version"]) == (5, FIELD.since)
    assert Scenario.from_json(one.to_json()) == one
    assert Scenario.from_json(one.to_json()).to_json() == one.to_json()


def test_an_old_file_means_what_it_meant(toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        before.delitem(FIELDS, "horizon")
        old = asked().to_json()
    assert "horizon" not in json.loads(old)
    assert Scenario.from_json(old).values["horizon"] == FIELD.before
    assert Scenario.from_json(old).with_(horizon=1) == asked()


def test_it_has_bounds_and_a_type(toy: None) -> None:
    assert bounds()["horizon"] == FIELD.bound
    for value in (0, 31, 2.5):
        with pytest.raises(ScenarioError, match="horizon must be a whole number from 1 to 30") as caught:
            asked(horizon=value)
        assert caught.value.parameter == "horizon"
    data = json.loads(asked().to_json())
    for bad in ("five", True, None, 2.5):
        with pytest.raises(ScenarioError, match="'horizon' of the scenario has the wrong type"):
            Scenario.from_json(json.dumps({**data, "horizon": bad}))
    del data["horizon"]
    with pytest.raises(ScenarioError, match="lacks the field 'horizon'"):
        Scenario.from_json(json.dumps(data))


def test_the_report_says_it(toy: None) -> None:
    document = report.build(Case(encode(*clinics_table()), asked(horizon=5)))
    lines = {row["name"]: row["value"] for row in json.loads(document.to_json())["settings"]}
    assert lines["Years looked ahead"] == "5 years"
    assert "Years looked ahead" in document.to_html()


def test_the_command_line_asks_for_it(toy: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people, _ = clinics_table()
    data, saved = tmp_path / "people.csv", tmp_path / "scenario.json"
    people.to_frame().to_csv(data, index=False)
    given = ["--data", str(data), "--qids", "age,zip", "--sensitive", "disease", "--drop-others", "-k", "4"]
    assert main(["measure", *given, "--horizon", "7", "--save-scenario", str(saved)]) == 0
    assert Scenario.from_json(saved.read_text()).values["horizon"] == 7
    assert main(["measure", *given, "--horizon", "31"]) == 2
    assert "horizon must be a whole number from 1 to 30" in capsys.readouterr().err
    assert main(["measure", "--help"]) == 0
    assert "years that are looked ahead" in " ".join(capsys.readouterr().out.split())

"""A number of the attack is one declaration: a toy is seen in sweeps, limits, verdicts, command line and report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import Policy, Scenario, breach_curve, report
from core.attack.number import exposures
from core.base.errors import ParameterError
from core.base.metrics import METRICS, requirable
from core.cli.program import main
from core.data.encoding.encoded import encode
from core.decision.review import Case, assess, doubts, judge
from core.decision.scenario.requirements import Requirements
from core.study.hospitals import Hospital
from tests.gate import gate
from tests.tables import clinics_table
from tests.toys import add_few_left


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    add_few_left(monkeypatch)


def scenario(**limits: float) -> Scenario:
    hospitals = (Hospital(Policy(4)), Hospital(Policy(4), same_value_rate=0.7))
    return Scenario(
        clinics_table()[1], hospitals, overlap=60, repeats=10, confidence=0.5, requirements=Requirements(**limits)
    )


def test_numbers_of_the_attack_stand_with_the_others_in_the_order_of_their_groups() -> None:
    groups = list(dict.fromkeys(metric.group for metric in METRICS.values()))
    assert groups == ["guarantee", "exposure", "anticipated", "cost"]
    assert list(exposures()) == [name for name, metric in METRICS.items() if metric.group == "exposure"]


def test_without_the_toy_no_limit_can_be_set_for_it() -> None:
    assert "few" not in requirable()
    with pytest.raises(ParameterError, match="'few' is not a number with a limit; these are: k, ") as caught:
        Requirements(few=0.1)
    assert caught.value.parameter == "few"


def test_a_curve_has_it_once_with_its_interval_and_baseline(toy: None) -> None:
    people, schema = clinics_table()
    frame = breach_curve(people, schema, Policy(4), "k", [4, 8], overlap=60, repeats=10, confidences=(1.0, 0.5))
    few = frame[frame["number"] == "few"]
    assert few["k"].tolist() == [4, 8]
    assert few["confidence"].isna().all()
    exposed = frame[(frame["number"] == "breach") & (frame["confidence"] == 0.5)]
    numbers = ["share", "low", "single"]
    assert few[numbers].to_numpy().tolist() == exposed[numbers].to_numpy().tolist()


def test_an_assessment_has_it_as_the_number_that_it_repeats(toy: None) -> None:
    """Two values left, or one, is what a confidence of 50% asks for."""
    numbers = assess(Case(encode(*clinics_table()), scenario()), groups=("exposure",)).numbers
    few, breach = numbers["few"], numbers["breach"]
    assert few.value > 0
    assert (few.value, few.low, few.high) == (breach.value, breach.low, breach.high)
    assert (few.wrong, few.single, few.of, few.redraws) == (breach.wrong, breach.single, breach.of, 10)


def test_a_limit_on_it_is_judged_doubted_and_kept_in_the_file(toy: None) -> None:
    asked, encoded = scenario(few=0.99), encode(*clinics_table())
    assert Scenario.from_json(asked.to_json()) == asked
    assert json.loads(asked.to_json())["requirements"] == {"few": 0.99}
    found = assess(Case(encoded, asked), groups=("exposure",))
    check = judge(found, doubts(Case(encoded, asked), {"overlap": [40, 60]})).checks[0]
    assert (check.metric, check.met) == ("few", True)
    assert {case.assumption for case in check.cases} <= {"overlap"}
    assert check.cases
    assert judge(assess(Case(encoded, scenario(few=0.0)), groups=("exposure",))).verdict == "not met"


def test_the_report_says_it(toy: None) -> None:
    encoded, asked = encode(*clinics_table()), scenario(few=0.9).with_(repeats=2)
    document = report.build(Case(encoded, asked))
    said = json.loads(document.to_json())
    number = next(one for one in said["numbers"] if one["metric"] == "few")
    assert next(one for one in said["requirements"] if one["metric"] == "few")["limit"] == 0.9
    points = next(one for one in said["figures"] if one["name"] == "by_confidence")["rows"]
    assert all(point["few"] == pytest.approx(number["value"]) for point in points)
    assert "Two values left, or one (toy)" in document.to_html()


def test_the_command_line_has_it_as_a_gate(toy: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = gate(tmp_path, "attack", *clinics_table(), "-k", "4", "--overlap", "60", "--repeats", "3")
    assert main([*given, "--limit", "few=0.001"]) == 1
    out = capsys.readouterr().out
    assert "not met" in next(line for line in out.splitlines() if line.startswith("Two values left, or one (toy)"))
    assert main([*given, "--limit", "few=1", "--on-average", "--json"]) == 0
    assert "few" in json.loads(capsys.readouterr().out)["numbers"]

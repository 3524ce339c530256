"""A privacy model is one declaration and one entry of measure: a toy is seen wherever the others are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import Policy, Scenario, anonymize, breach_curve, measure
from core.base.errors import InfeasibleError, ParameterError, PolicyError, ScenarioError
from core.cli.program import main
from core.data.encoding.encoded import encode
from core.decision.review import Case, assess
from core.privacy.model import MODELS
from core.release.algorithm import ALGORITHMS, for_one_publisher
from core.report.assumption import policy_text, sources
from core.study.hospitals import Hospital
from core.study.vary import variable
from delivery.schemas import schemas
from tests.gate import gate
from tests.tables import clinics_table
from tests.toys import add_dominance
from tests.toys.dominance import MODEL


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    add_dominance(monkeypatch)


def scenario(policy: Policy, **more: Any) -> Scenario:
    return Scenario(clinics_table()[1], (Hospital(policy), Hospital(policy)), overlap=60, repeats=2, **more)


def most_common(labels: np.ndarray, secret: np.ndarray) -> list[float]:
    """Share of the most common value of each class, one class at a time."""
    return [np.bincount(secret[labels == one]).max() / np.count_nonzero(labels == one) for one in np.unique(labels)]


# ---- the policy ----------------------------------------------------------------------------


def test_the_policy_takes_its_parameter_and_keeps_it() -> None:
    policy = Policy(5, l=2, p=0.6)
    assert policy == Policy.of({"k": 5, "l": 2, "p": 0.6}) == Policy(5, l=2).with_(p=0.6) != Policy(5, l=2)
    assert (policy.values["p"], policy.only_k) == (0.6, False)
    assert Policy(5, more={"p": None}) == Policy(5)
    for bad in (-0.1, 1.1, "x", True):
        with pytest.raises(PolicyError) as caught:
            Policy(5, more={"p": bad})
        assert caught.value.parameter == "p"


def test_without_the_toy_nobody_knows_its_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(MODELS, "p")
    with pytest.raises(PolicyError, match="has no parameter"):
        Policy(5, more={"p": 0.6})


# ---- releases --------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [*for_one_publisher(), "provider-aware"])
def test_every_algorithm_keeps_it_or_says_that_it_cannot(algorithm: str) -> None:
    people, schema = clinics_table()
    if ALGORITHMS[algorithm].providers == "needed":
        with pytest.raises(PolicyError, match="m-privacy can be promised"):
            anonymize(people, schema, Policy(4, m=1, more={"p": 0.6}), algorithm)
        return
    release = anonymize(people, schema, Policy(4, more={"p": 0.6}), algorithm)
    assert len(release.sizes) > 1
    assert max(most_common(release.classes.labels, release.encoded.sensitive_codes)) <= 0.6 + 1e-9
    assert (
        max(
            most_common(anonymize(people, schema, Policy(4), algorithm).classes.labels, release.encoded.sensitive_codes)
        )
        > 0.6
    )


def test_what_the_whole_table_does_not_meet_is_refused_in_a_sentence() -> None:
    with pytest.raises(InfeasibleError, match=r"^p = 0\.3 is less than the whole table has \(0\.\d+\); p can be at le"):
        anonymize(*clinics_table(), Policy(4, more={"p": 0.3}))


def test_it_is_measured_beside_what_is_declared() -> None:
    people, schema = clinics_table()
    release = anonymize(people, schema, Policy(4, more={"p": 0.6}))
    found = measure(release.publish(seed=0), schema)
    shares = most_common(release.classes.labels, release.encoded.sensitive_codes)
    assert found.numbers["p"] == pytest.approx(max(shares))
    assert found.numbers["p"] == MODEL.measure({}, release.histogram, release.encoded.sensitive)["p"].max()


# ---- scenario, report, review -----------------------------------------------------------------


def test_the_scenario_goes_to_json_and_back() -> None:
    asked = scenario(Policy(5, t=0.5, more={"p": 0.6}))
    assert Scenario.from_json(asked.to_json()) == asked
    with pytest.raises(ScenarioError, match=r"Hospital 1 .* p must be a number"):
        Scenario.from_json(asked.to_json().replace("0.6", '"much"'))


def test_the_schema_of_scenario_files_has_its_parameter() -> None:
    declared = schemas()["scenario"]["$defs"]["HospitalInFile"]["properties"]["policy"]["properties"]["p"]
    assert (declared["type"], declared["minimum"], declared["maximum"]) == ("number", 0, 1)


def test_the_report_says_it_and_cites_it() -> None:
    asked = scenario(Policy(5, more={"p": 0.6}))
    assert policy_text(asked.mine) == (
        "by Mondrian with at least 5 people per class (k) and at most a share 0.6 of one value in a class (p)"
    )
    assert "Toy: Nobody published this." in sources(asked)
    assert asked.mine.policy.slug == "k5_p0.6"


def test_the_assessment_has_its_number() -> None:
    people, schema = clinics_table()
    found = assess(Case(encode(people, schema), scenario(Policy(5, more={"p": 0.6}))), groups=("guarantee",))
    assert 0 < found.numbers["p"].value <= 0.6 + 1e-9


# ---- sweeps and search --------------------------------------------------------------------------


def test_a_curve_varies_it() -> None:
    assert "p" in variable()
    people, schema = clinics_table()
    curve = breach_curve(people, schema, Policy(4, more={"p": 0.9}), "p", [0.6, 1.0], overlap=60, confidences=(1.0,))
    shares = {(row.p, row.number): row.share for row in curve.itertuples()}
    assert shares[0.6, "average_after"] < shares[1.0, "average_after"], "larger classes"
    with pytest.raises(ParameterError, match="t, p, overlap"):
        breach_curve(people, schema, Policy(4), "q", [1], overlap=60)


# ---- command line -------------------------------------------------------------------------------


def test_the_command_line_asks_for_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "scenario.json"
    asked = ["-k", "4", "--p", "0.6", "--save-scenario", str(saved)]
    assert main(gate(tmp_path, "measure", *clinics_table(), *asked)) == 0
    out = capsys.readouterr().out
    assert "k = 4, p = 0.6" in out
    assert "Share of the most common value (p)" in out
    assert Scenario.from_json(saved.read_text()).mine.policy == Policy(4, more={"p": 0.6})

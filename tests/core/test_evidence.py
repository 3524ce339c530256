"""The evidence file: what it says is what was assessed, its digest holds, and no name or value is in it."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import date
from pathlib import Path

import pytest

from core import Policy, Scenario, Schema, read_table
from core.base.errors import ParameterError
from core.base.metrics import MET, METRICS, MORE, NOT_MET, ON_AVERAGE
from core.cli.program import main
from core.data.encoding.encoded import encode
from core.decision.review import Case, assess, judge
from core.decision.scenario.requirements import Requirements
from core.register import Publication, Register
from core.report import Decision, evidence, for_openmed
from core.study.hospitals import Study
from tests.gate import gate
from tests.tables import small_table

DOCS = Path(__file__).parents[2] / "docs" / "evidence.md"


def scenario_of(schema: Schema, repeats: int) -> Scenario:
    hospitals = Study.uniform(Policy(4), 60, origin="resampled").hospitals
    return Scenario(schema, hospitals, overlap=60, data_id="0" * 64, repeats=repeats)


def case(**limits: float) -> Case:
    table, schema = small_table()
    scenario = scenario_of(schema, 3)
    return Case(encode(table, schema), scenario.with_(requirements=Requirements(**limits)))


def test_it_says_what_was_assessed_and_how_far_each_limit_is_from_turning() -> None:
    one = case(k=3, one_value_left=0.01, loss=0.9)
    found = assess(one)
    judged = judge(found)
    facts = json.loads(
        evidence(one, found, judged, Decision(when="2026-03-01", until="2027-03-01", why="PRIVATE WORDS"))
    )
    assert facts["status"] == judged.verdict
    assert facts["shared_people"] == {"number": 60, "known": False}
    assert (facts["decided"], facts["valid_until"]) == ("2026-03-01", "2027-03-01")
    exposed, one_value_left = facts["exposure"]["one_value_left"], found.numbers["one_value_left"]
    assert (exposed["all_releases"], exposed["best_single_release"]) == (one_value_left.value, one_value_left.single)
    assert facts["release"]["measured"]["k"] == found.guarantee.k
    for limit, check in zip(facts["limits"], judged.checks, strict=True):
        assert (limit["name"], limit["verdict"]) == (check.metric, check.verdict)
        end = check.number.low if METRICS[check.metric].better == MORE else check.number.high
        if check.verdict == MET:
            assert limit["margin"] >= -1e-12
        if check.verdict == NOT_MET or end is not None:
            assert (limit["margin"] >= -1e-12) == (check.verdict == MET)


def test_the_digest_is_what_the_documentation_computes() -> None:
    one = case(k=3)
    found = assess(one)
    text = evidence(one, found, judge(found))
    assert text == evidence(one, found, judge(found))
    facts = json.loads(text)
    recipe = DOCS.read_text(encoding="utf-8").split("```python")[1].split("```")[0]
    lines = recipe.replace('json.load(open("evidence.json"))', "given")
    exec(lines, {"given": facts, "hashlib": hashlib})
    with pytest.raises(AssertionError):
        exec(lines, {"given": {**facts, "status": "met!"}})
    described = {
        name.strip("`")
        for row in DOCS.read_text().splitlines()
        if row.startswith("| `")
        for name in row.split("|")[1].replace(" ", "").split(",")
    }
    assert described == set(facts)


def test_it_has_no_name_no_value_and_no_words_that_were_typed() -> None:
    rows = "\n".join(f"{20 + i % 40},ZZMARKsex{'mf'[i % 2]},ZZMARKvalue{i % 5}" for i in range(200))
    table = read_table(f"ZZMARKage,ZZMARKsex,ZZMARKsecret\n{rows}\n".encode())
    schema = Schema(["ZZMARKage", "ZZMARKsex"], "ZZMARKsecret")
    scenario = scenario_of(schema, 2)
    one = Case(encode(table, schema), scenario.with_(data_name="ZZMARKfile.csv"))
    found = assess(one)
    decision = Decision(what="ZZMARK", who="ZZMARK", why="ZZMARK", ends="ZZMARK", accepted=("ZZMARK",))
    register = Register()
    for number, name in enumerate(("ZZMARKa", "ZZMARKb"), 1):
        noisy = Publication("noisy", date(2026, 1, 31), name="ZZMARK", epsilon=number / 4)
        register = register.add(noisy, [name])
    text = evidence(one, found, judge(found), decision, register)
    assert "ZZMARK" not in text
    assert json.loads(text)["published"] == {
        "digest": json.loads(register.to_json())["digest"],
        "publications": 2,
        "recipients": 2,
        "not_assessed": 0,
        "one_value_left": 0.0,
        "one_value_left_by_a_pair": 0.0,
        "small_set": 0.0,
        "small_set_by_a_pair": 0.0,
        "epsilon": 0.75,
        "delta": 0.0,
    }


def test_the_command_line_writes_it_beside_what_it_was_asked_for(tmp_path: Path) -> None:
    out, path = tmp_path / "out", tmp_path / "evidence.json"
    asked = ["-k", "4", "--overlap", "60", "--repeats", "2", "--out", str(out)]
    options = gate(tmp_path, "attack", *small_table(), *asked)
    assert main([*options, "--evidence", str(out)]) == 2, "two files of one name"
    assert main([*options, "--evidence", str(path), "--limit", "one_value_left=1", "--on-average"]) == 0
    facts = json.loads(path.read_text())
    assert facts["status"] == ON_AVERAGE, "two redraws have no interval"
    assert [limit["name"] for limit in facts["limits"]] == ["one_value_left"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert main([*options, "--evidence", str(path), "--force"]) == 0


def test_a_decision_that_ends_before_it_is_made_is_refused() -> None:
    for last, words in (("2026-03-01", "later last day"), ("soon", "last day")):
        with pytest.raises(ParameterError, match=words):
            Decision(when="2026-03-02", until=last)
    assert Decision(when="2026-03-01", until="2026-03-01").until == "2026-03-01"


def openmed_accepts(theirs: dict[str, object]) -> bool:
    """Their rules: CompositionEvidence in openmed/compliance/expert_review.py of github.com/maziyarpanahi/openmed."""
    names = {"release_count", "longitudinal_linkage_assessed", "prior_release_overlap_assessed", "risk_status"}
    statuses = {"not_assessed", "no_material_increase_observed", "increase_observed", "inconclusive"}
    assessed = (theirs["longitudinal_linkage_assessed"], theirs["prior_release_overlap_assessed"])
    return (
        set(theirs) == names | {"evidence_digest"}
        and theirs["risk_status"] in statuses
        and re.fullmatch("sha256:[0-9a-f]{64}", str(theirs["evidence_digest"])) is not None
        and {type(one) for one in assessed} == {bool}
        and (theirs["release_count"] != 1 or (not any(assessed) and theirs["risk_status"] == "not_assessed"))
    )


@pytest.mark.parametrize(
    ("status", "files", "expected"),
    [
        (MET, 1, "no_material_increase_observed"),
        (NOT_MET, 2, "increase_observed"),
        (ON_AVERAGE, 1, "inconclusive"),
        ("open", 1, "inconclusive"),
        (MET, 0, "not_assessed"),
    ],
)
def test_openmed_is_told_only_of_releases_that_were_read(status: str, files: int, expected: str) -> None:
    one = case(k=3)
    found = assess(one)
    facts = json.loads(evidence(one, found, judge(found)))
    simulated = facts["held_against"][0]
    facts |= {"status": status, "held_against": [simulated, *({**simulated, "digest": "a" * 64},) * files]}
    theirs = json.loads(for_openmed(json.dumps(facts)))
    assert openmed_accepts(theirs)
    assert (theirs["release_count"], theirs["risk_status"]) == (1 + files, expected)
    assert theirs["evidence_digest"] == f"sha256:{facts['digest']}"


def test_the_gate_writes_it_only_next_to_an_evidence_file(tmp_path: Path) -> None:
    table, _ = small_table()
    (tmp_path / "t.csv").write_bytes(table.to_frame().to_csv(index=False).encode())
    call = ["attack", "--data", str(tmp_path / "t.csv"), "--qids", "age,sex", "--sensitive", "diagnosis", "-k", "4"]
    call += ["--drop-unassigned", "--overlap", "60", "--repeats", "1", "--evidence-for", "openmed"]
    assert main(call) == 2
    assert main([*call, "--evidence", str(tmp_path / "e.json")]) == 0
    assert openmed_accepts(json.loads((tmp_path / "e.json").read_text()))

"""The published JSON Schemas are what the code declares, and the files that it writes are valid by them."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from core import agree
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.decision.review import Case, assess, judge
from core.register import Register, publication_of
from core.report import evidence
from delivery.schemas import FOLDER, schemas, text_of
from tests.golden.reports import dealt, first, frequencies, met, release, scenario, upload
from tests.tables import small_table

SCHEMAS = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}


def faults(name: str, text: str) -> list[str]:
    """Where a file is not as its published schema says."""
    schema = json.loads(SCHEMAS[name])
    Draft202012Validator.check_schema(schema)
    return [error.json_path for error in Draft202012Validator(schema).iter_errors(json.loads(text))]


def test_they_are_what_the_code_declares() -> None:
    assert {name: text_of(schema) for name, schema in schemas().items()} == SCHEMAS, "run python -m delivery.schemas"


def test_scenario_files_are_valid_by_theirs() -> None:
    made = [make()[0].scenario for make in (met, dealt, upload, release, frequencies, first)]
    assert any(each.uploads for each in made)
    assert [faults("scenario", each.to_json()) for each in made] == [[]] * len(made)


@pytest.mark.parametrize(
    ("change", "where"),
    [({"overlap": 0}, "$.overlap"), ({"more": 1}, "$"), ({"schema": {"sensitive": 1}}, "$.schema.sensitive")],
)
def test_what_is_no_scenario_is_not(change: dict[str, Any], where: str) -> None:
    assert where in faults("scenario", json.dumps(json.loads(scenario().to_json()) | change))


def test_a_register_and_evidence_are_valid_by_theirs() -> None:
    table, schema = small_table()
    case = Case(encode(table, schema), scenario(schema))
    assessment = assess(case)
    assert faults("evidence", evidence(case, assessment, judge(assessment))) == []
    published = partition(case.encoded, case.scenario.mine.policy, "mondrian")
    register = Register().add(publication_of(published, date(2026, 1, 31)), ["A"])
    assert faults("publication-register", register.to_json()) == []


def test_an_agreement_is_valid_by_its_own() -> None:
    table, schema = small_table()
    made = agree(table, schema, least=2, stable=["age"])
    assert faults("agreement", made.to_json()) == []
    assert faults("agreement", json.dumps({**json.loads(made.to_json()), "regions": "none"})) == ["$.regions"]

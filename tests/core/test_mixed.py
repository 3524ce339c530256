"""Right with one, and with two that differ: what is said or counted over several hospitals, files and columns."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from core import Policy, Scenario, examples
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.decision.review import Case, assess, judge
from core.decision.scenario.requirements import Requirements
from core.report import assumptions, build, evidence
from core.study.hospitals import Hospital
from core.study.uploads import Foreign, Upload
from pages.attack.hospitals.upload import summary

TABLE, SCHEMA = examples.city(160, seed=2), examples.city_schema()
ENCODED = encode(TABLE, SCHEMA)
PAIRS = tuple((name, name) for name in (*SCHEMA.quasi_identifiers, SCHEMA.sensitive))
ROWS = np.arange(160)
LINKED, UNLINKED = (Upload(mark * 64, PAIRS, name=f"{mark}.csv") for mark in "ab")
THEIRS = partition(ENCODED, Policy(3)).published
FILES = {LINKED: Foreign(THEIRS, mine=ROWS, theirs=ROWS), UNLINKED: Foreign(THEIRS)}


def asked(*others: Upload | None, **more: Any) -> Scenario:
    given = [Hospital(Policy(3), origin="simulated" if file is None else "published", upload=file) for file in others]
    return Scenario(SCHEMA, (Hospital(Policy(3)), *given), overlap=20, data_id=TABLE.content_id, repeats=2, **more)


@pytest.mark.parametrize(
    ("others", "starts", "says", "not_said"),
    [
        ((None, None), "20 people are in all 3 releases; no one", "", "identifier"),
        ((LINKED,), "20 people are in both releases, according to a common identifier.", "", "random"),
        ((UNLINKED,), "20 people are in both releases; no one", "drawn at random", "some of the files"),
        ((LINKED, UNLINKED), "20 people are in all 3 releases; no one", "drawn at random", "according to a common"),
        (
            (LINKED, UNLINKED),
            "20 people are in all 3 releases; no one",
            "in some of the files",
            "according to a common",
        ),
        ((LINKED, None), "20 people are in all 3 releases; no one", "in some of the files", "drawn at random"),
    ],
)
def test_an_identifier_speaks_for_the_files_that_have_it(
    others: tuple[Upload | None, ...], starts: str, says: str, not_said: str
) -> None:
    (said,) = (one.sentence for one in assumptions(asked(*others), FILES) if one.key == "overlap")
    assert said.startswith(starts)
    assert says in said
    assert not not_said or not_said not in said


@pytest.mark.parametrize(("others", "untried"), [((LINKED, None), False), ((LINKED, UNLINKED), True)])
def test_one_file_without_an_identifier_stays_untried_next_to_one_with_it(
    others: tuple[Upload | None, ...], untried: bool
) -> None:
    case = Case(ENCODED, asked(*others, requirements=Requirements(one_value_left=0.5)), FILES)
    card = build(case).data["card"]
    assert ("without a common identifier could not be tried" in json.dumps(card)) is untried
    found = assess(case)
    facts = json.loads(evidence(case, found, judge(found), None))
    known = [file is LINKED for file in others]
    assert [other["shared_people_known"] for other in facts["held_against"]] == known
    assert facts["shared_people"] == {"number": 20, "known": True}


def test_the_smallest_class_of_a_file_is_named() -> None:
    file = FILES[LINKED]
    sizes = np.array([7, 2, 30])
    release = type("Release", (), {"sizes": sizes, "suppressed": 0})()
    told = summary(
        type("File", (), {"published": release, "records": 39, "linked": False, "mine": file.mine, "possible": None})()
    )
    assert told == "39 records in 3 classes of at least 2"

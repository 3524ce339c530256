"""Be the target: what four hospitals of the built-in city publish about a resident who was in all of them.

Pure functions over core; nothing here draws or remembers what was typed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from core import Policy, Schema, examples, intersection_attack
from core.attack.trail import Step, follow
from core.data.encoding.encoded import encode
from core.study.hospitals import Study
from core.study.one_run import Outcome, run_study

KNOWN = ("age", "sex", "zip code")
HOSPITALS, SHARED, K = 4, 5_000, 5
SEED = 2008
"""Seeds of the city and of its hospitals: everyone sees the same releases."""


@dataclass(frozen=True)
class Person:
    """What an attacker knows about a resident."""

    age: int
    sex: str
    zip_code: str


FIRST = Person(53, "male", "00452")
"""The person shown before anything is typed."""


@dataclass(frozen=True)
class Answer:
    """Information of the releases about a person.

    Parameters
    ----------
    steps
        One per hospital, in the order of publication.
    truths
        Diagnoses of the residents with exactly these values who were in all hospitals.
    """

    steps: tuple[Step, ...]
    truths: tuple[str, ...]

    @property
    def left(self) -> tuple[str, ...]:
        """Diagnoses left after all releases."""
        return self.steps[-1].left


@cache
def published() -> Outcome:
    """The releases of the hospitals, which share :data:`SHARED` residents of the city."""
    taxonomies = examples.city_schema().taxonomies
    schema = Schema(
        KNOWN,
        "diagnosis",
        column_types={"age": "numeric", "sex": "categorical"},
        taxonomies={name: taxonomies[name] for name in ("zip code", "diagnosis")},
        unassigned="drop",
    )
    encoded = encode(examples.city(seed=SEED), schema)
    return run_study(encoded, Study.uniform(Policy(K), SHARED, HOSPITALS, "mondrian"), SEED)


def choices(column: str) -> tuple[str, ...]:
    """Values of a column of the city, in order."""
    return tuple(sorted(published().mine.encoded.qids[KNOWN.index(column)].labels))


def look_up(person: Person) -> Answer:
    """Find a person's classes by what each hospital publishes, as an attacker does, and intersect them."""
    outcome = published()
    values = (str(person.age), person.sex, person.zip_code)
    result = intersection_attack(outcome.releases, pd.DataFrame([values], columns=list(KNOWN)), "published")
    return Answer(tuple(follow(outcome.releases, result, 0)), _truths(outcome, values))


def ruled_out(answer: Answer, hospital: int) -> tuple[str, ...]:
    """Diagnoses ruled out by the release of a hospital, counted from 0."""
    if not any(step.matches for step in answer.steps[:hospital]):
        return ()
    return tuple(value for value in answer.steps[hospital - 1].left if value not in answer.steps[hospital].left)


def matches_any_class(answer: Answer) -> bool:
    """Whether any hospital has a class that the person may be in."""
    return any(step.matches for step in answer.steps)


def named(code: str) -> str:
    """A diagnosis in plain words."""
    return examples.diagnosis_names()[code]


def _truths(outcome: Outcome, values: tuple[str, ...]) -> tuple[str, ...]:
    encoded, rows = outcome.mine.encoded, outcome.people[0]
    assert rows is not None
    same = np.ones(len(rows), dtype=bool)
    for domain, codes, value in zip(encoded.qids, encoded.codes, values, strict=True):
        same &= np.array([label == value for label in domain.labels])[codes[rows]]
    return tuple(encoded.sensitive.labels[code] for code in encoded.sensitive_codes[rows[same]])

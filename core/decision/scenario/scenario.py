"""Every choice of the user in one frozen object, to JSON and back.

Pages edit the scenario, runs are cached by it, reports state it, and a colleague opens it to get the same numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from core.attack.number import exposures
from core.base.errors import CompositionError, ScenarioError
from core.base.json_files import parsed, read
from core.base.limits import LIMITS
from core.base.short import many, short
from core.data.schemas.schema import Schema
from core.data.schemas.schema_file import schema_of
from core.decision.scenario.questions import DecisionWords, PlainChoices
from core.decision.scenario.requirements import Requirements
from core.decision.scenario.scenario_file import (
    FILE_VERSION,
    FORMAT,
    HospitalInFile,
    Origin,
    ScenarioInFile,
    in_file,
    python_number,
)
from core.privacy.model import MODELS
from core.privacy.parameters import is_whole, policy_bounds
from core.privacy.policy import Policy
from core.release.algorithm import algorithm_named
from core.study.hospitals import Hospital, Study
from core.study.uploads import Upload

MAX_TEXT = 20_000_000


class Scenario(PlainChoices, frozen=True):
    """All choices behind a result; [definitions §4] explains them.

    Parameters
    ----------
    schema
        Roles and types of the columns.
    hospitals
        Two to eight publishers; the first is "mine".
    overlap
        People shared by all.
    confidence
        Level C at which a person counts as breached.
    seed
        Of the draws.
    repeats
        Redraws behind every interval.
    size
        Records of each hospital; the whole table is divided by default.
    data_name, data_id
        Name of the data, and the content id of its table.
    locate
        How the adversary finds a person's class; see :class:`core.study.hospitals.Study`.
    forecast, noise
        Settings of the forecast, and of noisy tables instead of releases.
    plausible
        Plausible ranges of assumptions about others, for the condition of the verdict.
    requirements
        Limits that the decision makers accept.
    decision
        Texts about a decision; no number depends on them.

    Examples
    --------
    >>> from composition_dashboard import Policy, Scenario, examples
    >>> from composition_dashboard.core.study.hospitals import Hospital
    >>> mine, other = Hospital(Policy(k=5), "least-loss"), Hospital(Policy(k=3), "mondrian", origin="resampled")
    >>> scenario = Scenario(examples.city_schema(), (mine, other), overlap=200)
    >>> Scenario.from_json(scenario.to_json()) == scenario
    True
    """

    schema: Schema
    hospitals: tuple[Hospital, ...]
    data_name: str = ""
    data_id: str = ""
    requirements: Requirements = Requirements()
    decision: DecisionWords = DecisionWords()

    def __repr__(self) -> str:
        shared = f"{many(self.overlap, 'person', 'people')} shared by {many(len(self.hospitals), 'hospital')}"
        return short(self, shared, f"mine: {self.hospitals[0].policy.signs}", self.hospitals[0].algorithm)

    def __post_init__(self) -> None:
        """Validate the scenario; a whole number is the same choice with and without a point."""
        chosen = {name: getattr(self, name) for name in PlainChoices.__struct_fields__}
        checked = read(in_file(chosen), PlainChoices, "scenario", ScenarioError)
        for name in chosen:
            msgspec.structs.force_setattr(self, name, getattr(checked, name))
        with _refusing():
            LIMITS["hospitals"].check(len(self.hospitals), "hospitals")
        for hospital in self.hospitals:
            numbers = {"policy": {}, "same_value_rate": hospital.same_value_rate, "size": hospital.size}
            read(in_file(numbers), HospitalInFile, "hospital", ScenarioError)
            with _refusing():
                for name, bound in policy_bounds().items():
                    bound.check(python_number(hospital.policy.values[name]), f"{name} of a hospital", name)
                algorithm_named(hospital.algorithm)
            if hospital.size is not None and hospital.size < self.overlap:
                raise ScenarioError("size of a hospital must be at least the overlap.", parameter="size")
        mine = self.hospitals[0]
        if mine.origin != "simulated" or mine.same_value_rate != 1 or mine.counts is not None:
            raise ScenarioError(
                "The first hospital is mine: simulated, with a same-value rate of 1, and it publishes a release.",
                parameter="hospitals",
            )
        if self.size is not None and self.size < self.overlap:
            raise ScenarioError("size must be at least the overlap.", parameter="size")

    @property
    def mine(self) -> Hospital:
        """My own hospital."""
        return self.hospitals[0]

    @property
    def study(self) -> Study:
        """The hospitals and the people they share."""
        limited = [exposures()[name].knows for name in self.requirements.asked if name in exposures()]
        also = tuple(knows for knows in limited if knows)
        return Study(self.hospitals, self.overlap, self.size, locate=self.locate, also=also)

    @property
    def uploads(self) -> tuple[Upload, ...]:
        """Files of other publishers that take part."""
        return tuple(hospital.upload for hospital in self.hospitals if hospital.upload is not None)

    def with_(self, **changes: Any) -> Scenario:
        """Return a copy with some fields changed."""
        return msgspec.structs.replace(self, **changes)

    def to_json(self) -> str:
        """Write as JSON; the same scenario gives the same text."""
        facts = {
            **{name: getattr(self, name) for name in PlainChoices.__struct_fields__},
            "format": FORMAT,
            "schema_version": FILE_VERSION,
            "data": Origin(self.data_name, self.data_id),
            "schema": self.schema.to_json(),
            "hospitals": [_plain(hospital) for hospital in self.hospitals],
            "requirements": self.requirements.asked,
            **({"decision": self.decision} if self.decision != DecisionWords() else {}),
        }
        return json.dumps(in_file(facts), indent=1, sort_keys=True) + "\n"

    @property
    def digest(self) -> str:
        """SHA-256 of its file, by which files of one run are known: it has the digest of the table, too."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @classmethod
    def from_json(cls, text: str | bytes) -> Scenario:
        """Read a scenario file.

        Raises
        ------
        ScenarioError
            If it is not such a file, of another version, or a field is unknown, missing, of
            the wrong type or out of range; the message names the field.
        """
        if len(text) > MAX_TEXT:
            raise ScenarioError(f"The scenario file is larger than {MAX_TEXT // 1_000_000} MB.")
        data = parsed(text)
        if data is None or data.get("format") != FORMAT:
            raise ScenarioError("The file is not a scenario of this program; open one that it saved.")
        version = data.get("schema_version")
        if type(version) is not int or version != FILE_VERSION:
            raise ScenarioError(
                f"The file has a version other than {FILE_VERSION}, which this program reads; open it with the program "
                "that wrote it, or choose its settings again and save them.",
                parameter="schema_version",
            )
        return _of_file(read(data, ScenarioInFile, "scenario", ScenarioError))


def _of_file(file: ScenarioInFile) -> Scenario:
    hospitals = []
    for number, entry in enumerate(file.hospitals, 1):
        with _refusing(f"Hospital {number}"):
            policy = Policy.of({"k": None, **entry.policy})
            hospitals.append(Hospital(**{**msgspec.structs.asdict(entry), "policy": policy}))
    with _refusing("The schema"):
        schema = schema_of(file.schema)
    with _refusing():
        requirements = Requirements(**file.requirements)
    return Scenario(
        schema,
        tuple(hospitals),
        data_name=file.data.name[:200],
        data_id=file.data.content_id[:64],
        requirements=requirements,
        decision=file.decision,
        **{name: getattr(file, name) for name in PlainChoices.__struct_fields__},
    )


@contextmanager
def _refusing(what: str = "") -> Iterator[None]:
    """Turn errors of a scenario's parts into scenario errors."""
    try:
        yield
    except CompositionError as error:
        cannot = f"{what} of the scenario cannot be used; correct it in the file, or save the scenario again: "
        raise ScenarioError(f"{cannot if what else ''}{error.message}", parameter=error.parameter) from None


def _plain(hospital: Hospital) -> dict[str, Any]:
    """Write a hospital to a file, without unset fields."""
    facts = {
        "policy": _parameters(hospital.policy),
        "algorithm": hospital.algorithm,
        "same_value_rate": float(hospital.same_value_rate),
        "origin": hospital.origin,
        "size": hospital.size,
        "attributes": hospital.attributes,
        "upload": hospital.upload,
        "case_mix": float(hospital.case_mix) or None,
        "counts": hospital.counts,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _parameters(policy: Policy) -> dict[str, int | float | str]:
    """Every parameter with a requirement, and the variants of l and t even without one."""
    converters: dict[str, type] = {
        parameter.name: str if parameter.options else int if is_whole(model, parameter) else float
        for model in MODELS.values()
        for parameter in model.parameters
    }
    return {name: converters[name](value) for name, value in policy.values.items() if value is not None}

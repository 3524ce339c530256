"""Every choice of the user in one frozen object, to JSON and back.

The scenario is what a page edits, what a run is cached by, what a report states and what
a colleague opens to get the same numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta, Struct, inspect

from core.attack.views import Locate
from core.base.bounds import POLICY, RECORDS, Bound, check_policy
from core.base.errors import CompositionError, ScenarioError
from core.base.files import fields_of, parsed, plain_type, read
from core.base.short import many, short
from core.data.schema import Schema
from core.decision.scenario.gone import as_meant, without_gone
from core.decision.scenario.questions import AskedForecast, AskedNoise
from core.decision.scenario.requirements import Requirements
from core.privacy.model import MODELS
from core.privacy.policy import Policy
from core.release.algorithm import DEFAULT, algorithm_named
from core.study.draw import MAX_RELEASES
from core.study.hospitals import Hospital, Study
from core.study.uploads import Upload

FORMAT = "composition scenario"
FILE_VERSION = 5
"""Of the files that are written; ``gone.py`` says what earlier ones meant."""
MAX_TEXT = 20_000_000
Size = Annotated[int, Meta(ge=1, le=2_000_000)]


class PlainChoices(Struct, frozen=True, kw_only=True):
    """The choices that are numbers and fixed words, in memory as in a file.

    What has a description has an option on the command line.
    """

    overlap: Annotated[
        int, Meta(ge=1, le=RECORDS, description="people who are in all releases; needed for attack and report")
    ]
    confidence: Annotated[
        float, Meta(ge=0.05, le=1, description="C at which a person counts as exposed (default 0.25)")
    ] = 0.25
    locate: Annotated[
        Locate,
        Meta(
            description="how the adversary finds a person's class: assumed (default), he knows it; published, he reads "
            "it off the releases; default, as in older scenario files: published where classes overlap or means are "
            "published, else assumed"
        ),
    ] = "assumed"
    seed: Annotated[int, Meta(ge=0, le=1_000_000, description="of the draws of the other hospitals (default 0)")] = 0
    repeats: Annotated[int, Meta(ge=1, le=50, description="redraws behind every interval (default 10)")] = 10
    size: Size | None = None
    forecast: AskedForecast = AskedForecast()
    noise: AskedNoise = AskedNoise()


class Scenario(PlainChoices, frozen=True):
    """All choices behind a result.

    Parameters
    ----------
    schema
        Roles and kinds of the columns.
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
        Records of each hospital; the whole table is dealt out by default.
    data_name, data_id
        What the data is called, and the content id of its table.
    locate
        How the adversary finds a person's class; see :class:`core.study.hospitals.Study`.
    forecast, noise
        What is asked of the forecast, and of noisy tables in place of releases.
    requirements
        What those who decide accept.
    """

    schema: Schema
    hospitals: tuple[Hospital, ...]
    data_name: str = ""
    data_id: str = ""
    requirements: Requirements = Requirements()

    def __repr__(self) -> str:
        shared = f"{many(self.overlap, 'person', 'people')} shared by {many(len(self.hospitals), 'hospital')}"
        return short(self, shared, f"mine: {self.hospitals[0].policy.signs}", self.hospitals[0].algorithm)

    def __post_init__(self) -> None:
        """Refuse what no study can be; a whole number is the same choice with and without a point."""
        chosen = {name: getattr(self, name) for name in PlainChoices.__struct_fields__}
        checked = read(_in_file(chosen), PlainChoices, "scenario", ScenarioError)
        for name in chosen:
            msgspec.structs.force_setattr(self, name, getattr(checked, name))
        if not 2 <= len(self.hospitals) <= MAX_RELEASES:
            raise ScenarioError(f"A scenario has from 2 to {MAX_RELEASES} hospitals.", parameter="hospitals")
        for hospital in self.hospitals:
            numbers = {"policy": {}, "agreement": hospital.agreement, "size": hospital.size}
            read(_in_file(numbers), HospitalInFile, "hospital", ScenarioError)
            with _refusing():
                check_policy({name: _number(value) for name, value in hospital.policy.values.items()})
                algorithm_named(hospital.algorithm)
            if hospital.size is not None and hospital.size < self.overlap:
                raise ScenarioError("size of a hospital must be at least the overlap.", parameter="size")
        if self.hospitals[0].source != "simulated" or self.hospitals[0].agreement != 1:
            raise ScenarioError("The first hospital is mine: simulated, with an agreement of 1.", parameter="hospitals")
        if self.size is not None and self.size < self.overlap:
            raise ScenarioError("size must be at least the overlap.", parameter="size")

    @property
    def mine(self) -> Hospital:
        """My own hospital."""
        return self.hospitals[0]

    @property
    def study(self) -> Study:
        """The hospitals and the people they share."""
        return Study(self.hospitals, self.overlap, self.size, locate=self.locate)

    @property
    def uploads(self) -> tuple[Upload, ...]:
        """Files of other publishers that take part."""
        return tuple(hospital.upload for hospital in self.hospitals if hospital.upload is not None)

    def with_(self, **changes: Any) -> Scenario:
        """Return a copy with some fields changed."""
        return msgspec.structs.replace(self, **changes)

    def to_json(self) -> str:
        """Write as JSON: same scenario, same text."""
        facts = {
            **{name: getattr(self, name) for name in PlainChoices.__struct_fields__},
            "format": FORMAT,
            "schema_version": FILE_VERSION,
            "data": Origin(self.data_name, self.data_id),
            "schema": self.schema.to_json(),
            "hospitals": [_plain(hospital) for hospital in self.hospitals],
            "requirements": self.requirements.asked,
        }
        return json.dumps(_in_file(facts), indent=1, sort_keys=True)

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
        if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= FILE_VERSION:
            raise ScenarioError(
                f"The file has another version than 1 to {FILE_VERSION}, which this program reads; save it again "
                "with the version that is in use.",
                parameter="schema_version",
            )
        facts = without_gone(as_meant(data, version))
        return _of_file(read(facts, ScenarioInFile, "scenario", ScenarioError))


class Origin(Struct, forbid_unknown_fields=True):
    """What the data is called, and the content id of its table."""

    name: str = ""
    content_id: str = ""


class HospitalInFile(Struct, forbid_unknown_fields=True):
    """A hospital, with its policy as the parameters that ask something."""

    policy: dict[str, int | float | str]
    algorithm: str = DEFAULT
    agreement: Annotated[float, Meta(ge=0, le=1)] = 1.0
    source: str = "simulated"
    size: Size | None = None
    attributes: tuple[str, ...] | None = None
    upload: Upload | None = None


class ScenarioInFile(
    PlainChoices, frozen=True, kw_only=True, tag_field="format", tag=FORMAT, forbid_unknown_fields=True
):
    """The file of a scenario."""

    schema_version: int
    data: Origin
    schema: dict[str, Any]
    hospitals: list[HospitalInFile]
    requirements: dict[str, float] = {}


def _of_file(file: ScenarioInFile) -> Scenario:
    hospitals = []
    for number, entry in enumerate(file.hospitals, 1):
        with _refusing(f"Hospital {number}"):
            policy = Policy.of({"k": None, **entry.policy})
            hospitals.append(Hospital(**{**msgspec.structs.asdict(entry), "policy": policy}))
    with _refusing("The schema"):
        schema = Schema.from_json(file.schema)
    with _refusing():
        requirements = Requirements(**file.requirements)
    return Scenario(
        schema,
        tuple(hospitals),
        data_name=file.data.name[:200],
        data_id=file.data.content_id[:64],
        requirements=requirements,
        **{name: getattr(file, name) for name in PlainChoices.__struct_fields__},
    )


@contextmanager
def _refusing(what: str = "") -> Iterator[None]:
    """Refuse as a scenario what one of its parts refuses."""
    try:
        yield
    except CompositionError as error:
        cannot = f"{what} of the scenario cannot be used; correct it in the file, or save the scenario again: "
        raise ScenarioError(f"{cannot if what else ''}{error.message}", parameter=error.parameter) from None


def _in_file(facts: Any) -> Any:
    """Choices as a file has them."""
    return msgspec.to_builtins(facts, enc_hook=_number)


def _number(value: Any) -> Any:
    """A number of another library as Python's own."""
    if isinstance(value, np.generic):
        return value.item()
    return float(value) if isinstance(value, Fraction) else value


def _plain(hospital: Hospital) -> dict[str, Any]:
    """A hospital in a file, without what it leaves open."""
    facts = {
        "policy": _parameters(hospital.policy),
        "algorithm": hospital.algorithm,
        "agreement": float(hospital.agreement),
        "source": hospital.source,
        "size": hospital.size,
        "attributes": hospital.attributes,
        "upload": hospital.upload,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _parameters(policy: Policy) -> dict[str, int | float | str]:
    """Every parameter that asks something, and the kinds of l and t even where they ask nothing."""
    kinds: dict[str, type] = {
        parameter.name: str if parameter.options else int if model.is_whole(parameter) else float
        for model in MODELS.values()
        for parameter in model.parameters
    }
    return {name: kinds[name](value) for name, value in policy.values.items() if value is not None}


def bounds() -> dict[str, Bound]:
    """Bounds of every number a user may choose, by the names of fields and of parameters of a policy."""
    bound_of = dict(POLICY)
    for part, kind in (("", PlainChoices), ("forecast.", AskedForecast), ("noise.", AskedNoise), ("", HospitalInFile)):
        for name, declared in fields_of(kind).items():
            number = plain_type(declared)
            if getattr(number, "ge", None) is not None:
                bound_of[part + name] = Bound(number.ge, number.le, isinstance(number, inspect.IntType))
    return bound_of

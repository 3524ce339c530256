"""Every choice of the user in one frozen object, to JSON and back.

The scenario is what a page edits, what a run is cached by, what a report states and what
a colleague opens to get the same numbers.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from typing import Any

import core.decision.scenario.declared  # noqa: F401 - fills the registry that is asked below
from core.base.bounds import check_policy
from core.base.errors import CompositionError, ParameterError, ScenarioError
from core.base.errors import shown_name as shown
from core.base.metrics import requirable
from core.base.short import many, short
from core.data.schema import Schema
from core.decision.scenario.field import (
    NEEDED,
    Field,
    check,
    check_file,
    check_values,
    fields_of,
    migrated,
    schema_version,
)
from core.decision.scenario.gone import without_gone
from core.decision.scenario.questions import AskedForecast, AskedNoise
from core.decision.scenario.requirements import Requirements
from core.privacy.model import MODELS
from core.privacy.policy import More, Policy
from core.release.algorithm import algorithm_named
from core.study.draw import MAX_RELEASES
from core.study.hospitals import Hospital, Study
from core.study.uploads import Upload

MAX_TEXT = 20_000_000


@dataclass(frozen=True)
class Scenario:
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
    more
        Further fields of :data:`core.decision.scenario.field.FIELDS`, by their names; kept as sorted pairs,
        without those at their default.
    """

    schema: Schema
    hospitals: tuple[Hospital, ...]
    overlap: int
    confidence: float = 0.25
    seed: int = 0
    repeats: int = 10
    size: int | None = None
    data_name: str = ""
    data_id: str = ""
    locate: str = "assumed"
    forecast: AskedForecast = field(default_factory=AskedForecast)
    noise: AskedNoise = field(default_factory=AskedNoise)
    requirements: Requirements = field(default_factory=Requirements)
    more: More = ()

    def __repr__(self) -> str:
        shared = f"{many(self.overlap, 'person', 'people')} shared by {many(len(self.hospitals), 'hospital')}"
        return short(self, shared, f"mine: {self.hospitals[0].policy.signs}", self.hospitals[0].algorithm)

    def __post_init__(self) -> None:
        """Refuse what no study can be."""
        known = fields_of()
        for name in dict(self.more):
            if name not in known or name in _OWN:
                raise ScenarioError(f"A scenario has no further field {shown(str(name))}.", parameter=str(name))
        kept = {name: value for name, value in dict(self.more).items() if value != known[name].default}
        object.__setattr__(self, "more", tuple(sorted(kept.items())))
        self._check_bounds()
        if not 2 <= len(self.hospitals) <= MAX_RELEASES:
            raise ScenarioError(f"A scenario has from 2 to {MAX_RELEASES} hospitals.", parameter="hospitals")
        for hospital in self.hospitals:
            try:
                algorithm_named(hospital.algorithm)
            except ParameterError as refusal:
                raise ScenarioError(str(refusal), parameter="algorithm") from None
            if hospital.size is not None and hospital.size < self.overlap:
                raise ScenarioError("size of a hospital must be at least the overlap.", parameter="size")
        if self.hospitals[0].source != "simulated" or self.hospitals[0].agreement != 1:
            raise ScenarioError("The first hospital is mine: simulated, with an agreement of 1.", parameter="hospitals")
        if self.size is not None and self.size < self.overlap:
            raise ScenarioError("size must be at least the overlap.", parameter="size")

    def _check_bounds(self) -> None:
        """Hold every field against what it declares, and every policy against :data:`core.base.bounds.POLICY`."""
        check("", self.values)
        for hospital in self.hospitals:
            check("hospital", vars(hospital))
            parameters = hospital.policy.values.items()
            try:
                check_policy(
                    {name: float(value) if isinstance(value, Fraction) else value for name, value in parameters}
                )
            except ParameterError as error:
                raise ScenarioError(error.message, parameter=error.parameter) from None
        check("forecast", vars(self.forecast))
        check("noise", vars(self.noise))

    @property
    def values(self) -> dict[str, Any]:
        """Every field that is a number or a text, by its name in a file."""
        chosen = {name: declared.default for name, declared in fields_of().items() if declared.group}
        return chosen | {name: getattr(self, name) for name in chosen if name in _OWN} | dict(self.more)

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
        """Return a copy with some fields changed, further ones among them."""
        own = {name: value for name, value in changes.items() if name in _OWN}
        further = {name: value for name, value in changes.items() if name not in _OWN}
        return replace(self, **own, more={**dict(self.more), **further})

    def to_json(self) -> str:
        """Write as JSON: same scenario, same text."""
        data = {
            "format": "composition scenario",
            "schema_version": schema_version(),
            "data": {"name": self.data_name, "content_id": self.data_id},
            "schema": self.schema.to_json(),
            "hospitals": [_plain(hospital) for hospital in self.hospitals],
            **{name: declared.written(self.values[name]) for name, declared in fields_of().items() if declared.group},
            "forecast": {
                name: declared.written(getattr(self.forecast, name)) for name, declared in fields_of("forecast").items()
            },
            "noise": self.noise.to_json(),
            "requirements": self.requirements.to_json(),
        }
        return json.dumps(data, indent=1, sort_keys=True)

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
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            raise ScenarioError("The scenario file is not JSON; open one that this program saved.") from None
        if not isinstance(data, dict) or data.get("format") != "composition scenario":
            raise ScenarioError("This JSON file is not a scenario of this program.")
        return _read(_migrated(data))


def _migrated(data: dict[str, Any]) -> dict[str, Any]:
    """Bring a file of an earlier version to the present one; refuse a later one."""
    version, present = data.get("schema_version"), schema_version()
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= present:
        raise ScenarioError(
            f"The file has another version than 1 to {present}, which this program reads; save it again "
            "with the version that is in use.",
            parameter="schema_version",
        )
    return migrated(data, version)


def _plain(hospital: Hospital) -> dict[str, Any]:
    # Equal choices give equal text: 3 and 3.0 are one choice.
    plain: dict[str, Any] = {
        "policy": _plain_policy(hospital.policy),
        "algorithm": hospital.algorithm,
        "agreement": float(hospital.agreement),
        "source": hospital.source,
    }
    if hospital.size is not None:
        plain["size"] = hospital.size
    if hospital.attributes is not None:
        plain["attributes"] = list(hospital.attributes)
    if hospital.upload is not None:
        plain["upload"] = asdict(hospital.upload)
    return plain


def _plain_policy(policy: Policy) -> dict[str, Any]:
    """Every parameter that asks something, and the kinds of l and t even where they ask nothing."""
    fields = _policy_fields()
    parameters = {name: value for name, value in asdict(policy).items() if name != "more"} | dict(policy.more)
    return {name: fields[name].kinds[-1](value) for name, value in parameters.items() if value is not None}


def _policy_fields() -> dict[str, Field]:
    """What each parameter of a policy may be in a file; the last type is how it is written."""
    fields_of_policy = {}
    for model in MODELS.values():
        for parameter in model.parameters:
            number = (int,) if model.is_whole(parameter) else (int, float)
            fields_of_policy[parameter.name] = Field(
                parameter.name, (str,) if parameter.options else number, NEEDED if parameter.required else None
            )
    return fields_of_policy


def _read(data: dict[str, Any]) -> Scenario:
    data = without_gone(data)
    check_file("", data, "scenario")
    check_file("data", data["data"])
    hospitals = []
    for entry in data["hospitals"]:
        if not isinstance(entry, dict):
            raise ScenarioError("Every hospital of the scenario must be an object.", parameter="hospitals")
        check_file("hospital", entry)
        check_values(entry["policy"], _policy_fields(), "policy")
        changes: dict[str, Any] = {}
        if "attributes" in entry:
            changes["attributes"] = _texts(entry["attributes"], "attributes")
        if "upload" in entry:
            changes["upload"] = _upload(entry["upload"])
        try:
            hospitals.append(Hospital(**{**entry, **changes, "policy": Policy.of(entry["policy"])}))
        except CompositionError as error:
            raise ScenarioError(_unusable(f"Hospital {len(hospitals) + 1}", error)) from None
    try:
        schema = Schema.from_json(data["schema"])
    except CompositionError as error:
        raise ScenarioError(_unusable("The schema", error)) from None
    # What is left out of these parts is as it is by default.
    check_file("forecast", data["forecast"])
    check_file("noise", data["noise"])
    check_values(data["requirements"], _limit_fields(), "requirements")
    with _refusing("forecast"):
        forecast = AskedForecast(**data["forecast"])
    with _refusing("noise"):
        noise = AskedNoise.from_json(data["noise"])
    with _refusing("requirements"):
        requirements = Requirements(**data["requirements"])
    return Scenario(
        schema=schema,
        hospitals=tuple(hospitals),
        **{
            name: declared.written(data[name])
            for name, declared in fields_of().items()
            if declared.group and name in _OWN
        },
        data_name=data["data"].get("name", "")[:200],
        data_id=data["data"].get("content_id", "")[:64],
        forecast=forecast,
        noise=noise,
        requirements=requirements,
        more={name: data[name] for name, declared in fields_of().items() if declared.group and name not in _OWN},
    )


def _unusable(what: str, error: CompositionError) -> str:
    """Say what of a file cannot be used, what can be done, and why."""
    return f"{what} of the scenario cannot be used; correct it in the file, or save the scenario again: {error.message}"


def _limit_fields() -> dict[str, Field]:
    return {name: Field(name, (int, float), None) for name in requirable()}


@contextmanager
def _refusing(part: str) -> Iterator[None]:
    """Say of which part of the scenario something is refused."""
    try:
        yield
    except ParameterError as error:
        raise ScenarioError(error.message, parameter=part) from None


def _upload(data: dict[str, Any]) -> Upload:
    check_file("upload", data)
    pairs = {name: tuple(_together(entry, name, 2) for entry in data.get(name, [])) for name in ("columns", "values")}
    cells = tuple(_together(entry, "cells", 3) for entry in data.get("cells", []))
    return Upload(
        content_id=data["content_id"][:64],
        anonymised=data["anonymised"],
        centroids=data.get("centroids", False),
        name=data.get("name", "")[:200],
        own=data.get("own", False),
        further=_texts(data.get("further", []), "further"),
        cells=cells,
        **pairs,
    )


def _together(entry: Any, name: str, number: int) -> Any:
    """Read so many texts that stand together."""
    texts = _texts(entry, name)
    if len(texts) != number:
        raise ScenarioError(f"Every entry of {name} must be {number} texts.", parameter=name)
    return texts


def _texts(entry: Any, name: str) -> tuple[str, ...]:
    if not isinstance(entry, list) or not all(isinstance(text, str) for text in entry):
        raise ScenarioError(f"Every entry of {name} must be a text.", parameter=name)
    return tuple(entry)


_OWN = tuple(field.name for field in dataclasses.fields(Scenario) if field.name != "more")

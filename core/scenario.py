"""Every choice of the user in one frozen object, to JSON and back.

The scenario is what a page edits, what a run is cached by, what a report states and what
a colleague opens to get the same numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.anonymize import ALGORITHMS
from core.attack import candidate_limit
from core.errors import CompositionError, ParameterError, ScenarioError
from core.errors import shown_name as shown
from core.hospitals import MAX_RELEASES, Hospital, Study
from core.policy import Policy
from core.schema import Schema

SCHEMA_VERSION = 1
MAX_TEXT = 20_000_000
MAX_REPEATS = 200


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

    def __post_init__(self) -> None:
        """Refuse what no study can be."""
        if not 2 <= len(self.hospitals) <= MAX_RELEASES:
            raise ScenarioError(f"A scenario has from 2 to {MAX_RELEASES} hospitals.", parameter="hospitals")
        for hospital in self.hospitals:
            if hospital.algorithm not in ALGORITHMS:
                raise ScenarioError(f"algorithm must be one of {', '.join(ALGORITHMS)}.", parameter="algorithm")
            if not 0 <= hospital.agreement <= 1:
                raise ScenarioError("agreement must be from 0 to 1.", parameter="agreement")
        if self.overlap < 1:
            raise ScenarioError("overlap must be at least 1.", parameter="overlap")
        if not 1 <= self.repeats <= MAX_REPEATS:
            raise ScenarioError(f"repeats must be from 1 to {MAX_REPEATS}.", parameter="repeats")
        if self.seed < 0:
            raise ScenarioError("seed must be 0 or more.", parameter="seed")
        if self.size is not None and self.size < self.overlap:
            raise ScenarioError("size must be at least the overlap.", parameter="size")
        try:
            candidate_limit(self.confidence)
        except ParameterError as error:
            raise ScenarioError(error.message, parameter="confidence") from None

    @property
    def mine(self) -> Hospital:
        """My own hospital."""
        return self.hospitals[0]

    @property
    def study(self) -> Study:
        """The hospitals and the people they share."""
        return Study(self.hospitals, self.overlap, self.size)

    def with_(self, **changes: Any) -> Scenario:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def to_json(self) -> str:
        """Write as JSON: same scenario, same text."""
        data = {
            "format": "composition scenario",
            "schema_version": SCHEMA_VERSION,
            "data": {"name": self.data_name, "content_id": self.data_id},
            "schema": self.schema.to_json(),
            "hospitals": [_plain(hospital) for hospital in self.hospitals],
            "overlap": self.overlap,
            "size": self.size,
            "confidence": float(self.confidence),
            "seed": self.seed,
            "repeats": self.repeats,
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
        if data.get("schema_version") != SCHEMA_VERSION:
            raise ScenarioError(
                f"The scenario file has another version than {SCHEMA_VERSION}, the one this program reads.",
                parameter="schema_version",
            )
        return _read(data)


def _plain(hospital: Hospital) -> dict[str, Any]:
    # Equal choices give equal text: 3 and 3.0 are one choice.
    policy: dict[str, Any] = {name: value for name, value in asdict(hospital.policy).items() if value is not None}
    policy |= {name: float(policy[name]) for name in ("l", "c", "t") if name in policy}
    policy |= {name: int(policy[name]) for name in ("k", "m") if name in policy}
    return {"policy": policy, "algorithm": hospital.algorithm, "agreement": float(hospital.agreement)}


_TYPES: dict[str, tuple[type, ...]] = {
    "format": (str,),
    "schema_version": (int,),
    "data": (dict,),
    "schema": (dict,),
    "hospitals": (list,),
    "overlap": (int,),
    "size": (int, type(None)),
    "confidence": (int, float),
    "seed": (int,),
    "repeats": (int,),
}
_POLICY_TYPES: dict[str, tuple[type, ...]] = {
    "k": (int,), "l": (int, float), "diversity": (str,), "c": (int, float), "t": (int, float), "distance": (str,),
    "m": (int,),
}  # fmt: skip
_HOSPITAL_TYPES: dict[str, tuple[type, ...]] = {"policy": (dict,), "algorithm": (str,), "agreement": (int, float)}


def _read(data: dict[str, Any]) -> Scenario:
    _check_fields(data, _TYPES, "scenario", needed=set(_TYPES))
    _check_fields(data["data"], {"name": (str,), "content_id": (str,)}, "data", needed=set())
    hospitals = []
    for entry in data["hospitals"]:
        if not isinstance(entry, dict):
            raise ScenarioError("Every hospital of the scenario must be an object.", parameter="hospitals")
        _check_fields(entry, _HOSPITAL_TYPES, "hospital", needed={"policy"})
        _check_fields(entry["policy"], _POLICY_TYPES, "policy", needed={"k"})
        try:
            hospitals.append(Hospital(**{**entry, "policy": Policy(**entry["policy"])}))
        except CompositionError as error:
            raise ScenarioError(f"The policy of a hospital cannot be used. {error.message}") from None
    try:
        schema = Schema.from_json(data["schema"])
    except CompositionError as error:
        raise ScenarioError(f"The schema of the scenario cannot be used. {error.message}") from None
    return Scenario(
        schema=schema,
        hospitals=tuple(hospitals),
        overlap=data["overlap"],
        confidence=float(data["confidence"]),
        seed=data["seed"],
        repeats=data["repeats"],
        size=data["size"],
        data_name=data["data"].get("name", "")[:200],
        data_id=data["data"].get("content_id", "")[:64],
    )


def _check_fields(data: Mapping[str, Any], types: Mapping[str, tuple[type, ...]], where: str, needed: set[str]) -> None:
    for name, value in data.items():
        if name not in types:
            raise ScenarioError(f"The {where} has an unknown field {shown(str(name))}.", parameter=str(name))
        wrong = not isinstance(value, types[name]) or (isinstance(value, bool) and bool not in types[name])
        endless = isinstance(value, float) and not math.isfinite(value)
        if wrong or endless or (isinstance(value, int) and float in types[name] and abs(value) > 2**1000):
            raise ScenarioError(f"The field {shown(name)} of the {where} has the wrong type.", parameter=name)
    for name in sorted(needed - set(data)):
        raise ScenarioError(f"The {where} lacks the field {shown(name)}.", parameter=name)

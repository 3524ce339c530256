"""Every choice of the user in one frozen object, to JSON and back.

The scenario is what a page edits, what a run is cached by, what a report states and what
a colleague opens to get the same numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeVar

from core.bounds import check_all
from core.data.schema import Schema
from core.dp import UNIFORM
from core.errors import CompositionError, ParameterError, ScenarioError
from core.errors import shown_name as shown
from core.metrics import requirable
from core.privacy.model import MODELS
from core.privacy.policy import Policy
from core.release.algorithm import ALGORITHMS
from core.scenario.questions import AskedForecast, AskedNoise
from core.scenario.requirements import Requirements
from core.study.draw import MAX_RELEASES
from core.study.hospitals import LOCATE, Hospital, Study
from core.study.uploads import Upload

SCHEMA_VERSION = 4
"""Version 2 added, to version 1: source, size, attributes and upload of a hospital; locate; category_level.
Version 3 added forecast, noise and requirements. Version 4 added prior, columns and domains of noise."""
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
    category_level
        Level of the sensitive attribute's taxonomy at which categories are told apart; no
        category breach where it is ``None``.
    forecast, noise
        What is asked of the forecast, and of noisy tables in place of releases.
    requirements
        What the organisation accepts.
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
    locate: str = "default"
    category_level: int | None = None
    forecast: AskedForecast = field(default_factory=AskedForecast)
    noise: AskedNoise = field(default_factory=AskedNoise)
    requirements: Requirements = field(default_factory=Requirements)

    def __post_init__(self) -> None:
        """Refuse what no study can be."""
        self._check_bounds()
        if not 2 <= len(self.hospitals) <= MAX_RELEASES:
            raise ScenarioError(f"A scenario has from 2 to {MAX_RELEASES} hospitals.", parameter="hospitals")
        for hospital in self.hospitals:
            if hospital.algorithm not in ALGORITHMS:
                raise ScenarioError(f"algorithm must be one of {', '.join(ALGORITHMS)}.", parameter="algorithm")
            if hospital.size is not None and hospital.size < self.overlap:
                raise ScenarioError("size of a hospital must be at least the overlap.", parameter="size")
        if self.hospitals[0].source != "simulated" or self.hospitals[0].agreement != 1:
            raise ScenarioError("The first hospital is mine: simulated, with an agreement of 1.", parameter="hospitals")
        if self.size is not None and self.size < self.overlap:
            raise ScenarioError("size must be at least the overlap.", parameter="size")
        if self.locate not in LOCATE:
            raise ScenarioError(f"locate must be one of {', '.join(LOCATE)}.", parameter="locate")

    def _check_bounds(self) -> None:
        """Hold every number against :data:`core.bounds.BOUNDS`."""
        own = ("overlap", "confidence", "seed", "repeats", "size", "category_level")
        try:
            check_all({name: getattr(self, name) for name in own})
            for hospital in self.hospitals:
                check_all({"size": hospital.size, "agreement": hospital.agreement}, of=" of a hospital")
                asked = hospital.policy.values.items()
                check_all(
                    {name: float(value) if isinstance(value, Fraction) else value for name, value in asked},
                    of=" of a hospital",
                )
            check_all(vars(self.forecast), "forecast.", " of the forecast")
            check_all(vars(self.noise), "noise.", " of the noisy tables")
        except ParameterError as error:
            raise ScenarioError(error.message, parameter=error.parameter) from None

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
            "locate": self.locate,
            "category_level": self.category_level,
            "confidence": float(self.confidence),
            "seed": self.seed,
            "repeats": self.repeats,
            "forecast": _floats(asdict(self.forecast), ("confidence", "class_size")),
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
    version = data.get("schema_version")
    later: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "forecast": {}, "noise": {}, "requirements": {}}
    if version == 1 and not isinstance(version, bool):
        return {**data, **later, "locate": "default", "category_level": None}
    if version == 2:
        return {**data, **later}
    if version == 3:
        # The ceiling, and a limit on it, started from equally likely values: that is what such a file means.
        noise = data.get("noise")
        before = {**noise, "prior": UNIFORM} if isinstance(noise, dict) else noise
        return {**data, "schema_version": SCHEMA_VERSION, **({} if before is None else {"noise": before})}
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise ScenarioError(
            f"The file has another version than 1 to {SCHEMA_VERSION}, which this program reads; save it again "
            "with the version that is in use.",
            parameter="schema_version",
        )
    return data


def _floats(data: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: float(value) if name in names and value is not None else value for name, value in data.items()}


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
    kind: dict[str, type] = {name: types[-1] for name, types in _policy_types().items()}
    asked = {name: value for name, value in asdict(policy).items() if name != "more"} | dict(policy.more)
    return {name: kind[name](value) for name, value in asked.items() if value is not None}


def _policy_types() -> dict[str, tuple[type, ...]]:
    """What each parameter of a policy may be in a file; the last is how it is written."""
    found: dict[str, tuple[type, ...]] = {}
    for model in MODELS.values():
        for one in model.parameters:
            number = (int,) if model.is_whole(one) else (int, float)
            found[one.name] = (str,) if one.options else number
    return found


_TYPES: dict[str, tuple[type, ...]] = {
    "format": (str,),
    "schema_version": (int,),
    "data": (dict,),
    "schema": (dict,),
    "hospitals": (list,),
    "overlap": (int,),
    "size": (int, type(None)),
    "locate": (str,),
    "category_level": (int, type(None)),
    "confidence": (int, float),
    "seed": (int,),
    "repeats": (int,),
    "forecast": (dict,),
    "noise": (dict,),
    "requirements": (dict,),
}
_FORECAST_TYPES: dict[str, tuple[type, ...]] = {
    "l": (int,),
    "confidence": (int, float),
    "reading": (str,),
    "others": (int, type(None)),
    "class_size": (int, float, type(None)),
    "source": (str,),
    "file_id": (str,),
}
_NOISE_TYPES: dict[str, tuple[type, ...]] = {
    "epsilon": (int, float),
    "delta": (int, float, type(None)),
    "mechanism": (str,),
    "prior": (str,),
    "columns": (list, type(None)),
    "domains": (dict,),
}
_HOSPITAL_TYPES: dict[str, tuple[type, ...]] = {
    "policy": (dict,),
    "algorithm": (str,),
    "agreement": (int, float),
    "source": (str,),
    "size": (int,),
    "attributes": (list,),
    "upload": (dict,),
}
_UPLOAD_TYPES: dict[str, tuple[type, ...]] = {
    "content_id": (str,),
    "anonymised": (bool,),
    "columns": (list,),
    "values": (list,),
    "centroids": (bool,),
    "name": (str,),
}


def _read(data: dict[str, Any]) -> Scenario:
    _check_fields(data, _TYPES, "scenario", needed=set(_TYPES))
    _check_fields(data["data"], {"name": (str,), "content_id": (str,)}, "data", needed=set())
    hospitals = []
    for entry in data["hospitals"]:
        if not isinstance(entry, dict):
            raise ScenarioError("Every hospital of the scenario must be an object.", parameter="hospitals")
        _check_fields(entry, _HOSPITAL_TYPES, "hospital", needed={"policy"})
        _check_fields(entry["policy"], _policy_types(), "policy", needed={"k"})
        changes: dict[str, Any] = {}
        if "attributes" in entry:
            changes["attributes"] = _texts(entry["attributes"], "attributes")
        if "upload" in entry:
            changes["upload"] = _upload(entry["upload"])
        try:
            hospitals.append(Hospital(**{**entry, **changes, "policy": Policy.of(entry["policy"])}))
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
        locate=data["locate"],
        category_level=data["category_level"],
        data_name=data["data"].get("name", "")[:200],
        data_id=data["data"].get("content_id", "")[:64],
        forecast=_asked(data["forecast"], AskedForecast, _FORECAST_TYPES, "forecast"),
        noise=_asked(data["noise"], lambda **given: AskedNoise.from_json(given), _NOISE_TYPES, "noise"),
        requirements=_asked(
            data["requirements"], Requirements, dict.fromkeys(requirable(), (int, float)), "requirements"
        ),
    )


T = TypeVar("T")


def _asked(data: dict[str, Any], kind: Callable[..., T], types: Mapping[str, tuple[type, ...]], where: str) -> T:
    """Read what is asked beside the attack; what is left out is as it is by default."""
    _check_fields(data, types, where, needed=set())
    try:
        return kind(**data)
    except ParameterError as error:
        raise ScenarioError(error.message, parameter=where) from None


def _upload(data: dict[str, Any]) -> Upload:
    _check_fields(data, _UPLOAD_TYPES, "upload", needed={"content_id", "anonymised", "columns"})
    pairs = {name: tuple(_pair(entry, name) for entry in data.get(name, [])) for name in ("columns", "values")}
    return Upload(
        content_id=data["content_id"][:64],
        anonymised=data["anonymised"],
        centroids=data.get("centroids", False),
        name=data.get("name", "")[:200],
        **pairs,
    )


def _pair(entry: Any, name: str) -> tuple[str, str]:
    texts = _texts(entry, name)
    if len(texts) != 2:
        raise ScenarioError(f"Every entry of {name} must be a pair of texts.", parameter=name)
    return texts[0], texts[1]


def _texts(entry: Any, name: str) -> tuple[str, ...]:
    if not isinstance(entry, list) or not all(isinstance(text, str) for text in entry):
        raise ScenarioError(f"Every entry of {name} must be a text.", parameter=name)
    return tuple(entry)


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

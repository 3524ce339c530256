"""The scenario file, declared with types and ranges."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta, Struct, field, inspect

from core.base.json_files import fields_of, plain_type
from core.base.ranges import Range
from core.data.schemas.schema_file import SchemaInFile
from core.decision.scenario.questions import AskedForecast, AskedNoise, DecisionWords, PlainChoices, Size, Strength
from core.privacy.parameters import policy_bounds
from core.release.algorithm import DEFAULT
from core.release.count_settings import CountSettings
from core.study.uploads import Upload

FORMAT = "composition scenario"
FILE_VERSION = 8
"""Version of the files written; no other is read."""


class Origin(Struct, forbid_unknown_fields=True):
    """Name of the data, and the content id of its table."""

    name: str = ""
    content_id: str = ""


class HospitalInFile(Struct, forbid_unknown_fields=True):
    """A hospital, with the parameters of its policy that have a requirement."""

    policy: dict[str, int | float | str]
    algorithm: str = DEFAULT
    same_value_rate: Annotated[float, Meta(ge=0, le=1)] = 1.0
    origin: str = "simulated"
    size: Size | None = None
    attributes: tuple[str, ...] | None = None
    upload: Upload | None = None
    case_mix: Strength = 0.0
    counts: CountSettings | None = None


class ScenarioInFile(
    PlainChoices, frozen=True, kw_only=True, tag_field="format", tag=FORMAT, forbid_unknown_fields=True
):
    """The file of a scenario."""

    schema_version: int
    data: Origin
    schema: SchemaInFile
    hospitals: list[HospitalInFile]
    requirements: dict[str, float] = field(default_factory=dict)
    decision: DecisionWords = DecisionWords()


def in_file(facts: Any) -> Any:
    """Choices as a file has them."""
    return msgspec.to_builtins(facts, enc_hook=python_number)


def python_number(value: Any) -> Any:
    """Convert a number of another library to Python's own type."""
    if isinstance(value, np.generic):
        return value.item()
    return float(value) if isinstance(value, Fraction) else value


def bounds() -> dict[str, Range]:
    """Bounds of every number a user may choose, by the names of fields and of parameters of a policy."""
    bound_of = policy_bounds()
    for part, struct in (
        ("", PlainChoices),
        ("forecast.", AskedForecast),
        ("noise.", AskedNoise),
        ("", HospitalInFile),
    ):
        for name, declared in fields_of(struct).items():
            number = plain_type(declared)
            if getattr(number, "ge", None) is not None:
                bound_of[part + name] = Range(number.ge, number.le, isinstance(number, inspect.IntType))
    return bound_of

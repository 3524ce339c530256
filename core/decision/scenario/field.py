"""What a field of a scenario declares of itself, once; files, bounds, command line and report ask it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.base import words
from core.base.bounds import POLICY, Bound
from core.base.errors import ParameterError, ScenarioError
from core.base.errors import shown_name as shown

NEEDED: Any = object()
"""The default of a field that every scenario states."""
LEFT_OUT: Any = object()
"""What a file from before a field meant, where that is the field's default."""
FORMS = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    type(None): "null",
}
"""Words for the types of a file."""
OF = {"hospital": " of a hospital", "forecast": " of the forecast", "noise": " of the noisy tables"}
"""Words for the part of a scenario that a field stands in."""


def plain(value: Any, _: Mapping[str, Any]) -> str:
    """The value of a field as it was given."""
    return words.NONE if value is None else words.plain_number(value) if isinstance(value, int | float) else str(value)


@dataclass(frozen=True)
class Field:
    """One field of a scenario.

    Parameters
    ----------
    name
        In scenario files: "overlap"; after the part that it stands in and a dot: "forecast.l".
    kinds
        Types that it may have in a file; a number that is written is of the last of them.
    default
        Its value where nothing is said; :data:`NEEDED` where a file has to say it.
    since
        Version of the scenario file that added it.
    before
        What an older file meant that has the part but not the field.
    bound
        Least and most of a number.
    choices
        What a text can be.
    option
        Help of its option on the command line; no option where it is "".
    group, title
        Where its line in a report stands, and the words before its value; no line where ``title`` is
        "". What is no single number or text has no group.
    text
        The value in words, from the value and all values of its part.
    people
        Whether it counts people, so that a report for others rounds it.
    """

    name: str
    kinds: tuple[type, ...]
    default: Any = NEEDED
    since: int = 1
    before: Any = LEFT_OUT
    bound: Bound | None = None
    choices: tuple[str, ...] = ()
    option: str = ""
    group: str = "Attack"
    title: str = ""
    text: Callable[[Any, Mapping[str, Any]], str] = plain
    people: bool = False

    @property
    def part(self) -> str:
        """The part of the scenario that it stands in; "" for the scenario itself."""
        return self.name.rpartition(".")[0]

    @property
    def key(self) -> str:
        """Its name within its part."""
        return self.name.rpartition(".")[2]

    @property
    def whole(self) -> bool:
        """Whether it is a whole number."""
        return int in self.kinds and float not in self.kinds

    def check(self, value: Any) -> None:
        """Refuse a value that is out of its range.

        Raises
        ------
        ScenarioError
            With the name of the field and what it can be.
        """
        name = f"{self.key}{OF.get(self.part, '')}"
        if self.bound is not None:
            try:
                self.bound.check(value, name, self.key)
            except ParameterError as error:
                raise ScenarioError(error.message, parameter=error.parameter) from None
        if self.choices and value not in self.choices:
            raise ScenarioError(f"{name} must be one of {', '.join(self.choices)}.", parameter=self.key)

    def check_kind(self, value: Any, where: str) -> None:
        """Refuse a value of a file that is of another type.

        Raises
        ------
        ScenarioError
            With the name of the field.
        """
        wrong = not isinstance(value, self.kinds) or (isinstance(value, bool) and bool not in self.kinds)
        endless = isinstance(value, float) and not math.isfinite(value)
        if wrong or endless or (isinstance(value, int) and float in self.kinds and abs(value) > 2**1000):
            raise ScenarioError(
                f"The field {shown(self.key)} of the {where} has the wrong type; write {self.form} there, or save the "
                "scenario again.",
                parameter=self.key,
            )

    @property
    def form(self) -> str:
        """What it may be in a file, in words: "a whole number or null"."""
        kinds = [kind for kind in self.kinds if not (kind is int and float in self.kinds)]
        return " or ".join(FORMS[kind] for kind in kinds)

    def written(self, value: Any) -> Any:
        """Its value in a file: equal choices give equal text, 3 and 3.0 are one choice."""
        return float(value) if float in self.kinds and value is not None else value


FIELDS: dict[str, Field] = {}
"""Every field by its name; ``core.decision.scenario.declared`` fills it."""


def declare(*fields: Field) -> None:
    """Add fields to the registry."""
    FIELDS.update({field.name: field for field in fields})


def fields_of(part: str = "") -> dict[str, Field]:
    """Fields of the scenario itself, or of a part of it, by their names there."""
    return {field.key: field for field in FIELDS.values() if field.part == part}


def check(part: str, values: Mapping[str, Any]) -> None:
    """Refuse the first value of a part that is out of its range."""
    for key, field in fields_of(part).items():
        if key in values:
            field.check(values[key])


def check_file(part: str, data: Mapping[str, Any], where: str = "") -> None:
    """Refuse what a file says of a part: an unknown field, one that is missing, one of the wrong type.

    Raises
    ------
    ScenarioError
        With the name of the field.
    """
    where = where or part or "scenario"
    check_values(data, fields_of(part), where, needed=fields_of(part) if not part else ())


def check_values(data: Mapping[str, Any], fields: Mapping[str, Field], where: str, needed: Iterable[str] = ()) -> None:
    """The same for the fields that are given; ``needed`` are those that have a default and must be there."""
    for name, value in data.items():
        if name not in fields:
            raise ScenarioError(f"The {where} has an unknown field {shown(str(name))}.", parameter=str(name))
        fields[name].check_kind(value, where)
    for name in sorted({name for name, field in fields.items() if field.default is NEEDED} | set(needed)):
        if name not in data:
            raise ScenarioError(f"The {where} lacks the field {shown(name)}.", parameter=name)


def schema_version() -> int:
    """Version of the files that are written: that of the youngest field."""
    return max(field.since for field in FIELDS.values())


def migrated(data: Mapping[str, Any], version: int) -> dict[str, Any]:
    """A file of an earlier version with every field that was added since, as such a file meant it."""
    migrated_data = dict(data)
    for field in FIELDS.values():
        if field.since <= version:
            continue
        if not field.part:
            migrated_data[field.key] = field.default if field.before is LEFT_OUT else field.before
            continue
        part = migrated_data.get(field.part)
        if field.before is not LEFT_OUT and isinstance(part, dict) and FIELDS[field.part].since <= version:
            migrated_data[field.part] = {**part, field.key: field.before}
    return migrated_data


def bounds() -> dict[str, Bound]:
    """Bounds of every number a user may choose, by the names of fields and of parameters of a policy."""
    bound_of = {field.name.removeprefix("hospital."): field.bound for field in FIELDS.values()}
    return {name: bound for name, bound in bound_of.items() if bound is not None} | dict(POLICY)

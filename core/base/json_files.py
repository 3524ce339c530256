"""JSON files declared as structs: one-sentence errors without values, and digests."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import inspect

from core.base.errors import CompositionError
from core.base.errors import shown_name as shown
from core.base.ranges import Range

Declared = TypeVar("Declared")
Count = Annotated[int, msgspec.Meta(ge=0)]
_PLACE = re.compile(r"^(?P<fault>.*?)(?: - at `\$\.?(?P<path>[^`$]*)`)?$", re.DOTALL)
_FIELD = re.compile(r"Object (?P<how>contains unknown|missing required) field `(?P<name>.*)`", re.DOTALL)

WORDS = {
    inspect.BoolType: "true or false",
    inspect.DateType: "a day written YYYY-MM-DD",
    inspect.NoneType: "null",
    inspect.StructType: "an object",
    inspect.DictType: "an object",
    inspect.DataclassType: "an object",
}
"""Wording of types without a range."""


def parsed(text: str | bytes) -> dict[str, Any] | None:
    """Return the object that a JSON text holds; ``None`` if it holds none."""
    try:
        facts = json.loads(text)
        json.dumps(facts, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


def read(facts: Any, target: type[Declared], what: str, refusal: type[CompositionError]) -> Declared:
    """Parse a file into its struct; ``what`` names the file in a sentence, such as "scenario".

    Raises
    ------
    CompositionError
        A ``refusal`` that names the field and what it must be.
    """
    try:
        return msgspec.convert(facts, target)
    except msgspec.ValidationError as error:
        name, sentence = _refused(str(error), target, what)
    except CompositionError as error:  # what the types cannot say
        name, sentence = error.parameter, error.message
    raise refusal(sentence, parameter=name)


def _refused(text: str, target: Any, what: str) -> tuple[str | None, str]:
    """Return the invalid field and a sentence; errors of msgspec name paths and types, and may quote a value."""
    place = _PLACE.match(text)
    assert place is not None, "the pattern fits any text"
    path, fault = place["path"] or "", _FIELD.fullmatch(place["fault"])
    node, name = inspect.type_info(target), what
    for step in re.findall(r"\.{3}|[^.\[\]]+", path):
        node = _inside(node, step)
        name = step if step.isidentifier() else name
    if fault is None:
        start = f"In the {what}, {path}" if path else f"The {what}"
        return name, f"{start} must be {words_of(node)}."
    name, inside = fault["name"], f" in {path}" if path else ""
    if fault["how"] == "missing required":
        return name, f"The {what} lacks the field {shown(name)}{inside}."
    known = ", ".join(field.name for field in plain_type(node).fields)
    return name, f"The {what} has an unknown field {shown(name)}{inside}; it can have {known}."


def _inside(node: Any, step: str) -> Any:
    """The declared type one level deeper: a field of a struct, an item of a list, a value of an object."""
    choices = getattr(getattr(node, "type", node), "types", [node])
    node = plain_type(
        next((each for each in choices if hasattr(each, "item_type")), node)
    )  # one text or a list of them
    if isinstance(node, inspect.StructType | inspect.DataclassType):
        return next(field.type for field in node.fields if field.name == step)
    if isinstance(node, inspect.TupleType):
        return node.item_types[int(step)]
    return node.value_type if isinstance(node, inspect.DictType) else node.item_type


def fields_of(target: type) -> dict[str, Any]:
    """Declared type of each field of a struct, by its name."""
    declared: Any = inspect.type_info(target)
    return {field.name: field.type for field in declared.fields}


def plain_type(node: Any) -> Any:
    """Return a declared type without its description and without null."""
    node = getattr(node, "type", node)
    return next(each for each in getattr(node, "types", [node]) if not isinstance(each, inspect.NoneType))


def words_of(node: Any) -> str:
    """A declared type in words: "a whole number from 1 to 50 or null"."""
    match node:
        case inspect.Metadata():
            return words_of(node.type)
        case inspect.UnionType():
            return " or ".join(words_of(each) for each in node.types)
        case inspect.EnumType():
            return f"one of {', '.join(node.cls)}"
        case inspect.LiteralType():
            return f"one of {', '.join(map(str, node.values))}"
        case inspect.IntType() | inspect.FloatType():
            words = "a whole number" if isinstance(node, inspect.IntType) else "a number"
            return words if node.ge is None or node.le is None else f"{words} {Range(node.ge, node.le).words}"
        case inspect.StrType():
            return "a text" if node.max_length is None else f"a text of at most {node.max_length:,} characters"
        case inspect.TupleType():
            return f"{len(node.item_types)} texts"
    return WORDS.get(type(node), "a list")


def sealed(facts: Mapping[str, Any]) -> str:
    """Facts as the text of a file, with their digest: same facts, same text."""
    return json.dumps({**facts, "digest": digest_of(facts)}, indent=1, sort_keys=True, allow_nan=False) + "\n"


def digest_of(facts: Mapping[str, Any]) -> str:
    """SHA-256 of everything except the digest, as compact JSON with sorted keys; readers recompute it."""
    rest = {name: value for name, value in facts.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

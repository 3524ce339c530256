"""A valid file with one thing wrong in it: another type, out of range, empty, twice the same, a field nobody knows."""

from __future__ import annotations

import copy
import functools
import json
import math
import operator
from collections.abc import Callable
from typing import Any

Path = tuple[str | int, ...]

SPOILS = {"null": None, "true": True, "half": 0.5, "below": -1, "nan": math.nan, "text": "x", "blank": "", "empty": []}


def places(part: Any, path: Path = ()) -> list[Path]:
    """Every place of a file."""
    inside = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [path, *(place for step, value in inside for place in places(value, (*path, step)))]


def any_place(path: Path) -> str:
    return ".".join("*" if isinstance(step, int) else step for step in path)


def put(path: Path, value: Any, whole: Any) -> Any:
    """A file with something else in one place."""
    data = copy.deepcopy(whole)
    functools.reduce(operator.getitem, path[:-1], data)[path[-1]] = value
    return data


def wrongly_named(whole: Any, stands: Callable[[str], bool], named: dict[str, str]) -> dict[str, set[str]]:
    """Places of a file in which something wrong is read, or refused, otherwise than ``named`` says.

    ``named`` has the ways that are read, and the places where they are; anything else must be refused.
    """
    found: dict[str, set[str]] = {}
    for path in {any_place(path): path for path in reversed(places(whole)[1:])}.values():
        here = functools.reduce(operator.getitem, path, whole)
        more = {"twice": [*here, here[-1]]} if isinstance(here, list) and here else {}
        more |= {"unknown": {**here, "\x1bnobody": 1}} if isinstance(here, dict) else {}
        for how, value in {**SPOILS, **more}.items():
            if (type(value), value) != (type(here), here) and stands(json.dumps(put(path, value, whole))):
                found.setdefault(any_place(path), set()).add(how)
    said = {place: set(ways.split()) for ways, names in named.items() for place in names.split()}
    return {place: found.get(place, set()) for place in {*found, *said} if found.get(place) != said.get(place)}

"""What scenario files of earlier versions may ask for that is no longer there, and what to choose instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import ScenarioError

_PERFECT = "the forecast's own model; set a limit on perfect (one value left), which comes from redraws"
GONE: Mapping[tuple[str, str], str] = {
    ("forecast", "class_size"): "the forecast's own model; say how the other hospital forms its classes instead",
    ("requirements", "expected"): _PERFECT,
    ("requirements", "pinned"): _PERFECT,
}
"""By part and field of a file: with what it went, and what to do."""


def without_gone(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a file without the fields that are gone and ask for nothing.

    Raises
    ------
    ScenarioError
        If one asks for something.
    """
    kept = dict(data)
    for (part, name), why in GONE.items():
        if isinstance(kept.get(part), dict) and name in kept[part]:
            if kept[part][name] is not None:
                raise ScenarioError(f"The scenario sets {name}, which went with {why}.", parameter=name)
            kept[part] = {field: value for field, value in kept[part].items() if field != name}
    return kept

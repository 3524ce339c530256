"""Read scenario files of earlier versions, including fields that no longer exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.base.errors import ScenarioError
from core.dp import UNIFORM

_PERFECT = "the forecast's own model; set a limit on one_value_left, which comes from redraws"
_CATEGORY = "the numbers of categories; map the sensitive values to a level of their taxonomy, and protect that column"
_SMALLEST = "the adversary who takes the smallest region; set a limit on breach, with classes that the adversary knows"
_BALANCE = "balanced counts; leave it out, or ask for more values of a bucket, or for t"
GONE: Mapping[tuple[str, str], str] = {
    ("", "category_level"): _CATEGORY,
    ("requirements", "category"): _CATEGORY,
    ("requirements", "category_right"): _CATEGORY,
    ("requirements", "smallest"): _SMALLEST,
    ("policy", "balance"): _BALANCE,
    ("requirements", "balance"): _BALANCE,
    ("policy", "agreed"): "whole buckets by other algorithms; choose the algorithm coordinated, with an agreement",
    ("policy", "incomplete"): "the names of incomplete buckets; leave it out: such records are not published",
    ("forecast", "class_size"): "the forecast's own model; say how the other hospital forms its classes instead",
    ("requirements", "expected"): _PERFECT,
    ("requirements", "pinned"): _PERFECT,
}
"""Removed fields by part of a file ("" for the whole, "policy" for any hospital's): the feature removed, and what to
do.
"""
_RELEASE_IT = "anonymise it (command release, or the page Release), and load the file as their release"
NO_ORIGIN: Mapping[str, str] = {
    "raw": f"raw tables of other hospitals; {_RELEASE_IT}",
    "independent": "people with independent attributes; choose resampled",
    "conditional": "people drawn from conditional frequencies; choose resampled",
}
"""Origins of a hospital's records that no longer exist, and what to do."""
RENAMED: Mapping[str, Mapping[str, str]] = {
    "hospitals": {"agreement": "same_value_rate", "source": "origin"},
    "forecast": {"source": "statistics"},
    "schema": {"agreement": "same_value_rate", "others": "unassigned", "published": "unmodified"},
    "requirements": {
        "perfect": "one_value_left",
        "perfect_right": "one_value_left_correct",
        "breach_right": "breach_correct",
        "weighted_right": "weighted_correct",
    },
}
"""Present names of the fields of files before version 6, by part of a file."""


def as_meant(data: Mapping[str, Any], version: int) -> dict[str, Any]:
    """Return the data of an earlier version's file, completed with choices that it could not state."""
    meant = dict(data)
    if version < 2:
        meant["locate"] = "default"
    hospitals = meant.get("hospitals")
    if isinstance(hospitals, list):
        meant["hospitals"] = [_by_agreement(hospital) for hospital in hospitals]
    noise = meant.get("noise")
    if version == 3 and isinstance(noise, dict):
        # Its ceiling, and a limit on it, started from equally likely values.
        meant["noise"] = {**noise, "prior": UNIFORM}
    if version < 6:
        for part, names in RENAMED.items():
            fields = meant.get(part)
            if isinstance(fields, list):
                meant[part] = [_renamed(hospital, names) for hospital in fields]
            elif fields is not None:
                meant[part] = _renamed(fields, names)
    if version < 8:
        _check_limits(meant)
    return meant


def _check_limits(data: Mapping[str, Any]) -> None:
    """Refuse a limit on a share that was of the joint value, and is now of any protected column."""
    schema, limits = data.get("schema"), data.get("requirements")
    protected = schema.get("sensitive") if isinstance(schema, dict) else None
    if not (isinstance(protected, list) and len(protected) > 1 and isinstance(limits, dict)):
        return
    changed = [name for name in limits if name.startswith(("one_value_left", "breach", "named_"))]
    if changed:
        raise ScenarioError(
            f"The scenario has a limit on {changed[0]} and protects several columns. That share now counts whoever is "
            "exposed in any of them, not in all together: remove the limit from the file, and set it again.",
            parameter=changed[0],
        )


def _by_agreement(hospital: Any) -> Any:
    """Classes of whole buckets of an agreed list are those that keep an agreement."""
    if not isinstance(hospital, dict) or hospital.get("algorithm") != "by-bucket":
        return hospital
    policy = hospital.get("policy")
    kept = {name: value for name, value in policy.items() if name != "agreed"} if isinstance(policy, dict) else policy
    return {**hospital, "algorithm": "coordinated", "policy": kept}


def _renamed(fields: Any, names: Mapping[str, str]) -> Any:
    """Rename the fields of a part of a file to their present names; anything but an object is left to be refused."""
    return {names.get(name, name): value for name, value in fields.items()} if isinstance(fields, dict) else fields


def without_gone(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a file without removed fields that have no effect.

    Raises
    ------
    ScenarioError
        If a removed field has an effect.
    """
    kept = {part: dict(fields) if isinstance(fields, dict) else fields for part, fields in data.items()}
    hospitals = kept.get("hospitals")
    policies = [
        hospital["policy"]
        for hospital in (hospitals if isinstance(hospitals, list) else [])
        if isinstance(hospital, dict) and isinstance(hospital.get("policy"), dict)
    ]
    for hospital in hospitals if isinstance(hospitals, list) else []:
        _check_origin(hospital)
    for (part, name), why in GONE.items():
        for fields in policies if part == "policy" else [kept.get(part) if part else kept]:
            if isinstance(fields, dict) and fields.pop(name, None) is not None:
                raise ScenarioError(f"The scenario sets {name}, which was removed with {why}.", parameter=name)
    return kept


def _check_origin(hospital: Any) -> None:
    """Refuse an origin that was removed; a file of another hospital is always as it was published."""
    if not isinstance(hospital, dict):
        return
    upload = hospital.get("upload")
    is_released = upload.pop("anonymised", True) if isinstance(upload, dict) else True
    why = NO_ORIGIN.get(str(hospital.get("origin")) if is_released else "raw")
    if why is not None:
        raise ScenarioError(f"The scenario has an origin that was removed with {why}.", parameter="origin")

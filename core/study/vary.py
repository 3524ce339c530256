"""A study with one thing changed: the points of a sweep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.base.errors import ParameterError
from core.base.limits import LIMITS
from core.privacy.model import further_models
from core.study.draw import default_size
from core.study.hospitals import Hospital, Study

KS = ("k", "my k", "their k")
OF_STUDY = ("overlap", "releases", "same_value_rate", "case_mix")


def variable() -> tuple[str, ...]:
    """Quantities that a sweep can vary: k, parameters of other models (at all hospitals), and the study itself."""
    return (*KS, *(model.symbol for model in further_models()), *OF_STUDY)


def at_value(study: Study, vary: str, value: Any) -> Study:
    """Return the study with one thing changed."""
    if vary == "overlap":
        return replace(study, overlap=int(value))
    if vary == "releases":
        LIMITS["hospitals"].check(value, "releases")
        return replace(study, hospitals=(study.hospitals[0], *_first_n_others(study.hospitals[1:], int(value) - 1)))
    if vary == "same_value_rate":
        others = tuple(
            replace(hospital, same_value_rate=float(value)) if hospital.is_drawn else hospital
            for hospital in study.hospitals[1:]
        )
        return replace(study, hospitals=(study.hospitals[0], *others))
    if vary == "case_mix":
        others = tuple(
            replace(hospital, case_mix=float(value)) if hospital.origin == "resampled" else hospital
            for hospital in study.hospitals[1:]
        )
        return replace(study, hospitals=(study.hospitals[0], *others))
    if vary not in variable():
        raise ParameterError(f"vary must be one of {', '.join(variable())}.", parameter="vary")
    changes = {"k" if vary in KS else vary: value}

    def changed(number: int, hospital: Hospital) -> Hospital:
        if (vary == "my k" and number > 0) or (vary == "their k" and number == 0):
            return hospital
        return replace(hospital, policy=hospital.policy.with_(**changes))

    return replace(study, hospitals=tuple(changed(i, hospital) for i, hospital in enumerate(study.hospitals)))


def _first_n_others(others: Sequence[Hospital], wanted: int) -> tuple[Hospital, ...]:
    """Return the first others; if they are too few, repeat the drawn ones, because a file is one hospital."""
    drawn = [hospital for hospital in others if hospital.is_drawn]
    if wanted > len(others) and not drawn:
        raise ParameterError(
            f"There are {len(others) + 1} hospitals, and one file cannot serve as two; add a simulated or modelled "
            f"one.",
            parameter="releases",
        )
    return (*others[:wanted], *(drawn[i % len(drawn)] for i in range(wanted - len(others))))


def fixed_sizes(study: Study, vary: str, values: Sequence[Any], records: int) -> Study:
    """Return the study with size and dealing fixed so that every point of the sweep can be drawn.

    ``records`` are the people of my table: ``encoded.people``.

    A simulated hospital with its size set separately keeps it as far as every point has room for it.

    Raises
    ------
    ParameterError
        If an overlap of the sweep is larger than the hospitals of its smallest point.
    """
    studies = [at_value(study, vary, value) for value in values]
    overlaps = [point.overlap for point in studies]
    if min(overlaps) < 1 or max(overlaps) > records:
        raise ParameterError(
            f"The overlap must be from 1 to the {records:,} records of the table.", parameter="overlap"
        )
    deal = max(point.dealt for point in studies)
    # If no other hospital is dealt from my table, it stays whole, and a modelled hospital is as large.
    size = records if deal == 1 else min(default_size(records, overlap, deal) for overlap in overlaps)
    if study.size is not None:
        size = min(size, study.size)
    if max(overlaps) > size:
        raise ParameterError(
            f"In one curve every hospital has {size:,} records, so the overlap can be at most {size:,}; "
            f"{max(overlaps):,} was given.",
            parameter="overlap",
        )
    hospitals = tuple(
        replace(hospital, size=min(hospital.size, size))
        if hospital.origin == "simulated" and hospital.size is not None
        else hospital
        for hospital in study.hospitals
    )
    return replace(study, hospitals=hospitals, size=size, deal=deal if deal > 1 else None)

"""A study run once: hospitals drawn, anonymised, attacked; and the same study with one thing changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.anonymize import partition
from core.attack import AttackResult, intersection_attack
from core.encoding import Encoded
from core.errors import ParameterError
from core.hospitals import Hospital, Study, default_size
from core.release import Release

Progress = Callable[[float], None]
VARY = ("k", "my k", "their k", "l", "t", "overlap", "releases", "agreement")
"""What a sweep can vary; "k" is that of all hospitals, l and t too."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """One draw of a study, anonymised and attacked.

    Parameters
    ----------
    releases
        Release of each hospital; the first ``overlap`` records of each are the shared people.
    result
        What the adversary is left with.
    """

    releases: tuple[Release, ...]
    result: AttackResult

    @property
    def class_size(self) -> float:
        """Mean size of the classes that the shared people are in, over people and releases."""
        people = np.arange(self.result.people)
        return float(np.mean([release.sizes[release.labels[people]].mean() for release in self.releases]))


def seeds(seed: int, repeats: int) -> list[np.random.SeedSequence]:
    """Independent seeds of the redraws of a study; the first few do not depend on how many follow."""
    return [np.random.SeedSequence((seed, number)) for number in range(repeats)]


def run_study(
    encoded: Encoded, study: Study, seed: int | np.random.SeedSequence = 0, progress: Progress | None = None
) -> Outcome:
    """Draw the hospitals of a study once, anonymise each, attack the shared people."""
    parts = study.draw(encoded, seeds(seed, 1)[0] if isinstance(seed, int) else seed)
    return attack_parts(study, parts, progress)


def attack_parts(study: Study, parts: Sequence[Encoded], progress: Progress | None = None) -> Outcome:
    """Anonymise what each hospital has, and attack the people they share."""
    releases = []
    for number, (part, hospital) in enumerate(zip(parts, study.hospitals, strict=True)):
        releases.append(partition(part, hospital.policy, hospital.algorithm))
        if progress is not None:
            progress((number + 1) / len(parts))
    return outcome_of(releases, study.overlap)


def outcome_of(releases: Sequence[Release], overlap: int) -> Outcome:
    """Attack releases whose first records are the people shared."""
    people = np.arange(overlap)
    return Outcome(tuple(releases), intersection_attack(releases, [people] * len(releases)))


def at_value(study: Study, vary: str, value: Any) -> Study:
    """Return the study with one thing changed."""
    if vary == "overlap":
        return replace(study, overlap=int(value))
    if vary == "releases":
        first, others = study.hospitals[0], study.hospitals[1:]
        wanted = int(value) - 1
        return replace(study, hospitals=(first, *(others[i % len(others)] for i in range(wanted))))
    if vary == "agreement":
        others = tuple(replace(hospital, agreement=float(value)) for hospital in study.hospitals[1:])
        return replace(study, hospitals=(study.hospitals[0], *others))
    changes = {"k": "k", "my k": "k", "their k": "k", "l": "l", "t": "t"}
    if vary not in changes:
        raise ParameterError(f"vary must be one of {', '.join(VARY)}.", parameter="vary")

    def changed(number: int, hospital: Hospital) -> Hospital:
        if (vary == "my k" and number > 0) or (vary == "their k" and number == 0):
            return hospital
        return replace(hospital, policy=replace(hospital.policy, **{changes[vary]: value}))

    return replace(study, hospitals=tuple(changed(i, hospital) for i, hospital in enumerate(study.hospitals)))


def fixed_sizes(study: Study, vary: str, values: Sequence[Any], records: int) -> Study:
    """Return the study with size and dealing fixed so that every point of the sweep can be drawn.

    Raises
    ------
    ParameterError
        If an overlap of the sweep is larger than the hospitals of its smallest point.
    """
    studies = [at_value(study, vary, value) for value in values]
    deal = max(len(point.hospitals) for point in studies)
    overlaps = [point.overlap for point in studies]
    if min(overlaps) < 1 or max(overlaps) > records:
        raise ParameterError(
            f"The overlap must be from 1 to the {records:,} records of the table.", parameter="overlap"
        )
    size = min(default_size(records, overlap, deal) for overlap in overlaps)
    size = min(size, study.size) if study.size is not None else size
    if max(overlaps) > size:
        raise ParameterError(
            f"Within one curve every hospital has {size:,} records, so the overlap can be at most {size:,}; "
            f"{max(overlaps):,} was asked.",
            parameter="overlap",
        )
    return replace(study, size=size, deal=deal)

"""A study run once: hospitals drawn, anonymised, attacked; and the same study with one thing changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.anonymize import partition
from core.attack import AttackResult, intersection_attack
from core.encoding import Encoded
from core.errors import ParameterError
from core.hospitals import MAX_RELEASES, Hospital, Part, Study, default_size, positions_there
from core.published import Published
from core.release import Release
from core.uploads import Foreign, Upload

Ints = NDArray[np.int64]
Progress = Callable[[float], None]
VARY = ("k", "my k", "their k", "l", "t", "overlap", "releases", "agreement")
"""What a sweep can vary; "k" is that of all hospitals, l and t too."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """One draw of a study, anonymised and attacked.

    Parameters
    ----------
    releases
        Release of each hospital; the first ``overlap`` records of each drawn one are the shared
        people. The first is mine.
    result
        What the adversary is left with.
    people
        Positions of the shared people in each release; ``None`` where nobody knows.
    """

    releases: tuple[Release | Published, ...]
    result: AttackResult
    people: tuple[Ints | None, ...]

    @property
    def mine(self) -> Release:
        """My own release."""
        mine = self.releases[0]
        assert isinstance(mine, Release)
        return mine

    @cached_property
    def class_size(self) -> float:
        """Mean records in the candidate classes of the shared people, over people located and releases."""
        sizes = []
        for located, histogram in zip(self.result.located, self.result.histograms, strict=True):
            there = located.counts > 0
            if there.any():
                records = np.bincount(located.owner, weights=histogram.sizes[located.classes], minlength=len(there))
                sizes.append(float(records[there].mean()))
        return float(np.mean(sizes)) if sizes else 0.0


def seeds(seed: int, repeats: int) -> list[np.random.SeedSequence]:
    """Independent seeds of the redraws of a study; the first few do not depend on how many follow."""
    return [np.random.SeedSequence((seed, number)) for number in range(repeats)]


def run_study(
    encoded: Encoded,
    study: Study,
    seed: int | np.random.SeedSequence = 0,
    progress: Progress | None = None,
    files: Mapping[Upload, Foreign] | None = None,
) -> Outcome:
    """Draw the hospitals of a study once, anonymise each, attack the shared people.

    ``files`` are what the uploads of the study became.
    """
    parts = study.draw(encoded, seeds(seed, 1)[0] if isinstance(seed, int) else seed, files)
    return attack_parts(study, parts, progress)


def attack_parts(study: Study, parts: Sequence[Part], progress: Progress | None = None) -> Outcome:
    """Anonymise what each hospital has, and attack the people they share."""
    releases: list[Release | Published] = []
    for number, (part, hospital) in enumerate(zip(parts, study.hospitals, strict=True)):
        inner = None if progress is None else _inner(progress, number, len(parts))
        releases.append(release_of(part, hospital, inner))
        if progress is not None:
            progress((number + 1) / len(parts))
    return outcome_of(releases, parts, study)


def _inner(progress: Progress, number: int, steps: int) -> Progress:
    return lambda share: progress((number + share) / steps)


def release_of(part: Part, hospital: Hospital, progress: Progress | None = None) -> Release | Published:
    """Anonymise what a hospital has; a published table stays what it is."""
    if isinstance(part, Foreign):
        if part.published is not None:
            return part.published
        assert part.encoded is not None
        return partition(part.encoded, hospital.policy, hospital.algorithm, progress)
    return partition(part, hospital.policy, hospital.algorithm, progress)


def outcome_of(releases: Sequence[Release | Published], parts: Sequence[Part], study: Study) -> Outcome:
    """Attack releases of the parts of a study.

    The shared people are the first records of what was drawn, the linked records of a linked
    file, and nobody known in any other file: there they are located by what is published.
    """
    mine = parts[0]
    assert isinstance(mine, Encoded)
    shared = np.arange(study.overlap)
    read: list[Release | Published] = []
    people: list[Ints | None] = []
    for release, part in zip(releases, parts, strict=True):
        if not isinstance(part, Foreign):
            read.append(release)
            people.append(shared)
        elif part.linked:
            read.append(release)
            people.append(positions_there(part, mine.rows[shared]))
        else:
            read.append(release.published if isinstance(release, Release) else release)
            people.append(None)
    return Outcome(tuple(read), intersection_attack(read, people, study.locate), tuple(people))


def at_value(study: Study, vary: str, value: Any) -> Study:
    """Return the study with one thing changed."""
    if vary == "overlap":
        return replace(study, overlap=int(value))
    if vary == "releases":
        if not 2 <= value <= MAX_RELEASES:
            raise ParameterError(f"The number of hospitals must be from 2 to {MAX_RELEASES}.", parameter="releases")
        return replace(study, hospitals=(study.hospitals[0], *_so_many(study.hospitals[1:], int(value) - 1)))
    if vary == "agreement":
        others = tuple(
            hospital if hospital.upload is not None else replace(hospital, agreement=float(value))
            for hospital in study.hospitals[1:]
        )
        return replace(study, hospitals=(study.hospitals[0], *others))
    changes = {"k": "k", "my k": "k", "their k": "k", "l": "l", "t": "t"}
    if vary not in changes:
        raise ParameterError(f"vary must be one of {', '.join(VARY)}.", parameter="vary")

    def changed(number: int, hospital: Hospital) -> Hospital:
        if (vary == "my k" and number > 0) or (vary == "their k" and number == 0):
            return hospital
        return replace(hospital, policy=replace(hospital.policy, **{changes[vary]: value}))

    return replace(study, hospitals=tuple(changed(i, hospital) for i, hospital in enumerate(study.hospitals)))


def _so_many(others: Sequence[Hospital], wanted: int) -> tuple[Hospital, ...]:
    """Return the first others; where they do not suffice, the drawn ones over again, as a file is one hospital."""
    drawn = [hospital for hospital in others if hospital.upload is None]
    if wanted > len(others) and not drawn:
        raise ParameterError(
            f"There are {len(others) + 1} hospitals, and a file cannot be two; add a simulated or modelled one.",
            parameter="releases",
        )
    return (*others[:wanted], *(drawn[i % len(drawn)] for i in range(wanted - len(others))))


def fixed_sizes(study: Study, vary: str, values: Sequence[Any], records: int) -> Study:
    """Return the study with size and dealing fixed so that every point of the sweep can be drawn.

    A simulated hospital with a size of its own keeps it as far as every point has room for it.

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
    # Where nobody else is dealt from my table it stays whole, and a modelled hospital is as large.
    size = records if deal == 1 else min(default_size(records, overlap, deal) for overlap in overlaps)
    if study.size is not None:
        size = min(size, study.size)
    if max(overlaps) > size:
        raise ParameterError(
            f"Within one curve every hospital has {size:,} records, so the overlap can be at most {size:,}; "
            f"{max(overlaps):,} was asked.",
            parameter="overlap",
        )
    hospitals = tuple(
        replace(hospital, size=min(hospital.size, size))
        if hospital.source == "simulated" and hospital.size is not None
        else hospital
        for hospital in study.hospitals
    )
    return replace(study, hospitals=hospitals, size=size, deal=deal if deal > 1 else None)

"""Run a study once: draw hospitals, anonymise and attack them; or the same study with one thing changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from core.algorithms import partition, partition_sweep
from core.attack.intersection import AttackResult, intersection_attack
from core.attack.weighted import Weighted, weigh
from core.base.arrays import Ints, Progress, mean_over, step
from core.base.short import many, short
from core.base.wording import percent
from core.data.encoding.encoded import Encoded
from core.privacy.policy import Policy
from core.release.readable import Readable
from core.release.release import Release
from core.study.hospitals import Hospital, Study
from core.study.publisher import Publisher


@dataclass(frozen=True, eq=False)
class Outcome:
    """One draw of a study, anonymised and attacked.

    Parameters
    ----------
    releases
        Release of each hospital; the first records of each drawn one are those of the shared
        people. The first is mine.
    result
        What the adversary is left with.
    people
        Positions of the records of the shared people in each release; ``None`` if that is not known. ``result.record``
        gives the person of each number of ``result``.
    same_value_rate
        For each release, how likely a shared person's record carries the value of mine; 1 for an uploaded file, for
        which it is not known.
    named
        What adversaries who know less are left with, by what they know (:attr:`core.study.hospitals.Study.also`).
    """

    releases: tuple[Readable, ...]
    result: AttackResult
    people: tuple[Ints | None, ...]
    same_value_rate: tuple[float, ...]
    named: Mapping[str, AttackResult] = field(default_factory=dict)

    def __repr__(self) -> str:
        shared = many(self.result.people, "person", "people")
        share = f"one value left for {percent(self.result.one_value_left.value)}"
        return short(self, many(len(self.releases), "release"), shared, share)

    def weighed(self) -> Weighted:
        """Outcome for the weighted adversary, who knows how often the values of the hospitals differ."""
        return weigh(self.result, same_value_rate=self.same_value_rate)

    @property
    def mine(self) -> Release:
        """My own release."""
        mine = self.releases[0].release
        assert mine is not None
        return mine

    @cached_property
    def class_size(self) -> float:
        """Mean people in the candidate classes of the shared people, over people located and releases."""
        sizes = []
        for located, histogram in zip(self.result.located, self.result.histograms, strict=True):
            there = located.counts > 0
            if there.any():
                people = np.bincount(located.owner, weights=histogram.people[located.classes], minlength=len(there))
                sizes.append(float(mean_over(people[there], self.result.weight[there])))
        return float(np.mean(sizes)) if sizes else 0.0


def seeds(seed: int, repeats: int, first: int = 0) -> list[np.random.SeedSequence]:
    """Independent seeds of the redraws of a study; each depends only on its number, not on the total."""
    return [np.random.SeedSequence((seed, number)) for number in range(first, first + repeats)]


def run_study(
    encoded: Encoded,
    study: Study,
    seed: int | np.random.SeedSequence = 0,
    progress: Progress | None = None,
    made: Sequence[Release] = (),
) -> Outcome:
    """Draw the hospitals of a study once, anonymise each, attack the shared people.

    ``made`` are my releases of the whole table that are there already; they need not be made again.
    """
    parts = study.draw(encoded, seeds(seed, 1)[0] if isinstance(seed, int) else seed)
    return attack_parts(study, parts, progress, Whole(encoded, study, made))


class Whole:
    """My releases of a table that stays whole in every draw: made once, then reordered for each draw.

    Parameters
    ----------
    encoded
        My table.
    study
        Whose first hospital is mine.
    made
        Releases of my whole table that are there already.

    Attributes
    ----------
    fits
        Whether my release is the same in every draw; it is not if my table is divided.
    """

    def __init__(self, encoded: Encoded, study: Study, made: Sequence[Release] = ()) -> None:
        mine = study.hospitals[0]
        self.fits = study.whole and mine.same_value_rate == 1
        self._records = encoded if mine.attributes is None else encoded.only(mine.attributes)
        self._made = {(release.policy, release.algorithm.name): release for release in made}
        self._sorted = np.argsort(encoded.rows)
        self._rows = encoded.rows[self._sorted]
        self._order: tuple[Encoded, Ints] | None = None

    def of(
        self, part: Encoded, policies: Sequence[Policy], algorithm: str, progress: Progress | None = None
    ) -> list[Release]:
        """Releases of my part of a draw, which is my table in another order, under each policy."""
        missing = [policy for policy in dict.fromkeys(policies) if (policy, algorithm) not in self._made]
        if missing:
            made = partition_sweep(self._records, missing, algorithm, progress)
            self._made |= {(policy, algorithm): release for policy, release in zip(missing, made, strict=True)}
        release_of = {policy: self.ordered(part, self._made[policy, algorithm]) for policy in set(policies)}
        return [release_of[policy] for policy in policies]

    def ordered(self, part: Encoded, release: Release) -> Release:
        """The same classes for my part of a draw, which is my table in another order."""
        if len(release.encoded) < release.inputs:  # positions of records that were left out
            return partition(part, release.policy, release.algorithm.name)
        again = Release.of(part, release.labels[self._order_of(part)], release.policy, release.algorithm)
        # Classes keep their numbers and their records, so what is counted in them is known.
        again.__dict__["histogram"] = release.histogram
        return again

    def _order_of(self, part: Encoded) -> Ints:
        """(records,) place in my table of each record of a draw; the last draw's is kept for its other policies."""
        if self._order is None or self._order[0] is not part:
            self._order = part, self._sorted[np.searchsorted(self._rows, part.rows)]
        return self._order[1]


def attack_parts(
    study: Study, parts: Sequence[Publisher], progress: Progress | None = None, mine: Whole | None = None
) -> Outcome:
    """Anonymise each hospital's records, and attack the people they share; ``mine`` may be my existing release."""
    return outcome_of(releases_of_parts(study, parts, progress, mine), parts, study)


def releases_of_parts(
    study: Study, parts: Sequence[Publisher], progress: Progress | None = None, mine: Whole | None = None
) -> list[Readable]:
    """Anonymise each hospital's records."""
    releases: list[Readable] = []
    for number, (part, hospital) in enumerate(zip(parts, study.hospitals, strict=True)):
        inner = step(progress, number, len(parts))
        if number == 0 and mine is not None and mine.fits:
            records = part.to_release
            assert records is not None
            releases += mine.of(records, [hospital.policy], hospital.algorithm, inner)
        else:
            releases.append(release_of(part, hospital, inner))
        if progress is not None:
            progress((number + 1) / len(parts))
    return releases


def release_of(part: Publisher, hospital: Hospital, progress: Progress | None = None) -> Readable:
    """Anonymise a hospital's records; a published table stays unchanged."""
    if part.given_out is not None:
        return part.given_out
    assert part.to_release is not None
    return partition(part.to_release, hospital.policy, hospital.algorithm, progress)


def outcome_of(releases: Sequence[Readable], parts: Sequence[Publisher], study: Study) -> Outcome:
    """Attack releases of the parts of a study.

    The shared people are the first records of what was drawn and the linked records of a linked file. In any other file
    they are unknown and located by what is published.
    """
    read, people, weight = shared_in(releases, parts, study)
    same_value_rate = tuple(hospital.same_value_rate for hospital in study.hospitals[: len(read)])
    result = intersection_attack(read, people, study.locate, weight)
    named = {knows: _knowing(knows, read, people, study.locate, weight) for knows in study.also}
    return Outcome(tuple(read), result, tuple(people), same_value_rate, named)


def _knowing(
    knows: str, read: Sequence[Readable], people: Sequence[Ints | None], locate: str, weight: Ints
) -> AttackResult:
    """Attack shared people as an adversary does who does not know who was where."""
    if knows == "list":
        return intersection_attack(read, people, "published", weight)
    others = [release.published for release in read[1:]]
    return intersection_attack([read[0], *others], [people[0], *[None] * len(others)], locate, weight)


def shared_in(
    releases: Sequence[Readable], parts: Sequence[Publisher], study: Study
) -> tuple[list[Readable], list[Ints | None], Ints]:
    """Arguments of an attack on the shared people of some parts: releases, positions and weights.

    There may be more parts than releases, the first of which these are then.
    """
    mine = parts[0].to_release
    assert mine is not None
    shared = np.arange(mine.leading(study.overlap))
    people = [part.shared(mine.rows[shared], shared) for part in parts[: len(releases)]]
    read = [release.published if there is None else release for release, there in zip(releases, people, strict=True)]
    return read, people, mine.weight[shared]

"""Other publishers: simulated from one table, modelled, or read from a file.

Two study designs. *Resampled*: my table is my hospital, whole, as it will be published;
another hospital like it is drawn from a model of my records and has P of my people. This is
what the pages state. *Simulated* [Ganta 2008, §3.1]: the table is the city; each hospital's patients are a subset drawn
without replacement; all share exactly P people. If no other hospital is dealt from the table, the table is mine alone
and stays whole. Where people have several records, people are drawn, and each brings all of theirs. From a frequency
table people are drawn in counts (:mod:`core.data.encoding.draws`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.base.errors import ParameterError
from core.base.limits import LIMITS
from core.base.short import many, short
from core.data.encoding.draws import some_of
from core.data.encoding.encoded import Encoded
from core.privacy.policy import Policy
from core.release.algorithm import DEFAULT
from core.release.count_settings import CountSettings
from core.study.case_mix import LIKE_MINE
from core.study.draw import (
    MAX_RELEASES,
    checked_sizes,
    default_size,
    disagree,
    disagree_on_plain,
    overlapping_samples,
    shuffled,
)
from core.study.publisher import CountPublisher, Publisher
from core.study.shared_groups import Groups
from core.study.similar_people import SCALES, neighbours
from core.study.synthetic import model_hospital
from core.study.uploads import Foreign, Upload

OWN = "own"
"""Origin of a table of counts of my own records, which is published next to my release."""
PUBLISHED = "published"
ORIGINS = ("simulated", "resampled", PUBLISHED, OWN)
"""Divided from my table; resampled from my people with sensitive values of similar people; another publisher's file;
my own records.
"""
MODEL_ERROR = 0.02
"""Standard error of a share of one half that resampled hospitals give, against hospitals of real people.

Measured in made worlds (``python -m benchmarks --only worlds``); part of each of their intervals.
"""


@dataclass(frozen=True)
class Hospital:
    """One publisher of a study.

    Parameters
    ----------
    policy
        What its release must satisfy; ignored for an uploaded release.
    algorithm
        How it is partitioned.
    same_value_rate
        Probability that a shared person has the same sensitive value as in the first
        hospital; 1 for the first itself. It has no effect on an uploaded file.
    origin
        One of :data:`ORIGINS`: the origin of its records.
    size
        People of a simulated or modelled hospital, the shared ones included; that of the
        study by default.
    attributes
        The quasi-identifiers that it publishes; all by default.
    upload
        The file of a ``"published"`` hospital.
    case_mix
        How much the sensitive values of a resampled hospital differ from mine, from 0, as if drawn from the same
        patients; :data:`core.study.case_mix.NOT_KNOWN` if it is not known.
    counts
        How its table of counts is made, if it publishes one instead of a release; policy and algorithm have no effect
        then. Required for the origin ``"own"``.
    """

    policy: Policy
    algorithm: str = DEFAULT
    same_value_rate: float = 1.0
    origin: str = "simulated"
    size: int | None = None
    attributes: tuple[str, ...] | None = None
    upload: Upload | None = None
    case_mix: float = LIKE_MINE
    counts: CountSettings | None = None

    def __repr__(self) -> str:
        how = (self.policy.signs, self.algorithm) if self.counts is None else (self.counts.in_words,)
        return short(self, self.origin, *how)

    @property
    def origin_name(self) -> str:
        """Name of its origin in texts: ``"identified"`` if it is known who is in its file, ``"own"`` for my counts."""
        if self.upload is None or not self.upload.own:
            return self.origin
        return OWN if self.upload.counts else "identified"

    @property
    def is_drawn(self) -> bool:
        """Whether its records are simulated or modelled, so that something is assumed about them."""
        return self.origin not in (PUBLISHED, OWN)

    @property
    def has_policy(self) -> bool:
        """Whether its policy and algorithm have an effect: its release is made here, and is no table of counts."""
        return self.origin != PUBLISHED and self.counts is None

    def __post_init__(self) -> None:
        """Validate the hospital."""
        if self.origin not in ORIGINS:
            raise ParameterError(f"origin must be one of {', '.join(ORIGINS)}.", parameter="origin")
        if (self.upload is not None) != (self.origin == PUBLISHED):
            raise ParameterError(
                "An uploaded hospital needs its file, and only an uploaded one has a file.", parameter="upload"
            )
        if self.counts is None and self.origin == OWN:
            raise ParameterError(
                "My own records are published as a table of counts; say how it is made.", parameter="counts"
            )
        if self.counts is not None and (self.origin == PUBLISHED or self.attributes is not None):
            raise ParameterError(
                "A table of counts is made of records and names its own columns; leave out the released file and the "
                "attributes.",
                parameter="counts",
            )
        LIMITS["same_value_rate"].check(self.same_value_rate, "same_value_rate")
        LIMITS["case_mix"].check(self.case_mix, "case_mix")
        if self.case_mix and self.origin != "resampled":
            raise ParameterError(
                "Only a hospital like mine (resampled) can have another case mix; leave case_mix at 0.",
                parameter="case_mix",
            )
        if self.attributes is not None and not self.attributes:
            raise ParameterError("A hospital publishes at least one quasi-identifier.", parameter="attributes")
        if self.size is not None:
            LIMITS["size"].check(self.size, "size")


@dataclass(frozen=True)
class Study:
    """Several hospitals and the people they share.

    Parameters
    ----------
    hospitals
        Two to eight publishers; the first is "mine".
    overlap
        People who went to all of them, P.
    size
        People of each hospital; the whole table is divided by default.
    deal
        See :func:`overlapping_samples`; fixed within a sweep.
    locate
        How the adversary finds a person's class: one of
        :data:`core.attack.views.LOCATE` [definitions §4].
    also
        What other adversaries know who attack each draw, too: of :data:`core.attack.intruder.KNOWS`.
    files
        What the uploads of its hospitals became (:func:`core.study.uploads.open_upload`); the
        uploads name their content, so two studies that differ in nothing else are equal.
    """

    hospitals: tuple[Hospital, ...]
    overlap: int
    size: int | None = None
    deal: int | None = None
    locate: str = "assumed"
    also: tuple[str, ...] = ()
    files: Mapping[Upload, Foreign] = field(default_factory=dict, compare=False, repr=False)

    def __repr__(self) -> str:
        each = [f"{hospital.policy.signs} by {hospital.algorithm}" for hospital in self.hospitals]
        shared = f"{many(self.overlap, 'person', 'people')} shared by {many(len(self.hospitals), 'hospital')}"
        return short(self, shared, *dict.fromkeys(each))

    @classmethod
    def uniform(
        cls, policy: Policy, overlap: int, releases: int = 2, algorithm: str = DEFAULT, origin: str = "simulated"
    ) -> Study:
        """Create a study of hospitals that do the same; by default divided from one table, as in the paper."""
        mine = Hospital(policy, algorithm)
        return cls((mine, *(replace(mine, origin=origin),) * (releases - 1)), overlap)

    def with_files(self, files: Mapping[Upload, Foreign] | None) -> Study:
        """The same study with its uploads read."""
        return replace(self, files=dict(files or {}))

    def by_publication(self, hospital: Hospital) -> bool:
        """Whether people are located in a hospital's release by what it publishes; else their class is known."""
        upload = hospital.upload
        linked = upload is None or (upload in self.files and self.files[upload].linked)
        return self.locate == "published" or hospital.counts is not None or not linked

    @property
    def uploads(self) -> tuple[Upload, ...]:
        """Files of other publishers that take part."""
        return tuple(hospital.upload for hospital in self.hospitals if hospital.upload is not None)

    @property
    def dealt(self) -> int:
        """Hospitals that the table is divided among: mine and the simulated ones."""
        return 1 + sum(hospital.origin == "simulated" for hospital in self.hospitals[1:])

    @property
    def model_error(self) -> float:
        """Standard error of the model of the others, at a share of one half; 0 without such a model.

        Only resampled hospitals have one: they stand for real ones.
        """
        return MODEL_ERROR if any(hospital.origin == "resampled" for hospital in self.hospitals[1:]) else 0.0

    @property
    def whole(self) -> bool:
        """Whether my table stays whole, because no other hospital is drawn from it."""
        return self.dealt == 1

    def size_of(self, number: int, records: int) -> int:
        """People of a hospital whose records are drawn, for a table of ``records`` people."""
        if number == 0 and self.whole:
            return records
        own = self.hospitals[number].size
        if own is not None:
            return own
        if self.size is not None:
            return self.size
        # A modelled hospital is as large as mine.
        deal = max(self.dealt, self.deal or 0)
        return records if deal == 1 else default_size(records, self.overlap, deal)

    def prepare(self, encoded: Encoded) -> None:
        """Precompute what every draw needs from a table that stays whole; copies of the table carry it along."""
        resampled = any(hospital.origin == "resampled" for hospital in self.hospitals)
        if self.whole and resampled:
            for scale in range(len(SCALES)):
                neighbours(encoded, scale)

    def draw(self, encoded: Encoded, seed: int | np.random.SeedSequence = 0) -> list[Publisher]:
        """Draw the records of each hospital; the first records of each drawn one are those of the shared people.

        Parameters
        ----------
        encoded
            My table, or the city that the hospitals are dealt from.
        seed
            Same seed, same people, whatever the policies.

        Raises
        ------
        ParameterError
            If the table is too small, a file is not given, or more people are to be shared
            than two linked tables have in common, or a file is linked and people have several
            records.
        """
        # A sequence that was given twice must spawn the same children twice.
        fresh = (
            np.random.SeedSequence(seed)
            if isinstance(seed, int)
            else np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
        )
        people, values, models = fresh.spawn(3)
        seeds, model_seeds = values.spawn(MAX_RELEASES), models.spawn(MAX_RELEASES)
        linked = self._linked(encoded)
        groups: Groups | None = None
        if encoded.counted:
            groups, dealt = self._groups(encoded, people, seeds)
            front, weight = groups.tuples, groups.weight
        else:
            samples = self._people(encoded, np.random.default_rng(people), linked)
            dealt = [encoded.take(encoded.records_of(sample)) for sample in samples]
            front, weight = samples[0][: self.overlap], None
        # Others are modelled after my table, or after my part of it, in which the shared people come first.
        model, shared = (encoded, front) if self.whole else (dealt[0], np.arange(len(front)))
        parts: list[Publisher] = []
        deal = iter(dealt)
        for number, hospital in enumerate(self.hospitals):
            if hospital.upload is not None or hospital.origin == OWN:
                whole = CountPublisher.of(model, hospital.counts)
                parts.append(whole if hospital.upload is None else self.files[hospital.upload])
                continue
            if number == 0 or hospital.origin == "simulated":
                part = next(deal)
            else:
                size, rng = self.size_of(number, encoded.people), np.random.default_rng(model_seeds[number])
                part = model_hospital(model, shared, size, rng, weight, hospital.case_mix)
            if hospital.attributes is not None:
                part = part.only(hospital.attributes)
            if groups is not None:
                part = groups.with_sensitive_of(number, part)
            else:
                rng = np.random.default_rng(seeds[number])
                others = rng.spawn(1)[0]
                part = disagree(part, self.overlap, hospital.same_value_rate, rng, encoded.overall)
                part = disagree_on_plain(part, self.overlap, others, encoded) if number else part
            parts.append(CountPublisher.of(part, hospital.counts))
        return parts

    def _groups(
        self, encoded: Encoded, people: np.random.SeedSequence, seeds: Sequence[np.random.SeedSequence]
    ) -> tuple[Groups, list[Encoded]]:
        """Groups of shared people of a frequency table, then the tuples of mine and of each simulated hospital."""
        sizes = self._sizes(encoded)
        # Each hospital has a separate stream: how many follow changes nothing for it.
        streams = [np.random.default_rng(stream) for stream in people.spawn(MAX_RELEASES + 1)]
        shared = some_of(encoded.weight, self.overlap, streams[-1])
        rest, groups, others = encoded.weight - shared, Groups.of(shared), []
        for size, rng in zip(sizes, streams, strict=False):
            others.append(some_of(rest, size - self.overlap, rng))
            rest = rest - others[-1]
        for number, hospital in enumerate(self.hospitals):
            if hospital.upload is None and hospital.same_value_rate < 1:
                rng = np.random.default_rng(seeds[number])
                groups = groups.disagreeing(number, hospital.same_value_rate, encoded, rng)
        dealt = []
        for counts in others:
            there = np.flatnonzero(counts)
            tuples, weight = np.concatenate((groups.tuples, there)), np.concatenate((groups.weight, counts[there]))
            dealt.append(encoded.tuples(tuples, weight))
        return groups, dealt

    def _sizes(self, encoded: Encoded) -> list[int]:
        """People of mine and of every simulated hospital, as far as the table has them."""
        if not self.whole:
            drawn = [0, *(i for i, h in enumerate(self.hospitals) if i and h.origin == "simulated")]
            wanted = [self.size_of(number, encoded.people) for number in drawn]
            return checked_sizes(encoded.people, self.overlap, self.dealt, wanted, self.deal)[0]
        if not 1 <= self.overlap <= encoded.people:
            what = "persons" if encoded.has_multiple_records else "records"
            raise ParameterError(
                f"The overlap must be from 1 to the {encoded.people:,} {what} of my table; {self.overlap:,} was given.",
                parameter="overlap",
            )
        return [encoded.people]

    def _people(self, encoded: Encoded, rng: np.random.Generator, first: NDArray[Any] | None) -> list[Ints]:
        """People of mine and of every simulated hospital, as numbers of ``encoded.whose``, the shared people first."""
        if first is not None and self.overlap > len(first):
            raise ParameterError(
                f"My table and the linked ones have {len(first):,} people in common; the overlap cannot be larger.",
                parameter="overlap",
            )
        sizes = self._sizes(encoded)
        if self.whole:
            return [shuffled(encoded.people, rng, first)]
        return overlapping_samples(encoded.people, self.overlap, self.dealt, sizes, rng, self.deal, first)

    def _linked(self, encoded: Encoded) -> NDArray[Any] | None:
        """Records of mine that are known to be in every linked file; ``None`` if no file is linked."""
        shared: NDArray[Any] | None = None
        for hospital in self.hospitals:
            if hospital.upload is None:
                continue
            if hospital.upload not in self.files:
                raise ParameterError("The file of an uploaded hospital is missing; load it again.", parameter="files")
            file = self.files[hospital.upload]
            if file.linked:
                encoded.need_rows("A file that is linked person by person", "columns")
                if encoded.has_multiple_records:
                    raise ParameterError(
                        "A file can be linked person by person only if each has one record; choose one record per "
                        "person, or leave the identifier unmatched.",
                        parameter="columns",
                    )
                in_file = np.flatnonzero(np.isin(encoded.rows, file.mine) & (file.positions(encoded.rows) >= 0))
                shared = in_file if shared is None else np.intersect1d(shared, in_file)
        return shared

"""Other publishers: simulated from one table, modelled, or read from a file.

Study design of [Ganta 2008, §3.1]: the table is the city; each hospital's patients are a
subset drawn without replacement; all share exactly P people and nobody else. Where no
other hospital is drawn from the table, the table is mine alone and stays whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.encoding import Encoded
from core.errors import ParameterError
from core.policy import Policy
from core.strangers import model_hospital
from core.uploads import Foreign, Upload

Ints = NDArray[np.int64]
MAX_RELEASES = 8
LOCATE = ("default", "assumed", "published")
UPLOADED = ("raw", "published")
SOURCES = ("simulated", "independent", "conditional", *UPLOADED)
"""Dealt from my table; strangers with independent attributes; strangers with the sensitive value of their class;
somebody's raw table; somebody's release."""


def default_size(records: int, overlap: int, releases: int) -> int:
    """Records of each hospital when the whole table is dealt out: P + (N - P) / R, rounded down."""
    return overlap + (records - overlap) // releases


def overlapping_samples(
    records: int,
    overlap: int,
    releases: int = 2,
    sizes: Sequence[int] | int | None = None,
    seed: int | np.random.Generator = 0,
    deal: int | None = None,
    first: NDArray[Any] | None = None,
) -> list[Ints]:
    """Draw subsets of a table that share exactly some people.

    Parameters
    ----------
    records
        Rows of the table, N.
    overlap
        People in every subset, P.
    releases
        Subsets to draw, R, 2 to 8.
    sizes
        Rows of each subset (or of all), P included; ``P + (N - P) / R`` by default.
    seed
        For the one permutation behind the draw.
    deal
        Deal the other people as if there were this many subsets. With one seed and one
        ``deal``, draws are nested: fewer releases, a smaller overlap or a smaller size are
        the beginning of the larger draw, so that a sweep measures what it varies.
    first
        Rows among which the shared people are drawn as far as they suffice; all by default.

    Returns
    -------
    list of ndarray
        Row numbers of each subset; the first ``overlap`` entries of each are the shared
        people, in one order.

    Raises
    ------
    ParameterError
        If the table is too small; the message gives the largest overlap or size.

    Notes
    -----
    The shared people are taken from the front of a permutation, the others are dealt from
    its back, one to each subset in turn. O(N).
    """
    dealt = max(releases, deal or releases)
    if not 2 <= releases <= MAX_RELEASES or dealt > MAX_RELEASES:
        raise ParameterError(f"The number of hospitals must be from 2 to {MAX_RELEASES}.", parameter="releases")
    if not 1 <= overlap <= records:
        raise ParameterError(
            f"The overlap must be from 1 to the {records:,} records of the table; {overlap:,} were asked.",
            parameter="overlap",
        )
    wanted = [default_size(records, overlap, dealt)] * releases if sizes is None else sizes
    each = [int(wanted)] * releases if isinstance(wanted, int | np.integer) else [int(size) for size in wanted]
    if len(each) != releases:
        raise ParameterError(f"{releases} hospitals need as many sizes; {len(each)} were given.", parameter="sizes")
    if min(each) < overlap:
        raise ParameterError(
            f"A hospital of {min(each):,} records cannot share {overlap:,} people; lower the overlap.",
            parameter="sizes",
        )
    room = (records - overlap) // dealt
    if max(each) - overlap > room:
        raise ParameterError(
            f"The table has {records:,} records; with an overlap of {overlap:,} each of {dealt} hospitals can have at "
            f"most {overlap + room:,}.",
            parameter="sizes",
        )
    order = shuffled(records, np.random.default_rng(seed), first)
    shared, back = order[:overlap], order[::-1]
    return [
        np.concatenate((shared, back[number : number + (size - overlap) * dealt : dealt]))
        for number, size in enumerate(each)
    ]


def shuffled(records: int, rng: np.random.Generator, first: NDArray[Any] | None = None) -> Ints:
    """Return all row numbers in random order, some of them before the others."""
    order = rng.permutation(records)
    if first is None or not len(first):
        return order
    early = np.zeros(records, dtype=bool)
    early[first] = True
    early = early[order]
    return np.concatenate((order[early], order[~early]))


def disagree(
    encoded: Encoded,
    overlap: int,
    agreement: float,
    seed: int | np.random.Generator,
    overall: Ints | None = None,
) -> Encoded:
    """Give some shared people another diagnosis at this hospital.

    Parameters
    ----------
    encoded
        The hospital's records; the first ``overlap`` are the shared people.
    agreement
        Probability that a shared person keeps the sensitive value; else it is redrawn from
        the overall distribution (and may come out the same) [definitions §4].
    seed
        For the draws. With one seed, a lower agreement redraws the same people and more.
    overall
        (values,) counts to redraw from; those of the hospital itself by default.

    Returns
    -------
    Encoded
        The same people; truth stays what the first release says.
    """
    if not 0 <= agreement <= 1:
        raise ParameterError("agreement must be from 0 to 1.", parameter="agreement")
    if agreement == 1:
        return encoded
    rng = np.random.default_rng(seed)
    redrawn = rng.random(overlap) >= agreement
    counts = encoded.overall if overall is None else overall
    drawn = rng.choice(encoded.sensitive.size, size=overlap, p=counts / counts.sum())
    secret = encoded.secret.copy()
    secret[:overlap][redrawn] = drawn[redrawn]
    return encoded.with_secret(secret)


@dataclass(frozen=True)
class Hospital:
    """One publisher of a study.

    Parameters
    ----------
    policy
        What its release must satisfy; of no effect for an uploaded release.
    algorithm
        How it is partitioned.
    agreement
        Probability that a shared person has the same sensitive value as in the first
        hospital; 1 for the first itself. An uploaded file says what it says.
    source
        One of :data:`SOURCES`: where its records come from.
    size
        Records of a simulated or modelled hospital, the shared people included; that of the
        study by default.
    attributes
        The quasi-identifiers that it publishes; all by default.
    upload
        The file of a ``"raw"`` or ``"published"`` hospital.
    """

    policy: Policy
    algorithm: str = "mondrian"
    agreement: float = 1.0
    source: str = "simulated"
    size: int | None = None
    attributes: tuple[str, ...] | None = None
    upload: Upload | None = None

    def __post_init__(self) -> None:
        """Refuse what no publisher can be."""
        if self.source not in SOURCES:
            raise ParameterError(f"source must be one of {', '.join(SOURCES)}.", parameter="source")
        if (self.upload is not None) != (self.source in UPLOADED):
            raise ParameterError("An uploaded hospital needs its file, and no other has one.", parameter="upload")
        if self.upload is not None and self.upload.anonymised != (self.source == "published"):
            raise ParameterError("The file is not of the kind that source says.", parameter="source")
        if not 0 <= self.agreement <= 1:
            raise ParameterError("agreement must be from 0 to 1.", parameter="agreement")
        if self.attributes is not None and not self.attributes:
            raise ParameterError("A hospital publishes at least one quasi-identifier.", parameter="attributes")
        if self.size is not None and self.size < 1:
            raise ParameterError("size must be at least 1.", parameter="size")


Part = Encoded | Foreign
"""What a hospital has: records, or somebody else's file."""


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
        Records of each hospital; the whole table is dealt out by default.
    deal
        See :func:`overlapping_samples`; fixed within a sweep.
    locate
        How the adversary finds a person's class: ``"assumed"``, ``"published"``, or
        ``"default"``, which is *published* for releases of centroids [definitions §4].
    """

    hospitals: tuple[Hospital, ...]
    overlap: int
    size: int | None = None
    deal: int | None = None
    locate: str = "default"

    @classmethod
    def alike(cls, policy: Policy, overlap: int, releases: int = 2, algorithm: str = "mondrian") -> Study:
        """All hospitals do the same, as in the paper."""
        return cls((Hospital(policy, algorithm),) * releases, overlap)

    @property
    def dealt(self) -> int:
        """Hospitals that the table is dealt out to: mine and the simulated ones."""
        return 1 + sum(hospital.source == "simulated" for hospital in self.hospitals[1:])

    @property
    def whole(self) -> bool:
        """Whether my table stays whole, because no other hospital is drawn from it."""
        return self.dealt == 1

    def size_of(self, number: int, records: int) -> int:
        """Records of a hospital whose records are drawn, for a table of so many records."""
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

    def draw(
        self,
        encoded: Encoded,
        seed: int | np.random.SeedSequence = 0,
        files: Mapping[Upload, Foreign] | None = None,
    ) -> list[Part]:
        """Draw what each hospital has; the first ``overlap`` records of each drawn one are the shared people.

        Parameters
        ----------
        encoded
            My table, or the city that the hospitals are dealt from.
        seed
            Same seed, same people, whatever the policies.
        files
            What the uploads became (:func:`core.uploads.open_upload`).

        Raises
        ------
        ParameterError
            If the table is too small, a file is not given, or more people are to be shared
            than two linked tables have in common.
        """
        # A sequence that was given twice must spawn the same children twice.
        fresh = (
            np.random.SeedSequence(seed)
            if isinstance(seed, int)
            else np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
        )
        people, secrets, models = fresh.spawn(3)
        rows = self._rows(encoded, np.random.default_rng(people), self._linked(encoded, files or {}))
        seeds, model_seeds = secrets.spawn(MAX_RELEASES), models.spawn(MAX_RELEASES)
        mine = encoded.take(rows[0])
        parts: list[Part] = []
        deal = iter(rows)
        for number, hospital in enumerate(self.hospitals):
            if hospital.upload is not None:
                parts.append((files or {})[hospital.upload])
                continue
            if number == 0 or hospital.source == "simulated":
                row = next(deal)
                part = mine if number == 0 else encoded.take(row)
            else:
                size, rng = self.size_of(number, len(encoded)), np.random.default_rng(model_seeds[number])
                if size < self.overlap:
                    raise ParameterError(
                        f"A hospital of {size:,} records cannot share {self.overlap:,} people; lower the overlap.",
                        parameter="sizes",
                    )
                part = model_hospital(mine, np.arange(self.overlap), size, hospital.source, rng)
            if hospital.attributes is not None:
                part = part.only(hospital.attributes)
            rng = np.random.default_rng(seeds[number])
            parts.append(disagree(part, self.overlap, hospital.agreement, rng, encoded.overall))
        return parts

    def _rows(self, encoded: Encoded, rng: np.random.Generator, first: NDArray[Any] | None) -> list[Ints]:
        """Rows of mine and of every simulated hospital, the shared people first."""
        if first is not None and self.overlap > len(first):
            raise ParameterError(
                f"My table and the linked ones have {len(first):,} people in common; the overlap can be at most that.",
                parameter="overlap",
            )
        if not self.whole:
            drawn = [0, *(i for i, h in enumerate(self.hospitals) if i and h.source == "simulated")]
            sizes = [self.size_of(number, len(encoded)) for number in drawn]
            return overlapping_samples(len(encoded), self.overlap, self.dealt, sizes, rng, self.deal, first)
        if not 1 <= self.overlap <= len(encoded):
            raise ParameterError(
                f"The overlap must be from 1 to the {len(encoded):,} records of my table; {self.overlap:,} was asked.",
                parameter="overlap",
            )
        return [shuffled(len(encoded), rng, first)]

    def _linked(self, encoded: Encoded, files: Mapping[Upload, Foreign]) -> NDArray[Any] | None:
        """Records of mine that are known to be in every linked file; None where no file is linked."""
        found: NDArray[Any] | None = None
        for hospital in self.hospitals:
            if hospital.upload is None:
                continue
            if hospital.upload not in files:
                raise ParameterError("The file of an uploaded hospital is not there; load it again.", parameter="files")
            file = files[hospital.upload]
            if file.linked:
                here = np.flatnonzero(np.isin(encoded.rows, file.mine) & kept_there(file, encoded.rows))
                found = here if found is None else np.intersect1d(found, here)
        return found


def kept_there(file: Foreign, rows: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the person of each row of mine is a record of the linked file that was not left out."""
    return positions_there(file, rows) >= 0


def positions_there(file: Foreign, rows: NDArray[Any]) -> Ints:
    """Position among the encoded records of a linked file of the person in each row of mine; -1 for nobody."""
    assert file.encoded is not None
    place = np.full(int(max(file.theirs.max(initial=-1), file.encoded.rows.max(initial=-1))) + 1, -1, dtype=np.int64)
    place[file.encoded.rows] = np.arange(len(file.encoded))
    there = np.full(int(max(rows.max(initial=-1), file.mine.max(initial=-1))) + 1, -1, dtype=np.int64)
    there[file.mine] = place[file.theirs]
    found: Ints = there[rows]
    return found

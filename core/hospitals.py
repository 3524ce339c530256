"""Other publishers, simulated from one table.

Study design of [Ganta 2008, §3.1]: the table is the city; each hospital's patients are a
subset drawn without replacement; all share exactly P people and nobody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.encoding import Encoded
from core.errors import ParameterError
from core.policy import Policy

Ints = NDArray[np.int64]
MAX_RELEASES = 8


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
    order = np.random.default_rng(seed).permutation(records)
    shared, back = order[:overlap], order[::-1]
    return [
        np.concatenate((shared, back[number : number + (size - overlap) * dealt : dealt]))
        for number, size in enumerate(each)
    ]


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
        What its release must satisfy.
    algorithm
        How it is partitioned.
    agreement
        Probability that a shared person has the same sensitive value as in the first
        hospital; 1 for the first itself.
    """

    policy: Policy
    algorithm: str = "mondrian"
    agreement: float = 1.0


@dataclass(frozen=True)
class Study:
    """Several hospitals of one city and the people they share.

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
    """

    hospitals: tuple[Hospital, ...]
    overlap: int
    size: int | None = None
    deal: int | None = None

    @classmethod
    def alike(cls, policy: Policy, overlap: int, releases: int = 2, algorithm: str = "mondrian") -> Study:
        """All hospitals do the same, as in the paper."""
        return cls((Hospital(policy, algorithm),) * releases, overlap)

    def draw(self, encoded: Encoded, seed: int | np.random.SeedSequence = 0) -> list[Encoded]:
        """Deal the table out to the hospitals; the first ``overlap`` records of each are the shared people.

        Same seed, same people, whatever the policies.
        """
        # A sequence that was given twice must spawn the same children twice.
        fresh = (
            np.random.SeedSequence(seed)
            if isinstance(seed, int)
            else np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
        )
        people, secrets = fresh.spawn(2)
        rows = overlapping_samples(
            len(encoded), self.overlap, len(self.hospitals), self.size, np.random.default_rng(people), self.deal
        )
        parts = [encoded.take(row) for row in rows]
        seeds = secrets.spawn(MAX_RELEASES)
        return [
            disagree(part, self.overlap, hospital.agreement, np.random.default_rng(seeds[number]), encoded.overall)
            for number, (part, hospital) in enumerate(zip(parts, self.hospitals, strict=True))
        ]

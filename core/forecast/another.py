"""Another hospital like mine, made up: who sits together in the classes it would publish.

Ours. A shared person sits in one of its classes, among other shared people and strangers.
How large that class is, and how many of the other shared people in it come from the
person's own class of mine, decides what its release adds to mine; neither can be read off
my release, so a release of such a hospital is drawn and partitioned once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algorithms import partition
from core.arrays import Floats, Ints
from core.data.draws import some_of
from core.data.encoding import Encoded
from core.errors import InfeasibleError, LimitError, ParameterError
from core.forecast.ground import Ground
from core.privacy.policy import Policy
from core.release.algorithm import DEFAULT, without_providers
from core.release.release import Release

MOST_SEATS = 20_000
"""People whose place in the other release is looked at; their mean is off by some 0.2 percentage points at most."""
KIN = 10
"""Strangers mix the attributes of people from one class of this many times their own k."""
LEAST_KIN = 50
MOST_LISTED = 2_000_000
"""People of the other hospital where mine are a tally: it is made up person by person."""
_SEAT_SHARE = 3
"""At least one record in three is a person of mine, so that few shared people still show who sits together."""


@dataclass(frozen=True, eq=False)
class Another:
    """Classes of a made-up hospital, and which of my people sit in them.

    Parameters
    ----------
    rows
        (seats,) positions of the records of my people in my table, each once; of a tally their tuples.
    group
        (seats,) class of each in the other release.
    sizes
        (classes,) records of each class of the other release, k'; where people have several,
        people, each once a value.
    shared
        P, people that both hospitals have.
    records
        n, people of the other hospital: its records, where people have one each.
    """

    rows: Ints
    group: Ints
    sizes: Ints
    shared: int
    records: int

    @property
    def share(self) -> float:
        """Probability that somebody who sits beside a shared person is shared, too."""
        return 0.0 if self.records < 2 else min(1.0, (self.shared - 1) / (self.records - 1))

    def together(self, labels: NDArray[Any]) -> Floats:
        """(seats,) share of the people of mine beside each who are of his own class of mine.

        ``labels`` are my classes of the seats. One person is added who sits with his class as
        often as all do on average, so that a seat beside nobody of mine says that.
        """
        beside = np.bincount(self.group, minlength=len(self.sizes))[self.group] - 1
        pair = labels.astype(np.int64) * len(self.sizes) + self.group
        _, where, count = np.unique(pair, return_inverse=True, return_counts=True)
        others_there = count[where] - 1
        known = beside > 0
        mean = float((others_there[known] / beside[known]).mean()) if known.any() else 1.0
        chance: Floats = (others_there + mean) / (beside + 1)
        return chance


def another_like(
    encoded: Encoded,
    policy: Policy,
    shared: int,
    records: int | None = None,
    algorithm: str = DEFAULT,
    seed: int = 0,
    ground: Ground | None = None,
) -> Another:
    """Make up a hospital like mine, and partition what it has.

    Parameters
    ----------
    encoded
        My table.
    policy, algorithm
        What the other hospital asks of its release. What is asked against colluding
        providers is left out; a policy that cannot be met by the drawn table is reduced to k.
    shared
        P, people of mine that it has, from 1 to the records of either table.
    records
        n; as many as my table has by default.
    seed
        Of the draw.
    ground
        Coarse classes of my table, where they are made already.

    Returns
    -------
    Another

    Raises
    ------
    ParameterError
        If the shared people are more than either table has.
    LimitError
        If mine are a tally and the other hospital has more than 2,000,000 people.

    Notes
    -----
    Strangers are nobody of mine: each attribute, the sensitive one included, is that of a
    random person of one class of at least ten times k people, the class being drawn by its
    size. Copies of my records instead would sit together too often, since cuts then fall
    where mine fall: on the synthetic city at k = 5, 62 in 100 beside a shared person were of
    his own class where 50 in 100 truly are, and 54 to 62 with mixed attributes. One partition
    of n records, one of my table.
    """
    n = encoded.people if records is None else people_among(encoded, int(records))
    if not 1 <= shared <= min(n, encoded.people):
        what = "records" if encoded.person is None else "persons"
        raise ParameterError(
            f"The shared people must be from 1 to {min(n, encoded.people):,}, the {what} of the smaller hospital.",
            parameter="shared",
        )
    if encoded.weight is not None and n > MOST_LISTED:
        raise LimitError(
            f"What is expected of shared people is worked out for another hospital of at most {MOST_LISTED:,} records "
            f"where the data are a tally; it has {n:,}, so state a smaller one.",
            parameter="others",
        )
    rng = np.random.default_rng(seed)
    their_policy = replace(policy, k=min(policy.k, n), m=None)
    how = without_providers(algorithm)
    own_people = min(encoded.people, n, max(shared, n // _SEAT_SHARE))
    if encoded.weight is None:
        rows = encoded.records_of(rng.permutation(encoded.people)[:own_people])
    else:
        rows = rng.permutation(np.repeat(np.arange(len(encoded)), some_of(encoded.weight, own_people, rng)))
    kin = (Ground(encoded) if ground is None else ground).classes([kin_of(their_policy.k, encoded.people)])[0]
    codes, secret, person = _strangers(kin, n - own_people, rng)
    every = np.arange(len(rows) + len(secret))
    whole = Encoded(
        encoded.qids,
        np.concatenate((encoded.codes[:, rows], codes), axis=1),
        encoded.sensitive,
        np.concatenate((encoded.secret[rows], secret)),
        every,
        person=None if encoded.person is None else np.concatenate((encoded.person[rows], person)),
    ).take(every)
    try:
        release = partition(whole, their_policy, how)
    except InfeasibleError:
        release = partition(whole, Policy(their_policy.k), how)
    group = release.classes.labels[: len(rows)].astype(np.int64)
    seated = np.flatnonzero(group >= 0)
    sizes = release.sizes if encoded.person is None else release.histogram.sizes
    return Another(rows[seated], group[seated], sizes, int(shared), n)


def people_among(encoded: Encoded, records: int) -> int:
    """People that so many records are of, if they have as many each as mine have."""
    return records if encoded.person is None else max(1, round(records * encoded.people / len(encoded)))


def kin_of(k: int, records: int) -> int:
    """Least people of the classes within which strangers mix their attributes."""
    return min(records, max(LEAST_KIN, KIN * k))


def _strangers(
    kin: Release, wanted: int, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Quasi-identifiers, sensitive values and numbers of people who mix those of one large class.

    Where people have several records, a stranger has one in the class of each record of one of them.
    """
    encoded, classes = kin.encoded, kin.classes
    like = rng.integers(0, encoded.people, wanted)
    if encoded.weight is not None:
        like = np.searchsorted(np.cumsum(encoded.weight), like, side="right")
    whose = np.arange(wanted)
    if encoded.person is not None:
        whose = np.repeat(whose, np.bincount(encoded.whose)[like]) + int(encoded.person.max()) + 1
        like = encoded.records_of(like)
    label = classes.labels[like]
    size, start = classes.sizes[label], classes.starts[label]
    ends = None if encoded.weight is None else np.concatenate(([0], np.cumsum(encoded.weight[classes.order])))

    def one_of_them() -> Ints:
        place = (rng.random(len(label)) * size).astype(np.int64)
        if ends is None:
            place += start
        else:
            place = np.searchsorted(ends, ends[start] + place, side="right") - 1
        drawn: Ints = classes.order[place]
        return drawn

    codes = np.empty((len(encoded.qids), len(label)), dtype=np.int32)
    for i, column in enumerate(encoded.codes):
        codes[i] = column[one_of_them()]
    return codes, encoded.secret[one_of_them()].astype(np.int32), whose.astype(np.int32)

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
from core.arrays import Bools, Floats, Ints, mean_over
from core.classes import distinct_columns, weighted_count
from core.data.draws import Lots, some_of, with_replacement
from core.data.encoding import Encoded
from core.errors import InfeasibleError, ParameterError
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
"""People up to whom the other hospital is made up person by person where mine are a tally; beyond, in counts."""
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
    weight
        (seats,) how many people each seat stands for where they were counted, at least 1; else ``None``.
    sample
        Seats of some of these people, in random order; ``None`` where every seat is one of a person, in random order.
    """

    rows: Ints
    group: Ints
    sizes: Ints
    shared: int
    records: int
    weight: Ints | None = None
    sample: Ints | None = None

    @property
    def share(self) -> float:
        """Probability that somebody who sits beside a shared person is shared, too."""
        return 0.0 if self.records < 2 else min(1.0, (self.shared - 1) / (self.records - 1))

    def together(self, labels: NDArray[Any]) -> Floats:
        """(seats,) share of the people of mine beside each who are of his own class of mine.

        ``labels`` are my classes of the seats. One person is added who sits with his class as
        often as all do on average, so that a seat beside nobody of mine says that.
        """
        beside = weighted_count(self.group, self.weight, len(self.sizes))[self.group] - 1
        pair = labels.astype(np.int64) * len(self.sizes) + self.group
        used, where = np.unique(pair, return_inverse=True)
        others_there = weighted_count(where, self.weight, len(used))[where] - 1
        known = beside > 0
        of_known = others_there[known] / beside[known]
        mean = float(mean_over(of_known, None if self.weight is None else self.weight[known])) if known.any() else 1.0
        chance: Floats = (others_there + mean) / (beside + 1)
        return chance

    def looked_at(self, there: Bools) -> Ints:
        """Return at most 20,000 seats, of random people; ``there`` (seats,) says which may be taken."""
        some = np.arange(len(self.rows)) if self.sample is None else self.sample
        seats: Ints = some[there[some]][:MOST_SEATS]
        return seats


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

    Notes
    -----
    Strangers are nobody of mine: each attribute, the sensitive one included, is that of a
    random person of one class of at least ten times k people, the class being drawn by its
    size. Copies of my records instead would sit together too often, since cuts then fall
    where mine fall: on the synthetic city at k = 5, 62 in 100 beside a shared person were of
    his own class where 50 in 100 truly are, and 54 to 62 with mixed attributes. One partition
    of n records, one of my table. Where mine are a tally and the other hospital has more than
    2,000,000 people, they are drawn in counts, those who are alike together.
    """
    n = encoded.people if records is None else people_among(encoded, int(records))
    if not 1 <= shared <= min(n, encoded.people):
        what = "records" if encoded.person is None else "persons"
        raise ParameterError(
            f"The shared people must be from 1 to {min(n, encoded.people):,}, the {what} of the smaller hospital.",
            parameter="shared",
        )
    rng = np.random.default_rng(seed)
    their_policy = replace(policy, k=min(policy.k, n), m=None)
    how = without_providers(algorithm)
    own_people = min(encoded.people, n, max(shared, n // _SEAT_SHARE))
    many: Ints | None = None
    if encoded.weight is None:
        rows = encoded.records_of(rng.permutation(encoded.people)[:own_people])
    else:
        of_each = some_of(encoded.weight, own_people, rng)
        if n > MOST_LISTED:
            rows = np.flatnonzero(of_each)
            many = of_each[rows]
        else:
            rows = rng.permutation(np.repeat(np.arange(len(encoded)), of_each))
    kin = (Ground(encoded) if ground is None else ground).classes([kin_of(their_policy.k, encoded.people)])[0]
    whole = _behind(encoded, rows, many, kin, n - own_people, rng)
    try:
        release = partition(whole, their_policy, how)
    except InfeasibleError:
        release = partition(whole, Policy(their_policy.k), how)
    group = release.classes.labels[: len(rows)].astype(np.int64)
    seated = np.flatnonzero(group >= 0)
    sizes = release.sizes if encoded.person is None else release.histogram.sizes
    if many is None:
        return Another(rows[seated], group[seated], sizes, int(shared), n)
    weight = many[seated]
    of_some = some_of(weight, min(MOST_SEATS, int(weight.sum())), rng)
    sample = rng.permutation(np.repeat(np.arange(len(weight)), of_some))
    return Another(rows[seated], group[seated], sizes, int(shared), n, weight, sample)


def _behind(
    encoded: Encoded, rows: Ints, many: Ints | None, kin: Release, strangers: int, rng: np.random.Generator
) -> Encoded:
    """Some people of mine, of whom ``many`` are alike where they are counted, and strangers behind them."""
    person = weight = None
    if many is None:
        codes, secret, theirs = _strangers(kin, strangers, rng)
        if encoded.person is not None:
            person = np.concatenate((encoded.person[rows], theirs))
    else:
        codes, secret, number = _counted_strangers(kin, strangers, rng)
        weight = np.concatenate((many, number))
    every = np.arange(len(rows) + len(secret))
    return Encoded(
        encoded.qids,
        np.concatenate((encoded.codes[:, rows], codes), axis=1),
        encoded.sensitive,
        np.concatenate((encoded.secret[rows], secret)),
        every,
        person=person,
        weight=weight,
    ).take(every)


def _counted_strangers(
    kin: Release, wanted: int, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.int32], Ints]:
    """Quasi-identifiers, sensitive values and numbers of strangers: those of :func:`_strangers` in counts.

    Class by class, attribute by attribute: whoever is alike so far is drawn for together.
    """
    encoded, classes = kin.encoded, kin.classes
    drawn = with_replacement(classes.sizes, wanted, rng)
    label = np.flatnonzero(drawn)
    people = drawn[label]
    codes = np.zeros((0, len(label)), dtype=np.int32)
    for column in (*encoded.codes, encoded.secret):
        first, group, _ = distinct_columns(np.stack([classes.labels, column]))
        begin = np.searchsorted(classes.labels[first], np.arange(classes.count + 1))
        lots = Lots(weighted_count(group, encoded.weight, len(first)))
        alike, outcome, people = lots.draw(people, begin[label], begin[label + 1], rng)
        codes = np.concatenate((codes[:, alike], column[first[outcome]][None, :].astype(np.int32)))
        label = label[alike]
    return codes[:-1], codes[-1], people


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

"""The calibrated forecast: shared people left with one value, with a band.

Ours; beside it stands the estimate of [Sattar 2018]. What it assumes, and how often its
band holds the truth, is on the Method page and measured by ``benchmarks --only pinned``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.arrays import Floats, Ints
from core.classes import ClassHistogram
from core.data.marginals import Marginals
from core.errors import ParameterError
from core.forecast.another import Another, another_like
from core.forecast.ground import Ground
from core.forecast.likeness import Likeness, likeness, log_rise
from core.privacy.policy import Policy
from core.rates import NORMAL
from core.release.release import Release

MARGIN = 0.01
"""What the models leave open, measured in made true worlds: one percentage point, at most the share itself."""
_FORGOTTEN = 35.0
"""Numbers of people beside a shared one whose probability is below exp(-35) are left out."""


@dataclass(frozen=True, eq=False)
class Expected:
    """Shared people expected to be left with one value once another hospital has published.

    Parameters
    ----------
    owner
        (seats,) my class of each person looked at.
    like
        (seats,) probability that only the own value is left, if all strangers beside him have
        what people of his class of mine have.
    apart
        (seats,) the same if those from outside his class's region have what its surroundings
        have.
    shared, others
        P and n that were assumed.
    person
        (seats,) whose each is, in numbers from 0, where people have several records: a seat is
        then a record, and somebody counts with the one that is likeliest to be pinned.
    """

    owner: Ints
    like: Floats
    apart: Floats
    shared: int
    others: int
    person: Ints | None = None

    @property
    def by_seat(self) -> Floats:
        """(seats,) mean of the two models."""
        return (self.like + self.apart) / 2

    @cached_property
    def share(self) -> float:
        """Expected share of the shared people with one value left: the mean of both models."""
        return self._mean(self.by_seat)

    @cached_property
    def models(self) -> tuple[float, float]:
        """What each of the two models expects of the people; their mean is :attr:`share`.

        Somebody with several records counts in both with the record that counts in the share.
        """
        if self.person is None:
            return float(self.like.mean()), float(self.apart.mean())
        order = np.lexsort((-self.by_seat, self.person))
        counts = order[np.unique(self.person[order], return_index=True)[1]]
        return float(self.like[counts].mean()), float(self.apart[counts].mean())

    @property
    def low(self) -> float:
        """Lower end of the band: the lower model, less what chance does to P people, less the margin."""
        return self._end(-1)

    @property
    def high(self) -> float:
        """Upper end of the band."""
        return self._end(1)

    def _mean(self, numbers: Floats) -> float:
        """Mean over people."""
        if self.person is None:
            return float(numbers.mean())
        most = np.zeros(int(self.person.max()) + 1)
        np.maximum.at(most, self.person, numbers)
        return float(most.mean())

    def _end(self, side: int) -> float:
        ends = (self._mean(self.like), self._mean(self.apart))
        middle = min(1.0, max(ends) if side > 0 else min(ends))
        chance = NORMAL * math.sqrt(middle * (1 - middle) / self.shared)
        end = middle + side * (chance + min(MARGIN, self.share))
        return min(1.0, max(0.0, end))


def expected(
    release: Release,
    shared: int,
    others: int | None = None,
    class_size: float | None = None,
    population: Marginals | None = None,
    another: Another | None = None,
    ground: Ground | None = None,
) -> Expected:
    """Expect, from my release alone, how many shared people are left with one sensitive value.

    Parameters
    ----------
    release
        My release.
    shared
        P, people that the other hospital has, too.
    others
        n, its records; as many as my table has by default.
    class_size
        k', people in its class of a shared person; by default it follows my policy, and its
        classes are drawn.
    population
        P(s) where it is known better than from the table; its other columns are not used.
    another
        The other hospital where it is made up already, by :func:`another_like` of the
        table of this release; ``shared``, ``others`` and ``class_size`` are then its own.
    ground
        Coarse classes of the table of this release, where they are made already.

    Returns
    -------
    Expected

    Raises
    ------
    ParameterError
        If P or n is out of range, or every record of mine is suppressed.

    Notes
    -----
    A person of my class E (n records, n_0 with his value, S its values) sits in a class of k'
    there. Of the k' - 1 beside him each is a shared person of E with probability r g: r =
    (P - 1) / (n' - 1) of the other's n' records are shared, and g of those beside him are of E,
    see :meth:`core.forecast.another.Another.together`. With c of them all have his value with
    the probability C(n_0 - 1, c) / C(n - 1, c). The others are strangers to E: none brings
    another value of S with the probability B(a, b + k' - 1 - c) / B(a, b) of Polya's urn,
    where a is what the values of S other than his weigh and b all others, mixed over
    :class:`core.forecast.likeness.Likeness`. Values he has alone in S: certainly left alone.

    Everybody is as likely to be shared, carries the same value there, and is known to be in
    his class. The other hospital's people are like mine.

    Two partitions, one pass for the surroundings, and O(seats x pairs x shared people beside).
    """
    if not release.classes.count:
        raise ParameterError("Every record of the release is suppressed; there is no class to forecast.")
    if class_size is not None and not (math.isfinite(class_size) and class_size >= 1):
        raise ParameterError("class_size must be at least 1.", parameter="class_size")
    ground = Ground(release.encoded) if ground is None else ground
    elsewhere = _another(release, shared, others, class_size, ground) if another is None else another
    label = release.classes.labels[elsewhere.rows]
    seats = elsewhere.looked_at(label >= 0)
    if not len(seats):
        raise ParameterError("Nobody of mine who is in a class is looked at; raise the shared people.")
    together = elsewhere.together(label)[seats]
    rows, owner = elsewhere.rows[seats], label[seats].astype(np.int64)
    size = elsewhere.sizes[elsewhere.group[seats]].astype(np.float64)
    if class_size is not None:
        size = np.full(len(seats), float(round(class_size)))
    histogram, values = release.histogram, release.encoded.sensitive.size
    known = histogram.owner * values + histogram.value
    triple = np.searchsorted(known, owner * values + release.encoded.secret[rows])
    beside = Beside(triple, size - 1, together, np.clip(elsewhere.share * together, 0.0, 1.0))
    of = likeness(release, population, ground)
    like, apart = (left_alone(histogram, of, beside, far) for far in (False, True))
    person = release.encoded.person
    whose = None if person is None else np.unique(person[rows], return_inverse=True)[1].astype(np.int64)
    return Expected(owner, like, apart, elsewhere.shared, elsewhere.records, whose)


def _another(release: Release, shared: int, others: int | None, class_size: float | None, ground: Ground) -> Another:
    if class_size is None:
        return another_like(release.encoded, release.policy, shared, others, release.algorithm.name, ground=ground)
    # Mondrian's classes hold from k to 2 k - 1 records where values do not repeat.
    k = max(1, round(class_size / 1.5))
    return another_like(release.encoded, Policy(k), shared, others, ground=ground)


@dataclass(frozen=True, eq=False)
class Beside:
    """Who sits beside each person looked at.

    Parameters
    ----------
    triple
        (seats,) class and value of the person, as a triple of the histogram.
    people
        (seats,) k' - 1, all who sit beside him.
    together
        (seats,) g, share of them from the region of his own class.
    known
        (seats,) r g, probability that one of them is a shared person of his own class.
    """

    triple: Ints
    people: Floats
    together: Floats
    known: Floats


def left_alone(histogram: ClassHistogram, of: Likeness, beside: Beside, far: bool) -> Floats:
    """(seats,) probability that nobody beside a person brings another value of his class; see :func:`expected`.

    With ``far``, the records of the class speak only for the share of strangers that is from
    its region; the surroundings speak for the others.
    """
    alone = np.ones(len(beside.triple))
    which = np.flatnonzero(histogram.distinct[histogram.owner[beside.triple]] > 1)
    if not len(which):
        return alone
    triple, people = beside.triple[which], beside.people[which]
    owner = histogram.owner[triple]
    records, own = histogram.sizes[owner].astype(np.float64), histogram.count[triple].astype(np.float64)
    heard = beside.together[which] if far else np.ones(len(which))
    others_mean = np.add.reduceat(of.mean, histogram.starts, axis=1)[:, owner] - of.mean[:, triple]
    total = records + of.weight[:, None]
    bring = heard * (records - own) + (total - heard * records) * np.clip(others_mean, 0.0, 1.0)
    spare = np.maximum(total - bring, 1e-9)
    # ln of the urn's probability that none of the strangers brings one, for c = 0 sharers.
    urn = log_rise(spare, people) - log_rise(total, people)
    weight = of.posterior[:, owner]
    urns = Urns(urn, weight, spare, total)
    alone[which] = np.minimum(_over_sharers(urns, people, beside.known[which], own, records), 1.0)
    return alone


@dataclass(frozen=True, eq=False)
class Urns:
    """Polya's urns of each pair of a mixture and seat, (pairs, seats) each.

    ``log`` is ln of the probability that no draw is another value, ``weight`` the share of the
    pair, ``spare`` and ``total`` what all but the other values, and everything, weigh.
    """

    log: Floats
    weight: Floats
    spare: Floats
    total: Floats


def _over_sharers(urns: Urns, people: Floats, chance: Floats, own: Floats, records: Floats) -> Floats:
    """(seats,) sum over c of Binomial(c) x all c have the own value x the urn with so many fewer draws."""
    expected_of = np.zeros(len(people))
    least = np.log1p(-np.minimum(chance, 1 - 1e-12))
    odds = np.log(np.maximum(chance, 1e-300)) - least
    most = np.minimum(people, own - 1)
    log = people * least
    urn = urns.log.copy()
    active = np.arange(len(people))
    c = 0
    while len(active):
        likely = log > -_FORGOTTEN
        counted = np.flatnonzero(likely)
        expected_of[active[counted]] += np.exp(log[counted]) * (
            urns.weight[:, active[counted]] * np.exp(urn[:, counted])
        ).sum(axis=0)
        # A seat is done after its last possible c, or where the tail beyond the mean is forgotten.
        going = np.flatnonzero((c < most[active]) & (likely | (c < people[active] * chance[active])))
        active, log, urn = active[going], log[going], urn[:, going]
        left = people[active] - c
        log = log + np.log(left) - math.log(c + 1) + odds[active]
        log = log + np.log(own[active] - 1 - c) - np.log(records[active] - 1 - c)
        # One draw fewer: divide by the last factor of both products.
        urn = urn + np.log(urns.total[:, active] + left - 1) - np.log(urns.spare[:, active] + left - 1)
        c += 1
    return expected_of

"""How many classes a part of a table could still become: what keeps a greedy cut out of dead ends.

Counted along a line for every cut at once. k and distinct l bound the number exactly. Entropy l
and recursive (c, l) are estimated: a sample of g people of a part keeps a number that the part
exceeds by little only if g is large, and the part could become n / g classes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Floats, Ints, is_first
from core.data.encoding import Encoded
from core.privacy.policy import Policy

Number = TypeVar("Number", Ints, Floats)
MARGIN = 1e-6
"""Entropy, in nats, that a tally is trusted to beyond rounding; what is nearer to the limit is left to exact counts."""


@dataclass(frozen=True, eq=False)
class Need:
    """What of a policy decides how small a class can be.

    Parameters
    ----------
    only_k
        Whether nothing but people in a class is asked.
    k
        People in a class.
    values
        Distinct known values of the sensitive attribute in a class.
    entropy
        Least entropy of a class, in nats; 0 where none is asked.
    factor
        Largest ratio of the commonest value to all others; infinite where none is asked.
    missing
        Sensitive code that counts for nothing, or -1.
    least_values, least_mass
        What a class needs at least, as the models say.
    share
        (values,) share of the whole table that has each sensitive value.
    decided
        Whether a tally and the number of people say all that is asked, but for a margin.
    """

    only_k: bool
    k: int
    values: int
    entropy: float
    factor: float
    missing: int
    least_values: float
    least_mass: float
    share: Floats
    decided: bool

    @classmethod
    def of(cls, policy: Policy, encoded: Encoded) -> Need:
        """Read off what a policy asks, of a model that is not known here nothing."""
        l, kind = policy.values["l"], policy.values["diversity"]  # noqa: E741 - the field's own name
        entropy = math.log(l) if l is not None and kind == "entropy" and policy.m is None else 0.0
        factor = float(policy.values["c"] or math.inf) if l is not None and kind == "recursive" else math.inf
        values = 0 if policy.m is not None else math.ceil(policy.least_values - 1e-9)
        share = encoded.overall / encoded.overall.sum()
        least = policy.least_values, policy.least_mass
        models = {model.symbol for model in policy.models}
        # Where persons have several records, models count persons, and tallies records.
        decided = models <= {"k", "l"} and kind != "recursive" and not encoded.several
        return cls(policy.only_k, policy.k, values, entropy, factor, encoded.sensitive.missing, *least, share, decided)

    @property
    def by_size(self) -> bool:
        """Whether nothing is known beyond the number of people."""
        return self.least_values <= 0 and self.least_mass <= 0 and self.entropy <= 0 and math.isinf(self.factor)


@dataclass(frozen=True, eq=False)
class SideValues:
    """Known sensitive values on one side of each cut.

    Parameters
    ----------
    known
        Records with a known value.
    most
        Records of the commonest value.
    distinct
        Different values.
    mass
        Share of the whole table that has one of the values, missing ones included.
    entropy
        In nats.
    """

    known: Ints
    most: Ints
    distinct: Ints
    mass: Floats
    entropy: Floats

    def take(self, which: Ints) -> SideValues:
        """Return some of the cuts."""
        return SideValues(
            self.known[which], self.most[which], self.distinct[which], self.mass[which], self.entropy[which]
        )

    def could_hold(self, need: Need) -> Bools:
        """Whether there are values enough on this side; necessary for the policy, not sufficient."""
        enough = (self.distinct >= need.least_values - 0.5) & (self.mass >= need.least_mass)
        return enough & (self.entropy >= need.entropy - MARGIN) if need.decided else enough

    def surely_hold(self, need: Need) -> Bools:
        """Of sides that could hold, which ones surely meet the policy, k apart; others may do so."""
        return need.decided & ((self.entropy >= need.entropy + MARGIN) | (need.entropy <= 0))


def capacity(need: Need, people: Ints, tally: SideValues | None) -> Floats:
    """(sides,) how many classes each side could become, at least 1.

    Under k alone it is taken as the number of people: people / k, but for a factor that all sides
    have in common. Which cut is best then does not depend on k, so that one pass serves every k.
    """
    if need.only_k:
        return people.astype(np.float64)
    limit = (people // need.k).astype(np.float64)
    if tally is None:
        return np.maximum(limit, 1.0)
    known, most = tally.known.astype(np.float64), tally.most.astype(np.float64)
    if need.values > 1:
        limit = np.minimum(limit, tally.known // need.values)
        limit = np.minimum(limit, (tally.known - tally.most) // (need.values - 1))
    if need.entropy > 0:
        # A sample of g people has (values - 1) / 2g nats less than what it is drawn from.
        slack = np.maximum(tally.entropy - need.entropy, 1e-9)
        limit = np.minimum(limit, known * 2 * slack / np.maximum(tally.distinct - 1, 1))
    if not math.isinf(need.factor):
        # The share of the commonest value may be c / (1 + c); in g people it strays by a standard error.
        share = most / np.maximum(known, 1)
        slack = np.maximum(need.factor / (1 + need.factor) - share, 0.0)
        limit = np.minimum(limit, known * slack**2 / np.maximum(share * (1 - share), 1e-9))
    return np.maximum(limit, 1.0)


def tallies(
    group: Ints, starts: Ints, at: Ints, secret: NDArray[np.int32], weight: Ints, need: Need
) -> tuple[SideValues, SideValues]:
    """Sensitive values below each cut of a line, and from it on; one sort for all of them.

    Parameters
    ----------
    group
        (units,) number of each unit's pair of class and sensitive value, along the line.
    starts
        (classes,) where each class begins on the line.
    at
        (cuts,) where the upper side begins.
    secret, weight
        (units,) sensitive code and records, along the line.
    need
        What is looked at.

    Notes
    -----
    A value is new where it stands first of its group, and counted up along it, so running sums
    within a class give everything; O(units log units).
    """
    n = len(group)
    by_group = np.argsort(group, kind="stable")
    grouped = group[by_group]
    known = secret != need.missing
    many = np.where(known, weight, 0)
    running = np.cumsum(many[by_group])
    begin = np.flatnonzero(is_first(grouped))
    end = np.append(begin[1:], n)
    base = np.repeat(running[begin] - many[by_group[begin]], end - begin)
    count = np.empty(n, dtype=np.int64)
    count[by_group] = running - base
    back = np.empty(n, dtype=np.int64)
    back[by_group] = np.repeat(running[end - 1], end - begin) - running + many[by_group]
    which = np.searchsorted(starts, at, side="right") - 1
    ends = np.append(starts[1:], n)
    owner = np.repeat(np.arange(len(starts)), ends - starts)
    below = at - 1
    first, last = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    first[by_group[begin]] = True
    last[by_group[end - 1]] = True

    def up(amounts: Number) -> Number:
        whole: Number = np.concatenate((amounts[:1] * 0, np.cumsum(amounts)))
        counts: Number = whole[at] - whole[starts[which]]
        return counts

    def down(amounts: Number) -> Number:
        whole: Number = np.concatenate((amounts[:1] * 0, np.cumsum(amounts)))
        counts: Number = whole[ends[which]] - whole[at]
        return counts

    large = int(many.sum()) + 1
    most_up = np.maximum.accumulate(count + owner * large)[below] - which * large
    turned = len(starts) - 1 - owner
    most_down = np.maximum.accumulate((back + turned * large)[::-1])[::-1][at] - turned[at] * large
    nothing = np.zeros(len(at))
    mass = entropy = (nothing, nothing)
    if need.least_mass > 0:
        share = need.share[secret]
        mass = up(np.where(first, share, 0.0)), down(np.where(last, share, 0.0))
    known_up, known_down = up(many), down(many)
    if need.entropy > 0:
        entropy = (
            _entropy(known_up, up(_xlogx(count) - _xlogx(count - many))),
            _entropy(known_down, down(_xlogx(back) - _xlogx(back - many))),
        )
    return (
        SideValues(known_up, most_up, up((first & known).astype(np.int64)), mass[0], entropy[0]),
        SideValues(known_down, most_down, down((last & known).astype(np.int64)), mass[1], entropy[1]),
    )


def _entropy(size: Ints, sums: Floats) -> Floats:
    """Entropy in nats from the number of records and the sum of n log n over the values."""
    some = np.maximum(size, 1)
    entropy: Floats = np.log(some) - sums / some
    return entropy


def _xlogx(count: Ints) -> Floats:
    products: Floats = count.astype(np.float64) * np.log(np.maximum(count, 1))
    return products

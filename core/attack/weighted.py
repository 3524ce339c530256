"""The weighted adversary: the probability of each value, not only whether it is possible.

The intersection attack treats all values left as equally likely. This adversary counts how often each value occurs in
the person's classes. The evidence of a release is what its class says about the person beyond what would be expected
without any release [definitions §4; an addition to Ganta 2008].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.attack.bitsets import RankedSets, full_set, sets_of_people
from core.attack.intersection import AttackResult
from core.attack.pools import TOLERANCE, Pools, pairs, pooled
from core.base.arrays import BitSets, Floats, Ints, mean_over
from core.base.errors import ParameterError
from core.base.limits import LIMITS
from core.base.rates import Rate
from core.base.short import many, short
from core.data.classes import distinct_columns
from core.data.encoding.marginals import PRIOR_RECORDS


@dataclass(frozen=True, eq=False)
class Listed:
    """Values left of each group of people and their posteriors, in a list.

    Parameters
    ----------
    starts, value, probability
        (groups + 1,), (pairs,), (pairs,); those of group g are ``[starts[g]:starts[g + 1]]``, ascending values.
    """

    starts: Ints
    value: Ints
    probability: Floats

    def of(self, group: int) -> tuple[Ints, Floats]:
        """Values of one group, and the probability of each."""
        part = slice(self.starts[group], self.starts[group + 1])
        return self.value[part], self.probability[part]


@dataclass(frozen=True, eq=False)
class Weighted:
    """Outcome of the weighted adversary for each of P people.

    People who fall into the same classes in all releases form a group and are computed
    once.

    Parameters
    ----------
    max_posterior
        (P,) largest posterior probability; 0 if no value is left.
    guess
        (P,) the value that has it, as an index into the values of the attack; the lowest index if several are equally
        likely; -1 if no value is left.
    truth
        (P,) true value; -1 if it is not known.
    hit
        (P,) chance that the true value is named: 1 if it is the most likely, ``1 / m`` if it is one of m equally likely
        ones, else 0; 0 if it is not known.
    group, posteriors
        (P,) group of each person; the values left of each group, and their posteriors.
    pools
        Sensitive values of each person's classes in each release.
    overall
        (values,) share of each value in the first release.
    weight
        (P,) people that each one represents.
    """

    max_posterior: Floats
    guess: Ints
    truth: Ints
    hit: Floats
    group: Ints
    posteriors: Listed
    pools: tuple[Pools, ...]
    overall: Floats
    weight: Ints

    def __repr__(self) -> str:
        return short(self, many(len(self.max_posterior), "person", "people"), many(len(self.pools), "release"))

    @property
    def people(self) -> int:
        """Number of people attacked."""
        return int(self.weight.sum())

    def mean(self, numbers: NDArray[Any]) -> Any:
        """Mean over all people of numbers (..., P), or the share if they are booleans."""
        return mean_over(numbers, self.weight)

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """(P,) whether the adversary has a guess for a person that can be checked."""
        return (self.guess >= 0) & (self.truth >= 0)

    @property
    def guessing(self) -> float:
        """Success rate of guessing the most common value of the first release."""
        return float(self.overall.max(initial=0.0))

    @cached_property
    def _alone(self) -> tuple[Floats, Floats]:
        beliefs = [pool.alone(self.truth, self.overall) for pool in self.pools]
        return np.array([confidence for confidence, _ in beliefs]), np.array([hit for _, hit in beliefs])

    @property
    def alone(self) -> Floats:
        """(R, P) confidence from each release alone: the largest share of a value in the person's class.

        If no class is known, that of the overall distribution.
        """
        return self._alone[0]

    @property
    def alone_hit(self) -> Floats:
        """(R, P) probability that each release alone gives the true value, like ``hit``."""
        return self._alone[1]

    def posterior(self, person: int) -> tuple[Ints, Floats]:
        """Return the values left for one person, ascending, and the probability of each."""
        return self.posteriors.of(int(self.group[person]))

    def breached(self, confidence: float = 1.0) -> NDArray[np.bool_]:
        """(P,) whether the most likely value has at least this probability."""
        return self.max_posterior >= _checked(confidence) - TOLERANCE

    def pvp(self, confidence: float) -> Rate:
        """Share of people breached at this confidence.

        Returns
        -------
        Rate
            ``single``: share breached by the best single release alone, its baseline. Exact
            for these people, without an interval.
        """
        alone = self.alone >= _checked(confidence) - TOLERANCE
        return Rate(float(self.mean(self.breached(confidence))), self.people, single=float(self.mean(alone).max()))

    def hits(self, confidence: float) -> Rate:
        """Share of all people who are breached at this confidence and whose true value is named.

        The correct part of :meth:`pvp`; the rest is a confident inference that is wrong or cannot be checked.
        ``single`` as in :meth:`pvp`.
        """
        breached = self.breached(confidence)
        alone = (self.alone >= _checked(confidence) - TOLERANCE) * self.alone_hit
        return Rate(float(self.mean(breached * self.hit)), self.people, single=float(self.mean(alone).max()))


def weigh(
    result: AttackResult,
    prior_weight: float = PRIOR_RECORDS,
    naive: bool = False,
    same_value_rate: Sequence[float] | None = None,
) -> Weighted:
    """Weight the values left by an attack by their frequency in each person's classes.

    This adversary knows the same as that of :func:`core.intersection_attack`. They also use how often each value left
    occurs in the classes, and name the most likely one. Read :meth:`Weighted.pvp`, the people about whom they are
    confident, next to :meth:`Weighted.hits`, those for whom the value is correct. Compare the mean of ``hit`` with
    :attr:`Weighted.guessing`, the success rate of naming the most common value for everyone.

    P(s | q, E_1..E_R) is proportional to f(s|q) prod_j p_j(s) / f(s|q) [definitions §4]:
    p_j is the distribution of sensitive values in the person's class of release j, and f(s|q), the expectation about
    such a person without any release, is the pooled distribution of these R classes, smoothed towards the overall one.

    If the records of release j carry the value of the first release with probability a < 1,
    and else one drawn from the overall distribution g, what its class says is a mixture: in
    place of p_j(s) / f(s|q) stands a p_j(s) / f(s|q) + (1 - a) sum over s' of g(s') p_j(s') /
    f(s'|q). Such a release rules nothing out, so the values that are weighed are those of the
    classes of the other releases.

    Parameters
    ----------
    result
        Of :func:`core.intersection_attack`. Several candidate classes of a person are pooled; a release in which a
        person has none says nothing about them. Classes are smoothed towards the first release, because the truth comes
        from its records.
    prior_weight
        Records that the overall distribution counts for in addition to those of the person's classes,
        above 0.
    naive
        Divide by the overall distribution in place of f(s|q). This counts what age and sex reveal about the diagnosis
        once per release, and is far too confident: for teaching only. A value that the first release does not have
        counts half a record in it.
    same_value_rate
        (R,) a for each release, 0 to 1; all 1 by default. In g, too, a value that the first
        release does not have counts half a record.

    Returns
    -------
    Weighted
        Confidence, guess and chance of a hit for each person.

    Raises
    ------
    ParameterError
        If the prior weight is not above 0, or a rate is not from 0 to 1.

    Notes
    -----
    Sums of logarithms, shifted so that the most likely value has 0: nothing underflows.
    O(R x (groups x values left + triples) + P x R log P); 2 releases of 37,593 records
    with 247 values, k = 25, 5,000 people: some 5 ms.
    """
    LIMITS["weight"].check(prior_weight, "prior_weight")
    sure, values = _agreeing(same_value_rate, len(result.located)), len(result.overall)
    records = float(result.overall.sum())
    share = result.overall / records if records else np.full(values, 1 / values)
    seen = zip(result.located, result.histograms, result.codes, strict=True)
    pools = [pooled(*parts, values) for parts in seen]
    first, group = result.same_classes or distinct_columns(np.array([pool.number for pool in pools]) + 1)[:2]
    numbers = [pool.number[first] for pool in pools]
    at_least = np.maximum(share, 0.5 / max(records, 1.0))
    sets = result.sets[first] if (sure == 1).all() else _possible(sure, result)[first]
    left = _Left.of(sets, group)
    pair_group, value = left.owner, left.value

    def counted(of: Ints, values: Ints) -> list[Floats]:
        """Records of a value in the pool of a group, release by release."""
        return [pool.count_of(number[of], values) for pool, number in zip(pools, numbers, strict=True)]

    def expected(counts: Sequence[Floats], values: Ints) -> Floats:
        """Weights of a group without any release, up to a factor per group."""
        if naive:
            return at_least[values]
        together: Floats = sum(counts, np.zeros(len(values)))
        return together + prior_weight * share[values]

    counts = counted(pair_group, value)
    before = expected(counts, value)
    log = np.zeros(len(value))
    heard = np.zeros(len(first), dtype=np.int64)
    for pool, number, agrees, count in zip(pools, numbers, sure.tolist(), counts, strict=True):
        there = number[pair_group] >= 0
        with np.errstate(divide="ignore"):
            if agrees == 1:
                heard += number >= 0
                log += np.where(there, np.log(count), 0.0)
            elif agrees > 0:
                of, cell = pool.cells(number)
                named = pool.value[cell]
                other = at_least[named] * pool.count[cell] / expected(counted(of, named), named)
                mixed = (1 - agrees) * np.bincount(of, weights=other, minlength=len(first))
                same = np.divide(agrees * count, before, out=np.zeros(len(value)), where=count > 0)
                log += np.where(there, np.log(same + mixed[pair_group]), 0.0)
    power = (1 - heard)[pair_group]
    with np.errstate(divide="ignore", invalid="ignore"):
        log += np.where(power == 0, 0.0, power * np.log(before))
    return _normalise(pools, left, log, result, share)


def set_hit(result: AttackResult) -> Floats:
    """(P,) probability that a random choice among the values left is right.

    1 / |S_i| if the true value is in S_i, else 0 (also if it is not known): how often
    the adversary of [Ganta 2008, Alg. 1] is right, next to :attr:`Weighted.hit`.
    """
    return np.where(result.true_value_left, 1.0 / np.maximum(result.posterior, 1), 0.0)


def adversaries(result: AttackResult, weighted: Weighted) -> pd.DataFrame:
    """Compare both adversaries on the same people: who is exposed at a confidence, and true disclosures.

    Returns
    -------
    DataFrame
        One row per adversary (``"weights"``, ``"sets"``) and confidence: ``adversary,
        confidence, exposed`` (share of all people), ``right`` (share of all people who are
        exposed and whose true value is named), ``n`` (people). The difference between the two is wrong, or the truth is
        not known.
    """
    chance, result = set_hit(result), result.joint  # the weighted one weighs joint values
    rows = []
    for confidence in (percent / 100 for percent in range(1, 101)):
        by_weight, by_set = weighted.breached(confidence), result.breached(confidence)
        for name, exposed, named in (("weights", by_weight, weighted.hit), ("sets", by_set, chance)):
            rows.append((name, confidence, result.mean(exposed), result.mean(exposed * named), result.people))
    return pd.DataFrame(rows, columns=["adversary", "confidence", "exposed", "right", "n"])


def _agreeing(same_value_rate: Sequence[float] | None, releases: int) -> Floats:
    """(R,) validated same-value rate of each release."""
    sure = np.ones(releases) if same_value_rate is None else np.asarray(same_value_rate, dtype=np.float64)
    if sure.shape != (releases,) or not ((sure >= 0) & (sure <= 1)).all():
        raise ParameterError("Give one same-value rate from 0 to 1 for each release.", parameter="same_value_rate")
    return sure


def _possible(sure: Floats, result: AttackResult) -> BitSets:
    """(P, words) values in the classes of every release with a same-value rate of 1."""
    every = full_set(len(result.overall))
    left = np.tile(every, (result.located[0].people, 1))
    for number in np.flatnonzero(sure == 1).tolist():
        there, sets = sets_of_people(
            result.histograms[number], result.codes[number], len(every), result.located[number]
        )
        left[there] &= sets
    return left


@dataclass(frozen=True, eq=False)
class _Left:
    """Values left of each group of people, group after group.

    Parameters
    ----------
    group
        (P,) of each person.
    sets
        Values of each group, and the index of each value among the pairs.
    owner, value
        (pairs,) group and value, ascending values within a group.
    """

    group: Ints
    sets: RankedSets
    owner: Ints
    value: Ints

    @classmethod
    def of(cls, sets: BitSets, group: Ints) -> _Left:
        """List the set of each group."""
        owner, value = pairs(sets)
        ends = np.cumsum(np.bincount(owner, minlength=len(sets)))
        return cls(group, RankedSets(sets, np.concatenate(([0], ends))), owner, value)


def _normalise(pools: Sequence[Pools], left: _Left, log: Floats, result: AttackResult, share: Floats) -> Weighted:
    """Normalise the weights of each group, and compare with the truth of each person."""
    group, starts, pair_group, value = left.group, left.sets.starts, left.owner, left.value
    groups = len(starts) - 1
    filled = np.flatnonzero(np.diff(starts))
    top = np.zeros(groups)
    top[filled] = np.maximum.reduceat(log, starts[filled]) if len(filled) else 0.0
    weight = np.exp(log - top[pair_group])
    total = np.ones(groups)
    total[filled] = np.add.reduceat(weight, starts[filled]) if len(filled) else 1.0
    probability = weight / total[pair_group]
    confidence, guess = np.zeros(groups), np.full(groups, -1, dtype=np.int64)
    confidence[filled] = 1.0 / total[filled]
    most_likely = np.flatnonzero(weight >= 1 - TOLERANCE)
    guess[pair_group[most_likely][::-1]] = value[most_likely][::-1]  # the lowest number is written last
    ties = np.bincount(pair_group[most_likely], minlength=groups)
    truth = result.truth
    place = left.sets.place(group, truth)
    there = place >= 0
    at = place[there]
    hit = np.zeros(len(truth))
    hit[there] = np.where(weight[at] >= 1 - TOLERANCE, 1.0 / np.maximum(ties[group[there]], 1), 0.0)
    return Weighted(
        confidence[group],
        guess[group],
        truth,
        hit,
        group,
        Listed(starts, value, probability),
        tuple(pools),
        share,
        result.weight,
    )


def _checked(confidence: float) -> float:
    LIMITS["confidence"].check(confidence, "confidence")
    return confidence

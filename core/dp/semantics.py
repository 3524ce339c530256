"""Semantic privacy: conclusions with and without my record [Ganta 2008, Def. 13-14].

An adversary with any prior sees the output in game 0 (the real table) or in game i (person
i's record replaced by a default). Privacy holds if its conclusions hardly differ. On
small tables every world, output and game is enumerated, so the differences are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.base.arrays import Floats, Ints
from core.base.errors import ParameterError
from core.base.limits import LIMITS

# ---- bounds ------------------------------------------------------------------------------


@dataclass(frozen=True)
class DistanceBound:
    """A bound on the difference of conclusions, and on the probability that it fails.

    Parameters
    ----------
    distance
        Largest statistical difference.
    failure
        Probability that it is larger, over tables drawn from the prior and their outputs.
    """

    distance: float
    failure: float = 0.0

    @property
    def excludes_something(self) -> bool:
        """Whether the bound excludes anything: both are probabilities, and 1 or more excludes nothing."""
        return self.distance < 1 and self.failure < 1


def proposition_15(epsilon: float) -> DistanceBound:
    """e^epsilon - 1 [Ganta 2008, Prop. 15]; vacuous from epsilon = ln 2 on."""
    return DistanceBound(_less_one(epsilon))


def sharp(epsilon: float) -> DistanceBound:
    """tanh(epsilon / 2) = (e^epsilon - 1) / (e^epsilon + 1), ours: holds for epsilon-DP and is below 1 always."""
    return DistanceBound(math.tanh(epsilon / 2))


def theorem_16(epsilon: float, delta: float, people: int) -> DistanceBound:
    """Bound for (epsilon, delta)-DP [Ganta 2008, Thm. 16].

    e^(3 epsilon) - 1 + 2 sqrt(delta), failing with probability at most
    n (sqrt(delta) + 2 delta / (epsilon e^epsilon)): the paper writes O(n sqrt(delta)), the
    constants are those of its Lemma 19 and a union bound over n people.
    """
    if not (epsilon > 0 and 0 <= delta < 1 and people >= 1):
        raise ParameterError(
            "Give an epsilon above 0, a delta from 0 to below 1 and at least one person.", parameter="epsilon"
        )
    failure = people * (math.sqrt(delta) + 2 * delta / epsilon * math.exp(-epsilon))
    return DistanceBound(_less_one(3 * epsilon) + 2 * math.sqrt(delta), failure)


def _less_one(power: float) -> float:
    return math.expm1(power) if power < 700 else math.inf


@dataclass(frozen=True)
class Applies:
    """Whether [Ganta 2008, Thm. 18] holds for a prior, and its bound.

    Parameters
    ----------
    share
        Prior probability of tables all of whose neighbours give (epsilon, delta)-indistinguishable
        outputs.
    holds
        Whether that is at least 1 - delta.
    bound
        As in Thm. 16; it is claimed only if ``holds``.
    """

    share: float
    holds: bool
    bound: DistanceBound


# ---- games -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Worlds:
    """All tables of a few people with one value each.

    Parameters
    ----------
    people, values
        n and the number of values.
    """

    people: int
    values: int

    def __post_init__(self) -> None:
        """Refuse tables that are too many to enumerate."""
        LIMITS["game people"].check(self.people, "people")
        LIMITS["game values"].check(self.values, "values")
        LIMITS["games"].check(self.count, "people")

    @property
    def count(self) -> int:
        """Number of tables, values^people."""
        return int(self.values**self.people)

    @property
    def tables(self) -> Ints:
        """(tables, people) value of each person."""
        return np.stack(np.unravel_index(np.arange(self.count), (self.values,) * self.people), axis=1).astype(np.int64)

    def replaced(self, person: int, value: int) -> Ints:
        """(tables,) number of the table in which a person's record is replaced by this value."""
        tables = self.tables
        tables[:, person] = value
        numbers: Ints = np.ravel_multi_index(tuple(tables.T), (self.values,) * self.people)
        return numbers

    def prior(self, beliefs: Floats) -> Floats:
        """(tables,) prior under which people are independent.

        Parameters
        ----------
        beliefs
            (people, values) weights of each person's values; rows need not sum to 1.

        Raises
        ------
        ParameterError
            If a weight is negative or a row has none.
        """
        given = np.asarray(beliefs, dtype=np.float64)
        if given.shape != (self.people, self.values) or not np.isfinite(given).all() or (given < 0).any():
            raise ParameterError(
                f"The prior needs {self.people} rows of {self.values} weights of at least 0.", parameter="prior"
            )
        if (given.sum(axis=1) <= 0).any():
            raise ParameterError("Every person needs a value with a weight above 0.", parameter="prior")
        shares = given / given.sum(axis=1, keepdims=True)
        chances: Floats = np.prod(shares[np.arange(self.people), self.tables], axis=1)
        return chances


@dataclass(frozen=True, eq=False)
class Sanitizer:
    """An algorithm on small tables as the probability of each output.

    Parameters
    ----------
    name
        For people.
    chance
        (tables, outputs) probability of each output of each table; rows sum to 1.
    """

    name: str
    chance: Floats


def laplace_histogram(worlds: Worlds, epsilon: float) -> Sanitizer:
    """Counts of each value with discrete Laplace noise of scale 2 / epsilon, enumerated exactly.

    Noisy counts below 0 or above n are lumped into 0 and n: all true counts lie between, so the likelihood ratio of any
    two of them is constant in each tail, and no information is lost.
    """
    if not epsilon > 0:
        raise ParameterError(f"epsilon must be above 0; {epsilon:g} was given.", parameter="epsilon")
    n, values = worlds.people, worlds.values
    LIMITS["game outputs"].check(worlds.count * (n + 1) ** values, "people")
    q = math.exp(-epsilon / 2)
    distance = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
    cell = (1 - q) / (1 + q) * q**distance
    # P(noise <= -c) = q^c / (1 + q).
    cell[:, 0] = q ** np.arange(n + 1) / (1 + q)
    cell[:, n] = q ** np.arange(n, -1, -1) / (1 + q)
    counts = np.stack([(worlds.tables == value).sum(axis=1) for value in range(values)], axis=1)
    chance = np.ones((worlds.count, 1))
    for value in range(values):
        chance = (chance[:, :, None] * cell[counts[:, value]][:, None, :]).reshape(worlds.count, -1)
    return Sanitizer(f"discrete Laplace, epsilon = {epsilon:g}", chance)


def k_anonymous(worlds: Worlds, k: int) -> Sanitizer:
    """A partition of the people into classes of at least k, each published with its values: no randomness.

    The class of a person depends only on the quasi-identifiers, which everyone knows here.
    """
    if not 1 <= k <= worlds.people:
        raise ParameterError(f"k must be from 1 to the {worlds.people} people; {k} was given.", parameter="k")
    classes = np.minimum(np.arange(worlds.people) // k, worlds.people // k - 1)
    tables = worlds.tables
    counts = np.stack(
        [
            (tables[:, classes == c] == value).sum(axis=1)
            for c in range(classes[-1] + 1)
            for value in range(worlds.values)
        ],
        axis=1,
    )
    seen, which = np.unique(counts, axis=0, return_inverse=True)
    LIMITS["game outputs"].check(worlds.count * len(seen), "people")
    chance = np.zeros((worlds.count, len(seen)))
    chance[np.arange(worlds.count), which.ravel()] = 1.0
    return Sanitizer(f"{k}-anonymous partition", chance)


def one_at_random(worlds: Worlds) -> Sanitizer:
    """Publish one person, drawn at random, with name and value [Ganta 2008, §1.1.2].

    Replacing a record changes the output's distribution by 1/n in total variation, and yet one person is always exposed
    completely.
    """
    n, values, tables = worlds.people, worlds.values, worlds.tables
    chance = np.zeros((worlds.count, n * values))
    for person in range(n):
        chance[np.arange(worlds.count), person * values + tables[:, person]] = 1 / n
    return Sanitizer("one person at random", chance)


@dataclass(frozen=True, eq=False)
class Games:
    """Enumerated games 0 to n for one sanitizer and one prior.

    Parameters
    ----------
    distance
        (people, outputs) statistical difference between the conclusions of game 0 and of game
        i + 1; 1 if the output cannot occur in that game, NaN if it cannot in game 0.
    probability
        (outputs,) chance of each output in game 0.
    prior
        (tables,) belief beforehand.
    posterior
        (tables, outputs) belief after each output in game 0.
    """

    distance: Floats
    probability: Floats
    prior: Floats
    posterior: Floats

    @property
    def largest(self) -> float:
        """Largest difference over games and outputs: the epsilon of Def. 13, for this prior."""
        return float(np.nanmax(self.distance))

    def failure(self, bound: float) -> float:
        """Probability over tables and outputs that any person's difference exceeds a bound: the delta of Def. 14."""
        over = (np.nan_to_num(self.distance) > bound + 1e-12).any(axis=0)
        return float(self.probability[over].sum())


def play(worlds: Worlds, sanitizer: Sanitizer, prior: Floats, default: int = 0) -> Games:
    """Enumerate games 0 to n.

    Parameters
    ----------
    worlds, sanitizer
        The tables, and the output for each.
    prior
        (tables,) belief beforehand.
    default
        Value that replaces a person's in the person's game.

    Returns
    -------
    Games
        By b_i(D | t) = P(A(D_-i) = t) b(D) / sum [Ganta 2008, §4.1].

    Notes
    -----
    O(people x tables x outputs).
    """
    if not 0 <= default < worlds.values:
        raise ParameterError(f"The default must be from 0 to {worlds.values - 1}.", parameter="default")
    real = prior[:, None] * sanitizer.chance
    probability = real.sum(axis=0)
    occurs = probability > 0
    after = np.divide(real, probability, out=np.zeros_like(real), where=occurs)
    distance = np.full((worlds.people, len(probability)), np.nan)
    for person in range(worlds.people):
        game = prior[:, None] * sanitizer.chance[worlds.replaced(person, default)]
        total = game.sum(axis=0)
        there = total > 0
        without = np.divide(game, total, out=np.zeros_like(game), where=there)
        difference = 0.5 * np.abs(after - without).sum(axis=0)
        distance[person] = np.where(occurs, np.where(there, difference, 1.0), np.nan)
    return Games(distance, probability, prior, after)


# ---- what the definitions ask --------------------------------------------------------------


def _neighbours(worlds: Worlds) -> list[tuple[Ints, Ints]]:
    """Pairs (tables, their neighbours) for every person and every replacement."""
    tables = np.arange(worlds.count)
    return [
        (tables, worlds.replaced(person, value)) for person in range(worlds.people) for value in range(worlds.values)
    ]


def total_variation(worlds: Worlds, sanitizer: Sanitizer) -> float:
    """Largest total variation between outputs of neighbours, the measure that [Ganta 2008, §4.1] warns against."""
    chance = sanitizer.chance
    return max(
        float(0.5 * np.abs(chance[first] - chance[second]).sum(axis=1).max()) for first, second in _neighbours(worlds)
    )


def least_delta(worlds: Worlds, sanitizer: Sanitizer, epsilon: float) -> Floats:
    """(tables,) smallest delta at which a table and all its neighbours are indistinguishable [Ganta 2008, Def. 17]."""
    chance, grown = sanitizer.chance, math.exp(epsilon)
    worst = np.zeros(worlds.count)
    for first, second in _neighbours(worlds):
        first_chance, other = chance[first], chance[second]
        for a, b in ((first_chance, other), (other, first_chance)):
            worst = np.maximum(worst, np.maximum(a - grown * b, 0).sum(axis=1))
    return worst


def theorem_18(worlds: Worlds, sanitizer: Sanitizer, prior: Floats, epsilon: float, delta: float) -> Applies:
    """Check whether a prior puts 1 - delta on tables with indistinguishable neighbours, and derive the bound."""
    bound = theorem_16(epsilon, delta, worlds.people)
    share = float(prior[least_delta(worlds, sanitizer, epsilon) <= delta + 1e-12].sum())
    return Applies(share, share >= 1 - delta - 1e-12, bound)

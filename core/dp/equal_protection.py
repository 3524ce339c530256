"""The twin of equal protection: the epsilon at which noisy tables reveal as much as releases of classes.

Both readers start from the same guess: what the quasi-identifiers of a person say of their value without any
release. What is compared is the gain, the share of people named rightly beyond that guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from core.base.arrays import Bools, Floats, Ints, Progress
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded
from core.data.encoding.marginals import PRIOR_RECORDS
from core.dp.adversary import EQUAL, NoisyAttack, NoisyTargets, attack_noisy, named
from core.dp.mechanisms import MAX_EPSILON, MIN_EPSILON, Mechanism, check_epsilon
from core.release.release import Release
from core.study.hospitals import Study
from core.study.one_run import Outcome, seeds
from core.study.redraws import Redraws
from core.study.sweep import outcomes

STEP = 8_000_000
"""Largest number of probabilities held at once while those of a whole table are added up."""
NORMAL = 1.96
"""Standard errors within which a gain can be chance."""
SIMULATED = 1_500_000
"""Beliefs simulated at most for noise without an exact answer, a second's work; twice each at least."""


@dataclass(frozen=True, eq=False)
class Guesser:
    """A reader of no release, who knows a person's quasi-identifiers and how common values are with each of them.

    Parameters
    ----------
    encoded
        The table in which values are counted, always without the person's own record.
    """

    encoded: Encoded

    @cached_property
    def _logs(self) -> list[tuple[Floats, Floats]]:
        """(codes, values) log P(code | value) of each quasi-identifier, with all records and without one of these."""
        encoded, values = self.encoded, self.encoded.sensitive.size
        many, logs = self._many, []
        for domain, codes in zip(encoded.qids, encoded.codes, strict=True):
            cells = codes.astype(np.int64) * values + encoded.sensitive_codes
            counts = np.bincount(cells, minlength=domain.size * values).reshape(domain.size, values)
            smooth = PRIOR_RECORDS * counts.sum(axis=1, keepdims=True) / len(encoded)
            with np.errstate(divide="ignore", invalid="ignore"):  # what no record has is not looked up
                whole = np.log(counts + smooth) - np.log(many + PRIOR_RECORDS)
                logs.append((whole, np.log(counts - 1 + smooth) - np.log(many - 1 + PRIOR_RECORDS)))
        return logs

    @cached_property
    def _known(self) -> dict[bytes, Floats]:
        return {}

    @cached_property
    def _many(self) -> Ints:
        return np.bincount(self.encoded.sensitive_codes, minlength=self.encoded.sensitive.size)

    def likely(self, records: Ints) -> Floats:
        """(P, values) naive Bayes for some records, as positions in the table; each row sums to 1."""
        key = records.tobytes()
        if key not in self._known:  # the table, and the same people for each k, are all that is needed again
            if len(self._known) > 1:
                self._known.clear()
            self._known[key] = self._naive_bayes(records)
        return self._known[key]

    def _naive_bayes(self, records: Ints) -> Floats:
        truth, place = self.encoded.sensitive_codes[records], np.arange(len(records))
        with np.errstate(divide="ignore"):
            start, less = np.log(self._many), np.log(np.maximum(self._many - 1, 0))
        weight, own = np.tile(start, (len(records), 1)), less[truth]
        for (whole, without), codes in zip(self._logs, self.encoded.codes, strict=True):
            weight += whole[codes[records]]
            own = own + without[codes[records], truth]
        weight[place, truth] = own
        best = weight.max(axis=1, keepdims=True)
        chances = np.exp(weight - np.where(best > -np.inf, best, 0.0))
        shares: Floats = chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
        return shares

    def expected(self, labels: Ints, count: int) -> Floats:
        """(count + 1, values) mean of :meth:`likely` over the records of each class, and last over all records."""
        values, step = self.encoded.sensitive.size, max(1, STEP // self.encoded.sensitive.size)
        sums = np.zeros((count + 1, values))
        for begin in range(0, len(labels), step):
            own = labels[begin : begin + step]
            chances = self.likely(np.arange(begin, begin + len(own)))
            sums[count] += chances.sum(axis=0)
            if count:  # a record in no class is counted in front of the first
                sums[:count] += np.stack([np.bincount(own + 1, each, count + 1)[1:] for each in chances.T], axis=1)
        sizes = np.bincount(labels[labels >= 0], minlength=count)
        means: Floats = sums / np.append(np.maximum(sizes, 1), len(labels))[:, None]
        return means

    @cached_property
    def _everybody(self) -> Floats:
        mean: Floats = self.expected(np.full(len(self.encoded), -1), 0)[-1]
        return mean

    def prior(self, records: Ints) -> Floats:
        """(P, values) belief about records without any release: naive Bayes or base rates, whichever is right more.

        Of naive Bayes, the mean over all records is made the base rates, which is what a release of one class says.
        """
        rates, truth = self._many / len(self.encoded), self.encoded.sensitive_codes[records].astype(np.int64)
        weight = self.likely(records) * _ratio(rates, self._everybody)
        informed = weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
        beliefs: tuple[Floats, Floats] = informed, np.tile(rates, (len(records), 1))
        return max(beliefs, key=lambda belief: right_without(belief, truth).mean())


def right_without(prior: Floats, truth: Ints) -> Floats:
    """(P,) chance that naming the most likely value of a (P, values) belief is right; ties are split evenly."""
    with np.errstate(divide="ignore"):
        return named(np.log(prior), truth)


def right_by_classes(outcome: Outcome, guesser: Guesser | None = None) -> tuple[Floats, Floats]:
    """How often the reader of all releases names the right value, and how often a guess without any release is right.

    The reader is the weighted adversary, who also multiplies what they believe by how much more likely a value is of
    this person than of those in their class of my release if that makes them right more often [Li 2009; definitions
    §8].

    Parameters
    ----------
    outcome
        One draw of a study, attacked.
    guesser
        Of my released table, if it is there already.

    Returns
    -------
    right, guess : ndarray
        (P,) chance that the value named is right, 0 to 1.
    """
    mine, result, weighted = outcome.mine, outcome.result, outcome.weighed()
    guesser, records = guesser or Guesser(mine.encoded), result.record
    truth = mine.encoded.sensitive_codes[records].astype(np.int64)
    listed = weighted.posteriors
    belief = np.zeros((len(listed.starts) - 1, len(result.overall)))
    belief[np.repeat(np.arange(len(belief)), np.diff(listed.starts)), listed.value] = listed.probability
    # The last row stands for a person whose record is in no class.
    expected = guesser.expected(mine.labels.astype(np.int64), mine.classes.count)[mine.labels[records]]
    belief = belief[weighted.group][:, result.codes[0]] * _ratio(guesser.likely(records), expected)
    informed = right_without(belief, truth) * belief.any(axis=1)
    guess = right_without(guesser.prior(records), truth)
    return max((weighted.hit, informed), key=lambda right: float(right.mean())), guess


def right_by_noise(people: NoisyTargets, prior: Floats, epsilon: float, releases: int) -> Floats:
    """Chance that the strongest adversary names the right value after some noisy tables, exactly.

    Parameters
    ----------
    people
        Their cells and values, and the bins of the values.
    prior
        (P, values) belief beforehand.
    epsilon
        Of each table; the noise is discrete Laplace of scale 2 / epsilon.
    releases
        R, number of tables, each with separate noise.

    Returns
    -------
    ndarray
        (P,) expected share of right guesses, 0 to 1; ties are split evenly.

    Raises
    ------
    ParameterError
        If epsilon is out of range or there is no table.

    Notes
    -----
    The adversary knows all other records. A cell speaks for a value by epsilon / 2 if its count is above what they
    know, and against it by as much if not: only in how many of the R tables it is above matters, a binomial number
    [definitions §8]. O(R x P x bins), O(R x P x bins^2) for people with several equally likely values.

    Examples
    --------
    >>> import numpy as np
    >>> from composition_dashboard import dp
    >>> one = dp.NoisyTargets(np.array([0]), np.array([1]))
    >>> [round(float(dp.right_by_noise(one, np.array([[0.6, 0.4]]), epsilon, 2)[0]), 3) for epsilon in (0.1, 3, 9)]
    [0.0, 0.846, 0.999]
    """
    check_epsilon(epsilon)
    if releases < 1:
        raise ParameterError("Noise needs at least one table.", parameter="releases")
    bin_of = np.arange(prior.shape[1]) if people.bin_of is None else people.bin_of
    # Of the values of a bin, only the most likely can be named: their evidence is the same.
    names, group = np.unique(bin_of, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(len(names)))
    with np.errstate(divide="ignore"):
        log = np.log(prior)
    best = np.maximum.reduceat(log[:, order], starts, axis=1)
    many = np.add.reduceat((log >= best[:, group] - EQUAL)[:, order], starts, axis=1)
    who, own = np.arange(len(log)), group[people.truth]
    can = (log[who, people.truth] >= best[who, own] - EQUAL) & (log[who, people.truth] > -np.inf)
    heard = (names >= 0) & (people.cells >= 0)[:, None]
    q = math.exp(-epsilon / 2)
    above = [_binomial(releases, chance) for chance in (1 / (1 + q), q / (1 + q))]
    silent = np.eye(2 * releases + 1)[releases]
    with np.errstate(invalid="ignore"):
        ahead = np.nan_to_num(
            (best[who, own][:, None] - best) / (epsilon / 2), nan=np.inf, posinf=np.inf, neginf=-np.inf
        )
    near = np.clip(ahead, -2 * len(silent), 2 * len(silent))
    whole = np.rint(near)
    equal = np.abs(near - whole) <= EQUAL / (epsilon / 2)
    limit = np.where(equal, whole, np.ceil(near)).astype(np.intp)
    hopeless = limit + equal
    hopeless[who, own] = 1
    nearest = hopeless.min(axis=1)
    right = np.zeros(len(log))
    for place in range(2 * releases + 1):
        chance = np.where(heard[who, own], above[0][place], silent[place]) * can
        some = np.flatnonzero(chance * (nearest + place > 0))  # else another value is surely ahead
        if len(some):
            to, even = limit[some] + place, equal[some]
            less, tied = _below(to, even, above[1])
            unheard = np.nonzero(~heard[some])
            less[unheard], tied[unheard] = _below(to[unheard], even[unheard], silent)
            mine = np.arange(len(some)), own[some]
            less[mine], tied[mine] = 1.0, 0.0
            right[some] += chance[some] * _wins(less, tied, many[some], many[some, own[some]])
    return right


def _binomial(releases: int, chance: float) -> Floats:
    """(2R + 1,) probability of each sum of R signs, from -R to R."""
    each = np.zeros(2 * releases + 1)
    each[::2] = [math.comb(releases, n) * chance**n * (1 - chance) ** (releases - n) for n in range(releases + 1)]
    return each


def _below(limit: Ints, equal: Bools, chances: Floats) -> tuple[Floats, Floats]:
    """Probability that a number 0, 1, ... with these chances is below a limit, and that it is one that it can equal."""
    at = np.clip(limit + 1, 0, len(chances) + 1)
    exactly = np.concatenate(([0.0], chances, [0.0]))
    tied = np.zeros(limit.shape)
    tied[equal] = exactly[at[equal]]
    return np.concatenate(([0.0, 0.0], np.cumsum(chances)))[at], tied


def _wins(less: Floats, tied: Floats, many: Ints, own: Ints) -> Floats:
    """Expected 1 / (values that tie) if none is ahead: the integral of a polynomial, exact by Gauss and Legendre."""
    wins: Floats = less.prod(axis=1)
    several = np.flatnonzero(tied.any(axis=1) | (own > 1))
    if len(several):
        nodes, weights = np.polynomial.legendre.leggauss(int(many.sum(axis=1).max()) // 2 + 1)
        wins[several] = 0.0
        for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
            factors = less[several] + tied[several] * node ** many[several]
            wins[several] += weight * node ** (own[several] - 1) * factors.prod(axis=1)
    return wins


def attack_by_noise(
    people: NoisyTargets, prior: Floats, mechanism: Mechanism, releases: int, seed: int
) -> tuple[float, NoisyAttack | None]:
    """Share of people named rightly after some noisy tables: exact for Laplace, else simulated, with the beliefs.

    Parameters are those of :func:`right_by_noise` and :func:`core.dp.adversary.attack_noisy`.
    """
    if mechanism.name == "laplace":
        return float(right_by_noise(people, prior, mechanism.epsilon, releases).mean()), None
    draws = int(np.clip(SIMULATED // prior.size, 2, 20))
    attack = attack_noisy(people, prior, mechanism, releases, seed, draws)
    return float(attack.hit[-1].mean()), attack


def attacks_by_noise(
    guesser: Guesser,
    records: Ints,
    people: NoisyTargets,
    mechanisms: Sequence[Mechanism],
    releases: int,
    seed: int,
    progress: Progress | None = None,
) -> tuple[Floats, list[tuple[float, NoisyAttack | None]]]:
    """Guess about some records without any release, and :func:`attack_by_noise` from it with several mechanisms.

    Parameters
    ----------
    guesser, records
        The reader of no release, and (P,) the records as positions in its table.
    people, mechanisms, releases, seed, progress
        Cells and values of these records, the noise of each attack, and the rest as in :func:`attack_by_noise`.

    Returns
    -------
    prior : ndarray
        (P, values) the guess.
    attacks : list
        One share, with its beliefs, for each mechanism.
    """
    prior, attacks = guesser.prior(records), []
    for place, mechanism in enumerate(mechanisms):
        attacks.append(attack_by_noise(people, prior, mechanism, releases, seed))
        if progress is not None:
            progress((place + 1) / len(mechanisms))
    return prior, attacks


def _ratio(top: Floats, bottom: Floats) -> Floats:
    ratio: Floats = np.divide(top, bottom, out=np.zeros(np.broadcast_shapes(top.shape, bottom.shape)), where=bottom > 0)
    return ratio


def shared_people(encoded: Encoded, study: Study, seed: int) -> Ints:
    """(P,) the shared people of the first draw of a study, as positions of records; of several records the first."""
    mine = study.draw(encoded, seeds(seed, 1)[0])[0].to_release
    assert mine is not None
    people = np.searchsorted(encoded.rows, mine.rows[: mine.leading(study.overlap)])
    if encoded.has_multiple_records:
        first = encoded.first_records
        people = first[encoded.whose[people[np.unique(encoded.whose[people], return_index=True)[1]]]]
    positions: Ints = people.astype(np.int64)
    return positions


# ---- gain and epsilon ----------------------------------------------------------------------


def gains(
    encoded: Encoded,
    study: Study,
    vary: str,
    values: Sequence[Any],
    draws: Redraws,
    progress: Progress | None = None,
    made: Sequence[Release] = (),
) -> pd.DataFrame:
    """Gain of the reader of all releases of a study, one row per draw and value of what varies.

    Parameters are those of :func:`core.study.sweep.redrawn`.

    Returns
    -------
    DataFrame
        ``value, right, guess, gain, surely, n``: share of right names with the releases and without, their
        difference, its lower end within 1.96 standard errors, and the people it is of.
    """
    rows, guesser = [], None
    for value, outcome in outcomes(encoded, study, vary, values, draws, progress, made):
        if guesser is None or guesser.encoded is not outcome.mine.encoded:
            guesser = Guesser(outcome.mine.encoded)
        right, guess = right_by_classes(outcome, guesser)
        gain, chance = float((right - guess).mean()), NORMAL * float((right - guess).std()) / math.sqrt(len(right))
        rows.append((value, float(right.mean()), float(guess.mean()), gain, gain - chance, len(right)))
    return pd.DataFrame(rows, columns=["value", "right", "guess", "gain", "surely", "n"])


def equal_epsilon(gain_at: Callable[[float], float], gain: float) -> float:
    """Find the epsilon of noisy tables with a gain.

    Parameters
    ----------
    gain_at
        Gain of noisy tables of an epsilon, as :func:`right_by_noise` less the guess; it grows with epsilon.
    gain
        That of the releases.

    Returns
    -------
    float
        To 0.1%. 0 if there is no gain: no noisy table says as little. Infinite if no epsilon in range reaches it.

    Examples
    --------
    >>> from composition_dashboard import dp
    >>> round(dp.equal_epsilon(lambda epsilon: epsilon / 10, 0.2), 2), dp.equal_epsilon(lambda epsilon: epsilon, 0.0)
    (2.0, 0.0)
    """
    if gain <= 0:
        return 0.0
    low, high = MIN_EPSILON, MAX_EPSILON
    if gain_at(high) < gain:
        return math.inf
    while high > low * 1.001:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if gain_at(middle) < gain else (low, middle)
    return high

"""The strongest adversary: knows every record but one person's sensitive value.

Against noisy tables it subtracts what it knows from the cells of the person's
quasi-identifiers; what is left is noise, and 1 in the cell of the true value. Against one
partition release the same subtraction leaves the value itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.base.arrays import Floats, Ints
from core.base.errors import ParameterError
from core.data.classes import ClassHistogram
from core.dp.mechanisms import Mechanism, simulate
from core.release.release import Release

EQUAL = 1e-9
"""Logarithms of beliefs that differ by less count as equal: sums in another order round differently."""


def ceiling(prior: float, epsilon: float) -> float:
    """Highest confidence in a value, starting from this prior, after tables of this total epsilon.

    pi e^E / (pi e^E + 1 - pi) [definitions §8]; 1 / values is the prior of an adversary who knows nothing about the
    person.

    Raises
    ------
    ParameterError
        If the prior is not a probability or epsilon is negative.
    """
    if not (0 <= prior <= 1 and epsilon >= 0):
        raise ParameterError("The prior must be from 0 to 1 and epsilon at least 0.", parameter="prior")
    # Written so that no epsilon is too large for it.
    return float(prior / (prior + (1 - prior) * np.exp(-epsilon)))


def posterior(residual: Ints, prior: Floats, mechanism: Mechanism) -> Floats:
    """Exact belief after some noisy tables, by Bayes' rule.

    Parameters
    ----------
    residual
        (releases, ..., values) noisy counts minus all records but the person's.
    prior
        (..., values) belief before.
    mechanism
        Of every release.

    Returns
    -------
    ndarray
        (..., values). A value s has the likelihood P(noise = y_s - 1) times P(noise = y_u)
        over the other cells u: between two values only two cells differ.
    """
    with np.errstate(divide="ignore"):
        weight = np.log(prior) + mechanism.log_ratio(residual).sum(axis=0)
    weight = np.exp(weight - weight.max(axis=-1, keepdims=True))
    chances: Floats = weight / weight.sum(axis=-1, keepdims=True)
    return chances


@dataclass(frozen=True, eq=False)
class NoisyAttack:
    """Beliefs of the strongest adversary about P people after 1, 2, ..., R noisy releases.

    Parameters
    ----------
    confidence
        (R, P) largest posterior.
    hit
        (R, P) probability that naming the most likely value is correct; ties are split evenly.
    bound
        (R,) ceiling for pure epsilon-DP of the value that is most common beforehand.
    """

    confidence: Floats
    hit: Floats
    bound: Floats

    def breached(self, confidence: float) -> Floats:
        """(R,) share of people with some value believed with at least this confidence."""
        share: Floats = (self.confidence >= confidence - 1e-12).mean(axis=1)
        return share

    @property
    def above(self) -> Floats:
        """(R,) share of people above the ceiling; 0 for Laplace, which cannot pass it."""
        share: Floats = (self.confidence > self.bound[:, None] * (1 + 1e-9)).mean(axis=1)
        return share

    def quantiles(self) -> Floats:
        """(3, R) median, 95% and 99% quantile of the confidence."""
        quantile: Floats = np.quantile(self.confidence, (0.5, 0.95, 0.99), axis=1)
        return quantile


@dataclass(frozen=True, eq=False)
class NoisyTargets:
    """P people against whom noisy tables are simulated.

    Parameters
    ----------
    cells
        (P,) quasi-identifier cell of each person; people of one cell see the same noise. -1 if the table
        leaves the person out.
    truth
        (P,) sensitive value of each.
    bin_of
        (values,) sensitive bin of each value, -1 for one that the table leaves out; by default each value has its own.
    """

    cells: Ints
    truth: Ints
    bin_of: Ints | None = None


def attack_noisy(
    people: NoisyTargets, prior: Floats, mechanism: Mechanism, releases: int = 8, seed: int = 0, draws: int = 1
) -> NoisyAttack:
    """Simulate R noisy releases and the strongest adversary against each of P people.

    Parameters
    ----------
    people
        Their cells and values. Values of one bin cannot be distinguished, so beliefs in them move together.
    prior
        (values,) or (P, values) belief beforehand.
    mechanism
        Of every release; each hospital draws its own noise.
    releases
        R, at least 1.
    seed
        Of the simulated noise (numpy, for charts alone).
    draws
        Times that all releases are drawn; the result then has ``draws`` x P people. People of one cell share
        their noise, so one draw of few cells says little about the mean.

    Raises
    ------
    ParameterError
        If there is no one to attack, or a value is not in the prior.

    Notes
    -----
    O(draws x R x people x values).
    """
    values, cells, truth = prior.shape[-1], people.cells, people.truth
    bin_of = np.arange(values) if people.bin_of is None else people.bin_of
    if not len(truth) or releases < 1:
        raise ParameterError("An attack needs at least one person and one release.", parameter="people")
    if truth.min() < 0 or truth.max() >= values or len(bin_of) != values:
        raise ParameterError("The sensitive value of everyone attacked must be known.", parameter="people")
    if draws > 1:
        apart = int(cells.max()) + 1
        every_draw = cells + apart * np.arange(draws)[:, None]
        cells = np.where(cells < 0, -1, every_draw).ravel()
        truth = np.tile(truth, draws)
        prior = prior if prior.ndim == 1 else np.tile(prior, (draws, 1))
    rng = np.random.default_rng(seed)
    known, place = np.unique(cells, return_inverse=True)
    with np.errstate(divide="ignore"):
        belief = np.broadcast_to(np.log(prior), (len(truth), values))
    bins = int(bin_of.max(initial=-1)) + 1
    confidence, hit = np.empty((releases, len(truth))), np.empty((releases, len(truth)))
    # One more bin, without evidence, for what the table leaves out.
    evidence, groups = np.zeros((len(known), bins + 1)), np.where(bin_of >= 0, bin_of, bins)
    counted, seen = (known[place] >= 0) & (bin_of[truth] >= 0), known >= 0
    who, same = np.nonzero(counted[:, None] & (groups == groups[truth][:, None]))
    own = np.zeros((len(truth), values))
    for release in range(releases):
        # Everything known is subtracted already: what is left is the noise, and the person's own record in one cell.
        noise = simulate((len(known), bins), mechanism, rng)
        evidence[seen, :bins] += mechanism.log_ratio(noise[seen])
        there = noise[place[who], groups[truth[who]]]
        own[who, same] += mechanism.log_ratio(there + 1) - mechanism.log_ratio(there)
        weight = belief + evidence[place][:, groups] + own
        confidence[release] = 1 / np.exp(weight - weight.max(axis=1, keepdims=True)).sum(axis=1)
        hit[release] = named(weight, truth)
    # The promise over all releases; the ceiling rises with the prior, so that of the most common value holds for all.
    most = float(prior.max())
    bound = np.array([ceiling(most, mechanism.epsilon * (release + 1)) for release in range(releases)])
    return NoisyAttack(confidence, hit, bound)


def named(weight: Floats, truth: Ints) -> Floats:
    """(P,) chance that naming the most likely value is right, of (P, values) logarithms of beliefs; ties are split."""
    top = weight >= weight.max(axis=1, keepdims=True) - EQUAL
    right: Floats = top[np.arange(len(truth)), truth] / top.sum(axis=1)
    return right


def by_subtraction(release: Release, people: Ints) -> Ints:
    """(P,) what the strongest adversary learns from one partition release: the value itself.

    It counts the sensitive values of the person's class as published, takes away those of the
    other members, all of which it knows, and one record is left. Takes nothing but the published
    counts and the records of others; a person whose record is suppressed stays unknown (-1).
    """
    release.encoded.need_rows("What is learnt of single people", "release")
    labels, sensitive_codes = release.labels, release.encoded.sensitive_codes
    values = release.encoded.sensitive.size
    kept = labels >= 0
    # Records are published, even if persons have several.
    published = release.histogram
    if release.encoded.has_multiple_records:
        published = ClassHistogram.of_records(
            labels[kept], sensitive_codes[kept], np.zeros(values), release.classes.count
        )
    classes = np.arange(release.classes.count + 1)
    cells = np.searchsorted(published.owner, classes)
    order = np.argsort(labels, kind="stable")
    members = np.searchsorted(labels[order], classes)
    guess = np.full(len(people), -1, dtype=np.int64)
    for place, person in enumerate(np.asarray(people, dtype=np.int64).tolist()):
        own = int(labels[person])
        if own < 0:
            continue
        left = np.zeros(values, dtype=np.int64)
        in_class = slice(cells[own], cells[own + 1])
        left[published.value[in_class]] = published.count[in_class]
        known = order[members[own] : members[own + 1]]
        left -= np.bincount(sensitive_codes[known[known != person]], minlength=values)
        guess[place] = left.argmax()
    return guess

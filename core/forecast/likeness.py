"""What strangers of a region have: a class's own records, weighed against its surroundings.

Ours. The frequencies of a class of five records say little about a sixth person. How much
they say is learnt from the release itself: the records of a class are taken for draws from
unknown frequencies that scatter around those of the class's surroundings (a Dirichlet
prior, so counts are Dirichlet-multinomial; Polya's urn). How wide the surroundings are and
how much they scatter is not one number for a table: several are mixed, with the weights
under which the classes are likeliest (expectation maximisation), and each class has its
own posterior of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.arrays import Floats, Ints
from core.classes import ClassHistogram, weighted_count
from core.data.marginals import Marginals
from core.forecast.ground import Ground
from core.release.release import Release

SURROUNDINGS = (50, 200, 1000)
"""Least people of the surroundings that are tried beside the whole table."""
WEIGHTS = (2.0, 8.0, 32.0, 128.0, 512.0)
"""Records that the surroundings may count for."""
BETA = 5.0
"""Records that the whole table counts for within the surroundings."""
ROUNDS = 100
KEPT = 1e-3
"""Mixture weight below which a pair is left out."""


def log_gamma(x: Floats) -> Floats:
    """ln Gamma(x) for x > 0, to about 1e-9: Stirling's series from x + 7 on [Abramowitz & Stegun 1964, 6.1.41]."""
    product = x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5) * (x + 6)
    y = x + 7.0
    z = 1.0 / (y * y)
    series = (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z / 1680))) / y
    logarithm: Floats = (y - 0.5) * np.log(y) - y + 0.5 * np.log(2 * np.pi) + series - np.log(product)
    return logarithm


def log_rise(x: Floats, steps: Floats | Ints) -> Floats:
    """Return ln of x (x + 1) ... (x + steps - 1)."""
    return log_gamma(x + steps) - log_gamma(x)


@dataclass(frozen=True, eq=False)
class Likeness:
    """The mixture, learnt from one release.

    Parameters
    ----------
    mean
        (pairs, triples) frequency of this value in the surroundings of the class, the class
        itself left out.
    weight
        (pairs,) records that these surroundings count for.
    mixture
        (pairs,) share of the classes that follow each.
    posterior
        (pairs, classes) the same for each class; sums to 1.
    """

    mean: Floats
    weight: Floats
    mixture: Floats
    posterior: Floats


def likeness(release: Release, population: Marginals | None = None, ground: Ground | None = None) -> Likeness:
    """Learn from a release how far the records of a class speak for other people of its region.

    Parameters
    ----------
    release
        My release.
    population
        P(s) where it is known better than by counting in the table.
    ground
        Coarse classes of the table of the release, where they are made already.

    Returns
    -------
    Likeness
        Pairs of surroundings and weight; those with next to no share are left out.

    Notes
    -----
    Surroundings are the classes of Mondrian with at least 50, 200 and 1,000 records, one pass
    for all; a class that lies in several belongs to the one with most of its records.
    O(20 x (triples + 100 x classes)).
    """
    histogram = release.histogram
    table = _table(release, population)
    wide = (Ground(release.encoded) if ground is None else ground).classes(surroundings(release.encoded.people))
    means = [table, *(_around(release, central, table) for central in wide)]
    pairs = [(mean, weight) for mean in means for weight in WEIGHTS]
    logs = np.array([_log_likelihood(histogram, mean, weight) for mean, weight in pairs])
    # No pair is impossible, or a class whose likeliest pair is left out would have none.
    likely = np.maximum(np.exp(logs - logs.max(axis=0)), 1e-200)
    mixture = _mixed(likely)
    kept = np.flatnonzero(mixture >= KEPT)
    posterior = mixture[kept, None] * likely[kept]
    return Likeness(
        np.array([pairs[i][0] for i in kept]),
        np.array([pairs[i][1] for i in kept]),
        mixture[kept] / mixture[kept].sum(),
        posterior / posterior.sum(axis=0),
    )


def surroundings(records: int) -> list[int]:
    """Least people of the surroundings that a table of so many records has."""
    return [size for size in SURROUNDINGS if size < records]


def _table(release: Release, population: Marginals | None) -> Floats:
    """(triples,) share of each value in the table without the class; one record is spread over all values."""
    histogram, values = release.histogram, release.encoded.sensitive.size
    if population is not None and population.names[-1] not in population.from_table:
        whole = release.encoded.records * population.sensitive + 1.0 / values
        given: Floats = (whole / whole.sum())[histogram.value]
        return given
    # A record under the name of its bucket counts once for each value of it, so a class may count more than there are.
    rest = np.maximum(release.encoded.overall[histogram.value] - histogram.count, 0) + 1.0 / values
    share: Floats = rest / (release.encoded.overall.sum() - histogram.sizes + 1.0)[histogram.owner]
    return share


def _around(release: Release, wide: Release, table: Floats) -> Floats:
    """(triples,) share of each value in the surroundings of the class without the class."""
    histogram, theirs, values = release.histogram, wide.histogram, release.encoded.sensitive.size
    published = release.classes.labels >= 0
    pair = release.classes.labels[published].astype(np.int64) * theirs.classes + wide.classes.labels[published]
    pairs, group = np.unique(pair, return_inverse=True)
    weight = release.encoded.weight
    count = weighted_count(group, None if weight is None else weight[published], len(pairs))
    owner, home = pairs // theirs.classes, pairs % theirs.classes
    order = np.lexsort((count, owner))
    home = home[order][np.append(owner[order][1:] != owner[order][:-1], True)]
    known = theirs.owner * values + theirs.value
    wanted = home[histogram.owner] * values + histogram.value
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    there = np.where(known[place] == wanted, theirs.count[place], 0)
    own = np.minimum(there, histogram.count)
    rest = (theirs.sizes[home] - np.add.reduceat(own, histogram.starts))[histogram.owner]
    share: Floats = (there - own + BETA * table) / (rest + BETA)
    return share


def _log_likelihood(histogram: ClassHistogram, mean: Floats, weight: float) -> Floats:
    """(classes,) log probability of the records of each class, in their order, under one pair."""
    each = np.add.reduceat(log_rise(weight * mean, histogram.count), histogram.starts)
    likelihood: Floats = each - log_rise(np.full(histogram.classes, weight), histogram.sizes)
    return likelihood


def _mixed(likely: Floats) -> Floats:
    """(pairs,) weights under which the classes are likeliest; ``likely`` is (pairs, classes)."""
    mixture = np.full(len(likely), 1.0 / len(likely))
    for _ in range(ROUNDS):
        mixture = mixture * (likely @ (1.0 / (mixture @ likely))) / likely.shape[1]
    weights: Floats = mixture / mixture.sum()
    return weights

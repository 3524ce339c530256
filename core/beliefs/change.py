"""The largest change of a belief for every group of people, vectorised over classes.

Classes are far sparser than the sensitive attribute: f(s | q*) and beta are computed for
pairs of a group and a value that its class has, and beta is 0 for all others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints
from core.beliefs.background import Background
from core.release.release import Release

TOLERANCE = 1e-9
"""A change this much below theta still counts as theta."""
BLOCK = 100_000
"""Largest number of beliefs computed at once: groups of people times sensitive values."""


def largest_changes(
    release: Release, background: Background, owner: Ints, profile: Ints, mass: Floats
) -> tuple[NDArray[Any], ...]:
    """Largest |alpha - beta| of every group, its value, alpha and beta there, and whether there is no beta.

    Parameters
    ----------
    owner, profile, mass
        (groups,) class, profile and f(q) of each group, sorted by class.

    Returns
    -------
    tuple
        Five arrays of (groups,).
    """
    over = _over_class(release, background, owner, profile, mass)
    columns = [
        _largest(release, background, owner[part], profile[part], over)
        for part in _parts(len(owner), release.encoded.sensitive.size)
    ]
    return tuple(np.concatenate(column) for column in zip(*columns, strict=True))


def masses(release: Release, background: Background, owner: Ints, profile: Ints) -> Floats:
    """(groups,) weight of the background's f(q) on the records of each group."""
    order = release.classes.order
    profiles = len(background.given)
    cell = release.classes.labels[order].astype(np.int64) * profiles + background.profile[order]
    group = np.searchsorted(owner * profiles + profile, cell)
    return np.bincount(group, weights=background.weight[order], minlength=len(owner)).astype(np.float64)


def _pairs(release: Release, owner: Ints) -> tuple[Ints, Ints, Ints]:
    """Pairs of every group with every value of its class: index of the group, its triple, first pair of each."""
    histogram = release.histogram
    many = histogram.distinct[owner]
    begins = np.cumsum(many) - many
    group = np.repeat(np.arange(len(owner)), many)
    return group, histogram.starts[owner][group] + np.arange(len(group)) - begins[group], begins


def _over_class(release: Release, background: Background, owner: Ints, profile: Ints, mass: Floats) -> Floats:
    """(triples,) f(s | q*) of the values that the classes have."""
    held, total = np.zeros(len(release.histogram.value)), np.zeros(release.classes.count)
    for part in _parts(len(owner), release.encoded.sensitive.size):
        group, triple, _ = _pairs(release, owner[part])
        believed = background.given[profile[part][group], release.histogram.value[triple]]
        held += np.bincount(triple, weights=believed * mass[part][group], minlength=len(held))
        total += np.bincount(owner[part], weights=mass[part], minlength=len(total))
    total = total[release.histogram.owner]
    return np.divide(held, total, out=np.zeros_like(held), where=total > 0)


def _largest(release: Release, background: Background, owner: Ints, profile: Ints, over: Floats) -> tuple[Any, ...]:
    """Largest change of some groups: its size, value, alpha, beta, and whether there is no beta.

    Beta is computed for the values that the class has; for the others it is 0, so that only
    the most likely of them matters.
    """
    histogram = release.histogram
    group, triple, begins = _pairs(release, owner)
    prior = background.given[profile]
    value = histogram.value[triple]
    believed = prior[group, value]
    ratio = np.divide(believed, over[triple], out=np.zeros_like(believed), where=over[triple] > 0)
    likely = histogram.count[triple] * ratio
    total = np.add.reduceat(likely, begins)
    lost = total == 0
    shares = likely / np.where(lost, 1.0, total)[group]
    change = np.where(lost[group], 0.0, np.abs(believed - shares))
    best = np.maximum.reduceat(change, begins)
    # A difference must exceed rounding, so that the first of equal values is named.
    near = np.where(change >= best[group] - TOLERANCE, np.arange(len(group)), len(group))
    top = np.minimum.reduceat(near, begins)
    prior[group, value] = -1.0
    outside = np.argmax(prior, axis=1)
    fall = prior[np.arange(len(prior)), outside]
    falls = ~lost & (fall > best + TOLERANCE)
    return (
        np.where(falls, fall, best),
        np.where(falls, outside, value[top]),
        np.where(falls, fall, believed[top]),
        np.where(falls, 0.0, shares[top]),
        lost,
    )


def _parts(groups: int, values: int) -> list[slice]:
    """Some groups at a time."""
    step = max(1, BLOCK // values)
    return [slice(low, min(low + step, groups)) for low in range(0, groups, step)]

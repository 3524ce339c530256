"""The adversary who takes the smallest region that fits, where several do [definitions §4].

Where regions overlap, the union of all classes that fit is the careful reading: it never leaves out
the right class. While it keeps the true value, too, as where hospitals agree, what it exposes is a
lower bound. Small regions hold the people they were made for; whoever takes the smallest one that
fits is mostly right, and then as well off as if the classes were known.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.arrays import Floats
from core.attack.bitsets import has_value, set_of, sets_of_people, sizes_of
from core.attack.intersection import AttackResult
from core.published.located import Located

TIE = 1e-9
"""Sizes that differ by no more are equal."""


def smallest_region(result: AttackResult) -> AttackResult:
    """Attack again with the smallest region that fits in every release.

    Parameters
    ----------
    result
        Of the attack by all regions that fit.

    Returns
    -------
    AttackResult
        The same people, located by the smallest region; of equally small ones by all. A person with
        several records counts with the record that counted before. ``result`` itself where nobody
        fits two regions of different size: then both readings are one.

    Notes
    -----
    O(candidates x values / 64).
    """
    narrowed = [
        located if size is None else narrow(located, size)
        for located, size in zip(result.located, result.spread, strict=True)
    ]
    if all(len(new.classes) == len(old.classes) for new, old in zip(narrowed, result.located, strict=True)):
        return result
    every = set_of(result.codes, result.sets.shape[1])
    left = np.tile(every, (len(result), 1))
    prior = np.full((result.releases, len(result)), int(sizes_of(every[None, :])[0]), dtype=np.int64)
    holds = np.tile(result.truth >= 0, (result.releases, 1))
    for number, (located, histogram, code) in enumerate(zip(narrowed, result.histograms, result.codes, strict=True)):
        there, sets = sets_of_people(histogram, code, len(every), located)
        left[there] &= sets
        prior[number, there] = sizes_of(sets)
        holds[number, there] = has_value(sets, result.truth[there])
    return replace(result, sets=left, prior=prior, holds=holds, located=tuple(narrowed), right_left=None)


def narrow(located: Located, size: Floats) -> Located:
    """Of the candidates of each person those with the least size."""
    if not len(located.classes):
        return located
    there = located.counts > 0
    sizes = size[located.classes]
    least = np.full(located.people, np.inf)
    least[there] = np.minimum.reduceat(sizes, located.starts[:-1][there])
    kept = sizes <= np.repeat(least, located.counts) + TIE
    counts = np.bincount(located.owner[kept], minlength=located.people)
    return Located(np.concatenate(([0], np.cumsum(counts))), located.classes[kept])

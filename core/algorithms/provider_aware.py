"""Provider-aware anonymisation, all classes at once [Goryczka 2011, Alg. 2].

Like Mondrian, with three differences: the provider of a record is one more dimension to cut
on, every cut must leave parts that are m-private, and of the possible cuts of a class (one per dimension: the allowable
one nearest the median) the one with the best privacy fitness is chosen, so that the parts can be cut again. A cut
between providers generalises no quasi-identifier and leaves classes with fewer contributors, which fewer coalitions can
harm.

What the paper leaves open, and what is done here:

- The fitness of a cut is the sum over its parts. With the fitness of the weakest part the most balanced cut always
  wins, whatever detail it costs; on Adult that doubles the query error.
- For large classes most cuts are equally fit: every part has all sensitive values. Ties fall
  to the provider first, which gives what the paper reports (one contributor per class on average, an error that does
  not grow with m), then to the wider quasi-identifier.

The recursion is turned into rounds, as in :mod:`core.algorithms.mondrian.cutting`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.algorithms.allowed_cuts import Candidates, Sorted, best_allowed_cuts, smallest_part
from core.algorithms.units import Units
from core.base.arrays import Bools, Codes, Floats, Ints, Progress, is_first, step
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.privacy.class_levels import known_distinct
from core.privacy.coalitions import Colluding, score, with_providers
from core.privacy.policy import Policy
from core.release.algorithm import Algorithm

ALPHA_ANONYMISE = 0.8
"""Weight of diversity in the fitness score when anonymising [Goryczka 2011, Table II]."""


@dataclass
class _Table:
    """Data that stay the same in every round."""

    encoded: Encoded
    policy: Colluding
    units: Units
    provider: Ints
    alpha: float


@dataclass
class _Cuts:
    """The possible cut of each class on one dimension.

    Parameters
    ----------
    order
        (units,) indices of the units, sorted by class, then by value.
    begins
        (units,) whether a part begins at this index of ``order``.
    fitness
        (classes,) of the cut; -inf if there is none.
    """

    order: Ints
    begins: Bools
    fitness: Floats


def provider_aware(
    encoded: Encoded, policy: Policy, progress: Progress | None = None, alpha: float = ALPHA_ANONYMISE
) -> NDArray[np.int32]:
    """Partition a table so that every class is m-private with respect to k and distinct l.

    Parameters
    ----------
    encoded
        Records that name their providers.
    policy
        k, distinct l or none, and m.
    progress
        Called with the share of the work done; may raise to cancel.
    alpha
        Weight of diversity in the fitness score.

    Returns
    -------
    ndarray
        (records,) class of each record, numbered by the first of the sorted distinct people
        (with their provider) in it.

    Raises
    ------
    PolicyError, InfeasibleError
        See :func:`core.privacy.coalitions.with_providers`.

    Notes
    -----
    Quasi-identifiers of equal fitness and width follow the order of the schema.
    O(rounds x units x quasi-identifiers), some 15 rounds for 45,000 records.
    """
    whole, target = with_providers(encoded, policy)
    units = Units.of(whole, with_sensitive=True)
    table = _Table(whole, target, units, units.sensitive_codes.astype(np.int64) % target.providers, alpha)
    unit, size, settled = np.arange(len(units.weight)), np.array([len(units.weight)]), 0
    done: list[tuple[Ints, Ints]] = []
    while len(size):
        best, chosen = _best_cuts(table, unit, size)
        final = best < 0
        done.append((unit[np.repeat(final, size)], size[final]))
        unit, size = _apply(unit, size, best, chosen)
        if progress is not None:
            settled += int(units.weight[done[-1][0]].sum())
            progress(settled / len(encoded))
    return units.labels(*(np.concatenate(parts) for parts in zip(*done, strict=True)))


def _best_cuts(table: _Table, unit: Ints, size: Ints) -> tuple[Ints, list[_Cuts]]:
    """(classes,) dimension to cut each class on, -1 for none; and the cuts on every dimension."""
    qids = table.encoded.qids
    starts = np.cumsum(size) - size
    codes = np.take(table.units.codes, unit, axis=1)
    rank = np.empty((len(qids) + 1, len(size)))
    # The provider is wider than any quasi-identifier.
    width = np.full(rank.shape, 2.0)
    chosen = []
    for i, domain in enumerate(qids):
        low, high = np.minimum.reduceat(codes[i], starts), np.maximum.reduceat(codes[i], starts)
        width[i] = domain.width(low, high)
        value = _branch(domain, codes[i].astype(np.int64), low, high, size)
        chosen.append(_cuts(table, unit, size, value, domain.taxonomy is not None))
        rank[i] = chosen[-1].fitness
    chosen.append(_cuts(table, unit, size, _provider_rank(table, unit, size), multiway=False))
    rank[-1] = chosen[-1].fitness
    top = rank.max(axis=0)
    best = np.where(rank == top, width, -np.inf).argmax(axis=0)
    return np.where(np.isfinite(top), best, -1), chosen


def _branch(domain: Domain, codes: Ints, low: NDArray[np.int32], high: NDArray[np.int32], size: Ints) -> Ints:
    """Value to cut on: the code; with a taxonomy, the child of the class's lowest node."""
    tree = domain.taxonomy
    if tree is None:
        return codes
    level = tree.depth[tree.lowest_common(low.astype(np.int64), high.astype(np.int64))] + 1
    child: Ints = tree.ancestors[np.minimum(np.repeat(level, size), tree.height), codes].astype(np.int64)
    return child


def _provider_rank(table: _Table, unit: Ints, size: Ints) -> Ints:
    """Place of each unit's provider in its class, largest contributor first, ties by code."""
    providers = table.policy.providers
    key = np.repeat(np.arange(len(size)), size) * providers + table.provider[unit]
    records = np.bincount(key, weights=table.units.weight[unit], minlength=len(size) * providers)
    order = np.argsort(-records.reshape(-1, providers), axis=1, kind="stable")
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(providers)[None, :], axis=1)
    ranks: Ints = place.ravel()[key]
    return ranks


def _cuts(table: _Table, unit: Ints, size: Ints, value: Ints, multiway: bool) -> _Cuts:
    """On one dimension, the allowable cut of each class nearest the median (or into all children)."""
    classes = np.repeat(np.arange(len(size)), size)
    order = np.lexsort((value, classes))
    value, starts = value[order], np.cumsum(size) - size
    own = unit[order]
    weight, sensitive_codes, person = table.units.weight[own], table.units.sensitive_codes[own], table.units.person[own]
    is_break = np.concatenate(([False], value[1:] != value[:-1]))
    is_break[starts] = False
    begins = np.zeros(len(unit), dtype=bool)
    fitness = np.full(len(size), -np.inf)
    at = np.flatnonzero(is_break)
    if not len(at):
        return _Cuts(order, begins, fitness)
    owner, running = classes[at], np.cumsum(weight)
    before = np.where(starts > 0, running[starts - 1], 0)
    total = np.add.reduceat(weight, starts)
    left = running[at - 1] - before[owner]
    cuts = Candidates(
        at,
        owner,
        np.minimum(left, total[owner] - left),
        np.abs(2 * left - total[owner]),
        np.full(len(size), multiway),
        smallest_part(at, owner, left, total),
    )
    rows = Sorted(table.encoded, table.policy, starts, size, sensitive_codes, weight, person)
    allowed = best_allowed_cuts(cuts, rows, table.policy.k)
    begins[at[allowed]] = True
    has_cut = np.bincount(owner[allowed], minlength=len(size)) > 0
    if has_cut.any():
        fitness[has_cut] = _fitness(table, begins, has_cut, rows)
    return _Cuts(order, begins, fitness)


def _fitness(table: _Table, begins: Bools, has_cut: Bools, rows: Sorted) -> Floats:
    """Fitness of the parts of each class that has a cut, added up."""
    inside = np.repeat(has_cut, rows.size)
    marks = begins.copy()
    marks[rows.starts] = True
    marks &= inside
    part = (np.cumsum(marks) - 1)[inside]
    constraint = table.policy.constraint
    histogram = ClassHistogram.of_records(
        part,
        rows.sensitive_codes[inside] // table.policy.providers,
        constraint.overall,
        int(part[-1]) + 1,
        rows.weight[inside],
        constraint.sensitive.missing,
    )
    fitness = score(histogram.sizes, known_distinct(histogram), constraint.policy, table.alpha)
    owner = np.repeat(np.arange(len(rows.size)), rows.size)[np.flatnonzero(marks)]
    first = np.flatnonzero(is_first(owner))
    # Rounded, so that the order of summation does not change the sums.
    total: Floats = np.round(np.add.reduceat(fitness, first), 9).astype(np.float64)
    return total


def _apply(unit: Ints, size: Ints, best: Ints, chosen: list[_Cuts]) -> tuple[Ints, Ints]:
    """Parts of the classes that are cut, as the next round's classes."""
    nths = np.repeat(best, size)
    cut = nths >= 0
    place = np.flatnonzero(cut)
    # Every order keeps a class in the same range of indices, so each class can use its own order.
    order = np.stack([cuts.order for cuts in chosen])[nths[place], place]
    begins = np.stack([cuts.begins for cuts in chosen])[nths[place], place]
    first = np.zeros(len(unit), dtype=bool)
    first[np.cumsum(size) - size] = True
    begins |= first[place]
    where = np.flatnonzero(begins)
    return unit[order], np.diff(np.append(where, len(place)))


def _run(encoded: Encoded, policies: Sequence[Policy], progress: Progress | None = None) -> list[Codes]:
    return [
        provider_aware(encoded, policy, step(progress, number, len(policies))) for number, policy in enumerate(policies)
    ]


ALGORITHM = Algorithm(
    "provider-aware",
    "Provider-aware",
    "Provider-aware cutting also parts the providers, so that a class is safe even from colluding ones. It needs a "
    "provider column and m.",
    citation="Goryczka, Xiong, Fung: m-Privacy for collaborative data publishing. CollaborateCom 2011.",
    run=_run,
    providers="needed",
)

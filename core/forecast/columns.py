"""What each quasi-identifier adds to the forecast: one level coarser, or left out.

Every row is computed by partitioning the table again; nothing is extrapolated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from core.algorithms import partition
from core.arrays import Floats, Ints, Progress
from core.data.domain import Domain
from core.data.encoding import Encoded
from core.data.marginals import Marginals
from core.data.schema import Kind
from core.forecast.estimate import Records, Regions, of_regions
from core.forecast.regions import spans
from core.forecast.search import Question, numbers
from core.privacy.policy import Policy
from core.release.algorithm import DEFAULT
from core.release.release import Release
from core.release.utility import gcp


def contributions(
    encoded: Encoded,
    policy: Policy,
    question: Question | None = None,
    algorithm: str = DEFAULT,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Forecast and loss if one quasi-identifier were coarser by one level, or left out.

    Parameters
    ----------
    encoded, policy, question, algorithm
        The release that is looked at.
    progress
        Called with the share done; an exception it raises cancels.

    Returns
    -------
    DataFrame
        ``attribute, change, values`` and the columns of :func:`numbers`; the present release
        first (``change`` "none"), then for each quasi-identifier "coarser" and "dropped".
        Loss counts what the coarsening itself hides: a column left out is lost whole.

    Notes
    -----
    One level (ours): of a taxonomy, its deepest level is folded into the one above; numbers
    and declared orders are taken together two by two in their order. A category without a
    taxonomy has no level to go up, so it can only be left out. One partition a row.
    """
    ask = question or Question()
    population = Marginals.of(encoded) if ask.population is None else ask.population
    others = encoded.records if ask.others is None else ask.others
    steps: list[tuple[int, str, Ints]] = []
    for i, domain in enumerate(encoded.qids):
        finer = one_level(domain)
        if finer is not None and finer.max(initial=0) > 0:
            steps.append((i, "coarser", finer))
        steps.append((i, "dropped", np.zeros(domain.size, dtype=np.int64)))
    unchanged = partition(encoded, policy, algorithm)
    # The other hospital stays as it is, whatever I do to my columns.
    another = ask.another(unchanged)
    present = numbers(ask.of(unchanged), gcp(unchanged), ask.expected(unchanged, another))
    rows: list[dict[str, Any]] = [{"attribute": "", "change": "none", "values": 0, **present}]
    for done, (i, change, group) in enumerate(steps):
        release, low, high = coarser_release(encoded, policy, algorithm, i, group)
        region = release.classes.sizes / encoded.records if ask.joint else _probability(release, population, i, group)
        regions = Regions(low, high, region)
        size = ask.other_class_sizes
        estimate = of_regions(release.histogram, regions, population, others, size, ask.l, ask.confidence)
        estimate = replace(estimate, joint=ask.joint, records=Records.of(release))
        loss = _loss(encoded, release, low, high, (i, group))
        rows.append(
            {
                "attribute": encoded.qids[i].name,
                "change": change,
                "values": int(group.max()) + 1,
                **numbers(estimate, loss, ask.expected(release, another)),
            }
        )
        if progress is not None:
            progress((done + 1) / len(steps))
    return pd.DataFrame(rows)


def one_level(domain: Domain) -> Ints | None:
    """(values,) the group of every code when a column is made coarser by one level; None if it has no levels."""
    if domain.kind is Kind.TAXONOMY:
        assert domain.taxonomy is not None
        tree = domain.taxonomy
        nodes = tree.ancestors[max(0, tree.height - 1)]
        return np.cumsum(np.concatenate(([False], nodes[1:] != nodes[:-1])))
    if domain.kind is Kind.CATEGORICAL:
        return None
    known = domain.size - (domain.missing >= 0)
    group = np.arange(domain.size) // 2
    if domain.missing >= 0:
        group[domain.missing] = (known + 1) // 2
    return group


def coarser_release(
    encoded: Encoded, policy: Policy, algorithm: str, attribute: int, group: Ints
) -> tuple[Release, Ints, Ints]:
    """Release the table with the codes of one quasi-identifier taken together.

    Parameters
    ----------
    attribute
        Number of the quasi-identifier.
    group
        (values,) group of each code, rising from 0.

    Returns
    -------
    release, low, high
        The release of the coarser table, and its regions in the codes of the finer one.
    """
    domains, codes = list(encoded.qids), encoded.codes.copy()
    domains[attribute] = _coarser_domain(encoded.qids[attribute], group)
    codes[attribute] = group[codes[attribute]]
    release = partition(replace(encoded, qids=tuple(domains), codes=codes), policy, algorithm)
    low, high = spans(release)
    first = np.searchsorted(group, np.arange(int(group.max()) + 2))
    low[:, attribute], high[:, attribute] = first[low[:, attribute]], first[high[:, attribute] + 1] - 1
    return release, low, high


def _coarser_domain(domain: Domain, group: Ints) -> Domain:
    count = int(group.max()) + 1
    first = np.searchsorted(group, np.arange(count))
    labels = tuple(domain.labels[i] for i in first)
    # The missing value stays a group of its own unless everything is one group.
    missing = count - 1 if domain.missing >= 0 and count > 1 and first[-1] == domain.missing else -1
    if domain.taxonomy is not None and count > 1:
        tree = domain.taxonomy
        keep = tree.depth < tree.height
        number = np.cumsum(keep) - 1
        parents = np.asarray(tree.parents)[keep]
        parents = np.where(parents >= 0, number[parents], -1)
        cut = type(tree)(tuple(np.asarray(tree.labels, dtype=object)[keep]), tuple(int(p) for p in parents))
        return Domain(domain.name, domain.kind, cut.leaf_labels, None, cut, missing)
    values = None if domain.values is None else domain.values[first]
    kind = Kind.CATEGORICAL if domain.taxonomy is not None else domain.kind
    return Domain(domain.name, kind, labels, values, None, missing)


def _probability(release: Release, population: Marginals, attribute: int, group: Ints) -> Floats | None:
    """(classes,) probability of cells that list values, one column of which is in groups; ``None`` for others."""
    if not any(release.lists_values(i) for i in range(len(release.encoded.qids))):
        return None
    product = np.ones(release.classes.count)
    for i in range(len(release.encoded.qids)):
        share = population.probability(i)
        share = np.bincount(group, weights=share).astype(np.float64) if i == attribute else share
        product *= np.clip(release.amount_in_cells(i, share), 0.0, 1.0)
    return product


def _loss(encoded: Encoded, release: Release, low: Ints, high: Ints, coarser: tuple[int, Ints]) -> float:
    """GCP of regions in the codes of the table as it was; suppressed records count 1."""
    columns = []
    for i, domain in enumerate(encoded.qids):
        if release.lists_values(i):
            each = np.bincount(coarser[1]) if i == coarser[0] else np.ones(domain.size)
            values = release.amount_in_cells(i, each)
            columns.append(np.where(values > 1, values, 0.0) / domain.size)
            continue
        columns.append(np.where(low[:, i] == high[:, i], 0.0, domain.width(low[:, i], high[:, i])))
    kept = float((np.column_stack(columns).mean(axis=1) * release.classes.sizes).sum())
    return (kept + release.classes.suppressed) / encoded.records

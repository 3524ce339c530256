"""Strict multidimensional Mondrian, all classes of a round at once, for many k in one pass.

The recursion of LeFevre, DeWitt and Ramakrishnan (ICDE 2006) is turned into rounds. Rows
stay ordered by class. In a round every open class takes its widest attribute that is not
yet exhausted, one sort orders all rows by (class, value), neighbouring rows give the
candidate cuts, and every class that can be cut is cut. A class that cannot marks the
attribute exhausted and tries the next one in the next round.

**Many k in one pass.** The cut nearest the median has the largest smaller side of all
cuts, because ``min(left, n - left) = n/2 - |left - n/2|``; the same holds among the cuts that one l and t allow. So a
class follows an attribute exactly for every k up to that smaller side, and exhausts it for the larger ones: the
partitions for all k of a sweep share every cut above the level at which they diverge. A class carries the range of k
that it still serves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.algorithms.by_k import by_run
from core.algorithms.mondrian.cutting import Task, one_round
from core.algorithms.units import Part, labels_of
from core.base.arrays import Codes, Progress
from core.data.encoding.encoded import Encoded
from core.privacy.policy import Policy
from core.release.algorithm import Algorithm


def mondrian(
    encoded: Encoded, ks: Sequence[int], policy: Policy, progress: Progress | None = None
) -> list[NDArray[np.int32]]:
    """Partition a table by strict Mondrian for each of several k.

    Parameters
    ----------
    encoded
        The table; it must meet the policy as one class for every k.
    ks
        Values of k, rising, without repeats; one only if the policy asks for m.
    policy
        l and t to satisfy in addition to k; its own k is at most the least of ``ks``.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    list of ndarray
        For each k, (records,) class of each record. Numbers follow the sorted order of the
        people, so they do not depend on the order of the records.

    Notes
    -----
    Time O(rounds x units x attributes), some 25 rounds for 30,000 records.
    """
    task = Task.of(encoded, policy, ks)
    done, state = list[Part](), task.whole()
    whole = float(state.weight.sum()) * len(task.ks)
    while len(state.size):
        state = one_round(state, task, done)
        if progress is not None:
            left = float(state.weight @ np.repeat(state.until - state.since, state.size))
            progress(1.0 - left / whole)
    return labels_of(done, len(task.ks), task.units)


def run(encoded: Encoded, policies: Sequence[Policy], progress: Progress | None = None) -> list[Codes]:
    """Labels by policy; policies that differ only in k share one pass."""
    runs: dict[Policy, list[Policy]] = {}
    for policy in policies:
        runs.setdefault(replace(policy, k=1) if policy.m is None else policy, []).append(policy)
    labels = by_run(encoded, runs.values(), mondrian, progress)
    return [labels[policy] for policy in policies]


ALGORITHM = Algorithm(
    "mondrian",
    "Mondrian",
    "Strict Mondrian cuts at the median of the widest quasi-identifier as long as both parts meet the policy. Ranges "
    "and nodes are published.",
    citation="LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006.",
    run=run,
    quick=True,
    one_pass=True,
    persons=True,
    takes_frequency_tables=True,
)
TIGHT = replace(
    ALGORITHM,
    name="mondrian-tight",
    words="Mondrian, tight cells",
    about="The classes of Mondrian. Of categories, cells list the values that occur in the class, so less is lost. A "
    "reader also learns which values no one there has.",
    sets=True,
)

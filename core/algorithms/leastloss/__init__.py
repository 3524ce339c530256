"""Least loss: strict cuts, each chosen to lose the least.

In a round every open class looks at every allowed cut of every quasi-identifier and takes the one
with the least estimated final loss,

    sum over both sides of  people * NCP(side) * capacity(side)^(-1/14),

where NCP is that of the tight cell (:mod:`core.algorithms.leastloss.lines`) and capacity how many
classes the side could still become (:meth:`core.algorithms.leastloss.splitting.LossTask.capacity`). Comparing all cuts
by their cost is the greedy algorithm of Xu et al. (KDD 2006) and LeFevre et al. (TODS 2008); the discount and the order
of categories by frequency are ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.algorithms.by_k import by_run
from core.algorithms.leastloss.splitting import LossTask, OpenParts, one_round
from core.algorithms.units import Part, Units, labels_of
from core.base.arrays import Codes, Progress
from core.data.encoding.encoded import Encoded
from core.privacy.policy import Policy
from core.release.algorithm import Algorithm

AT_ONCE = 1 << 18
"""Largest number of units of the classes cut in one round, for tables with many more; bounds the memory."""


def least_loss(
    encoded: Encoded, ks: Sequence[int], policy: Policy, progress: Progress | None = None
) -> list[NDArray[np.int32]]:
    """Partition a table so that every class meets a policy with little loss, for each of several k.

    Parameters
    ----------
    encoded
        The table; it must meet the policy as one class for every k.
    ks
        Values of k, rising, without repeats; one only if the policy asks for more than k.
    policy
        What every class must meet; its own k is the least of ``ks``.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    list of ndarray
        For each k, (records,) class of each record, numbered by the first of the sorted distinct
        people in it.

    Notes
    -----
    Strict: the classes are boxes without a point in common, along the lines of
    :func:`core.algorithms.leastloss.lines.line_of`. O(rounds x units x quasi-identifiers^2), some
    20 rounds for 30,000 records; 150,000 records, all distinct, in some 0.8 s of processor time.

    Under k alone a class follows its best cut for every k up to the people on the smaller side, and
    stays whole for the larger ones; so the partitions for all k share every cut above the level at which they diverge.
    """
    task = LossTask.of(encoded, policy)
    units = task.units
    thresholds = np.asarray(ks, dtype=np.int64)
    waiting, settled, done = [OpenParts.whole(task.lines, len(ks))], list[Part](), 0.0
    whole = left = _work(units, waiting[0])
    while waiting:
        state = waiting.pop()
        before = _work(units, state)
        state, more = one_round(task, thresholds, state)
        settled += more
        if len(state.size):
            waiting += state.pieces(AT_ONCE) if len(state.unit) > 2 * AT_ONCE else [state]
        left += _work(units, state) - before
        done = max(done, min(1.0, 1.0 - left / max(1.0, whole)))
        if progress is not None:
            progress(done)
    return labels_of(settled, len(ks), units)


def _work(units: Units, state: OpenParts) -> float:
    """Number of records of open classes, each counted once per value of k that its class serves."""
    times = np.repeat(state.until - state.since, state.size)
    return float(units.weight[state.unit] @ times)


def run(encoded: Encoded, policies: Sequence[Policy], progress: Progress | None = None) -> list[Codes]:
    """Labels by policy: those with only k in one pass; the others one by one, as their requirements depend on k."""
    alone = [policy for policy in policies if policy.only_k and policy.m is None]
    runs = [[policy] for policy in policies if policy not in alone] + ([alone] if alone else [])
    labels = by_run(encoded, runs, least_loss, progress)
    return [labels[policy] for policy in policies]


ALGORITHM = Algorithm(
    "least-loss",
    "Least loss",
    "Least loss looks at every allowed cut of every quasi-identifier and takes the one after which least detail is "
    "lost. Ranges are published, and of categories the values that occur in the class: a reader also learns which "
    "values no one there has. At the same k its classes are finer than Mondrian's, and finer classes reveal more.",
    citation="Xu, Wang, Pei, Wang, Shi, Fu: Utility-based anonymization using local recoding. KDD 2006; LeFevre, "
    "DeWitt, Ramakrishnan: Workload-aware anonymization techniques for large-scale datasets. ACM TODS 33(3), 2008.",
    run=run,
    quick=True,
    one_pass=True,
    persons=True,
    takes_frequency_tables=True,
    sets=True,
    finer=True,
)

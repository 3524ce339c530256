"""Least loss: strict cuts, each the one after which least is lost.

In a round every open class looks at every allowed cut of every quasi-identifier and takes the one
with the least estimated final loss,

    sum over both sides of  people * NCP(side) * capacity(side)^(-1/14),

where NCP is that of the tight cell (:mod:`core.algorithms.leastloss.lines`) and capacity how many
classes the side could still become (:mod:`core.algorithms.leastloss.capacity`). Looking at all cuts
for what they cost is the greedy of Xu et al. (KDD 2006) and LeFevre et al. (TODS 2008); the
discount and the order of categories by frequency are ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.algorithms.leastloss.capacity import Asked
from core.algorithms.leastloss.lines import Lines
from core.algorithms.leastloss.rounds import Task, one_round
from core.algorithms.mondrian.rounds import Units
from core.arrays import Codes, Ints, Progress, step
from core.data.encoding import Encoded
from core.privacy.coalitions import with_providers
from core.privacy.policy import Policy
from core.release.algorithm import Algorithm


def least_loss(encoded: Encoded, policy: Policy, progress: Progress | None = None) -> NDArray[np.int32]:
    """Partition a table so that every class meets a policy and little is lost.

    Parameters
    ----------
    encoded
        The table; it must meet the policy as one class.
    policy
        What every class must meet.
    progress
        Called with the share of the records whose class is final; may raise to cancel.

    Returns
    -------
    ndarray
        (records,) class of each record, numbered by the first of the sorted distinct people in it.

    Notes
    -----
    Strict: the classes are boxes without a point in common, along the lines of
    :func:`core.algorithms.leastloss.lines.line_of`. O(rounds x units x quasi-identifiers^2), some
    20 rounds for 30,000 records.
    """
    if policy.m is not None:
        encoded, policy = with_providers(encoded, policy)
    units = Units.of(encoded, with_secret=not policy.only_k)
    task = Task(encoded, policy, units, Lines.of(encoded, units), Asked.of(policy, encoded))
    unit, size = np.arange(len(units.weight)), np.array([len(units.weight)])
    done: list[tuple[Ints, Ints]] = []
    while len(size):
        unit, size, settled, sizes = one_round(task, unit, size)
        done.append((settled, sizes))
        if progress is not None:
            progress(1.0 - float(units.weight[unit].sum()) / max(1, len(encoded)))
    member, sizes = (np.concatenate(parts) for parts in zip(*done, strict=True))
    first = np.minimum.reduceat(member, np.cumsum(sizes) - sizes)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    label = np.empty(len(units.weight), dtype=np.int32)
    label[member] = np.repeat(rank, sizes)
    return label[units.of_record]


def run(encoded: Encoded, policies: Sequence[Policy], progress: Progress | None = None) -> list[Codes]:
    """Labels by policy, one by one: how many classes a part can become depends on k."""
    return [least_loss(encoded, policy, step(progress, i, len(policies))) for i, policy in enumerate(policies)]


ALGORITHM = Algorithm(
    "least-loss",
    "Least loss",
    "Least loss looks at every allowed cut of every quasi-identifier and takes the one after which least detail is "
    "lost. Ranges are published, and of categories the values that occur in the class: a reader also learns which "
    "values nobody there has. At one k its classes are finer than Mondrian's, and finer classes show more.",
    source="Xu, Wang, Pei, Wang, Shi, Fu: Utility-based anonymization using local recoding. KDD 2006; LeFevre, DeWitt, "
    "Ramakrishnan: Workload-aware anonymization techniques for large-scale datasets. ACM TODS 33(3), 2008.",
    run=run,
    quick=True,
    persons=True,
    sets=True,
    uncut="Least loss compares all quasi-identifiers at every cut; only Mondrian is shown cut by cut.",
)

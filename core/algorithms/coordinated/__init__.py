"""Form classes as nodes of the trees of an agreement [definitions §11]; ours.

The records of a region are divided by the bucket of their value, and each goes down the tree of its bucket. A node may
be a class if at least k records lie there and every value of the bucket occurs among them. Which nodes are classes, a
publisher decides alone. Whatever they decide, the classes of one person lie on one path of one tree.

A node is cut exactly when both sides may be classes, and only a whole tree is left out. What is published
then tells nothing about the values beyond the classes themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.algorithms.coordinated.making import agree
from core.algorithms.coordinated.nodes import Held, cut_if_both_are_allowed
from core.base.arrays import Codes, Progress, part, step
from core.base.errors import InfeasibleError, PolicyError, SeveralRecordsError
from core.base.errors import shown_name as shown
from core.data.classes import weighted_count
from core.data.encoding.agreed_values import bucket_table, check_cells_show, check_columns, regions_of
from core.data.encoding.encoded import Encoded
from core.data.schemas.agreement import Agreement
from core.privacy.policy import Policy
from core.release.algorithm import Algorithm


def coordinated(encoded: Encoded, policy: Policy, progress: Progress | None = None) -> Codes:
    """Form the classes of one table that keep its agreement.

    Parameters
    ----------
    encoded
        The table; every record is a person. Its sensitive values are those that the agreement publishes.
    policy
        What every class must satisfy in addition to the agreement.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    ndarray
        (records,) class; -1 for records left out: without a region, with a missing value or one that the list does not
        have, or in a tree whose root is not allowed.

    Raises
    ------
    SchemaError
        If the table has other columns than the agreement.
    PolicyError
        If there is no agreement with trees, a published column links releases, or no class can meet the policy.
    InfeasibleError
        If no node is allowed.

    Notes
    -----
    O(records x levels of the trees).
    """
    agreement = _checked(encoded, policy)
    held = Held.of(encoded, agreement, with_values=not policy.only_k, progress=part(progress, 0.0, 0.9))
    overall = encoded.overall_of(np.flatnonzero(held.deepest[held.units.of_record] >= 0))
    out = np.zeros(len(held.trees.values), dtype=bool)  # trees
    while True:
        allowed = held.allowed(policy, overall, encoded.sensitive) & ~out[held.trees.tree]
        chosen = cut_if_both_are_allowed(held.trees, allowed)
        labels = held.labels(chosen)
        if not chosen.any():
            raise InfeasibleError(
                f"No class of the agreement has at least {policy.k:,} people and every value of its bucket in this "
                "table, as the policy requires; lower k, ask for less, or make an agreement for smaller tables.",
                parameter="agreement",
            )
        # t compares a class with what is published; records that are left out change that.
        overall = encoded.overall_of(np.flatnonzero(labels >= 0))
        failing = chosen & ~held.allowed(policy, overall, encoded.sensitive)
        if not failing.any():
            if progress is not None:
                progress(1.0)
            return labels
        out[held.trees.tree[failing]] = True


def _checked(encoded: Encoded, policy: Policy) -> Agreement:
    """The agreement of a table, after refusing what would break it."""
    agreement = encoded.sensitive.agreement
    if agreement is None:
        raise PolicyError(
            "Coordinated classes need an agreement; make one from public data with agree, or load the file that "
            "the other publishers have.",
            parameter="agreement",
        )
    if encoded.has_multiple_records:
        raise SeveralRecordsError(
            "An agreement holds for one record of each person, and persons of this table have several; choose "
            "One record of each when you load the table (--one-record).",
            parameter="agreement",
        )
    check_columns(agreement, encoded.qids, encoded.sensitive.name)
    inside = [part for own in agreement.regions for part in own.inside]
    for domain in encoded.qids:
        check_cells_show([part for part in inside if part.column == domain.name], domain)
    linking = next((column for column in encoded.plain if column.same_value_rate > 0 or column.diverse), None)
    if linking is not None:
        raise PolicyError(
            f"An agreement guarantees nothing if {shown(linking.name)} is published as it is, because it links "
            "releases; leave it out, or state that its values never agree between hospitals.",
            parameter=linking.name,
        )
    _check_reachable(agreement, encoded, policy)
    return agreement


def _check_reachable(agreement: Agreement, encoded: Encoded, policy: Policy) -> None:
    """Refuse an l or a t that classes of one bucket each can't reach, before anything is computed."""
    if policy.l is not None and policy.l > agreement.least:
        raise PolicyError(
            f"A class of the agreement has the values of one bucket, so l can be at most {agreement.least:,}; lower "
            "l, or make an agreement with larger buckets.",
            parameter="l",
        )
    if policy.t is None or policy.distance != "equal":
        return
    far = farthest(agreement, encoded)
    if policy.t < far:
        raise PolicyError(
            f"A class of the agreement has the values of one bucket, and that of the rarest is at least {far:.2f} away "
            "from the table (t, total variation); ask for a t above that, or for another distance.",
            parameter="t",
        )


def farthest(agreement: Agreement, encoded: Encoded) -> float:
    """Least distance (total variation) to the table that a class of the rarest bucket must have."""
    regions = regions_of(agreement, encoded.qids, encoded.codes)
    table = bucket_table(agreement, encoded.sensitive)
    kept = np.flatnonzero((regions >= 0) & (table[regions, encoded.sensitive_codes] >= 0))
    if not len(kept):
        return 0.0
    share = weighted_count(encoded.sensitive_codes[kept], encoded.weight[kept], encoded.sensitive.size)
    share = share / share.sum()
    present = np.unique(regions[kept])
    return max(float(1 - np.bincount(own[own >= 0], weights=share[own >= 0]).min()) for own in table[present])


def _run(encoded: Encoded, policies: Sequence[Policy], progress: Progress | None = None) -> list[Codes]:
    return [
        coordinated(encoded, policy, step(progress, number, len(policies))) for number, policy in enumerate(policies)
    ]


ALGORITHM = Algorithm(
    "coordinated",
    "Coordinated (agreement)",
    "Forms classes as nodes of the trees of an agreement that other hospitals keep, too: at least k people, and every "
    "value of a bucket. A node is cut exactly when both sides can be classes; records of a tree without a class are "
    "left out. Cells list the values that occur.",
    run=_run,
    providers="none",
    quick=True,
    takes_frequency_tables=True,
    sets=True,
    suppresses=True,
    agreement=True,
)
__all__ = ["ALGORITHM", "agree", "coordinated", "farthest"]

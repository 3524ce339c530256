"""Form classes that hold whole buckets of an agreed list, bucket by bucket [definitions §11]; ours.

The records are dealt out by the bucket of their value. Within a bucket every class must have every value, and is then
closed. :mod:`core.algorithms.by_bucket.halves` cuts.

A bucket cannot be closed if the table lacks one of its values: its records, and those without a sensitive value, are
left out, counted, and count as loss. Buckets with fewer than k records, or fewer values than l, are pooled with the
next smallest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.algorithms.by_bucket.halves import Dealt, halves
from core.algorithms.mondrian import run as mondrian
from core.base.arrays import Codes, Ints, Progress, part, step
from core.base.errors import InfeasibleError
from core.data.classes import pack
from core.data.encoding.encoded import Encoded
from core.privacy.models.values_left import check_list
from core.privacy.policy import Policy
from core.release.algorithm import Algorithm


def by_bucket(encoded: Encoded, policy: Policy, progress: Progress | None = None) -> Codes:
    """Form classes of one table that are closed under its agreed list.

    Parameters
    ----------
    encoded
        The table; every record is a person.
    policy
        Includes the number of values left that the list promises. k and distinct l are kept bucket by
        bucket. One bucket alone could not keep other models (entropy, recursive, t): under these,
        strict Mondrian cuts the records of all buckets that can be closed, under the whole policy.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    ndarray
        (records,) class; -1 for records left out.

    Raises
    ------
    InfeasibleError
        If there is no list, its buckets are too small, or the remaining records cannot meet the policy.

    Notes
    -----
    O(records x quasi-identifiers² x log classes): Adult's 30,162 records in half a second.
    """
    check_list(policy.values, encoded.sensitive)
    kept = closable(encoded)
    if not len(kept):
        raise InfeasibleError(
            "No bucket of the agreed list has all its values in this table, so no class can hold whole buckets; "
            "agree on larger shares or fewer values.",
            parameter="agreed",
        )
    # Sorted by their values, so that the classes do not depend on the order of the records.
    kept = kept[
        np.argsort(pack(np.vstack([encoded.codes[:, kept], encoded.sensitive_codes[None, kept]])), kind="stable")
    ]
    policy.check_feasible(encoded.take(kept))
    label = np.full(len(encoded), -1, dtype=np.int32)
    if not _kept_bucket_by_bucket(policy):
        label[kept] = mondrian(encoded.take(kept), [policy], progress)[0]
        return label
    classes = done = 0
    for groups in _by_values_held(_groups(encoded, kept, policy), encoded.sensitive_codes):
        rows, sizes = np.concatenate(groups), np.array([len(group) for group in groups])
        value = np.concatenate([np.unique(encoded.sensitive_codes[group], return_inverse=True)[1] for group in groups])
        dealt = Dealt(encoded.codes[:, rows], value, sizes, policy.k, encoded.qids)
        from_zero = halves(dealt, part(progress, done / len(kept), (done + len(rows)) / len(kept)))
        label[rows] = classes + from_zero
        classes += int(from_zero.max()) + 1
        done += len(rows)
    return label


def closable(encoded: Encoded) -> Ints:
    """Records whose bucket has all its values in the table."""
    bucket, whole = encoded.sensitive.bucket_of, encoded.sensitive.whole_buckets(encoded.overall)
    return np.flatnonzero(
        (bucket >= 0)[encoded.sensitive_codes] & whole[np.maximum(bucket, 0)][encoded.sensitive_codes]
    )


def _kept_bucket_by_bucket(policy: Policy) -> bool:
    """Whether k, the list and distinct l are the only requirements."""
    others = {model.symbol for model in policy.models} - {"k", "l", "agreed"}
    return not others and (policy.l is None or policy.diversity == "distinct")


def _groups(encoded: Encoded, kept: Ints, policy: Policy) -> list[Ints]:
    """Records of each bucket; small buckets pooled until k and distinct l can be kept."""
    values, bucket = encoded.sensitive.bucket_sizes, encoded.sensitive.bucket_of[encoded.sensitive_codes[kept]]
    groups = [(kept[bucket == number], int(values[number])) for number in np.unique(bucket).tolist()]
    while len(groups) > 1:
        groups.sort(key=lambda group: len(group[0]))
        small = [i for i, (rows, many) in enumerate(groups) if len(rows) < policy.k or many < (policy.l or 0)]
        if not small:
            break
        smallest = groups.pop(small[0])
        other = groups.pop(0)
        groups.append((np.concatenate([smallest[0], other[0]]), smallest[1] + other[1]))
    return [rows for rows, _ in groups]


def _by_values_held(groups: Sequence[Ints], sensitive_codes: Codes) -> list[list[Ints]]:
    """Combine the groups with the same number of values; they are cut in one pass."""
    together: dict[int, list[Ints]] = {}
    for rows in groups:
        together.setdefault(len(np.unique(sensitive_codes[rows])), []).append(rows)
    return list(together.values())


def run(encoded: Encoded, policies: Sequence[Policy], progress: Progress | None = None) -> list[Codes]:
    """Labels by policy; without an agreed list in the policy, those of strict Mondrian."""
    labels = []
    for number, policy in enumerate(policies):
        share_of_work = step(progress, number, len(policies))
        if policy.values["agreed"] is not None:
            labels.append(by_bucket(encoded, policy, share_of_work))
            continue
        policy.check_feasible(encoded)
        labels += mondrian(encoded, [policy], share_of_work)
    return labels


ALGORITHM = Algorithm(
    "by-bucket",
    "Bucket by bucket (agreed list)",
    "Deals the records out by the buckets of the agreed list and cuts each bucket so that every class keeps all its "
    "values. Classes may overlap. Cells list the values that occur. Without an agreed list it cuts as Mondrian does.",
    run=run,
    read_by_region=True,
    providers="none",
    sets=True,
    suppresses=True,
)

__all__ = ["ALGORITHM", "by_bucket", "closable"]

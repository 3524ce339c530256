"""A release of a grown table that keeps the classes of its earlier version, so that the difference reveals little.

Newcomers form classes of their own. Classes that people left are joined until those who left are at least k, with two
values or more, and the exact attack leaves each of them two values [definitions §4].
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.algorithms import partition
from core.algorithms.merging import merge_classes
from core.attack.updates import Left, Update, unchanged, update_attack
from core.base.arrays import Ints
from core.base.errors import InfeasibleError, PolicyError
from core.base.wording import several
from core.data.encoding.encoded import Encoded
from core.privacy.coalitions import m_private
from core.privacy.policy import Policy
from core.release.release import Release
from core.release.utility import gcp, ncp

BY = "mondrian"
"""How those who left are grouped: it never separates people whose quasi-identifiers are equal."""


@dataclass(frozen=True, eq=False)
class KeptClasses:
    """A release that keeps the classes of an earlier one.

    Parameters
    ----------
    release
        Of the present version.
    update
        The exact attack on it, by a reader who knows who is new and who left.
    loss
        Information loss over all records, 0 to 1.
    loss_new
        The same over the newcomers alone; NaN without any.
    as_they_were
        People whose record changed and is released as in the earlier version.
    """

    release: Release
    update: Update
    loss: float
    loss_new: float
    as_they_were: int = 0


def keep_classes(before: Release, after: Encoded, persons_before: Ints, persons_after: Ints) -> KeptClasses:
    """Release a grown table with the classes of its earlier version; newcomers form classes of their own.

    Parameters
    ----------
    before
        The earlier release; its policy and algorithm are kept.
    after
        The present version, under the same schema.
    persons_before, persons_after
        (records,) number of the person of each record of either; each occurs once in a version.

    Returns
    -------
    KeptClasses
        The release, what the exact attack leaves, and what it costs.

    Raises
    ------
    InfeasibleError
        If too few people are new or have left; the message says how many to wait for.
    """
    policy, old_class = before.policy, before.classes.labels.astype(np.int64)
    in_old, in_new = unchanged(before.encoded, after, persons_before, persons_after)
    in_old, in_new = in_old[old_class[in_old] >= 0], in_new[old_class[in_old] >= 0]
    new = np.setdiff1d(np.arange(len(after)), in_new)
    gone = np.setdiff1d(np.flatnonzero(old_class >= 0), in_old)
    labels = np.full(len(after), -1, dtype=np.int64)
    if len(new):
        own = _classes_of_their_own(after, new, before)
        labels[new] = np.where(own >= 0, own + before.classes.count, -1)
    least = policy.k
    while True:
        group = _joined(before, gone, least)
        labels[in_new] = group[old_class[in_old]]
        used, numbered = np.unique(labels, return_inverse=True)
        release = Release.of(after, numbered - (used[0] < 0), policy, before.algorithm)
        meets = _meets(release)
        update = update_attack(before, release, persons_before, persons_after)
        if (meets and not is_revealing(update.removed)) or least >= len(gone):
            break  # people in classes that nobody else left can be told apart however many classes are joined
        least *= 2
    if not meets:
        raise InfeasibleError(
            f"With the earlier classes kept, some class does not meet {policy.signs}. Wait until more people are new, "
            "or require less.",
            parameter="before",
        )
    lost = ncp(release).mean(axis=1)
    of_new = release.classes.labels[new]
    loss_new = float(np.where(of_new >= 0, lost[of_new], 1.0).mean()) if len(new) else np.nan
    return KeptClasses(release, update, gcp(release), loss_new)


def _meets(release: Release) -> bool:
    """Whether every class meets the policy, with colluding providers and diverse published columns."""
    policy, encoded, labels = release.policy, release.encoded, release.classes.labels
    return (
        bool(policy.is_satisfied(release.histogram, encoded.sensitive).all())
        and (policy.m is None or m_private(release).is_satisfied)
        and np.array_equal(merge_classes(encoded, labels, policy), labels)
    )


def _classes_of_their_own(after: Encoded, new: Ints, before: Release) -> Ints:
    """(newcomers,) classes of the newcomers alone, by the policy and algorithm of the earlier release."""
    policy = before.policy
    try:
        return partition(after.take(new), policy, before.algorithm.name).classes.labels.astype(np.int64)
    except PolicyError as error:
        raise _too_few(len(new), policy, "new person", "new people", "are new") from error


def _too_few(many: int, policy: Policy, single: str, more: str, did: str) -> InfeasibleError:
    wait = several(policy.k - many, "more person", "more people") if many < policy.k else "more people"
    return InfeasibleError(
        f"{several(many, single, more)} cannot be hidden among themselves under {policy.signs}. Wait until {wait} "
        f"{did}; until then, release the earlier version again.",
        parameter="before",
    )


def _joined(before: Release, gone: Ints, least: int) -> Ints:
    """(classes,) the class that each class becomes: classes that people left are joined in groups of ``least`` of them.

    People of one class are in one group, as they stand at the quasi-identifiers of the first of its records.
    """
    group, labels = np.arange(before.classes.count), before.classes.labels
    if not len(gone):
        return group
    there = np.flatnonzero(labels >= 0)
    first = there[np.unique(labels[there], return_index=True)[1]]
    nobody = np.arange(len(gone), dtype=np.int32)
    stand_ins = replace(
        before.encoded.take(first[labels[gone]]),
        person=nobody,
        rows=nobody.astype(np.int64),
        plain=tuple(column.take(gone) for column in before.encoded.plain),
    )
    required = Policy(min(least, max(len(gone), before.policy.k)), l=max(2, int(before.policy.l or 2)))
    try:
        together = partition(
            stand_ins.with_sensitive(before.encoded.sensitive_codes[gone]), required, BY
        ).classes.labels
    except PolicyError as error:
        raise _too_few(len(gone), before.policy, "person who left", "people who left", "have left") from error
    lowest = np.full(int(together.max()) + 1, before.classes.count)
    np.minimum.at(lowest, together, labels[gone])
    group[labels[gone]] = lowest[together]
    return group


def is_revealing(left: Left) -> bool:
    """Whether the difference leaves somebody one value who had more by one version alone."""
    return bool(((left.values == 1) & (left.alone > 1)).any())

"""Labels under many policies; policies that differ only in k share one pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Codes, Progress, step
from core.data.encoding.encoded import Encoded
from core.privacy.coalitions import with_providers
from core.privacy.policy import Policy

ManyKs = Callable[[Encoded, Sequence[int], Policy, Progress | None], list[NDArray[np.int32]]]
"""Labels of a table for each of several k, rising, under a policy with the requirements in addition to k."""


def by_run(
    encoded: Encoded, runs: Collection[Sequence[Policy]], form: ManyKs, progress: Progress | None = None
) -> dict[Policy, Codes]:
    """Form the classes under every policy of every run, and return the (records,) labels by policy.

    The policies of a run differ in k alone, so that ``form`` takes one pass for all of them; a
    policy with m is a separate run.
    """
    labels: dict[Policy, Codes] = {}
    for number, policies in enumerate(runs):
        share_of_work = step(progress, number, len(runs))
        first = policies[0]
        if first.m is not None:
            table, target = with_providers(encoded, first)
            labels[first] = form(table, [first.k], target, share_of_work)[0]
            continue
        ks = sorted({policy.k for policy in policies})
        formed = form(encoded, ks, replace(first, k=ks[0]), share_of_work)
        labels_of_k = dict(zip(ks, formed, strict=True))
        for policy in policies:
            labels[policy] = labels_of_k[policy.k]
    return labels

"""Ways to reduce exposure: a study with stricter policies, or with an agreed list."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.privacy.policy import Policy
from core.study.hospitals import Hospital, Study

BY_BUCKET = "by-bucket"
"""The algorithm that forms classes of whole buckets of an agreed list."""


# ---- ways ----------------------------------------------------------------------------------


def stricter(study: Study, **changed: Any) -> Study:
    """Return the study with parameters of the policy changed at my hospital and at all that are drawn."""
    return _each(study, lambda hospital: replace(hospital, policy=hospital.policy.with_(**changed)))


def agreed(study: Study, least: int, alone: bool = False) -> Study:
    """The study with classes of whole buckets of its table's agreed list, which leaves at least ``least`` values.

    k stays; other requirements are dropped. This applies to my hospital and all that are drawn, or to mine ``alone``.
    Another publisher's file stays as it is.
    """

    def closed(hospital: Hospital) -> Hospital:
        return replace(hospital, policy=Policy(hospital.policy.k, more={"agreed": least}), algorithm=BY_BUCKET)

    if alone:
        return replace(study, hospitals=(closed(study.hospitals[0]), *study.hospitals[1:]))
    return _each(study, closed)


def _each(study: Study, change: Any) -> Study:
    mine, *others = study.hospitals
    changed = (other if other.upload is not None else change(other) for other in others)
    return replace(study, hospitals=(change(mine), *changed))

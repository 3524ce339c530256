"""Ways to reduce exposure: a study with stricter policies, or with an agreement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.privacy.policy import Policy
from core.study.hospitals import Hospital, Study

COORDINATED = "coordinated"
"""The algorithm whose classes keep an agreement."""


# ---- ways ----------------------------------------------------------------------------------


def stricter(study: Study, **changed: Any) -> Study:
    """Return the study with parameters of the policy changed at my hospital and at all that are drawn."""
    return _each(study, lambda hospital: replace(hospital, policy=hospital.policy.with_(**changed)))


def agreed(study: Study, alone: bool = False) -> Study:
    """The study with classes that keep its table's agreement.

    k stays; other requirements are dropped. This applies to my hospital and all that are drawn, or to mine ``alone``.
    Another publisher's file stays as it is.
    """

    def closed(hospital: Hospital) -> Hospital:
        return replace(hospital, policy=Policy(hospital.policy.k), algorithm=COORDINATED)

    if alone:
        return replace(study, hospitals=(closed(study.hospitals[0]), *study.hospitals[1:]))
    return _each(study, closed)


def _each(study: Study, change: Any) -> Study:
    mine, *others = study.hospitals
    changed = (other if other.upload is not None else change(other) for other in others)
    return replace(study, hospitals=(change(mine), *changed))

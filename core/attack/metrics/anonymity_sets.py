"""Numbers of an adversary who asks who a person is, not what they have: the anonymity set after composition."""

from __future__ import annotations

from core.attack.number import ONE, Attacked, AttackNumber, Share
from core.base.rates import candidate_limit
from core.base.wording import at_confidence


def _small(attacked: Attacked, confidence: float) -> Share | None:
    anonymity_sets = attacked.anonymity_set
    return None if anonymity_sets is None else Share(anonymity_sets.share(confidence), anonymity_sets.alone(confidence))


def _at_most(confidence: float) -> str:
    most = candidate_limit(confidence)
    return f"{'alone' if most == 1 else f'an anonymity set of at most {most}'} ({at_confidence(confidence)})"


ANONYMITY_SETS = (
    AttackNumber(
        name="alone",
        words="Alone in the intersection of classes",
        meaning=(
            "Shared people who are, or may be, the only ones in all of their classes together, whatever values are "
            "left."
        ),
        definition="s11-anonymity-set",
        start=0.05,
        column="crowd",
        computed=_small,
        of_anonymity_sets=True,
        title="In a small anonymity set",
        at_level=_at_most,
        read=ONE,
    ),
    AttackNumber(
        name="crowd",
        words="In an anonymity set of at most 1/C",
        meaning="Shared people whose classes, intersected, hold or may hold at most 1/C people, including themselves.",
        definition="s11-anonymity-set",
        start=0.2,
        column="crowd",
        computed=_small,
        of_anonymity_sets=True,
        title="In a small anonymity set",
        at_level=_at_most,
    ),
)

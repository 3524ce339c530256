"""A toy number of the attack: at most two values left, and how often that is wrong."""

from __future__ import annotations

from core.attack.number import ANY, Attacked, AttackNumber, Share


def _computed(attacked: Attacked, _: float) -> Share:
    result = attacked.result
    few = (result.posterior > 0) & (result.posterior <= 2)
    return Share(
        float(few.mean()),
        float((result.effective_anonymity <= 2).mean(axis=1).max()),
        float((few & ~result.true_value_left).mean()),
    )


NUMBER = AttackNumber(
    name="few",
    words="Two values left, or one (toy)",
    meaning="Shared people with one or two sensitive values left.",
    definition="s4-breach",
    start=0.25,
    column="few",
    computed=_computed,
    title="Two left, or one",
    read=ANY,
    tells_wrong=True,
)

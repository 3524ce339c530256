"""Numbers of an adversary who keeps the sensitive values that all releases share [Ganta 2008]."""

from __future__ import annotations

from core.attack.number import ANY, ONE, Attacked, AttackNumber, Share
from core.attack.weighted import set_hit


def _exposed(attacked: Attacked, confidence: float) -> Share:
    result = attacked.result
    breached = result.breached(confidence)
    wrong = float(result.mean(breached & ~result.true_value_left))
    return Share(float(result.mean(breached)), result.single(confidence), wrong)


def _right(attacked: Attacked, confidence: float) -> Share:
    result = attacked.result
    return Share(float(result.mean(result.rightly(confidence))), result.rightly_single(confidence))


def _hit(attacked: Attacked, _: float) -> Share:
    result = attacked.result
    alone = result.mean(result.holds / result.prior.clip(1)).max()
    return Share(float(result.mean(set_hit(result))), float(alone))


EXPOSED = (
    AttackNumber(
        name="perfect",
        words="One value left (perfect breach)",
        meaning="Shared people with a single sensitive value left after intersecting the releases, right or wrong.",
        definition="s4-perfect-breach",
        start=0.05,
        column="share",
        computed=_exposed,
        title="Exposed",
        read=ONE,
        tells_wrong=True,
    ),
    AttackNumber(
        name="perfect_right",
        words="One value left, rightly",
        meaning="Shared people with a single sensitive value left that is their own.",
        definition="s4-rightly-exposed",
        whole="perfect",
        start=0.05,
        column="right",
        computed=_right,
        title="Rightly exposed",
        read=ONE,
    ),
    AttackNumber(
        name="breach",
        words="Exposed at confidence C",
        meaning="Shared people with at most 1/C sensitive values left after intersecting the releases, right or wrong.",
        definition="s4-breach",
        start=0.2,
        column="share",
        computed=_exposed,
        title="Exposed",
        tells_wrong=True,
    ),
    AttackNumber(
        name="breach_right",
        words="Rightly exposed at confidence C",
        meaning="Shared people with at most 1/C sensitive values left, their own among them.",
        definition="s4-rightly-exposed",
        whole="breach",
        start=0.2,
        column="right",
        computed=_right,
        title="Rightly exposed",
    ),
)
HIT = AttackNumber(
    name="hit",
    words="Own value named, any left (hit rate)",
    meaning="How often naming one of the values left at random is right, over all shared people.",
    definition="s4-hit-rate",
    start=0.2,
    column="hit",
    computed=_hit,
    title="Value named rightly",
    read=ANY,
    guess="guess_one",
)

"""Numbers of an adversary who takes the smallest region that fits, where several do."""

from __future__ import annotations

from core.attack.number import Attacked, AttackNumber, Share
from core.metrics import LESS


def _exposed(attacked: Attacked, confidence: float) -> Share:
    result = attacked.smallest
    breached = result.breached(confidence)
    wrong = float((breached & ~result.true_value_left).mean())
    return Share(float(breached.mean()), result.single(confidence), wrong)


def _right(attacked: Attacked, confidence: float) -> Share:
    result = attacked.smallest
    return Share(float(result.rightly(confidence).mean()), result.rightly_single(confidence))


EXPOSED = (
    AttackNumber(
        name="smallest",
        words="Exposed at C by the smallest region",
        kind="share",
        better=LESS,
        group="exposure",
        meaning="Shared people with at most 1/C values left when of several regions that fit the smallest is taken, "
        "right or wrong.",
        definition="s4-smallest",
        whole="breach",
        start=0.2,
        column="smallest",
        computed=_exposed,
        title="Exposed by the smallest region",
        tells_wrong=True,
        by_region=True,
    ),
    AttackNumber(
        name="smallest_right",
        words="Rightly exposed at C by the smallest region",
        kind="share",
        better=LESS,
        group="exposure",
        meaning="Shared people with at most 1/C values left, their own among them, when of several regions that fit "
        "the smallest is taken.",
        definition="s4-smallest-rightly",
        whole="breach_right",
        start=0.2,
        column="smallest_right",
        computed=_right,
        title="Rightly exposed by the smallest region",
        by_region=True,
    ),
)

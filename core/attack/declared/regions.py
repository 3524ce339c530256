"""The number of an adversary who takes the smallest region that fits, where several do."""

from __future__ import annotations

from core.attack.number import Attacked, AttackNumber, Share
from core.metrics import LESS


def _exposed(attacked: Attacked, confidence: float) -> Share:
    result = attacked.smallest
    breached = result.breached(confidence)
    wrong = float(result.mean(breached & ~result.true_value_left))
    return Share(float(result.mean(breached)), result.single(confidence), wrong)


EXPOSED = (
    AttackNumber(
        name="smallest",
        words="Exposed, smallest region",
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
        title="Exposed, smallest region",
        tells_wrong=True,
        by_region=True,
    ),
)

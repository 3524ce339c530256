"""Numbers of an adversary who keeps the sensitive values that all releases share [Ganta 2008]."""

from __future__ import annotations

from core.attack.number import ANY, ONE, Attacked, AttackNumber, Share
from core.attack.weighted import set_hit


def _exposed(attacked: Attacked, confidence: float) -> Share:
    result = attacked.result
    wrong = float(result.mean(result.false_disclosures(confidence)))
    return Share(float(result.mean(result.breached(confidence))), result.single(confidence), wrong)


def _right(attacked: Attacked, confidence: float) -> Share:
    result = attacked.result
    return Share(float(result.mean(result.true_disclosures(confidence))), result.true_disclosures_single(confidence))


def _hit(attacked: Attacked, _: float) -> Share:
    result = attacked.result
    alone = result.mean(result.has_true_value / result.effective_anonymity.clip(1)).max()
    return Share(float(result.mean(set_hit(result))), float(alone))


EXPOSED = (
    AttackNumber(
        name="one_value_left",
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
        name="one_value_left_correct",
        words="True disclosures, one value left",
        meaning="Shared people with a single sensitive value left that is their own.",
        definition="s4-true-disclosures",
        whole="one_value_left",
        start=0.05,
        column="right",
        computed=_right,
        title="True disclosures",
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
        name="breach_correct",
        words="True disclosures at confidence C",
        meaning="Shared people with at most 1/C sensitive values left, their own among them.",
        definition="s4-true-disclosures",
        whole="breach",
        start=0.2,
        column="right",
        computed=_right,
        title="True disclosures",
    ),
)
HIT = AttackNumber(
    name="hit",
    words="Correct guesses, any left (hit rate)",
    meaning="How often naming one of the values left at random is right, over all shared people.",
    definition="s4-hit-rate",
    start=0.2,
    column="hit",
    computed=_hit,
    title="Correct guesses",
    read=ANY,
    guess="guess_one",
)

"""Numbers of the weighted adversary [definitions §4]."""

from __future__ import annotations

from core.attack.number import ANY, Attacked, AttackNumber, Share
from core.base.wording import confidence_text


def _exposed(attacked: Attacked, confidence: float) -> Share:
    weighted = attacked.weighted
    rate = weighted.pvp(confidence)
    assert rate.single is not None
    wrong = float(weighted.mean(weighted.breached(confidence) * (1 - weighted.hit)))
    return Share(rate.value, rate.single, wrong)


def _right(attacked: Attacked, confidence: float) -> Share:
    rate = attacked.weighted.hits(confidence)
    assert rate.single is not None
    return Share(rate.value, rate.single)


def _hit(attacked: Attacked, _: float) -> Share:
    weighted = attacked.weighted
    return Share(float(weighted.mean(weighted.hit)), float(weighted.mean(weighted.alone_hit).max()))


def _sure(confidence: float) -> str:
    return f"at least {confidence_text(confidence)} sure (C)"


EXPOSED = (
    AttackNumber(
        name="weighted",
        words="Exposed at C, weighted adversary",
        meaning="Shared people of whom the weighted adversary is at least C sure, right or wrong.",
        definition="s4-weighted",
        start=0.2,
        column="weighted",
        computed=_exposed,
        title="Exposed, weighted",
        at_level=_sure,
        tells_wrong=True,
    ),
    AttackNumber(
        name="weighted_correct",
        words="True disclosures at C, weighted adversary",
        meaning="Shared people of whom the weighted adversary is at least C sure, and right.",
        definition="s4-weighted-true-disclosures",
        whole="weighted",
        start=0.2,
        column="weighted_correct",
        computed=_right,
        title="True disclosures, weighted",
        at_level=_sure,
    ),
)
HIT = AttackNumber(
    name="weighted_hit",
    words="Correct guesses, weighted (hit rate)",
    meaning="How often naming the most likely value is right, over all shared people.",
    definition="s4-weighted-hit-rate",
    start=0.3,
    column="weighted_hit",
    computed=_hit,
    title="Correct guesses, weighted",
    read=ANY,
    guess="guess_one",
)

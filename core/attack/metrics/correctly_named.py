"""Numbers of adversaries who do not know who was where: people whom they name correctly."""

from __future__ import annotations

from core.attack.number import ANY, Attacked, AttackNumber, Share


def _named(attacked: Attacked, knows: str) -> Share | None:
    if knows not in attacked.named:
        return None
    result, fits = attacked.named[knows], attacked.named[knows].fits_all
    return Share(float(result.mean(result.true_disclosures() & fits)), result.true_disclosures_single(1.0))


NAMED = (
    AttackNumber(
        name="named_list",
        words="Named correctly from a population list",
        meaning="Shared people whose value is left alone, correctly, for an adversary who has a population list and "
        "does not know who is in any table. How many people are on the list does not matter.",
        definition="s4-intruder",
        start=0.02,
        column="named_list",
        computed=lambda attacked, _: _named(attacked, "list"),
        title="Named from a list",
        read=ANY,
        knows="list",
    ),
    AttackNumber(
        name="named_mine",
        words="Named correctly, known to be in mine",
        meaning="Shared people whose value is left alone, correctly, for an adversary who knows that they are in my "
        "table and not who is in the others.",
        definition="s4-intruder",
        start=0.05,
        column="named_mine",
        computed=lambda attacked, _: _named(attacked, "mine"),
        title="Named, known to be in mine",
        read=ANY,
        knows="mine",
    ),
)

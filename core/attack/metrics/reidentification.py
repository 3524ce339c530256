"""Numbers of an adversary who picks a record for a person: risk as regulators count it, after composition."""

from __future__ import annotations

from core.attack.number import ANY, Attacked, AttackNumber, Share
from core.attack.risk.reidentification_risk import REGULATED

THRESHOLD = 1 / REGULATED


def _at_risk(attacked: Attacked, _: float) -> Share | None:
    crowd = attacked.crowd
    if crowd is None:
        return None
    return Share(crowd.found.above(THRESHOLD), max(risk.above(THRESHOLD) for risk in crowd.found_alone))


def _average(attacked: Attacked, _: float) -> Share | None:
    crowd = attacked.crowd
    return None if crowd is None else Share(crowd.found.average, max(risk.average for risk in crowd.found_alone))


RISKS = (
    AttackNumber(
        name="at_risk",
        words=f"In an anonymity set under {REGULATED} (risk over 0.09)",
        meaning=f"Shared people whose classes, intersected, hold fewer than {REGULATED} people. The European Medicines "
        f"Agency and Health Canada require {REGULATED} in every class of one release; this is what composition leaves.",
        definition="s12-after",
        start=0.05,
        column="at_risk",
        computed=_at_risk,
        of_crowds=True,
        title=f"Anonymity set under {REGULATED}",
        read=ANY,
    ),
    AttackNumber(
        name="average_after",
        words="Average re-identification risk after composition",
        meaning="Expected share of shared people re-identified by an adversary who picks one record per person, from "
        "the anonymity set that the releases leave together (marketer risk).",
        definition="s12-after",
        start=0.1,
        column="average_after",
        computed=_average,
        of_crowds=True,
        title="Average risk",
        read=ANY,
    ),
)

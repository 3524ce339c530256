"""Numbers of an adversary who picks a record for a person: risk as regulators count it, after composition."""

from __future__ import annotations

from core.attack.number import ANY, Attacked, AttackNumber, Share
from core.attack.risk.reidentification_risk import REGULATED_SIZE

THRESHOLD = 1 / REGULATED_SIZE


def _at_risk(attacked: Attacked, _: float) -> Share | None:
    anonymity_set = attacked.anonymity_set
    if anonymity_set is None:
        return None
    return Share(
        anonymity_set.risk.above(THRESHOLD), max(risk.above(THRESHOLD) for risk in anonymity_set.risk_per_release)
    )


def _average(attacked: Attacked, _: float) -> Share | None:
    anonymity_set = attacked.anonymity_set
    return (
        None
        if anonymity_set is None
        else Share(anonymity_set.risk.average, max(risk.average for risk in anonymity_set.risk_per_release))
    )


RISKS = (
    AttackNumber(
        name="at_risk",
        words=f"In an anonymity set under {REGULATED_SIZE} (risk over 0.09)",
        meaning=f"Shared people whose classes, intersected, hold fewer than {REGULATED_SIZE} people. The European "
        f"Medicines "
        f"Agency and Health Canada require {REGULATED_SIZE} in every class of one release; this is what composition "
        f"leaves.",
        definition="s12-after",
        start=0.05,
        column="at_risk",
        computed=_at_risk,
        of_anonymity_sets=True,
        title=f"An anonymity set under {REGULATED_SIZE}",
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
        of_anonymity_sets=True,
        title="Average risk",
        read=ANY,
    ),
)

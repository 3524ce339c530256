"""Re-identification risk in a report: one release and all together, with the limits of regulators [definitions §12].

Numbers of the attack are means over redraws with their interval. The highest risk and linkability need whole
anonymity sets and come from one draw.
"""

from __future__ import annotations

from core.attack.anonymity_set import AnonymitySet, anonymity_set, linkable
from core.attack.risk.reidentification_risk import PRESETS, ReidentificationRisk
from core.base import wording
from core.decision.review import Number
from core.report.facts import metric_words
from core.report.material import Material
from core.report.rounding import SMALL, Facts, ReportedNumber, Scale, raw
from core.report.sentences import sentence

PRESET = PRESETS["public"]
PAIRWISE = 5_000
"""Largest number of shared people compared pairwise if no faster method counts their anonymity sets."""


def risk(material: Material, scale: Scale) -> Facts:
    """The sheet of the page: four numbers in three columns, and the three criteria of WP216."""
    numbers, confidence = material.assessment.numbers, material.assessment.scenario.confidence
    # If persons have several records, the sum over all classes exceeds the number of people.
    mine = ReidentificationRisk.of_classes(material.assessment.guarantee.sizes)
    drawn = material.outcome.result
    together, linked = anonymity_set(drawn, drawn.people <= PAIRWISE), linkable(drawn)

    def whole(share: float) -> ReportedNumber:
        return scale.share(share, material.assessment.guarantee.people)

    def shared(metric: str) -> Facts:
        return _shared(numbers.get(metric), scale)

    anonymity_sets = {"single": ReportedNumber(), "all": ReportedNumber()}
    if together is not None:
        anonymity_sets = {"single": _highest(_worst(together), scale), "all": _highest(together.risk, scale)}
    linkable_share = ReportedNumber() if linked is None else scale.share(linked, drawn.people)
    limits = {"highest": PRESET.highest, "above": PRESET.above, "average": PRESET.average, "alone": None}
    rows = {
        "highest": {"mine": _highest(mine, scale), **anonymity_sets},
        "above": {"mine": whole(mine.above(PRESET.highest)), **shared("at_risk")},
        "average": {"mine": whole(mine.average), **shared("average_after")},
        "alone": {"mine": whole(mine.singled_out), **shared("alone")},
    }
    criteria = {
        "singling_out": ("Singling out: alone in the anonymity set after composition", shared("alone")),
        "linkability": (
            "Linkability: no one else is in the same classes throughout",
            {"single": ReportedNumber(), "all": linkable_share},
        ),
        "inference": (f"Inference: {metric_words('breach', confidence)}", shared("breach")),
    }
    return {
        "note": sentence("risk"),
        "source": PRESET.citation,
        "criteria_title": "Three criteria of the Article 29 Working Party (WP216)",
        "rows": [
            {"limit": raw(limits[name]), **_row(name, _TITLES[name], row, _LIMITS[name])} for name, row in rows.items()
        ],
        "criteria": [_row(name, title, row, "") for name, (title, row) in criteria.items()],
    }


_TITLES = {
    "highest": "Highest risk (prosecutor)",
    "above": f"Share with a risk over {PRESET.highest:.2f}",
    "average": "Average risk (marketer)",
    "alone": "Alone (singled out)",
}
_LIMITS = {
    "highest": f"{PRESET.highest:.2f}: an anonymity set of {PRESET.smallest_set}",
    "above": wording.NONE if PRESET.above is None else f"at most {wording.percent(PRESET.above)}",
    "average": wording.NONE if PRESET.average is None else f"at most {wording.percent(PRESET.average)}",
    "alone": wording.NONE,
}


def _row(name: str, title: str, row: Facts, limit: str) -> Facts:
    """Values for the file, and their wording."""
    low, high, span = row.get("interval", (None, None, wording.NONE))
    rounded = {column: each for column, each in row.items() if column != "interval"}
    return {
        "name": name,
        "words": title,
        **{column: each.value for column, each in rounded.items()},
        "low": low,
        "high": high,
        "shown": {"limit": limit, "interval": span, **{column: each.text for column, each in rounded.items()}},
    }


def _shared(number: Number | None, scale: Scale) -> Facts:
    """A share of the shared people by the best single release and by all, with its interval."""
    if number is None:
        return {"single": ReportedNumber(), "all": ReportedNumber()}
    single, every = scale.share(number.single, number.n), scale.share(number.value, number.n)
    return {"single": single, "all": every, "interval": scale.interval(number)}


def _worst(together: AnonymitySet) -> ReidentificationRisk:
    """The release in which the shared people have the highest risk, as on the page."""
    return max(together.risk_per_release, key=lambda risk: (risk.above(PRESET.highest), risk.average))


def _highest(identification: ReidentificationRisk, scale: Scale) -> ReportedNumber:
    """Highest risk of any person; for outsiders from an anonymity set rounded to tens, and hidden below ten."""
    if identification.highest == 0:
        return ReportedNumber(0.0, "no one is re-identified")
    set_size = round(1 / identification.highest)
    if not scale.external:
        rounded = wording.percent(identification.highest)
        return ReportedNumber(raw(identification.highest), f"{rounded}, an anonymity set of {set_size}")
    if set_size < SMALL:
        return ReportedNumber(None, f"over {wording.whole_percent(1 / SMALL)}")
    safe = 1 / (set_size // SMALL * SMALL)
    return ReportedNumber(raw(safe), f"at most {wording.percent(safe)}")

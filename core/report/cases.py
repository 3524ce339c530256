"""The cases of a verdict: a number as assumed, and if one assumption is wrong, each with people and verdict."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from core.attack.number import exposures
from core.base import wording
from core.base.metrics import MET, NOT_MET, ON_AVERAGE
from core.decision.review import Assessment, Check, DoubtCase, Judgement, Number, cases, present_values
from core.report.facts import setting
from core.report.rounding import Facts, Scale, hidden

AS_ASSUMED = "As assumed"
MOST_NAMED = 2
"""Cases that a headline names one by one."""
_GRAVE = {NOT_MET: 3, None: 2, ON_AVERAGE: 1, MET: 0}


def shown_metric(judgement: Judgement, assessment: Assessment) -> str:
    """The exposure number shown in cases: that of the most serious limit, else one value left; "" without any."""

    def grave(check: Check) -> tuple[int, int]:
        return -_GRAVE[check.verdict], -len(check.breaking)

    limited = [
        check.metric for check in sorted(judgement.checks, key=grave) if check.metric in exposures() and check.number
    ]
    known = [name for name in (*limited, "one_value_left", "breach") if name in assessment.numbers]
    return known[0] if known else ""


def case_rows(assessment: Assessment, judgement: Judgement, doubts: pd.DataFrame | None, scale: Scale) -> list[Facts]:
    """One row for the assumptions, then one per case: plausible cases first, and the worst first in each group."""
    metric, scenario = shown_metric(judgement, assessment), assessment.scenario
    if not metric:
        return []
    limit, present = scenario.requirements.asked.get(metric), present_values(scenario)
    number = assessment.numbers[metric]
    tried = () if doubts is None else cases(doubts, scenario, metric, number.redraws is not None)
    base = _row(metric, number, limit, scale, plausible=True)
    base |= {"metric": metric, "assumption": "", "setting": "", "label": AS_ASSUMED, "rank": 0, "less": False}
    base |= {"assumed": {name: setting(name, value, scale) for name, value in present.items()}}
    rows = [base]
    ordered = sorted(tried, key=lambda case: not case.plausible)
    for case in ordered:
        row = _row(metric, case.number, limit, scale, case.plausible)
        text = setting(case.assumption, case.value, scale)
        less = bool(case.value < present[case.assumption])
        row |= {"rank": sum(_before(other, case) for other in tried), "less": less}
        row |= {"assumption": case.assumption, "setting": text, "label": f"If {_otherwise(case, present, scale)}"}
        rows.append(row)
    _mark_worst_overlap(rows, [number, *(case.number for case in ordered)])
    return rows


def _before(other: DoubtCase, case: DoubtCase) -> bool:
    return bool(other.assumption == case.assumption and other.value < case.value)


def _row(metric: str, number: Number, limit: float | None, scale: Scale, plausible: bool) -> Facts:
    share, span = scale.share(number.value, number.n), scale.interval(number)
    people = scale.people(round(number.value * number.n))
    verdict = None if limit is None else number.verdict(metric, limit)
    many = scale.many(number)
    told_share = share.text if limit is None else scale.beside_limit(metric, number, limit)
    return {
        "share": share.value,
        "low": span[0],
        "high": span[1],
        "people": people.value,
        "n": many.value,
        "within": hidden({"share": share}),
        "verdict": verdict,
        "plausible": plausible,
        "worst_overlap_by": [],
        "shown": {
            "share": told_share,
            "near": told_share.partition(" (")[0],
            "people": scale.headcount(number),
            "n": many.text,
            "interval": span[2],
            "verdict": wording.NONE if verdict is None else verdict,
        },
    }


def as_assumed(row: Facts, words: str, limit: str) -> str:
    """The number as assumed, in a sentence with its limit and population."""
    shown = row["shown"]
    held = f"; the limit is {limit}" if limit else ""
    return f"{AS_ASSUMED}, {words[:1].lower()}{words[1:]}: {shown['share']}, {shown['people']} of {shown['n']}{held}."


# ---- in sentences --------------------------------------------------------------------------


def told(row: Facts) -> str:
    """One case in a sentence: "If only 1,000 people are shared: 4.5%, 45 people: not met."."""
    shown = row["shown"]
    sentence = f"{row['label']}: {shown['share']}, {shown['people']}"
    return f"{sentence}: {shown['verdict']}." if row["verdict"] else f"{sentence}."


def condition(assessment: Assessment, judgement: Judgement, scale: Scale) -> str:
    """Condition of a verdict: "not if only 1,000 people are shared"; "" without a condition."""
    present = present_values(assessment.scenario)
    texts: dict[str, None] = {}
    for check in judgement.checks:
        for case in check.breaking:
            texts[_otherwise(case, present, scale)] = None
    named = [f"if {text}" for text in texts][:MOST_NAMED]
    more = len(texts) - len(named)
    if more:
        named.append(f"in {wording.several(more, 'other plausible case')}")
    return f"not {wording.listed(named, 'or')}" if named else ""


def _otherwise(case: DoubtCase, present: Facts, scale: Scale) -> str:
    text = setting(case.assumption, case.value, scale)
    return wording.otherwise(case.assumption, text, case.value < present[case.assumption])


def worst_overlap(rows: Sequence[Facts]) -> str:
    """Which number of shared people is the worst one for this release, by share and by people; "" if none was tried."""
    worst = {by: row for row in rows for by in row["worst_overlap_by"]}
    if not worst:
        return ""
    share, people = worst["share"], worst["people"]
    sentence = f"The worst number of shared people for this release: by share {_at(share)} ({share['shown']['share']})"
    return f"{sentence}, by people {_at(people)} ({people['shown']['people']})."


def _at(row: Facts) -> str:
    beyond = "" if row["plausible"] else ", beyond what is plausible"
    return f"{row['setting'] or row['assumed']['overlap']}{beyond}"


def _mark_worst_overlap(rows: list[Facts], numbers: Sequence[Number]) -> None:
    """Mark the overlap with the largest share, and that with the most people, by numbers as they are."""
    places = [place for place, row in enumerate(rows) if row["assumption"] in ("", "overlap")]
    if len(places) > 1:
        rows[max(places, key=lambda place: numbers[place].value)]["worst_overlap_by"].append("share")
        rows[max(places, key=lambda place: numbers[place].value * numbers[place].n)]["worst_overlap_by"].append(
            "people"
        )

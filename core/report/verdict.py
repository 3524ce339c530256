"""The verdict in words: which limits are met, under which condition, and whether others were considered.

Report, meeting and command line say it in these sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.base import wording
from core.base.metrics import CONDITIONAL, MET, NOT_MET, ON_AVERAGE
from core.decision.review import Judgement
from core.decision.scenario.scenario import Scenario
from core.report.cases import as_assumed, told
from core.report.rounding import Facts
from core.study.hospitals import OWN

MOST_TOLD = 3
"""Largest number of requirements that a sentence names one by one; the table below has all of them."""
HEADLINES = {
    MET: "Met",
    ON_AVERAGE: "Met on average only",
    CONDITIONAL: "Met under your assumptions",
    NOT_MET: "Not met",
    "open": "Open",
    "none": "No limits set",
}
KINDS = {MET: "met", ON_AVERAGE: "average", CONDITIONAL: "average", NOT_MET: "broken"}
"""Frame of a verdict on a page and in a document: green, amber, red; an open one is neither good nor bad."""


def verdict(
    judgement: Judgement, rows: Sequence[dict[str, Any]], cases: Sequence[Facts] = (), unless: str = ""
) -> dict[str, Any]:
    """The verdict with its condition and sentences, for reports and the command line.

    Parameters
    ----------
    judgement
        The judgement.
    rows
        The limits as reported; output of :func:`core.report.facts.requirements`.
    cases, unless
        Output of :func:`core.report.cases.case_rows` and :func:`core.report.cases.condition`.
    """
    unheard = [wording.without_effect(judgement.without_effect)] if judgement.without_effect else []
    headline = HEADLINES[judgement.verdict]
    if judgement.verdict == CONDITIONAL and not judgement.met:
        headline = headline.replace("Met", "Met on average", 1)
    return {
        "verdict": judgement.verdict,
        "met": judgement.met,
        "on_average": judgement.on_average,
        "survives": judgement.survives,
        "condition": unless,
        "others_considered": judgement.others_considered,
        "headline": f"{headline}, {unless}" if unless and judgement.verdict == CONDITIONAL else headline,
        "sentences": [*_of_limits(rows, cases), *unheard, *_assumed(rows, cases), *_of_cases(judgement, cases)],
    }


def _of_limits(rows: Sequence[dict[str, Any]], cases: Sequence[Facts]) -> list[str]:
    """One sentence for each verdict that limits have."""
    if not rows:
        return ["No limits were set, so there is no verdict."]
    of = {name: [row for row in rows if row["verdict"] == name] for name in (MET, NOT_MET, ON_AVERAGE, None)}
    few = [row for row in of[ON_AVERAGE] if row["shown"]["interval"] == wording.NONE]
    reached = [row for row in of[ON_AVERAGE] if row not in few]
    past = "the 95% interval reaches past the limit"
    chance = "there were too few redraws for an interval, and another draw may be past the limit"
    groups = (
        (rows, f"Met: {len(of[MET])} of {wording.several(len(rows), 'limit')}"),
        (of[NOT_MET], f"Not met: {_numbers(of[NOT_MET], cases)}"),
        (reached, f"Met on average only: for {_names(reached)}, {past}"),
        (few, f"Met on average only: for {_names(few)}, {chance}"),
        (of[None], f"Not assessed: {_names(of[None])}"),
    )
    return [f"{sentence}." for which, sentence in groups if which]


def _assumed(rows: Sequence[dict[str, Any]], cases: Sequence[Facts]) -> list[str]:
    """The number of the cases as assumed, if it is met: a limit that is not met is stated before."""
    row = next((row for row in rows if cases and row["metric"] == cases[0]["metric"]), None)
    return [as_assumed(cases[0], row["words"], row["shown"]["asks"])] if row and row["on_average"] else []


def _of_cases(judgement: Judgement, cases: Sequence[Facts]) -> list[str]:
    """Name the cases that break a limit that is met as assumed, plausible ones first; or state that none does."""
    if judgement.survives is None:
        return []
    tried, beyond = ([row for row in cases[1:] if row["plausible"] is plausible] for plausible in (True, False))
    broken = [row for row in tried if row["verdict"] == NOT_MET]
    far = [row for row in beyond if row["verdict"] == NOT_MET]
    sentences = [told(row) for row in broken[:MOST_TOLD]]
    if judgement.survives:
        sentences = [
            f"Every limit that is met stays met on average in all {len(tried)} plausible cases that were tried."
        ]
    if far:
        sentences.append(
            f"Beyond what is plausible it is not met in {wording.several(len(far), 'case')}, listed below."
        )
    return sentences


def survival(judgement: Judgement) -> str:
    """Whether the verdict holds under other assumptions, in words."""
    if not judgement.on_average:
        why = {"none": "no limits were set", "open": "the verdict is open"}
        return f"does not apply: {why.get(judgement.verdict, 'a requirement is not met as it is')}"
    answers: dict[bool | None, str] = {
        True: "yes, on average in every plausible case that was tried",
        False: "no, see the cases that break it",
    }
    return answers.get(judgement.survives, "no requirement depends on what is assumed about the others")


def _names(rows: Sequence[dict[str, Any]]) -> str:
    return wording.listed([row["words"] for row in rows])


def _numbers(rows: Sequence[dict[str, Any]], cases: Sequence[Facts]) -> str:
    people = {case["metric"]: f", {case['shown']['people']} of {case['shown']['n']}" for case in cases[:1]}
    texts = [
        f"{row['words']} is {row['shown']['value']}{people.get(row['metric'], '')}; the limit is {row['shown']['asks']}"
        for row in rows[:MOST_TOLD]
    ]
    more = len(rows) - len(texts)
    return "; ".join([*texts, f"and {wording.count(more)} more, below"] if more else texts)


def others(scenario: Scenario) -> str:
    """Whether releases of others were considered, in one sentence."""
    theirs = [hospital for hospital in scenario.hospitals[1:] if hospital.origin_name != OWN]
    real, all_others = sum(hospital.upload is not None for hospital in theirs), len(theirs)
    if not theirs:
        return "No releases of others were considered: my release was attacked together with my own table of counts."
    if not real:
        sources = {hospital.origin for hospital in theirs}
        taken = {
            frozenset({"resampled"}): "the other hospitals are assumed to be like mine",
            frozenset({"simulated"}): (
                "the table is divided among all hospitals, as in the papers, so my real release is larger than the "
                "one attacked here, and usually exposes more"
            ),
        }.get(frozenset(sources), "what the other hospitals publish is simulated or modelled")
        return f"No releases of others were considered: {taken}; none of their data was seen."
    if real == all_others:
        return f"Real data of {wording.several(real, 'other hospital')} was considered."
    return (
        f"Real data of {wording.count(real)} of {wording.several(all_others, 'other hospital')} was considered; the "
        "rest is simulated or modelled."
    )

"""The verdict in words: what is met, whether it survives being wrong, and whether others were considered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.base import words
from core.base.metrics import MET, NOT_MET, ON_AVERAGE
from core.decision.review import Judgement
from core.decision.scenario.scenario import Scenario
from core.report.rounding import HIDDEN

MOST_TOLD = 3
"""Requirements that a sentence names one by one; the table below has all of them."""
HEADLINES = {MET: "Met", ON_AVERAGE: "Met on average only", NOT_MET: "Not met", "open": "Open", "none": "No limits set"}


def verdict_of(judgement: Judgement) -> str:
    """One of the three verdicts, ``"open"`` and, without requirements, ``"none"``."""
    return judgement.verdict


def verdict(judgement: Judgement, rows: Sequence[dict[str, Any]], scenario: Scenario) -> dict[str, Any]:
    """The verdict with its sentences.

    Parameters
    ----------
    judgement
        What was found.
    rows
        The requirements as they are told; output of :func:`core.report.facts.requirements`.
    scenario
        Who else publishes.
    """
    name = verdict_of(judgement)
    return {
        "verdict": name,
        "met": judgement.met,
        "on_average": judgement.on_average,
        "survives": judgement.survives,
        "others_considered": judgement.others_considered,
        "headline": HEADLINES[name],
        "sentences": [
            *_of_limits(name, rows),
            *([words.without_effect(judgement.without_effect)] if judgement.without_effect else []),
            *_of_doubts(name, rows),
            others(scenario),
        ],
    }


def _of_limits(name: str, rows: Sequence[dict[str, Any]]) -> list[str]:
    if name == "none":
        return ["No limits were set, so there is no verdict."]
    many = words.several(len(rows), "requirement")
    failed = [row for row in rows if row["verdict"] == NOT_MET]
    absent = [row for row in rows if row["verdict"] is None]
    if name == MET:
        sentences = [f"{'The one requirement is' if len(rows) == 1 else f'All {many} are'} met."]
    elif name == ON_AVERAGE:
        which = "The one requirement is" if len(rows) == 1 else f"All {many} are"
        sentences = [f"{which} met, but not {'' if len(rows) == 1 else 'every one '}with the whole interval."]
    elif name == "open" and not absent:
        sentences = [f"None of {many} is broken, but a file of another hospital takes no part in that."]
    elif name == "open":
        sentences = [f"Of {many}, {len(absent)} could not be assessed ({_names(absent)}); none of the others fails."]
    else:
        sentences = [f"Of {many}, {len(failed)} {'is' if len(failed) == 1 else 'are'} not met: {_numbers(failed)}."]
        if absent:
            sentences.append(f"Not assessed: {_names(absent)}.")
    average = [row for row in rows if row["verdict"] == ON_AVERAGE]
    reached = [row for row in average if row["shown"]["interval"] != words.NONE]
    if reached:
        sentences.append(f"Met on average only: for {_names(reached)}, the 95 % interval reaches past the limit.")
    few = [row for row in average if row not in reached]
    if few:
        sentences.append(
            f"Met on average only: for {_names(few)}, there were too few redraws for an interval, and another draw "
            "may be past the limit."
        )
    return sentences


def _of_doubts(name: str, rows: Sequence[dict[str, Any]]) -> list[str]:
    tried = [row for row in rows if row["on_average"] and row["survives"] is not None]
    if name == "none" or not tried:
        return []
    broken = [row for row in tried if not row["survives"]]
    if not broken:
        return ["Every limit that is met stays met on average over all that was tried under What if I am wrong."]
    worst = words.listed([f"{row['words']} would be {_worst(row)} ({row['worst_at']})" for row in broken])
    return [f"Not every limit that is met stays met if the assumptions are wrong: {worst}."]


def _worst(row: dict[str, Any]) -> str:
    worst = str(row["shown"]["worst"])
    return "past its limit" if worst in (words.NONE, HIDDEN) else worst


def survival(judgement: Judgement) -> str:
    """Whether the verdict survives being wrong, in words."""
    name = verdict_of(judgement)
    if name not in (MET, ON_AVERAGE):
        unheard = "a file of another hospital takes nothing away from anybody"
        why = {
            "none": "no limits were set",
            "open": unheard if judgement.without_effect else "a requirement was not assessed",
        }
        return f"does not apply: {why.get(name, 'a requirement is not met as it is')}"
    answers: dict[bool | None, str] = {
        True: "yes, on average over the whole range that was tried",
        False: "no, see the worst values of the requirements",
    }
    return answers.get(judgement.survives, "no requirement depends on what is assumed of the others")


def _names(rows: Sequence[dict[str, Any]]) -> str:
    return words.listed([row["words"] for row in rows])


def _numbers(rows: Sequence[dict[str, Any]]) -> str:
    texts = [
        f"{row['words']} is {row['shown']['value']}, the limit is {row['shown']['asks']}" for row in rows[:MOST_TOLD]
    ]
    more = len(rows) - len(texts)
    return "; ".join([*texts, f"and {words.count(more)} more, below"] if more else texts)


def others(scenario: Scenario) -> str:
    """Whether releases of others were considered, in one sentence."""
    real, all_others = len(scenario.uploads), len(scenario.hospitals) - 1
    if not real:
        sources = {hospital.source for hospital in scenario.hospitals[1:]}
        taken = {
            frozenset({"resampled"}): "the other hospitals are assumed to be like mine",
            frozenset({"simulated"}): (
                "the table is dealt out to all hospitals, as in the papers, so my real release is larger than the "
                "one attacked here, and mostly exposes more"
            ),
        }.get(frozenset(sources), "what the other hospitals publish is simulated or modelled")
        return f"No releases of others were considered: {taken}; nothing of theirs was seen."
    if real == all_others:
        return f"Real data of {words.several(real, 'other hospital')} was considered."
    return (
        f"Real data of {words.count(real)} of {words.several(all_others, 'other hospital')} was considered; the "
        "rest is simulated or modelled."
    )

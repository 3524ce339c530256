"""The verdict in words: what is met, whether it survives being wrong, and whether others were considered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.report import words
from core.review import Judgement
from core.scenario import Scenario

HEADLINES = {"met": "Met", "not met": "Not met", "open": "Open", "none": "No limits set"}


def verdict_of(judgement: Judgement) -> str:
    """One of ``"met"``, ``"not met"``, ``"open"`` and, without requirements, ``"none"``."""
    if not judgement.checks:
        return "none"
    return {True: "met", False: "not met", None: "open"}[judgement.met]


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
        "survives": judgement.survives,
        "others_considered": judgement.others_considered,
        "headline": HEADLINES[name],
        "sentences": [*_of_limits(name, rows), *_of_doubts(name, rows), others(scenario)],
    }


def _of_limits(name: str, rows: Sequence[dict[str, Any]]) -> list[str]:
    if name == "none":
        return ["No limits were set, so there is nothing to be met: the numbers speak for themselves."]
    many = words.several(len(rows), "requirement")
    failed = [row for row in rows if row["met"] is False]
    absent = [row for row in rows if row["met"] is None]
    if name == "met":
        said = [f"{'The one requirement is' if len(rows) == 1 else f'All {many} are'} met."]
    elif name == "open":
        said = [f"Of {many}, {len(absent)} could not be assessed ({_names(absent)}); none of the others fails."]
    else:
        said = [f"Of {many}, {len(failed)} {'is' if len(failed) == 1 else 'are'} not met: {_numbers(failed)}."]
        if absent:
            said.append(f"Not assessed: {_names(absent)}.")
    reached = [row for row in rows if row["met"] and row["interval_met"] is False]
    if reached:
        said.append(f"Met on average only: for {_names(reached)}, the range of 95 % of redraws reaches past the limit.")
    return said


def _of_doubts(name: str, rows: Sequence[dict[str, Any]]) -> list[str]:
    tried = [row for row in rows if row["met"] and row["survives"] is not None]
    if name == "none" or not tried:
        return []
    broken = [row for row in tried if not row["survives"]]
    if not broken:
        return ["What is met stays met over the whole range that was tried under What if I am wrong."]
    worst = words.listed([f"{row['words']} would be {_worst(row)} ({row['worst_at']})" for row in broken])
    return [f"Not all that is met stays met if the assumptions are wrong: {worst}."]


def _worst(row: dict[str, Any]) -> str:
    return "past its limit" if row["worst"] is None else str(row["shown"]["worst"])


def survival(judgement: Judgement) -> str:
    """Whether the verdict survives being wrong, in words."""
    name = verdict_of(judgement)
    if name != "met":
        why = {"none": "no limits were set", "open": "a requirement was not assessed"}
        return f"does not apply: {why.get(name, 'a requirement is not met as it is')}"
    said: dict[bool | None, str] = {
        True: "yes, over the whole range that was tried",
        False: "no, see the worst values of the requirements",
    }
    return said.get(judgement.survives, "no requirement depends on what is assumed of the others")


def _names(rows: Sequence[dict[str, Any]]) -> str:
    return words.listed([row["words"] for row in rows])


def _numbers(rows: Sequence[dict[str, Any]]) -> str:
    return "; ".join(f"{row['words']} is {row['shown']['value']}, asked for {row['shown']['asks']}" for row in rows)


def others(scenario: Scenario) -> str:
    """Whether releases of others were considered, in one sentence."""
    real, all_others = len(scenario.uploads), len(scenario.hospitals) - 1
    if not real:
        return (
            "No releases of others were considered: what the other organisations publish is simulated or modelled, "
            "nothing of theirs was seen."
        )
    if real == all_others:
        return f"Real data of {words.several(real, 'other organisation')} was considered."
    return (
        f"Real data of {words.count(real)} of {words.several(all_others, 'other organisation')} was considered; the "
        "rest is simulated or modelled."
    )

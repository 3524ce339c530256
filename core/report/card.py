"""The card of a decision on one screen: exposure, baseline, cost and what they depend on.

The page of the decision shows it, and it is the first page of a report. The scale decides the precision of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from core.base import wording
from core.decision.review import Assessment, assumed_values, plausible_ranges
from core.decision.scenario.scenario import Scenario
from core.report.assumption import Assumption, by_subject
from core.report.cases import worst_overlap
from core.report.facts import setting
from core.report.rounding import Facts, Scale
from core.study.uploads import Foreign, Upload

OTHERWISE = ("overlap", "policy", "same_value_rate", "located", "present", "known")
"""Conditions of a verdict in addition to the cases, the most doubtful first; published columns always count."""
DEPENDS_ON = 3


def card(
    assessment: Assessment,
    assumptions: Sequence[Assumption],
    files: Mapping[Upload, Foreign],
    doubts: pd.DataFrame | None,
    cases: Sequence[Facts],
    scale: Scale,
) -> Facts:
    """Write the card of an assessment.

    Parameters
    ----------
    assessment
        Output of :func:`core.decision.review.assess`.
    assumptions
        Output of :func:`core.report.assumptions` for its scenario.
    files
        The uploads as read.
    doubts
        Output of :func:`core.decision.review.doubts`; ``None`` if it was not run.
    cases
        Output of :func:`core.report.cases.case_rows`.
    scale
        Precision of the numbers.

    Returns
    -------
    dict
        Sentences: ``exposed``, ``baseline``, ``cost``, ``depends_on`` (several), ``untried``.
    """
    loss = scale.number("loss", assessment.numbers.get("loss")).text
    return {
        "exposed": _exposed(assessment, scale),
        "baseline": _baseline(assessment, scale),
        "cost": f"Detail of the quasi-identifiers lost (information loss): {loss}.",
        "depends_on": _depends_on(assessment, assumptions, cases),
        "untried": _untried(assessment, files, doubts, scale),
    }


def _exposed(assessment: Assessment, scale: Scale) -> str:
    number = assessment.numbers.get("one_value_left")
    if number is None:
        return f"Exposure has no number: {assessment.not_assessed.get('one_value_left', 'it was not assessed')}"
    share = scale.number("one_value_left", number).text
    many = share if scale.external else f"{wording.headcount(number.value * number.n)} ({share})"
    span = scale.interval(number)[2]
    sentence = f"Of {scale.many(number).text}, {many} would be left with a single sensitive value"
    sentence += f" (95% interval {span})." if span != wording.NONE else "."
    right = assessment.numbers.get("one_value_left_correct")
    if right is not None and abs(right.value - number.value) > 1e-12:
        sentence += f" For {scale.number('one_value_left_correct', right).text} it is their own value."
    return sentence


def _baseline(assessment: Assessment, scale: Scale) -> str:
    number, named = assessment.numbers.get("one_value_left"), assessment.numbers.get("weighted_hit")
    sentences = []
    if number is not None and number.single is not None:
        sentences.append(
            f"With only the most revealing single release it would be {scale.share(number.single, number.n).text}."
        )
    if named is not None and named.guess is not None:
        guess = scale.share(named.guess, named.people or named.n).text
        sentences.append(
            f"Naming the most common value for everyone is right for {guess}. Using the releases is right for "
            f"{scale.number('weighted_hit', named).text}."
        )
    return " ".join(sentences) or "Nothing was assessed to compare it with."


def _depends_on(assessment: Assessment, assumptions: Sequence[Assumption], cases: Sequence[Facts]) -> list[str]:
    """List what exposure depends on: files without effect, the worst overlap, and the assumptions.

    Assumptions about published columns affect exposure as much as any other, so they are never left out.
    """
    stated = by_subject(assumptions)
    reasons = [wording.without_effect(assessment.without_effect)] if assessment.without_effect else []
    reasons += [stated[subject] for subject in OTHERWISE if subject in stated][:DEPENDS_ON]
    reasons.append(worst_overlap(cases))
    return [reason for reason in (*reasons, stated.get("published", "")) if reason]


def _untried(assessment: Assessment, files: Mapping[Upload, Foreign], doubts: pd.DataFrame | None, scale: Scale) -> str:
    """Which assumptions were tried, and which cannot be."""
    scenario = assessment.scenario
    unknown = any(not (upload in files and files[upload].linked) for upload in scenario.uploads)
    file = " Who is in a file without a common identifier could not be tried." if unknown else ""
    if doubts is None:
        return f"No other assumptions about others were tried yet.{file}"
    tried = [name for name in wording.ASSUMPTIONS if name in set(doubts["assumption"])]
    missing = [wording.ASSUMPTIONS[name].lower() for name in wording.ASSUMPTIONS if name not in tried]
    sentence = f"{len(tried)} of {len(wording.ASSUMPTIONS)} assumptions about others could be tried"
    sentence += f"; {wording.listed(missing)} could not." if missing else ", one at a time; combinations can be worse."
    return sentence + _not_reached(scenario, doubts, scale) + file


def _not_reached(scenario: Scenario, doubts: pd.DataFrame, scale: Scale) -> str:
    """Plausible ends, set by the decision makers, that this table cannot reach."""
    short = []
    for name, (low, high) in plausible_ranges(scenario).items():
        tried = [*doubts.loc[doubts["assumption"] == name, "value"], *assumed_values(scenario.study)[name]]
        chosen = getattr(scenario.plausible, name.replace(" ", "_")) is not None
        if chosen and (low < min(tried) or high > max(tried)):
            ends = " to ".join(setting(name, end, scale) for end in (min(tried), max(tried)))
            short.append(f"{wording.ASSUMPTIONS[name].lower()} only from {ends}")
    return f" This table reaches {wording.listed(short)}; the plausible range is wider." if short else ""

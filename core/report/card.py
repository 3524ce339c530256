"""The card of a decision on one screen: exposure, baseline, cost and what they depend on.

The page of the decision shows it, and it is the first page of a report. The scale decides how
exactly numbers are told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.base import wording
from core.decision.review import Assessment
from core.report import facts
from core.report.assumption import Assumption, by_subject
from core.report.rounding import Facts, Scale
from core.study.uploads import Foreign, Upload

SUBJECTS = {"overlap": "overlap", "their k": "policy", "same_value_rate": "same_value_rate", "releases": "releases"}
"""Subject of each range of *What if my assumptions are wrong?*, as a report words it."""
OTHERWISE = ("overlap", "policy", "published", "same_value_rate", "located", "present", "known")
"""Assumptions named if nothing was tried, the most doubtful first."""
HANGS_ON = 3


def card(
    assessment: Assessment,
    assumptions: Sequence[Assumption],
    files: Mapping[Upload, Foreign],
    doubts: pd.DataFrame | None,
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
        What the uploads became.
    doubts
        Output of :func:`core.decision.review.doubts`; ``None`` if it was not run.
    scale
        How exactly numbers are told.

    Returns
    -------
    dict
        Sentences: ``exposed``, ``baseline``, ``cost``, ``hangs_on`` (three, and what leads further), ``untried``.
    """
    loss = scale.number("loss", assessment.numbers.get("loss")).text
    return {
        "exposed": _exposed(assessment, scale),
        "baseline": _baseline(assessment, scale),
        "cost": f"Detail of the quasi-identifiers lost (information loss): {loss}.",
        "hangs_on": _hangs_on(assessment, assumptions, doubts, scale),
        "untried": _untried(assessment, files, doubts),
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


def _hangs_on(
    assessment: Assessment, assumptions: Sequence[Assumption], doubts: pd.DataFrame | None, scale: Scale
) -> list[str]:
    """The strongest influence on exposure, and the assumption about published columns, which matters as much as any.

    Files that take nothing away come first, then the assumptions that move it, then those that are most in doubt.
    """
    stated = by_subject(assumptions)
    published_text = stated.get("published", "")
    reasons = [wording.without_effect(assessment.without_effect)] if assessment.without_effect else []
    for name, part in _widest(doubts):
        sentence = stated.pop(SUBJECTS[name], "")
        if sentence:
            ends = (part["one_value_left"].min(), part["one_value_left"].max())
            low, high = (scale.share(float(end), int(part["n"].min())).text for end in ends)
            first, last = (facts.setting(name, value, scale) for value in (part["value"].min(), part["value"].max()))
            reasons.append(
                f"{sentence} With {_from_to(first, last)} instead, {_from_to(low, high)} of the shared people "
                "would be left with a single sensitive value."
            )
    reasons += [stated[subject] for subject in OTHERWISE if subject in stated]
    reasons = reasons[:HANGS_ON]
    return reasons + [published_text] * (published_text not in ("", *reasons))


def _from_to(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _widest(doubts: pd.DataFrame | None) -> list[tuple[str, pd.DataFrame]]:
    """Assumptions that were tried, with their rows, the most influential first."""
    if doubts is None or doubts["one_value_left"].isna().all():
        return []
    rows_of = {name: doubts[doubts["assumption"] == name] for name in doubts["assumption"].unique()}
    return sorted(rows_of.items(), key=lambda tried: -np.nan_to_num(np.ptp(tried[1]["one_value_left"])))


def _untried(assessment: Assessment, files: Mapping[Upload, Foreign], doubts: pd.DataFrame | None) -> str:
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
    return sentence + file

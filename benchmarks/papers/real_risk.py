"""The estimate of Sattar and Helal beside what simulated hospitals really do to each other.

The hospitals of a study are drawn and anonymised; the estimate sees the first release alone, the real risk sees both
[Sattar 2018, §IV].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from core.base.arrays import Progress
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded
from core.forecast import Question, forecast, real_risk
from core.release.release import Release
from core.study.hospitals import Study
from core.study.one_run import Outcome, run_study, seeds
from core.study.redraws import Redraws
from core.study.vary import at_value


def compare_with_real(
    encoded: Encoded,
    study: Study,
    ks: Sequence[int],
    question: Question | None = None,
    redraws: Redraws | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Estimated and real risk of the first hospital against k [Sattar 2018, Figures 1-3].

    Parameters
    ----------
    encoded
        The table that plays the city.
    study
        Hospitals, their overlap and size; the second is the other hospital.
    ks
        Values of k, at every hospital.
    question
        The publisher's l and C; all else of it follows from the hospitals.
    redraws
        Draws of the hospitals, one by default; numbers are means over them.
    progress
        Called with the share done; an exception it raises cancels.

    Returns
    -------
    DataFrame
        One row a k: ``k, classes, shared_classes`` (with a shared person), ``estimated,
        estimated_subset`` (Def. 7 in both readings), ``estimated_joint`` (at least l, with the
        region probability of the first hospital's own records), ``real_all`` (Eq. 1), ``real_shared``
        (over classes with a shared person), ``breached`` (shared people with fewer than l
        values left).
    """
    if not len(ks):
        raise ParameterError("Give at least one k.", parameter="ks")
    ask, draws = question or Question(), redraws or Redraws()
    rows: list[dict[str, float]] = []
    for number, draw in enumerate(seeds(draws.seed, draws.repeats)):
        for place, k in enumerate(ks):
            outcome = run_study(encoded, at_value(study, "k", int(k)), draw)
            rows.append({"k": int(k), **_both(outcome, study.overlap, ask.l, ask.confidence)})
            if progress is not None:
                progress((number + (place + 1) / len(ks)) / draws.repeats)
    frame = pd.DataFrame(rows)
    means = [frame[frame["k"] == k].mean() for k in dict.fromkeys(int(k) for k in ks)]
    return pd.DataFrame(means).astype({"k": int}).reset_index(drop=True)


def _two(outcome: Outcome) -> tuple[Release, Release]:
    """Return the first two releases of a study whose hospitals are drawn from the table."""
    mine, other = (release.release for release in outcome.releases[:2])
    if mine is None or other is None:
        raise ParameterError(
            "The estimate is judged against hospitals whose records are known; leave out uploaded releases.",
            parameter="study",
        )
    return mine, other


def _both(outcome: Outcome, overlap: int, l: int, confidence: float) -> dict[str, float]:  # noqa: E741
    mine, other = _two(outcome)
    people = np.arange(mine.encoded.leading(overlap))
    real = real_risk(mine, other, (people, people), l)
    # From the own release and the own records: the worst case of the paper.
    estimate = forecast(mine, others=len(other.encoded), l=l, confidence=confidence)
    joint = forecast(mine, None, len(other.encoded), l, confidence, joint=True)
    return {
        "classes": mine.classes.count,
        "shared_classes": int(np.count_nonzero(real.shared)),
        "estimated": estimate.risk().value,
        "estimated_subset": estimate.risk("every subset").value,
        "estimated_joint": joint.risk().value,
        "real_all": real.over_all.value,
        "real_shared": real.over_shared.value,
        "breached": real.breached.value,
    }


def protocol(records: int, overlaps: Sequence[int], hospital: Any) -> list[Study]:
    """Studies of [Sattar 2018, §IV]: two disjoint samples of equal size, given the same extra people.

    Parameters
    ----------
    records
        Rows of the table at hand; the samples take what the largest overlap leaves.
    overlaps
        People given to both.
    hospital
        A :class:`~core.study.hospitals.Hospital` that both follow.
    """
    base = (records - max(overlaps)) // 2
    two_alike = Study((hospital, hospital), max(overlaps))
    return [replace(two_alike, overlap=overlap, size=base + overlap) for overlap in overlaps]

"""The forecast beside what simulated hospitals really do to each other.

The hospitals of a study are drawn and anonymised; the forecast sees the first release alone,
the real risk sees both [Sattar 2018, §IV].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from core.arrays import Floats, Ints, Progress
from core.data.encoding import Encoded
from core.errors import ParameterError
from core.forecast.another import another_like
from core.forecast.estimate import Forecast, forecast
from core.forecast.expected import expected
from core.forecast.real import real_risk
from core.forecast.search import Question
from core.release.release import Release
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.run import Outcome, run_study, seeds
from core.study.vary import at_value


def beside_real(
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
        values left), ``expected, expected_low, expected_high`` (the calibrated forecast),
        ``pinned`` (the first pinning estimate, mean over the shared people), ``really_pinned``
        (shared people with one value left).
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
            "A forecast is judged against hospitals whose records are known; leave out uploaded releases.",
            parameter="study",
        )
    return mine, other


def _both(outcome: Outcome, overlap: int, l: int, confidence: float) -> dict[str, float]:  # noqa: E741
    mine, other = _two(outcome)
    people = np.arange(mine.encoded.leading(overlap))
    real = real_risk(mine, other, (people, people), l)
    # From the own release and the own records: the worst case of the paper.
    estimate = forecast(mine, others=len(other.encoded), l=l, confidence=confidence)
    estimated, left = person_estimates(estimate, mine, people)
    shared = min(overlap, len(other.encoded))
    # Told what the other asks and how it forms classes, as the forecast of a scenario is.
    alike = (other.policy, other.algorithm.name) == (mine.policy, mine.algorithm.name)
    there = (
        None if alike else another_like(mine.encoded, other.policy, shared, len(other.encoded), other.algorithm.name)
    )
    then = expected(mine, shared, len(other.encoded), another=there)
    return {
        "expected": then.share,
        "expected_low": then.low,
        "expected_high": then.high,
        "classes": mine.classes.count,
        "shared_classes": int(np.count_nonzero(real.shared)),
        "estimated": estimate.risk().value,
        "estimated_subset": estimate.risk("every subset").value,
        "estimated_joint": forecast(mine, None, len(other.encoded), None, l, confidence, joint=True).risk().value,
        "real_all": real.over_all.value,
        "real_shared": real.over_shared.value,
        "breached": real.breached.value,
        "pinned": float(estimated.mean()),
        "really_pinned": float((real.left == 1).mean()),
        "left": float(left.mean()),
        "really_left": float(real.left[real.left > 0].mean()) if (real.left > 0).any() else 0.0,
    }


def person_estimates(estimate: Forecast, release: Release, people: Ints) -> tuple[Floats, Floats]:
    """(people,) pinning estimate and expected values left of some input rows of a release; NaN if in no class.

    Of persons with several rows, in order of first appearance: those of the row that is
    likeliest to be pinned, and that leaves fewest.
    """
    values = release.encoded.sensitive.size
    key = estimate.histogram.owner * values + estimate.histogram.value
    secret = np.zeros(release.inputs, dtype=np.int64)
    secret[release.position] = release.encoded.secret
    label = release.labels[people]
    where = np.searchsorted(key, np.maximum(label, 0) * values + secret[people])
    where = np.minimum(where, len(key) - 1)
    nothing = np.where(label >= 0, 0.0, np.nan)
    pinned, left = estimate.pinned[where] + nothing, estimate.left[where] + nothing
    if release.encoded.person is None:
        return pinned, left
    person = np.full(release.inputs, -1, dtype=np.int64)
    person[release.position] = release.encoded.whose
    _, first, number = np.unique(person[people], return_index=True, return_inverse=True)
    most, least = np.full(len(first), np.nan), np.full(len(first), np.nan)
    np.fmax.at(most, number, pinned)
    np.fmin.at(least, number, left)
    return most[np.argsort(first)], least[np.argsort(first)]


def calibration(
    encoded: Encoded, study: Study, groups: int = 10, repeats: int = 5, seed: int = 0, progress: Progress | None = None
) -> pd.DataFrame:
    """Judge the pinning estimate by decile: the estimated beside the simulated share.

    Parameters
    ----------
    encoded, study, repeats, seed, progress
        As :func:`beside_real`; people of all draws are taken together.
    groups
        Parts of about equally many people, by rising estimate.

    Returns
    -------
    DataFrame
        One row a part: ``part, people, estimated`` (mean probability that one value is left),
        ``simulated`` (share with one value left), ``low, high`` (least and largest of the
        draws), ``left, really_left`` (mean values left, expected and simulated). A part whose
        estimates are all the same may be larger than the others.
    """
    if groups < 1 or repeats < 1:
        raise ParameterError("Give at least one part and one draw.", parameter="groups")
    draws_of: list[Any] = []
    for number, draw in enumerate(seeds(seed, repeats)):
        outcome = run_study(encoded, study, draw)
        mine, other = _two(outcome)
        people = np.arange(mine.encoded.leading(study.overlap))
        estimate = forecast(mine, others=len(other.encoded))
        pinned, left = person_estimates(estimate, mine, people)
        real = real_risk(mine, other, (people, people)).left
        draws_of.append((pinned, left, real, np.full(len(real), number)))
        if progress is not None:
            progress((number + 1) / repeats)
    pinned, left, real, which = (np.concatenate(column) for column in zip(*draws_of, strict=True))
    known = ~np.isnan(pinned) & (real > 0)
    pinned, left, real, which = pinned[known], left[known], real[known], which[known]
    edges = np.unique(np.quantile(pinned, np.linspace(0, 1, groups + 1)[1:-1]))
    part = np.searchsorted(edges, pinned, side="left")
    rows: list[dict[str, float]] = []
    for number in np.unique(part):
        mine_ = part == number
        shares = [float((real[mine_ & (which == draw)] == 1).mean()) for draw in np.unique(which[mine_])]
        rows.append(
            {
                "part": len(rows) + 1,
                "people": int(mine_.sum()),
                "estimated": float(pinned[mine_].mean()),
                "simulated": float((real[mine_] == 1).mean()),
                "low": min(shares),
                "high": max(shares),
                "left": float(left[mine_].mean()),
                "really_left": float(real[mine_].mean()),
            }
        )
    return pd.DataFrame(rows)


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


def rank_correlation(first_values: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation, ties at their mean rank; NaN where one side is all the same."""
    first, second = (pd.Series(list(side), dtype=float).rank().to_numpy() for side in (first_values, other))
    first, second = first - first.mean(), second - second.mean()
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum() / size) if size > 0 else float("nan")

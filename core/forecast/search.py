"""The forecast against k, and the smallest k, or (k, l), that keeps it under a limit.

Every row is computed by partitioning the table again; nothing is extrapolated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from core.algorithms import partition, partition_sweep
from core.arrays import Progress
from core.data.encoding import Encoded
from core.data.marginals import Marginals
from core.errors import InfeasibleError, ParameterError
from core.forecast.another import Another, another_like, kin_of, people_among
from core.forecast.estimate import Forecast, forecast
from core.forecast.expected import Expected, expected
from core.forecast.ground import Ground
from core.forecast.likeness import surroundings
from core.privacy.policy import Policy
from core.release.algorithm import DEFAULT
from core.release.release import Release
from core.release.utility import gcp


@dataclass(frozen=True)
class Question:
    """What is asked of every forecast of a comparison.

    Parameters
    ----------
    population, others, other_class_sizes, l, confidence, joint
        As for :func:`core.forecast.forecast`; ``other_class_sizes`` one number or None.
    shared
        P of :func:`core.forecast.expected`; nothing is expected of shared people where it is
        ``None``.
    policy, algorithm
        What the other hospital asks of its release, and how it forms classes; as the release asked
        about where it is ``None``.
    """

    population: Marginals | None = None
    others: int | None = None
    other_class_sizes: float | None = None
    l: int = 2  # noqa: E741
    confidence: float = 0.9
    joint: bool = False
    shared: int | None = None
    policy: Policy | None = None
    algorithm: str | None = None

    def of(self, release: Release) -> Forecast:
        """Ask it of one release."""
        return forecast(
            release, self.population, self.others, self.other_class_sizes, self.l, self.confidence, joint=self.joint
        )

    def another(self, release: Release, ground: Ground | None = None) -> Another | None:
        """Make up the other hospital; ``None`` where nobody is shared or its class size is given."""
        if self.shared is None or self.other_class_sizes is not None:
            return None
        policy = release.policy if self.policy is None else self.policy
        how, people = self.algorithm or release.algorithm.name, self.people(release)
        return another_like(release.encoded, policy, people, self.others, how, ground=ground)

    def people(self, release: Release) -> int:
        """Shared people, as far as both tables have so many."""
        assert self.shared is not None
        mine = release.encoded.people
        theirs = mine if self.others is None else people_among(release.encoded, self.others)
        return max(1, min(self.shared, mine, theirs))

    def expected(
        self, release: Release, another: Another | None = None, ground: Ground | None = None
    ) -> Expected | None:
        """Expect of one release how many shared people are left with one value; ``None`` where nobody is shared.

        ``another`` is the other hospital where several releases of one table meet the same
        one, ``ground`` are the coarse classes of that table.
        """
        if self.shared is None:
            return None
        ground = Ground(release.encoded) if ground is None else ground
        there = self.another(release, ground) if another is None else another
        size = self.other_class_sizes
        return expected(release, self.people(release), self.others, size, self.population, there, ground)


def numbers(estimate: Forecast, loss: float, then: Expected | None = None) -> dict[str, float]:
    """The shares of one forecast, side by side with its loss.

    ``expected``, ``expected_low`` and ``expected_high``: shared people expected to be left
    with one value, and the band, where ``then`` is given. ``risk`` and ``people``: vulnerable
    classes and people in them, at least l common; ``risk_subset``, ``people_subset``: the
    same, every l-subset; ``pinned``, ``left``: the first pinning estimate and the expected
    values left; ``loss``: GCP; ``classes``.
    """
    share = {} if then is None else {"expected": then.share, "expected_low": then.low, "expected_high": then.high}
    return {
        **share,
        "risk": estimate.risk().value,
        "people": estimate.people().value,
        "risk_subset": estimate.risk("every subset").value,
        "people_subset": estimate.people("every subset").value,
        "pinned": estimate.pinned_share,
        "left": estimate.left_mean,
        "loss": loss,
        "classes": estimate.classes,
    }


MEASURES = ("expected", "risk", "people", "risk_subset", "people_subset", "pinned")
"""What a limit can be set for; all are shares, lower is safer. The first needs the shared people."""


@dataclass(frozen=True)
class Goal:
    """What a search is to stay under.

    Parameters
    ----------
    limit
        Share from 0 to 1 that must not be exceeded.
    measure
        One of :data:`MEASURES`.
    most, most_l
        Largest k and l to try.

    Raises
    ------
    ParameterError
        With the field at fault.
    """

    limit: float
    measure: str = "people"
    most: int = 100
    most_l: int = 6

    def __post_init__(self) -> None:
        """Refuse what cannot be searched."""
        if not 0 <= self.limit <= 1:
            raise ParameterError("The limit must be a share from 0 to 1.", parameter="limit")
        if self.measure not in MEASURES:
            raise ParameterError(f"measure must be one of {', '.join(MEASURES)}.", parameter="measure")
        if self.most < 2:
            raise ParameterError("The largest k to try must be at least 2.", parameter="most")

    def met(self, row: Mapping[str, Any]) -> bool:
        """Whether a row of numbers stays under the limit."""
        return bool(row[self.measure] <= self.limit + 1e-12)

    def of(self, question: Question | None) -> Question:
        """The question without what the measure does not need; refused where it lacks what is needed."""
        ask = question or Question()
        if self.measure == "expected" and ask.shared is None:
            raise ParameterError("What is expected of shared people needs their number.", parameter="shared")
        return ask if self.measure == "expected" else replace(ask, shared=None)


def forecast_curve(
    encoded: Encoded,
    policy: Policy,
    ks: Sequence[int],
    question: Question | None = None,
    algorithm: str = DEFAULT,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Forecast of the table's releases against k, one row a k.

    Columns ``k`` and those of :func:`numbers`. All k of plain k-anonymity are partitioned in
    one pass.
    """
    ask = question or Question()
    ground = _ground(encoded, ks, ask)
    frames = []
    for done, chunk in enumerate(chunks := _chunks(list(dict.fromkeys(ks)))):
        frames += _rows(ground, policy, chunk, ask, algorithm)
        if progress is not None:
            progress((done + 1) / len(chunks))
    return pd.DataFrame(frames)


def _chunks(ks: Sequence[int]) -> list[Sequence[int]]:
    """Few values at first, then more: a search that ends early has done little."""
    chunks, start, size = [], 0, 4
    while start < len(ks):
        chunks.append(ks[start : start + size])
        start, size = start + size, min(16, size * 2)
    return chunks


def _ground(encoded: Encoded, ks: Sequence[int], question: Question) -> Ground:
    """Coarse classes that the forecasts of several k need, in one pass; none where nobody is shared."""
    ground = Ground(encoded)
    if question.shared is not None:
        kin = [kin_of(int(k), encoded.people) for k in (ks if question.policy is None else [question.policy.k])]
        ground.classes([*surroundings(encoded.people), *kin])
    return ground


def _rows(
    ground: Ground, policy: Policy, ks: Sequence[int], question: Question, algorithm: str
) -> list[dict[str, float]]:
    releases = partition_sweep(ground.encoded, [replace(policy, k=int(k)) for k in ks], algorithm)
    # Where the other's policy is known, all my releases meet the same hospital.
    another = None if question.policy is None else question.another(releases[0], ground)
    return [
        {"k": int(k), **_numbers(question, release, another, ground)} for k, release in zip(ks, releases, strict=True)
    ]


def _numbers(question: Question, release: Release, another: Another | None, ground: Ground) -> dict[str, float]:
    return numbers(question.of(release), gcp(release), question.expected(release, another, ground))


# ---- the smallest k, the smallest (k, l) --------------------------------------------------


@dataclass(frozen=True, eq=False)
class Search:
    """Outcome of looking for the least that stays under a limit.

    Parameters
    ----------
    tried
        All settings tried, with the columns of :func:`numbers` and ``k``, ``l``, ``meets``.
    best
        Rows of ``tried`` that meet the limit and that no other row meets with both a smaller
        k and a smaller l; one row at most where only k was varied.
    measure, limit
        What had to stay under what.
    """

    tried: pd.DataFrame
    best: pd.DataFrame
    measure: str
    limit: float

    @property
    def any_met(self) -> bool:
        """Whether any setting that was tried meets the limit."""
        return bool(len(self.best))

    @property
    def slips_back(self) -> bool:
        """Whether a larger k that was tried, with the same l, is above the limit again."""
        for row in self.best.itertuples():
            larger = self.tried[(self.tried["l"] == row.l) & (self.tried["k"] > row.k)]
            if not larger["meets"].all():
                return True
        return False


def smallest_k(
    encoded: Encoded,
    policy: Policy,
    goal: Goal,
    question: Question | None = None,
    algorithm: str = DEFAULT,
    progress: Progress | None = None,
) -> Search:
    """Find the smallest k whose forecast is at most a limit, and what it costs.

    Parameters
    ----------
    encoded, policy
        The table, and what is asked beside k.
    goal
        What is not to be exceeded.
    question
        How the forecast is asked for.
    progress
        Called with the share done; an exception it raises cancels the search.

    Returns
    -------
    Search
        Every k from 2 on is tried until one meets the limit, so the answer is the smallest
        although the forecast need not fall with k (a larger k is another partition, not a
        merger of the smaller one's classes). The next few k are tried as well:
        ``slips_back`` says whether the limit is exceeded there again.
    """
    ask = goal.of(question)
    rows: list[dict[str, Any]] = []
    ground = Ground(encoded)
    last = min(goal.most, encoded.people)
    for chunk in _chunks(range(2, last + 1)):
        curve_rows = _rows(ground, policy, chunk, ask, algorithm)
        rows += [{**row, "l": _l_of(policy), "meets": goal.met(row)} for row in curve_rows]
        if progress is not None:
            progress(min(1.0, len(rows) / max(1, last - 1)))
        if any(row["meets"] for row in rows):
            break
    return _search(rows, goal)


def smallest_k_and_l(
    encoded: Encoded,
    policy: Policy,
    goal: Goal,
    question: Question | None = None,
    algorithm: str = DEFAULT,
    progress: Progress | None = None,
) -> Search:
    """Find, for each l from 1 up, a smallest k whose forecast is at most a limit.

    ``policy`` says what is asked beside k and distinct l. k is found by halving, which takes
    for granted that the forecast falls with k; it need not, so a smaller k may have been
    missed. Larger l only look below the k already found. See :func:`smallest_k`.
    """
    ask = goal.of(question)
    rows: list[dict[str, Any]] = []
    ground = Ground(encoded)
    top = min(goal.most, encoded.people)
    for place, diversity in enumerate(range(1, goal.most_l + 1)):
        base = replace(policy, l=diversity if diversity > 1 else None, diversity="distinct", c=None)

        def try_k(k: int, base: Policy = base, diversity: int = diversity) -> bool:
            release = partition(encoded, replace(base, k=k), algorithm)
            row: dict[str, Any] = {"k": k, **_numbers(ask, release, None, ground), "l": diversity}
            row["meets"] = goal.met(row)
            rows.append(row)
            return goal.met(row)

        try:
            smallest = _halved(try_k, 2, top)
        except InfeasibleError:
            break
        if progress is not None:
            progress((place + 1) / goal.most_l)
        if smallest is not None:
            top = smallest
        if top == 2 and smallest is not None:
            break
    if progress is not None:
        progress(1.0)
    return _search(rows, goal)


def _halved(good: Callable[[int], bool], low: int, high: int) -> int | None:
    """Smallest whole number that is good if all above a good one are good; None if the largest is not."""
    if high < low or not good(high):
        return None
    while low < high:
        middle = (low + high) // 2
        if good(middle):
            high = middle
        else:
            low = middle + 1
    return high


def _l_of(policy: Policy) -> float:
    return 1.0 if policy.l is None else float(policy.l)


def _search(rows: list[dict[str, Any]], goal: Goal) -> Search:
    tried = pd.DataFrame(rows).sort_values(["l", "k"], ignore_index=True)
    good = tried[tried["meets"]]
    best = [
        row
        for row in good.itertuples()
        if not ((good["k"] <= row.k) & (good["l"] <= row.l) & ((good["k"] < row.k) | (good["l"] < row.l))).any()
    ]
    return Search(tried, tried.loc[[row.Index for row in best]].reset_index(drop=True), goal.measure, goal.limit)

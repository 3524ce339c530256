"""Settings of my release to choose among, and what each comes to without any attack."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from core.algorithms import partition_sweep
from core.arrays import Progress
from core.data.encoding import Encoded
from core.data.marginals import Marginals
from core.errors import ParameterError, PolicyError
from core.measurement import measure
from core.metrics import MET, METRICS
from core.privacy.model import switched
from core.privacy.policy import Policy
from core.release.algorithm import ALGORITHMS, for_one_publisher
from core.release.query_error import query_error
from core.release.release import Release
from core.release.utility import gcp
from core.review.assessment import Number, anticipated, guaranteed
from core.scenario.scenario import Scenario
from core.study.hospitals import Hospital

KS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100)
LS = (None, 2, 3, 4, 6)
FOLLOWERS = ("resampled", "simulated", "independent", "conditional")
"""Sources of hospitals that can be asked to do as I do; files are what they are."""
GUARANTEED = ("k", "distinct_l", "entropy_l", "t", "m")
ANTICIPATED = ("forecast", "dp_ceiling")


@dataclass(frozen=True)
class Setting:
    """What is varied: my algorithm, k, l in the kind of diversity of the scenario (None: no l), and t (None: no t).

    ``more`` has the first parameter of every further model, in the same way.
    """

    algorithm: str
    k: int
    l: float | None  # noqa: E741
    t: float | None
    more: tuple[tuple[str, float | None], ...] = ()


def further() -> tuple[str, ...]:
    """Symbols of the models beside k, l and t that are tried."""
    return tuple(model.symbol for model in switched() if model.symbol not in ("l", "t"))


def plain(algorithm: str, k: int) -> Setting:
    """Return the setting that asks for k alone."""
    return Setting(algorithm, k, None, None, tuple((symbol, None) for symbol in further()))


def _setting_of(release: Release) -> Setting:
    """Return the setting that a release was made under."""
    policy = release.policy
    return Setting(
        release.algorithm.name,
        policy.k,
        policy.l,
        policy.t,
        tuple((symbol, policy.values[symbol]) for symbol in further()),
    )


@dataclass(frozen=True)
class Grid:
    """What is tried, in every combination.

    Parameters
    ----------
    ks, ls, ts
        Values of k, l and t; ``None`` in ``ls`` and ``ts`` asks for no l or t. By default k
        from 2 to 100 as far as my hospital has twice as many people, l from none to 6 in the
        kind of diversity of the scenario, as far as the table has so many sensitive values,
        and the present t; the present k and l are among them.
    algorithms
        Of my release; those of one publisher by default.
    more
        Values of the first parameter of further models, by symbol; the present ones by default.
    """

    ks: Sequence[int] | None = None
    ls: Sequence[float | None] | None = None
    ts: Sequence[float | None] | None = None
    algorithms: Sequence[str] | None = None
    more: Mapping[str, Sequence[float | None]] = field(default_factory=dict)

    def settings(self, encoded: Encoded, scenario: Scenario) -> list[Setting]:
        """Every combination, without repeats.

        Raises
        ------
        ParameterError
            If an algorithm is unknown, or nothing is to be tried.
        """
        mine, ks, ls = scenario.mine.policy, self.ks, self.ls
        ts = (mine.t,) if self.ts is None else self.ts
        algorithms = for_one_publisher() if self.algorithms is None else self.algorithms
        unknown = next((name for name in algorithms if name not in ALGORITHMS), None)
        if unknown is not None or not algorithms:
            raise ParameterError(f"algorithms must be among {', '.join(ALGORITHMS)}.", parameter="algorithms")
        if ks is None:
            most = scenario.study.size_of(0, encoded.people) // 2
            ks = sorted({*(k for k in KS if k <= most), mine.k})
        if ls is None:
            values = int(np.count_nonzero(encoded.overall))
            ls = _in_order({*(wanted for wanted in LS if wanted is None or wanted <= values), mine.l})
        if not (ks and ls and ts):
            raise ParameterError("Give at least one k, l and t to try; None stands for no l or t.", parameter="ks")
        others = [[(symbol, value) for value in self.more.get(symbol, (mine.values[symbol],))] for symbol in further()]
        settings = [
            Setting(name, int(k), wanted, t, rest)
            for name in algorithms
            for rest in product(*others)
            for wanted in ls
            for t in ts
            for k in ks
        ]
        return list(dict.fromkeys(settings))


def _in_order(values: Iterable[float | None]) -> list[float | None]:
    return sorted(values, key=lambda value: -math.inf if value is None else value)


def at(scenario: Scenario, setting: Setting, alike: bool) -> Scenario:
    """Return the scenario with my release as the setting says and, if alike, the simulated others' k, l and t."""
    mine = _policy(scenario.mine.policy, setting, scenario.mine.policy)
    first = replace(scenario.mine, policy=mine, algorithm=setting.algorithm)
    others = (
        replace(hospital, policy=_policy(hospital.policy, setting, mine)) if alike and follows(hospital) else hospital
        for hospital in scenario.hospitals[1:]
    )
    return scenario.with_(hospitals=(first, *others))


def follows(hospital: Hospital) -> bool:
    """Whether a hospital can be asked to do as I do."""
    return hospital.source in FOLLOWERS


def _policy(base: Policy, setting: Setting, kinds: Policy) -> Policy:
    plain = setting.l is None
    return replace(
        base,
        k=setting.k,
        l=setting.l,
        diversity="distinct" if plain else kinds.diversity,
        c=None if plain else kinds.c,
        t=setting.t,
        distance=kinds.distance,
        more=kinds.with_(**dict(setting.more)).more,
    )


def releases_of(
    encoded: Encoded, policies: Sequence[Policy], algorithm: str, progress: Progress | None = None
) -> list[Release | str]:
    """Release one table under several policies; what cannot be met gives the reason instead."""
    try:
        return list(partition_sweep(encoded, policies, algorithm, progress))
    except PolicyError as error:
        if len(policies) == 1:
            return [error.message]
    return [releases_of(encoded, [policy], algorithm, progress)[0] for policy in policies]


def alike_key(release: Release) -> Hashable:
    """Equal for releases of one table that publish the same."""
    return release.algorithm.name, release.classes.labels.tobytes()


class Counted:
    """Numbers of my releases that need no attack: those asked for, and the loss; equal releases are measured once.

    Parameters
    ----------
    scenario
        Whose limits are asked.
    marginals
        As for :func:`core.review.assess`.
    alike
        Whether the simulated others do as each release does.
    """

    def __init__(self, scenario: Scenario, marginals: Marginals | None, alike: bool) -> None:
        self._scenario, self._marginals, self._alike = scenario, marginals, alike
        self._asked = set(scenario.requirements.asked)
        self._known: dict[Hashable, dict[str, float]] = {}
        self._certain: dict[Hashable, bool] = {}
        self._losses: dict[Hashable, float] = {}
        self._limits = scenario.requirements.asked

    def of(self, release: Release) -> dict[str, float]:
        """Numbers by metric; the error of counts, which is slow, only where all other limits are met.

        Raises
        ------
        ParameterError
            If a limit is set for a number that cannot be had.
        """
        key = alike_key(release)
        if key not in self._known:
            self._known[key] = self._count(release)
        return self._known[key]

    def certain(self, release: Release) -> bool:
        """Whether these numbers meet their limits with their whole intervals, not on average only."""
        self.of(release)
        return self._certain[alike_key(release)]

    def loss(self, release: Release) -> float:
        """Information loss alone."""
        key = alike_key(release)
        if key not in self._losses:
            self._losses[key] = gcp(release)
        return self._losses[key]

    def _count(self, release: Release) -> dict[str, float]:
        numbers: dict[str, Number] = {}
        absent: dict[str, str] = {}
        if self._asked & set(GUARANTEED):
            published = release.publish(self._scenario.seed, self._scenario.schema.person)
            guarantee = measure(published, self._scenario.schema, self._scenario.mine.policy.distance)
            numbers, absent = guaranteed(release, guarantee)
        if self._asked & set(ANTICIPATED):
            scenario = at(self._scenario, _setting_of(release), self._alike)
            numbers |= anticipated(release, scenario, self._marginals, absent)
        for name in self._asked & set(absent):
            raise ParameterError(
                f"The limit for {name} cannot be tried. {absent[name]} Take the limit away or give what is missing.",
                parameter=name,
            )
        self._certain[alike_key(release)] = all(
            number.verdict(name, self._limits[name]) == MET for name, number in numbers.items() if name in self._asked
        )
        values = {name: number.value for name, number in numbers.items() if name in self._asked}
        values["loss"] = self.loss(release)
        if "query_error" in self._asked and not broken(values, self._limits):
            values |= self.error_of_counts(release)
        return values

    def error_of_counts(self, release: Release) -> dict[str, float]:
        """The error of counts alone, if it has a limit."""
        if "query_error" not in self._asked:
            return {}
        return {"query_error": query_error(release, seed=self._scenario.seed).absolute}


def broken(values: Mapping[str, float], limits: Mapping[str, float]) -> list[str]:
    """Limits that the numbers break, as far as these are known, in the order of the metrics."""
    return [
        name
        for name in METRICS
        if name in limits and name in values and not METRICS[name].meets(values[name], limits[name])
    ]


def miss(name: str, value: float, limit: float) -> float:
    """By how much a number is on the bad side of a limit, in its own unit; 0 where it is met."""
    metric = METRICS[name]
    return 0.0 if metric.meets(value, limit) else abs(value - limit)


def weight(name: str, limit: float) -> float:
    """What a miss is divided by to be added to others: 1 for shares and distances, else the limit itself."""
    return 1.0 if METRICS[name].kind == "share" or name == "t" else max(limit, 1.0)

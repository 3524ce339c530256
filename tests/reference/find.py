"""The setting that costs least, by assessing every single one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.data.encoding import Encoded
from core.errors import CompositionError
from core.review import Case, assess
from core.scenario.scenario import Scenario
from core.study.uploads import Foreign, Upload

SHARES_AND_DISTANCES = {
    "t",
    "perfect",
    "perfect_right",
    "breach",
    "breach_right",
    "weighted",
    "weighted_right",
    "hit",
    "weighted_hit",
    "forecast",
    "dp_ceiling",
    "loss",
}
LESS_IS_BETTER = {*SHARES_AND_DISTANCES, "query_error"}


@dataclass(frozen=True)
class Tried:
    """One setting: its scenario and numbers, ``None`` where it cannot be had."""

    scenario: Scenario
    numbers: dict[str, float] | None
    misses: dict[str, float]
    certain: bool = False

    @property
    def meets(self) -> bool:
        return self.numbers is not None and not self.misses

    def enough(self, on_average: bool) -> bool:
        """Whether it meets every limit, with its whole intervals unless the average will do."""
        return self.meets and (on_average or self.certain)


def every_setting(
    encoded: Encoded,
    scenario: Scenario,
    ks: Sequence[int],
    ls: Sequence[float | None],
    ts: Sequence[float | None],
    algorithms: Sequence[str],
    alike: bool,
    files: Mapping[Upload, Foreign] | None = None,
) -> list[Tried]:
    return [
        one(encoded, scenario, algorithm, k, l, t, alike, files)
        for algorithm in algorithms
        for l in ls  # noqa: E741
        for t in ts
        for k in ks
    ]


def one(
    encoded: Encoded,
    scenario: Scenario,
    algorithm: str,
    k: int,
    l: float | None,  # noqa: E741
    t: float | None,
    alike: bool,
    files: Mapping[Upload, Foreign] | None,
) -> Tried:
    first, *others = scenario.hospitals
    mine = replace(first, algorithm=algorithm, policy=replace(first.policy, k=k, l=l, t=t))
    if alike:
        others = [
            h
            if h.upload is not None
            else replace(h, policy=replace(h.policy, k=k, l=l, t=t, diversity=first.policy.diversity, c=first.policy.c))
            for h in others
        ]
    asked = scenario.with_(hospitals=(mine, *others))
    try:
        found = assess(Case(encoded, asked, files)).numbers
        numbers = {name: number.value for name, number in found.items()}
    except CompositionError:
        return Tried(asked, None, {})
    misses, certain = {}, True
    for name, limit in scenario.requirements.asked.items():
        far = numbers[name] - limit if name in LESS_IS_BETTER else limit - numbers[name]
        if far > 1e-12:
            misses[name] = far
        end = found[name].high if name in LESS_IS_BETTER else found[name].low
        if end is None:
            certain &= found[name].redraws is None
        else:
            certain &= end <= limit + 1e-12 if name in LESS_IS_BETTER else end >= limit - 1e-12
    return Tried(asked, numbers, misses, certain)


def best(tried: Sequence[Tried], on_average: bool = True) -> Tried | None:
    good = [entry for entry in tried if entry.enough(on_average)]
    return min(good, key=cost) if good else None


def nearest(tried: Sequence[Tried], limits: dict[str, float]) -> Tried | None:
    def total(entry: Tried) -> float:
        return sum(far / (1 if n in SHARES_AND_DISTANCES else max(limits[n], 1)) for n, far in entry.misses.items())

    had = [entry for entry in tried if entry.numbers is not None]
    return min(had, key=lambda entry: (round(total(entry), 12), *cost(entry))) if had else None


def cost(entry: Tried) -> tuple[float, int]:
    assert entry.numbers is not None
    return entry.numbers["loss"], entry.scenario.mine.policy.k

"""My release of the whole table, and its measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core import Release, Scenario
from core.algorithms import partition
from core.base.arrays import Codes, Progress
from core.decision import review
from core.measurement import Guarantee
from core.release.remeasured import remeasured
from pages.shared.compute.cache import cached
from pages.shared.compute.data_results import data_key, encoded_as
from pages.shared.state import session


@dataclass(frozen=True, eq=False)
class MyRelease:
    """My release of the whole table, measured from what would be published."""

    release: Release
    guarantee: Guarantee


def my_release(progress: Progress | None = None, scenario: Scenario | None = None) -> MyRelease:
    """Release the whole table under my policy, or that of another scenario, and measure it."""
    scenario = session.scenario() if scenario is None else scenario
    mine = scenario.mine

    def make() -> MyRelease:
        release = my_classes(progress, scenario)
        return MyRelease(release, remeasured(release, scenario.schema, scenario.seed))

    return cached(("mine", *data_key(scenario), mine.policy, mine.algorithm), make)


def my_classes(
    progress: Progress | None = None, scenario: Scenario | None = None, classes: Codes | None = None
) -> Release:
    """My release of the whole table before it is measured; ``classes`` (records,) if a worker formed them."""
    scenario = session.scenario() if scenario is None else scenario
    policy, how, records = scenario.mine.policy, scenario.mine.algorithm, encoded_as(scenario.schema)

    def make() -> Release:
        if classes is None:
            return partition(records, policy, how, progress)
        return Release.of(records, classes, policy, how)

    return cached(("my classes", *data_key(scenario), policy, how), make)


def most_colluding() -> int | None:
    """Largest m for which my release withstands coalitions of m providers.

    -1 for none, ``None`` if m is not required.
    """
    release = my_release().release
    if release.policy.m is None:
        return None
    return cached(("most colluding", *release_key()), lambda: review.most_colluding(release))


# ---- the release page --------------------------------------------------------------------


def release_key() -> tuple[Any, ...]:
    """Cache key of my release: the same key means the same classes with the same numbers."""
    mine = session.mine()
    return ("mine", *data_key(), mine.policy, mine.algorithm)

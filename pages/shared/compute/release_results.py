"""My release of the whole table, and its measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core import Release, Scenario, Table, attack_versions
from core.algorithms import partition
from core.attack.updates import Update
from core.base.arrays import Codes, Progress
from core.decision import review
from core.measurement import Guarantee
from core.release.remeasured import remeasured
from core.study.kept_classes import KeptClasses
from core.study.table_versions import kept_or_refused
from pages.shared.compute.cache import cached, is_cached
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

    def make() -> MyRelease:
        release = my_classes(progress, scenario)
        return MyRelease(release, remeasured(release, scenario.schema, scenario.seed))

    return cached(_key_of(scenario), make)


def is_made() -> bool:
    """Whether the present release is computed."""
    return is_cached(_key_of(session.scenario()))


def _key_of(scenario: Scenario) -> tuple[Any, ...]:
    return ("mine", *data_key(scenario), scenario.mine.policy, scenario.mine.algorithm)


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


_COMPARED = "update compared"


def compare_versions(earlier: Table, names: tuple[str, ...], knows: str) -> tuple[Update, KeptClasses | None, str]:
    """Attack the difference to an earlier version; the release with its classes, or why there is none."""
    workspace, mine = session.workspace(), session.mine()
    assert isinstance(workspace.data, Table)
    versions = (earlier, workspace.data, workspace.schema, mine.policy, mine.algorithm, names)
    key = (earlier.content_id, *release_key())
    update = cached(("update", *key, knows), lambda: attack_versions(*versions, knows))
    kept, refused = cached(("earlier classes", *key), lambda: kept_or_refused(*versions))
    st.session_state[_COMPARED] = release_key(), update, kept
    return update, kept, refused


def compared_versions() -> tuple[Update | None, KeptClasses | None]:
    """The last comparison with an earlier version, if it is that of the present setting."""
    key, *compared = st.session_state.get(_COMPARED, (None, None, None))
    update, kept = compared if key == release_key() else (None, None)
    return update, kept


# ---- the release page --------------------------------------------------------------------


def release_key() -> tuple[Any, ...]:
    """Cache key of my release: the same key means the same classes with the same numbers."""
    mine = session.mine()
    return ("mine", *data_key(), mine.policy, mine.algorithm)

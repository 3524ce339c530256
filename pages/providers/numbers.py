"""Results of core for the Providers page, cached for the session."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from core import Policy, Release
from core.base.arrays import Progress
from core.data.encoding.encoded import Encoded
from core.privacy.coalitions import Constraint, Group, Verdict, breach, coalition_table, contributions, learned
from core.study.provider_cost import METHODS, Pooled, pool
from pages.shared.compute import cache, data_results, release_results
from pages.shared.state import session

MINE = "mine"
RELEASES = {MINE: "My release", **METHODS}
"""Choices for a closer look: my release, and every method that supports m."""


def key() -> tuple[Any, ...]:
    """What the pooled records depend on."""
    return ("pooled", *data_results.data_key(), bool(session.get("pool_drop")))


def pooled() -> Encoded:
    """The session's records with providers; those without one are left out if that was chosen."""
    return cache.cached(key(), _pooled)


def _pooled() -> Encoded:
    """Compute :func:`pooled`."""
    encoded = data_results.encoded()
    encoded.need_rows("Who contributed which record")
    if session.get("pool_drop") and encoded.provider is not None and encoded.provider.missing >= 0:
        assert encoded.provider_code is not None
        encoded = encoded.take(np.flatnonzero(encoded.provider_code != encoded.provider.missing))
    return encoded


def present(encoded: Encoded) -> int:
    """Providers with at least one record, those without a name left out."""
    if encoded.provider_code is None or encoded.provider is None:
        return 0
    sources = np.unique(encoded.provider_code)
    return len(sources[sources != encoded.provider.missing])


def policy() -> Policy:
    """Requirements for the rest of every class: k and distinct l of my release, for m colluding providers."""
    mine = session.mine().policy
    values = mine.l if mine.diversity == "distinct" and mine.l else 1
    return Policy(mine.k, l=values, m=int(session.get("my_m")))


def release_key(method: str) -> tuple[Any, ...]:
    """What a release of this page depends on."""
    return ("pool", *release_results.release_key(), *key()) if method == MINE else ("pool", method, policy(), *key())


def made(method: str, progress: Progress | None = None) -> Pooled:
    """One release of the pooled records, with its query error."""
    mine = session.mine()
    wanted, algorithm = (mine.policy, mine.algorithm) if method == MINE else (policy(), method)
    return cache.cached(release_key(method), lambda: pool(pooled(), wanted, algorithm, progress=progress))


def classes(method: str) -> pd.DataFrame:
    """Every class of a release against coalitions of m, the worst first: those that fail, then by others left."""
    wanted = policy()
    assert wanted.m is not None
    full = ("coalition table", wanted.m, *release_key(method))
    return cache.cached(full, lambda: _classes(made(method).release, wanted, wanted.m or 0))


def _classes(release: Release, wanted: Policy, m: int) -> pd.DataFrame:
    return coalition_table(release, m, wanted).sort_values(["private", "left", "class"], ignore_index=True)


def verdict(method: str) -> Verdict:
    """Whether a release withstands m providers; if not, what they learn in the worst class."""
    worst = classes(method).iloc[0]
    return one_class(method, int(worst["class"])).verdict


@dataclass(frozen=True, eq=False)
class OneClass:
    """One class, the names of its contributors, and what the strongest coalition of m learns there."""

    number: int
    group: Group
    names: tuple[str, ...]
    verdict: Verdict


def one_class(method: str, number: int) -> OneClass:
    """One class of a release against the strongest coalition of m."""
    wanted = policy()
    assert wanted.m is not None
    full = ("one class", number, wanted.m, *release_key(method))
    return cache.cached(full, lambda: _one_class(made(method).release, number, wanted, wanted.m or 0))


def _one_class(release: Release, number: int, wanted: Policy, m: int) -> OneClass:
    constraint = Constraint(replace(wanted, m=None), release.encoded.sensitive, release.encoded.overall)
    group = contributions(release.encoded, release.classes, constraint).group(number)
    assert release.encoded.provider is not None
    names = tuple(release.encoded.provider.labels[code] for code in group.providers)
    coalition = breach(group, m)
    if coalition is None:
        return OneClass(number, group, names, Verdict(True, m))
    members = tuple(names[i] for i in coalition)
    codes = tuple(int(group.providers[i]) for i in coalition)
    answer = Verdict(False, m, number, codes, members, learned(group, coalition, release.encoded.sensitive))
    return OneClass(number, group, names, answer)


def adopt(method: str) -> None:
    """Make a method that supports m the algorithm of my release."""
    encoded, workspace = pooled(), session.workspace()
    if session.get("pool_drop"):
        session.load(workspace.table.take(encoded.rows), workspace.schema, workspace.name, roles=workspace.roles)
    session.put("my_algorithm", method)
    session.put("collusion", True)

"""Results of core that several tests of the pages need, made once in a process.

A session remembers results under all that they depend on: the content of the table, the part of the scenario that
matters. Every test opens sessions of its own, most of them on the city or on the small table, and would have the same
study redrawn ten times for each. A key that lacked something would show here as the number of another test.

Tests of one process share them by a patch of the session's own store; those of the browser by a server that
`tests/browser/remembering.py` starts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

from core.base.metrics import METRICS
from core.measurement import MEASURES
from core.privacy.model import MODELS
from core.release.algorithm import ALGORITHMS
from pages.shared.compute import cache

KINDS = frozenset(
    {
        "assessment",
        "beliefs",
        "cautions",
        "class rows",
        "curve",
        "doubts",
        "encoded",
        "forecast",
        "forecast curve",
        "headline",
        "judged",
        "mine",
        "missing",
        "outcome",
        "uniqueness",
    }
)
"""What core computes without chance of its own: no file that is read, no noise that is drawn, no report.

Nothing with a limit that a test sets lower, as the cuts one by one have."""
WHERE_NOTHING_IS_SET = KINDS | {
    "attributes",
    "coalition table",
    "anonymity_set",
    "hold queries",
    "mine at",
    "my classes",
    "noise attack",
    "noise errors",
    "noise queries",
    "noise subtraction",
    "noise targets",
    "pool",
    "pool curve",
    "pooled",
    "verdict",
}
"""The same for a server, whose limits no test can reach; what is drawn has its seed in the key."""
MOST = 150

_known: OrderedDict[Any, Any] = OrderedDict()


def declared() -> tuple[tuple[str, ...], ...]:
    """What a test may have added to: the sorts of things that core knows."""
    return tuple(tuple(sort) for sort in (METRICS, MEASURES, MODELS, ALGORITHMS))


def share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sessions of the test take results from the tests before it."""
    monkeypatch.setattr(cache, "cached", shared(cache.cached, KINDS))


def shared(own: Callable[..., Any], kinds: frozenset[str]) -> Callable[..., Any]:
    """Return what a session remembers by, results of some kinds being made once for all sessions of the process."""

    def cached(key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        return own(key, lambda: _made_once(key, make)) if key[0] in kinds else own(key, make)

    return cached


def _made_once(key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    full = (declared(), *key)
    if full not in _known:
        _known[full] = make()
        while len(_known) > MOST:
            _known.popitem(last=False)
    _known.move_to_end(full)
    return _known[full]

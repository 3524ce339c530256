"""What the page asks of core, kept like every other result of the session."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from core import Policy
from core.base.arrays import Progress
from core.data.encoding import Encoded
from core.data.marginals import Marginals
from core.forecast import Forecast, Question, forecast_curve
from core.release.algorithm import ALGORITHMS
from pages.shared import results, session, turns
from pages.shared.population import file
from pages.shared.results import data_key

GRID_K = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
FEW_K = (5, 10, 25, 50, 100)
MANY_ROWS = 100_000
"""Records, or distinct rows of a tally, beyond which the curve has few values of k."""


def read(content: bytes, progress: Callable[[float], None] | None = None) -> Marginals:
    """Read population statistics against the session's table; raises InputError."""
    encoded = results.encoded()
    key = ("marginals", hashlib.sha256(content).hexdigest(), *data_key())
    return results.remembered(key, lambda: Marginals.read(content, encoded, progress))


def population() -> Marginals:
    """Return the population statistics in use: those of the file where one was chosen, else the table's."""
    given = file()
    if session.get("forecast_source") == "file" and given is not None:
        return read(given.content)
    encoded = results.encoded()
    return results.remembered(("marginals", *data_key()), lambda: Marginals.of(encoded))


def question() -> Question:
    """What is asked of every release, as chosen on the page."""
    return Question(
        population(),
        results.encoded().records if session.get("forecast_same") else int(session.get("forecast_others")),
        int(session.get("forecast_l")),
        float(session.get("forecast_c")),
        session.get("forecast_source") == "joint",
    )


def _asked() -> tuple[Any, ...]:
    ask, given = question(), file()
    source = given.digest if session.get("forecast_source") == "file" and given is not None else "table"
    return (source, ask.joint, ask.others, ask.l, ask.confidence)


def present() -> Forecast:
    """Sattar & Helal's estimate of the present release."""
    release, ask = results.my_release().release, question()
    return results.remembered(("forecast", *results.release_key(), *_asked()), lambda: ask.of(release))


def _mine() -> tuple[Encoded, Policy, str]:
    mine = session.scenario().mine
    return results.encoded(), mine.policy, mine.algorithm


def grid() -> tuple[int, ...]:
    """Values of k of the curve; fewer where each costs much. The present k is one of them."""
    encoded, policy, algorithm = _mine()
    quick = policy.only_k and ALGORITHMS[algorithm].one_pass and len(encoded) <= MANY_ROWS
    ks = session.and_large(GRID_K if quick else FEW_K)
    return tuple(sorted({k for k in (*ks, policy.k) if k <= max(2, encoded.people // 2)}))


def curve(progress: Progress | None = None) -> pd.DataFrame:
    """The estimate against k."""
    encoded, policy, algorithm = _mine()
    ask, ks = question(), grid()
    return results.remembered(
        ("forecast curve", *data_key(), replace(policy, k=2), algorithm, ks, *_asked()),
        lambda: _curve(encoded, policy, ks, ask, algorithm, progress),
    )


def _curve(
    encoded: Encoded, policy: Policy, ks: Sequence[int], ask: Question, algorithm: str, progress: Progress | None
) -> pd.DataFrame:
    """The curve; of a large table every second k in another process."""
    if encoded.people * len(ks) <= results.AT_ONCE:
        return forecast_curve(encoded, policy, ks, ask, algorithm, turns.breathing(progress))
    halves = [partial(forecast_curve, encoded, policy, ks[first::2], ask, algorithm) for first in range(2)]
    rows = pd.concat(turns.in_workers(halves, progress))
    return rows.sort_values("k", ignore_index=True)

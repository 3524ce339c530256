"""The only caches of the program: results of core, kept for one session.

Results live in the session's own state, so they end with it, and are keyed by the content
id of the data, the part of the scenario that matters and the version of core. Streamlit's
own cache is not used for them: it samples large inputs, and it would record the progress
bar of a run as part of its result. Bounded in entries and in bytes; the oldest go first.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import core
from core.base.arrays import T
from pages.shared.compute import work_queue
from pages.shared.state import session

MAX_ENTRIES = 1000
MAX_BYTES = 600_000_000


_ONE_AT_A_TIME = threading.Lock()
"""Lock for reading and changing a cache: a run ended by a newer move continues in parallel until its next check."""


@dataclass
class _Entry:
    value: Any
    size: int


def _cache() -> OrderedDict[Any, _Entry]:
    cache: OrderedDict[Any, _Entry] = st.session_state.setdefault(session.RESULTS, OrderedDict())
    return cache


def cached(key: tuple[Any, ...], make: Callable[[], T]) -> T:
    """Return the result under a key; compute and store it if it is missing."""
    cache = _cache()
    full = (core.__version__, *key)
    with _ONE_AT_A_TIME:
        if full in cache:
            cache.move_to_end(full)
            known: T = cache[full].value
            return known
    work_queue.breathe()
    value = make()
    entry = _Entry(value, memory_of(value))
    with _ONE_AT_A_TIME:
        cache[full] = entry
        cache.move_to_end(full)
        while len(cache) > MAX_ENTRIES or (sum(kept.size for kept in cache.values()) > MAX_BYTES and len(cache) > 1):
            cache.popitem(last=False)
    return value


def is_cached(key: tuple[Any, ...]) -> bool:
    """Whether a result exists already."""
    return (core.__version__, *key) in _cache()


def memory_of(value: Any, seen: set[int] | None = None) -> int:
    """Approximate bytes of the arrays inside a result: each array once, without views."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes if value.base is None else 0
    if isinstance(value, pd.DataFrame):
        return 8 * int(value.size)
    if isinstance(value, list | tuple):
        return sum(memory_of(item, seen) for item in value) if len(value) < 1000 else 100 * len(value)
    if is_dataclass(value) and not isinstance(value, type):
        return sum(memory_of(getattr(value, field.name), seen) for field in fields(value))
    return 0

"""The only caches of the program: results of core, kept for one session.

Results live in the session's own state, so they end with it, and are keyed by the content
id of the data, the part of the scenario that matters and the version of core. Streamlit's
own cache is not used for them: it samples large inputs, and it would record the progress
bar of a run as part of its result. Bounded in entries and in bytes; the oldest go first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

import core
from core import Encoded, Guarantee, Outcome, Release, Scenario
from core.anonymize.trace import Trace, trace
from core.cautions import Caution, cautions
from core.curves import at_value, sweep, what_if
from core.missing import MissingCount, count_missing
from core.proposal import Proposal, propose
from core.uniqueness import Uniqueness, uniqueness
from core.utility import Measure
from pages._ui import state

T = TypeVar("T")
Progress = Callable[[float], None]

MAX_ENTRIES = 80
MAX_BYTES = 600_000_000


@dataclass
class _Entry:
    value: Any
    size: int


def _cache() -> OrderedDict[Any, _Entry]:
    cache: OrderedDict[Any, _Entry] = st.session_state.setdefault(state.RESULTS, OrderedDict())
    return cache


def remembered(key: tuple[Any, ...], make: Callable[[], T]) -> T:
    """Return the result under a key, made and kept if it is not there."""
    cache = _cache()
    full = (core.__version__, *key)
    if full in cache:
        cache.move_to_end(full)
        known: T = cache[full].value
        return known
    value = make()
    cache[full] = _Entry(value, weigh(value))
    while len(cache) > MAX_ENTRIES or (sum(entry.size for entry in cache.values()) > MAX_BYTES and len(cache) > 1):
        cache.popitem(last=False)
    return value


def is_remembered(key: tuple[Any, ...]) -> bool:
    """Whether a result is there already."""
    return (core.__version__, *key) in _cache()


def weigh(value: Any, seen: set[int] | None = None) -> int:
    """Bytes of the arrays inside a result, each counted once."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes if value.base is None else 0
    if isinstance(value, pd.DataFrame):
        return int(value.memory_usage(deep=False).sum())
    if isinstance(value, list | tuple):
        return sum(weigh(item, seen) for item in value) if len(value) < 1000 else 100 * len(value)
    if is_dataclass(value) and not isinstance(value, type):
        return sum(weigh(getattr(value, field.name), seen) for field in fields(value))
    return 0


# ---- what is run -----------------------------------------------------------------------


def _data_key(scenario: Scenario) -> tuple[Any, ...]:
    schema = scenario.schema
    return (
        scenario.data_id,
        schema.quasi_identifiers,
        schema.sensitive,
        tuple(sorted((column, str(kind)) for column, kind in schema.kinds.items())),
        tuple(sorted(schema.taxonomies.items())),
        tuple(sorted(schema.orders.items())),
        schema.missing,
        schema.missing_tokens,
    )


def encoded() -> Encoded:
    """The session's table as codes."""
    scenario, here = state.scenario(), state.workspace()
    return remembered(("encoded", *_data_key(scenario)), lambda: core.encode(here.table, here.schema))


@dataclass(frozen=True, eq=False)
class MyRelease:
    """My release of the whole table, measured from what would be published."""

    release: Release
    guarantee: Guarantee
    utility: tuple[Measure, ...]


def my_release() -> MyRelease:
    """Release the whole table under my policy, and measure it."""
    scenario = state.scenario()
    mine = scenario.mine

    def make() -> MyRelease:
        release = core.partition(encoded(), mine.policy, mine.algorithm)
        guarantee = core.measure(release.publish(seed=scenario.seed), scenario.schema, mine.policy.distance)
        return MyRelease(release, guarantee, core.utility(release))

    return remembered(("mine", *_data_key(scenario), mine.policy, mine.algorithm), make)


def outcome() -> Outcome:
    """One draw of the study at the present setting: the people whose story is told."""
    scenario = state.scenario()
    return remembered(
        ("outcome", *_data_key(scenario), scenario.study, scenario.seed),
        lambda: core.run_study(encoded(), scenario.study, scenario.seed),
    )


CONFIDENCES = (1.0, 0.5, 0.25)


def confidences(scenario: Scenario) -> tuple[float, ...]:
    """The levels every curve shows: perfect, a half, a quarter and the chosen one."""
    return tuple(sorted({*CONFIDENCES, scenario.confidence}, reverse=True))


def curve_key(vary: str, values: Sequence[Any], repeats: int) -> tuple[Any, ...]:
    """Key of a curve: what it varies takes no part, so moving that slider costs nothing."""
    scenario = state.scenario()
    study = at_value(scenario.study, vary, values[0])
    return ("curve", *_data_key(scenario), study, vary, tuple(values), repeats, scenario.seed, confidences(scenario))


def curve(vary: str, values: Sequence[Any], repeats: int, progress: Progress | None = None) -> pd.DataFrame:
    """Breach while one thing varies."""
    scenario = state.scenario()
    frame = remembered(
        curve_key(vary, values, repeats),
        lambda: sweep(encoded(), scenario.study, vary, values, confidences(scenario), repeats, scenario.seed, progress),
    )
    # Where sizes and draws do not depend on what varies, a point of the curve is the headline.
    if vary in ("k", "my k", "their k", "l", "t"):
        points = {at_value(scenario.study, vary, value): value for value in values}
        if scenario.study in points:
            here = frame[frame["value"] == points[scenario.study]].reset_index(drop=True)
            remembered(_headline_key(scenario, repeats), lambda: here)
    return frame


def _headline_key(scenario: Scenario, repeats: int) -> tuple[Any, ...]:
    return ("headline", *_data_key(scenario), scenario.study, repeats, scenario.seed, confidences(scenario))


def headline_so_far() -> pd.DataFrame:
    """The present setting as well as it is known: over redraws where that was run, else one draw."""
    scenario = state.scenario()
    whole = is_remembered(_headline_key(scenario, scenario.repeats))
    return headline(repeats=scenario.repeats if whole else 1)


def headline(progress: Progress | None = None, repeats: int | None = None) -> pd.DataFrame:
    """The present setting over redraws: one row a confidence."""
    scenario = state.scenario()
    times = scenario.repeats if repeats is None else repeats
    return remembered(
        _headline_key(scenario, times),
        lambda: sweep(
            encoded(),
            scenario.study,
            "releases",
            [len(scenario.hospitals)],
            confidences(scenario),
            times,
            scenario.seed,
            progress,
        ),
    )


def doubts(ranges: dict[str, Sequence[Any]], progress: Progress | None = None) -> pd.DataFrame:
    """Breach over the range of each assumption."""
    scenario = state.scenario()
    frozen = tuple((name, tuple(values)) for name, values in ranges.items())
    key = ("doubts", *_data_key(scenario), scenario.study, frozen, scenario.confidence, scenario.seed)
    return remembered(
        key,
        lambda: what_if(encoded(), scenario.study, ranges, scenario.confidence, 1, scenario.seed, progress),
    )


# ---- the release page --------------------------------------------------------------------


def release_key() -> tuple[Any, ...]:
    """What my release depends on: same key, same classes with the same numbers."""
    scenario = state.scenario()
    return ("mine", *_data_key(scenario), scenario.mine.policy, scenario.mine.algorithm)


def class_rows() -> pd.DataFrame:
    """My release class by class; a missing sensitive value is not counted as distinct."""
    return remembered(("class rows", *release_key()), lambda: _class_rows(my_release().release))


def _class_rows(release: Release) -> pd.DataFrame:
    from core.exposure import class_table
    from core.models import known_distinct

    return class_table(release).assign(distinct=known_distinct(release.histogram))


@dataclass(frozen=True, eq=False)
class Narrow:
    """A release of the table cut down to one or two quasi-identifiers, class by class."""

    release: Release
    rows: pd.DataFrame


def _narrow_table(attributes: tuple[int, ...]) -> Encoded:
    whole = encoded()
    return replace(whole, qids=tuple(whole.qids[i] for i in attributes), codes=whole.codes[list(attributes)])


def narrow(attributes: tuple[int, ...]) -> Narrow:
    """Apply my policy as if these were the only quasi-identifiers."""

    def make() -> Narrow:
        mine = state.scenario().mine
        release = core.partition(_narrow_table(attributes), mine.policy, mine.algorithm)
        return Narrow(release, _class_rows(release))

    return remembered(("narrow", attributes, *release_key()), make)


def narrow_trace(attributes: tuple[int, ...]) -> Trace:
    """The cuts of :func:`narrow`, one after another."""
    policy = state.scenario().mine.policy
    return remembered(("trace", attributes, *release_key()), lambda: trace(_narrow_table(attributes), policy))


# ---- the data page -----------------------------------------------------------------------


def encoded_as(schema: core.Schema) -> Encoded:
    """The session's table as codes under another schema; the same entry once that is in force."""
    scenario, here = state.scenario(), state.workspace()
    key = ("encoded", *_data_key(scenario.with_(schema=schema)))
    return remembered(key, lambda: core.encode(here.table, schema))


def proposal(table: core.Table, missing_tokens: tuple[str, ...] | None = None) -> Proposal:
    """Roles and kinds to start from."""
    return remembered(("proposal", table.content_id, missing_tokens), lambda: propose(table, missing_tokens))


def missing_count() -> MissingCount:
    """Records of the session's table with missing values."""
    scenario, here = state.scenario(), state.workspace()
    return remembered(("missing", *_data_key(scenario)), lambda: count_missing(here.table, here.schema))


def table_cautions() -> tuple[Caution, ...]:
    """What is probably not meant in the present schema."""
    scenario, here = state.scenario(), state.workspace()
    return remembered(("cautions", *_data_key(scenario)), lambda: cautions(here.table, here.schema))


def alone() -> Uniqueness:
    """How many people are unique on the quasi-identifiers before anything is done."""
    return remembered(("uniqueness", *_data_key(state.scenario())), lambda: uniqueness(encoded()))

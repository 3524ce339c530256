"""Results that this page alone asks for: my release class by class, and of one or two of its columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core import Release
from core.algorithms import partition
from core.algorithms.mondrian.trace import Trace, trace
from core.data.classes import distinct_columns, weighted_count
from core.data.encoding import Encoded
from core.privacy.models import known_distinct
from core.release.class_table import class_table
from pages.shared import results, session


def class_rows() -> pd.DataFrame:
    """My release class by class; a missing sensitive value is not counted as distinct."""
    return results.remembered(("class rows", *results.release_key()), lambda: _class_rows(results.my_release().release))


def _class_rows(release: Release) -> pd.DataFrame:
    return class_table(release).assign(distinct=known_distinct(release.histogram))


@dataclass(frozen=True, eq=False)
class Narrow:
    """A release of the table cut down to one or two quasi-identifiers, class by class."""

    release: Release
    rows: pd.DataFrame


def _narrow_table(attributes: tuple[int, ...]) -> Encoded:
    whole = results.encoded()
    narrow = replace(whole, qids=tuple(whole.qids[i] for i in attributes), codes=whole.codes[list(attributes)])
    if narrow.weight is None:
        return narrow
    # Few columns leave few distinct rows of a tally.
    first, group, _ = distinct_columns(np.vstack([narrow.codes, narrow.secret]))
    weight = weighted_count(group, narrow.weight, len(first))
    return replace(
        narrow, codes=narrow.codes[:, first], secret=narrow.secret[first], rows=narrow.rows[first], weight=weight
    )


def narrow(attributes: tuple[int, ...]) -> Narrow:
    """Apply my policy as if these were the only quasi-identifiers."""

    def make() -> Narrow:
        mine = session.scenario().mine
        release = partition(_narrow_table(attributes), mine.policy, mine.algorithm)
        return Narrow(release, _class_rows(release))

    return results.remembered(("narrow", attributes, *results.release_key()), make)


def narrow_trace(attributes: tuple[int, ...]) -> Trace:
    """The cuts of :func:`narrow`, one after another."""
    policy = session.scenario().mine.policy
    return results.remembered(
        ("trace", attributes, *results.release_key()), lambda: trace(_narrow_table(attributes), policy)
    )

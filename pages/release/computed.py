"""Results that only this page uses: my release class by class, and on one or two of its columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from core import Release
from core.algorithms import partition
from core.data.classes import distinct_columns, weighted_count
from core.data.encoding.encoded import Encoded
from core.privacy.class_levels import fewest_distinct
from core.release.class_table import class_table
from pages.shared.compute import cache, data_results, release_results
from pages.shared.state import session


def class_rows() -> pd.DataFrame:
    """My release class by class, with the distinct values of the sensitive column that has the fewest."""
    return cache.cached(
        ("class rows", *release_results.release_key()), lambda: _class_rows(release_results.my_release().release)
    )


def _class_rows(release: Release) -> pd.DataFrame:
    return class_table(release).assign(fewest=fewest_distinct(release.histogram, release.encoded.sensitive))


def _narrow_table(attributes: tuple[int, ...]) -> Encoded:
    whole = data_results.encoded()
    narrow = replace(whole, qids=tuple(whole.qids[i] for i in attributes), codes=whole.codes[list(attributes)])
    if not narrow.counted:
        return narrow
    # Few columns leave few distinct rows of a frequency table.
    first, group, _ = distinct_columns(np.vstack([narrow.codes, narrow.sensitive_codes]))
    weight = weighted_count(group, narrow.weight, len(first))
    return replace(
        narrow,
        codes=narrow.codes[:, first],
        sensitive_codes=narrow.sensitive_codes[first],
        rows=narrow.rows[first],
        weight=weight,
    )


def narrow(attributes: tuple[int, ...]) -> Release:
    """My policy applied as if these were the only quasi-identifiers."""
    mine = session.scenario().mine
    key = ("narrow", attributes, *release_results.release_key())
    return cache.cached(key, lambda: partition(_narrow_table(attributes), mine.policy, mine.algorithm))

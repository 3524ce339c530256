"""Merge classes until l and t also hold for published columns.

The algorithms handle the sensitive attribute. If the same is required of columns published with it, a class that fails
is merged with the one that adds the least loss, until none fails. If two classes satisfy l and t, so does their union,
as for k.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Codes, Floats
from core.base.errors import InfeasibleError, PolicyError
from core.base.errors import shown_name as shown
from core.data.classes import Classes
from core.data.encoding.encoded import Encoded
from core.data.encoding.published_columns import PlainColumn
from core.privacy.model import COUNTS
from core.privacy.policy import Policy

AT_ONCE = 2_000_000
"""Number of pairs of classes whose joint cells are computed together."""


def merge_classes(encoded: Encoded, labels: Codes, policy: Policy) -> Codes:
    """Merge classes until every column that must be diverse meets the policy's requirements for values.

    Parameters
    ----------
    encoded
        The table, with its published columns.
    labels
        (records,) class of each record, -1 if it is left out.
    policy
        What every class must meet.

    Returns
    -------
    ndarray
        (records,) class; unchanged if nothing more is required. The order of classes is kept.

    Raises
    ------
    InfeasibleError
        If not even the whole table meets it, with the column.
    PolicyError
        If m is also required.
    """
    columns = [column for column in encoded.plain if column.diverse]
    models = [model for model in policy.models if model.needs == {COUNTS}]
    if not columns or not models:
        return labels
    if policy.m is not None:
        raise PolicyError(
            "m-privacy is guaranteed only for the sensitive attribute; leave out m, or the diversity of other columns.",
            parameter="m",
        )
    seen = [_as_sensitive(encoded, column) for column in columns]
    for column, other in zip(columns, seen, strict=True):
        for model in models:
            try:
                model.check_feasible(policy.values, other.as_one_class, other.sensitive)
            except InfeasibleError as error:
                raise InfeasibleError(f"In {shown(column.name)}: {error.message}", parameter=error.parameter) from None
    while (failing := _failing(seen, labels, policy, [model.symbol for model in models])).any():
        labels = _joined_once(encoded, labels, failing)
    return labels


def _as_sensitive(encoded: Encoded, column: PlainColumn) -> Encoded:
    """The table with a published column in place of the sensitive attribute."""
    domain, codes = column.coded()
    return replace(encoded, sensitive=domain, sensitive_codes=codes, plain=())


def _failing(seen: list[Encoded], labels: Codes, policy: Policy, symbols: list[str]) -> Bools:
    """(classes,) whether a class fails in some column."""
    kept, classes = np.flatnonzero(labels >= 0), int(labels.max()) + 1
    failing = np.zeros(classes, dtype=bool)
    for encoded in seen:
        histogram = encoded.histogram(labels, classes, encoded.overall_of(kept))
        for model in policy.models:
            if model.symbol in symbols:
                failing |= ~model.is_satisfied(policy.values, histogram, encoded.sensitive)
    return failing


def _joined_once(encoded: Encoded, labels: Codes, failing: Bools) -> Codes:
    """Merge every failing class with the one that adds the least loss."""
    low, high = Classes.from_labels(labels).lows_highs(encoded.codes)
    span = np.array([max(1, domain.size - 1) for domain in encoded.qids], dtype=np.float64)
    nearest = _nearest(np.flatnonzero(failing), low / span, high / span)
    root = np.arange(len(failing))
    for place, near in zip(np.flatnonzero(failing).tolist(), nearest.tolist(), strict=True):
        ends = sorted((_root(root, place), _root(root, near)))
        root[ends[1]] = ends[0]
    number = np.unique([_root(root, place) for place in range(len(root))], return_inverse=True)[1].astype(np.int32)
    return np.where(labels >= 0, number[labels], np.int32(-1)).astype(np.int32)


def _nearest(which: NDArray[np.int64], low: Floats, high: Floats) -> NDArray[np.int64]:
    """For some classes, the other class with the narrowest joint cell, summed over the columns."""
    nearest = np.empty(len(which), dtype=np.int64)
    step = max(1, AT_ONCE // len(low))
    for begin in range(0, len(which), step):
        some = which[begin : begin + step]
        width = np.zeros((len(some), len(low)))
        for column in range(low.shape[1]):
            width += np.maximum(high[some, None, column], high[None, :, column])
            width -= np.minimum(low[some, None, column], low[None, :, column])
        width[np.arange(len(some)), some] = np.inf
        nearest[begin : begin + step] = width.argmin(axis=1)
    return nearest


def _root(root: NDArray[np.int64], place: int) -> int:
    while root[place] != place:
        place = int(root[place])
    return place

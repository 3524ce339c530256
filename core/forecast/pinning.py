"""The pinning estimate: how likely a shared person is left with the own value alone.

Ours, an addition to [Sattar 2018]; see definitions §5. It is judged by its calibration, not
by its mean: see :mod:`core.forecast.against_simulation`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats
from core.classes import ClassHistogram
from core.errors import ParameterError

PRIOR_WEIGHT = 20.0
"""Records that the population counts for when the frequencies of a class are smoothed."""


def pinning(histogram: ClassHistogram, overall: Floats, size: Floats) -> tuple[Floats, Floats]:
    """Probability that only the own value survives, and expected values left, by (class, value).

    Ours, an addition [definitions §5]. ``overall`` are P(s), ``size`` (classes,) people in the
    other class, the shared person included. O(triples).
    """
    weight = histogram.count + PRIOR_WEIGHT * overall[histogram.value]
    frequency = weight / (histogram.sizes + PRIOR_WEIGHT)[histogram.owner]
    strangers = np.maximum(size - 1.0, 0.0)[histogram.owner]
    theirs = np.add.reduceat(frequency, histogram.starts)[histogram.owner] - frequency
    pinned = np.clip(1.0 - theirs, 0.0, 1.0) ** strangers
    occurs = 1.0 - (1.0 - frequency) ** strangers
    left = 1.0 + np.maximum(np.add.reduceat(occurs, histogram.starts)[histogram.owner] - occurs, 0.0)
    return pinned, left


def other_sizes(histogram: ClassHistogram, given: float | NDArray[Any] | None) -> Floats:
    """(classes,) k', people in the other class; those of the own class where nothing is given."""
    if given is None:
        return histogram.sizes.astype(np.float64)
    sizes = np.asarray(given, dtype=np.float64)
    if sizes.shape not in ((), (histogram.classes,)) or not np.isfinite(sizes).all() or sizes.min(initial=1.0) < 1:
        raise ParameterError(
            "other_class_sizes must be one number of at least 1, or one for each of the "
            f"{histogram.classes:,} classes.",
            parameter="other_class_sizes",
        )
    return np.broadcast_to(sizes, (histogram.classes,))

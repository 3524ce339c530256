"""The classes of a release as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.privacy.class_levels import distances, entropies, known_distinct
from core.release.release import Release
from core.release.utility import ncp


def class_table(release: Release) -> pd.DataFrame:
    """One row per class: its number, size, diversity, distance and loss, for browsing.

    Columns ``class_number, size, distinct, entropy_l, distance, most_common, loss``;
    ``size`` is in people; ``most_common`` is the share of them who have its most common sensitive value.
    """
    histogram = release.histogram
    largest = np.maximum.reduceat(histogram.count, histogram.starts)
    return pd.DataFrame(
        {
            "class_number": np.arange(release.classes.count),
            "size": release.sizes,
            "distinct": known_distinct(histogram),
            "entropy_l": np.exp(entropies(histogram)),
            "distance": distances(histogram, release.encoded.sensitive, release.policy.distance),
            "most_common": largest / histogram.people,
            "loss": ncp(release).mean(axis=1),
        }
    )

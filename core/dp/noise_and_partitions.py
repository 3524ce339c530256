"""Compare both kinds of guarantee on the same people: partitions and noise, release after release."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.attack.pools import TOLERANCE
from core.attack.weighted import weigh_each
from core.base.arrays import Ints, Progress
from core.data.encoding.encoded import Encoded
from core.study.adversary_views import DrawSeen, see
from core.study.draw import MAX_RELEASES
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.vary import at_value, fixed_sizes, with_drawn


@dataclass(frozen=True, eq=False)
class StudyTargets:
    """The shared people of a study, and what partitions reveal about them.

    Parameters
    ----------
    draws
        For each draw a frame with one row per number of releases: ``releases, share, single, mean, hit,
        empty, n``. They are those of the weighted adversary (:func:`core.attack.weighted.weigh`), because readers of
        noisy tables weigh values as well: ``share`` is the share of people about whom they are at least C sure,
        ``mean`` their mean confidence in the most likely value, ``hit`` how often naming it is correct.
    positions
        (P,) the shared people of the first draw, as positions in the table; if they have several records, the first of
        each, which is the one that a contingency table counts.
    """

    draws: tuple[pd.DataFrame, ...]
    positions: Ints

    @functools.cached_property
    def frame(self) -> pd.DataFrame:
        """Means over the draws, one row per number of releases."""
        means = sum(self.draws[1:], self.draws[0]) / len(self.draws)
        return means.astype({"releases": np.int64, "n": np.int64})


def partitions(
    encoded: Encoded,
    study: Study,
    confidence: float,
    most: int = MAX_RELEASES,
    seed: int = 0,
    progress: Progress | None = None,
    repeats: int = 1,
) -> StudyTargets:
    """Attack the shared people after 1, 2, ..., R partition releases.

    Shares are means over ``repeats`` redraws, the first of which gives the positions. Sizes are
    those that the most hospitals need, so that the curve does not measure size
    [definitions §4]: if my table stays whole, that changes nothing, and the share after all releases of the study is
    that of :func:`core.study.sweep.sweep` with this seed and as many repeats. The first release of every person is
    mine. If all others of the study are files, hospitals like mine continue the series, see :func:`with_drawn`.

    Raises
    ------
    ParameterError
        As :func:`core.study.vary.fixed_sizes`.
    """
    seen = see(encoded, widest(study, encoded.people, most), Redraws(repeats, seed), progress)
    return partitions_seen(seen, confidence, seen[0].positions)


def widest(study: Study, people: int, most: int = MAX_RELEASES) -> Study:
    """The study with ``most`` hospitals; for ``people`` of my table, see :func:`partitions`.

    Studies that differ only in their number of uniform hospitals are equal at that size.
    """
    study = with_drawn(study)
    counts = list(range(2, most + 1))
    return at_value(fixed_sizes(study, "releases", counts, people), "releases", most)


def partitions_seen(seen: Sequence[DrawSeen], confidence: float, positions: Ints) -> StudyTargets:
    """Information that draws (:func:`core.study.adversary_views.see`) reveal about the people at these positions."""
    return StudyTargets(tuple(_after_each(draw, confidence) for draw in seen), positions)


def _after_each(seen: DrawSeen, confidence: float) -> pd.DataFrame:
    """The frame of :class:`StudyTargets` for one draw."""
    results = seen.after_each()
    weighed = weigh_each(results, seen.same_value_rate)
    return pd.DataFrame(
        [
            {
                "releases": number,
                "share": float(result.mean(sure >= confidence - TOLERANCE)),
                "mean": float(result.mean(sure)),
                "hit": float(result.mean(hit)),
                "empty": result.empty.value,
                "n": result.people,
            }
            for number, (result, (sure, hit)) in enumerate(zip(results, weighed, strict=True), 1)
        ]
    )

"""Both kinds of guarantee on the same people: partitions and noise, release after release."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.arrays import Ints, Progress
from core.attack.intersection import attack_after_each
from core.attack.weighted import set_hit
from core.data.encoding import Encoded
from core.release.readable import Readable
from core.study.draw import MAX_RELEASES
from core.study.hospitals import Study
from core.study.publisher import Publisher
from core.study.redraws import Redraws
from core.study.run import Whole, releases_of_parts, seeds, shared_in
from core.study.vary import at_value, fixed_sizes, with_drawn


@dataclass(frozen=True, eq=False)
class Targets:
    """The shared people of a study, and what partitions give away about them.

    Parameters
    ----------
    draws
        Of each draw a frame with a row a number of releases: ``releases, share, single, mean, hit,
        empty, n``. ``share`` is that of people of whom at most floor(1/C) values are left, ``mean``
        the mean of 1 / values left, ``hit`` how often naming one of those left is right.
    positions
        (P,) the shared people of the first draw, as positions in the table; where they have several
        records, of the first of each, which is the one that a contingency table counts. Without
        people where the first draw is not among these.
    """

    draws: tuple[pd.DataFrame, ...]
    positions: Ints

    @functools.cached_property
    def frame(self) -> pd.DataFrame:
        """The same as means over the draws, a row a number of releases."""
        means = sum(self.draws[1:], self.draws[0]) / len(self.draws)
        return means.astype({"releases": np.int64, "n": np.int64})

    @classmethod
    def together(cls, parts: Sequence[Targets]) -> Targets:
        """All draws that were made in parts, those of the first part first."""
        return cls(tuple(draw for part in parts for draw in part.draws), parts[0].positions)


def partitions(
    encoded: Encoded,
    study: Study,
    confidence: float,
    most: int = MAX_RELEASES,
    seed: int = 0,
    progress: Progress | None = None,
    repeats: int = 1,
) -> Targets:
    """Attack the shared people after 1, 2, ..., R partition releases.

    Shares are means over so many redraws, the first of which gives the positions. Sizes are
    those that the most hospitals need, so that the curve does not measure size
    [definitions §4]: where my table stays whole, that is no change, and the share after as
    many releases as the study has is that of :func:`core.study.sweep.sweep` with this seed and
    as many repeats. Everybody's first release is mine. Where all others of the
    study are files, hospitals like mine go on beside them, see :func:`with_drawn`.

    Raises
    ------
    ParameterError
        As :func:`core.study.vary.fixed_sizes`.
    """
    wide = widest(study, encoded.people, most)
    return partitions_drawn(encoded, wide, Redraws(repeats, seed, (confidence,)), progress)


def widest(study: Study, people: int, most: int = MAX_RELEASES) -> Study:
    """The study with so many hospitals; for ``people`` of my table, see :func:`partitions`.

    Studies that differ in nothing but their number of hospitals are the same at their widest
    as long as hospitals are alike.
    """
    study = with_drawn(study)
    counts = list(range(2, most + 1))
    return at_value(fixed_sizes(study, "releases", counts, people), "releases", most)


def partitions_drawn(encoded: Encoded, wide: Study, redraws: Redraws, progress: Progress | None = None) -> Targets:
    """Attack the shared people of a study at its widest, see :func:`partitions`, at the first confidence.

    Draws can be made in parts (:meth:`core.study.redraws.Redraws.parts`) and put together.
    """
    whole, frames, people = Whole(encoded, wide), [], np.zeros(0, dtype=np.int64)
    for number, draw in enumerate(seeds(redraws.seed, redraws.repeats, redraws.first)):
        inner = None if progress is None else _share(progress, number, redraws.repeats)
        parts = wide.draw(encoded, draw)
        releases = releases_of_parts(wide, parts, inner, whole)
        frames.append(_after_each(wide, parts, releases, redraws.confidences[0]))
        mine = parts[0].to_release
        assert mine is not None
        if redraws.first + number == 0:
            people = shared_positions(encoded, mine, wide.overlap)
    return Targets(tuple(frames), people)


def shared_positions(encoded: Encoded, mine: Encoded, overlap: int) -> Ints:
    """(P,) positions in the table of the shared people, of their first records where they have several."""
    people = np.searchsorted(encoded.rows, mine.rows[: mine.leading(overlap)])
    if encoded.person is not None:
        first = encoded.first_records
        people = first[encoded.whose[people[np.unique(encoded.whose[people], return_index=True)[1]]]]
    positions: Ints = people.astype(np.int64)
    return positions


def _share(progress: Progress, number: int, steps: int) -> Progress:
    return lambda share: progress((number + share) / steps)


def _after_each(
    wide: Study, parts: Sequence[Publisher], releases: Sequence[Readable], confidence: float
) -> pd.DataFrame:
    """The frame of :class:`Targets` for one draw."""
    read, people, weight = shared_in(releases, parts, wide)
    # One release twice over leaves what it leaves alone.
    results = attack_after_each([read[0], *read], [people[0], *people], wide.locate, weight)
    return pd.DataFrame(
        [
            {
                "releases": number,
                "share": float(result.mean(result.breached(confidence))),
                "mean": float(result.mean(result.confidence)),
                "hit": float(result.mean(set_hit(result))),
                "empty": result.empty.value,
                "n": result.people,
            }
            for number, result in enumerate(results, 1)
        ]
    )

"""Both kinds of guarantee on the same people: partitions and noise, release after release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.dp.contingency import ContingencyTable
from core.encoding import Encoded
from core.hospitals import MAX_RELEASES, Study
from core.study import at_value, fixed_sizes, outcome_of, release_of, seeds
from core.uploads import Foreign, Upload
from core.weighted import set_hit

Ints = NDArray[np.int64]
Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Targets:
    """The shared people of a study, and what partitions give away about them.

    Parameters
    ----------
    frame
        A row a number of releases: ``releases, share, single, mean, hit, empty, n``. ``share`` is
        that of people of whom at most floor(1/C) values are left, ``mean`` the mean of
        1 / values left, ``hit`` how often naming one of those left is right.
    positions
        (P,) the shared people's positions in the table.
    """

    frame: pd.DataFrame
    positions: Ints


def partitions(
    encoded: Encoded,
    study: Study,
    confidence: float,
    most: int = MAX_RELEASES,
    seed: int = 0,
    progress: Progress | None = None,
    files: Mapping[Upload, Foreign] | None = None,
) -> Targets:
    """Attack the shared people after 1, 2, ..., R partition releases of one draw.

    Sizes are those that the most hospitals need, so that the curve does not measure size
    [definitions §4]. Everybody's first release is mine.

    Raises
    ------
    ParameterError
        As :func:`core.study.fixed_sizes`.
    """
    counts = list(range(2, most + 1))
    wide = at_value(fixed_sizes(study, "releases", counts, len(encoded)), "releases", most)
    parts = wide.draw(encoded, seeds(seed, 1)[0], files)
    releases = []
    for number, (part, hospital) in enumerate(zip(parts, wide.hospitals, strict=True)):
        releases.append(release_of(part, hospital))
        if progress is not None:
            progress((number + 1) / (len(parts) + 1))
    rows = []
    for number in range(1, most + 1):
        # One release twice over leaves what it leaves alone.
        use = [0, 0] if number == 1 else list(range(number))
        result = outcome_of([releases[i] for i in use], [parts[i] for i in use], wide).result
        rows.append(
            {
                "releases": number,
                "share": float(result.breached(confidence).mean()),
                "mean": float(result.confidence.mean()),
                "hit": float(set_hit(result).mean()),
                "empty": result.empty.value,
                "n": result.people,
            }
        )
    mine = parts[0]
    assert isinstance(mine, Encoded)
    people = np.searchsorted(encoded.rows, mine.rows[: study.overlap])
    return Targets(pd.DataFrame(rows), people.astype(np.int64))


def prior_of(encoded: Encoded, kind: str) -> NDArray[np.float64]:
    """(values,) prior: ``"uniform"`` over values that occur, or ``"overall"`` as common as in the table.

    Values that never occur get no weight.
    """
    overall = encoded.overall.astype(np.float64)
    weight = (overall > 0).astype(np.float64) if kind == "uniform" else overall
    found: NDArray[np.float64] = weight / weight.sum()
    return found


def cells_of(table: ContingencyTable, positions: Ints) -> Ints:
    """(P,) grid cell of each person."""
    found: Ints = table.cell_of[positions]
    return found

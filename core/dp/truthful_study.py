"""Truthful tables of several hospitals that share people: one draw of each, for charts that stand beside partitions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.base.arrays import Ints, Progress
from core.data.encoding import Encoded
from core.dp.contingency import ContingencyTable
from core.dp.truthful import Sampling
from core.dp.truthful_release import TruthfulTable, drawn, same_grid
from core.study.draw import MAX_RELEASES
from core.study.hold import Drawn
from core.study.hospitals import Study
from core.study.run import seeds
from core.study.seen import shared_positions


@dataclass(frozen=True, eq=False)
class TruthfulStudy:
    """Truthful tables of hospitals, and the people they share.

    Parameters
    ----------
    tables
        One a hospital, mine first, in the order in which they publish.
    people
        (P,) positions of the shared people in my table, of their first records where they have several.
    cells, truth
        (P,) their cells of the grid, and their sensitive bins.
    mine
        A table of all my records: the first, where my table stays whole in the study.
    """

    tables: tuple[TruthfulTable, ...]
    people: Ints
    cells: Ints
    truth: Ints
    mine: TruthfulTable


def hospitals_drawn(study: Study) -> Study:
    """The study of those hospitals whose records are drawn, without the files."""
    own = tuple(hospital for hospital in study.hospitals if hospital.upload is None)
    return replace(study, hospitals=own, files={})


def truthful_study(
    encoded: Encoded,
    study: Study,
    grid: ContingencyTable,
    sampling: Sampling,
    seed: int,
    most: int = MAX_RELEASES,
    progress: Progress | None = None,
) -> TruthfulStudy:
    """Draw the hospitals of a study, and a truthful table of each.

    A file says what it says: tables are drawn of those hospitals whose records are here, and of
    others like mine beside them. Without files the draw is the first of :func:`core.study.sweep.sweep`
    over the number of hospitals, and so are the shared people.

    Parameters
    ----------
    encoded, study
        My table and the hospitals.
    grid
        Of my table, with declared domains (:func:`core.dp.contingency_table`).
    sampling, seed, most
        What each table promises; seed of everything; hospitals.
    progress
        Called with the share done; what it raises ends the work.

    Raises
    ------
    ParameterError
        As :meth:`core.study.hold.Drawn.of`.
    """
    hospitals = Drawn.of(encoded, hospitals_drawn(study), seeds(seed, 1)[0], most)
    rng, tables = np.random.default_rng(seed), []
    for number, part in enumerate(hospitals.parts):
        records = part.to_release
        assert records is not None, "without files everybody has records"
        tables.append(drawn(same_grid(grid, records), sampling, rng))
        if progress is not None:
            progress((number + 1) / len(hospitals.parts))
    mine = hospitals.parts[0].to_release
    assert mine is not None
    people = shared_positions(encoded, mine, study.overlap)
    truth = grid.sensitive.bin_of[encoded.secret[people]].astype(np.int64)
    whole = tables[0] if hospitals.study.whole else drawn(grid, sampling, rng)
    return TruthfulStudy(tuple(tables), people, grid.cell_of[people], truth, whole)

"""Studies, draws and curves of the attack, kept for one session."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd

import core
from core import Release, Scenario
from core.algorithms import partition_sweep
from core.base.arrays import Codes, Progress, T, step
from core.base.errors import NotLoadedError, PolicyError
from core.base.errors import shown_name as shown
from core.decision import review
from core.release.algorithm import ALGORITHMS
from core.release.published.matching import ColumnMatch, match_columns
from core.study import coverage
from core.study.draw import default_size
from core.study.hospitals import Study
from core.study.one_run import Outcome, run_study
from core.study.redraw_numbers import over_redraws
from core.study.redraws import Redraws
from core.study.sweep import redrawn
from core.study.uploads import Foreign, Upload, open_upload
from core.study.vary import OF_STUDY, at_value
from pages.shared.compute import work_queue
from pages.shared.compute.cache import cached, is_cached
from pages.shared.compute.data_results import data_key, encoded, encoded_as, key_of
from pages.shared.compute.release_results import my_classes
from pages.shared.state import session

AT_ONCE = 100_000
"""Records (per release and draw) up to which the attack runs in this process: sending them to a worker would take as
long."""
FEWEST, MOST_DRAWS = 2, 5
"""Redraws that a worker makes at a time: finished ones stay, even if a newer move ends the others."""


def in_reach(upload: Upload, read: Foreign) -> float:
    """Share of my records that can be in another publisher's file."""
    return cached(("in reach", *data_key(), upload), lambda: coverage.in_reach(read, encoded()))


def column_matches(theirs: core.Table) -> tuple[ColumnMatch, ...]:
    """Which column of another publisher's table is proposed for each of mine."""
    workspace = session.workspace()
    key = ("matches", *data_key(), theirs.content_id)
    return cached(key, lambda: match_columns(workspace.data, theirs, workspace.schema))


def without_effect() -> tuple[int, ...]:
    """Indices of hospitals whose file matches almost none of my records."""
    scenario = session.scenario()
    if not scenario.uploads:
        return ()
    theirs = tuple((place, each) for place, each in enumerate(scenario.hospitals) if each.upload is not None)
    return cached(
        ("without effect", *data_key(), scenario.locate, theirs), lambda: coverage.without_effect(study(), encoded())
    )


def foreign(upload: Upload, table: core.Table | None = None, schema: core.Schema | None = None) -> Foreign:
    """The part of another publisher's file that corresponds to my table, under its schema or another.

    Its table is that of the session's files unless it is given. Raises NotLoadedError if the file was not loaded in
    this session.
    """
    workspace = session.workspace()
    schema = workspace.schema if schema is None else schema
    theirs = session.files().get(upload.content_id) if table is None else table
    if theirs is None:
        raise NotLoadedError(
            f"The file {shown(upload.name)} of another hospital is not loaded in this session; load it on Other "
            "hospitals."
        )
    return cached(
        ("foreign", *key_of(schema, workspace.content_id), upload),
        lambda: open_upload(upload, theirs, workspace.data, schema),
    )


def files(scenario: Scenario | None = None) -> dict[Upload, Foreign]:
    """The files that take part in the study, or in another scenario on the same table."""
    scenario = session.scenario() if scenario is None else scenario
    return {upload: foreign(upload, schema=scenario.schema) for upload in scenario.uploads}


def study(scenario: Scenario | None = None) -> Study:
    """The study of the present scenario, or of another one on the same table, with its files."""
    wanted = session.scenario() if scenario is None else scenario
    return wanted.study.with_files(files(wanted))


def nobody_knows() -> bool:
    """Whether the study uses a file with an unknown subset of my people."""
    return any(not file.linked for file in files().values())


def shared_bound() -> int:
    """Largest number of people that the hospitals can share: the linked ones, all of mine, or what each size allows.

    It never exceeds the records of a file.
    """
    records = encoded().people
    whole = session.scenario().study.whole
    return max(1, min([records if whole else session.overlap_bound(records), *shared_by_file().values()]))


def shared_by_file() -> dict[Upload, int]:
    """Largest number of my people that each file can hold: the linked ones, or its number of records."""
    return {upload: len(file.mine) if file.linked else file.records for upload, file in files().items()}


def overlap_range() -> tuple[int, int, int]:
    """Bounds and step of the overlap slider."""
    most = shared_bound()
    return min(10, max(1, most // 4)), most, 10 if most > 500 else 1


def size_range() -> tuple[int, int]:
    """Smallest and largest number of records of a simulated or modelled hospital."""
    scenario, records = session.scenario(), encoded().people
    if scenario.study.whole:
        return scenario.overlap, 2_000_000
    return scenario.overlap, default_size(records, scenario.overlap, scenario.study.dealt)


def fit_overlap() -> None:
    """Bring the overlap, and sizes of other hospitals, within what the present hospitals allow."""
    with contextlib.suppress(core.CompositionError):
        session.put("overlap", max(1, min(int(session.get("overlap")), shared_bound())))
        least, most = size_range()
        for number, hospital in enumerate(session.hospitals()):
            if hospital.size is not None and hospital.origin == "simulated" and not least <= hospital.size <= most:
                session.set_own(number, "size", min(max(hospital.size, least), most))


def outcome() -> Outcome:
    """One draw of the study at the present setting: the people whose story is told."""
    scenario = session.scenario()
    return cached(
        ("outcome", *data_key(scenario), scenario.study, scenario.seed),
        lambda: run_study(encoded(), study(), scenario.seed, made=fixed_mine(scenario, "releases", [2])),
    )


confidences = review.confidences
"""The levels every curve shows: perfect, a half, a quarter and the chosen one."""


def curve_key(vary: str, values: Sequence[Any], repeats: int, scenario: Scenario | None = None) -> tuple[Any, ...]:
    """Key of a curve without the varied choice, so moving its slider needs no new computation."""
    scenario = session.scenario() if scenario is None else scenario
    study = at_value(scenario.study, vary, values[0])
    return ("curve", *data_key(scenario), study, vary, tuple(values), repeats, scenario.seed, confidences(scenario))


def curve(
    vary: str, values: Sequence[Any], repeats: int, progress: Progress | None = None, scenario: Scenario | None = None
) -> pd.DataFrame:
    """Breach while one choice varies, for the present scenario or another one on the same table."""
    scenario = session.scenario() if scenario is None else scenario
    frame = cached(
        curve_key(vary, values, repeats, scenario), lambda: _sweep(scenario, vary, values, repeats, progress)
    )
    # If sizes and draws do not depend on the varied choice, a point of the curve is the headline.
    if vary not in OF_STUDY or scenario.study.whole:
        points = {at_value(scenario.study, vary, value): value for value in values}
        if scenario.study in points:
            headline = frame[frame["value"] == points[scenario.study]].reset_index(drop=True)
            cached(headline_key(scenario, repeats), lambda: headline)
    return frame


def _sweep(
    scenario: Scenario, vary: str, values: Sequence[Any], repeats: int, progress: Progress | None
) -> pd.DataFrame:
    records, draws = encoded_as(scenario.schema), confidences(scenario)
    redraws = Redraws(repeats, scenario.seed, confidences=draws)
    drawn = study(scenario)
    made = fixed_mine(scenario, vary, values)
    if repeats > 1:
        drawn.prepare(records)
    work = partial(redrawn, records, drawn, vary, values, made=made)
    key = draws_key(vary, values, scenario)
    rows = pd.concat(in_draws(key, work, redraws, records.people * len(values), progress), ignore_index=True)
    return over_redraws(rows, vary, repeats, drawn.model_error)


def draws_key(vary: str, values: Sequence[Any], scenario: Scenario) -> tuple[Any, ...]:
    """Begin the keys of the draws of a curve; :func:`in_draws` adds the first draw and their number."""
    return ("draws", *curve_key(vary, values, 0, scenario))


def keep_first_draw(scenario: Scenario, classes: Codes, rows: pd.DataFrame) -> None:
    """Store results that a worker computed for a scenario: (records,) classes of my release, rows of its first draw."""
    my_classes(None, scenario, classes)
    cached((*draws_key("releases", [len(scenario.hospitals)], scenario), 0, 1), lambda: rows)


def in_draws(
    key: tuple[Any, ...],
    work: Callable[[Redraws, Progress], T],
    redraws: Redraws,
    records: int,
    progress: Progress | None = None,
) -> list[T]:
    """Process draws of hospitals part by part in the workers; finished parts stay if a move ends the rest.

    Parameters
    ----------
    key
        Key of the draws without their number.
    work
        Function that processes some of the draws.
    redraws
        All draws.
    records
        Records that are attacked in each, counted once per release: few are attacked in this process.
    progress
        Called with the share done.
    """
    parts = _parts(redraws)
    keys = [(*key, part.first, part.repeats) for part in parts]
    at_once, tell = records * redraws.repeats <= AT_ONCE, work_queue.breathing(progress)
    known = {
        number: cached(keys[number], partial(work, parts[number], step(tell, number, len(parts))))
        for number in range(len(parts))
        if at_once or is_cached(keys[number])
    }
    missing = [number for number in range(len(parts)) if number not in known]

    def keep(place: int, result: T) -> None:
        known[missing[place]] = cached(keys[missing[place]], lambda: result)

    work_queue.in_workers(
        [partial(work, parts[number]) for number in missing],
        None if progress is None else lambda share: progress((len(parts) - len(missing) * (1 - share)) / len(parts)),
        keep,
    )
    return [known[number] for number in range(len(parts))]


def _parts(redraws: Redraws) -> list[Redraws]:
    """Draws per worker task: as few as keep all processors busy."""
    each = math.ceil((redraws.repeats - 1) / work_queue.PROCESSORS)
    return redraws.parts(min(max(each, FEWEST), MOST_DRAWS))


GRID_K = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
FEW_K = (2, 5, 10, 25, 50)


def k_points() -> list[int]:
    """Values of k of a curve: a fixed grid, so that moving the slider of k needs no new computation."""
    records, study_of = encoded().people, session.scenario().study
    size = min(study_of.size_of(number, records) for number, h in enumerate(study_of.hospitals) if h.upload is None)
    quick = all(ALGORITHMS[hospital.algorithm].quick for hospital in study_of.hospitals)
    cheap = quick and session.policy(2).only_k
    grid = [k for k in session.and_large(GRID_K if cheap else FEW_K) if k <= size // 2]
    return grid or [min(2, size)]


def mine_at(
    scenario: Scenario, vary: str, values: Sequence[Any], classes: Sequence[Codes] | None = None
) -> list[Release]:
    """My releases of the whole table at the points of a curve; ``classes`` if a worker formed them."""
    policies = [at_value(scenario.study, vary, value).hospitals[0].policy for value in values]
    records, how = encoded_as(scenario.schema), scenario.mine.algorithm

    def make() -> list[Release]:
        if classes is None:
            return partition_sweep(records, policies, how, work_queue.breathing(None))
        return [Release.of(records, labels, policy, how) for labels, policy in zip(classes, policies, strict=True)]

    return cached(("mine at", *data_key(scenario), *policies, how), make)


def fixed_mine(scenario: Scenario, vary: str, values: Sequence[Any]) -> list[Release]:
    """My releases at the points of a curve, if draws do not change them and they are few or fast."""
    mine = [at_value(scenario.study, vary, value).hospitals[0] for value in values]
    policies, how = [hospital.policy for hospital in mine], ALGORITHMS[scenario.mine.algorithm]
    if not (scenario.study.whole and mine[0].attributes is None):
        return []
    if set(policies) == {scenario.mine.policy}:
        return [my_classes(work_queue.breathing(None), scenario)]
    return mine_at(scenario, vary, values) if how.quick else []


def headline_key(scenario: Scenario, repeats: int) -> tuple[Any, ...]:
    """Cache key of the numbers of the present setting."""
    return ("headline", *data_key(scenario), scenario.study, repeats, scenario.seed, confidences(scenario))


def all_drawn() -> bool:
    """Whether all draws of the present setting were made; a point of the curve over k is that setting."""
    scenario, curve_of = session.scenario(), _curve_over_k()
    if is_cached(curve_key(*curve_of)):
        curve(*curve_of)
    return is_cached(headline_key(scenario, scenario.repeats))


def draw_all(progress: Progress, with_curve: bool) -> None:
    """Make all draws of the present setting, before them those ``with_curve`` over k if that is fast.

    So a move of k, and the page with the curve, find their numbers ready.
    """
    if with_curve and all(ALGORITHMS[hospital.algorithm].quick for hospital in session.hospitals()):
        with contextlib.suppress(PolicyError):
            curve(*_curve_over_k(), progress)
    headline(progress)


def _curve_over_k() -> tuple[str, list[int], int]:
    """Varied quantity, values and redraws of the first curve of the attack page."""
    vary = "k" if session.get("linked") else "my k"
    return vary, k_points(), session.scenario().repeats


def is_soon_drawn(settings: int) -> bool:
    """Whether all draws of some settings take no longer than sending them to the workers."""
    return encoded().people * settings * session.scenario().repeats <= AT_ONCE


def headline_so_far(progress: Progress | None = None) -> pd.DataFrame:
    """Best available numbers of the present setting: over redraws if these were run, else one draw."""
    return headline(progress, session.scenario().repeats if all_drawn() else 1)


def headline(
    progress: Progress | None = None, repeats: int | None = None, scenario: Scenario | None = None
) -> pd.DataFrame:
    """The present setting, or another scenario on the same table, over redraws: one row per confidence."""
    scenario = session.scenario() if scenario is None else scenario
    times = scenario.repeats if repeats is None else repeats
    return cached(
        headline_key(scenario, times), lambda: _sweep(scenario, "releases", [len(scenario.hospitals)], times, progress)
    )

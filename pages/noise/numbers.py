"""Results of the differential privacy page, cached like every other result of the session."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import Release, dp
from core.base.arrays import Progress
from core.base.errors import ParameterError, shown_name
from core.data.encoding.domain import Domain
from core.release.algorithm import ALGORITHMS
from core.release.query_error import Queries, QueryError, count_codes, count_records, errors_of
from core.report import NoisyDownload
from core.study.redraws import Redraws
from core.study.vary import at_value
from pages.noise import grid as noise_cells
from pages.shared.compute import attack_results, cache, data_results, release_results, work_queue
from pages.shared.compute.data_results import data_key
from pages.shared.state import session
from pages.shared.state.noise_downloads import _DOWNLOADS, downloads

ALONG = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Values of epsilon along the line of noise; the chosen one and that of equal protection are added."""
CELLS_DRAWN = 250_000
"""Largest number of noise cells drawn for one error."""
QUERIES = 500
FEW_CELLS = 25_000
SLACK = 1e-9
"""Additional delta of advanced composition."""
_DRAWN = "noise:drawn"


# ---- choices -----------------------------------------------------------------------------


def delta() -> float:
    """The chosen delta, or 1e-4 / n^2."""
    chosen = session.get("noise_delta")
    return dp.default_delta(records()) if chosen is None else float(chosen)


def mechanism(epsilon: float | None = None) -> dp.Mechanism:
    """Noise of one table at the chosen epsilon, or another."""
    name = str(session.get("noise_mechanism"))
    wanted = float(session.get("noise_epsilon")) if epsilon is None else epsilon
    small = delta() if name == "gaussian" else 0.0
    return cache.cached(("noise mechanism", name, wanted, small), lambda: dp.mechanism(name, wanted, small))


def columns() -> tuple[str, ...]:
    """Quasi-identifiers of the noisy table: as chosen, else the first that together make at most 25,000 cells."""
    chosen = noise_cells.chosen_columns()
    if chosen is not None:
        return chosen
    return session.once("noise columns", lambda: noise_cells.columns_within(FEW_CELLS))


def domains() -> tuple[Domain, ...]:
    """Columns of the noisy table, the sensitive one last."""
    encoded, chosen = data_results.encoded(), columns()
    return (*(domain for domain in encoded.qids if domain.name in chosen), encoded.sensitive)


def undeclared() -> tuple[str, ...]:
    """Columns of the noisy table without a declared domain: while there are any, nothing can be drawn."""
    known = noise_cells.confirmed()
    return tuple(domain.name for domain in domains() if domain.name not in known)


def open_columns() -> tuple[str, ...]:
    """Columns whose values are published above a threshold."""
    known = noise_cells.confirmed()
    return tuple(domain.name for domain in domains() if domain.name in known and not known[domain.name].closed)


def grid() -> tuple[tuple[str, dp.Declared], ...]:
    """Domain of each column of the noisy table, the sensitive one last."""
    return session.once(
        "noise grid", lambda: tuple((domain.name, noise_cells.declared_of(domain)) for domain in domains())
    )


def cells() -> int:
    """Cells of the chosen grid, whether or not they are too many."""
    *qids, sensitive = (noise_cells.axis(domain) for domain in domains())
    return dp.count_cells(tuple(qids), sensitive)


def table() -> dp.ContingencyTable:
    """True counts of the chosen grid; raises LimitError above a million cells."""
    wanted = grid()
    return cache.cached(("noise table", *data_key(), wanted), lambda: noise_cells.counted(wanted[:-1], wanted[-1][1]))


def records() -> int:
    """n: people of the table before any record was left out, the same for every neighbouring table."""
    encoded = data_results.encoded()
    return encoded.everybody or encoded.people


def threshold() -> dp.Threshold | None:
    """Threshold of a grid with open columns; raises ParameterError if the noise does not support one."""
    if not open_columns():
        return None
    made = mechanism()
    if made.name != "laplace":
        raise ParameterError(
            "A column with unlisted values needs Laplace noise; choose that, or list its values.", parameter="mechanism"
        )
    return dp.threshold_for(made, delta())


def promise() -> dp.Cost:
    """Epsilon and delta of one table as it would be drawn."""
    made = mechanism()
    return dp.Cost(made.epsilon, delta() if made.delta or open_columns() else 0.0)


# ---- both guarantees -----------------------------------------------------------------------


def prior() -> Any:
    """(values,) prior belief from which the ceiling starts."""
    return dp.prior_of(data_results.encoded(), str(session.get("noise_prior")))


def _study_key() -> tuple[Any, ...]:
    return (*data_key(), session.scenario().study, session.scenario().seed)


def positions() -> Any:
    """(P,) the shared people of the first draw, as positions of their first records."""
    encoded, seed = data_results.encoded(), session.scenario().seed
    return cache.cached(
        ("noise people", *_study_key()), lambda: dp.shared_people(encoded, attack_results.study(), seed)
    )


def _guess_key() -> tuple[Any, ...]:
    return ("noise guess", *_study_key())


def _guess() -> Any:
    """(P, values) belief about each of these people without any release."""
    encoded, people = data_results.encoded(), positions()
    return cache.cached(_guess_key(), lambda: dp.Guesser(encoded).prior(people))


def _targets() -> dp.NoisyTargets:
    """These people for the strongest adversary of noisy tables."""
    people, counted = positions(), table()
    truth = data_results.encoded().sensitive_codes[people].astype(np.int64)
    return dp.NoisyTargets(counted.cell_of[people], truth, counted.sensitive.bin_of)


def _noisy_key(epsilon: float) -> tuple[Any, ...]:
    return ("noise right", *_study_key(), int(session.get("releases")), mechanism(epsilon), grid())


def _right(epsilon: float) -> tuple[float, dp.NoisyAttack | None]:
    releases, seed = int(session.get("releases")), session.scenario().seed
    return dp.attack_by_noise(_targets(), _guess(), mechanism(epsilon), releases, seed)


def noisy(epsilon: float) -> tuple[float, dp.NoisyAttack | None]:
    """Share of right guesses after noisy tables of this epsilon; the simulated beliefs if the noise is Gaussian."""
    return cache.cached(_noisy_key(epsilon), lambda: _right(epsilon))


def guessed() -> float:
    """Share of right guesses about the same people without any release."""
    truth = data_results.encoded().sensitive_codes[positions()].astype(np.int64)
    return float(dp.right_without(_guess(), truth).mean())


def subtraction() -> float:
    """Share of the shared people whose value the strongest adversary learns from my partition release."""
    release, people = release_results.my_release().release, positions()
    return cache.cached(
        ("noise subtraction", *release_results.release_key(), *_study_key()),
        lambda: float((dp.by_subtraction(release, people) == release.encoded.sensitive_codes[people]).mean()),
    )


def _gain_key(vary: str, values: Sequence[int]) -> tuple[Any, ...]:
    scenario = session.scenario()
    return ("gain", *data_key(), at_value(scenario.study, vary, values[0]), vary, tuple(values), scenario.seed)


def _gains(vary: str, values: Sequence[int], repeats: int, progress: Progress | None = None) -> pd.DataFrame:
    """Gain of the reader of partition releases for each value, a mean over draws."""
    scenario, records, key = session.scenario(), data_results.encoded(), _gain_key(vary, values)

    def make() -> pd.DataFrame:
        study, made = attack_results.study(), attack_results.fixed_mine(scenario, vary, values)
        if repeats > 1:
            study.prepare(records)
        work = partial(dp.gains, records, study, vary, values, made=made)
        draws = Redraws(repeats, scenario.seed)
        parts = attack_results.in_draws(key, work, draws, records.people * len(values), progress)
        return pd.concat(parts).pivot_table(index="value")

    return cache.cached((*key, repeats), make)


def drawn_times() -> int:
    """Draws behind the gain of my releases: all of them if they were made or are fast, else one."""
    repeats, key = session.scenario().repeats, _gain_key("releases", [int(session.get("releases"))])
    return repeats if attack_results.is_soon_drawn(1) or cache.is_cached((*key, repeats)) else 1


def partitions(repeats: int | None = None, progress: Progress | None = None) -> pd.Series[float]:
    """Right guesses of the reader of my releases and the others', with their gain."""
    return _gains("releases", [int(session.get("releases"))], repeats or drawn_times(), progress).iloc[0]


def _twin_key() -> tuple[Any, ...]:
    return ("twin", *_study_key(), int(session.get("releases")), session.scenario().repeats, mechanism(), grid())


def twin_is_known() -> bool:
    """Whether the epsilon of equal protection was computed for the present setting."""
    return cache.is_cached(_twin_key())


def twin(progress: Progress | None = None) -> float:
    """Epsilon at which noisy tables have the gain of as many of my releases, from all draws; 0 if there is none."""

    def make() -> float:
        gain, guess = partitions(session.scenario().repeats, progress), guessed()
        return dp.equal_epsilon(lambda epsilon: _right(epsilon)[0] - guess, gain["gain"] * (gain["surely"] > 0))

    return cache.cached(_twin_key(), make)


def _attack_both(vary: str, points: Sequence[int], epsilons: Sequence[float], progress: Progress | None) -> None:
    """Attack partitions over k and noise over epsilon side by side in the workers, where both take a while."""
    scenario, encoded, gain_key = session.scenario(), data_results.encoded(), (*_gain_key(vary, points), 0, 1)
    is_quick = encoded.people * len(points) <= attack_results.AT_ONCE
    if is_quick or cache.is_cached(gain_key) or cache.is_cached(_noisy_key(epsilons[0])):
        return
    made, study = attack_results.fixed_mine(scenario, vary, points), attack_results.study()
    chosen, releases = [mechanism(epsilon) for epsilon in epsilons], int(session.get("releases"))
    parts: list[Any] = [
        partial(dp.gains, encoded, study, vary, points, Redraws(1, scenario.seed), made=made),
        partial(dp.attacks_by_noise, dp.Guesser(encoded), positions(), _targets(), chosen, releases, scenario.seed),
        partial(errors_of, made, *_asked()[:2]),
    ]
    gains, (guess, attacks), errors = work_queue.in_workers(parts, progress)
    known = {gain_key: gains, _guess_key(): guess}
    known |= {_error_key(release): error for release, error in zip(made, errors, strict=True)}
    known |= {_noisy_key(epsilon): attack for epsilon, attack in zip(epsilons, attacks, strict=True)}
    for key, result in known.items():
        cache.cached(key, partial(lambda ready: ready, result))


def tradeoff(progress: Progress | None = None) -> pd.DataFrame:
    """Gain over guessing and how far counts are off: partitions over k, noise over epsilon."""
    scenario, k = session.scenario(), int(session.get("my_k"))
    chosen, equal = float(session.get("noise_epsilon")), twin() if twin_is_known() else 0.0
    epsilons = sorted({*ALONG, chosen, *([equal] if 0 < equal < math.inf else [])})
    rows: dict[int, tuple[float, float]] = {}
    if all(ALGORITHMS[hospital.algorithm].quick for hospital in session.hospitals()):
        vary = "k" if session.get("linked") else "my k"
        known = attack_results.k_points()
        points = [point for point in known if point in attack_results.FEW_K] or known[:1]
        _attack_both(vary, points, epsilons, progress)
        gains, made = _gains(vary, points, 1, progress)["gain"], attack_results.fixed_mine(scenario, vary, points)
        rows = {point: (partition_error(mine), gains[point]) for point, mine in zip(points, made, strict=False)}
    if k not in rows or drawn_times() > 1:
        rows[k] = (partition_error(release_results.my_release().release), partitions(progress=progress)["gain"])
    lines = [(f"k = {at}", *rows[at], "partitions", "breached", at == k) for at in sorted(rows)]
    for epsilon in epsilons:
        gain, error = noisy(epsilon)[0] - guessed(), noise_error(epsilon).absolute
        lines.append((f"ε = {epsilon:.3g}", error, gain, "noise", "other release", epsilon in (chosen, equal)))
    return pd.DataFrame(lines, columns=["setting", "error", "share", "line", "series", "now"])


def cost(releases: int) -> dp.Composition:
    """Cost of several tables of the chosen kind together."""
    return dp.compose([promise()] * releases, SLACK)


# ---- error ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of the same counts: of a noisy table, of its cells without noise, and of my release."""

    noisy: QueryError
    cells: QueryError
    partition: float


def _asked() -> tuple[Queries, Any, Any]:
    """The counts that are asked, and their true answers: of all records, and of one per person."""
    encoded = data_results.encoded()

    def make() -> tuple[Queries, Any, Any]:
        queries = dp.queries_about(encoded, columns(), QUERIES, session.scenario().seed)
        whole = count_records(release_results.my_release().release, queries)
        # A noisy table counts one record per person, so it is compared with these.
        several = encoded.has_multiple_records
        return queries, whole, count_codes(encoded.codes[:, encoded.first_records], queries) if several else whole

    return cache.cached(("noise asked", *data_key(), columns(), session.scenario().seed), make)


def partition_error(release: Release) -> float:
    """Average error of the same counts from a release of mine."""
    queries, whole, _ = _asked()
    return cache.cached(_error_key(release), lambda: errors_of([release], queries, whole)[0])


def _error_key(release: Release) -> tuple[Any, ...]:
    seed = session.scenario().seed
    return ("noise partition", *data_key(), columns(), seed, release.policy, release.algorithm.name)


def noise_error(epsilon: float) -> QueryError:
    """Error of the same counts from noisy tables: ten draws, or fewer of a large grid."""
    seed, chosen, encoded, counted = session.scenario().seed, mechanism(epsilon), data_results.encoded(), table()

    def make() -> QueryError:
        (queries, _, truth), answers = _asked(), []
        for number in range(max(1, min(10, CELLS_DRAWN // counted.counts.size))):
            drawn = dp.simulate(counted.counts.shape, chosen, np.random.default_rng((seed, number)))
            answers.append(dp.noisy_query_error(counted, encoded, queries, truth, counted.counts + drawn).answer)
        return QueryError(np.tile(truth, len(answers)), np.concatenate(answers))

    return cache.cached(("noise error", *data_key(), grid(), chosen, seed), make)


def errors() -> Errors:
    """Errors of the same random counts from noisy tables, from their cells without noise, and from my release."""
    queries, _, truth = _asked()
    cells = dp.noisy_query_error(table(), data_results.encoded(), queries, truth)
    mine = partition_error(release_results.my_release().release)
    return Errors(noise_error(float(session.get("noise_epsilon"))), cells, mine)


# ---- noisy table -----------------------------------------------------------------------------


def _check_declared() -> None:
    """Refuse to draw while a column has no declared domain."""
    missing = undeclared()
    if missing:
        raise ParameterError(
            f"The domain of {', '.join(shown_name(name) for name in missing)} is not declared; declare it, so that "
            "the cells of the table do not come from the data.",
            parameter=missing[0],
        )


def draw(progress: Progress | None = None) -> None:
    """Draw a noisy table; a refusal changes nothing."""
    _check_declared()
    chosen, counted, least = mechanism(), table(), threshold()
    st.session_state[_DRAWN] = (session.workspace().content_id, dp.publish(counted, chosen, least, progress))


def drawn() -> dp.NoisyTable | None:
    """The latest table of the present data that was drawn."""
    data, table = st.session_state.get(_DRAWN, (None, None))
    return table if data == session.workspace().content_id else None


def downloaded(table: dp.NoisyTable) -> None:
    """Remember the digest of a download of the present data: a report can only name it, since a draw has no seed."""
    digest = hashlib.sha256(table.package()).hexdigest()
    entry = NoisyDownload(digest, table.cost.epsilon, table.cost.delta, table.mechanism.words, dp.RELATION)
    data = session.workspace().content_id
    if entry not in downloads():
        every = st.session_state.get(_DOWNLOADS, {})
        st.session_state[_DOWNLOADS] = {**every, data: (*downloads(), entry)}

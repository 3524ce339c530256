"""Results of the differential privacy page, kept like every other result of the session."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import dp
from core.dp import semantics
from core.queries import Queries, QueryError, count_records, count_released, random_queries
from core.report import NoisyDownload
from core.schema import Kind
from pages._ui import runs, state

Progress = Callable[[float], None]

EPSILONS = (0.1, 0.5, 1.0, 2.0)
"""Of the chart of both guarantees; the chosen one is added."""
ERROR_EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
GAME_EPSILONS = tuple(float(f"{e:.3g}") for e in np.geomspace(0.02, 5, 25))
MOST = 8
QUERIES = 500
FEW_CELLS = 25_000
SLACK = 1e-9
"""Further delta of advanced composition."""
_LEDGER = "noise:ledger"
_DRAWN = "noise:drawn"
_DOWNLOADS = "noise:downloads"


def _data() -> tuple[Any, ...]:
    """What the table and its schema add to a key."""
    return runs.release_key()[1:-2]


# ---- choices -----------------------------------------------------------------------------


def delta() -> float:
    """The chosen delta, or 1e-4 / n^2."""
    chosen = state.get("noise_delta")
    return dp.default_delta(len(runs.encoded())) if chosen is None else float(chosen)


def mechanism(epsilon: float | None = None) -> dp.Mechanism:
    """Noise of one table at the chosen epsilon, or another."""
    name = str(state.get("noise_mechanism"))
    wanted = float(state.get("noise_epsilon")) if epsilon is None else epsilon
    small = delta() if name == "gaussian" else 0.0
    return runs.remembered(("noise mechanism", name, wanted, small), lambda: dp.mechanism(name, wanted, small))


def default_groups(domain: Any) -> int | None:
    """Groups of a column to begin with: five for numbers and orders, the top level of a taxonomy, every category."""
    if domain.taxonomy is not None:
        return 1
    return None if domain.kind is Kind.CATEGORICAL else min(5, domain.size)


def default_grid() -> tuple[tuple[str, int | None], ...]:
    """The first quasi-identifiers that together make at most 25,000 cells."""
    encoded = runs.encoded()
    cells, grid = encoded.sensitive.size, []
    for domain in encoded.qids:
        groups = default_groups(domain)
        width = dp.Axis.of(domain, groups).groups
        if cells * width <= FEW_CELLS:
            cells *= width
            grid.append((domain.name, groups))
    return tuple(grid)


def grid() -> tuple[tuple[str, int | None], ...]:
    """Columns of the noisy table and their groups; those the present table does not have are left out."""
    chosen = state.get("noise_grid")
    names = {domain.name for domain in runs.encoded().qids}
    if chosen is None:
        return default_grid()
    return tuple((name, groups) for name, groups in chosen if name in names)


def cells() -> int:
    """Cells of the chosen grid, whether or not they are too many."""
    return dp.count_cells(runs.encoded(), dict(grid()))[1]


def table() -> dp.ContingencyTable:
    """True counts of the chosen grid; raises LimitError above a million cells."""
    encoded, wanted = runs.encoded(), grid()
    return runs.remembered(
        ("noise table", *_data(), wanted), lambda: dp.contingency_table(encoded, dict(wanted))
    )  # fmt: skip


# ---- both guarantees -----------------------------------------------------------------------


def targets(progress: Progress | None = None) -> dp.Targets:
    """The shared people, attacked after 1 to 8 partition releases."""
    scenario = state.scenario()

    def make() -> dp.Targets:
        return dp.partitions(
            runs.encoded(), scenario.study, scenario.confidence, MOST, scenario.seed, progress, runs.files()
        )

    return runs.remembered(("noise targets", *_data(), scenario.study, scenario.confidence, scenario.seed), make)


def prior() -> Any:
    """(values,) what the adversary believes beforehand."""
    return dp.prior_of(runs.encoded(), str(state.get("noise_prior")))


def draws(people: int, values: int) -> int:
    """Times that the noise of the chart is drawn: as many, up to 20, as take no noticeable time."""
    return int(np.clip(1_500_000 // (people * values), 2, 20))


def noisy(epsilon: float, progress: Progress | None = None) -> dp.NoisyAttack:
    """The strongest adversary against 1 to 8 noisy releases about the same people; simulated noise."""
    scenario, chosen, kind = state.scenario(), mechanism(epsilon), str(state.get("noise_prior"))
    encoded, people = runs.encoded(), targets(progress).positions

    def make() -> dp.NoisyAttack:
        truth = encoded.secret[people].astype(np.int64)
        times = draws(len(people), encoded.sensitive.size)
        return dp.attack_noisy(table().cell_of[people], truth, prior(), chosen, MOST, scenario.seed, times)

    return runs.remembered(
        ("noise attack", *_data(), scenario.study, scenario.seed, chosen, kind, grid()), make
    )  # fmt: skip


def epsilons() -> tuple[float, ...]:
    """Epsilons of the chart."""
    return tuple(sorted({*EPSILONS, float(state.get("noise_epsilon"))}))


def subtraction() -> float:
    """Share of the shared people whose value the strongest adversary reads off my one partition release."""
    release, people = runs.my_release().release, targets().positions
    key = ("noise subtraction", *runs.release_key(), state.scenario().study, state.scenario().seed)
    return runs.remembered(
        key, lambda: float((dp.by_subtraction(release, people) == release.encoded.secret[people]).mean())
    )  # fmt: skip


def guarantees(measure: str, progress: Progress | None = None) -> pd.DataFrame:
    """The chart of the purpose: a line for the partitions, one for each epsilon."""
    confidence = state.scenario().confidence
    found, now = targets(progress), float(state.get("noise_epsilon"))
    column = {"mean": "mean", "hit": "hit", "share": "share"}[measure]
    parts = [
        pd.DataFrame(
            {"releases": found.frame["releases"], "share": found.frame[column], "line": "partitions",
             "series": "breached", "strong": True}
        )
    ]  # fmt: skip
    for epsilon in epsilons():
        attack = noisy(epsilon)
        share = {"mean": attack.confidence.mean(axis=1), "hit": attack.hit.mean(axis=1)}.get(measure)
        if share is None:
            share = attack.breached(confidence)
        parts.append(
            pd.DataFrame(
                {"releases": np.arange(1, MOST + 1), "share": share, "line": f"noise, ε = {epsilon:g}",
                 "series": "other release", "strong": epsilon == now}
            )
        )  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def cost(releases: int) -> dp.Composition:
    """What so many tables of the chosen kind cost together."""
    chosen = mechanism()
    return dp.compose([dp.Cost(chosen.epsilon, chosen.delta)] * releases, SLACK)


# ---- error ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of the same queries.

    Parameters
    ----------
    noisy
        ``epsilon, error`` with simulated noise.
    partition, cells
        Of my release, and of the grid without noise.
    now
        Of the noisy table at the chosen epsilon.
    """

    noisy: pd.DataFrame
    partition: QueryError
    cells: QueryError
    now: QueryError


def _queries(everything: bool) -> Queries:
    """Random counts over the columns of the noisy table, or over all quasi-identifiers."""
    encoded, seed = runs.encoded(), state.scenario().seed
    names = {name for name, _ in grid()}
    asked = [i for i, domain in enumerate(encoded.qids) if everything or not names or domain.name in names]
    drawn = random_queries(tuple(encoded.qids[i] for i in asked), QUERIES, seed)
    size = np.array([domain.size for domain in encoded.qids])
    low, high = np.zeros((QUERIES, len(size)), dtype=np.int64), np.tile(size - 1, (QUERIES, 1))
    about = np.zeros(low.shape, dtype=bool)
    low[:, asked], high[:, asked], about[:, asked] = drawn.low, drawn.high, drawn.asked
    return Queries(low, high, about)


def _noisy_error(queries: Queries, truth: Any, made: dp.Mechanism) -> QueryError:
    """Error of one noisy table, kept for itself: moving epsilon leaves the other points of the curve as they are."""
    counted, encoded, seed = table(), runs.encoded(), state.scenario().seed

    def make() -> QueryError:
        drawn = dp.simulate(counted.counts.shape, made, seed)
        return dp.noisy_query_error(counted, encoded, queries, truth, counted.counts + drawn)

    return runs.remembered(("noise error", *_data(), grid(), made, seed, bool(state.get("noise_everything"))), make)


def _without_noise() -> tuple[Queries, QueryError, QueryError]:
    """The queries, the error of the cells without noise, and that of my release: no epsilon moves them."""
    everything = bool(state.get("noise_everything"))

    def make() -> tuple[Queries, QueryError, QueryError]:
        release, queries = runs.my_release().release, _queries(everything)
        truth = count_records(release, queries)
        cells = dp.noisy_query_error(table(), runs.encoded(), queries, truth)
        return queries, cells, QueryError(truth, count_released(release, queries))

    seed = state.scenario().seed
    return runs.remembered(("noise queries", *runs.release_key(), grid(), seed, everything), make)


def errors(progress: Progress | None = None) -> Errors:
    """Answer the same random counts from my release and from noisy tables."""
    seed, chosen, everything = state.scenario().seed, mechanism(), bool(state.get("noise_everything"))

    def make() -> Errors:
        queries, without, partition = _without_noise()
        truth = without.truth
        rows, now = [], None
        wanted = sorted({*ERROR_EPSILONS, chosen.epsilon})
        for number, epsilon in enumerate(wanted):
            found = _noisy_error(queries, truth, mechanism(epsilon))
            rows.append({"epsilon": epsilon, "error": found.absolute, "relative": found.median_relative})
            now = found if epsilon == chosen.epsilon else now
            if progress is not None:
                progress((number + 1) / len(wanted))
        assert now is not None
        return Errors(
            pd.DataFrame(rows),
            partition,
            without,
            now,
        )

    return runs.remembered(("noise errors", *runs.release_key(), grid(), chosen, seed, everything), make)


# ---- ledger and noisy table ------------------------------------------------------------------


def ledger() -> dp.Ledger:
    """What was drawn from the present data in this session, and the budget."""
    # By data: who loads another table and comes back has not got the budget back.
    mine: tuple[dp.Entry, ...] = st.session_state.get(_LEDGER, {}).get(state.workspace().table.content_id, ())
    spent = dp.basic([entry.cost for entry in mine])
    budget = max(float(state.get("noise_budget")), spent.epsilon)
    return dp.Ledger(dp.Cost(budget, max(1e-3, spent.delta)), mine)


def _book(after: dp.Ledger) -> None:
    data = state.workspace().table.content_id
    st.session_state[_LEDGER] = {**st.session_state.get(_LEDGER, {}), data: after.entries}


def book_earlier(what: str, epsilon: str, delta: str) -> None:
    """Enter a table that was published before this session, by typed numbers; a refusal changes nothing."""
    spent = dp.check_epsilon(dp.read_number(epsilon, "epsilon"))
    small = dp.read_number(delta, "delta") if delta.strip() else 0.0
    cost = dp.Cost(spent, dp.check_delta(small) if small else 0.0)
    _book(ledger().spend(what.strip()[:60] or "Published before", cost))


def draw(progress: Progress | None = None) -> None:
    """Spend from the ledger, then draw a noisy table; a refusal changes nothing."""
    chosen, counted = mechanism(), table()
    names = ", ".join([*(axis.domain.name for axis in counted.axes), counted.sensitive.name])
    after = ledger().spend(names, dp.Cost(chosen.epsilon, chosen.delta))
    _book(after)  # first: a draw that is cut short has still been made
    st.session_state[_DRAWN] = (state.workspace().table.content_id, dp.publish(counted, chosen, progress))


def drawn() -> dp.NoisyTable | None:
    """The latest noisy table of the present data."""
    data, found = st.session_state.get(_DRAWN, (None, None))
    return found if data == state.workspace().table.content_id else None


def downloaded(found: dp.NoisyTable) -> None:
    """Remember the digest of a download of the present data: a report can only name it, since noise has no seed."""
    made = found.mechanism
    entry = NoisyDownload(
        hashlib.sha256(found.package()).hexdigest(), made.epsilon, made.delta, made.words, dp.RELATION
    )  # fmt: skip
    data = state.workspace().table.content_id
    if entry not in downloads():
        every = st.session_state.get(_DOWNLOADS, {})
        st.session_state[_DOWNLOADS] = {**every, data: (*downloads(), entry)}


def downloads() -> tuple[NoisyDownload, ...]:
    """Noisy tables of the present data that were downloaded in this session."""
    found: tuple[NoisyDownload, ...] = st.session_state.get(_DOWNLOADS, {}).get(state.workspace().table.content_id, ())
    return found


# ---- games -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Game:
    """The games of a small table: the sanitizer, its games, and whether Theorem 18 applies."""

    worlds: semantics.Worlds
    sanitizer: semantics.Sanitizer
    games: semantics.Games
    prior: Any


def play(kind: str, beliefs: tuple[tuple[float, ...], ...], epsilon: float) -> Game:
    """Enumerate the games of one sanitizer under an edited prior."""

    def make() -> Game:
        weights = np.array(beliefs)
        worlds = semantics.Worlds(*weights.shape)
        believed = worlds.prior(weights)
        if kind == "laplace":
            sanitizer = semantics.laplace_histogram(worlds, epsilon)
        elif kind == "partition":
            sanitizer = semantics.k_anonymous(worlds, min(2, worlds.people))
        else:
            sanitizer = semantics.one_at_random(worlds)
        return Game(worlds, sanitizer, semantics.play(worlds, sanitizer, believed), believed)

    return runs.remembered(("noise game", kind, beliefs, epsilon if kind == "laplace" else 0.0), make)


def game_curve(beliefs: tuple[tuple[float, ...], ...], epsilon: float) -> pd.DataFrame:
    """Largest difference against epsilon under this prior, and the bounds as far as they say anything."""

    def make() -> pd.DataFrame:
        weights = np.array(beliefs)
        worlds = semantics.Worlds(*weights.shape)
        at = sorted({*GAME_EPSILONS, epsilon})
        largest = semantics.sweep_games(worlds, worlds.prior(weights), at)
        rows = [(e, d, "largest difference in these games", "breached") for e, d in zip(at, largest, strict=True)]
        rows += [(e, semantics.sharp(e).distance, "tanh(ε/2), ours", "my release") for e in at]
        small = dp.default_delta(worlds.people)
        for words, series, bound in (
            ("e^ε − 1, Proposition 15", "other release", semantics.proposition_15),
            ("e^3ε − 1 + 2√δ, Theorem 16", "guessing", lambda e: semantics.theorem_16(e, small, worlds.people)),
        ):
            rows += [(e, bound(e).distance, words, series) for e in at if bound(e).distance < 1]
        return pd.DataFrame(rows, columns=["epsilon", "distance", "line", "series"])

    return runs.remembered(("noise game curve", beliefs, epsilon), make)

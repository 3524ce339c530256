"""Results of the differential privacy page, kept like every other result of the session."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import dp
from core.base.arrays import Progress
from core.base.errors import CompositionError, ParameterError, shown_name
from core.data.domain import Domain
from core.dp import semantics
from core.dp.truthful_release import TruthfulTable, beliefs_in_truthful, publish_truthful
from core.release.query_error import Queries, QueryError, count_codes, count_records, count_released, random_queries
from core.report import NoisyDownload
from core.study.hospitals import Study
from pages.shared import noise_grid, results, session
from pages.shared.noise_downloads import _DOWNLOADS, downloads
from pages.shared.results import data_key

EPSILONS = (0.1, 0.5, 1.0, 2.0)
"""Of the chart of both guarantees; the chosen one is added."""
ERROR_EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
GAME_EPSILONS = tuple(float(f"{e:.3g}") for e in np.geomspace(0.02, 5, 25))
MOST = results.MOST
CELLS_DRAWN = 250_000
"""Most cells of noise drawn for one error."""
QUERIES = 500
FEW_CELLS = 25_000
SLACK = 1e-9
"""Further delta of advanced composition."""
_LEDGER = "noise:ledger"
_DRAWN = "noise:drawn"
_TRUTHFUL = "noise:truthful"
_APART = "noise:told apart"


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
    return results.remembered(("noise mechanism", name, wanted, small), lambda: dp.mechanism(name, wanted, small))


def columns() -> tuple[str, ...]:
    """Quasi-identifiers of the noisy table: as chosen, else the first that together make at most 25,000 cells."""
    chosen = noise_grid.chosen_columns()
    if chosen is not None:
        return chosen
    return session.once("noise columns", lambda: noise_grid.columns_within(FEW_CELLS))


def domains() -> tuple[Domain, ...]:
    """Columns of the noisy table, the sensitive one last."""
    encoded, chosen = results.encoded(), columns()
    return (*(domain for domain in encoded.qids if domain.name in chosen), encoded.sensitive)


def undeclared() -> tuple[str, ...]:
    """Columns of the noisy table whose domain nobody has declared: while there are any, nothing can be drawn."""
    known = noise_grid.confirmed()
    return tuple(domain.name for domain in domains() if domain.name not in known)


def open_columns() -> tuple[str, ...]:
    """Columns whose values are told over a threshold."""
    known = noise_grid.confirmed()
    return tuple(domain.name for domain in domains() if domain.name in known and not known[domain.name].closed)


def grid() -> tuple[tuple[str, dp.Declared], ...]:
    """Domain of each column of the noisy table, the sensitive one last."""
    return session.once(
        "noise grid", lambda: tuple((domain.name, noise_grid.declared_of(domain)) for domain in domains())
    )


def cells() -> int:
    """Cells of the chosen grid, whether or not they are too many."""
    *qids, sensitive = (noise_grid.axis(domain) for domain in domains())
    return dp.count_cells(tuple(qids), sensitive)


def table() -> dp.ContingencyTable:
    """True counts of the chosen grid; raises LimitError above a million cells."""
    wanted = grid()
    return results.remembered(
        ("noise table", *data_key(), wanted), lambda: noise_grid.counted(wanted[:-1], wanted[-1][1])
    )


def records() -> int:
    """n: people of the table before any record was left out, the same for every neighbouring table."""
    encoded = results.encoded()
    return encoded.everybody or encoded.people


def threshold() -> dp.Threshold | None:
    """Threshold of a grid with open columns; raises ParameterError where the noise does not go with one."""
    if not open_columns():
        return None
    made = mechanism()
    if made.name != "laplace":
        raise ParameterError(
            "A column whose values are not listed goes with Laplace noise; choose that, or list its values.",
            parameter="mechanism",
        )
    return dp.threshold_for(made, delta())


def promise() -> dp.Cost:
    """Epsilon and delta of one table as it would be drawn."""
    made = mechanism()
    return dp.Cost(made.epsilon, delta() if made.delta or open_columns() else 0.0)


# ---- both guarantees -----------------------------------------------------------------------


def widest() -> Study:
    """The study with as many hospitals as the chart has; how many are chosen takes no part in it."""
    return results.widest()


def _targets_key() -> tuple[Any, ...]:
    scenario = session.scenario()
    return ("noise targets", *data_key(), widest(), scenario.confidence, scenario.seed)


def drawn_times() -> int:
    """Draws of the hospitals behind what is shown: all of them where they were made or take no time, else one."""
    repeats = session.scenario().repeats
    few = results.encoded().people * MOST * repeats <= results.AT_ONCE
    # What was seen in the draws may be forgotten before the answer from them, which is looked for sooner.
    made = few or results.is_remembered((*_targets_key(), repeats)) or results.is_seen(repeats)
    return repeats if made else 1


def targets(progress: Progress | None = None, repeats: int | None = None) -> dp.StudyTargets:
    """The shared people, attacked after 1 to 8 partition releases, in so many draws of the hospitals.

    By default those of :func:`drawn_times`. The people are those of the first draw however many there are.
    """
    repeats = drawn_times() if repeats is None else repeats
    scenario = session.scenario()

    def make() -> dp.StudyTargets:
        seen = results.seen(repeats, progress)
        return dp.partitions_seen(seen, scenario.confidence, seen[0].positions)

    return results.remembered((*_targets_key(), repeats), make)


def prior() -> Any:
    """(values,) what the adversary believes beforehand."""
    return dp.prior_of(results.encoded(), str(session.get("noise_prior")))


def draws(people: int, values: int) -> int:
    """Times that the noise of the chart is drawn: as many, up to 20, as take no noticeable time."""
    return int(np.clip(1_500_000 // (people * values), 2, 20))


def noisy(epsilon: float, progress: Progress | None = None) -> dp.NoisyAttack:
    """The strongest adversary against 1 to 8 noisy releases about the same people; simulated noise."""
    scenario, chosen, kind = session.scenario(), mechanism(epsilon), str(session.get("noise_prior"))
    encoded, people = results.encoded(), targets(progress).positions

    def make() -> dp.NoisyAttack:
        truth, counted = encoded.secret[people].astype(np.int64), table()
        attacked = dp.NoisyTargets(counted.cell_of[people], truth, counted.sensitive.bin_of)
        times = draws(len(people), encoded.sensitive.size)
        return dp.attack_noisy(attacked, prior(), chosen, MOST, scenario.seed, times)

    return results.remembered(("noise attack", *data_key(), widest(), scenario.seed, chosen, kind, grid()), make)


def epsilons() -> tuple[float, ...]:
    """Epsilons of the chart."""
    return tuple(sorted({*EPSILONS, float(session.get("noise_epsilon"))}))


def subtraction() -> float:
    """Share of the shared people whose value the strongest adversary reads off my one partition release."""
    release, people = results.my_release().release, targets().positions
    key = ("noise subtraction", *results.release_key(), widest(), session.scenario().seed)
    return results.remembered(
        key, lambda: float((dp.by_subtraction(release, people) == release.encoded.secret[people]).mean())
    )


def guarantees(measure: str, progress: Progress | None = None) -> pd.DataFrame:
    """The chart of the purpose: a line for the partitions, one for each epsilon."""
    confidence = session.scenario().confidence
    outcome, present = targets(progress), float(session.get("noise_epsilon"))
    column = {"mean": "mean", "hit": "hit", "share": "share"}[measure]
    parts = [
        pd.DataFrame(
            {
                "releases": outcome.frame["releases"],
                "share": outcome.frame[column],
                "line": "partitions",
                "series": "breached",
                "strong": True,
            }
        )
    ]
    for epsilon in epsilons():
        attack = noisy(epsilon)
        share = {"mean": attack.confidence.mean(axis=1), "hit": attack.hit.mean(axis=1)}.get(measure)
        if share is None:
            share = attack.breached(confidence)
        parts.append(
            pd.DataFrame(
                {
                    "releases": np.arange(1, MOST + 1),
                    "share": share,
                    "line": f"noise, ε = {epsilon:g}",
                    "series": "other release",
                    "strong": epsilon == present,
                }
            )
        )
    with contextlib.suppress(CompositionError):  # without a grid the other lines stand alone
        frame = truthful(progress)
        if frame is not None:
            line = f"truthful, ε = {noise_grid.truthful_sampling().replaced.epsilon:g}"
            parts.append(frame[["releases"]].assign(share=frame[column], line=line, series="guessing", strong=False))
    return pd.concat(parts, ignore_index=True)


def truthful(progress: Progress | None = None) -> pd.DataFrame | None:
    """What truthful tables of 1 to 8 hospitals leave to believe of the same people: one draw of each.

    ``None`` where other people are shared once the files are left out: a file gives no records to draw a table from.
    """

    def make() -> pd.DataFrame | None:
        drawn = noise_grid.truthful_study(MOST, progress)
        if not np.array_equal(np.sort(drawn.people), np.sort(targets(progress).positions)):
            return None
        truth = results.encoded().secret[drawn.people].astype(np.int64)
        bins = drawn.mine.table.sensitive.bin_of
        confidence = session.scenario().confidence
        return beliefs_in_truthful(drawn.tables, drawn.cells, truth, prior(), bins, confidence)

    kind = str(session.get("noise_prior"))
    return results.remembered(("noise truthful", *noise_grid.truthful_key(MOST), *_targets_key(), kind), make)


def cost(releases: int) -> dp.Composition:
    """What so many tables of the chosen kind cost together."""
    return dp.compose([promise()] * releases, SLACK)


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
    chosen
        Of the noisy table at the chosen epsilon.
    """

    noisy: pd.DataFrame
    partition: QueryError
    cells: QueryError
    chosen: QueryError


def _queries(everything: bool) -> Queries:
    """Random counts over the columns of the noisy table, or over all quasi-identifiers."""
    encoded, seed = results.encoded(), session.scenario().seed
    names = set(columns())
    chosen = [i for i, domain in enumerate(encoded.qids) if everything or not names or domain.name in names]
    drawn = random_queries(tuple(encoded.qids[i] for i in chosen), QUERIES, seed)
    size = np.array([domain.size for domain in encoded.qids])
    low, high = np.zeros((QUERIES, len(size)), dtype=np.int64), np.tile(size - 1, (QUERIES, 1))
    about = np.zeros(low.shape, dtype=bool)
    low[:, chosen], high[:, chosen], about[:, chosen] = drawn.low, drawn.high, drawn.constrained
    return Queries(low, high, about)


def draws_of_noise() -> int:
    """Noisy tables behind each error: ten, or fewer where the grid is large."""
    return max(1, min(10, CELLS_DRAWN // table().counts.size))


def _noisy_error(queries: Queries, truth: Any, made: dp.Mechanism) -> QueryError:
    """Error of noisy tables, kept for itself: moving epsilon leaves the other points of the curve as they are.

    The counts of one table have cells, and so noise, in common. Over several draws the curve shows
    what noise costs, not how one draw fell out.
    """
    counted, encoded, seed = table(), results.encoded(), session.scenario().seed

    def make() -> QueryError:
        answers = []
        for number in range(draws_of_noise()):
            drawn = dp.simulate(counted.counts.shape, made, np.random.default_rng((seed, number)))
            answers.append(dp.noisy_query_error(counted, encoded, queries, truth, counted.counts + drawn).answer)
        return QueryError(np.tile(truth, len(answers)), np.concatenate(answers))

    return results.remembered(
        ("noise error", *data_key(), grid(), made, seed, bool(session.get("noise_everything"))), make
    )


def _without_noise() -> tuple[Queries, QueryError, QueryError]:
    """The queries, the error of the cells without noise, and that of my release: no epsilon moves them."""
    everything = bool(session.get("noise_everything"))

    def make() -> tuple[Queries, QueryError, QueryError]:
        release, queries = results.my_release().release, _queries(everything)
        truth, encoded = count_records(release, queries), results.encoded()
        # A noisy table counts one record a person, so it is held against these.
        counted = truth if encoded.person is None else count_codes(encoded.codes[:, encoded.first_records], queries)
        cells = dp.noisy_query_error(table(), encoded, queries, counted)
        return queries, cells, QueryError(truth, count_released(release, queries))

    seed = session.scenario().seed
    return results.remembered(("noise queries", *results.release_key(), grid(), seed, everything), make)


def errors(progress: Progress | None = None) -> Errors:
    """Answer the same random counts from my release and from noisy tables."""
    seed, chosen, everything = session.scenario().seed, mechanism(), bool(session.get("noise_everything"))

    def make() -> Errors:
        queries, without, partition = _without_noise()
        truth = without.truth  # of persons with several records, the first of each
        rows, present = [], None
        wanted = sorted({*ERROR_EPSILONS, chosen.epsilon})
        for number, epsilon in enumerate(wanted):
            error = _noisy_error(queries, truth, mechanism(epsilon))
            rows.append({"epsilon": epsilon, "error": error.absolute, "relative": error.median_relative})
            present = error if epsilon == chosen.epsilon else present
            if progress is not None:
                progress((number + 1) / len(wanted))
        assert present is not None
        return Errors(pd.DataFrame(rows), partition, without, present)

    return results.remembered(("noise errors", *results.release_key(), grid(), chosen, seed, everything), make)


# ---- ledger and noisy table ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Spent:
    """What was published about the people of one origin.

    Parameters
    ----------
    entries
        Tables and what they cost.
    marks
        Digests of the records that were drawn from, see :func:`core.dp.marks_of`, by content id.
    """

    entries: tuple[dp.Entry, ...] = ()
    marks: Mapping[str, Any] = field(default_factory=dict)


def origin() -> str:
    """Name of where the data come from, as it was typed; "" while nobody has named it."""
    return str(session.get("noise_origin"))


def name_origin(text: str) -> None:
    """Name the origin of the present data; capitals and spaces around it make no other origin."""
    flat = " ".join("".join(ch if ch.isprintable() else " " for ch in text).split())[:60]
    known = {name.casefold(): name for name in origins()}
    session.put("noise_origin", known.get(flat.casefold(), flat))


def origins() -> tuple[str, ...]:
    """Origins that something was published of in this session, oldest first."""
    return tuple(_every())


def _every() -> dict[str, Spent]:
    ledger: dict[str, Spent] = st.session_state.get(_LEDGER, {})
    return ledger


def _put(spent: Spent) -> None:
    st.session_state[_LEDGER] = {**_every(), origin(): spent}


def ledger() -> dp.Ledger:
    """What was published about the people of this origin, and the budget."""
    # By origin: one changed cell, another file or another column has the same people in it.
    return dp.Ledger(float(session.get("noise_budget")), records(), _every().get(origin(), Spent()).entries)


def _marks() -> Any:
    table = session.workspace().table
    return results.remembered(("noise marks", table.content_id), lambda: dp.marks_of(table))


def alike() -> str:
    """Another origin under which at least half of the present records were drawn from; "" without one.

    Somebody can say that they are other people all the same, see :func:`told_apart`.
    """
    others = {name: spent for name, spent in _every().items() if name != origin()}
    if not others:
        return ""
    marks_in_use = _marks()
    for name, spent in others.items():
        answered = frozenset((name, origin())) in st.session_state.get(_APART, ())
        if not answered and any(dp.share_known(marks_in_use, marks) >= dp.SAME for marks in spent.marks.values()):
            return name
    return ""


def told_apart(name: str) -> None:
    """Take it as said that this origin and another one are of other people."""
    st.session_state[_APART] = {*st.session_state.get(_APART, ()), frozenset((name, origin()))}


def _check_origin() -> None:
    """Refuse to draw without an origin, or under another one than these records were drawn from before."""
    if not origin():
        raise ParameterError(
            "Nobody has said where these data come from; name the origin first, since its people share one budget.",
            parameter="origin",
        )
    other = alike()
    if other:
        raise ParameterError(
            f"At least half of these records were drawn from before, under the origin {shown_name(other)}. The same "
            "people have one budget: choose that origin, or say that these are other people.",
            parameter="origin",
        )


def book_earlier(what: str, epsilon: str, delta: str) -> None:
    """Enter a table that was published before this session, by typed numbers; a refusal changes nothing."""
    if not origin():
        _check_origin()
    spent = dp.check_epsilon(dp.read_number(epsilon, "epsilon"))
    small = dp.read_number(delta, "delta") if delta.strip() else 0.0
    cost = dp.Cost(spent, dp.check_delta(small) if small else 0.0)
    after = ledger().note(what.strip()[:60] or "Published before", cost)
    _put(replace(_every().get(origin(), Spent()), entries=after.entries))


def _check_declared() -> None:
    """Refuse to draw while a column has no declared domain."""
    missing = undeclared()
    if missing:
        raise ParameterError(
            f"Nobody has declared the domain of {', '.join(shown_name(name) for name in missing)}; declare it, so that "
            "the cells of the table do not come from the data.",
            parameter=missing[0],
        )


def _spend(what: str, cost: dp.Cost) -> None:
    """Enter a table into the ledger before it is drawn: a draw that is cut short has still been made."""
    after = ledger().spend(what, cost)
    data, before = session.workspace().content_id, _every().get(origin(), Spent())
    _put(Spent(after.entries, {**before.marks, data: _marks()}))


def draw(progress: Progress | None = None) -> None:
    """Spend from the ledger, then draw a noisy table; a refusal changes nothing."""
    _check_declared()
    chosen, counted, least = mechanism(), table(), threshold()
    _check_origin()
    _spend(", ".join(axis.name for axis in counted.every), promise())
    st.session_state[_DRAWN] = (session.workspace().content_id, dp.publish(counted, chosen, least, progress))


def draw_truthful(progress: Progress | None = None) -> None:
    """Spend from the ledger, then draw a truthful table; a refusal changes nothing."""
    _check_declared()
    if open_columns():
        raise ParameterError(
            "A truthful table has no threshold for values that nobody has listed; declare a domain for each column.",
            parameter=open_columns()[0],
        )
    chosen, counted = noise_grid.truthful_sampling(), table()
    _check_origin()
    _spend(f"truthful: {', '.join(axis.name for axis in counted.every)}", chosen.replaced)
    truthful_table = publish_truthful(counted, chosen, progress)
    st.session_state[_TRUTHFUL] = (session.workspace().content_id, truthful_table)


def drawn_truthful() -> TruthfulTable | None:
    """The latest truthful table of the present data."""
    data, table = st.session_state.get(_TRUTHFUL, (None, None))
    return table if data == session.workspace().content_id else None


def drawn() -> dp.NoisyTable | None:
    """The latest noisy table of the present data."""
    data, table = st.session_state.get(_DRAWN, (None, None))
    return table if data == session.workspace().content_id else None


def downloaded(table: dp.NoisyTable | TruthfulTable) -> None:
    """Remember the digest of a download of the present data: a report can only name it, since a draw has no seed."""
    words = table.mechanism.words if isinstance(table, dp.NoisyTable) else "sampling without noise"
    digest = hashlib.sha256(table.package()).hexdigest()
    entry = NoisyDownload(digest, table.cost.epsilon, table.cost.delta, words, dp.RELATION)
    data = session.workspace().content_id
    if entry not in downloads():
        every = st.session_state.get(_DOWNLOADS, {})
        st.session_state[_DOWNLOADS] = {**every, data: (*downloads(), entry)}


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

    return results.remembered(("noise game", kind, beliefs, epsilon if kind == "laplace" else 0.0), make)


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

    return results.remembered(("noise game curve", beliefs, epsilon), make)

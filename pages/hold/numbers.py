"""The ways to bring exposure down, what each comes to, and what makes one my release."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import CompositionError, Scenario, dp
from core.base.arrays import Ints, Progress
from core.base.rates import candidate_limit
from core.data.agreed import AgreedList
from core.decision.scenario import world
from core.dp.truthful_release import TruthfulTable, exposure_of_truthful
from core.release.algorithm import ALGORITHMS
from core.release.query_error import QueryError, count_records, query_error, random_queries
from core.release.release import Release
from core.release.utility import gcp
from core.study.hold import Drawn, agreed, exposure, most_hospitals, over_draws
from core.study.run import Whole, seeds
from core.study.vary import with_drawn
from pages.shared import agreed as lists
from pages.shared import noise_grid, results, session, turns
from pages.shared.results import data_key

NOW, AGREED, ALONE, TRUTHFUL = "now", "agreed", "alone", "truthful"
FILE_KEY = "hold:file"


@dataclass(frozen=True, eq=False)
class Way:
    """One way to publish.

    Parameters
    ----------
    name
        One of the names above.
    words
        What its line is called.
    scenario
        The scenario that it would make; ``None`` where it is refused, or no list is loaded yet.
    refused
        Why it cannot be.
    """

    name: str
    words: str
    scenario: Scenario | None = None
    refused: CompositionError | None = None


# ---- the ways --------------------------------------------------------------------------------


def listed() -> AgreedList | None:
    """The agreed list that is chosen on the page; ``None`` while its file is not loaded.

    Raises
    ------
    CompositionError
        Where it is none, or leaves one value.
    """
    encoded, way = results.encoded(), source()
    tree = encoded.sensitive.taxonomy
    if way == lists.TREE and tree is not None:
        level, least = min(int(session.get("hold_level")), tree.height), int(session.get("hold_least"))
        return lists.checked(AgreedList.from_taxonomy(tree, level, least))
    if way == lists.EXAMPLE:
        return lists.checked(lists.from_example(int(session.get("hold_least"))))
    file = st.session_state.get(FILE_KEY)
    if file is None:
        return session.workspace().schema.agreed
    raw, least = file.getvalue(), int(session.get("hold_least"))
    key = ("hold list", *data_key(), way, least, hashlib.sha256(raw).hexdigest())
    return results.remembered(
        key,
        lambda: lists.checked(
            AgreedList.from_file(raw) if way == lists.FILE else lists.from_shares(raw, least, encoded)
        ),
    )


def source() -> str:
    """Where the list comes from; the first that can be where the choice cannot."""
    able = lists.ways(results.encoded())
    chosen = str(session.get("hold_from"))
    return chosen if chosen in able else able[0]


def way(name: str) -> Way:
    """One of the ways whose releases are partitions, under the present choices."""
    scenario = session.scenario()
    if name == NOW:
        return Way(NOW, "as set now", scenario)
    try:
        return _agreed(scenario, alone=name == ALONE)
    except CompositionError as error:
        return Way(name, WORDS[name], refused=error)


WORDS = {
    NOW: "as set now",
    AGREED: "agreed list",
    ALONE: "agreed list, mine only",
    TRUTHFUL: "truthful, differentially private",
}


def _agreed(scenario: Scenario, alone: bool) -> Way:
    name, buckets = ALONE if alone else AGREED, listed()
    if buckets is None:
        return Way(name, WORDS[name])
    schema = scenario.schema.with_(agreed=buckets)
    results.encoded_as(schema)  # refuses a list that lacks a value of the table
    changed = agreed(scenario.study, buckets.least, alone)
    return Way(name, WORDS[name], scenario.with_(schema=schema, hospitals=changed.hospitals))


def is_mine(way: Way) -> bool:
    """Whether a way is what is set now."""
    scenario = session.scenario()
    return way.scenario is not None and (way.scenario.schema, way.scenario.hospitals) == (
        scenario.schema,
        scenario.hospitals,
    )


def take(name: str) -> None:
    """Make a way my release: the scenario of the session becomes that of the way."""
    chosen = way(name).scenario
    if chosen is None:
        return
    if chosen.schema != session.workspace().schema:
        session.change_schema(chosen.schema)
    session.adopt(chosen)


# ---- what they come to -----------------------------------------------------------------------


def is_quick(way: Way) -> bool:
    """Whether all its hospitals publish in less than a blink."""
    return others_are_quick(way) and ALGORITHMS[_of(way).mine.algorithm].quick


def others_are_quick(way: Way) -> bool:
    """The same of the others alone: mine publishes once, however many there are."""
    return all(ALGORITHMS[hospital.algorithm].quick for hospital in _of(way).hospitals[1:])


_WANTED = "hold:wanted"


def want_all() -> None:
    """Have every line drawn to its end, with all redraws, under the present choices."""
    st.session_state[_WANTED] = _everything()


def wants_all() -> bool:
    """Whether that was asked for under the present choices."""
    return bool(st.session_state.get(_WANTED) == _everything())


def _everything() -> tuple[Any, ...]:
    ways = [way(name) for name in (NOW, AGREED)]
    return tuple(_key(way.scenario, way.scenario.repeats) for way in ways if way.scenario is not None)


def least_left(way: Way) -> int | None:
    """Values that the agreed list leaves of everybody, however many publish; ``None`` where somebody keeps to none."""
    return world.least_left(_of(way))


def hospitals_disagree() -> bool:
    """Whether a shared person can carry another value elsewhere, as in a file: then nothing may be left of some."""
    others = session.scenario().hospitals[1:]
    return any(hospital.agreement < 1 or hospital.upload is not None for hospital in others)


def promised(way: Way, frame: pd.DataFrame) -> pd.DataFrame:
    """The line of the agreed list beyond the hospitals that were drawn: 0, where its buckets have more values.

    Where they do not, the line ends. ``draws`` is 0 there: the guarantee says it, nobody has tried it.
    """
    further = range(int(frame["releases"].max()) + 1, most() + 1)
    least = least_left(way)
    if least is None or not further:
        return frame
    limit = candidate_limit(_of(way).confidence)
    none = {"one": 0.0, "one_right": 0.0}
    few = 0.0 if least > limit else math.nan
    rows = [{**none, "releases": number, "few": few, "few_right": few, "draws": 0} for number in further]
    more = pd.DataFrame(rows).assign(n=int(frame["n"].iloc[0]), fewest=least)
    return pd.concat([frame, more[list(frame.columns)]], ignore_index=True)


def most() -> int:
    """Hospitals that the lines go up to."""
    return most_hospitals(with_drawn(session.scenario().study), results.encoded().people)


def release(way: Way, progress: Progress | None = None) -> Release:
    """My release of the whole table under a way."""
    return results.my_release(progress, way.scenario).release


def _key(scenario: Scenario, draws: int) -> tuple[Any, ...]:
    return ("hold line", *data_key(scenario), scenario.study, scenario.confidence, scenario.seed, most(), draws)


def _of(way: Way) -> Scenario:
    assert way.scenario is not None
    return way.scenario


def known(way: Way) -> pd.DataFrame | None:
    """The line of a way as well as it is known: a row a number of hospitals, from 2 on."""
    scenario = _of(way)
    for draws in (scenario.repeats, 1):
        if results.is_remembered(_key(scenario, draws)):
            frame: pd.DataFrame = results.remembered(_key(scenario, draws), pd.DataFrame)
            return frame
    part = _parts().get(way.name)
    return part.frame if part is not None and part.key == _key(scenario, 1) else None


@dataclass(eq=False)
class _Part:
    """One draw of a way, of which some hospitals have published."""

    key: tuple[Any, ...]
    drawn: Drawn
    mine: Whole
    frame: pd.DataFrame | None = None


def _parts() -> dict[str, _Part]:
    return results.remembered(("hold parts", *data_key()), dict)


def grow(way: Way, hospitals: int, progress: Progress | None = None) -> pd.DataFrame:
    """The line of a way up to so many hospitals, one draw; what was made before is kept."""
    scenario = _of(way)
    key, parts = _key(scenario, 1), _parts()
    if results.is_remembered(key):
        return results.remembered(key, pd.DataFrame)
    alive = turns.breathing(progress)
    part = parts.get(way.name)
    if part is None or part.key != key:
        part = parts[way.name] = _begun(scenario, seeds(scenario.seed, 1)[0], release(way, alive))
    part.drawn.publish(hospitals, part.mine, alive)
    if part.frame is None or len(part.frame) + 1 < len(part.drawn.releases):
        part.frame = exposure(part.drawn.attacked(), scenario.confidence).assign(draws=1)
    frame = part.frame
    if hospitals >= most():
        del parts[way.name]
        results.remembered(key, lambda: frame)
    return frame


def _begun(scenario: Scenario, seed: np.random.SeedSequence, made: Release) -> _Part:
    study = results.study(scenario)
    begun = Drawn.of(results.encoded_as(scenario.schema), study, seed, most())
    whole = Whole(results.encoded_as(scenario.schema), begun.study, [made])
    return _Part(_key(scenario, 1), begun, whole)


def redraw(way: Way, progress: Progress | None = None) -> pd.DataFrame:
    """The line of a way over all redraws of the scenario."""
    scenario = _of(way)

    def make() -> pd.DataFrame:
        frames, alive = [grow(way, most(), progress)], turns.breathing(progress)
        for number, seed in enumerate(seeds(scenario.seed, scenario.repeats)[1:], start=1):
            part = _begun(scenario, seed, release(way))
            part.drawn.publish(most(), part.mine)
            frames.append(exposure(part.drawn.attacked(), scenario.confidence))
            alive(number / scenario.repeats)
        return over_draws(frames)

    return results.remembered(_key(scenario, scenario.repeats), make)


def query(way: Way) -> QueryError:
    """Error of counts from my release under a way: that of the review and the report."""
    scenario, made = _of(way), release(way)
    mine = scenario.mine
    key = ("hold queries", *data_key(scenario), mine.policy, mine.algorithm, scenario.seed)
    return results.remembered(key, lambda: query_error(made, seed=scenario.seed))


def loss(way: Way) -> float:
    """Information loss of my release under a way."""
    return gcp(release(way))


# ---- truthful ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Truthful:
    """A truthful table of my records, and its line.

    Parameters
    ----------
    mine
        One draw of it.
    frame
        As :func:`core.study.hold.exposure` gives it.
    loss, error
        Of my table.
    people
        Positions of the shared people in my table.
    """

    mine: TruthfulTable
    frame: pd.DataFrame
    loss: float
    error: QueryError
    people: Ints


def truthful(progress: Progress | None = None) -> Truthful:
    """Draw truthful tables of as many hospitals as there may be: one draw of each, with the seed of the study."""
    drawn, scenario, encoded = noise_grid.truthful_study(most(), progress), session.scenario(), results.encoded()

    def make() -> Truthful:
        frame = exposure_of_truthful(drawn.tables, drawn.cells, drawn.truth, scenario.confidence).assign(draws=1)
        queries = random_queries(encoded.qids, seed=scenario.seed)
        matching = count_records(results.my_release().release, queries)
        error = drawn.mine.query_error(encoded, queries, matching)
        return Truthful(drawn.mine, frame, drawn.mine.loss(encoded), error, drawn.people)

    return results.remembered(_truthful_key(), make)


def truthful_known() -> bool:
    """Whether the truthful tables of the present choices are drawn."""
    try:
        return results.is_remembered(_truthful_key())
    except CompositionError:
        return False


def _truthful_key() -> tuple[Any, ...]:
    return ("hold truthful", *noise_grid.truthful_key(most()), session.scenario().confidence)


def to_the_draw() -> None:
    """Have the page Differential privacy draw what is shown here: the same columns, its section open."""
    session.put("noise_columns", noise_grid.truthful_columns())
    st.session_state["noise:sections"] = "Truthful table"


def ceiling(hospitals: int) -> float:
    """Confidence that a belief in the commonest value does not exceed after so many truthful tables, but for delta."""
    prior = float(dp.prior_of(results.encoded(), dp.BASE_RATES).max())
    # One record replaced is two steps of one added or removed.
    return dp.ceiling(prior, hospitals * noise_grid.truthful_sampling().replaced.epsilon)


def floor_of(share: float) -> float:
    """Where a scale of shares ends: the least round number above the largest share."""
    return next(top for top in (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0) if share <= top or math.isclose(top, 1.0))

"""Sweeps: the effect of k, l, t, overlap, same-value rate, number of releases and confidence on the breach.

Within one sweep sizes stay fixed at the smallest that any of its points needs and draws
are nested, else the curve would measure size [definitions §4]. What does not change from
point to point is done once: the draws, and all values of k in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.algorithms import partition_sweep
from core.attack.number import ANY, counted
from core.base.arrays import Codes, Progress, step
from core.base.errors import ParameterError, PolicyError
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import Schema
from core.privacy.policy import Policy, check_policy
from core.release.algorithm import ALGORITHMS, DEFAULT
from core.release.release import Release
from core.release.utility import gcp
from core.study.hospitals import Hospital, Study
from core.study.one_run import Outcome, Whole, attack_parts, outcome_of, release_of, releases_of_parts, seeds
from core.study.publisher import Publisher
from core.study.redraw_numbers import attack_numbers, over_redraws
from core.study.redraws import Redraws
from core.study.vary import at_value, fixed_sizes

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

    from core.data.frequency_table import FrequencyTable
    from core.data.tables.table import Table

__all__ = ["breach_curve", "sweep"]


def sweep(
    encoded: Encoded,
    study: Study,
    vary: str,
    values: Sequence[Any],
    redraws: Redraws | None = None,
    progress: Progress | None = None,
    made: Sequence[Release] = (),
) -> pd.DataFrame:
    """Breach of a study while one thing varies.

    Parameters
    ----------
    encoded
        The table that plays the city.
    study
        Hospitals and overlap at the present setting.
    vary
        One of :func:`core.study.vary.variable`.
    values
        Points of the curve.
    redraws
        Draws of the hospitals and confidences, one line each; one draw by default.
    progress
        Called with the share done; an exception it raises cancels the sweep.
    made
        My releases of the whole table that are there already; they need not be made again.

    Returns
    -------
    DataFrame
        One row per value and confidence: ``vary, value, confidence, n, repeats``, the columns of
        every declared number of the attack (:func:`core.attack.number.exposures`), and
        ``guess`` and, the same for all confidences, ``guess_one, class_size, prior, posterior,
        fewest, drop, vulnerable, empty, false_alarms, unlocated, located, said``. Shares are means
        over redraws, from 0 to 1. Next to each are ``_low`` and ``_high``, the ends of the
        95% interval, ``_single``, the same from the best single release alone, and for those
        exposed ``_wrong``; for ``share`` they are ``low, high, single, wrong``. ``right`` is
        the part of ``share`` whose true value is among those left and ``wrong`` the rest.
        ``hit`` and ``weighted_hit`` are how often the value that each adversary names is
        right, ``guess_one`` how often the most common is, ``guess`` how often the truth is among
        the floor(1/C) most common; ``said`` is the mean confidence of the weighted adversary.
        ``prior`` and ``posterior`` are mean effective anonymity before and after, ``fewest`` the fewest values that
        anyone with a value has left in any redraw. ``unlocated`` is the share of people
        in no class and ``located`` the share whose own class is the only candidate, as means over releases (NaN if not
        known).

    Notes
    -----
    Additional values of k cost little more than the smallest one. 20 values of k, 2 releases,
    30,162 records: some 0.15 s.
    """
    draws = redraws or Redraws()
    rows = redrawn(encoded, study, vary, values, draws, progress, made)
    return over_redraws(rows, vary, draws.repeats, study.model_error)


def redrawn(
    encoded: Encoded,
    study: Study,
    vary: str,
    values: Sequence[Any],
    draws: Redraws,
    progress: Progress | None = None,
    made: Sequence[Release] = (),
) -> pd.DataFrame:
    """Numbers of every draw of a sweep, one row per draw, value and confidence.

    :func:`core.study.redraw_numbers.over_redraws` makes of them what :func:`sweep` returns. So draws can be
    made in parts (:meth:`core.study.redraws.Redraws.parts`), each in a separate process, and put
    together. Parameters are those of :func:`sweep`.
    """
    rows: list[dict[str, float]] = []
    for value, outcome in outcomes(encoded, study, vary, values, draws, progress, made):
        rows += attack_numbers(value, outcome, draws.confidences)
    return pd.DataFrame(rows)


def outcomes(
    encoded: Encoded,
    study: Study,
    vary: str,
    values: Sequence[Any],
    draws: Redraws,
    progress: Progress | None = None,
    made: Sequence[Release] = (),
) -> Iterator[tuple[Any, Outcome]]:
    """Yield (value, outcome) of every draw of a sweep; parameters are those of :func:`sweep`."""
    values = list(dict.fromkeys(values))
    if not values:
        raise ParameterError("A curve needs at least one value.", parameter="values")
    points = draws.repeats * len(values)
    base = fixed_sizes(study, vary, values, encoded.people)
    done = 0
    # Slow algorithms report from inside, so that a newer choice can end the run there too.
    alive = None if progress is None else lambda _: progress(done / points)
    mine = Whole(encoded, base, made)
    for seed in seeds(draws.seed, draws.repeats, draws.first):
        for point in _points(encoded, base, vary, values, seed, alive, mine):
            yield point
            done += 1
            if progress is not None:
                progress(done / points)


def first_draw(
    encoded: Encoded, study: Study, vary: str, values: Sequence[Any], draws: Redraws, progress: Progress | None = None
) -> tuple[list[Codes], list[float], pd.DataFrame] | None:
    """Compute what is known about a curve after its first draw, in one function so that a worker can run it.

    Returns
    -------
    tuple
        For each value the (records,) classes of my release of the whole table and its information loss; then the rows
        of :func:`redrawn`. ``None`` if a release at one of the values is impossible.
    """
    mine = study.hospitals[0]
    try:
        policies = [at_value(study, vary, value).hospitals[0].policy for value in values]
        made = partition_sweep(encoded, policies, mine.algorithm, progress)
        rows = redrawn(encoded, study, vary, values, draws, progress, made if mine.attributes is None else ())
    except PolicyError:
        return None
    return [release.classes.labels for release in made], [gcp(release) for release in made], rows


def _points(
    encoded: Encoded,
    study: Study,
    vary: str,
    values: Sequence[Any],
    seed: np.random.SeedSequence,
    alive: Progress | None,
    mine: Whole,
) -> Iterator[tuple[Any, Outcome]]:
    """Yield (value, outcome) of one redraw; points share common work."""
    if vary == "releases":
        widest = at_value(study, vary, max(values))
        parts = widest.draw(encoded, seed)
        releases = releases_of_parts(widest, parts, alive, mine)
        for value in values:
            yield value, outcome_of(releases[: int(value)], parts[: int(value)], widest)
    elif vary in ("overlap", "same_value_rate", "case_mix"):
        for value in values:
            point = at_value(study, vary, value)
            yield value, attack_parts(point, point.draw(encoded, seed), alive, mine)
    else:
        points = [at_value(study, vary, value) for value in values]
        parts = study.draw(encoded, seed)
        of_hospitals = []
        for number, part in enumerate(parts):
            policies = [point.hospitals[number].policy for point in points]
            of_hospitals.append(
                _of_hospital(part, policies, study.hospitals[number], alive, mine if number == 0 else None)
            )
        for value, their_releases in zip(values, zip(*of_hospitals, strict=True), strict=True):
            yield value, outcome_of(their_releases, parts, study)


def _of_hospital(
    part: Publisher, policies: Sequence[Policy], hospital: Hospital, alive: Progress | None, mine: Whole | None = None
) -> Any:
    """Releases of one hospital for all points; all k of Mondrian in one pass, the others when needed."""
    records = part.to_release
    if records is None:
        return [release_of(part, hospital)] * len(policies)
    if mine is not None and mine.fits:
        return mine.of(records, policies, hospital.algorithm, alive)
    if len(set(policies)) == 1:
        return [release_of(part, replace(hospital, policy=policies[0]), alive)] * len(policies)
    same_but_k = len({replace(policy, k=1) for policy in policies}) == 1 and policies[0].m is None
    if same_but_k and ALGORITHMS[hospital.algorithm].one_pass:
        return partition_sweep(records, policies, hospital.algorithm, alive)
    return (release_of(part, replace(hospital, policy=policy), alive) for policy in policies)


def breach_curve(
    table: Table | FrequencyTable | IntoDataFrame,
    schema: Schema,
    policy: Policy,
    vary: str,
    values: Sequence[Any],
    overlap: int,
    releases: int = 2,
    algorithms: Sequence[str] = (DEFAULT,),
    confidences: Sequence[float] = (1.0, 0.5, 0.25),
    repeats: int = 1,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Compute the exposure of shared people against k, l, t, overlap, same-value rate or number of releases.

    The table is mine, whole; the others are like it [definitions §4]. All follow one policy: one call for a notebook.

    Parameters
    ----------
    table, schema
        The data, a table or a frame of pandas, Polars or Arrow, and the roles of its columns.
    policy
        What every hospital requires of its classes.
    vary
        What the curve is against: ``"k"``, ``"l"``, ``"t"``, ``"overlap"``, ``"same_value_rate"``, ``"case_mix"`` or
        ``"releases"``.
    values
        The points of the curve.
    overlap
        People in every hospital.
    releases
        Hospitals that publish, 2 to 8.
    algorithms
        How classes are formed; one curve for each.
    confidences
        Levels C at which a person counts as exposed, above 0 and at most 1.
    repeats
        Redraws of the hospitals; fewer than 10 give no interval.
    seed
        Same seed, same people.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    DataFrame
        One row per number: ``algorithm``; the value of what varies, in a column of its name such as ``k``;
        ``confidence`` C, NaN for a number that depends on none; ``number``, by its name on the command line
        (``breach`` at C = 1 is a perfect breach); ``share``, a mean over redraws from 0 to 1, with ``low`` and
        ``high``, the ends of its 95% interval; ``single``, the same from the best single release alone.
        :func:`sweep` says more about the same draws, with one row per value and confidence.

    Raises
    ------
    ParameterError, InfeasibleError, SchemaError
        With the parameter or column at fault.

    Examples
    --------
    >>> from composition_dashboard import Policy, breach_curve, examples
    >>> curve = breach_curve(
    ...     examples.city(600), examples.city_schema(), Policy(k=3), vary="k", values=[3, 12], overlap=100, seed=1
    ... )
    >>> shares = curve.query("number == 'breach' and confidence == 1")["share"]
    >>> bool(shares.iloc[0] > shares.iloc[1])
    True
    """
    if not len(algorithms):
        raise ParameterError("A curve needs at least one algorithm.", parameter="algorithms")
    check_policy(policy)
    encoded = encode(table, schema)
    redraws, frames = Redraws(repeats, seed, confidences), []
    for number, algorithm in enumerate(algorithms):
        study = Study.uniform(policy, overlap, releases, algorithm, "resampled")
        part = step(progress, number, len(algorithms))
        frames.append(_by_number(sweep(encoded, study, vary, values, redraws, part), vary, algorithm))
    return pd.concat(frames, ignore_index=True)


def _by_number(frame: pd.DataFrame, vary: str, algorithm: str) -> pd.DataFrame:
    """Rows of a sweep, one row per number; a number that depends on no confidence is there once per value."""
    parts = []
    # Of two numbers in one column, such as a perfect breach and a breach, the last one applies at any confidence.
    for number in {number.column: number for number in counted().values()}.values():
        every = number.read != ANY
        rows = frame if every else frame.drop_duplicates("value", keep="last")
        keys = {"algorithm": algorithm, vary: rows["value"], "confidence": rows["confidence"] if every else np.nan}
        ends = {"low": rows[number.low], "high": rows[number.high], "single": rows[number.single]}
        parts.append(pd.DataFrame({**keys, "number": number.name, "share": rows[number.column], **ends}))
    return pd.concat(parts).sort_index(kind="stable")

"""Settings of my release that are tried over k: the loss of each, and its exposure in the draws of the scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from core import Policy, Scenario
from core.base.arrays import Progress
from core.base.errors import PolicyError
from core.base.wording import count
from core.privacy.parameters import sign
from core.release.algorithm import ALGORITHMS
from core.release.utility import gcp
from core.study.hospitals import Hospital
from core.study.redraw_numbers import over_redraws
from core.study.redraws import Redraws
from core.study.remedies import stricter
from core.study.sweep import first_draw, redrawn
from pages.shared.compute import attack_results, cache, data_results, work_queue
from pages.shared.state import algorithm_choice, session

LS = (3, 5)
"""Numbers of distinct values per class that are tried in addition to the present requirement."""
MANY = 7
"""Value of k above which a line that requires more than k leaves out every second one."""
AT_A_TIME = 3
"""Draws that a worker makes at a time: few, so that all workers end at about the same time."""


def lines() -> dict[str, Scenario]:
    """The scenarios tried, by the words of their line; the present one first."""
    scenario = session.scenario()
    names = algorithm_choice.compared(data_results.encoded(), scenario.mine.algorithm)
    others = [_formed_by(scenario, name) for name in names if ALGORITHMS[name].providers != "needed"]
    asked_for = scenario.mine.policy.l or 1
    by_l = [_asking(scenario, least) for least in LS if asked_for < least <= _most_l()]
    return {line_words(line.mine): line for line in (scenario, *by_l, *others)}


def line_words(mine: Hospital) -> str:
    """How classes are formed, and their requirements in addition to k."""
    return ", ".join([ALGORITHMS[mine.algorithm].short, *_signs(mine.policy)[1:]])


def setting_words(mine: Hospital, k: int) -> str:
    """One setting of a line: "k = 8, l = 3, least loss"."""
    short = ALGORITHMS[mine.algorithm].short
    return ", ".join([f"k = {count(k)}", *_signs(mine.policy)[1:], f"{short[:1].lower()}{short[1:]}"])


def _signs(policy: Policy) -> list[str]:
    return [sign(model, policy.values) for model in policy.models]


def _formed_by(scenario: Scenario, algorithm: str) -> Scenario:
    mine, *others = scenario.hospitals
    return scenario.with_(hospitals=(replace(mine, algorithm=algorithm), *others))


def _asking(scenario: Scenario, least: int) -> Scenario:
    """Distinct l required of my release, and of the others if their requirements equal mine."""
    changed = stricter(scenario.study, l=least, diversity="distinct", c=None).hospitals
    return scenario.with_(hospitals=changed if session.get("their_models") else (changed[0], *scenario.hospitals[1:]))


def _most_l() -> int:
    """The largest l to require of all hospitals: half of the table's values plus one.

    With more, hardly any class could lack a value, and a hospital whose people lack one could not publish.
    """
    encoded = data_results.encoded()
    return max(2, min(30, encoded.known_values // 2 + 1))


def varied() -> str:
    """The k that is varied: that of all hospitals, if all have the same."""
    return "k" if session.get("linked") else "my k"


def points(line: Scenario) -> list[int]:
    """Values of k tried in a line: every second one if it requires more than k, because draws then take longer."""
    every = attack_results.k_points()
    return every if line.mine.policy.only_k or len(every) <= MANY else every[1::2]


def is_known(line: Scenario, repeats: int) -> bool:
    """Whether a line is computed from ``repeats`` redraws."""
    return cache.is_cached(_key(line, repeats, line.confidence))


def worked_out(
    line: Scenario, repeats: int, progress: Progress | None = None, confidence: float | None = None
) -> pd.DataFrame:
    """The settings of a line: ``setting, k, loss`` and the columns of a curve at one confidence.

    ``None`` if a k cannot be met; the confidence is that of the scenario unless it is given.
    """
    level = line.confidence if confidence is None else confidence
    vary, ks = varied(), points(line)

    def make() -> pd.DataFrame:
        try:
            frame = attack_results.curve(vary, ks, repeats, progress, line)
            losses = _losses(line)
        except PolicyError:
            return pd.DataFrame()
        return _settings(line, frame[frame["confidence"] == level].set_index("value").loc[ks], losses)

    return cache.cached(_key(line, repeats, level), make)


def _settings(line: Scenario, numbers: pd.DataFrame, losses: Sequence[float]) -> pd.DataFrame:
    ks = points(line)
    return numbers.reset_index(drop=True).assign(setting=[setting_words(line.mine, k) for k in ks], k=ks, loss=losses)


def _losses(line: Scenario, known: list[float] | None = None) -> list[float]:
    """Loss of my releases of a line, one per k; ``known`` if a worker computed it."""

    def make() -> list[float]:
        if known is not None:
            return known
        return [gcp(made) for made in attack_results.mine_at(line, varied(), points(line))]

    return cache.cached(("losses", *_line_key(line)), make)


def _line_key(line: Scenario) -> tuple[Any, ...]:
    return attack_results.curve_key(varied(), points(line), 0, line)


def _key(line: Scenario, repeats: int, confidence: float) -> tuple[Any, ...]:
    return ("settings tried", confidence, *attack_results.curve_key(varied(), points(line), repeats, line))


# ---- setting by setting ----------------------------------------------------------------------


def so_far(line: Scenario) -> pd.DataFrame:
    """The settings of a line from the draws made so far, as in :func:`worked_out`; none before the first draw.

    ``part`` is the share of all draws that was made for a setting. With less than 1 it has no interval.
    """
    vary, ks, repeats = varied(), points(line), line.repeats
    if is_known(line, repeats) or cache.is_cached(attack_results.curve_key(vary, ks, repeats, line)):
        return worked_out(line, repeats).assign(part=1.0)
    if not is_known(line, 1) or not len(first := worked_out(line, 1)):
        return pd.DataFrame()
    further = _further(line)
    if not further:
        return first.assign(part=1 / repeats)
    begun = _first_draw(line)
    rows = pd.concat([begun[begun["confidence"] == line.confidence], pd.DataFrame(list(further.values()))])
    numbers = over_redraws(rows, vary, repeats, attack_results.study(line).model_error).set_index("value").loc[ks]
    made = np.array([1 + sum(k == of for of, _ in further) for k in ks])
    ends = [name for name in numbers if name in ("low", "high") or str(name).endswith(("_low", "_high"))]
    numbers.loc[made < repeats, ends] = np.nan
    return _settings(line, numbers, _losses(line)).assign(part=made / repeats)


def _first_draw(line: Scenario, known: pd.DataFrame | None = None) -> pd.DataFrame:
    """Numbers of the first draw, at all values of k; made again if the cache has forgotten them."""

    def make() -> pd.DataFrame:
        return _drawing(line, points(line), 0, 1, attack_results.confidences(line))(work_queue.breathing(None))

    key = (*attack_results.draws_key(varied(), points(line), line), 0, 1)
    return cache.cached(key, make if known is None else lambda: known)


def _further(line: Scenario) -> dict[tuple[int, int], dict[Any, Any]]:
    """Numbers of the draws after the first, by k and number of the draw."""
    further: dict[tuple[int, int], dict[Any, Any]] = {}
    return cache.cached(("further draws", line.confidence, *_line_key(line)), lambda: further)


def begin(todo: Sequence[Scenario], progress: Progress | None = None, as_they_are: Sequence[Scenario] = ()) -> None:
    """Make the first draw of some lines, all of their settings, and of scenarios ``as_they_are``, at the same time."""
    tasks = [(line, varied(), points(line)) for line in todo]
    tasks += [(scenario, "releases", [len(scenario.hospitals)]) for scenario in as_they_are]

    def work(scenario: Scenario, vary: str, values: list[int]) -> Callable[[Progress], Any]:
        draws = Redraws(1, scenario.seed, confidences=attack_results.confidences(scenario))
        drawn, records = attack_results.study(scenario), data_results.encoded_as(scenario.schema)
        drawn.prepare(records)
        return partial(first_draw, records, drawn, vary, values, draws)

    def keep(place: int, made: tuple[list[Any], list[float], pd.DataFrame] | None) -> None:
        scenario, vary, values = tasks[place]
        if place >= len(todo):
            if made is not None:
                attack_results.keep_first_draw(scenario, made[0][0], made[2])
        elif made is None:
            for repeats in (1, scenario.repeats):
                cache.cached(_key(scenario, repeats, scenario.confidence), pd.DataFrame)
        else:
            classes, losses, rows = made
            attack_results.mine_at(scenario, vary, values, classes)
            _losses(scenario, losses)
            _first_draw(scenario, rows)
            worked_out(scenario, 1)

    work_queue.in_workers([work(*task) for task in tasks], progress, keep)


def draw_on(targets: Mapping[str, Mapping[int, int]], progress: Progress) -> None:
    """Make more draws: for each line by its words, and each of its k, up to a number of draws."""
    every = lines()
    pieces = [(every[words], *piece) for words in targets for piece in _missing(every[words], targets[words])]
    # The longest first, so that no worker has to wait for a late start.
    pieces.sort(key=lambda piece: len(piece[1]) * piece[3], reverse=True)

    def keep(place: int, rows: pd.DataFrame) -> None:
        line, ks, first, _ = pieces[place]
        for number, row in enumerate(rows.to_dict("records")):
            _further(line)[ks[number % len(ks)], first + number // len(ks)] = row

    work_queue.in_workers([_drawing(*piece) for piece in pieces], progress, keep)


def _missing(line: Scenario, targets: Mapping[int, int]) -> Iterator[tuple[list[int], int, int]]:
    """Missing draws: values of k, first draw, number of draws."""
    further, wanted = _further(line), dict[int, list[int]]()
    for k, target in targets.items():
        missing = [number for number in range(1, line.repeats) if (k, number) not in further]
        for number in missing[: max(0, target - (line.repeats - len(missing)))]:
            wanted.setdefault(number, []).append(k)

    def piece(numbered: tuple[int, int]) -> tuple[list[int], int, int]:
        place, number = numbered
        return wanted[number], number - place, number // AT_A_TIME

    for (ks, _, _), same in groupby(enumerate(sorted(wanted)), piece):
        numbers = [number for _, number in same]
        yield ks, numbers[0], len(numbers)


def _drawing(
    line: Scenario, ks: list[int], first: int, count_of: int, confidences: Sequence[float] = ()
) -> Callable[[Progress], pd.DataFrame]:
    drawn, vary = attack_results.study(line), varied()
    whole = drawn.whole and line.mine.attributes is None
    by_k = dict(zip(points(line), attack_results.mine_at(line, vary, points(line)), strict=True)) if whole else {}
    made = [by_k[k] for k in ks if k in by_k]
    draws = Redraws(count_of, line.seed, confidences=confidences or (line.confidence,), first=first)
    return partial(redrawn, data_results.encoded_as(line.schema), drawn, vary, ks, draws, made=made)

"""Many settings attacked on the same redraws of the hospitals, each as often as it is needed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import pandas as pd

from core.arrays import Progress
from core.attack.number import exposures
from core.privacy.policy import Policy
from core.release.readable import Readable
from core.release.release import Release
from core.review.assessment import confidences
from core.review.case import Case
from core.review.find.grid import Setting, alike_key, at, releases_of
from core.study.hospitals import Hospital
from core.study.numbers import attack_numbers, over_redraws
from core.study.publisher import Publisher
from core.study.run import Whole, outcome_of, release_of, seeds
from core.study.vary import fixed_sizes

MOST_LABELS = 40_000_000
"""Class numbers kept at once."""


class Screening:
    """Attacks on settings of one scenario, a redraw at a time.

    The hospitals of a redraw do not depend on policies, so they are drawn once for all
    settings; releases that come out equal are attacked once.

    Parameters
    ----------
    case
        As for :func:`core.review.assess`.
    alike
        Whether simulated others follow each setting.
    """

    def __init__(self, case: Case, alike: bool) -> None:
        encoded, scenario = case.encoded, case.scenario
        self._encoded, self._scenario, self._alike = encoded, scenario, alike
        self._study = fixed_sizes(case.study, "releases", [len(scenario.hospitals)], encoded.people)
        self._whole = Whole(encoded, self._study)
        self._seeds = seeds(scenario.seed, scenario.repeats)
        self._rows: dict[Setting, list[list[dict[str, float]]]] = {}
        self.refused: dict[Setting, str] = {}
        """Why a setting cannot be met by a hospital of some redraw."""

    def redraws(self, setting: Setting) -> int:
        """On how many redraws a setting was attacked."""
        return len(self._rows.get(setting, ()))

    def shares(self, setting: Setting) -> dict[str, list[float]]:
        """Every share of :func:`core.attack.number.exposures` of each redraw so far."""
        shares: dict[str, list[float]] = {name: [] for name in exposures()}
        for rows in self._rows.get(setting, ()):
            by_confidence = {row["confidence"]: row for row in rows}
            for name, number in exposures().items():
                shares[name].append(by_confidence[number.level(self._scenario.confidence)][number.column])
        return shares

    def frame(self, setting: Setting) -> pd.DataFrame:
        """What :func:`core.study.sweep.sweep` gives for the setting, over the redraws so far."""
        rows = [row for redraw in self._rows[setting] for row in redraw]
        return over_redraws(pd.DataFrame(rows), "releases", self.redraws(setting), self._study.model_error)

    def advance(self, settings: Sequence[Setting], redraws: int, progress: Progress | None = None) -> None:
        """Attack settings until each was attacked on so many redraws, or is refused."""
        todo = {number: self._waiting(settings, number) for number in range(redraws)}
        steps = sum(map(len, todo.values()))
        done = 0
        for number in range(redraws):
            # Who was refused meanwhile does not go on.
            waiting = self._waiting(settings, number) if number else todo[0]
            for chunk in self._chunks(waiting):
                alive = None if progress is None else _still(progress, done / max(1, steps))
                self._attack(chunk, number, alive)
                done = min(steps, done + len(chunk))
        if progress is not None:
            progress(1.0)

    def _waiting(self, settings: Sequence[Setting], number: int) -> list[Setting]:
        return [s for s in settings if self.redraws(s) <= number and s not in self.refused]

    def _chunks(self, settings: list[Setting]) -> list[list[Setting]]:
        size = max(1, MOST_LABELS // (len(self._encoded) * len(self._scenario.hospitals)))
        return [settings[i : i + size] for i in range(0, len(settings), size)]

    def _attack(self, settings: list[Setting], number: int, alive: Progress | None) -> None:
        parts = self._study.draw(self._encoded, self._seeds[number])
        scenarios = [at(self._scenario, setting, self._alike) for setting in settings]
        lanes = [
            self._lane(part, [scenario.hospitals[place] for scenario in scenarios], alive, place == 0)
            for place, part in enumerate(parts)
        ]
        levels = confidences(self._scenario)
        known: dict[Hashable, list[dict[str, float]]] = {}
        for setting, made in zip(settings, zip(*lanes, strict=True), strict=True):
            releases = [release for release in made if not isinstance(release, str)]
            if len(releases) < len(made):
                self.refused[setting] = next(why for why in made if isinstance(why, str))
                continue
            key = tuple(self._key(release) for release in releases)
            if key not in known:
                outcome = outcome_of(releases, parts, self._study)
                known[key] = attack_numbers(len(parts), outcome, levels)
                if alive is not None:
                    alive(0.0)
            self._rows.setdefault(setting, []).append(known[key])

    def _key(self, release: Readable) -> Hashable:
        mine = release.release
        return id(release) if mine is None else alike_key(mine)

    def _lane(
        self, part: Publisher, hospitals: Sequence[Hospital], alive: Progress | None, is_mine: bool = False
    ) -> list[Readable | str]:
        """Releases of one hospital under every setting, or why there is none; mine as the whole table gives it."""
        records = part.to_release
        if records is None:
            same: list[Readable | str] = [release_of(part, hospitals[0])]
            return same * len(hospitals)
        releases: dict[tuple[str, Policy], Release | str] = {}
        for algorithm in dict.fromkeys(hospital.algorithm for hospital in hospitals):
            policies = list(dict.fromkeys(h.policy for h in hospitals if h.algorithm == algorithm))
            if is_mine and self._whole.fits:
                made = [
                    release if isinstance(release, str) else self._whole.ordered(records, release)
                    for release in releases_of(self._encoded, policies, algorithm, alive)
                ]
            else:
                made = releases_of(records, policies, algorithm, alive)
            releases |= {(algorithm, policy): release for policy, release in zip(policies, made, strict=True)}
        return [releases[hospital.algorithm, hospital.policy] for hospital in hospitals]


def _still(progress: Progress, share: float) -> Progress:
    # Slow algorithms report from inside, so that a newer choice can end the run there too.
    return lambda _: progress(share)

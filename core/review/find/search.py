"""Which setting costs least under all limits: what is cheap and exact first, the attack for what is left."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from core.arrays import Progress, part, step
from core.attack.number import exposures
from core.metrics import MET, METRICS, NOT_MET, ON_AVERAGE
from core.rates import MIN_REDRAWS
from core.release.algorithm import ALGORITHMS
from core.release.release import Release
from core.review.assessment import drawn
from core.review.case import Case
from core.review.find.grid import Counted, Setting, at, broken, miss, plain, releases_of, weight
from core.review.find.screening import Screening

MARGIN = 8.0
"""Standard errors above a limit after which a setting is left."""


class Choosing:
    """One search, stage by stage; what it learns of each setting stays here.

    Parameters
    ----------
    case, alike
        As for :func:`core.review.find_setting`.
    asked
        Settings to choose among.
    screen
        Redraws after which settings far above a limit are left; ``None`` leaves nothing that is
        not certain.
    on_average
        Whether a limit that is met on average only counts as met.
    """

    def __init__(
        self, case: Case, settings: Sequence[Setting], alike: bool, screen: int | None, on_average: bool
    ) -> None:
        scenario = case.scenario
        self.encoded, self.scenario, self.alike, self.asked = case.encoded, scenario, alike, settings
        self.limits = scenario.requirements.asked
        self.exposed = {name: limit for name, limit in self.limits.items() if name in exposures()}
        self.repeats, self.thorough = scenario.repeats, screen is None
        self.drawn = drawn(case.study)
        # Fewer redraws give no interval, so that no setting could ever meet its limits with one.
        self.without = self.drawn and self.repeats < MIN_REDRAWS and bool(self.exposed)
        self.on_average = on_average or self.without
        self.screen = self.repeats if screen is None else min(screen, self.repeats)
        self.screening = Screening(case, alike)
        self.releases: dict[Setting, Release] = {}
        self.refused: dict[Setting, str] = {}
        """Why a setting cannot be met by my table."""
        self.spared: list[Setting] = []
        """Settings not attacked because they cost more than the best."""
        self.guessed: list[Setting] = []
        """Settings not formed because smaller l of the same k cost more than the best."""
        self.leaders: dict[str, Setting] = {}
        """By algorithm, its cheapest setting that meets every limit on all redraws; slow algorithms only where that
        costs less than the others'."""
        self._cheap: dict[Setting, dict[str, float]] = {}
        self._certain: dict[Setting, bool] = {}
        self._counted = Counted(scenario, case.marginals, alike)
        self._place = {setting: place for place, setting in enumerate(settings)}

    # ---- what is known of a setting -------------------------------------------------------

    def cost(self, setting: Setting) -> tuple[float, int, int]:
        """What is least in the best setting: loss, then k, then the place among those asked."""
        return self._cheap[setting]["loss"], setting.k, self._place[setting]

    def numbers(self, setting: Setting) -> dict[str, float]:
        """What is known of a setting; exposure is a mean over the redraws so far."""
        numbers = dict(self._cheap.get(setting, {}))
        done = self.screening.redraws(setting)
        if not done:
            return numbers
        means: dict[str, float]
        if done == self.repeats:
            # Exactly as an assessment sums them up.
            means = {name: value for name, (value, _, _) in self._summed_up(setting).items()}
        else:
            means = {name: float(np.mean(shares)) for name, shares in self.screening.shares(setting).items()}
        wanted = {"perfect", "perfect_right", "breach", "breach_right", *self.exposed}
        return numbers | {name: float(value) for name, value in means.items() if name in wanted}

    def _summed_up(self, setting: Setting) -> dict[str, tuple[float, float, float]]:
        """Every share over all redraws, as an assessment sums it up, with its interval."""
        rows = {row["confidence"]: row for row in self.screening.frame(setting).to_dict("records")}
        summary = {}
        for name, number in exposures().items():
            row = rows[number.level(self.scenario.confidence)]
            summary[name] = (float(row[number.column]), float(row[number.low]), float(row[number.high]))
        return summary

    def verdict(self, setting: Setting) -> str:
        """The worst verdict on a limit as far as is known; "" where a limit has no number and none is broken.

        From fewer than all redraws nothing better comes out than that limits are met on average.
        """
        numbers = self.numbers(setting)
        if broken(numbers, self.limits):
            return NOT_MET
        if any(name not in numbers for name in self.limits):
            return ""
        certain = MET if self._certain[setting] else ON_AVERAGE
        if not self.exposed:
            return certain
        if self.screening.redraws(setting) < self.repeats:
            return ON_AVERAGE
        summed = self._summed_up(setting)
        verdicts = [
            METRICS[name].verdict(
                value,
                None if math.isnan(low) else low,
                None if math.isnan(high) else high,
                self.drawn,
                self.exposed[name],
            )
            for name, (value, low, high) in summed.items()
            if name in self.exposed
        ]
        return ON_AVERAGE if ON_AVERAGE in verdicts else certain

    def had(self) -> list[Setting]:
        """Settings that can be met, as far as is known."""
        return [setting for setting in self.releases if setting not in self.screening.refused]

    def _meets(self, setting: Setting) -> bool:
        """Whether all limits are met, as far as is known: by the mean until all redraws were seen."""
        if self.on_average or self.screening.redraws(setting) < self.repeats:
            return not broken(self.numbers(setting), self.limits)
        return self.verdict(setting) == MET

    def _may_meet(self, setting: Setting) -> bool:
        if setting in self.screening.refused or broken(self._cheap[setting], self.limits):
            return False
        if not (self.on_average or self._certain[setting]):
            return False
        done = self.screening.redraws(setting)
        shares = self.screening.shares(setting)
        for name, limit in self.exposed.items():
            if done and hopeless(shares[name], limit, self.repeats):
                return False
            if done >= self.screen and unlikely(shares[name], limit, self.repeats, self.scenario.overlap):
                return False
        return True

    # ---- without any attack ---------------------------------------------------------------

    def count(self, chosen: Sequence[Setting], made: Sequence[Release | str], progress: Progress) -> None:
        """Take the numbers of my releases that need nobody else."""
        for done, (setting, release) in enumerate(zip(chosen, made, strict=True), 1):
            if isinstance(release, str):
                self.refused[setting] = release
            else:
                self.releases[setting] = release
                self._cheap[setting] = self._counted.of(release)
                self._certain[setting] = self._counted.certain(release)
            progress(done / len(chosen))

    def _release(self, chosen: Sequence[Setting], algorithm: str, progress: Progress) -> None:
        policies = [at(self.scenario, setting, self.alike).mine.policy for setting in chosen]
        self.count(chosen, releases_of(self.encoded, policies, algorithm, step(progress, 0, 2)), step(progress, 1, 2))

    # ---- the search -------------------------------------------------------------------------

    def choose(self, stage: Callable[[float, float], Progress]) -> Setting | None:
        """Find the cheapest setting that meets every limit on all redraws; ``stage`` makes progress of a span."""
        names = list(dict.fromkeys(setting.algorithm for setting in self.asked))
        names.sort(key=lambda name: not ALGORITHMS[name].quick)
        best = None
        for number, name in enumerate(names):
            settings_of = [setting for setting in self.asked if setting.algorithm == name]
            span = stage(number / len(names), (number + 1) / len(names))
            if ALGORITHMS[name].by_k_first:
                cheapest = self._in_turn(settings_of, best, span)
            else:
                self._release(settings_of, name, step(span, 0, 3))
                quick = ALGORITHMS[name].quick
                wanted = [s for s in settings_of if s in self.releases] if quick else self._below(settings_of, best)
                cheapest = self._cheapest(wanted, part(span, 1 / 3))
            if cheapest is None:
                continue
            self.leaders[name] = cheapest
            best = cheapest if best is None or self.cost(cheapest) < self.cost(best) else best
        return best

    def _below(self, settings: Sequence[Setting], best: Setting | None) -> list[Setting]:
        """Those that would cost less than the best; the others are spared."""
        had = [setting for setting in settings if setting in self.releases]
        if best is None:
            return had
        self.spared += [s for s in had if self.cost(s) > self.cost(best) and not broken(self._cheap[s], self.limits)]
        return [setting for setting in had if self.cost(setting) < self.cost(best)]

    def _cheapest(self, settings: Sequence[Setting], progress: Progress) -> Setting | None:
        """Screen all, then attack the cheapest that look fine, and all cheaper ones not yet left, on all redraws."""
        possible = sorted((setting for setting in settings if self._may_meet(setting)), key=self.cost)
        if not self.exposed:
            return possible[0] if possible else None
        self._advance(possible, self.screen, step(progress, 0, 2))
        left = [setting for setting in possible if self._may_meet(setting)]
        rest, done = step(progress, 1, 2), 0
        while done < len(left):
            fine = (place for place, setting in enumerate(left[done:], done) if self._meets(setting))
            end = 1 + next(fine, min(done + 3, len(left) - 1))
            self._advance(left[done:end], self.repeats, step(rest, done, len(left)))
            for setting in left[done:end]:
                if self.screening.redraws(setting) == self.repeats and self._meets(setting):
                    return setting
            done = end
        return None

    def _advance(self, waiting: Sequence[Setting], redraws: int, progress: Progress) -> None:
        """Attack on more redraws, and go on with those only that may still meet the limits."""
        for number in range(redraws):
            waiting = [setting for setting in waiting if self._may_meet(setting)]
            self.screening.advance(waiting, number + 1, step(progress, number, redraws))

    # ---- microaggregation, which is slow ---------------------------------------------------

    def _in_turn(self, settings: Sequence[Setting], best: Setting | None, progress: Progress) -> Setting | None:
        """Search the values of k in the order of what their plain groups cost.

        Under l or t classes mostly cost more than the groups of their k alone, but need not: they
        may lie inside those of another algorithm. So unless the search is thorough, no setting of
        a k is looked at whose groups cost more than what is found before, and what was left is told.
        """
        ks = list(dict.fromkeys(setting.k for setting in settings))
        how = ALGORITHMS[settings[0].algorithm]
        of_k = [plain(how.name, k) for k in ks]
        policies = [at(self.scenario, setting, self.alike).mine.policy for setting in of_k]
        made = dict(zip(ks, releases_of(self.encoded, policies, how.name, step(progress, 0, 3)), strict=True))
        least = {k: 0.0 if isinstance(release, str) else self._counted.loss(release) for k, release in made.items()}
        rest, ready = part(progress, 1 / 3), list[Setting]()
        queue = sorted(ks, key=least.__getitem__)
        for done, k in enumerate(queue):
            if not self.thorough:
                cheaper = sorted((s for s in ready if self.cost(s)[0] < least[k]), key=self.cost)
                ready = [setting for setting in ready if setting not in cheaper]
                if (cheapest := self._cheapest(cheaper, step(rest, done, len(queue)))) is not None:
                    self.guessed += [s for s in settings if s.k in queue[done:]]
                    self.spared += ready
                    return cheapest
                if best is not None and least[k] > self.cost(best)[0]:
                    self.guessed += [s for s in settings if s.k in queue[done:]]
                    break
            at_k = [setting for setting in settings if setting.k == k]
            own = step(rest, done, len(queue))
            if best is not None and not self.thorough:
                ready += self._rising(at_k, best, own)
            else:
                self._release(at_k, how.name, own)
                ready += self._below(at_k, best)
        return self._cheapest(ready, part(rest, 1.0))

    def _rising(self, settings: Sequence[Setting], best: Setting, progress: Progress) -> list[Setting]:
        """Release one k under rising l, until two of them in a row cost more than the best.

        A larger l need not cost more: its classes are other ones. So one more is looked at, and what
        was left is told.
        """
        settings_of: list[Setting] = []
        for same in dict.fromkeys((setting.t, setting.more) for setting in settings):
            rising = (setting for setting in settings if (setting.t, setting.more) == same)
            run = sorted(rising, key=lambda setting: setting.l or 0.0)
            above = 0
            for place, setting in enumerate(run):
                if above == 2:
                    self.guessed += run[place:]
                    break
                self._release([setting], setting.algorithm, progress)
                settings_of += self._below([setting], best)
                above = above + 1 if setting in self.releases and self.cost(setting) > self.cost(best) else 0
        return settings_of

    # ---- where none will do ------------------------------------------------------------------

    def fails_least(self, progress: Progress) -> Setting | None:
        """Find the least sum of misses: attack the most promising until it is known on all redraws."""
        while ranked := sorted(self.had(), key=lambda setting: (self._misses(setting), *self.cost(setting))):
            first = ranked[0]
            unknown = self.limits.keys() - self.exposed.keys() - self._cheap[first].keys()
            if unknown:
                self._cheap[first] = self._cheap[first] | self._counted.error_of_counts(self.releases[first])
            elif not self.exposed or self.screening.redraws(first) == self.repeats:
                return first
            elif self.screening.redraws(first):
                self.screening.advance([first], self.repeats, progress)
            else:
                same = [s for s in ranked[:8] if s.algorithm == first.algorithm and not self.screening.redraws(s)]
                self.screening.advance(same, self.screen, progress)
        return None

    def _misses(self, setting: Setting) -> float:
        """Sum of the misses known; what is not known counts as met, so that it is looked at in time."""
        numbers = self.numbers(setting)
        if self.thorough and 0 < self.screening.redraws(setting) < self.repeats:
            # The least that the mean can still be: no share is below 0, so what is left first is the best for certain.
            numbers |= {name: sum(self.screening.shares(setting)[name]) / self.repeats for name in self.exposed}
        known = [name for name in self.limits if name in numbers]
        total = sum(miss(name, numbers[name], self.limits[name]) / weight(name, self.limits[name]) for name in known)
        return round(total, 12)


def hopeless(shares: Sequence[float], limit: float, redraws: int) -> bool:
    """Whether the mean over all redraws is above the limit whatever those to come show: no share is below 0."""
    return sum(shares) / redraws > limit + 1e-9


def unlikely(shares: Sequence[float], limit: float, redraws: int, people: int) -> bool:
    """Whether the mean so far is so far above the limit that the mean over all redraws will hardly be under it.

    Eight standard errors of independent people; redraws were seen to spread up to 1.6 times
    as much as independent people would [definitions §4].
    """
    left = 1 / len(shares) - 1 / redraws
    error = math.sqrt(limit * (1 - limit) / people * max(0.0, left))
    return left > 0 and float(np.mean(shares)) > limit + MARGIN * error

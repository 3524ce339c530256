"""Precision of a report's numbers: exact, or rounded so that no small group of people appears.

Both scales convert a number to its reported form: the value for the file and the words for the reader.

Rules of the external scale. A count of people below 10 is "< 10"; others are given in tens. A share of ``n`` people is
rounded to steps of at least 10 people, and of at least one per cent. A share within one step of 0 or of 1 is "under" or
"over" it, and has an interval instead of a value. Two shares of the same people therefore never differ by fewer people
than a step, so that no small group appears as a difference either. Below 20 people there is no share at all. A ceiling
that starts from the share of the most common value starts from that share rounded up to a step. Numbers of the weakest
class are rounded to the safe side, because its counts could be derived from its exact entropy or distance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.base import wording
from core.base.metrics import METRICS
from core.decision.review import Number

SMALL = 10
"""Counts of people below this are hidden in the external strength."""
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
HIDDEN = "hidden: too few people"
ROUNDED = ("classes", "query_error")
"""Numbers reported with two digits."""
PEOPLE = ("shared people", "people", "records")
"""Populations of a number that are persons."""
_SLACK = 1e-9

Facts = dict[str, Any]
Span = tuple[float | None, float | None, str]


class ReportedNumber(NamedTuple):
    """A reported number; empty by default.

    Parameters
    ----------
    value
        For the file; ``None`` if there is none.
    text
        For the reader.
    within
        Interval of a share that is hidden because it is within a step of 0 or of 1.
    """

    value: Any = None
    text: str = wording.NONE
    within: tuple[float, float] | None = None


def shares(scale: Scale, named: Mapping[str, float | None], n: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Shares of the same people by name: values for the file, with ``within`` for hidden ones, and texts."""
    rounded = {name: scale.share(value, n) for name, value in named.items()}
    values = {name: each.value for name, each in rounded.items()}
    return {**values, "within": hidden(rounded)}, {name: each.text for name, each in rounded.items()}


def hidden(rounded: Mapping[str, ReportedNumber]) -> dict[str, list[float]]:
    """Bounds of the shares without a value, by name."""
    return {name: list(each.within) for name, each in rounded.items() if each.within is not None}


def rank(value: float | None, ends: Sequence[float] | None) -> float | None:
    """Sort key of reported shares: a hidden one is below, or above, all that have a value."""
    if value is not None or not ends:
        return value
    return 0.0 if ends[0] == 0 else 1.0


def drawn(value: float | None, ends: Sequence[float] | None) -> float | None:
    """Position of a reported number in a chart: a hidden one at its highest possible value."""
    return value if value is not None or not ends else ends[1]


def raw(value: Any) -> Any:
    """A plain JSON value; ``None`` for NaN and infinity."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Scale:
    """Exact numbers, for the internal strength."""

    external = False

    def people(self, n: int) -> ReportedNumber:
        """A count of people."""
        return ReportedNumber(int(n), wording.count(n))

    def many(self, number: Number | None) -> ReportedNumber:
        """Population of a number."""
        return ReportedNumber() if number is None else self._many(number.n, number.of)

    def _many(self, n: int, of: str) -> ReportedNumber:
        return ReportedNumber(int(n), f"{wording.count(n)} {of}")

    def headcount(self, number: Number) -> str:
        """Number of people in a share: "45 people"."""
        return wording.people(number.value * number.n)

    def share(self, value: float | None, n: int) -> ReportedNumber:  # noqa: ARG002 - the other scale needs n
        """A share of people, shown to a tenth of a per cent."""
        known = raw(value)
        return ReportedNumber(known, wording.percent(known))

    def span(self, low: float | None, high: float | None, n: int) -> Span:  # noqa: ARG002
        """The 95% interval of a share of people."""
        low, high = raw(low), raw(high)
        return low, high, wording.span(low, high)

    def interval(self, number: Number | None) -> Span:
        """The 95% interval of a number."""
        return (None, None, wording.NONE) if number is None else self.span(number.low, number.high, number.n)

    def number(self, metric: str, number: Number | None) -> ReportedNumber:
        """A number of a metric."""
        value = None if number is None else raw(number.value)
        return ReportedNumber() if number is None or value is None else self._number(metric, number, value)

    def beside_limit(self, metric: str, number: Number, limit: float) -> str:
        """A number of a metric next to its limit, so that it shows on which side it is."""
        return wording.text_at_limit(metric, number.value, limit)

    def _number(self, metric: str, number: Number, value: float) -> ReportedNumber:  # noqa: ARG002
        return ReportedNumber(value, wording.value_text(value, METRICS[metric].unit))


class Coarse(Scale):
    """Numbers that reveal no small group of people, for the external strength."""

    external = True

    def people(self, n: int) -> ReportedNumber:
        """A count of people in tens, so that two counts do not reveal a small difference; below 10 it is hidden."""
        if n < SMALL:
            return ReportedNumber(None, f"< {SMALL}")
        tens = max(SMALL, round(n / SMALL) * SMALL)
        return ReportedNumber(tens, wording.count(tens))

    def headcount(self, number: Number) -> str:
        """Number of people in a share, in tens: "about 50 people"."""
        many = self.people(round(number.value * number.n))
        return f"fewer than {SMALL} people" if many.value is None else f"about {many.text} people"

    def beside_limit(self, metric: str, number: Number, limit: float) -> str:
        """A number next to its limit; near it, on which side it lies and how far, in steps of at least 10 people.

        A step is a tenth of the limit if that is 10 people or more, else a multiple of it.
        """
        rounded = self.number(metric, number)
        share = METRICS[metric].unit == "share" and number.of in PEOPLE and metric != "loss"
        ends = rounded.within or (rounded.value, rounded.value)
        step = step_of(number.n)
        if not share or step is None or ends[0] is None or not (ends[0] - step < limit < ends[1] + step) or not limit:
            return rounded.text
        tenth = limit / 10 * math.ceil(round(SMALL / (limit / 10 * number.n), 9))
        away = math.floor(abs(number.value - limit) / tenth + _SLACK) * tenth
        side = "below" if number.value < limit else "above"
        if math.isclose(number.value, limit, abs_tol=wording.SAME):
            return f"{rounded.text}, at the limit"
        far = f"by {wording.points(away)} or more" if away else f"by less than {wording.points(tenth)}"
        return f"{'' if away else 'just '}{side} {wording.limit_text(limit, 'share')} ({far})"

    def _many(self, n: int, of: str) -> ReportedNumber:
        """Population of a number; a number of classes with two digits."""
        if of in PEOPLE:
            value, text, _ = self.people(n)
            return ReportedNumber(value, f"{text} {of}")
        value = two_digits(n) if of == "classes" else int(n)
        return ReportedNumber(value, f"{'about ' if value != n or of == 'classes' else ''}{wording.count(value)} {of}")

    def share(self, value: float | None, n: int) -> ReportedNumber:
        """A share of people in steps of at least 10 people."""
        known, step = raw(value), step_of(n)
        if known is None or step is None:
            return ReportedNumber(None, wording.NONE if known is None else HIDDEN)
        if known < step - _SLACK:
            return ReportedNumber(None, f"under {wording.whole_percent(step)}", (0.0, step))
        if known > 1 - step + _SLACK:
            return ReportedNumber(None, f"over {wording.whole_percent(1 - step)}", (round(1 - step, 2), 1.0))
        near = round(round(known / step) * step, 2)
        return ReportedNumber(near, wording.whole_percent(near))

    def span(self, low: float | None, high: float | None, n: int) -> Span:
        """The 95% interval of a share, widened to whole steps and past what is hidden."""
        low, high, step = raw(low), raw(high), step_of(n)
        if low is None or high is None or step is None:
            return None, None, wording.NONE if low is None or high is None else HIDDEN
        bottom = self.share(math.floor(low / step + _SLACK) * step, n)
        top = self.share(math.ceil(high / step - _SLACK) * step, n)
        text = bottom.text if bottom.text == top.text else f"{bottom.text}{wording.TO}{top.text}"
        # A hidden end is reported as the far end of its interval.
        low, high = bottom.within[0] if bottom.within else bottom.value, top.within[1] if top.within else top.value
        return low, high, text

    def _number(self, metric: str, number: Number, value: float) -> ReportedNumber:
        """A number of a metric, rounded as its meaning allows."""
        if metric == "k":
            return ReportedNumber(None, f"< {SMALL}") if value < SMALL else ReportedNumber(value, wording.count(value))
        if metric == "entropy_l":
            least = math.floor(value + _SLACK)
            return ReportedNumber(least, f"at least {least}")
        if metric == "t":
            most = min(1.0, round(math.ceil(10 * value - _SLACK) / 10, 1))
            return ReportedNumber(most, f"at most {most:.1f}")
        if metric in ROUNDED:
            return ReportedNumber(two_digits(value), f"about {wording.plain_number(two_digits(value))}")
        if METRICS[metric].unit != "share":
            return ReportedNumber(value, wording.value_text(value, METRICS[metric].unit))
        if metric == "dp_ceiling" and number.people is not None:
            return _safe_ceiling(number)
        # Other shares than those of people have steps of one per cent.
        return self.share(value, number.n if number.of in PEOPLE and metric != "loss" else 100 * SMALL)


def _safe_ceiling(number: Number) -> ReportedNumber:
    """A ceiling that starts from a share of people, recomputed from that share rounded up to a step.

    The privacy loss is stated next to it, so an exact ceiling would reveal the count of the most common value.
    """
    step, guess, value = step_of(number.people or 0), number.guess, number.value
    if step is None or guess is None:
        return ReportedNumber(None, HIDDEN)
    up = min(1.0, math.ceil(guess / step - _SLACK) * step)
    # Odds grow by the same factor, e^(sum of the epsilons), wherever they start.
    least = 1.0 if up >= 1 or value >= 1 else 1 / (1 + (1 - up) / up * (guess / (1 - guess)) * (1 - value) / value)
    limit = min(1.0, round(math.ceil(100 * least - _SLACK) / 100, 2))
    return ReportedNumber(limit, f"at most {wording.whole_percent(limit)}")


def step_of(n: int) -> float | None:
    """Smallest step of a share of ``n`` people that is at least 10 of them; ``None`` below 20 people."""
    return next((step for step in STEPS if step * n >= SMALL - _SLACK), None)


def two_digits(value: float) -> float | int:
    """A number rounded to two significant digits."""
    near = float(f"{value:.1e}")
    return int(near) if near.is_integer() else near

"""How exactly a report tells its numbers: as they are, or so that no small group of people shows.

Both scales turn a number into a pair: the value for the file and the words for the reader.

Rules of the external scale. A count of people below 10 is "< 10", others are told in tens. A share of ``n`` people is
rounded to steps of at least 10 people, and of at least one per cent; what lies within one
step of 0 or of 1 is "under" or "over" it, and has no value but the interval it lies in. Two
shares of the same people therefore never differ by fewer people than a step, so that no small
group appears as a difference either. Below 20 people there is no share at all. A ceiling that
starts from the share of the commonest value starts from that share rounded up to a step. What describes
the weakest class is rounded towards the safe side, because its exact entropy or distance could be undone to its counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from core import words
from core.metrics import METRICS
from core.review import Number

SMALL = 10
"""Counts of people below this are hidden in the external strength."""
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
HIDDEN = "hidden: too few people"
ROUNDED = ("classes", "query_error")
"""Numbers told to two digits."""
PEOPLE = ("shared people", "people", "records")
"""What a number can be a number of, where those are persons."""
_SLACK = 1e-9

Facts = dict[str, Any]
Rounded = tuple[Any, str]
"""A value for the file, ``None`` where there is none, and words for the reader."""
Span = tuple[float | None, float | None, str]
Ends = tuple[float, float] | None


class Scale(Protocol):
    """How numbers are told."""

    external: bool

    def people(self, n: int) -> Rounded:
        """A count of people."""

    def many(self, n: int, of: str) -> Rounded:
        """What a number is a number of."""

    def share(self, value: float | None, n: int) -> Rounded:
        """A share of people."""

    def within(self, value: float | None, n: int) -> Ends:
        """Where a share of people lies that is hidden; ``None`` where it has a value or nothing is told at all."""

    def span(self, low: float | None, high: float | None, n: int) -> Span:
        """The 95 % interval of a share of people."""

    def number(self, metric: str, number: Number) -> Rounded:
        """A number of a metric."""

    def number_within(self, metric: str, number: Number) -> Ends:
        """Where a number of a metric lies that is hidden; as :meth:`within`."""


def shares(scale: Scale, named: Mapping[str, float | None], n: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Shares of the same people by name: values for the file, with ``within`` for the hidden ones; and words.

    ``within`` holds the ends of the interval of every share that has no value because it is
    within a step of 0 or of 1.
    """
    rounded = {name: scale.share(value, n) for name, value in named.items()}
    ends = {name: scale.within(value, n) for name, value in named.items()}
    values = {name: value for name, (value, _) in rounded.items()}
    hidden = {name: list(pair) for name, pair in ends.items() if pair is not None}
    return {**values, "within": hidden}, {name: text for name, (_, text) in rounded.items()}


def rank(value: float | None, ends: Ends | list[float] | None) -> float | None:
    """A number to put told shares in order by: a hidden one is below, or above, all that have a value."""
    if value is not None or not ends:
        return value
    return 0.0 if ends[0] == 0 else 1.0


def raw(value: Any) -> Any:
    """A plain value of JSON; ``None`` for NaN and what is endless."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    return float(value) if math.isfinite(value) else None


class Exact:
    """Numbers as they are, for the internal strength."""

    external = False

    def people(self, n: int) -> Rounded:
        """A count of people."""
        return int(n), words.count(n)

    def many(self, n: int, of: str) -> Rounded:
        """What a number is a number of."""
        return int(n), f"{words.count(n)} {of}"

    def share(self, value: float | None, n: int) -> Rounded:  # noqa: ARG002 - the other scale needs n
        """A share of people, to a tenth of a per cent for the reader."""
        known = raw(value)
        return known, words.percent(known)

    def span(self, low: float | None, high: float | None, n: int) -> Span:  # noqa: ARG002
        """The 95 % interval of a share of people."""
        low, high = raw(low), raw(high)
        return low, high, words.span(low, high)

    def within(self, value: float | None, n: int) -> Ends:  # noqa: ARG002
        """Nothing is hidden."""
        return None

    def number_within(self, metric: str, number: Number) -> Ends:  # noqa: ARG002
        """Nothing is hidden."""
        return None

    def number(self, metric: str, number: Number) -> Rounded:
        """A number of a metric."""
        value = raw(number.value)
        return value, words.value_text(value, METRICS[metric].kind)


class Coarse:
    """Numbers that show no small group of people, for the external strength."""

    external = True

    def people(self, n: int) -> Rounded:
        """A count of people in tens, so that two counts do not tell a small difference; below 10 it is not told."""
        if n < SMALL:
            return None, f"< {SMALL}"
        tens = max(SMALL, round(n / SMALL) * SMALL)
        return tens, words.count(tens)

    def many(self, n: int, of: str) -> Rounded:
        """What a number is a number of; the number of classes to two digits."""
        if of in PEOPLE:
            value, text = self.people(n)
            return value, f"{text} {of}"
        value = two_digits(n) if of == "classes" else int(n)
        return value, f"{'about ' if value != n or of == 'classes' else ''}{words.count(value)} {of}"

    def share(self, value: float | None, n: int) -> Rounded:
        """A share of people in steps of at least 10 people."""
        known = raw(value)
        if known is None:
            return None, words.NONE
        step = step_of(n)
        if step is None:
            return None, HIDDEN
        if known < step - _SLACK:
            return None, f"under {words.whole_percent(step)}"
        if known > 1 - step + _SLACK:
            return None, f"over {words.whole_percent(1 - step)}"
        near = round(round(known / step) * step, 2)
        return near, words.whole_percent(near)

    def span(self, low: float | None, high: float | None, n: int) -> Span:
        """The 95 % interval of a share, widened to whole steps and past what is hidden."""
        low, high, step = raw(low), raw(high), step_of(n)
        if low is None or high is None:
            return None, None, words.NONE
        if step is None:
            return None, None, HIDDEN
        wide = math.floor(low / step + _SLACK) * step, math.ceil(high / step - _SLACK) * step
        (a, first), (b, last) = self.share(wide[0], n), self.share(wide[1], n)
        # An end that is hidden is told as the far end of where it lies.
        bottom, top = self.within(wide[0], n), self.within(wide[1], n)
        if first == last:
            text = first
        else:
            text = (
                f"{first.removesuffix(words.PERCENT)}{words.TO}{last}" if first[0].isdigit() else f"{first} to {last}"
            )
        return a if bottom is None else bottom[0], b if top is None else top[1], text

    def within(self, value: float | None, n: int) -> Ends:
        """The step at 0 or at 1 in which a share lies that is not told."""
        known, step = raw(value), step_of(n)
        if known is None or step is None:
            return None
        if known < step - _SLACK:
            return 0.0, step
        return (round(1 - step, 2), 1.0) if known > 1 - step + _SLACK else None

    def number_within(self, metric: str, number: Number) -> Ends:
        """The same for a number of a metric."""
        if METRICS[metric].kind != "share" or metric in ROUNDED or number.people is not None:
            return None
        return self.within(number.value, self._of(metric, number))

    def _of(self, metric: str, number: Number) -> int:
        """How many a share is of, for the size of its step: what is no share of people has steps of one per cent."""
        return number.n if number.of in PEOPLE and metric != "loss" else 100 * SMALL

    def number(self, metric: str, number: Number) -> Rounded:
        """A number of a metric, rounded as its meaning allows."""
        value = raw(number.value)
        if value is None:
            return None, words.NONE
        if metric == "k":
            return (None, f"< {SMALL}") if value < SMALL else (value, words.count(value))
        if metric == "entropy_l":
            least = math.floor(value + _SLACK)
            return least, f"at least {least}"
        if metric == "t":
            most = min(1.0, round(math.ceil(10 * value - _SLACK) / 10, 1))
            return most, f"at most {most:.1f}"
        if metric in ROUNDED:
            return two_digits(value), f"about {words.plain_number(two_digits(value))}"
        if METRICS[metric].kind != "share":
            return value, words.value_text(value, METRICS[metric].kind)
        if metric == "dp_ceiling" and number.people is not None:
            return _safe_ceiling(number)
        return self.share(value, self._of(metric, number))


def _safe_ceiling(number: Number) -> Rounded:
    """A ceiling that starts from a share of people: worked out again from that share, rounded up to a step.

    The privacy loss is told beside it, so an exact ceiling could be undone to the count of the commonest value.
    """
    step, guess, value = step_of(number.people or 0), number.guess, number.value
    if step is None or guess is None:
        return None, HIDDEN
    up = min(1.0, math.ceil(guess / step - _SLACK) * step)
    # Odds grow by the same factor, e^(sum of the epsilons), wherever they start.
    least = 1.0 if up >= 1 or value >= 1 else 1 / (1 + (1 - up) / up * (guess / (1 - guess)) * (1 - value) / value)
    limit = min(1.0, round(math.ceil(100 * least - _SLACK) / 100, 2))
    return limit, f"at most {words.whole_percent(limit)}"


def step_of(n: int) -> float | None:
    """Smallest step of a share of ``n`` people that is at least 10 of them; ``None`` below 20 people."""
    return next((step for step in STEPS if step * n >= SMALL - _SLACK), None)


def two_digits(value: float) -> float | int:
    """A number rounded to two significant digits."""
    near = float(f"{value:.1e}")
    return int(near) if near.is_integer() else near

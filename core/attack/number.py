"""A number of the attack, declared once for sweeps, curves, limits, verdicts, the command line and reports.

A number is a share of the shared people. It is computed for one draw of the hospitals, together with
the same share from the best single release; over redraws it gets a mean and an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from core.attack.anonymity_set import AnonymitySet, anonymity_set
from core.attack.intersection import AttackResult
from core.attack.weighted import Weighted, weigh
from core.base.metrics import LESS, METRICS, Metric
from core.base.wording import level_text

ONE, CHOSEN, ANY = "one", "chosen", "any"
"""Confidence at which a number is read: one value left, the chosen one, or any if it depends on none."""


SEVERAL = (
    "The anonymity set of a person who has several records is not counted; choose one record per person to count "
    "anonymity sets."
)
UNCERTAIN = (
    "For some release it is unknown who is in which class, or people fit too many of its classes to count the "
    "anonymity set in every redraw; Re-identification risk counts it in one."
)
"""Reason for a missing anonymity set after composition."""


@dataclass(frozen=True, eq=False)
class Attacked:
    """One attacked draw of the hospitals, from which numbers are computed.

    Parameters
    ----------
    result
        Of the intersection attack.
    same_value_rate
        For each release, how likely a shared person's record carries the value of mine.
    named
        The same attack by adversaries who know less, by what they know (:data:`core.attack.intruder.KNOWS`), where a
        limit asks for it.
    """

    result: AttackResult
    same_value_rate: tuple[float, ...]
    named: Mapping[str, AttackResult] = field(default_factory=dict)

    @cached_property
    def weighted(self) -> Weighted:
        """Outcome for the weighted adversary, who knows how often the values of the hospitals differ."""
        return weigh(self.result, same_value_rate=self.same_value_rate)

    @cached_property
    def anonymity_set(self) -> AnonymitySet | None:
        """Anonymity set of each person; ``None`` if it is not counted."""
        return anonymity_set(self.result, pairwise=False)


@dataclass(frozen=True)
class Share:
    """A number of one draw.

    Parameters
    ----------
    value
        Share of the shared people, from 0 to 1.
    single
        The same from the best single release alone: what the share is compared with.
    wrong
        The part of ``value`` that is wrong: false alarms; ``None`` if it is not known.
    """

    value: float
    single: float
    wrong: float | None = None


@dataclass(frozen=True, kw_only=True)
class AttackNumber(Metric):
    """A number of an attack on shared people: a metric with its computation and its columns.

    Parameters
    ----------
    column
        Of the share in the frame of :func:`core.study.sweep.sweep`. Two numbers with one column
        are one share, read at different confidences.
    computed
        Gives the share for one draw and one confidence C; ``None`` if there is none.
    title
        In a table and next to a line: "Exposed, weighted".
    read
        :data:`ONE`, :data:`CHOSEN` or :data:`ANY`.
    tells_wrong
        Whether the share says which part of it is wrong.
    guess
        Column of how often naming the most common value for everyone is right; only for hit rates, because only they
        can be compared with it.
    of_anonymity_sets
        Whether it is counted from the anonymity set after composition, which not every attack has.
    knows
        What the adversary knows, if the number is counted only where a limit asks for it; else "".
    at_level
        Meaning of a line drawn at a given confidence: "at most 4 values left (C = 25%)".
    """

    unit: str = "share"
    better: str = LESS
    group: str = "exposure"
    column: str
    computed: Callable[[Attacked, float], Share | None]
    title: str
    read: str = CHOSEN
    tells_wrong: bool = False
    guess: str = ""
    of_anonymity_sets: bool = False
    knows: str = ""
    at_level: Callable[[float], str] = level_text

    def _column_of(self, name: str) -> str:
        return name if self.column == "share" else f"{self.column}_{name}"

    @property
    def low(self) -> str:
        """Column of the lower end of the interval."""
        return self._column_of("low")

    @property
    def high(self) -> str:
        """Column of the upper end of the interval."""
        return self._column_of("high")

    @property
    def single(self) -> str:
        """Column of the share from the best single release alone."""
        return self._column_of("single")

    @property
    def wrong(self) -> str:
        """Column of the part that is wrong; "" if there is none."""
        return self._column_of("wrong") if self.tells_wrong else ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column of the number: share, interval, wrong part, best single release."""
        return (self.column, self.low, self.high, *filter(None, [self.wrong]), self.single)

    def level(self, confidence: float) -> float:
        """Confidence of the row in which the number is read if ``confidence`` was chosen."""
        return 1.0 if self.read == ONE else confidence

    def absent(self, several_records: bool) -> str:
        """Reason for a missing number; ``several_records`` says whether persons may have several."""
        if not self.of_anonymity_sets:
            return "It could not be computed for this attack."
        return SEVERAL if several_records else UNCERTAIN

    def at(self, attacked: Attacked, confidence: float) -> dict[str, float]:
        """Columns of the number for one draw; NaN if there is no such number."""
        share = self.computed(attacked, confidence)
        missing = float("nan")
        columns = {
            self.column: missing if share is None else share.value,
            self.single: missing if share is None else share.single,
        }
        if self.wrong:
            columns[self.wrong] = missing if share is None or share.wrong is None else share.wrong
        return columns


def exposures() -> dict[str, AttackNumber]:
    """Every number of an attack by its name; all depend on the assumptions about other hospitals."""
    return {name: metric for name, metric in METRICS.items() if isinstance(metric, AttackNumber)}


def counted(knows: Collection[str] = ()) -> dict[str, AttackNumber]:
    """Numbers that an attack counts in any case, or of adversaries who know this."""
    return {name: number for name, number in exposures().items() if not number.knows or number.knows in knows}


def shares(knows: Collection[str] = ()) -> dict[str, AttackNumber]:
    """One of the :func:`counted` numbers for each column of a sweep's frame; the first declared one."""
    first: dict[str, AttackNumber] = {}
    for number in counted(knows).values():
        first.setdefault(number.column, number)
    return first


def at_chosen(name: str) -> bool:
    """Whether a number answers a different question at another confidence."""
    metric = METRICS[name]
    return isinstance(metric, AttackNumber) and metric.read == CHOSEN

"""What one recipient holds, and two who collude, with the numbers that the register keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.attack.risk.reidentification_risk import REGULATED_SIZE
from core.base.metrics import MET, NOT_MET
from core.base.wording import listed, percent, several
from core.dp.composition import Cost
from core.register.linked import SetNumbers

EVERYONE = "everyone"
"""Recipient of what is public."""
OPEN = "open"
"""Verdict on a limit if no number is above it, and some publication is not assessed."""
LIMITED = {
    "one_value_left": "one value left",
    "at_risk": f"in an anonymity set under {REGULATED_SIZE}",
    "epsilon": "epsilon",
    "delta": "delta",
}
"""Numbers that a limit may hold for, in words."""

SHARES = {"one_value_left": "one_value_left", "at_risk": "small_set"}
"""Those that are shares of people, the largest of any publication; by the name in :class:`SetNumbers`."""


@dataclass(frozen=True)
class Standing:
    """What one recipient, or two together, have received and can conclude.

    Parameters
    ----------
    recipients
        One name or two.
    publications
        Numbers of all publications that they have.
    numbers
        Of those that can be attacked; ``None`` if there are none, or they were not attacked.
    not_assessed
        Publications that ``numbers`` leave out: shares are at least what they say.
    cost
        Sum over the noisy tables.
    """

    recipients: tuple[str, ...]
    publications: tuple[int, ...]
    numbers: SetNumbers | None
    not_assessed: tuple[int, ...]
    cost: Cost

    @property
    def is_pair(self) -> bool:
        """Whether two recipients collude."""
        return len(self.recipients) == 2

    def value(self, name: str) -> float | None:
        """One of :data:`LIMITED`; ``None`` if it is not assessed at all, 0 if there is nothing to attack."""
        if name not in SHARES:
            return float(getattr(self.cost, name))
        if self.numbers is None:
            return None if self.not_assessed else 0.0
        return self.numbers.worst(SHARES[name])[0]

    def verdict(self, name: str, limit: float) -> str:
        """Whether a limit is met, not met, or open because a publication is not assessed."""
        value = self.value(name)
        if value is not None and value > limit + 1e-12:
            return NOT_MET
        return OPEN if self.not_assessed and name in SHARES else MET


def value_text(standing: Standing, name: str) -> str:
    """One of :data:`LIMITED` in words: "9.7%", "at least 9.7%" or "not assessed"."""
    value = standing.value(name)
    if value is None:
        return "not assessed"
    if name not in SHARES:
        return f"{value:g}"
    return f"{'at least ' if standing.not_assessed and value < 1 else ''}{percent(value)}"


def worst_first(standings: Sequence[Standing]) -> list[Standing]:
    """Sort by one value left, then by small anonymity sets, then by epsilon; what is not assessed comes last.

    Of equals, fewer recipients come first: what one of them can do needs no collusion.
    """

    def key(standing: Standing) -> tuple[float, ...]:
        values = [standing.value(name) for name in ("one_value_left", "at_risk", "epsilon")]
        return (*(1.0 if value is None else -value for value in values), len(standing.recipients))

    return sorted(standings, key=key)


def in_words(standing: Standing, names: Sequence[str]) -> str:
    """What a recipient or a pair can conclude, in a sentence; ``names`` are theirs as they are to be written."""
    who = f"{listed(list(names))} together" if standing.is_pair else names[0]
    numbers, cost = standing.numbers, standing.cost
    noise = f"; epsilon {cost.epsilon:g}" if cost.epsilon else ""
    noise += f", delta {cost.delta:g}" if cost.delta else ""
    if numbers is None:
        what = "not assessed, for lack of a private copy" if standing.not_assessed else "nothing to attack"
        return f"{who}: {what}{noise}."
    people = several(numbers.people, "person", "people")
    exposed = f"one value left for {numbers.one_value_left:,} of {people}, {_share_text(standing, 'one_value_left')}"
    small = f"{numbers.small_set:,} {LIMITED['at_risk']}, {_share_text(standing, 'at_risk')}"
    return f"{who}: {exposed}; {small}{noise}."


def _share_text(standing: Standing, name: str) -> str:
    """The share with the publication whose people it is of: "9.7% of those in publication 2"."""
    assert standing.numbers is not None
    return f"{value_text(standing, name)} of those in publication {standing.numbers.worst(SHARES[name])[1]}"


@dataclass(frozen=True)
class Added:
    """What one more publication, or recipient, adds for one recipient or pair; ``before`` is ``None`` for a new one."""

    before: Standing | None
    after: Standing


def added(before: Sequence[Standing], after: Sequence[Standing]) -> list[Added]:
    """Compare the standings before and after a change, the worst afterwards first; the unchanged ones are left out."""
    old = {standing.recipients: standing for standing in before}
    return [
        Added(old.get(standing.recipients), standing)
        for standing in worst_first(after)
        if standing != old.get(standing.recipients)
    ]

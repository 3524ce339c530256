"""What one figure of a paper becomes on the page: charts, numbers, and the paper's words beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.papers.printed import Printed

AGREES, DIFFERS, OPEN = "agrees", "differs", "cannot be compared"
NOT_PRINTED = "The values of this figure are drawn, not printed."


@dataclass(frozen=True)
class Claim:
    """Something the paper's text says, beside what is found here.

    Parameters
    ----------
    printed
        The paper's statement or number.
    ours
        What was found.
    verdict
        :data:`AGREES`, :data:`DIFFERS` or :data:`OPEN`.
    """

    printed: str
    ours: str
    verdict: str

    @classmethod
    def holds(cls, printed: str, ours: str, true: bool | np.bool_) -> Claim:
        """A statement that is true or not of what was found."""
        return cls(printed, ours, AGREES if true else DIFFERS)

    @classmethod
    def number(cls, printed: str, value: float, ours: float, words: str, within: float) -> Claim:
        """A number that ours is or is not near; ``within`` is the largest distance that counts as near."""
        return cls(printed, words, AGREES if abs(ours - value) <= within else DIFFERS)

    @classmethod
    def of(cls, sentence: str, said: Printed, ours: float, words: str) -> Claim:
        """A number that the paper prints, in a sentence with a place for its words."""
        return cls.number(sentence.format(said.words), said.value, ours, words, said.within)


@dataclass(frozen=True)
class Picture:
    """A chart of Altair with its text alternative, which is its caption too."""

    chart: Any
    words: str


@dataclass(frozen=True)
class Grid:
    """A table of texts: the first ``words`` columns are words, the others numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    caption: str = ""


@dataclass(frozen=True)
class Figure:
    """One figure or table of a paper, redrawn.

    Parameters
    ----------
    paper, number, title
        Such as "Ganta arXiv", "Figure 1" and what it shows.
    setting
        How it was redrawn, in a sentence or two.
    pictures, grids, claims
        What there is to see.
    also
        Where else it is printed.
    note
        What has to be known to read it.
    missing
        Why it is not redrawn; then there is nothing else.
    seconds
        Time it took, shared runs included.
    """

    paper: str
    number: str
    title: str
    setting: str = ""
    pictures: Sequence[Picture] = ()
    grids: Sequence[Grid] = ()
    claims: Sequence[Claim] = ()
    also: str = ""
    note: str = ""
    missing: str = ""
    seconds: float = 0.0

    @property
    def anchor(self) -> str:
        """Name of the place on the page."""
        return "-".join(f"{self.paper} {self.number}".lower().replace(",", "").split())


@dataclass(frozen=True)
class Job:
    """A figure still to be redrawn, and the tables it needs ("adult", "ipums")."""

    paper: str
    number: str
    title: str
    make: Callable[[], Figure]
    needs: tuple[str, ...] = ()
    also: str = ""

    def without(self, words: str) -> Figure:
        """The figure where its data is absent."""
        return Figure(self.paper, self.number, self.title, also=self.also, missing=words)


@dataclass
class Runs:
    """Results that several figures share, each with the seconds it took."""

    found: dict[str, tuple[Any, float]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Make a result, or give the one that is there."""
        import time

        self.used.add(name)
        if name not in self.found:
            began = time.perf_counter()
            self.found[name] = (make(), time.perf_counter() - began)
        return self.found[name][0]

    def seconds(self) -> float:
        """Seconds of the runs used since the last time this was asked."""
        spent = sum(self.found[name][1] for name in self.used if name in self.found)
        self.used.clear()
        return spent


def percent(share: float) -> str:
    """A share in percent."""
    return "–" if np.isnan(share) else f"{100 * share:.1f}%"


def falls(values: Sequence[float], slack: float = 0.005) -> bool:
    """Whether values never rise by more than some slack, and end below where they began."""
    return bool(np.all(np.diff(values) <= slack)) and values[-1] < values[0]


def rises(values: Sequence[float], slack: float = 0.005) -> bool:
    """Whether values never fall by more than some slack, and end above where they began."""
    return falls([-value for value in values], slack)

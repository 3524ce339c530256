"""What one draw of a study leaves of people to hide among, for a report."""

from __future__ import annotations

from dataclasses import dataclass

from core.attack.crowd import Crowd, crowd, linkable
from core.decision.review import Case
from core.study.run import Outcome, run_study

PAIRWISE = 5_000
"""Shared people up to whom everybody is held against everybody where nothing quicker counts their crowds."""


@dataclass(frozen=True, eq=False)
class Crowds:
    """Crowds of one draw.

    Parameters
    ----------
    together
        Crowds after composition; ``None`` where they are not counted.
    linked
        Share of the shared people whose classes, taken together, are nobody else's; ``None`` where not known.
    people
        The shared people.
    """

    together: Crowd | None
    linked: float | None
    people: int


def crowds_of(case: Case, outcome: Outcome | None = None) -> Crowds:
    """Count the crowds of the draw of the scenario's seed, given as ``outcome`` where it was made already."""
    drawn = run_study(case.encoded, case.study, case.scenario.seed) if outcome is None else outcome
    people = drawn.result.people
    return Crowds(crowd(drawn.result, people <= PAIRWISE), linkable(drawn.result), people)

"""What helps: every setting that was tried, loss against exposure, and agreed lists."""

from __future__ import annotations

from pages.hold import frontier, ways
from pages.shared.compute import attack_results
from pages.shared.state import session
from pages.shared.state.deferred import later
from pages.shared.ui import caution, errors, layout


def answer() -> None:
    """The limits, the picture that they shade, and what a closer look shows."""
    rail, stage = layout.one_view()
    ready = False
    with stage:
        caution.show()
        with errors.refusing():
            next(frontier.steps(1), None)
            frontier.draw()
            ready = True
    with rail:
        frontier.controls()
    layout.answered()
    if not ready:
        return
    layout.closer("hold:sections", {"Agreed list": ways.show, "Every setting that was tried": frontier.every})
    later(fill_in)


def fill_in() -> bool:
    """Compute the next missing line or dot of the picture; a clickable chart is drawn once per run.

    First the other lines from one draw, then agreed lists, then all lines from all redraws.
    """
    repeats = session.scenario().repeats
    return any(next(steps, None) for steps in (frontier.steps(1), frontier.agreed_steps(), frontier.steps(repeats)))


attack_results.fit_overlap()
layout.heading("What helps", "What would bring exposure down, and at what cost?")
answer()

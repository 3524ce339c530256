"""What helps: every setting that was tried, loss against exposure, and agreements."""

from __future__ import annotations

from functools import partial

from pages.hold import coordinated, counts, frontier
from pages.shared.compute import attack_results
from pages.shared.state.deferred import later
from pages.shared.ui import caution, errors, layout


def answer() -> None:
    """The limits, the picture that they shade, and what a closer look shows."""
    rail, stage = layout.one_view()
    place = None
    with stage:
        caution.show()
        with errors.refusing():
            frontier.begin()
            place = frontier.draw()
    with rail:
        frontier.controls()
    layout.answered()
    if place is None:
        return
    layout.closer(
        "hold:sections",
        {
            "Coordinated releases": coordinated.show,
            "Table of counts": counts.show,
            "Every setting that was tried": frontier.every,
        },
    )
    later(partial(frontier.fill_in, place))


with errors.refusing():
    coordinated.carry_out()
attack_results.fit_overlap()
layout.heading("What helps", "What would bring exposure down, and at what cost?")
answer()

"""If others publish: the live exposure next to everything that changes it."""

from __future__ import annotations

from functools import partial

from pages.attack import axes, controls
from pages.attack import curve as views
from pages.attack.hospitals import section as hospitals
from pages.shared.compute import attack_results
from pages.shared.state.deferred import later
from pages.shared.ui import caution, errors, layout


def answer() -> None:
    """The rail, the number and the picture that it moves, and what a closer look shows."""
    vary = axes.chosen()
    rail, stage = layout.one_view()
    ready = False
    with stage:
        caution.show()
        with errors.refusing():
            views.main(vary)
            ready = True
    with rail:
        controls.show()
    layout.answered()
    if ready:
        views.below(vary)
        later(partial(views.refine, vary))
    else:
        views.without_numbers()


attack_results.fit_overlap()
layout.heading("If others publish", "How many of the patients you share would be exposed, once others publish too?")
if hospitals.missing():
    hospitals.show()
else:
    answer()

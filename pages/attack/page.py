"""Intersection attack: the breach, live, beside everything that moves it."""

from __future__ import annotations

from pages.attack import axes, controls
from pages.attack import curve as views
from pages.shared import errors, layout, results
from pages.shared.later import later

results.fit_overlap()
layout.heading(
    "Intersection attack",
    "Decide whether the people who are in several releases stay hidden: whoever knows a person's class in each release "
    "keeps only the sensitive values that all of them share.",
)
vary = axes.chosen()
rail, stage = layout.one_view()
ready = False
with stage:
    numbers, chart, number = views.places()
    with errors.refusing():
        views.main(numbers, chart, vary, number, repeats=1)
        ready = True
with rail:
    controls.show()
layout.again_if_fitted()
if ready:
    with errors.refusing():
        full = views.full_numbers(vary)
        later(lambda: views.refine(numbers, chart, full, vary, number))
        views.below()

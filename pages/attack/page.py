"""If others publish: the exposure, live, beside everything that moves it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.attack import axes, controls
from pages.attack import curve as views
from pages.attack.hospitals import section as hospitals
from pages.shared import caution, errors, layout, results, session, widgets
from pages.shared.later import later


def answer() -> None:
    """The rail, the number and the picture that it moves, and what a closer look shows."""
    vary = axes.chosen()
    rail, stage = layout.one_view()
    place, redraws, details = None, 1, None
    with stage:
        caution.show()
        places = views.places()
        with errors.refusing():
            redraws = views.known_redraws(vary)
            with widgets.working("Making the first draw of the hospitals", st.sidebar) as progress:
                views.main(places, vary, redraws, progress)
            place, details = places, views.needed_below
    with rail:
        controls.show()
    layout.answered(details)
    if place is None:
        views.without_numbers()
        return
    with errors.refusing():
        if redraws < session.scenario().repeats:
            later(partial(views.refine, place, vary))
        views.below(place, vary, redraws)


results.fit_overlap()
layout.heading("If others publish", "How many of the patients you share would be exposed, once others publish too?")
if hospitals.missing():
    hospitals.show()
else:
    answer()

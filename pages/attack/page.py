"""Intersection attack: the breach, live, beside everything that moves it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.attack import axes, controls
from pages.attack import curve as views
from pages.shared import caution, errors, layout, results, session, widgets
from pages.shared.later import later

results.fit_overlap()
layout.heading("Intersection attack", "How many of the patients you share would be exposed, once others publish too?")
vary = axes.chosen()
rail, stage = layout.one_view()
place, redraws = None, 1
with stage:
    caution.show()
    places = views.places()
    with errors.refusing():
        redraws = views.known_redraws(vary)
        with widgets.working("Making the first draw of the hospitals", st.sidebar) as progress:
            views.main(places, vary, redraws, progress)
        place = places
with rail:
    controls.show()
layout.answered()
if place is not None:
    with errors.refusing():
        if redraws < session.scenario().repeats:
            later(partial(views.refine, place, vary))
        views.below(place, vary, redraws)

"""Forecast: what a release would give away once a similar hospital published, from that release alone."""

from __future__ import annotations

from pages.forecast import answer, controls, judged, sections
from pages.shared import errors, layout

SECTIONS = {
    "What this rests on": answer.assumptions,
    answer.PAPER: sections.paper,
    "What would help": sections.remedies,
    "What each column adds": sections.columns,
    "Forecast against simulation": judged.judgement,
}

layout.heading(
    "Forecast",
    "Decide before anybody else publishes: from your release alone, how exposed would its people be once a similar "
    "hospital published too?",
)
rail, stage = layout.one_view()
ready = False
with rail:
    # First: a file of theirs that cannot be read is put aside there.
    controls.show()
with stage, errors.refusing():
    answer.answer()
    answer.curve()
    ready = True
layout.answered()

if ready:
    answer.details()
    layout.tabs("forecast:sections", SECTIONS)

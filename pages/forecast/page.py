"""Before anybody publishes: the number of the redraws beside the estimate of Sattar and Helal, from one release."""

from __future__ import annotations

from pages.forecast import answer, controls, sections
from pages.shared import errors, layout

SECTIONS = {
    "Classes at risk": sections.classes,
    "What this rests on": sections.basis,
    "All numbers": answer.numbers_of_curve,
}

layout.heading(
    "Before anybody publishes",
    "What could a second hospital, which nobody has seen yet, do to the people of your release?",
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
    layout.closer("forecast:sections", SECTIONS)

"""Differential privacy: a guarantee that composes, beside one that does not, and what it costs."""

from __future__ import annotations

from pages.noise import controls, games, sections, table, truthful
from pages.shared import errors, layout, results

SECTIONS = {
    "What noise costs": sections.cost,
    "Noisy table": table.show,
    "Truthful table": truthful.show,
    "Several tables": sections.together,
    "With and without me": games.show,
}

layout.heading(
    "Differential privacy",
    "Decide whether to publish a noisy table instead of a partition: noise keeps its promise whatever others publish, "
    "and you choose what that costs.",
)
rail, stage = layout.one_view()
ready = False
with stage, errors.refusing():
    results.encoded().need_rows("A noisy table")
    view = sections.view()
    sections.main(view)
    ready = True
if results.encoded().weight is None:
    with rail:
        controls.show()
layout.answered()
if results.encoded().weight is None:
    controls.columns()

if ready:
    with errors.refusing():
        sections.below(view)
    layout.tabs("noise:sections", SECTIONS)

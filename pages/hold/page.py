"""What helps: ways to bring exposure down, side by side, over the number of hospitals."""

from __future__ import annotations

from pages.hold import controls, sections
from pages.shared import caution, errors, layout, results
from pages.shared.later import later

results.fit_overlap()
layout.heading(
    "What helps",
    "Decide how exposure is brought down: for now by stricter classes, for good by a list that all publishers agree on "
    "or by a table that holds alone.",
)
rail, stage = layout.one_view()
ready = False
with stage:
    caution.show()
    answer, chart, shown = sections.places()
    with errors.refusing():
        lines = sections.first()
        sections.draw(lines, answer, chart, shown)
        ready = True
with rail, errors.refusing():
    controls.show()
layout.answered()
if ready:
    table = sections.table_place()
    later(lambda: sections.finish(lines, answer, chart, table, shown))

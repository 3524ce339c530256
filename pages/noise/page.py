"""Differential privacy: a guarantee that composes, beside one that does not, and what it costs."""

from __future__ import annotations

from functools import partial

from pages.noise import controls, games, sections, table, truthful
from pages.shared import errors, layout, results

layout.heading("Differential privacy", "What would a noisy table cost, and what would it promise instead?")
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


def draw_a_table() -> None:
    """Columns and domains of a noisy table, then the table."""
    controls.columns()
    table.show()


if ready:
    with errors.refusing():
        sections.redraw(view)
    layout.closer(
        "noise:sections",
        {
            "Draw a table": draw_a_table,
            "What noise costs": sections.cost,
            "Truthful table": truthful.show,
            "Several tables": sections.together,
            "With and without me": games.show,
            "All numbers": partial(sections.all_numbers, view),
        },
    )

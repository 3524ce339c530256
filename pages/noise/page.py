"""Differential privacy: a guarantee that composes, compared with one that does not, and its cost."""

from __future__ import annotations

from pages.noise import controls, sections, table
from pages.shared.compute import data_results
from pages.shared.state import session
from pages.shared.ui import errors, layout

layout.heading("Differential privacy", "What would a noisy table cost, and what would it promise instead?")
rail, stage = layout.one_view()
ready = False
with stage, errors.refusing():
    data_results.encoded().need_rows("A noisy table")
    session.workspace().schema.need_one_sensitive("A noisy table")
    sections.main()
    ready = True
if not data_results.encoded().counted and not session.workspace().schema.parts:
    with rail:
        controls.show()
layout.answered()


def draw_a_table() -> None:
    """Columns and domains of a noisy table, then the table."""
    controls.columns()
    table.show()


if ready:
    layout.closer(
        sections.CLOSER,
        {"Draw a table": draw_a_table, "What noise costs": sections.cost, "All numbers": sections.all_numbers},
    )

"""Every page with every one of its sections, on tables that are hostile, small, counted, or of persons."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd
import pytest

from core import FrequencyTable, Schema, Table
from tests.kept import compare
from tests.pages.drive import city_frequencies, go, loaded, marked_texts, texts
from tests.pages.shown import PAGES, WALKS, every_section, views
from tests.tables import small_table
from tests.visits import made_visits

MARKUP = re.compile(r"(?<!\\)!\[|(?<!\\)<script|(?<!\\)\$x|(?<!\\):red\[danger|(?<!\\)\[link|https?\\?:\\?/|x{300}")
NEVER = {"diversity": "recursive", "c": 0.1, "l": 12.0}
"""A policy that no table keeps."""


def tiny_table() -> tuple[Table, Schema]:
    frame = pd.DataFrame({"age": range(24), "sex": ["f", "m"] * 12, "d": ["a", "b", "c"] * 8})
    return Table.from_frame(frame), Schema(["age", "sex"], "d")


def persons() -> tuple[Table, Schema]:
    return Table.from_frame(made_visits(300)), Schema(["age", "zip"], "diagnosis", person="patient_nbr")


def joint() -> tuple[Table, Schema]:
    table, roles = small_table()
    return table, Schema([roles.quasi_identifiers[0]], [roles.sensitive, "sex"])


@pytest.mark.parametrize(("situation", "page"), WALKS)
def test_every_view_of_a_page_is_as_kept_and_hostile_names_are_text(situation: str, page: str) -> None:
    found = {}
    for app, view, lines in views(page, situation):
        assert not [error.value for error in app.error], view
        text = "\n".join([*marked_texts(app), texts(app)])
        assert situation != "odd" or not MARKUP.search(text), (view, MARKUP.search(text))
        found[view] = lines
    compare(f"{page}, {situation}", found)


@pytest.mark.long
@pytest.mark.parametrize(
    ("made", "refusal"),
    [
        (tiny_table, ""),
        (city_frequencies, "give the table"),
        (persons, "choose one record per person"),
        (joint, "one sensitive column"),
    ],
)
@pytest.mark.parametrize("page", PAGES)
def test_no_section_fails(page: str, made: Callable[[], tuple[Table | FrequencyTable, Schema]], refusal: str) -> None:
    app = loaded(*made(), f"pages/{page}/page.py", repeats=2, overlap=4)
    for section in every_section(app):
        assert all(refusal and refusal in error.value for error in app.error), section


@pytest.mark.parametrize("page", ["release", "attack", "hold", "noise", "review"])
def test_a_policy_that_cannot_be_met_is_one_sentence_and_nothing_is_lost(page: str) -> None:
    app = loaded(*small_table(), f"pages/{page}/page.py", repeats=2, **NEVER)
    (error,) = app.error
    assert "c above" in error.value
    assert "value " not in error.value, "no cell value in a message"
    kinds = next(box for box in go(app, "pages/release/page.py").selectbox if box.label.startswith("Diversity"))
    kinds.set_value("none").run()
    assert not go(app, f"pages/{page}/page.py").error

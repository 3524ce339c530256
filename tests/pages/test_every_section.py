"""Every page with every one of its sections, on tables that are hostile, small, counted, or of persons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Schema, Table, Tally
from tests.hostile import COLOUR, FORMULA, IMAGE, SCRIPT, TRICK, TRICKS, VERY_LONG
from tests.pages.drive import city_tally, go, loaded, marked_texts, texts
from tests.source import ROOT
from tests.tables import small_table
from tests.visits import made_visits

PAGES = sorted(path.parent.name for path in (ROOT / "pages").glob("*/page.py"))
MARKUP = re.compile(r"(?<!\\)!\[|(?<!\\)<script|(?<!\\)\$x|(?<!\\):red\[danger|(?<!\\)\[link|https?\\?:\\?/|x{300}")
NEVER = {"diversity": "recursive", "c": 0.1, "l": 12.0}
"""A policy that no table keeps."""


def hostile_table(rows: int = 240) -> tuple[Table, Schema]:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(
        {
            IMAGE: rng.choice([*TRICKS, VERY_LONG], rows),
            SCRIPT: rng.integers(0, 50, rows).astype(str),
            FORMULA: rng.choice([f"{text} {i}" for i, text in enumerate([*TRICKS, VERY_LONG])], rows),
            TRICK: rng.choice([f"{text} {i}" for i, text in enumerate(TRICKS)], rows),
            COLOUR: [f"{IMAGE} {i}" for i in range(rows)],
            f"{TRICK} other": rng.choice(TRICKS, rows),
        }
    )
    roles = Schema([IMAGE, SCRIPT], FORMULA, provider=TRICK, identifiers=[COLOUR], published=[f"{TRICK} other"])
    return Table.from_frame(frame), roles


def tiny_table() -> tuple[Table, Schema]:
    frame = pd.DataFrame({"age": range(24), "sex": ["f", "m"] * 12, "d": ["a", "b", "c"] * 8})
    return Table.from_frame(frame), Schema(["age", "sex"], "d")


def persons() -> tuple[Table, Schema]:
    return Table.from_frame(made_visits(300)), Schema(["age", "zip"], "diagnosis", person="patient_nbr")


def joint() -> tuple[Table, Schema]:
    table, roles = small_table()
    return table, Schema([roles.quasi_identifiers[0]], [roles.sensitive, "sex"])


def every_section(app: AppTest) -> Iterator[str]:
    """The page as it opens, then with each section of *Look closer*."""
    yield ""
    closer = next((one for one in app.segmented_control if one.label == "Look closer"), None)
    for section in [] if closer is None else closer.options:
        next(one for one in app.segmented_control if one.label == "Look closer").set_value(section).run()
        yield section


@pytest.mark.parametrize("page", PAGES)
def test_hostile_names_and_values_are_text(page: str) -> None:
    app = loaded(*hostile_table(), f"pages/{page}/page.py", repeats=2, belief_source="columns")
    for section in every_section(app):
        assert not app.error, section
        shown = "\n".join([*marked_texts(app), texts(app)])
        assert not MARKUP.search(shown), (section, MARKUP.search(shown))


@pytest.mark.long
@pytest.mark.parametrize(
    ("made", "refusal"),
    [
        (tiny_table, ""),
        (city_tally, "give the table"),
        (persons, "choose one record a person"),
        (joint, "one sensitive column"),
    ],
)
@pytest.mark.parametrize("page", PAGES)
def test_no_section_fails(page: str, made: Callable[[], tuple[Table | Tally, Schema]], refusal: str) -> None:
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

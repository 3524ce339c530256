"""A walk by chance over pages and controls ends in no error, whatever was chosen before."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TESTING_KEY

from core import Schema, Table, examples
from tests.pages.drive import go, loaded

ACTIONS = int(os.environ.get("COMPOSITION_ACTIONS", "100"))
TODAY = datetime.now(tz=UTC).toordinal()
SEED = int(os.environ.get("COMPOSITION_SEED") or (0 if os.environ.get("CI") else TODAY))
"""Another walk every day at a desk; one walk in CI."""
PAGES = ("overview", "data", "release", "attack", "noise", "review", "providers", "method")
"""All but What helps, whose search alone takes longer than the walk."""


def own_table() -> tuple[Table, Schema]:
    """A table of 500 rows with missing cells, labels like syntax and providers."""
    rng = random.Random(4)
    rows = [
        {
            "age": rng.choice(["", *map(str, range(18, 90))]),
            "zip [code]": rng.choice(["01012", "01013", "02115", "02139"]),
            "ward": rng.choice(["{A}", "*", "B|C", "D"]),
            "diagnosis": rng.choice(["flu", "gout", "E11.9", "E11.65", ""]),
            "clinic": rng.choice(["north", "south", "east"]),
        }
        for _ in range(500)
    ]
    schema = Schema(["age", "zip [code]", "ward"], "diagnosis", provider="clinic")
    return Table.from_frame(pd.DataFrame(rows)), schema


def city() -> tuple[Table, Schema]:
    return examples.city(1_200), examples.city_schema()


def moves(app: AppTest, rng: random.Random) -> list[tuple[Any, Any]]:
    """Each control of the page, with a value that it offers."""
    pairs: list[tuple[Any, Any]] = []
    for slider in app.slider:
        value = slider.min + rng.randint(0, round((slider.max - slider.min) / slider.step)) * slider.step
        pairs.append((slider, type(slider.value)(min(value, slider.max))))
    for box in app.number_input:
        if box.min is not None and box.max is not None:
            value = rng.uniform(box.min, min(box.max, 1_000))
            pairs.append((box, int(value) if isinstance(box.step, int) else value))
    for box in (*app.selectbox, *app.radio):
        pairs += [(box, rng.choice(box.options))] if box.options else []
    return [*pairs, *((switch, not switch.value) for switch in (*app.toggle, *app.checkbox))]


@pytest.mark.parametrize("table", [city, own_table])
def test_no_choice_leaves_a_page_broken(table: Callable[[], tuple[Table, Schema]]) -> None:
    """Each run of the script is looked at for errors by the tests' own AppTest."""
    rng = random.Random(SEED)
    app = loaded(*table(), repeats=2)
    for number in range(ACTIONS):
        possible = moves(app, rng)
        try:
            if not possible or rng.random() < 0.25:
                go(app, f"pages/{rng.choice(PAGES)}/page.py")
            else:
                control, value = rng.choice(possible)
                if hasattr(control, "options"):
                    # Streamlit's tests ask for the value behind an option, which a page keeps to itself.
                    app.session_state[TESTING_KEY][control.id] = str
                control.set_value(value).run()
        except AssertionError as error:
            raise AssertionError(f"action {number} of the walk with COMPOSITION_SEED={SEED}") from error

"""Widgets that show a choice: a move of the user's is never undone by what the browser still had."""

import types
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.state import session
from pages.shared.ui import widgets
from tests.pages.drive import choice_of, go, left_for_buttons, opened, page_of, press, set_choice, workspace_of


def script() -> None:
    from pages.shared.ui import widgets

    widgets.slider("confidence", "here")
    widgets.toggle("linked", "here")


def app() -> AppTest:
    return AppTest.from_function(script).run()


def test_moves_one_after_another_and_choices_made_elsewhere_all_count() -> None:
    found = app()
    for value in (0.1, 0.5, 0.1):
        found.slider[0].set_value(value).run()
        assert choice_of(found, "confidence") == value
        found.number_input[0].set_value(value / 2).run()
        assert choice_of(found, "confidence") == value / 2
        set_choice(found, "confidence", 0.6)
        found.run()
        assert found.slider[0].value == found.number_input[0].value == 0.6
    for linked in (False, True, False):
        set_choice(found, "linked", linked)
        assert found.run().toggle[0].value is linked


def test_a_field_of_the_past_that_repeats_its_number_is_no_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser sends it with the slider's next move, until it has got the field's successor."""
    monkeypatch.setattr(session.st, "session_state", {})
    bare = session.st.session_state
    drawn: list[tuple[str, Callable[[], None]]] = []
    moves: list[int] = []

    def draw(label: str, key: str, on_change: Callable[[], None]) -> None:
        drawn.append((key, on_change))

    for value in (10, 11):
        widgets.showing(draw, "k", "exact", value, moves.append)
    (old, moved), (new, _) = drawn
    assert new != old
    bare[old] = 10
    moved()
    assert not moves
    bare[old] = 15
    moved()
    assert moves == [15], "a number typed there all the same is a move"
    for value in range(200):
        widgets.showing(draw, "k", "exact", value, moves.append)
    assert len(bare[widgets._PAST]) == widgets._MOST_PAST


def test_what_is_over_in_a_moment_shows_no_progress_and_what_takes_longer_can_be_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = [0.0]
    bars, buttons = list[float](), list[tuple[str, object]]()
    place = SimpleNamespace(empty=lambda: None, container=nullcontext, progress=lambda share, text: bars.append(share))
    monkeypatch.setattr(widgets, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    monkeypatch.setattr(widgets.work_queue, "breathe", lambda: None)
    monkeypatch.setattr(widgets.st, "empty", lambda: place)
    monkeypatch.setattr(widgets.st, "button", lambda label, **more: buttons.append((label, more["on_click"])))
    with widgets.working("Reading", stop=seconds.clear) as progress:
        for seconds[0], share in ((0.1, 0.1), (0.2, 0.5), (0.4, 0.6), (0.45, 0.7), (0.7, 0.61), (0.8, 0.9)):
            progress(share)
    assert bars == [0.6, 0.9]
    assert buttons == [("Stop reading", seconds.clear)]


def as_shown(frame: pd.DataFrame, columns: list[str] | None = None) -> list[list[str]]:
    """What the browser gets to show, row by row."""
    rows = widgets.written(frame, columns)._translate(False, False)["body"]
    return [[cell["display_value"] for cell in row if cell["type"] == "td"] for row in rows]


def test_numbers_of_a_table_are_written_as_everywhere_else() -> None:
    frame = pd.DataFrame(
        {
            "people": [30_000, 5],
            "share": [52.96, 7.0],
            "even": [3.0, 1000.0],
            "chance": [0.1234567, 0.5],
            "left": [1.5, np.nan],
            "value": ["[a](b) *c* {d}", "<b>"],
        }
    )
    assert as_shown(frame) == [
        ["30,000", "52.96", "3", "0.1235", "1.5", "[a](b) *c* {d}"],
        ["5", "7.00", "1,000", "0.5000", "–", "<b>"],
    ]
    assert as_shown(frame, ["people"])[0][:2] == ["30,000", "52.960000"]


def test_a_table_of_many_cells_is_left_to_the_browser() -> None:
    frame = pd.DataFrame({"people": range(widgets.MOST_WRITTEN + 1)})
    assert widgets.written(frame) is frame
    assert as_shown(frame.head(0)) == []
    assert as_shown(pd.DataFrame({"nothing": [None], "none": [np.nan]})) == [[None, "–"]]


# --- what Streamlit remembers of widgets ---------------------------------------------------------


PAGES = [
    "data",
    "overview",
    "release",
    "attack#Other hospitals",
    "attack",
    "hold",
    "attack#Before anyone publishes",
    "attack#Beliefs",
    "providers",
    "noise",
    "review",
]
PEOPLE = "name,age,zip,illness\n" + "".join(
    f"Unmistakable {i},{20 + i % 50},{10_000 + i % 30},{('flu', 'cold', 'asthma')[i % 3]}\n" for i in range(300)
)
HARMLESS = (str, int, float, bool, type(None), types.FunctionType, types.BuiltinFunctionType, type)


def remembered(app: AppTest) -> dict[str, Any]:
    """What Streamlit keeps of widgets, by their ids."""
    return app.session_state._state._state._new_widget_state.widget_metadata


def given(callback: Any) -> list[Any]:
    """What a function holds on to: the names of the functions around it that it uses."""
    return [cell.cell_contents for cell in getattr(callback, "__closure__", None) or ()]


def offered() -> AppTest:
    """The app on the page Data with a table that waits for a decision."""
    app = opened("pages/data/page.py")
    app.file_uploader[0].upload("people.csv", PEOPLE.encode(), "text/csv").run()
    assert left_for_buttons(app)["data:use"]
    return app


def test_no_callback_holds_data() -> None:
    """One session goes from an offer through all pages: each run forgets the widgets of the page before."""
    app = offered()
    pages = [partial(go, app, page_of(page)) for page in PAGES]
    wrong = []
    for move in (app.run, partial(press, app, "Use this table"), *pages):
        move()
        assert remembered(app), "Streamlit keeps its widgets elsewhere now: see pages/shared/state/widget_data.py"
        for name, widget in remembered(app).items():
            things = [*(widget.callback_args or ()), *(widget.callback_kwargs or {}).values(), *given(widget.callback)]
            wrong += [(name, type(thing)) for thing in things if not isinstance(thing, HARMLESS)]
    assert not wrong, wrong


def test_widgets_that_are_gone_are_forgotten() -> None:
    app = offered()
    before = {name for name in remembered(app) if "data:use" in name}
    assert before
    press(app, "Keep the present one")
    assert not before & remembered(app).keys()
    assert "data:use" not in left_for_buttons(app)


def test_what_a_button_acts_on_is_there_until_the_button_is_gone() -> None:
    """A run that was broken off has not drawn its buttons again; those on the screen still work."""
    app = press(offered(), "Use this table")
    assert workspace_of(app).name == "people.csv"
    assert not left_for_buttons(app)

"""Nothing of a table is in what Streamlit remembers of widgets, and nothing is remembered of widgets that are gone."""

from __future__ import annotations

import types
from functools import partial
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.drive import go, left_for_buttons, opened, press, workspace_of

PAGES = [
    "data",
    "overview",
    "release",
    "hospitals",
    "attack",
    "hold",
    "forecast",
    "beliefs",
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
    pages = [partial(go, app, f"pages/{page}/page.py") for page in PAGES]
    wrong = []
    for move in (app.run, partial(press, app, "Use this table"), *pages):
        move()
        assert remembered(app), "Streamlit keeps its widgets elsewhere now: see pages/shared/leftovers.py"
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

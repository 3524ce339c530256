"""Nothing of a table is in what Streamlit remembers of widgets, and nothing is remembered of widgets that are gone."""

from __future__ import annotations

import types
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.drive import go, left_for_buttons, workspace_of
from tests.source import ROOT

PAGES = [
    "overview",
    "data",
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


def started() -> AppTest:
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()


def remembered(app: AppTest) -> dict[str, Any]:
    """What Streamlit keeps of widgets, by their ids."""
    return app.session_state._state._state._new_widget_state.widget_metadata


def given(callback: Any) -> list[Any]:
    """What a function holds on to: the names of the functions around it that it uses."""
    return [cell.cell_contents for cell in getattr(callback, "__closure__", None) or ()]


def offered() -> AppTest:
    """The app on the page Data with a table that waits for a decision."""
    app = started()
    app.switch_page("pages/data/page.py").run()
    app.file_uploader[0].upload("people.csv", PEOPLE.encode(), "text/csv").run()
    assert any(button.label == "Use this table" for button in app.button)
    return app


def test_no_callback_holds_data() -> None:
    """One session goes through all pages: each run forgets the widgets of the page before."""
    app = offered()
    next(button for button in app.button if button.label == "Use this table").click().run()
    wrong = []
    for page in PAGES:
        go(app, f"pages/{page}/page.py")
        assert remembered(app), "Streamlit keeps its widgets elsewhere now: see pages/shared/leftovers.py"
        for name, widget in remembered(app).items():
            things = [*(widget.callback_args or ()), *(widget.callback_kwargs or {}).values(), *given(widget.callback)]
            wrong += [(page, name, type(thing)) for thing in things if not isinstance(thing, HARMLESS)]
    assert not wrong, wrong


def test_an_offer_is_not_in_the_arguments_of_its_buttons() -> None:
    app = offered()
    for widget in remembered(app).values():
        assert all(isinstance(thing, HARMLESS) for thing in widget.callback_args or ())


def test_widgets_that_are_gone_are_forgotten() -> None:
    app = offered()
    before = {name for name in remembered(app) if "data:use" in name}
    assert before
    next(button for button in app.button if button.label == "Keep the present one").click().run()
    assert not before & remembered(app).keys()
    assert "data:use" not in left_for_buttons(app)


def test_what_a_button_acts_on_is_there_until_the_button_is_gone() -> None:
    """A run that was broken off has not drawn its buttons again; those on the screen still work."""
    app = offered()
    assert left_for_buttons(app)["data:use"]
    next(button for button in app.button if button.label == "Use this table").click().run()
    assert workspace_of(app).name == "people.csv"
    assert not left_for_buttons(app)

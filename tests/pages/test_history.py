"""Undo and redo: every control goes back, one move at a time."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import history
from tests.pages.drive import MY_ALGORITHM, loaded, set_workspace, small_table, unfold, workspace_of


def press(app: AppTest, name: str) -> AppTest:
    return next(button for button in app.button if button.key == f"history:{name}").click().run()


def can(app: AppTest, name: str) -> bool:
    return not next(button for button in app.button if button.key == f"history:{name}").disabled


def k_of(app: AppTest) -> int:
    return int(next(one for one in app.select_slider if one.label == "People per class (k)").value)


def test_moves_are_undone_and_made_again() -> None:
    app = loaded(*small_table(), repeats=2)
    assert not can(app, "undo")
    assert not can(app, "redo")
    for k in (10, 20):
        next(one for one in app.select_slider if one.label == "People per class (k)").set_value(k).run()
    metric = app.metric[0].value
    app = press(app, "undo")
    assert k_of(app) == 10
    app = press(app, "undo")
    assert k_of(app) == 4
    assert not can(app, "undo")
    app = press(press(app, "redo"), "redo")
    assert k_of(app) == 20
    assert app.metric[0].value == metric, "the numbers come back with the setting"
    assert not can(app, "redo")


def test_a_move_after_undo_leaves_nothing_to_redo() -> None:
    app = unfold(loaded(*small_table(), repeats=2), "attack")
    next(one for one in app.toggle if one.label == "Same k at every hospital").set_value(False).run()
    app = press(app, "undo")
    assert can(app, "redo")
    next(one for one in app.selectbox if one.label == "My classes").select("mdav").run()
    assert not can(app, "redo")
    app = press(app, "undo")
    assert next(one for one in app.selectbox if one.label == "My classes").value == MY_ALGORITHM


@pytest.mark.long
@pytest.mark.parametrize("page", ["release", "forecast", "beliefs", "providers", "noise", "hospitals", "review"])
def test_every_slider_of_every_page_goes_back(page: str) -> None:
    app = loaded(*small_table(), f"pages/{page}/page.py", repeats=2)
    slider = next((one for one in app.slider if str(one.key).startswith("widget:") and not one.disabled), None)
    if slider is None:
        pytest.skip("no slider of a setting here")
    label, before = slider.label, slider.value
    slider.set_value(type(before)(np.clip(before + slider.step, slider.min, slider.max))).run()
    moved = next(one for one in app.slider if one.label == label).value
    assert moved != before
    app = press(app, "undo")
    assert next(one for one in app.slider if one.label == label).value == before


def test_another_table_begins_anew() -> None:
    app = loaded(*small_table(), repeats=2)
    next(one for one in app.select_slider if one.label == "People per class (k)").set_value(10).run()
    assert can(app, "undo")
    here = workspace_of(app)
    set_workspace(app, type(here)(here.table, here.schema, "again", example=False))
    app.run()
    assert not can(app, "undo")


def test_so_many_moves_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MOST", 2)
    app = loaded(*small_table(), repeats=2)
    for k in (10, 20, 30):
        next(one for one in app.select_slider if one.label == "People per class (k)").set_value(k).run()
    app = press(press(app, "undo"), "undo")
    assert k_of(app) == 10
    assert not can(app, "undo")

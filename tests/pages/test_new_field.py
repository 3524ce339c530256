"""A toy field of the scenario, declared from outside, is not lost by pages that do not ask for it."""

from __future__ import annotations

import pytest

from pages.shared import session as state
from tests.pages.test_attack import small_table
from tests.toys import add_horizon


def test_pages_do_not_lose_it(monkeypatch: pytest.MonkeyPatch) -> None:
    add_horizon(monkeypatch)
    monkeypatch.setattr(state.st, "session_state", {"workspace": state.Workspace(*small_table(), "a table", False)})
    state.fit_choices(400)
    wanted = state.scenario().with_(horizon=5)
    assert state.scenario().values["horizon"] == 1
    state.adopt(wanted)
    assert state.scenario() == wanted

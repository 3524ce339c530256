"""A run that is stopped leaves a line that says so, and a button that goes on."""

from __future__ import annotations

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.shared import later
from tests.pages.drive import loaded
from tests.source import ROOT
from tests.tables import small_table


def resume(app: AppTest) -> list[str]:
    return [button.label for button in app.sidebar.button if button.label == "Resume"]


def test_stopped_and_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(later, "finish", st.stop)
        app = loaded(*small_table(), "pages/attack/page.py")
        assert resume(app)
        assert any("**Stopped.**" in caption.value for caption in app.sidebar.caption)
    next(button for button in app.sidebar.button if button.label == "Resume").click().run()
    assert not resume(app), "a run that came to its end has nothing to resume"


def test_what_a_stopped_run_says_is_hidden_while_the_script_runs() -> None:
    style = (ROOT / "assets" / "style.css").read_text(encoding="utf-8")
    assert '[data-testid="stApp"]:not([data-test-script-state="notRunning"]) .st-key-stopped' in style

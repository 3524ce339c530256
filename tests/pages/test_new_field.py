"""A toy field of the scenario, declared from outside, is not lost by pages that do not ask for it."""

from __future__ import annotations

import pytest

from pages.shared import session
from tests.pages.drive import Session, start
from tests.toys import add_horizon


def test_pages_do_not_lose_it(bare: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    add_horizon(monkeypatch)
    start(bare)
    wanted = session.scenario().with_(horizon=5)
    assert session.scenario().values["horizon"] == 1
    session.adopt(wanted)
    assert session.scenario() == wanted

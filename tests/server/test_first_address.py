"""A page opened by its address is there in the very first session of a server, before anybody has seen another page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import rig
from tests.server.people import APP
from tests.server.web import get
from tests.visitor import Visitor


def test_the_first_session_may_begin_with_any_page(tmp_path: Path) -> None:
    with rig.running(APP, tmp_path) as app:
        with Visitor(app.url, "attack") as visitor:
            assert visitor.missed == []
            assert visitor.widget("People per class (k)")
        assert app.complaints() == []


@pytest.mark.parametrize("page", ["/", "/attack", "/data"])
def test_other_addresses_stay(watched: rig.App, page: str) -> None:
    assert get(watched, page).status == 200

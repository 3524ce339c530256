"""Who has come to know the identity of a session, from a log say, cannot take it up: it belongs to its browser."""

from __future__ import annotations

import pytest

from tests.browser import rig
from tests.server.people import people
from tests.visitor import Visitor


def holds(visitor: Visitor) -> bool:
    """Whether the table that was loaded is in use."""
    visitor.open("data")
    return any("25 records" in text for text in visitor.texts())


@pytest.fixture
def owner(watched: rig.App) -> Visitor:
    """Somebody who uses a table of 25 records, in a tab that has just lost its line."""
    visitor = Visitor(watched.url)
    visitor.open("data")
    visitor.upload("Load your own table", "people.csv", people(25))
    visitor.click("Use this table")
    assert holds(visitor)
    return visitor


def test_no_other_browser_takes_a_session_up(watched: rig.App, owner: Visitor) -> None:
    """Neither while its tab is open nor after; its own does."""
    for close in (lambda: None, owner.close):
        close()
        for cookie in (None, ""):
            with Visitor(watched.url, session=owner.session, cookie=cookie) as other:
                assert other.session != owner.session
                assert not holds(other)
    with Visitor(watched.url, session=owner.session, cookie=owner.cookie) as back:
        assert back.session == owner.session
        assert holds(back)


def test_no_other_browser_uploads_into_a_session(watched: rig.App, owner: Visitor) -> None:
    path = f"/_stcore/upload_file/{owner.session}/any"
    with owner, Visitor(watched.url) as other:
        assert other.put(path, "people.csv", b"a,b\n1,2\n")[0] == 403
        assert other.ask("DELETE", path)[0] == 403
        assert owner.put(path, "people.csv", b"a,b\n1,2\n")[0] == 204

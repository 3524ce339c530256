"""Who has come to know the identity of a session, from a log say, cannot take it up: it belongs to its browser."""

from __future__ import annotations

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

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


# --- what a page draws ---------------------------------------------------------------------------


MAIN = 0
STRIP = [MAIN, 0]


def test_what_a_page_draws_is_its_own_however_late_it_is_drawn(watched: rig.App) -> None:
    """The browser leaves what belongs to no page where it is: it would stand on the next page until that has ended."""
    owners: dict[tuple[int, ...], str] = {}

    def note(message: ForwardMsg) -> None:
        path = tuple(message.metadata.delta_path)
        if message.WhichOneof("type") == "delta" and path[0] == MAIN and list(path[:2]) != STRIP:
            owners[path] = message.metadata.active_script_hash

    with Visitor(watched.url, "") as visitor:
        visitor.open("noise", note)
        assert len(owners) > 10
        assert set(owners.values()) == {visitor.page_hash}

"""The person that measures is one whose moves arrive, and what a page draws late leaves with the page."""

from __future__ import annotations

import time

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.people import Person, arrive, move, watch
from tests.browser import rig
from tests.visitor import Visitor

MAIN = 0
STRIP = [MAIN, 0]


def test_the_load_script_sees_the_curve_drawn_again(watched: rig.App) -> None:
    visitor, person = arrive(watched.url), Person()
    for number in range(2):
        move(visitor, number)
        watch(visitor, person, time.monotonic() + 60)
    visitor.close()
    assert person.trouble == []
    assert len(person.first) == 2
    assert person.whole == 2, "the intervals came as well"


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

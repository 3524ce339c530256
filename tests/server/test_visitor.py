"""The person that measures is one whose moves arrive: a slider of numbers and one made of options."""

from __future__ import annotations

import time

import pytest

from benchmarks.people import KS, OVERLAP, OVERLAPS, K, Person, arrive, move, watch
from tests.browser import rig
from tests.visitor import Visitor

pytestmark = pytest.mark.long


def test_moves_of_the_load_script_are_taken(watched: rig.App) -> None:
    with Visitor(watched.url, "attack") as visitor:
        for label, value in ((K, KS[1]), (OVERLAP, OVERLAPS[0])):
            visitor.set(label, float(value))
            visitor.rerun()
    # A value of another kind than the widget's is an error in the log of the server.
    assert watched.complaints() == []


def test_the_load_script_sees_the_curve_drawn_again(watched: rig.App) -> None:
    visitor, person = arrive(watched.url), Person()
    for number in range(2):
        move(visitor, number)
        watch(visitor, person, time.monotonic() + 60)
    visitor.close()
    assert person.trouble == []
    assert len(person.first) == 2
    assert person.whole == 2, "the intervals came as well"

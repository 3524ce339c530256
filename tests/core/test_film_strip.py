"""One person's story as a picture: what is struck out and left, hostile text, and nothing from elsewhere."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET

import pytest

from core.attack.trail import Match, Step
from core.base.errors import MissingPackageError
from core.figures.film_strip import MOST_LISTED, as_png, film_strip
from tests.kept import compare, line

SVG = "{http://www.w3.org/2000/svg}"
TRICK = "<script>&\"'\x07" + "x" * 200


def step(number: int, *counts: tuple[str, int], left: tuple[str, ...]) -> Step:
    size = sum(many for _, many in counts)
    matches = (Match(0, size, {"age": "30"}),) if counts else ()
    return Step(number, matches, counts, left)


STORY = [step(1, ("flu", 2), (TRICK, 1), left=("flu", TRICK)), step(2, ("cold", 1), (TRICK, 3), left=(TRICK,))]


def texts(svg: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter(f"{SVG}text"))


def test_what_is_ruled_out_is_struck_out_and_what_is_left_is_red() -> None:
    drawn = texts(film_strip("Somebody", STORY, {"flu": "Influenza"}))
    struck = [text.text for text in drawn if text.get("text-decoration") == "line-through"]
    assert struck == ["Influenza", "cold"]
    red = [text.text for text in drawn if text.get("fill") == "#B70300" and text.get("font-weight") == "bold"]
    assert len(red) == 3, "in both classes and in the frame of both"
    assert next(text.text for text in drawn if text.get("font-weight") == "bold") == "Somebody"
    assert {"Both", "one is left", "3 records fit", "4 records fit"} <= {text.text for text in drawn}


def test_names_and_values_stay_text_and_nothing_is_fetched() -> None:
    svg = film_strip(TRICK, STORY)
    names = {node.tag.removeprefix(SVG) for node in ET.fromstring(svg).iter()}
    assert names == {"svg", "rect", "text"}
    assert all(len(text.text or "") < 100 for text in texts(svg))
    assert "http" not in svg.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_long_lists_end_and_a_release_may_say_nothing() -> None:
    values = tuple(f"value {number}" for number in range(MOST_LISTED + 3))
    shown = [
        text.text
        for text in texts(
            film_strip("", [step(1, *((value, 1) for value in values), left=values), step(2, left=values)])
        )
    ]
    assert "and 3 more" in shown
    assert "no class fits: it says nothing" in shown


def test_every_picture_is_as_kept() -> None:
    """From no value to more than are listed, of one release to three, and one that fits several classes."""
    films = {}
    for many in (0, 1, 2, MOST_LISTED, MOST_LISTED + 1, MOST_LISTED + 2):
        left = tuple(f"value {number}" + "y" * number * 3 for number in range(many))
        steps = [step(n, *((value, 1001 * n) for value in (*left, "other")), left=left) for n in range(1, 3 + many % 2)]
        films[f"{many} left"] = film_strip("Somebody" * many * 2, steps[: max(1, many)], {"other": "Else"})
    compare("film strips", {name: {line("svg", svg): svg} for name, svg in films.items()})


def test_the_png_is_one_and_without_its_package_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    svg = film_strip("Somebody", STORY)
    assert as_png(svg).startswith(b"\x89PNG")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingPackageError, match="vl-convert-python"):
        as_png(svg)

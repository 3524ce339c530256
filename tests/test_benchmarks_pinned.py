"""The benchmark of the calibrated forecast: a small world made, judged and put into words."""

from __future__ import annotations

import pandas as pd
import pytest

from benchmarks import pinned
from core import examples
from core.data.encoding import encode


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pinned, "ALIKE", (pinned.World(k=3, their_k=3), pinned.World(l=3)))
        patch.setattr(pinned, "UNLIKE", (pinned.World(k=5, their_k=10),))
        least = pinned.World(k=3, their_k=3, algorithm="least-loss", theirs="mondrian")
        patch.setattr(pinned, "LEAST", (least, pinned.World(k=3, their_k=3, algorithm="least-loss")))
        patch.setattr(pinned, "MICRO", (pinned.World(8_000, 8_000, 3, 3, algorithm="mdav"),))
        return pinned.worlds({"city": encode(examples.city(3_000), examples.city_schema())}, True)


def test_truth_forecast_and_band_of_every_world(frame: pd.DataFrame) -> None:
    assert len(frame) == 3 * len(pinned.SHARED) + 6
    assert (frame["low"] <= frame["expected"]).all()
    assert (frame["expected"] <= frame["high"]).all()
    inside = (frame["true"] >= frame["low"]) & (frame["true"] <= frame["high"])
    assert (frame["covered"] == inside).all()
    told = frame[frame["unlike"] != ""]
    assert set(told["unlike"]) == {"their k is 10, mine 5"}
    assert (told["told"] != told["expected"]).all()
    alike = frame[frame["unlike"] == ""]
    assert (alike["told"] == alike["expected"]).all()
    assert alike["covered"].mean() >= 0.8


def test_the_section_of_the_method_page_is_filled(frame: pd.DataFrame) -> None:
    text = pinned.text(frame, "2026-01-01")
    assert "{by_" not in text
    assert "{micro" not in text
    assert "{least" not in text
    assert "{coverage}" not in text
    assert text.count("| city |") == 2
    assert "2026-01-01" in text
    page = pinned.FILE.read_text(encoding="utf-8")
    template = pinned.TEMPLATE.read_text(encoding="utf-8")
    for line in template.splitlines():
        if line and "{" not in line:
            assert line in page, "the page was written from another template"

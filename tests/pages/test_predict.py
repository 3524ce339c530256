"""A guess before the answer: nothing is told until it is revealed, and what is told is core's."""

from __future__ import annotations

import pytest

from core import Policy
from core.base.words import of_hundred
from core.data.encoding import encode
from core.study.redraws import Redraws
from core.study.sweep import sweep
from tests.pages.drive import loaded, usual
from tests.tables import small_table


@pytest.mark.parametrize(
    "share, told",
    [
        (0.0, (0, "0")),
        (0.004, (0, "fewer than 1")),
        (0.006, (1, "about 1")),
        (0.17, (17, "17")),
        (0.173, (17, "about 17")),
        (0.994, (99, "about 99")),
        (0.998, (99, "more than 99")),
        (1.0, (100, "100")),
    ],
)
def test_people_of_a_hundred_are_rounded_honestly(share: float, told: tuple[int, str]) -> None:
    assert of_hundred(share) == told


def test_the_dots_stand_in_place_of_the_curve() -> None:
    table, schema = small_table()
    app = loaded(table, schema)
    lists = {"Show", "Draw the curve against"}
    assert lists <= {box.label for box in app.selectbox}
    app.segmented_control(key="attack:picture").set_value("100 patients").run()
    assert not lists & {box.label for box in app.selectbox}, "they would do nothing"
    drawn = [chart.proto.alt for chart in app.get("vega_lite_chart")]
    study = usual(Policy(4), 60)
    row = sweep(encode(table, schema), study, "releases", [2], Redraws(10, confidences=(1.0,))).iloc[0]
    left, alone = of_hundred(row["share"])[1], of_hundred(row["single"])[1]
    alt = next(alt for alt in drawn if alt.startswith("Of 100 patients you share"))
    assert f"{left} left with one value; " in alt
    assert f"{alone} left with one value by the best single release alone" in alt
    assert not any(alt.startswith("Exposed: share") for alt in drawn)

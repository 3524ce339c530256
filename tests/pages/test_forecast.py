"""The forecast page: every assumption changed, numbers as core gives them, bad files answered by a sentence."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Release
from core.algorithms import partition
from core.data.encoding import encode
from core.forecast import Forecast, forecast
from pages.attack import forecast as page
from pages.shared.text import percent
from tests.pages import drive
from tests.pages.drive import MY_ALGORITHM, choose, metrics, texts
from tests.tables import small_table


def loaded(**choices: Any) -> AppTest:
    return drive.loaded(*small_table(), "pages/forecast/page.py", **choices)


def paper(app: AppTest) -> str:
    """What is shown of Sattar & Helal's estimate."""
    share = metrics(app)["People in vulnerable classes"]
    (sentence,) = (str(item.value) for item in app.markdown if str(item.value).startswith(page.PAPER))
    return f"{share} {sentence}"


def as_shown(found: Forecast, reading: str = "at least l") -> str:
    return f"{percent(found.people(reading).value)} {page.sentence(found, reading)}"


@pytest.fixture(scope="module")
def release() -> Release:
    return partition(encode(*small_table()), Policy(4), MY_ALGORITHM)


def test_the_number_of_the_page_stands_above_the_estimate() -> None:
    app = loaded()
    assert [label.split(" (")[0] for label in metrics(app)] == ["One value left", "People in vulnerable classes"]
    assert "our reading" in texts(app)
    assert "counted in your own table" in texts(app)


def test_the_numbers_are_those_of_core(release: Release) -> None:
    app = loaded()
    assert paper(app) == as_shown(forecast(release))
    assert paper(choose(app, "forecast_reading", "every subset")) == as_shown(forecast(release), "every subset")


@pytest.mark.parametrize(
    ("choices", "asked"),
    [
        ({"forecast_l": 3}, {"l": 3}),
        ({"forecast_l": 1}, {"l": 1}),
        ({"forecast_c": 0.5}, {"confidence": 0.5}),
        ({"forecast_same": False, "forecast_others": 5000}, {"others": 5000}),
        ({"forecast_source": "joint"}, {"joint": True}),
    ],
)
def test_every_assumption_can_be_changed(release: Release, choices: dict[str, Any], asked: dict[str, Any]) -> None:
    assert paper(loaded(**choices)) == as_shown(forecast(release, **asked))


# ---- odd tables, hostile names --------------------------------------------------------------------


def test_sentences_for_each_reading(release: Release) -> None:
    found = forecast(release)
    assert "at least 2 of its values" in page.sentence(found, "at least l")
    assert "2 likeliest values are all" in page.sentence(found, "every subset")
    assert "any of its values" in page.sentence(forecast(release, l=1), "at least l")

"""The forecast page: every assumption changed, numbers as core gives them, bad files answered by a sentence."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Release, Schema, Table
from core.algorithms import partition
from core.data.encoding import encode
from core.forecast import Forecast, forecast
from pages.attack import forecast as page
from pages.shared.text import percent
from tests.pages import drive
from tests.pages.drive import MY_ALGORITHM, choose, metrics
from tests.tables import small_table


def loaded(table: Table, schema: Schema, **choices: Any) -> AppTest:
    return drive.loaded(table, schema, "pages/forecast/page.py", **choices)


def text(app: AppTest) -> str:
    return "\n".join(str(item.value) for kind in (app.markdown, app.caption, app.text, app.error) for item in kind)


def paper(app: AppTest) -> str:
    """What is shown of Sattar & Helal's estimate."""
    (share,) = (value for label, value in metrics(app).items() if label == "People in vulnerable classes")
    (sentence,) = (str(item.value) for item in app.markdown if str(item.value).startswith(page.PAPER))
    return f"{share} {sentence}"


def as_shown(found: Forecast, reading: str = "at least l") -> str:
    return f"{percent(found.people(reading).value)} {page.sentence(found, reading)}"


@pytest.fixture(scope="module")
def release() -> Release:
    return partition(encode(*small_table()), Policy(4), MY_ALGORITHM)


def test_the_number_of_the_page_stands_above_the_estimate() -> None:
    app = loaded(*small_table())
    assert [label.split(" (")[0] for label in metrics(app)] == ["One value left", "People in vulnerable classes"]
    assert "our reading" in text(app)
    assert "counted in your own table" in text(app)


def test_the_numbers_are_those_of_core(release: Release) -> None:
    table, schema = small_table()
    app = loaded(table, schema)
    assert paper(app) == as_shown(forecast(release))
    app = choose(app, "forecast_reading", "every subset")
    assert paper(app) == as_shown(forecast(release), "every subset")


@pytest.mark.parametrize(
    ("choices", "asked"),
    [
        ({"forecast_l": 3}, {"l": 3}),
        ({"forecast_l": 1}, {"l": 1}),
        ({"forecast_c": 0.5}, {"confidence": 0.5}),
        ({"forecast_same": False, "forecast_others": 5000}, {"others": 5000}),
        ({"forecast_source": "joint"}, {"joint": True}),
        ({"diversity": "distinct", "l": 2.0}, {}),
    ],
)
def test_every_assumption_can_be_changed(choices: dict[str, Any], asked: dict[str, Any]) -> None:
    app = loaded(*small_table(), **choices)
    assert not app.error
    policy = Policy(4, l=2) if "diversity" in choices else Policy(4)
    assert paper(app) == as_shown(forecast(partition(encode(*small_table()), policy, MY_ALGORITHM), **asked))


# ---- odd tables, hostile names --------------------------------------------------------------------


def test_sentences_for_each_reading(release: Release) -> None:
    found = forecast(release)
    assert "at least 2 of its values" in page.sentence(found, "at least l")
    assert "2 likeliest values are all" in page.sentence(found, "every subset")
    assert "any of its values" in page.sentence(forecast(release, l=1), "at least l")

"""The beliefs page: numbers as core gives them, every background, one class, negation statements, Don."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Release
from core.algorithms import partition
from core.beliefs import Background, Beliefs, beliefs
from core.data.encoding.encoded import encode
from core.forecast import Forecast, forecast, real_risk
from core.study.one_run import run_study
from pages.attack import beliefs as page
from pages.attack import forecast as forecast_view
from pages.shared.ui.text import percent
from tests.pages import drive
from tests.pages.drive import MY_ALGORITHM, choose, metrics, spaced, texts, usual
from tests.tables import small_table


def loaded(**choices: Any) -> AppTest:
    return drive.loaded(*small_table(), "pages/attack/page.py#Beliefs", **choices)


def beliefs_shown(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.main.metric if metric.label != "One value left"}


def as_shown(found: Beliefs, theta: float = 0.1) -> dict[str, str]:
    classes = (found.table(theta)["breached"] > 0).mean()
    return {
        "Largest change of a belief": page.points(float(found.gain.max())),
        "People breached": percent(found.share(theta).value),
        "Classes with a breach": percent(float(classes)),
    }


@pytest.fixture(scope="module")
def release() -> Release:
    return partition(encode(*small_table()), Policy(4), MY_ALGORITHM)


@pytest.mark.parametrize(
    ("choices", "known"),
    [
        ({}, []),
        ({"belief_source": "columns", "belief_columns": ("sex", "gone")}, ["sex"]),
        ({"belief_source": "joint"}, None),
        ({"belief_theta": 0.4}, []),
    ],
)
def test_the_numbers_are_those_of_core(release: Release, choices: dict[str, Any], known: list[str] | None) -> None:
    app = loaded(**choices)
    found = beliefs(release, Background.of_table(release.encoded, known))
    assert beliefs_shown(app) == as_shown(found, choices.get("belief_theta", 0.1))
    assert "not a fact about anyone" in texts(app)
    if known is not None:  # whoever knows the whole table learns nothing
        assert f"**Class {found.owner[found.largest]}:" in texts(app)
        assert spaced(percent(float(found.after[found.largest]))) in texts(app)


def test_a_uniform_background(release: Release) -> None:
    found = beliefs(release, Background.constant(release.encoded))
    assert beliefs_shown(loaded(belief_source="uniform")) == as_shown(found)


def test_statements_about_one_person(release: Release) -> None:
    found = beliefs(release, Background.of_table(release.encoded, ["sex"]))
    number = int(found.owner[found.largest])
    codes = release.histogram.of_class(number)[0]
    group = int(found.starts[number])
    plain = page.person(found, number, group)
    told = page.person(found, number, group, (int(codes[0]),))
    cut = plain.after.copy()
    cut[codes[0]] = 0
    assert told.after == pytest.approx(cut / cut.sum())
    assert told.before[codes[0]] == 0
    nothing = page.person(found, number, group, tuple(codes.tolist()))
    assert nothing.gain == 0
    assert "leaves no value of this class possible" in page.change_in_words(
        nothing, list(release.encoded.sensitive.labels), 0.1
    )


# ---- the examples on the page Start, and the Method page ------------------------------------------


# --- before anybody publishes --------------------------------------------------------------------


def forecast_page(**choices: Any) -> AppTest:
    return drive.loaded(*small_table(), "pages/attack/page.py#Before anyone publishes", **choices)


def paper(app: AppTest) -> str:
    """What is shown of Sattar & Helal's estimate."""
    share = metrics(app)["People in vulnerable classes"]
    (sentence,) = (str(item.value) for item in app.markdown if str(item.value).startswith(forecast_view.PAPER))
    return f"{share} {sentence}"


def paper_of(found: Forecast, reading: str = "at least l") -> str:
    return f"{percent(found.people(reading).value)} {forecast_view.sentence(found, reading)}"


def test_the_estimate_is_that_of_core(release: Release) -> None:
    app = forecast_page()
    assert paper(app) == paper_of(forecast(release))
    assert paper(choose(app, "forecast_reading", "every subset")) == paper_of(forecast(release), "every subset")


def test_the_real_risk_stands_next_to_the_estimate(release: Release) -> None:
    """[Sattar 2018, Eq. 1] against the other hospital that the page drew."""
    (line,) = (str(item.value) for item in forecast_page().markdown if "(Eq. 1)" in str(item.value))
    table, schema = small_table()
    outcome = run_study(encode(table, schema), usual(Policy(4), 60))
    mine, other = (each.release for each in outcome.releases)
    assert mine is not None
    assert other is not None
    people = [rows for rows in outcome.people if rows is not None]
    real = real_risk(mine, other, people, 2)
    assert forecast_view.compare_with_real(forecast(release), "at least l", real) == line


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
    assert paper(forecast_page(**choices)) == paper_of(forecast(release, **asked))


# ---- odd tables, hostile names --------------------------------------------------------------------

"""A toy number of the attack, declared from outside, is in the curve's menu, its table, the limits and the verdict."""

from __future__ import annotations

import pytest

from pages.review.verdict import VERDICTS
from tests.pages.drive import at_section, loaded, spaced, with_numbers
from tests.tables import small_table
from tests.toys import add_few_left

WORDS, TITLE = "Two values left, or one (toy)", "Two left, or one"


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    add_few_left(monkeypatch)


def test_the_attack_page_draws_it_and_lists_it() -> None:
    app = loaded(*small_table(), repeats=2, section="All numbers")
    menu = next(one for one in app.selectbox if one.label == "Show")
    assert TITLE not in titles(app)
    menu.select("few").run()
    assert TITLE in titles(app)
    with_numbers(app, "curve")
    assert any(f"{TITLE} (%)" in frame.value.columns for frame in app.dataframe)


def titles(app) -> str:
    """The specifications of the charts, with every title."""
    return " ".join(chart.proto.spec for chart in app.get("vega_lite_chart"))


def test_the_review_page_offers_a_limit_and_judges_it() -> None:
    app = at_section(loaded(*small_table(), "pages/review/page.py", repeats=2), "review", "Each limit")
    next(one for one in app.multiselect if one.label == "Limits that you accept").select("few").run()
    field = next(one for one in app.number_input if one.label.startswith(WORDS))
    assert field.value == 25.0, "where the declaration starts it, in per cent"
    table = app.table[0].value
    assert list(table.iloc[:, 0]) == [f"**{WORDS}**"]
    assert spaced(table["Limit"].iloc[0]) == "at most 25 %"
    assert table["Verdict"].iloc[0] in VERDICTS.values()

"""A toy privacy model, declared from outside, has its control, its words and its numbers on the pages."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, measure
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.release.algorithm import MINE
from pages.release.guarantee import MET
from pages.review.verdict import VERDICTS
from tests.pages.drive import at_section, choose, go, loaded, set_hospital, spaced, with_numbers
from tests.tables import small_table
from tests.toys import add_dominance, add_few_left

LABEL = "Share of the most common value (p)"


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    add_dominance(monkeypatch)


def lines(app: AppTest):
    return app.table[0].value.map(lambda text: text.replace("\u00a0", " ")).set_index("Model")


def test_the_release_page_asks_for_it_and_measures_it() -> None:
    people, schema = small_table()
    app = at_section(loaded(people, schema, "pages/release/page.py"), "release", "Classes")
    before = lines(app).loc[LABEL]
    assert before["Asked"] == "not asked"
    next(one for one in app.toggle if one.label == "Limit the most common value").set_value(True).run()
    slider = next(one for one in app.slider if one.label == LABEL)
    assert (slider.value, slider.min, slider.max) == (0.6, 0.1, 1.0)
    slider.set_value(0.35).run()
    assert not app.error
    shown = lines(app).loc[LABEL]
    release = partition(encode(people, schema), Policy(4, more={"p": 0.35}), MINE)
    share = measure(release.publish(seed=0), schema).numbers["p"]
    assert share < float(before["Measured"])
    assert shown["Asked"] == "at most 0.35"
    assert float(shown["Measured"]) == pytest.approx(share, abs=1e-3)
    assert shown["Verdict"] == MET.replace("\u00a0", " ")


def test_the_attack_page_can_draw_against_it_and_the_hospitals_page_shows_it() -> None:
    app = loaded(*small_table(), dominance=True, p=0.75, repeats=2)
    assert LABEL in next(one for one in app.selectbox if one.label == "Draw the curve against").options
    choose(app, "vary", "p")
    set_hospital(app, "Expert")
    go(app, "pages/attack/page.py#Other hospitals")
    frame = next(one.value for one in app.dataframe if "p" in one.value.columns)
    assert frame["p"].tolist() == ["0.75", "0.75"]


# --- a number of the attack ----------------------------------------------------------------------


WORDS, TITLE = "Two values left, or one (toy)", "Two left, or one"


@pytest.fixture(autouse=True)
def toy_number(monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert spaced(table["Limit"].iloc[0]) == "at most 25%"
    assert table["Verdict"].iloc[0] in VERDICTS.values()

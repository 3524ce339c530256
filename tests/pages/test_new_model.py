"""A toy privacy model, declared from outside, has its control, its words and its numbers on the pages."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, measure
from core.algorithms import partition
from core.data.encoding import encode
from core.release.algorithm import MINE
from pages.release.guarantee import MET
from pages.shared import session
from tests.pages.drive import Session, at_section, choose, go, loaded, set_hospital, texts
from tests.tables import small_table
from tests.toys import add_dominance

LABEL = "Share of the commonest value (p)"


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
    next(one for one in app.toggle if one.label == "Limit the commonest value").set_value(True).run()
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


def test_what_cannot_be_met_is_one_sentence() -> None:
    app = loaded(*small_table(), "pages/release/page.py", dominance=True, p=0.1)
    assert "p = 0.1 is less than the whole table has" in texts(app).replace("\\", "")


def test_the_attack_page_can_draw_against_it_and_the_hospitals_page_shows_it() -> None:
    app = loaded(*small_table(), dominance=True, p=0.75, repeats=2)
    assert LABEL in next(one for one in app.selectbox if one.label == "Draw the curve against").options
    choose(app, "vary", "p")
    set_hospital(app, "Expert")
    go(app, "pages/hospitals/page.py")
    frame = next(one.value for one in app.dataframe if "p" in one.value.columns)
    assert frame["p"].tolist() == ["0.75", "0.75"]


def test_a_scenario_sets_it_again(started: Session) -> None:
    assert "p" not in dict(session.policy(5).more)
    session.put("dominance", True)
    session.put("p", 0.8)
    wanted = session.scenario()
    assert [hospital.policy for hospital in wanted.hospitals] == [Policy(5, more={"p": 0.8})] * 2
    session.put("dominance", False)
    session.put("p", 0.3)
    session.adopt(wanted)
    assert session.scenario() == wanted

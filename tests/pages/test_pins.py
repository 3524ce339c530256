"""Pins: made on any page, computed once, compared only where they can be, forgotten with the data."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

from streamlit.testing.v1 import AppTest

from core.base.wording import metric_value
from core.data.encoding.encoded import encode
from core.decision.review import Assessment, Case, assess
from core.decision.review.assessment import Number
from pages.review import candidates
from pages.shared.state import session
from pages.shared.ui import pins
from tests.pages.drive import Session, loaded, pins_of, set_choice, set_section, set_workspace, workspace_of
from tests.tables import small_table

TABLE, SCHEMA = small_table()


def pin(app: AppTest, name: str = "") -> AppTest:
    app.sidebar.text_input[0].set_value(name)
    return next(b for b in app.sidebar.button if b.label == "Pin").click().run()


def at_k(k: int) -> Any:
    session.put("my_k", k)
    return session.scenario()


# ---- what is kept ------------------------------------------------------------------------


def test_a_pin_is_the_scenario_and_its_numbers() -> None:
    app = pin(loaded(*small_table(), "pages/data/page.py"), "mine")
    (found,) = pins_of(app)
    assert found.name == "mine"
    assert found.assessment is not None
    expected = assess(Case(encode(TABLE, SCHEMA), found.scenario))
    assert found.assessment.numbers == expected.numbers
    assert "Pinned as mine" in "\n".join(caption.value for caption in app.sidebar.caption)


def test_a_setting_is_pinned_once_under_a_name_of_its_own_and_at_most_twelve_are(started: Session) -> None:
    assert "Pinned" in pins.add("", at_k(5))
    assert "already" in pins.add("b", at_k(5))
    pins.add("k = 5, Least loss", at_k(6))
    assert [pin.name for pin in pins.everything()] == ["k = 5, Least loss", "k = 5, Least loss (2)"]
    answers = [pins.add("", at_k(k)) for k in range(7, 20)]
    assert "the most that fit" in answers[-1]
    pins.remove(pins.everything()[0].number)
    assert "Pinned" in pins.add("again", at_k(30))
    assert len({pin.number for pin in pins.everything()}) == len(pins.everything()) == pins.MOST
    session.forget()
    assert not pins.everything(), "with the data"


def test_a_pin_is_worked_out_and_set_again_as_it_was_whatever_is_moved_since(started: Session) -> None:
    session.put("overlap", 60)
    wanted = at_k(9)
    pins.add("nine", wanted)
    at_k(5)
    session.put("confidence", 0.5)
    session.put("noise_epsilon", 0.1)
    session.change_schema(dataclasses.replace(SCHEMA, quasi_identifiers=("age",), unassigned="drop"))
    pins.work_out()
    (found,) = pins.everything()
    assert found.assessment is not None
    assert found.assessment.numbers == assess(Case(encode(TABLE, SCHEMA), wanted)).numbers
    pins.set_again(0)
    assert session.scenario() == wanted


def test_what_cannot_be_worked_out_says_why(started: Session) -> None:
    session.put("diversity", "recursive")
    session.put("c", 0.1)
    session.put("l", 12.0)
    pins.add("never", session.scenario())
    pins.work_out()
    assert pins.everything()[0].assessment is None
    assert pins.everything()[0].refused


def test_no_record_is_in_a_pin(started: Session) -> None:
    pins.add("mine", session.scenario())
    pins.work_out()

    def look(thing: Any) -> None:
        assert not isinstance(thing, (type(TABLE), type(encode(TABLE, SCHEMA))))
        if dataclasses.is_dataclass(thing):
            for field in dataclasses.fields(thing):
                look(getattr(thing, field.name))

    look(pins.everything()[0])


# ---- side by side --------------------------------------------------------------------------


def on_candidates() -> AppTest:
    app = loaded(*small_table(), "pages/review/page.py")
    set_section(app, "review", "Candidates")
    return app.run()


def test_side_by_side_with_words_for_best_and_worst() -> None:
    app = pin(on_candidates(), "four")
    assert list(app.table[0].value.columns) == ["**Number**", "four \\(present\\)"], "the present setting stands once"
    for name in ("my_k", "their_k"):
        set_choice(app, name, 20)
    shown_ = app.run().table[0].value
    assert list(shown_.columns) == ["**Number**", "Present setting", "four"]
    rows = {row.iloc[0].split("**")[1]: row for _, row in shown_.iterrows() if "**" in row.iloc[0]}
    four: Assessment = pins_of(app)[0].assessment
    for metric, label in (("k", "People per class (k)"), ("loss", "Information loss")):
        assert f"**{metric_value(metric, four.numbers[metric].value)}**" in rows[label]["four"]
    assert "worst" in rows["People per class (k)"]["four"]
    assert "best" in rows["Information loss"]["four"]
    assert "worst" in rows["Information loss"]["Present setting"]
    assert "shared people" in rows["One value left (perfect breach)"]["four"]
    assert "They differ in **others**" in app.warning[0].value


def test_a_rank_is_luck_where_the_intervals_overlap() -> None:
    def one(value: float, low: float, high: float) -> Any:
        return SimpleNamespace(numbers={"one_value_left": Number(value, 10, "shared people", low, high)})

    for low, overlap in ((0.2, True), (0.31, False)):
        seen = {"a": one(0.25, 0.1, 0.3), "b": one(0.4, low, 0.5)}
        assert ["overlap" in candidates._mark("one_value_left", seen, name) for name in seen] == [overlap] * 2


def test_other_columns_are_not_ranked_and_other_data_not_shown() -> None:
    app = pin(on_candidates(), "mine")
    columns = dataclasses.replace(SCHEMA, quasi_identifiers=("age",), unassigned="drop")
    set_workspace(app, session.Workspace(TABLE, columns, "a table", example=False))
    app.run()
    assert "▲ best" not in " ".join(app.table[0].value["mine"])
    assert "other columns" in app.warning[0].value
    next(b for b in app.button if b.label == "Set again").click().run()
    assert workspace_of(app).schema == SCHEMA
    set_workspace(app, session.Workspace(*small_table(300), "another", example=False))
    app.run()
    assert list(app.table[0].value.columns) == ["**Number**", "Present setting"]

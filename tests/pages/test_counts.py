"""Tables of counts on the pages: mine on Release, another hospital's, and other settings on What helps."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Release, Scenario, Schema, Table, examples
from core.algorithms import partition
from core.base.errors import ScenarioError
from core.base.wording import percent
from core.data.encoding.encoded import encode
from core.decision.review import efficient
from core.release.count_settings import CountSettings, GroupColumn, settings_of
from core.release.made_counts import MadeCounts
from core.study.hospitals import OWN
from core.study.own_counts import own_counts, own_hospital
from pages.hold import counts as hold_counts
from pages.shared.compute import count_results
from pages.shared.state import session
from tests.hostile import HTML
from tests.pages.drive import (
    ATTACK,
    MY_ALGORITHM,
    Session,
    at_section,
    choice_of,
    go,
    loaded,
    marked_texts,
    press,
    set_hospital,
    texts,
)
from tests.tables import small_table

RELEASE, HOLD = "pages/release/page.py", "pages/hold/page.py"
CHOICES = {"my_k": 3, "their_k": 3, "overlap": 60, "repeats": 2}
FINE, EXACT = settings_of("age/10, sex; below=3"), settings_of("age, sex; below=0")


def fine(app: AppTest) -> AppTest:
    assert not app.error, [error.value for error in app.error]
    assert not app.exception
    return app


def release(**choices: object) -> AppTest:
    return fine(at_section(loaded(*small_table(), RELEASE, **{**CHOICES, **choices}), "release", "A table of counts"))


def switched(app: AppTest, label: str, on: bool) -> AppTest:
    return fine(next(toggle for toggle in app.toggle if label in toggle.label).set_value(on).run())


def made_of(app: AppTest) -> CountSettings | None:
    return choice_of(app, "my_counts")


def test_my_table_of_counts_is_attacked_with_my_release_before_either_goes_out() -> None:
    app = release()
    assert "No one has one value left" in texts(app)
    app = fine(next(box for box in app.number_input if "are masked" in box.label).set_value(0).run())
    app = fine(next(box for box in app.selectbox if box.label == "age by").set_value(GroupColumn("age")).run())
    assert "One value is left for" in texts(app)
    app = fine(next(box for box in app.number_input if "are masked" in box.label).set_value(3).run())
    assert "My table of counts alone" in str(app.table[-1].value)
    app = switched(app, "Attack both", True)
    made = made_of(app)
    assert made is not None
    app = fine(next(box for box in app.selectbox if box.label == "Counts of 0 are").set_value("masked").run())
    assert made_of(app) == settings_of(f"{made.text}; zeros=masked")
    app = fine(next(box for box in app.number_input if "masked" in box.label).set_value(0).run())
    assert (made_of(app).below, made_of(app).zeros) == (0, "shown")
    columns = next(box for box in app.multiselect if box.label == "Columns of its groups")
    app = fine(columns.set_value(["sex"]).run())
    assert [column.name for column in made_of(app).groups] == ["sex"]
    app = fine(go(app, ATTACK))
    set_hospital(app, "Hospital 2")
    app = fine(at_section(app, "attack", "Other hospitals"))
    assert "My own table of counts is attacked, too" in texts(app)
    app = release(my_counts=FINE)
    app = switched(app, "Attack both", False)
    assert made_of(app) is None


def test_the_numbers_of_the_page_are_those_of_core(started: Session) -> None:
    table, schema = small_table()
    session.load(table, schema, "small")
    session.put("my_k", 3)
    found = count_results.mine_with(FINE, lambda _share: None)
    again = own_counts(encode(table, schema), found_release(), FINE)
    assert found == again
    session.put("my_counts", FINE)
    assert [hospital.origin for hospital in session.hospitals()] == ["simulated", "resampled", OWN]
    assert len(session.others()) == 1
    wanted = session.scenario()
    session.put("my_counts", None)
    session.adopt(wanted)
    assert session.scenario().hospitals == wanted.hospitals
    session.change_schema(Schema(["sex"], schema.sensitive, unassigned="drop"))
    assert session.get("my_counts") is None


def found_release() -> Release:
    """My release at the present setting."""
    return count_results.my_release().release


def test_a_scenario_that_the_pages_cannot_show_is_refused(started: Session) -> None:
    table, schema = small_table()
    session.load(table, schema, "small")
    scenario: Scenario = session.scenario()
    own = own_hospital(scenario.mine, FINE)
    for hospitals in ((scenario.mine, own), (*scenario.hospitals, own, own)):
        with pytest.raises(ScenarioError, match="command line"):
            session.adopt(scenario.with_(hospitals=hospitals))


def test_an_officer_finds_what_ends_it_for_last_months_dashboard() -> None:
    """She loads her dashboard, sees what it gives away with her release, and masks the zeros of the next one."""
    table, schema = small_table()
    dashboard = MadeCounts.of(encode(table, schema), EXACT).table().to_frame()
    app = loaded(table, schema, ATTACK, **CHOICES)
    set_hospital(app, "Hospital 2")
    app = fine(at_section(app, "attack", "Other hospitals"))
    app = press(app, "Load its release")
    app = app.file_uploader[0].upload("last_month.csv", dashboard.to_csv(index=False).encode(), "text/csv").run()
    app = switched(app, "It is a table of counts", True)
    app = switched(app, "It counts my own patients", True)
    app = fine(press(app, "Use this file"))
    assert choice_of(app, "own")[1]["upload"].own
    assert choice_of(app, "overlap") == len(table)
    app = fine(go(app, ATTACK))
    both = own_counts(encode(table, schema), found_release_of(table, schema), EXACT)
    assert both.together > 0.05
    assert percent(both.together) in texts(app)
    app = fine(at_section(go(app, RELEASE), "release", "A table of counts"))
    assert "One value is left for" not in texts(release(my_counts=settings_of("age, sex; below=5; zeros=masked")))


def found_release_of(table: Table, schema: Schema) -> Release:
    """The release of a session with these choices."""
    return partition(encode(table, schema), Policy(3), MY_ALGORITHM)


def test_another_hospital_publishes_counts() -> None:
    app = loaded(*small_table(), ATTACK, **CHOICES)
    set_hospital(app, "Hospital 2")
    app = fine(at_section(app, "attack", "Other hospitals"))
    app = fine(
        next(toggle for toggle in app.toggle if "publishes a table of counts" in toggle.label).set_value(True).run()
    )
    chosen = choice_of(app, "own")[1]
    assert isinstance(chosen["counts"], CountSettings)
    assert not [box for box in app.number_input if "(k)" in box.label and "hospitals:1" in str(box.key)]
    app = fine(next(box for box in app.selectbox if box.label == "Counts of 0 are").set_value("masked").run())
    assert choice_of(app, "own")[1]["counts"].zeros == "masked"
    app = fine(
        next(toggle for toggle in app.toggle if "publishes a table of counts" in toggle.label).set_value(False).run()
    )
    assert "counts" not in choice_of(app, "own").get(1, {})


def test_other_settings_are_tried_when_asked_for_and_one_is_used() -> None:
    app = fine(at_section(loaded(*small_table(), HOLD, **CHOICES), "hold", "Table of counts"))
    assert "No table of counts is part of the setting" in texts(app)
    app = fine(at_section(loaded(*small_table(), HOLD, **CHOICES, my_counts=EXACT), "hold", "Table of counts"))
    assert "with an error of counts of" not in texts(app)
    app = fine(press(app, "Try settings of the table of counts"))
    assert "with an error of counts of" in texts(app)
    app = fine(press(app, "Use these settings"))
    assert made_of(app) not in (None, EXACT)


def test_what_was_tried_is_the_sweep_of_core_and_masked_zeros_expose_less(started: Session) -> None:
    table, schema = small_table()
    session.load(table, schema, "small")
    for name, value in {**CHOICES, "my_counts": FINE}.items():
        session.put(name, value)
    ((number, made),) = count_results.tables().items()
    assert (number, made) == (2, FINE)
    frame = count_results.try_settings(number)
    assert frame["words"].tolist() == [variant.words for variant in count_results.variants_of(number)]
    settings = hold_counts.tried(frame)
    assert settings["front"].tolist() == efficient(frame["error"].tolist(), frame["share"].tolist()).tolist()
    by_words = settings.set_index("setting")
    assert by_words.loc["zeros masked", "share"] <= by_words.loc[hold_counts.PRESENT, "share"]
    assert by_words.loc["zeros masked", "error"] >= by_words.loc[hold_counts.PRESENT, "error"]
    count_results.adopt(number, frame["settings"][1])
    assert session.get("my_counts") == frame["settings"][1]


def test_hostile_names_stay_harmless() -> None:
    table, schema = small_table()
    frame = table.to_frame().rename(columns={"age": HTML, "sex": "[x](http://e.vil)"})
    columns = [HTML, "[x](http://e.vil)"]
    hostile = CountSettings(tuple(map(GroupColumn, columns)), 3)
    wild = (Table.from_frame(frame[[*columns, schema.sensitive]]), Schema(columns, schema.sensitive))
    for page, section in ((RELEASE, "A table of counts"), (HOLD, "Table of counts")):
        app = fine(at_section(loaded(*wild, page, **CHOICES, my_counts=hostile), page.split("/")[1], section))
        if page == HOLD:
            app = fine(press(app, "Try settings of the table of counts"))
        shown = "\n".join(marked_texts(app))
        assert "](http" not in shown.replace("\\", "")[:0] or "](http" not in shown


def test_the_city_has_usual_settings() -> None:
    made = count_results.usual_settings(encode(examples.city(300), examples.city_schema()))
    assert made.below == 5
    assert made.groups[0].step == 10

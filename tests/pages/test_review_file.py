"""Scenario file and link: opened again they give the same numbers, whatever cannot be read changes nothing."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Schema, examples
from core.study.uploads import Upload
from pages.shared import links, session, workspace
from tests.pages.drive import (
    MY_ALGORITHM,
    Session,
    at_section,
    choice_of,
    go,
    in_place_of_streamlit,
    keep,
    loaded,
    press,
    set_choice,
    set_workspace,
    start,
    workspace_of,
)
from tests.server.people import people
from tests.source import ROOT
from tests.tables import small_table

PAGE, SECTION = "pages/review/page.py", "Scenario file"
TABLE, SCHEMA = small_table()


def text(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.error, app.warning, app.success, app.info)
    return "\n".join(str(item.value) for kind in kinds for item in kind)


def give(app: AppTest, content: bytes) -> AppTest:
    return app.file_uploader[0].upload("scenario.json", content, "application/json").run()


def _scenario_of(app: AppTest) -> str:
    with in_place_of_streamlit(app.session_state):
        return session.scenario().to_json()


@pytest.fixture(scope="module")
def file() -> dict[str, Any]:
    with in_place_of_streamlit(Session()) as state:
        start(state)
        for name, value in {
            "overlap": 60,
            "my_k": 9,
            "their_k": 7,
            "linked": False,
            "confidence": 0.5,
            "seed": 4,
        }.items():
            session.put(name, value)
        session.put("requirements", {"k": 5.0})
        return dict(json.loads(session.scenario().to_json()))


# ---- opened ------------------------------------------------------------------------------------


def test_a_file_of_the_same_table_sets_everything(file: dict[str, Any]) -> None:
    app = at_section(loaded(*small_table(), PAGE), "review", SECTION)
    give(app, json.dumps(file).encode())
    assert "saved with the table in use" in text(app)
    press(app, "Open it")
    assert not app.error
    assert "Opened." in text(app)
    for name, value in (("my_k", 9), ("their_k", 7), ("confidence", 0.5), ("seed", 4), ("requirements", {"k": 5.0})):
        assert choice_of(app, name) == value
    assert json.loads(_scenario_of(app)) == file
    assert "not as in the file" not in text(app)


def test_keeping_the_present_setting_changes_nothing(file: dict[str, Any]) -> None:
    app = at_section(loaded(*small_table(), PAGE), "review", SECTION)
    before = _scenario_of(app)
    give(app, json.dumps(file).encode())
    press(app, "Keep the present setting")
    assert _scenario_of(app) == before


BROKEN = (
    ({"surprise": 1}, "unknown field"),
    ({"overlap": "many"}, "In the scenario, overlap must be a whole number from 1 to 100,000,000."),
    ({"overlap": True}, "a whole number"),
    ({"size": "few"}, "a whole number from 1 to 2,000,000 or null"),
    ({"confidence": []}, "confidence must be a number from 0.05 to 1"),
    ({"schema_version": 99}, "another version"),
    ({"locate": "x" * 1_000_000}, "locate must be one of"),
    ({"requirements": {"perfect": 7}}, "from 0 to 1"),
    ({"hospitals": []}, "from 2 to"),
    ({"forecast": {"l": 0}}, "forecast.l must be a whole number from 1 to 1,000"),
    ({"noise": {"epsilon": -1}}, "noise.epsilon must be a number from 0.001 to 50"),
)
NONE_AT_ALL = (b"", b"\xff\xfe", b"[" * 5000, b"{}", b'{"format": "other"}', b"1e999")


def test_what_cannot_be_read_is_one_sentence_and_changes_nothing(file: dict[str, Any]) -> None:
    app = at_section(loaded(*small_table(), PAGE), "review", SECTION)
    before = _scenario_of(app)
    cases = [(json.dumps({**file, **changes}).encode(), said) for changes, said in BROKEN]
    for content, said in [*cases, *((content, "") for content in NONE_AT_ALL)]:
        give(app, content)
        assert len(app.error) == 1, said
        assert said in app.error[0].value.replace("\\", "")
        assert len(app.error[0].value) < 1200
        assert "stays as it is" in text(app)
        assert _scenario_of(app) == before


def test_an_earlier_version_is_migrated_and_says_so(file: dict[str, Any]) -> None:
    old = {name: value for name, value in file.items() if name not in ("forecast", "noise", "requirements")}
    app = at_section(loaded(*small_table(), PAGE), "review", SECTION)
    give(app, json.dumps({**old, "schema_version": 2}).encode())
    assert "earlier version" in text(app)
    press(app, "Open it")
    assert choice_of(app, "my_k") == 9


def test_other_data_with_the_same_columns(file: dict[str, Any]) -> None:
    app = at_section(loaded(*small_table(rows=300), PAGE), "review", SECTION)
    give(app, json.dumps({**file, "overlap": 390}).encode())
    assert "other data" in text(app)
    assert "also called" in text(app), "both are called alike"
    assert "load that table on *Data*" in text(app)
    press(app, "Apply its settings to this table")
    assert choice_of(app, "my_k") == 9
    assert choice_of(app, "overlap") == 200
    assert "Shared people is not as in the file, but 200" in text(app)


def test_other_columns_keep_the_present_roles(file: dict[str, Any]) -> None:
    table, schema = small_table(name="years")
    app = at_section(loaded(table, schema, PAGE), "review", SECTION)
    give(app, json.dumps(file).encode())
    assert "it has no column age" in text(app)
    press(app, "Apply its settings to this table")
    assert workspace_of(app).schema == schema
    assert choice_of(app, "my_k") == 9


def test_other_roles_of_the_same_columns_are_taken(file: dict[str, Any]) -> None:
    app = loaded(TABLE, Schema(["age"], "diagnosis", other=["sex"]), PAGE)
    app = at_section(app, "review", SECTION)
    give(app, json.dumps(file).encode())
    press(app, "Open it")
    assert workspace_of(app).schema == SCHEMA
    assert json.loads(_scenario_of(app)) == file


def test_files_of_others_that_are_missing_are_named(file: dict[str, Any]) -> None:
    their = small_table(rows=250)[0]
    upload = {
        "content_id": their.content_id,
        "anonymised": False,
        "columns": [["age", "age"], ["sex", "sex"], ["diagnosis", "diagnosis"]],
        "values": [],
        "centroids": False,
        "name": "theirs *bold*.csv",
    }
    others = [file["hospitals"][0], {**file["hospitals"][1], "source": "raw", "upload": upload}]
    app = at_section(loaded(TABLE, SCHEMA, PAGE), "review", SECTION)
    give(app, json.dumps({**file, "hospitals": others}).encode())
    assert "theirs \\*bold\\*\\.csv" in text(app)
    press(app, "Open it")
    assert session.Scenario.from_json(_scenario_of(app)).uploads == (Upload(**_tuples(upload)),)
    assert "is not loaded in this session" in app.error[0].value


def _tuples(upload: dict[str, Any]) -> dict[str, Any]:
    return {**upload, "columns": tuple(tuple(pair) for pair in upload["columns"]), "values": ()}


# ---- links -------------------------------------------------------------------------------------


def by_link(**query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def test_a_link_opens_an_example_once() -> None:
    app = by_link(example="hospitals_a_and_b-a", k="2", confidence="0.5", overlap="2")
    assert workspace_of(app).origin == "hospitals_a_and_b-a"
    assert choice_of(app, "my_k") == 2
    assert choice_of(app, "confidence") == 0.5
    assert choice_of(app, "overlap") == 2
    assert "Opened by a link" in app.toast[0].value
    told = {"example": "hospitals_a_and_b-a", "algorithm": "mondrian", "k": "2", "confidence": "0.5", "overlap": "2"}
    assert app.query_params == told
    set_choice(app, "my_k", 3)
    app.query_params["example"] = "city"
    app.run()
    assert workspace_of(app).origin == "hospitals_a_and_b-a", "once in a session"
    assert choice_of(app, "my_k") == 3


@pytest.mark.parametrize(
    "query",
    [
        {"k": "1"},
        {"k": "101"},
        {"k": "2.5"},
        {"k": "nan"},
        {"k": "x" * 1_000_000},
        {"confidence": "inf"},
        {"diversity": "<script>"},
        {"closeness": "yes"},
        {"my_k": "7"},
        {"requirements": "1"},
        {"person": "3"},
        {"limit_k": "nan"},
        {"limit_loss": "2"},
        {"limit_<script>": "1"},
        {"table": "somebody's"},
    ],
)
def test_what_a_link_may_not_set_is_left_out(started: Session, query: dict[str, str]) -> None:
    assert links.understood({"example": "city", **query}) == ({}, 1)


def test_a_link_to_nothing_says_so() -> None:
    app = by_link(example="../secret", k="7")
    assert "no worked example" in app.info[0].value
    assert "secret" not in app.info[0].value
    assert workspace_of(app).origin == "city" if "workspace" in app.session_state else True


def test_a_link_is_the_settings_and_back(started: Session) -> None:
    schema = examples.city_schema()
    table = examples.city(1200)
    set_workspace(started, session.Workspace(table, schema, "The synthetic city", example=True, origin="city"))
    wanted = {
        "my_k": 12,
        "linked": True,
        "diversity": "entropy",
        "l": 3.5,
        "confidence": 0.5,
        "seed": 7,
        "overlap": 90,
        "closeness": True,
        "t": 0.6,
        "releases": 3,
        "agreement": 0.8,
        "my_algorithm": "mdav",
    }
    for name, value in wanted.items():
        session.put(name, value)
    found, left_out = links.understood(links.settings())
    assert not left_out
    assert {**found, "linked": True} == wanted
    session.put("linked", False)
    session.put("their_k", 30)
    assert links.settings()["their_k"] == "30"


def test_the_address_keeps_the_settings_and_nothing_of_the_table() -> None:
    app = loaded(*small_table(), PAGE)
    keep(app, "data", "own", True)
    set_choice(app, "my_k", 9)
    set_choice(app, "requirements", {"perfect": 0.075, "k": 4.0})
    app.run()
    told = dict(app.query_params)
    assert told["table"] == "own"
    assert (told["k"], told["limit_perfect"], told["limit_k"]) == ("9", "0.075", "4")
    fixed = {("table", "own"), ("algorithm", MY_ALGORITHM)}
    for name, value in told.items():
        assert (name, value) in fixed or name in links.offered() or "limit_" in name
        assert re.fullmatch(r"[a-z-]+|[0-9.]+", value)
    again = by_link(**told)
    assert "no address holds" in again.info[0].value
    assert choice_of(again, "my_k") == 9
    assert choice_of(again, "requirements") == {"perfect": 0.075, "k": 4.0}
    again.run()
    assert dict(again.query_params) == told, "until the table is loaded again"


def numbers_shown(app: AppTest) -> list[str]:
    """What stands on the strip, in headlines and in frames."""
    strip = [text.value for text in app.caption if text.value.startswith(("One value left", "Information loss"))]
    return strip + [metric.label for metric in app.metric] + [str(frame.value) for frame in app.dataframe]


@pytest.mark.parametrize("query", [{"table": "own", "k": "4", "limit_perfect": "0.3"}, {"example": "gone", "k": "4"}])
@pytest.mark.parametrize("page", ["review", "attack", "release"])
def test_without_the_table_of_its_address_no_page_shows_a_number(query: dict[str, str], page: str) -> None:
    app = go(by_link(**query), f"pages/{page}/page.py")
    assert "*Data*" in app.info[0].value
    assert numbers_shown(app) == []
    app.switch_page("pages/data/page.py").run()
    assert "*Data*" in app.info[0].value
    go(app, f"pages/{page}/page.py")
    app.button("links:city").click().run()
    assert not app.info or "*Data*" not in app.info[0].value
    assert numbers_shown(app)


def test_the_table_of_an_address_takes_its_settings_when_it_is_loaded() -> None:
    app = by_link(table="own", k="4", limit_perfect="0.3")
    app.switch_page("pages/data/page.py").run()
    uploader = next(widget for widget in app.file_uploader if widget.label == "Load your own table")
    uploader.upload("people.csv", people(60), "text/csv").run()
    next(button for button in app.button if button.label == "Use this table").click().run()
    app.switch_page("pages/review/page.py").run()
    assert choice_of(app, "my_k") == 4
    assert numbers_shown(app)


@pytest.mark.parametrize("query", [{"example": "city"}, {"example": "hospitals_a_and_b-a", "k": "2"}, {"k": "9"}])
def test_an_address_that_names_no_algorithm_means_mondrian(query: dict[str, str]) -> None:
    """Addresses written before least loss became usual keep their numbers."""
    assert choice_of(by_link(**query), "my_algorithm") == "mondrian"
    again = by_link(**query, algorithm=MY_ALGORITHM)
    assert choice_of(again, "my_algorithm") == MY_ALGORITHM
    address = dict(again.query_params)
    assert not address or address["algorithm"] == MY_ALGORITHM, "what is written now says it, beside any other setting"


def test_every_built_in_table_has_its_link() -> None:
    for example in examples.worked_examples():
        for number, table in enumerate(example.tables):
            found = links.origin(workspace.origin_of(example.name, number))
            assert found is not None
            assert found[0].content_id == table.content_id

"""Scenario file and link: opened again they give the same numbers, whatever cannot be read changes nothing."""

from __future__ import annotations

import json
import re
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Schema, Table, examples
from core.base.metrics import METRICS
from pages.shared.state import links, session, workspace
from pages.shared.state.choices import CHOICES
from tests.hostile import HOSTILE
from tests.pages.drive import (
    Session,
    at_section,
    begin,
    choice_of,
    go,
    in_place_of_streamlit,
    keep,
    loaded,
    page_of,
    press,
    set_choice,
    start,
    texts,
    workspace_of,
)
from tests.server.people import people
from tests.source import ROOT
from tests.tables import small_table

PAGE, SECTION = "pages/review/page.py", "Scenario file"
TABLE, SCHEMA = small_table()


def give(app: AppTest, content: bytes) -> AppTest:
    return app.file_uploader[0].upload("scenario.json", content, "application/json").run()


def offered(content: bytes | dict[str, Any], table: Table = TABLE, schema: Schema = SCHEMA) -> AppTest:
    """The page with a scenario file that was read and not opened yet."""
    app = at_section(loaded(table, schema, PAGE), "review", SECTION)
    return give(app, content if isinstance(content, bytes) else json.dumps(content).encode())


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
    app = offered(file)
    assert "saved with the table in use" in texts(app)
    press(app, "Open it")
    assert not app.error
    assert "Opened." in texts(app)
    assert json.loads(_scenario_of(app)) == file
    assert "not as in the file" not in texts(app)


BROKEN = (
    ({"surprise": 1}, "unknown field"),
    ({"overlap": "many"}, "In the scenario, overlap must be a whole number from 1 to 100,000,000."),
    ({"locate": "x" * 1_000_000}, "locate must be one of"),
    ({"schema_version": 7}, "choose its settings again"),
    ({"noise": {"epsilon": -1}}, "noise.epsilon must be a number from 0.001 to 50"),
)
NONE_AT_ALL = (b"", b"\xff\xfe", b"[" * 5000)


def test_what_cannot_be_read_or_is_not_opened_changes_nothing(file: dict[str, Any]) -> None:
    app = offered(b"")
    before = _scenario_of(app)
    cases = [(json.dumps({**file, **changes}).encode(), words) for changes, words in BROKEN]
    for content, words in [*cases, *((content, "") for content in NONE_AT_ALL)]:
        give(app, content)
        assert len(app.error) == 1, words
        assert words in app.error[0].value.replace("\\", "")
        assert len(app.error[0].value) < 1200
        assert "stays as it is" in texts(app)
        assert _scenario_of(app) == before
    give(app, json.dumps(file).encode())
    press(app, "Keep the present setting")
    assert _scenario_of(app) == before


def test_other_data_with_the_same_columns(file: dict[str, Any]) -> None:
    app = offered({**file, "overlap": 390}, small_table(rows=300)[0])
    assert "other data" in texts(app)
    assert "also named" in texts(app), "both are called alike"
    assert "load that table on *Data*" in texts(app)
    press(app, "Apply its settings to this table")
    assert choice_of(app, "my_k") == 9
    assert choice_of(app, "overlap") == 200
    assert "Shared people is not as in the file, but 200" in texts(app)


def test_other_columns_keep_the_present_roles(file: dict[str, Any]) -> None:
    table, schema = small_table(name="years")
    app = offered(file, table, schema)
    assert "it has no column age" in texts(app)
    press(app, "Apply its settings to this table")
    assert workspace_of(app).schema == schema
    assert choice_of(app, "my_k") == 9


def test_other_roles_of_the_same_columns_are_taken(file: dict[str, Any]) -> None:
    app = press(offered(file, TABLE, Schema(["age"], "diagnosis", other=["sex"])), "Open it")
    assert workspace_of(app).schema == SCHEMA
    assert json.loads(_scenario_of(app)) == file


def test_files_of_others_that_are_missing_are_named(file: dict[str, Any]) -> None:
    pairs = [["age", "age"], ["sex", "sex"], ["diagnosis", "diagnosis"]]
    upload = {
        "content_id": small_table(rows=250)[0].content_id,
        "columns": pairs,
        "values": [],
        "centroids": False,
        "name": "theirs *bold*.csv",
    }
    others = [file["hospitals"][0], {**file["hospitals"][1], "origin": "published", "upload": upload}]
    app = offered({**file, "hospitals": others})
    assert "theirs \\*bold\\*\\.csv" in texts(app)
    press(app, "Open it")
    (wanted,) = session.Scenario.from_json(_scenario_of(app)).uploads
    assert wanted.content_id == upload["content_id"]
    assert "is not loaded in this session" in app.error[0].value


# ---- links -------------------------------------------------------------------------------------


def by_link(**query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def test_a_link_opens_an_example_once() -> None:
    app = by_link(example="hospitals_a_and_b-a", k="2", confidence="0.5", overlap="2")
    assert workspace_of(app).origin == "hospitals_a_and_b-a"
    assert [choice_of(app, name) for name in ("my_k", "confidence", "overlap")] == [2, 0.5, 2]
    assert "Opened by a link" in app.toast[0].value
    address = {"example": "hospitals_a_and_b-a", "k": "2", "confidence": "0.5", "overlap": "2"}
    assert app.query_params == address
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


NOT_IN_AN_ADDRESS = {
    "linked": "follows from both k",
    "own": "files and single hospitals of the others, which may name columns",
    "size": "set for one hospital alone",
    "requirements": "limits, by their own names",
    "decision": "words about a table",
    "belief_columns": "names of columns",
    "noise_columns": "names of columns",
    "noise_domains": "names and values of columns",
    "person": "one person of a draw",
}


def test_an_address_keeps_every_choice(started: Session) -> None:
    """Each choice of the program, those of tomorrow too; what no address holds has its reason."""
    begin(started, *small_table())
    for name, choice in CHOICES.items():
        if choice.options:
            other = next(word for word in reversed(choice.options) if word != choice.start)
            other = "mdav" if name.endswith("algorithm") else other
        elif isinstance(choice.start, bool):
            other = not choice.start
        else:
            other = choice.high if choice.start != choice.high else choice.low
        if name in NOT_IN_AN_ADDRESS:
            continue
        before = session.get(name)
        session.put(name, other)
        found, left_out = links.understood(links.settings())
        assert (found.get(name), left_out) == (other, 0), name
        session.put(name, before)


def test_a_value_that_no_control_could_give_is_the_default(started: Session) -> None:
    begin(started, *small_table())
    for name, choice in CHOICES.items():
        for value in ["none of its options"] * bool(choice.options) + [None] * (choice.start is not None):
            session.put(name, value)
            assert session.get(name) == choice.start, name
    session.policy(5)


def test_the_address_keeps_the_settings() -> None:
    """And nothing of the table: test_the_address_holds_numbers_and_fixed_words_alone."""
    app = loaded(*small_table(), PAGE)
    keep(app, "data", "own", True)
    set_choice(app, "my_k", 9)
    set_choice(app, "requirements", {"one_value_left": 0.075, "k": 4.0})
    address = dict(app.run().query_params)
    assert address["table"] == "own"
    assert (address["k"], address["limit_one_value_left"], address["limit_k"]) == ("9", "0.075", "4")
    again = by_link(**address)
    assert "no address holds" in again.info[0].value
    assert choice_of(again, "my_k") == 9
    assert choice_of(again, "requirements") == {"one_value_left": 0.075, "k": 4.0}
    assert dict(again.run().query_params) == address, "until the table is loaded again"


def numbers_shown(app: AppTest) -> list[str]:
    """What stands on the status bar, in headlines and in frames."""
    strip = [text.value for text in app.caption if text.value.startswith(("One value left", "Information loss"))]
    return strip + [metric.label for metric in app.metric] + [str(frame.value) for frame in app.dataframe]


@pytest.mark.parametrize(
    "query", [{"table": "own", "k": "4", "limit_one_value_left": "0.3"}, {"example": "gone", "k": "4"}]
)
def test_without_the_table_of_its_address_no_page_shows_a_number(query: dict[str, str]) -> None:
    app = by_link(**query)
    for page in ("review", "attack", "release", "data"):
        go(app, f"pages/{page}/page.py")
        assert "*Data*" in app.info[0].value
        assert page == "data" or numbers_shown(app) == []
    go(app, PAGE).button("links:city").click().run()
    assert not app.info or "*Data*" not in app.info[0].value
    assert numbers_shown(app)


def test_the_table_of_an_address_takes_its_settings_when_it_is_loaded() -> None:
    app = by_link(table="own", k="4", limit_one_value_left="0.3")
    app.switch_page("pages/data/page.py").run()
    uploader = next(widget for widget in app.file_uploader if widget.label == "Load your own table")
    uploader.upload("people.csv", people(60), "text/csv").run()
    next(button for button in app.button if button.label == "Use this table").click().run()
    app.switch_page("pages/review/page.py").run()
    assert choice_of(app, "my_k") == 4
    assert numbers_shown(app)


def test_every_built_in_table_has_its_link() -> None:
    for example in examples.worked_examples():
        for number, table in enumerate(example.tables):
            (linked, *_) = links.origin(workspace.origin_of(example.name, number)) or ()
            assert linked.content_id == table.content_id


# --- nothing of the table ------------------------------------------------------------------------


PAGES = [
    "data",
    "release",
    "attack#Other hospitals",
    "attack",
    "attack#Before anyone publishes",
    "attack#Beliefs",
    "providers",
    "noise",
    "review",
]
NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?")


def hostile_table() -> tuple[Table, Schema]:
    """A table whose every name and value is a marker, nine and more letters long, beside hostile text."""
    rows = 60
    values = {
        f"zzmarkqid {HOSTILE[8]}": [f"zzmarkvalue{i % 6} {HOSTILE[i % 5]}" for i in range(rows)],
        "zzmarkother": [str(i % 9) for i in range(rows)],
        f"zzmarksecret {HOSTILE[7]}": [f"zzmarkdiagnosis{i % 7} {HOSTILE[11]}" for i in range(rows)],
    }
    names = list(values)
    return Table.from_frame(pd.DataFrame(values)), Schema(names[:2], names[2])


@pytest.mark.parametrize("page", PAGES)
def test_the_address_holds_numbers_and_fixed_words_alone(page: str) -> None:
    limits = {"k": 3, "one_value_left": 0.2, "loss": 0.9}
    choices = {"my_k": 4, "overlap": 11, "confidence": 0.5, "seed": 3, "repeats": 2, "my_algorithm": "mdav"}
    app = loaded(*hostile_table(), page_of(page), **choices, requirements=limits).run()
    address = {name: str(part) for name, part in app.query_params.items()}
    assert address.pop("table") == "own", "no address names this table"
    words = {word for setting in links.offered().values() for word in setting.texts or ()}
    known = set(links.offered())
    known |= {f"{links.LIMIT}{name}" for name in METRICS}
    assert (address["k"], address["overlap"], address["algorithm"]) == ("4", "11", "mdav")
    assert set(address) <= known
    assert [part for part in address.values() if part not in words and not NUMBER.fullmatch(part)] == []
    assert "zzmark" not in repr(address)

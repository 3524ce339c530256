"""Columns published as they are: their section on Data, the status bar, the attack page."""

from __future__ import annotations

from core import PublishedColumn, Schema, Table
from core.study.uploads import Upload
from pages.shared import session
from tests.pages.drive import Session, begin, give_roles, in_place_of_streamlit, keep, loaded, workspace_of
from tests.tables import extract

SECTION = "Published columns"


def schema(*published: str | PublishedColumn) -> Schema:
    named = {each if isinstance(each, str) else each.name for each in published}
    left = [name for name in ("stay", "ward") if name not in named]
    return Schema(["age", "sex"], "diagnosis", published=published, other=left, missing_tokens=["NA"])


def table() -> Table:
    return Table.from_frame(extract(400))


def test_each_column_is_tried_and_the_bar_counts_what_is_published() -> None:
    app = loaded(table(), schema("stay"), "pages/data/page.py", section=SECTION)
    tries = next(frame.value for frame in app.dataframe if "If it is" in frame.value)
    assert set(zip(tries["Column"], tries["If it is"], strict=True)) == {("stay", "left out"), ("ward", "published")}
    assert any("4 of 5 columns" in text.value for text in app.markdown)
    assert any("Publishing ward too would expose **" in text.value for text in app.markdown)


def test_a_role_is_given_and_what_is_said_of_it_is_kept() -> None:
    app = loaded(table(), schema(), "pages/data/page.py", section=SECTION)
    assert any("2 columns are taken to be left out" in text.value for text in app.caption)
    give_roles(app, ward="published")
    assert any("1 column is taken to be left out" in text.value for text in app.caption)
    assert workspace_of(app).schema.published.keys() == {"ward"}
    edits = {"edited_rows": {0: {"same": 80, "diverse": True}}, "added_rows": [], "deleted_rows": []}
    keep(app, "data", "plain:4", edits)
    app.run()
    assert workspace_of(app).schema.published["ward"].agreement == 0.8
    assert workspace_of(app).schema.diverse == ("ward",)
    give_roles(app, stay="published", ward="published")
    assert workspace_of(app).schema.published.keys() == {"stay", "ward"}
    assert workspace_of(app).schema.published["ward"].agreement == 0.8


def test_a_file_matched_by_a_published_column_stays_as_long_as_the_column_is_published() -> None:
    columns = (("age", "age"), ("diagnosis", "dx"), ("ward", "unit"))
    upload = Upload("x" * 64, True, columns)
    with in_place_of_streamlit(Session()) as state:
        begin(state, table(), schema("ward"))
        session.set_own(1, "upload", upload)
        session.change_schema(schema(PublishedColumn("ward", agreement=0.5)))
        assert session.get("own")[1]["upload"] is upload
        session.change_schema(schema())
        assert session.get("own").get(1, {}).get("upload") is None


def test_the_attack_says_by_how_many_columns_releases_are_linked() -> None:
    app = loaded(table(), schema("stay", "ward"), "pages/attack/page.py")
    assert any("linked also by 2 columns published as they are" in text.value for text in app.caption)

"""Columns published as they are: their section on Data, the status bar, the attack page."""

from __future__ import annotations

from core import PublishedColumn, Schema, Table
from core.study.uploads import Upload
from pages.shared import session
from tests.pages.drive import ATTACK, Session, begin, give_roles, go, keep, loaded, texts, workspace_of
from tests.tables import extract

PUBLISHED = "Published columns"


def stay_and_ward(*published: str | PublishedColumn) -> Schema:
    named = {each if isinstance(each, str) else each.name for each in published}
    left = [name for name in ("stay", "ward") if name not in named]
    return Schema(["age", "sex"], "diagnosis", published=published, other=left, missing_tokens=["NA"])


def an_extract() -> Table:
    return Table.from_frame(extract(400))


def test_each_column_is_tried_and_the_bar_counts_what_is_published() -> None:
    app = loaded(an_extract(), stay_and_ward("stay"), "pages/data/page.py", section=PUBLISHED)
    tries = next(frame.value for frame in app.dataframe if "If it is" in frame.value)
    assert set(zip(tries["Column"], tries["If it is"], strict=True)) == {("stay", "left out"), ("ward", "published")}
    assert "4 of 5 columns" in texts(app)
    assert "Publishing ward too would expose **" in texts(app)
    assert "linked also by 1 column published as it is" in texts(go(app, ATTACK))


def test_a_role_is_given_and_what_is_said_of_it_is_kept() -> None:
    app = loaded(an_extract(), stay_and_ward(), "pages/data/page.py", section=PUBLISHED)
    assert "2 columns are taken to be left out" in texts(app)
    give_roles(app, ward="published")
    assert "1 column is taken to be left out" in texts(app)
    edits = {"edited_rows": {0: {"same": 80, "diverse": True}}, "added_rows": [], "deleted_rows": []}
    keep(app, "data", "plain:4", edits)
    app.run()
    assert workspace_of(app).schema.published["ward"].agreement == 0.8
    assert workspace_of(app).schema.diverse == ("ward",)
    give_roles(app, stay="published", ward="published")
    assert workspace_of(app).schema.published.keys() == {"stay", "ward"}
    assert workspace_of(app).schema.published["ward"].agreement == 0.8


def test_a_file_matched_by_a_published_column_stays_as_long_as_the_column_is_published(bare: Session) -> None:
    upload = Upload("x" * 64, True, (("age", "age"), ("diagnosis", "dx"), ("ward", "unit")))
    begin(bare, an_extract(), stay_and_ward("ward"))
    session.set_own(1, "upload", upload)
    session.change_schema(stay_and_ward(PublishedColumn("ward", agreement=0.5)))
    assert session.get("own")[1]["upload"] is upload
    session.change_schema(stay_and_ward())
    assert session.get("own").get(1, {}).get("upload") is None

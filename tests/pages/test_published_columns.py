"""Columns published as they are: their section on Data, the status bar, the attack page."""

from __future__ import annotations

from core import Schema, Table, UnmodifiedColumn
from core.study.uploads import Upload
from pages.shared.state import session
from tests.pages.drive import Session, begin
from tests.tables import extract


def stay_and_ward(*published: str | UnmodifiedColumn) -> Schema:
    named = {each if isinstance(each, str) else each.name for each in published}
    left = [name for name in ("stay", "ward") if name not in named]
    return Schema(["age", "sex"], "diagnosis", unmodified=published, other=left, missing_tokens=["NA"])


def an_extract() -> Table:
    return Table.from_frame(extract(400))


def test_a_file_matched_by_a_published_column_stays_as_long_as_the_column_is_published(bare: Session) -> None:
    upload = Upload("x" * 64, (("age", "age"), ("diagnosis", "dx"), ("ward", "unit")))
    begin(bare, an_extract(), stay_and_ward("ward"))
    session.set_own(1, "upload", upload)
    session.change_schema(stay_and_ward(UnmodifiedColumn("ward", same_value_rate=0.5)))
    assert session.get("own")[1]["upload"] is upload
    session.change_schema(stay_and_ward())
    assert session.get("own").get(1, {}).get("upload") is None

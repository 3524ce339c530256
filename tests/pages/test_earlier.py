"""My own earlier releases on the pages: kept, loaded, in use, refused."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Schema, Table
from core.algorithms import partition
from core.attack.crowd import crowd
from core.attack.intersection import intersection_attack
from core.base.errors import InputError
from core.data.csv_export import csv_bytes
from core.data.encoding import encode
from core.release.record import record_of
from core.study.uploads import Upload
from pages.attack.hospitals import earlier, upload
from pages.shared import results, session
from tests.files import read_table
from tests.pages.drive import Session, begin, choice_of, loaded, set_hospital, set_section, texts
from tests.tables import small_table

PAGE = "pages/hospitals/page.py"


def with_ids(rows: int = 400) -> tuple[Table, Schema]:
    table, schema = small_table(rows)
    frame = table.to_frame().assign(id=[f"p{i}" for i in range(rows)])
    return Table.from_frame(frame), schema.with_(identifiers=("id",))


TABLE, SCHEMA = with_ids()
FIRST = partition(encode(TABLE, SCHEMA), Policy(6))
COPY = read_table(csv_bytes(FIRST.publish(key=TABLE.column("id"))))
RECORD = record_of(FIRST, TABLE.content_id, "2026-01-31", "the registry", "id")
PAIRS = tuple((name, name) for name in (*SCHEMA.quasi_identifiers, SCHEMA.sensitive, "id"))
EARLIER = Upload(COPY.content_id, True, PAIRS, name="first.csv", own=True)


def opened(page: str, table: Table = TABLE, schema: Schema = SCHEMA, used: Upload | None = EARLIER) -> AppTest:
    own = {} if used is None else {1: {"source": "published", "upload": used}}
    files = [] if used is None else [COPY]
    return loaded(table, schema, page, files=files, overlap=400, repeats=1, releases=2, own=own)


def test_an_earlier_release_in_use_is_named_with_who_is_in_both() -> None:
    app = opened(PAGE)
    assert not app.error
    said = texts(app)
    assert "400 of these people are in my table" in said
    assert "Nobody here knows who is in it" not in said
    set_section(app, "attack", "Who attacks")
    ways = next(frame.value for frame in app.run().dataframe if "Fit no class" in frame.value)
    assert all("100" in share for share in ways["Own class among those found"])
    set_section(app, "attack", "Other hospitals")
    next(button for button in app.run().button if button.label == "Forget this file").click().run()
    assert choice_of(app, "own")[1] == {}


def test_every_page_that_attacks_takes_it() -> None:
    for page in ("attack", "hold", "noise", "review"):
        assert not opened(f"pages/{page}/page.py").error


def test_a_table_without_an_identifier_is_told_what_it_needs() -> None:
    app = opened(PAGE, *small_table(), used=None)
    set_hospital(app, "My earlier versions")
    assert "Nobody knows who is who" in texts(app.run())


@pytest.mark.parametrize("has_identifier", [True, False])
def test_the_release_page_keeps_a_record_and_a_copy_with_who_is_who(has_identifier: bool) -> None:
    table, schema = (TABLE, SCHEMA) if has_identifier else small_table()
    app = opened("pages/release/page.py", table, schema, used=None)
    set_section(app, "release", "The file")
    labels = [button.label for button in app.run().get("download_button")]
    assert "Release record" in labels
    assert ("My own copy, with who is who" in labels) is has_identifier


@pytest.fixture
def mine(bare: Session) -> Session:
    begin(bare, TABLE, SCHEMA)
    for name, value in {"overlap": 30, "my_k": 4, "their_k": 4, "repeats": 1}.items():
        session.put(name, value)
    return bare


def test_using_it_takes_the_place_of_a_made_up_hospital_and_everybody_in_both_counts(mine: Session) -> None:
    mine["left for buttons"] = {"x": (EARLIER, COPY, (None, None))}
    earlier._use("x")
    assert (session.get("releases"), session.get("overlap")) == (2, 400)
    together = crowd(results.outcome().result)
    real = crowd(intersection_attack([results.my_release().release, FIRST], [np.arange(400)] * 2))
    assert together is not None
    assert real is not None
    assert together.exact
    assert sorted(together.low) == sorted(real.low)
    earlier._use("x")
    assert session.get("releases") == 3, "a further one is added"
    assert len(results.outcome().releases) == 3


def test_a_record_of_other_people_or_of_another_file_is_refused() -> None:
    keys = upload.keys_of(SCHEMA)
    earlier.check(RECORD, COPY, keys)
    with pytest.raises(InputError, match="by the column 'id', and this table by 'patient'"):
        earlier.check(RECORD, COPY, ("patient",))
    with pytest.raises(InputError, match="not the one of its release record"):
        earlier.check(RECORD, COPY.take(np.arange(399)), keys)

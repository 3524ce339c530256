"""The data page: what is shown first, what replaces it, what is refused, and nothing unescaped."""

import gzip
import io
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

import core
from core import Dates, Schema, Table, Taxonomy, examples, read_table
from core.base.errors import ParameterError
from core.data.encoding import Encoded, encode
from core.data.schema import Kind, Role
from core.data.table import Limits
from core.data.uniqueness import uniqueness
from pages.data import kinds, source
from pages.data import text as data_text
from pages.data import uniqueness as data_unique
from pages.shared import uploads
from pages.shared import workspace as shared_workspace
from pages.shared.text import listed, percent
from tests.hostile import IMAGE, TRICKS
from tests.pages import drive
from tests.pages.drive import (
    choice_of,
    give_roles,
    keep,
    keeps,
    kept,
    marked_texts,
    results_of,
    set_choice,
    set_section,
    spaced,
    texts,
    workspace_of,
)

# What Markdown would make an image, HTML, a formula, a colour or a link of; bare addresses need no brackets.
MARKDOWN = re.compile(
    r"(?<!\\)!\[|(?<!\\)<script|(?<!\\)\$x|(?<!\\):red(?<!\\)\[|(?<!\\)\[link|http\\?:\\?/|www\\?\.|\w@", re.IGNORECASE
)


# --- driving the page --------------------------------------------------------------------------


def people(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "name": [f"person {n}" for n in range(rows)],
            "age": rng.integers(20, 60, rows).astype(str),
            "zip": rng.choice(["01234", "01235", "02234", "12345"], rows),
            "schooling": rng.choice(["low", "middle", "high", "?"], rows, p=[0.3, 0.3, 0.3, 0.1]),
            "ward": rng.choice(["a", "b"], rows),
            "disease": rng.choice(["flu", "cold", "asthma", "gout"], rows),
        }
    )


def csv(frame: pd.DataFrame, **options: object) -> bytes:
    return frame.to_csv(index=False, **options).encode()


def own_schema() -> Schema:
    return Schema(
        ["age", "zip", "schooling"],
        "disease",
        identifiers=["name"],
        other=["ward"],
        missing_tokens=["?"],
        kinds={"age": "numeric", "zip": "categorical", "schooling": "categorical"},
    )


def opened(table: Table | None = None, schema: Schema | None = None) -> AppTest:
    table = read_table(csv(people())) if table is None else table
    choices = {"overlap": 10, "my_k": 3, "their_k": 3, "repeats": 1}
    return drive.loaded(table, own_schema() if schema is None else schema, "pages/data/page.py", **choices)


def upload(app: AppTest, name: str, content: bytes) -> AppTest:
    uploader = next(u for u in app.file_uploader if u.label == "Load your own table")
    uploader.upload(name, content, "application/octet-stream")
    return app.run()


COARSER, MISSING = "How columns are made coarser", "Missing values"


def section(app: AppTest, name: str) -> AppTest:
    set_section(app, "data", name)
    return app.run()


def make_coarser(app: AppTest, name: str, kind: Kind) -> AppTest:
    """Open a column and give it another kind."""
    app = section(app, COARSER)
    app = app.selectbox(key="data:tree:column").set_value(name).run()
    return next(box for box in app.selectbox if box.label == "Is made coarser as").set_value(kind).run()


def sentence(app: AppTest) -> str:
    """Return the one refusal on the page."""
    assert len(app.error) == 1, [error.value for error in app.error]
    return app.error[0].value.replace("\\", "")


def fine(app: AppTest) -> AppTest:
    assert not app.error, [error.value for error in app.error]
    return app


# --- what is there first -----------------------------------------------------------------------


def test_a_new_session_shows_the_city_and_how_alone_its_people_are():
    shown = spaced("\n".join(marked_texts(fine(drive.opened("pages/data/page.py")))))
    assert "The synthetic city** is in use" in shown
    share = uniqueness(encode(examples.city(), examples.city_schema())).share
    assert spaced(f"people ({percent(share)}) are unique") in shown
    assert "nothing is written to disk" in shown


# --- loading -----------------------------------------------------------------------------------


def test_an_upload_is_shown_first_and_kept_out_or_used_when_asked():
    app = opened()
    before = workspace_of(app)
    other = csv(people(90).rename(columns={"disease": "diagnosis"}))
    fine(upload(app, "other.csv", other))
    assert workspace_of(app) is before
    shown = " ".join(marked_texts(app)).replace("\\", "")
    assert "Found in other.csv: 90 records, 6 columns" in shown
    assert "Read as CSV, encoding UTF-8, fields separated by comma" in shown
    assert "Settings stay as they are: k is 3." in shown
    roles = next(frame.value for frame in app.dataframe if "Why" in frame.value)
    assert dict(zip(roles["Column"], roles["Role"], strict=True)) == {
        "name": "left out: identifier",
        "age": "others know it",
        "zip": "others know it",
        "schooling": "others know it",
        "ward": "left out",
        "diagnosis": "to protect",
    }
    assert app.multiselect[0].value == ["?"]
    fine(app.button(key="data:keep").click().run())
    assert workspace_of(app) is before
    assert not any("Found in" in text for text in marked_texts(app))
    upload(app, "other.csv", other)
    fine(app.button(key="data:use").click().run())
    here = workspace_of(app)
    assert (here.name, len(here.table), here.schema.sensitive) == ("other.csv", 90, "diagnosis")
    assert here.schema.missing_tokens == ("", "?")
    assert here.table.column("zip").labels[0] == "01234"
    assert not any("Found in" in text for text in marked_texts(app))
    give_roles(app, age=Role.OTHER)
    assert workspace_of(app).schema != here.schema
    fine(app.button(key="data:undo").click().run())
    assert workspace_of(app).schema == here.schema


def test_what_means_missing_is_asked_before_anything_is_replaced():
    frame = people().assign(age=lambda f: f["age"].where(f.index != 5, "NA"))
    app = upload(opened(), "other.csv", csv(frame))
    assert app.multiselect[0].value == ["?", "NA"]
    fine(app.multiselect[0].set_value([]).run())
    fine(app.button(key="data:use").click().run())
    schema = workspace_of(app).schema
    assert schema.missing_tokens == ("",)
    assert schema.kinds["age"] is Kind.CATEGORICAL, "NA is a value unless the user says it is missing"


def parquet(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


def excel(frame: pd.DataFrame, sheet: str = "People") -> bytes:
    out = io.BytesIO()
    with pd.ExcelWriter(out) as writer:
        pd.DataFrame({"nothing": [1, 2], "here": [3, 3]}).to_excel(writer, sheet_name="Notes", index=False)
        frame.to_excel(writer, sheet_name=sheet, index=False)
    return out.getvalue()


def test_a_sheet_of_a_workbook_is_chosen():
    app = upload(opened(), "a.xlsx", excel(people()))
    fine(app.text_input(key="data:sheet").set_value("People").run())
    assert any("sheet People" in text for text in marked_texts(app))
    app.text_input(key="data:sheet").set_value("2").run()
    assert any("60 records" in text for text in marked_texts(app) if "Found in" in text)
    app.text_input(key="data:sheet").set_value("9" * 90).run()
    assert "no sheet '9999" in sentence(app)


def test_a_file_is_read_differently_when_asked():
    content = csv(people().assign(disease="Grippé|x")).decode().encode("latin-1")
    app = upload(opened(), "a.csv", content)
    app.selectbox(key="data:encoding").set_value("utf-8").run()
    assert "not valid UTF-8" in sentence(app)
    app.selectbox(key="data:encoding").set_value("iso-8859-1")
    app.selectbox(key="data:delimiter").set_value("|").run()
    assert any("2 columns" in text for text in marked_texts(app) if "Found in" in text) or app.error


def test_the_city_comes_in_any_size_and_the_first_one_back():
    app = opened()
    app.number_input(key="data:residents").set_value(500)
    app.number_input(key="data:seed").set_value(7).run()
    fine(app.button(key="data:city").click().run())
    assert workspace_of(app).table.content_id == examples.city(500, 7).content_id
    assert workspace_of(app).example
    fine(app.button(key="data:firstcity").click().run())
    assert workspace_of(app).table.content_id == examples.city().content_id
    assert choice_of(app, "overlap") == 5000, "what a small table made small grows back"


def test_an_example_never_replaces_an_upload_without_asking():
    app = upload(opened(), "mine.csv", csv(people(90)))
    app.button(key="data:use").click().run()
    mine = workspace_of(app)
    fine(app.button(key="data:worked:bobs_class:0").click().run())
    assert workspace_of(app) is mine
    assert any("Found in Bob's class" in text for text in marked_texts(app))
    fine(app.button(key="data:use").click().run())
    assert len(workspace_of(app).table) == 4


def test_worked_examples_are_one_click_away():
    app = opened()
    for example in examples.worked_examples():
        for number, table in enumerate(example.tables):
            fine(app.button(key=f"data:worked:{example.name}:{number}").click().run())
            assert workspace_of(app).table.content_id == table.content_id
            assert workspace_of(app).schema == example.schema


# --- bad input ---------------------------------------------------------------------------------

BAD = {
    "reader": ("a.csv", b"age,disease\n3,flu\n4,secretvalue,x\n5,flu\n", "Line 3 has 3 fields but 2"),
    "columns": (
        "a.csv",
        b"number,text\n" + b"".join(b"%d,secretvalue%d\n" % (n, n) for n in range(50)),
        "values that people share",
    ),
    "records": ("a.csv", b"age,disease\n3,secretvalue\n", "one record"),
}
"""By who refuses: who reads it, who looks at the columns, who counts the records."""


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_gets_one_sentence_and_what_was_loaded_stays(case):
    name, content, words = BAD[case]
    app = opened()
    before = workspace_of(app)
    upload(app, name, content)
    message = sentence(app)
    assert re.search(words, message), message
    assert "secretvalue" not in " ".join(marked_texts(app))
    assert len(message) < 400
    assert workspace_of(app) is before
    assert any("are unique in this table" in text for text in marked_texts(app)), "the present table is still shown"
    assert not any(button.key == "data:use" for button in app.button)


def test_a_file_that_fills_the_memory_is_refused_once_and_what_was_loaded_stays(monkeypatch):
    read = Mock(side_effect=partial(read_table, limits=Limits(memory=30_000_000)))
    monkeypatch.setattr(core, "read_table", read)
    app = opened(read_table(csv(people())))
    before = workspace_of(app)
    upload(app, "a.parquet", parquet(pd.DataFrame({f"c{n}": np.arange(60_000) for n in range(40)})))
    assert "(0.03 GB)" in sentence(app)
    assert workspace_of(app) is before
    assert "(0.03 GB)" in sentence(app.run())
    assert read.call_count == 1, "what was refused is not read again"


# --- roles and kinds ---------------------------------------------------------------------------


def test_what_the_column_table_says_is_in_force_at_once_and_on_the_next_visit():
    app = opened()
    fine(give_roles(app, ward=Role.QUASI_IDENTIFIER, zip=Role.OTHER))
    assert workspace_of(app).schema.quasi_identifiers == ("age", "schooling", "ward")
    assert workspace_of(app).schema.other == ("zip",)
    fine(give_roles(app, ward=Role.PROVIDER))
    assert workspace_of(app).schema.provider == "ward"
    fine(give_roles(app, disease=Role.OTHER, schooling=Role.SENSITIVE))
    assert workspace_of(app).schema.sensitive == "schooling"
    fine(make_coarser(app, "age", Kind.CATEGORICAL))
    assert workspace_of(app).schema.kinds["age"] is Kind.CATEGORICAL
    fine(make_coarser(app, "age", Kind.ORDINAL))
    assert list(workspace_of(app).schema.orders["age"]) == sorted(workspace_of(app).table.column("age").labels, key=int)
    fine(make_coarser(app, "zip", Kind.TAXONOMY))
    schema = workspace_of(app).schema
    assert schema.taxonomies["zip"].height == 4
    app.switch_page("pages/method/page.py").run()
    fine(app.switch_page("pages/data/page.py").run())
    assert workspace_of(app).schema == schema


def test_a_role_that_one_column_has_at_a_time_moves():
    app = fine(give_roles(opened(), zip=Role.PROVIDER, ward=Role.PROVIDER))
    assert (workspace_of(app).schema.provider, workspace_of(app).schema.other) == ("ward", ("zip",))
    app = fine(give_roles(opened(), name=Role.PERSON))
    fine(give_roles(app, name=Role.PERSON, ward=Role.PERSON))
    assert (workspace_of(app).schema.person, workspace_of(app).schema.identifiers) == ("ward", ("name",))


def test_several_columns_to_protect_are_protected_as_one():
    app = fine(make_coarser(opened(), "zip", Kind.TAXONOMY))
    app = fine(give_roles(app, zip=Role.SENSITIVE))
    schema = workspace_of(app).schema
    assert schema.parts == ("zip", "disease")
    assert not schema.taxonomies, "a joint value has no tree"
    assert any("protected as one" in text for text in marked_texts(app))
    assert "zip" not in next(box for box in app.selectbox if box.label == "Column").options
    app.switch_page("pages/attack/page.py").run()
    assert any("One value left by column: zip" in text for text in marked_texts(app))


REFUSED = (
    ({"disease": Role.OTHER}, "No sensitive attribute is chosen"),
    (dict.fromkeys(("age", "zip", "schooling"), Role.OTHER), "No quasi-identifier is chosen"),
    ({"disease": Role.OTHER, "name": Role.SENSITIVE}, "Every record has its own value of 'name'"),
)


def test_a_kind_that_does_not_fit_leaves_the_old_one_in_force():
    app = opened()
    before = workspace_of(app)
    assert "'schooling' has the kind numeric but" in sentence(make_coarser(app, "schooling", Kind.NUMERIC))
    assert workspace_of(app) is before


def test_roles_that_cannot_be_leave_the_old_ones_in_force_and_are_gone_on_the_next_visit():
    app = opened()
    before = workspace_of(app)
    for cells, words in REFUSED:
        assert words in sentence(give_roles(app, **cells))
        assert any("stay in force" in text for text in marked_texts(app))
        app.switch_page("pages/method/page.py").run()
        fine(app.switch_page("pages/data/page.py").run())
        assert workspace_of(app) is before


def test_remarks_stand_under_the_table():
    app = opened(Table.from_frame(people().assign(constant="x")), Schema(["constant", "age"], "ward", others="drop"))
    words = " ".join(marked_texts(app)).replace("\\", "")
    assert "'constant' has the same value" in words
    assert "'ward' has two values only" in words


# --- missing values ----------------------------------------------------------------------------


def test_missing_records_are_counted_and_left_out_when_asked():
    app = fine(section(opened(), MISSING))
    gone = int((people()["schooling"] == "?").sum())
    assert gone > 0
    assert list(app.radio(key="data:missing").proto.captions) == ["0 of 60 left out", *[f"{gone} of 60 left out"] * 2]
    fine(app.radio(key="data:missing").set_value("drop").run())
    assert workspace_of(app).schema.missing == "drop"
    fine(app.multiselect(key="data:tokens").set_value([]).run())
    assert workspace_of(app).schema.missing_tokens == ("",)
    assert list(app.radio(key="data:missing").proto.captions) == ["0 of 60 left out"] * 3
    fine(section(app, "First rows"))
    assert workspace_of(app).schema.missing == "drop", "folded away, the choice stays"


# --- orders and taxonomies ---------------------------------------------------------------------


def test_an_order_starts_sorted_and_is_changed_by_lines_that_hold_every_value():
    app = fine(make_coarser(opened(), "schooling", Kind.ORDINAL))
    area = app.text_area[0]
    assert area.value.split("\n") == ["high", "low", "middle"]
    area.set_value("low\nhigh").run()
    app.button(key="data:order:use").click().run()
    assert "order of 'schooling' lacks 1 of its 3 values" in sentence(app)
    area = app.text_area[0]
    area.set_value("low\n  middle \nhigh\n").run()
    assert workspace_of(app).schema.orders["schooling"] == ("high", "low", "middle"), "not before the button"
    fine(app.button(key="data:order:use").click().run())
    assert workspace_of(app).schema.orders["schooling"] == ("low", "middle", "high")


def taxonomic() -> AppTest:
    return fine(make_coarser(opened(), "zip", Kind.TAXONOMY))


def test_a_taxonomy_by_leading_characters_and_flat():
    app = taxonomic()
    keep(app, "data", "way:2", "prefix")
    fine(app.run())
    fine(app.text_input(key="data:prefix:2").set_value("2").run())
    fine(app.button(key="data:tree:use").click().run())
    by_two = Taxonomy.from_prefixes(["01234", "01235", "02234", "12345"], (2,))
    assert workspace_of(app).schema.taxonomies["zip"] == replace(by_two, one_node=True)
    app.text_input(key="data:prefix:2").set_value("two").run()
    assert "leading characters to keep" in sentence(app)
    keep(app, "data", "way:2", "flat")
    fine(app.run())
    fine(app.button(key="data:tree:use").click().run())
    assert workspace_of(app).schema.taxonomies["zip"].height == 1


def hierarchy(app: AppTest, content: bytes) -> AppTest:
    keep(app, "data", "way:2", "file")
    app.run()
    uploader = next(u for u in app.file_uploader if u.label.startswith("Hierarchy"))
    uploader.upload("zip.csv", content, "text/csv")
    return app.run()


def test_an_arx_file_is_refused_or_used_whole_and_kept_while_the_column_has_another_kind():
    app = taxonomic()
    before = workspace_of(app).schema
    hierarchy(app, b"01234;north;*\n01235;*\n")
    assert "Row 2 of the hierarchy has 2 levels" in sentence(app)
    hierarchy(app, b"01234;north;*\n01235;north;*\n")
    assert app.button(key="data:tree:use").disabled
    assert "It lacks 2 of the 4 values of zip" in " ".join(caption.value for caption in app.caption)
    assert workspace_of(app).schema == before
    text = b"01234;north;*\n01235;north;*\n02234;south;*\n12345;south;*\n"
    fine(hierarchy(app, text))
    assert any("Covers all 4 values. Nodes a level, from the root: 1, 2, 4" in caption for caption in marked_texts(app))
    fine(app.button(key="data:tree:use").click().run())
    tree = workspace_of(app).schema.taxonomies["zip"]
    assert tree == Taxonomy.from_arx(text)
    assert kinds.arx_file(tree) == text
    fine(make_coarser(app, "zip", Kind.CATEGORICAL))
    assert not workspace_of(app).schema.taxonomies
    fine(make_coarser(app, "zip", Kind.TAXONOMY))
    assert workspace_of(app).schema.taxonomies["zip"] == tree


def extract() -> Table:
    """A made extract with dates that can be read both ways, dates that cannot, and postcodes."""
    days = [f"{n % 12 + 1:02d}/{n % 11 + 1:02d}/2024" for n in range(120)]
    born = [f"{n % 28 + 1:02d}.{n % 12 + 1:02d}.{1940 + n % 50}" for n in range(120)]
    zips = [f"0{1000 + n % 40}" for n in range(120)]
    return Table.from_frame(
        pd.DataFrame({"seen": days, "born": born, "zip": zips, "disease": [f"d{n % 5}" for n in range(120)]})
    )


def control(app: AppTest, kind: str, label: str) -> Any:
    return next(item for item in app.get(kind) if item.label == label)


def test_a_date_that_can_be_read_both_ways_is_asked_and_dates_are_made_months():
    app = section(opened(extract(), Schema(["zip"], "disease", other=["seen", "born"])), COARSER)
    give_roles(app, seen=Role.QUASI_IDENTIFIER)
    assert any("say which comes first" in error.value for error in app.error)
    assert workspace_of(app).schema.quasi_identifiers == ("zip",), "nothing is guessed"
    app.selectbox(key="data:tree:column").set_value("seen").run()
    fine(control(app, "button_group", "Which comes first?").set_value("%d/%m/%Y").run())
    fine(control(app, "button_group", "Published as").set_value("month").run())
    assert workspace_of(app).schema.quasi_identifiers == ("seen", "zip")
    assert workspace_of(app).schema.dates == {"seen": Dates("%d/%m/%Y", "month")}
    words = " ".join(caption.value for caption in app.caption)
    assert "Read as day/month/year, such as 09/03/2024" in words
    assert "Published as 2024-03, or from one to another" in words
    fine(make_coarser(app, "zip", Kind.CATEGORICAL))
    assert workspace_of(app).schema.dates["seen"].unit == "month", "it stays while another column is changed"


def test_a_hierarchy_at_hand_is_seen_before_it_is_used_and_gives_one_group_a_class():
    app = section(opened(extract(), Schema(["zip", "born"], "disease", other=["seen"])), COARSER)
    app.selectbox(key="data:tree:column").set_value("zip").run()
    assert any("01020 → 0102" in caption.value for caption in app.caption)
    assert not workspace_of(app).schema.taxonomies
    fine(control(app, "button", "Use leading characters").click().run())
    assert workspace_of(app).schema.taxonomies["zip"].one_node
    assert not any("→" in caption.value for caption in app.caption)
    control(app, "toggle", "One group a class").set_value(False).run()
    assert not workspace_of(app).schema.taxonomies["zip"].one_node
    app.selectbox(key="data:tree:column").set_value("born").run()
    assert any("Read as day.month.year, such as 09.03.2024" in caption.value for caption in app.caption)


# --- forgetting --------------------------------------------------------------------------------


def test_everything_is_forgotten_when_asked():
    app = upload(opened(), "mine.csv", csv(people(90)))
    app.button(key="data:use").click().run()
    set_choice(app, "my_k", 7)
    mine = workspace_of(app).table.content_id
    assert mine in str(list(results_of(app)))
    uploads = kept(app, "data", "upload:turn")
    app.button(key="data:forget").click().run()
    assert "deleted from memory" in texts(app)
    assert workspace_of(app).table.content_id == mine, "nothing is forgotten before it is confirmed"
    app.button(key="data:forget:yes").click().run()
    assert workspace_of(fine(app.run())).table.content_id == examples.city().content_id
    assert kept(app, "data", "upload:turn") > uploads, "a new uploader, for the browser keeps the old one's file"
    assert not keeps(app, "choice", "my_k") or choice_of(app, "my_k") == 5
    assert mine not in str(list(results_of(app))), "no result of the forgotten table is kept"


def test_uploaded_bytes_are_taken_out_of_memory(monkeypatch):
    files = MemoryUploadedFileManager("/upload")
    for bare, file in (("mine", "one"), ("mine", "two"), ("other", "one")):
        files.add_file(bare, UploadedFileRec(file, "a.csv", "text/csv", b"cells"))
    context = SimpleNamespace(session_id="mine", uploaded_file_mgr=files)
    monkeypatch.setattr(uploads, "get_script_run_ctx", lambda: context)
    monkeypatch.setattr(source.st, "session_state", {})
    shared_workspace.close("one")
    assert [file.file_id for file in files.get_files("mine", ["one", "two"])] == ["two"]
    source.forget_everything()
    assert not files.get_files("mine", ["one", "two"])
    assert files.get_files("other", ["one"]), "another session keeps its own"


# --- hostile names and values ------------------------------------------------------------------


def hostile(rows: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = {header: rng.choice(TRICKS, rows) for header in (*TRICKS[:5], *TRICKS[6:])}
    frame["long"] = np.where(rng.random(rows) < 0.5, "z" * 10_000, "y")
    frame["diagnosis <b>"] = rng.choice([*TRICKS, "plain"], rows)
    return pd.DataFrame(frame)


def harmless(app: AppTest) -> None:
    for text in marked_texts(app):
        bare = text.replace(":material/", "")
        assert not MARKDOWN.search(bare), bare[:200]
        assert "z" * 200 not in bare


def test_hostile_names_and_values_of_an_offer_are_never_markdown():
    """Those of the table in use: test_every_section.py."""
    app = upload(opened(), f"{IMAGE}.csv", csv(hostile()))
    harmless(fine(app))
    app.button(key="data:use").click().run()
    names = workspace_of(app).table.names
    give_roles(app, **dict.fromkeys(names[:6], Role.QUASI_IDENTIFIER))
    harmless(fine(make_coarser(app, names[0], Kind.TAXONOMY)))
    harmless(make_coarser(app, names[0], Kind.ORDINAL))
    harmless(fine(give_roles(app, **{names[0]: Role.SENSITIVE})))
    harmless(give_roles(app, **dict.fromkeys(workspace_of(app).schema.parts, Role.OTHER)))
    assert "No sensitive attribute" in sentence(app)


# --- helpers -----------------------------------------------------------------------------------


def test_short_headers_stay_different():
    found = data_text.headers(["x" * 100 + "a", "x" * 100 + "b", "x" * 100 + "c", "short\nline"])
    assert len(set(found)) == 4
    assert max(map(len, found)) <= 61
    assert found[3] == "short line"


def test_names_in_a_sentence():
    assert listed([str(n) for n in range(12)]) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 11", "none is left out"
    assert listed(["*x*"]) == "\\*x\\*"


@pytest.mark.parametrize(
    ("name", "write", "words"),
    [
        ("a.tsv", partial(csv, sep="\t"), "TSV, encoding UTF-8, fields separated by tab, decimal point"),
        ("a.txt", lambda f: csv(f.assign(height="1,5"), sep=";"), "separated by semicolon, decimal comma"),
        ("a.csv", lambda f: csv(f).decode().encode("utf-8-sig"), "UTF-8 with byte order mark"),
        ("a.csv.gz", lambda f: gzip.compress(csv(f)), "CSV in gzip"),
        ("a.parquet", parquet, "Parquet"),
    ],
    ids=["tsv", "decimal comma", "byte order mark", "gzip", "parquet"],
)
def test_how_a_table_was_read(name: str, write: Callable[[pd.DataFrame], bytes], words: str):
    table = read_table(write(people()))
    assert words in data_text.how_read(table).replace("\\", "")
    assert data_text.how_read(examples.city(100)) == ""


def test_an_outline_is_indented_and_of_a_large_tree_whole_levels():
    tree = Taxonomy.from_nested({"Europe": ["Italy", "x" * 200], "Asia": ["Japan"]})
    lines = kinds.outline(tree).split("\n")
    assert lines[:3] == ["*", "    Europe", "        Italy"]
    assert len(lines[3].strip()) <= 60
    assert kinds.outline(tree, most=3).split("\n") == ["*", "    Europe (2 values)", "    Asia"]
    assert kinds.outline(tree, most=1) == "* (3 values)"


def test_a_hierarchy_file_runs_no_formula():
    tree = Taxonomy.flat(["=1+1", "-5", "@x", "plain"])
    assert kinds.arx_file(tree) == b"'=1+1;*\n-5;*\n'@x;*\nplain;*\n"


def test_numbers_of_characters():
    assert kinds.read_lengths("3, 1") == kinds.read_lengths("3;1") == (3, 1)
    for text in ("", "a", "0", "1.5", "101"):
        with pytest.raises(ParameterError):
            kinds.read_lengths(text)


def crowd(**columns: list[str]) -> Encoded:
    frame = pd.DataFrame(columns)
    frame["disease"] = ["a", "b"] * (len(frame) // 2)
    return encode(Table.from_frame(frame), Schema(list(columns), "disease"))


def test_what_uniqueness_means_in_words():
    found = uniqueness(crowd(age=["1", "1", "2", "3"], sex=["f", "f", "f", "f"]))
    assert spaced(data_unique.sentence(found)).startswith("**2 of 4** people (50.0 %) are unique in this table")
    assert spaced(data_unique.adds_most(found)) == "Without age, which adds most, 0 people would be."
    nobody = uniqueness(crowd(age=["1", "1", "2", "2"]))
    assert data_unique.sentence(nobody).startswith("Nobody is unique: at least 2 of 4 people share")
    assert data_unique.adds_most(nobody) == ""
    alike = uniqueness(crowd(age=["1", "2", "3", "4"], zip=["5", "6", "7", "8"]))
    assert data_unique.adds_most(alike).startswith("Whichever column is left out")


# --- cells that stand apart ---------------------------------------------------------------------


def with_footer(rows: int = 60) -> pd.DataFrame:
    frame = people(rows)
    return pd.concat([frame, pd.DataFrame({"age": ["Source: *ward* book"]})]).fillna("")


def about(app: AppTest, words: str) -> list[str]:
    return [spaced(text.replace("\\", "")) for text in marked_texts(app) if words in text]


STRAY = "60 of 61 cells of the column 'age' are numbers; 1 is not, so the column is an unordered list."


@pytest.mark.parametrize(
    ("answer", "kind", "rows"),
    [
        ("They are values", Kind.CATEGORICAL, 61),
        ("They are missing", Kind.NUMERIC, 61),
        ("Leave their rows out", Kind.NUMERIC, 60),
    ],
)
def test_a_footer_is_said_beside_its_column_and_one_answer_settles_it(answer, kind, rows):
    app = fine(upload(opened(), "other.csv", csv(with_footer())))
    (said,) = about(app, "unordered")
    assert said.startswith(f":material/warning: {STRAY}")
    assert said.endswith("Cells: *Source: *ward* book*.")
    control = next(each for each in app.segmented_control if "stand apart" in each.label)
    fine(control.set_value({"They are values": "values", "They are missing": "missing"}.get(answer, "out")).run())
    fine(app.button(key="data:use").click().run())
    here = workspace_of(app)
    assert (here.schema.kinds["age"], len(here.table)) == (kind, rows)
    assert bool(about(app, "unordered")) == (kind is Kind.CATEGORICAL)


@pytest.mark.parametrize(("button", "rows"), [("missing", 61), ("out", 60)])
def test_a_footer_of_the_table_in_use_is_settled_by_one_button(button, rows):
    app = fine(opened(read_table(csv(with_footer())), own_schema().with_(kinds={"age": "categorical"})))
    assert about(app, "unordered")
    fine(app.button(key=f"data:strays:{button}:1").click().run())
    here = workspace_of(app)
    assert (here.schema.kinds["age"], len(here.table)) == (Kind.NUMERIC, rows)
    assert not about(app, "unordered")


def test_a_code_for_missing_values_is_shown_and_offered():
    frame = people().assign(age=lambda f: f["age"].where(f.index % 20 != 3, "999"))
    app = fine(upload(opened(), "other.csv", csv(frame)))
    (said,) = about(app, "too long")
    assert "5.0 % of the cells of the column 'age'" in said
    assert "Cells: *999*" in said
    control = next(each for each in app.segmented_control if "stand apart" in each.label)
    fine(control.set_value("missing").run())
    fine(app.button(key="data:use").click().run())
    assert "999" in workspace_of(app).schema.missing_tokens


def test_numbers_with_a_unit_and_months_are_read_and_said():
    frame = people().assign(age=lambda f: f["age"] + " years", seen=[f"{n % 12 + 1:02d}/2023" for n in range(60)])
    app = fine(upload(opened(), "other.csv", csv(frame)))
    fine(app.button(key="data:use").click().run())
    assert about(app, "read and published in years")
    give_roles(app, seen=Role.QUASI_IDENTIFIER)
    section(app, COARSER)
    fine(app.selectbox(key="data:tree:column").set_value("seen").run())
    control = next(each for each in app.segmented_control if each.label == "Published as")
    assert (control.options, control.value) == (["Months", "Quarters", "Years"], "month")
    assert about(app, "Read as month/year, such as 03/2024")


def test_an_encoding_that_nothing_tells_is_asked_for():
    content = csv(people().assign(ward="Москва")).decode().encode("cp1251")
    app = upload(opened(), "a.csv", content)
    assert "give its encoding" in sentence(app)
    assert next(each for each in app.expander if each.label == "Read the file differently").proto.expanded
    fine(app.selectbox(key="data:encoding").set_value("cp1251").run())
    assert any("60 records" in text for text in marked_texts(app) if "Found in" in text)

"""The data page: what is shown first, what replaces it, what is refused, and nothing unescaped."""

import gzip
import io
import re
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

import core
from core import Schema, Table, Taxonomy, examples, read_table
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded, encode
from core.data.profiling.uniqueness import uniqueness
from core.data.schemas.schema import ColumnType, Role
from core.data.tables.input_limits import InputLimits
from pages.data import column_types, source
from pages.data import text as data_text
from pages.data import uniqueness as data_unique
from pages.shared.state import uploads
from pages.shared.state import workspace as shared_workspace
from pages.shared.ui.text import listed, safe
from pages.shared.ui.text import sentence as on_page
from tests.hostile import IMAGE, TRICKS
from tests.pages import drive
from tests.pages.drive import (
    choice_of,
    give_roles,
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
        column_types={"age": "numeric", "zip": "categorical", "schooling": "categorical"},
    )


def opened(table: Table | None = None, schema: Schema | None = None) -> AppTest:
    table = read_table(csv(people())) if table is None else table
    choices = {"overlap": 10, "my_k": 3, "their_k": 3, "repeats": 1}
    return drive.loaded(table, own_schema() if schema is None else schema, "pages/data/page.py", **choices)


def upload(app: AppTest, name: str, content: bytes) -> AppTest:
    uploader = next(u for u in app.file_uploader if u.label == "Load your own table")
    uploader.upload(name, content, "application/octet-stream")
    return app.run()


COARSER, MISSING = "How columns are generalised", "Missing values"


def section(app: AppTest, name: str) -> AppTest:
    set_section(app, "data", name)
    return app.run()


def make_coarser(app: AppTest, name: str, column_type: ColumnType) -> AppTest:
    """Open a column and give it another kind."""
    app = section(app, COARSER)
    app = app.selectbox(key="data:tree:column").set_value(name).run()
    return next(box for box in app.selectbox if box.label == "Generalised as").set_value(column_type).run()


def sentence(app: AppTest) -> str:
    """Return the one refusal on the page."""
    assert len(app.error) == 1, [error.value for error in app.error]
    return app.error[0].value.replace("\\", "")


def fine(app: AppTest) -> AppTest:
    assert not app.error, [error.value for error in app.error]
    return app


# --- what is there first -----------------------------------------------------------------------


# --- loading -----------------------------------------------------------------------------------


def parquet(frame: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


def test_columns_of_a_wide_table_are_chosen_and_the_line_of_a_header_is_named():
    wide = pd.concat([people(), pd.DataFrame("x", index=people().index, columns=[f"c{n}" for n in range(250)])], axis=1)
    app = upload(opened(), "wide.csv", csv(wide))
    assert "256 columns; at most 200 are accepted" in sentence(app)
    box = next(one for one in app.multiselect if one.label == "Columns to read")
    assert {"age", "c249"} <= set(box.options)
    box.set_value(["age", "zip", "disease"])
    next(one for one in app.button if one.label == "Read these columns").click().run()
    fine(app)
    assert "3 of 256 columns were read" in drive.texts(app)
    fine(app.button(key="data:use").click().run())
    assert workspace_of(app).table.names == ("age", "zip", "disease")
    app = upload(opened(), "odd.csv", b"x,x,x\n\nage,sex,dx\nold,M,flu\nnew,F,gout\nold,M,flu\n")
    assert "name the line of the header" in sentence(app)
    app.number_input(key="data:header_row").set_value(3).run()
    fine(app)
    fine(app.button(key="data:use").click().run())
    assert workspace_of(app).table.names == ("age", "sex", "dx")


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


# --- bad input ---------------------------------------------------------------------------------


def test_a_file_that_fills_the_memory_is_refused_once_and_what_was_loaded_stays(monkeypatch):
    read = Mock(side_effect=partial(read_table, limits=InputLimits(memory=30_000_000)))
    monkeypatch.setattr(core, "read_table", read)
    app = opened(read_table(csv(people())))
    before = workspace_of(app)
    upload(app, "a.parquet", parquet(pd.DataFrame({f"c{n}": np.arange(60_000) for n in range(40)})))
    assert "(0.03 GB)" in sentence(app)
    assert workspace_of(app) is before
    assert "(0.03 GB)" in sentence(app.run())
    assert read.call_count == 1, "what was refused is not read again"


# --- roles and kinds ---------------------------------------------------------------------------


REFUSED = (
    ({"disease": Role.OTHER}, "No sensitive attribute is chosen"),
    (dict.fromkeys(("age", "zip", "schooling"), Role.OTHER), "No quasi-identifier is chosen"),
    ({"disease": Role.OTHER, "name": Role.SENSITIVE}, "Every record has its own value of 'name'"),
)


def test_roles_that_cannot_be_leave_the_old_ones_in_force_and_are_gone_on_the_next_visit():
    app = opened()
    before = workspace_of(app)
    for cells, words in REFUSED:
        assert words in sentence(give_roles(app, **cells))
        assert any("stay in effect" in text for text in marked_texts(app))
        app.switch_page("pages/method/page.py").run()
        fine(app.switch_page("pages/data/page.py").run())
        assert workspace_of(app) is before


def test_columns_left_out_by_proposal_are_asked_about_until_it_is_answered():
    def bar(app: AppTest) -> str:
        return next(item.value for item in app.caption if item.value.startswith("One value left"))

    def asked(app: AppTest, *names: str) -> dict[str, Role]:
        roles = dict(workspace_of(app).schema.roles())
        return {name: roles[name] for name in names}

    frame = people(90).assign(height=np.arange(90) % 7, weight=np.arange(90) % 5)
    assert bar(opened()) == "One value left", "what was not uploaded is not asked about"
    for answer in ("All of them", "None of them", "I choose in the table"):
        app = upload(opened(), "mine.csv", csv(frame))
        app = fine(app.button(key="data:use").click().run())
        left_out = workspace_of(app).schema.other
        assert len(left_out) > 1
        assert bar(app) == f"One value left, if {len(left_out)} columns are left out"
        app = fine(drive.press(app, answer))
        if answer == "I choose in the table":
            app = fine(give_roles(app, height=Role.UNMODIFIED))
            assert "are left out" in bar(app), "one column is no decision about the others"
            app = drive.press(app, "The roles are right")
        wanted = Role.UNMODIFIED if answer == "All of them" else Role.OTHER
        assert set(asked(app, *(name for name in left_out if name != "height")).values()) == {wanted}
        assert bar(app) == "One value left"
    fine(app.button(key="data:firstcity").click().run())
    assert bar(app) == "One value left"


def test_several_rows_get_one_role_and_a_role_for_one_column_leaves_the_other():
    app = fine(give_roles(opened(), name=Role.PERSON, ward=Role.UNMODIFIED))
    app = fine(give_roles(app, ward=Role.OTHER, age=Role.OTHER))
    roles = dict(workspace_of(app).schema.roles())
    assert (roles["ward"], roles["age"], roles["name"]) == (Role.OTHER, Role.OTHER, Role.PERSON)
    app = give_roles(app, ward=Role.PERSON)
    assert dict(workspace_of(app).schema.roles())["name"] is Role.IDENTIFIER


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
    app = fine(make_coarser(opened(), "schooling", ColumnType.ORDINAL))
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
    harmless(fine(make_coarser(app, names[0], ColumnType.TAXONOMY)))
    harmless(make_coarser(app, names[0], ColumnType.ORDINAL))
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
    lines = column_types.outline(tree).split("\n")
    assert lines[:3] == ["*", "    Europe", "        Italy"]
    assert len(lines[3].strip()) <= 60
    assert column_types.outline(tree, most=3).split("\n") == ["*", "    Europe (2 values)", "    Asia"]
    assert column_types.outline(tree, most=1) == "* (3 values)"


def test_a_hierarchy_file_runs_no_formula():
    tree = Taxonomy.flat(["=1+1", "-5", "@x", "plain"])
    assert tree.to_arx() == b"'=1+1;*\n-5;*\n'@x;*\nplain;*\n"


def test_numbers_of_characters():
    assert column_types.read_lengths("3, 1") == column_types.read_lengths("3;1") == (3, 1)
    for text in ("", "a", "0", "1.5", "101", "9" * 4301):
        with pytest.raises(ParameterError):
            column_types.read_lengths(text)


def encoded_from(**columns: list[str]) -> Encoded:
    frame = pd.DataFrame(columns)
    frame["disease"] = ["a", "b"] * (len(frame) // 2)
    return encode(Table.from_frame(frame), Schema(list(columns), "disease"))


def test_what_uniqueness_means_in_words():
    found = uniqueness(encoded_from(age=["1", "1", "2", "3"], sex=["f", "f", "f", "f"]))
    assert spaced(data_unique.sentence(found)).startswith("**2 of 4** people (50.0%) are unique in this table")
    assert spaced(data_unique.adds_most(found)) == "Without age, which contributes most, 0 people would be unique."
    nobody = uniqueness(encoded_from(age=["1", "1", "2", "2"]))
    assert data_unique.sentence(nobody).startswith("No one is unique: at least 2 of 4 people share")
    assert data_unique.adds_most(nobody) == ""
    alike = uniqueness(encoded_from(age=["1", "2", "3", "4"], zip=["5", "6", "7", "8"]))
    assert data_unique.adds_most(alike).startswith("Leaving out any one column")


# --- cells that stand apart ---------------------------------------------------------------------


def test_a_message_on_a_page_names_no_option_of_the_command_line() -> None:
    """What the command line calls (--columns) is a control of the page; a name in brackets stays."""
    assert on_page("Leave it out, or choose the columns (--columns). See a (b) and (c--d).") == safe(
        "Leave it out, or choose the columns. See a (b) and (c--d).", 100
    )

"""The page Publication register: entered, tried, refused; the matrix; hostile names; and the documents of Decide."""

from __future__ import annotations

import re
from datetime import date

from msgspec import structs
from streamlit.testing.v1 import AppTest

from core import Policy, Schema, Table, dp
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.data.tables.csv_export import csv_bytes
from core.register import Publication, Register, publication_of
from core.report import NoisyDownload
from tests.hostile import HOSTILE, TRICKS
from tests.pages.drive import at_section, go, loaded, marked_texts, metrics, press, texts
from tests.registered import people

PAGE = "pages/register/page.py"
SCHEMA = Schema(["age", "zip"], "ill", identifiers=["id"], unassigned="drop")
KEPT = "publications:register"
DAY = date(2026, 1, 31)
MARKUP = re.compile(r"(?<!\\)!\[|(?<!\\)<script|(?<!\\)\$x|(?<!\\):red\[|(?<!\\)\[link|https?\\?:\\?/")


def opened(section: str = "Add the present release", register: Register | None = None) -> AppTest:
    state = {} if register is None else {KEPT: register}
    return loaded(Table.from_frame(people(240)), SCHEMA, PAGE, section, state=state, my_k=5)


def who(app: AppTest, names: str) -> AppTest:
    return app.text_area[0].set_value(names).run()


def kept(app: AppTest) -> Register:
    register = app.session_state[KEPT]
    assert isinstance(register, Register)
    return register


def noisy(*recipients: str) -> Register:
    return Register().add(Publication("noisy", DAY, name="a noisy table", epsilon=0.5), recipients)


def hand_in(app: AppTest, label: str, name: str, content: bytes) -> AppTest:
    uploader = next(one for one in app.file_uploader if one.label.startswith(label))
    return uploader.upload(name, content, "text/csv").run()


def earlier() -> tuple[bytes, bytes]:
    """The register of an earlier release, and its private copy."""
    table = Table.from_frame(people(300)[60:])
    schema = Schema(["age", "work"], "ill", identifiers=["id"], unassigned="drop")
    release = partition(encode(table, schema), Policy(5))
    entry = structs.replace(publication_of(release, date(2025, 6, 30), key="id"), recipients=("the registry",))
    return Register().add(entry).to_json().encode(), csv_bytes(release.publish(key=table.column("id")))


def with_the_earlier_one(app: AppTest) -> AppTest:
    """Enter an earlier release, then its private copy."""
    note, copy = earlier()
    app = hand_in(app, "Open a register", "r.json", note)
    app = hand_in(at_section(app, "register", "Add a private copy"), "Its private copy", "c.csv", copy)
    assert next(box for box in app.selectbox if box.label == "Person identifier").value == "id"
    app = press(app, "Add")
    assert not app.error
    return app


def test_the_present_release_is_tried_then_entered_and_attacked_with_an_earlier_one() -> None:
    app = opened()
    assert "Nothing is in the register yet" in texts(app)
    app = press(who(app, "A\n\nB"), "What would it add?")
    assert "Not entered yet" in texts(app)
    assert KEPT not in app.session_state
    app = press(app, "Add")
    register = kept(app)
    assert [own.recipients for own in register.publications] == [("A", "B")]
    assert [each.people for each in register.numbers] == [240]
    assert "One value left, at worst" in metrics(app)

    app, (_, copy) = with_the_earlier_one(app), earlier()
    register = kept(app)
    assert register.recipients == ("A", "B", "the registry")
    assert register.open_sets() == []
    pair = next(each for each in register.numbers if each.publications == (1, 2))
    assert pair.one_value_left > 0
    (frame,) = [table.value for table in app.dataframe]
    assert frame.shape == (3, 3)
    assert frame.iloc[0, 2] == frame.iloc[2, 0] != frame.iloc[0, 0] == "0.0%"
    assert f"{pair.one_value_left} of {pair.people}" in texts(app)

    app = at_section(app, "register", "Publications")
    assert app.dataframe[-1].value["Assessed"].tolist() == ["yes", "yes"]
    app = at_section(app, "register", "Add a recipient")
    app = press(who(app, "B\nC"), "Add")
    assert kept(app).publications[0].recipients == ("A", "B", "C")

    stored = kept(app).to_json().encode()
    fresh = hand_in(opened(), "Open a register", "register.json", stored)
    assert kept(fresh) == kept(app)
    assert "0 of 2 private copies are loaded." in texts(fresh)
    app = press(who(at_section(fresh, "register", "Add the present release"), "D"), "Add")
    assert "in the register already" in app.error[0].value
    app = hand_in(app, "Private copies", "c.csv", copy)
    assert "1 of 2 private copies are loaded." in texts(app)
    assert not app.error
    app = hand_in(app, "Open a register", "other.json", noisy("A").to_json().encode())
    assert not app.error
    assert [own.kind for own in kept(app).publications] == ["release", "release", "noisy"]
    assert "Nothing is in the register yet" in texts(press(app, "Start an empty register"))


def test_files_are_asked_for_or_the_set_is_left_open() -> None:
    _, copy = earlier()
    stored = kept(with_the_earlier_one(opened("Publications"))).to_json().encode()
    app = who(hand_in(opened(), "Open a register", "r.json", stored), "the registry")
    app = press(app, "Add")
    assert "the files of publication 1" in app.error[0].value
    next(toggle for toggle in app.toggle if toggle.label.startswith("Leave open")).set_value(True).run()
    app = press(app, "Add")
    assert not app.error
    assert "not assessed" in metrics(app)["One value left, at worst"]
    assert kept(app).open_sets() == [(1, 2)]
    app = press(hand_in(app, "Private copies", "c.csv", copy), "Assess what is open")
    assert not app.error  # that of publication 2 was entered in this session, so it is there
    assert kept(app).open_sets() == []


def test_what_is_no_register_and_no_file_of_it_is_refused() -> None:
    app = hand_in(opened(), "Open a register", "r.json", b'{"ZZMARK": 1}')
    assert "not a publication register" in app.error[0].value
    assert KEPT not in app.session_state
    app = hand_in(opened(register=noisy("A")), "Private copies", "c.csv", b"id,ill\nZZMARK,flu\nZZMARKb,flu\n")
    assert "belongs to no publication" in app.error[0].value
    assert "ZZMARK" not in texts(app)


def test_a_table_of_counts_is_described_and_attacked_with_the_release() -> None:
    app = press(who(opened(), "A"), "Add")
    frame = people(240)
    counts = frame.groupby(["zip", "work", "ill"]).size().reset_index(name="n").astype({"n": str})
    app = at_section(app, "register", "Add another publication")
    app = hand_in(app, "What was published", "c.csv", csv_bytes(counts))
    app = hand_in(app, "Its private copy", "p.csv", csv_bytes(frame[["zip", "work", "id"]]))
    assert next(box for box in app.selectbox if box.label == "Counts").value == "n"
    app = press(who(app, "B"), "Add")
    assert "and its sensitive column" in app.error[0].value
    app.multiselect[0].set_value(["zip", "work"]).run()
    next(box for box in app.selectbox if box.label == "Sensitive column").set_value("ill").run()
    app = press(app, "Add")
    assert "Choose the column of the private copy" in app.error[0].value
    next(box for box in app.selectbox if box.label == "Person identifier").set_value("id").run()
    app = press(app, "Add")
    assert "lacks some combinations" in app.error[0].value
    next(box for box in app.text_input if box.label.startswith("What its publisher")).set_value("absent=zero").run()
    app = press(app, "Add")
    assert not app.error
    register = kept(app)
    assert register.open_sets() == []
    assert [own.kind for own in register.publications] == ["release", "counts"]
    assert next(each for each in register.numbers if each.publications == (1, 2)).one_value_left > 0
    assert "2 of 2 private copies are loaded." in texts(app)
    app = at_section(app, "register", "Add a recipient")
    assert not [toggle for toggle in app.toggle if toggle.label.startswith("Leave open")]
    app = at_section(app, "register", "Add another publication")
    app = hand_in(app, "What was published", "o.csv", csv_bytes(frame[["age", "ill"]]))
    app.radio[0].set_value("other").run()
    app.multiselect[0].set_value(["age"]).run()
    next(box for box in app.selectbox if box.label == "Sensitive column").set_value("ill").run()
    app = press(who(app, "B"), "Add")
    assert kept(app).publications[2].kind == "other"
    assert not kept(app).publications[2].is_assessed


def test_noisy_tables_downloaded_in_this_session_are_added_once() -> None:
    app = opened("Add noisy tables")
    app = press(who(app, "A"), "Add this noisy table")
    assert kept(app).standings()[0].cost == dp.Cost(1.0)
    table = Table.from_frame(people(240))
    made = tuple(NoisyDownload(digest * 64, 0.5, 0.0, "discrete Laplace", dp.RELATION) for digest in "ab")
    state = {"noise:downloads": {table.content_id: made}}
    app = loaded(table, SCHEMA, PAGE, "Add noisy tables", state=state, my_k=5)
    app = press(who(app, "A"), "Add the 2 downloaded")
    assert kept(app).standings()[0].cost == dp.Cost(1.0)
    assert [own.content for own in kept(app).publications] == ["a" * 64, "b" * 64]
    assert not [button for button in app.button if "downloaded" in button.label]


def test_a_release_without_a_recipient_is_a_plan_until_it_goes_out() -> None:
    app = press(opened(), "Add")
    assert not app.error
    assert (kept(app).recipients, kept(app).numbers) == ((), ())
    app = at_section(app, "register", "Publications")
    (row,) = app.dataframe[-1].value.to_dict("records")
    assert (row["Recipients"], row["Settings"].split(",")[0]) == ("planned", "least-loss")
    app = press(who(at_section(app, "register", "Add a recipient"), "A"), "What would it add?")
    assert "A: one value left for" in texts(app)
    app = press(app, "Add")
    assert [each.people for each in kept(app).numbers] == [240]
    app = at_section(app, "register", "Add the present release")
    assert "Private copy with identifiers" in [button.label for button in app.get("download_button")]


def test_a_wide_table_of_counts_is_described_too() -> None:
    frame = people(240)
    wide = frame.groupby(["zip", "ill"]).size().unstack(fill_value=0).astype(str).reset_index()
    app = hand_in(opened("Add another publication"), "What was published", "w.csv", csv_bytes(wide))
    app.multiselect[0].set_value(["zip"]).run()
    next(toggle for toggle in app.toggle if "a column of counts" in toggle.label).set_value(True).run()
    next(box for box in app.text_input if box.label.startswith("What the values")).set_value("ill").run()
    app = press(who(app, "B"), "Add")
    assert not app.error
    assert (kept(app).publications[0].sensitive, kept(app).publications[0].count) == (("ill",), "count")


def test_hostile_names_are_text() -> None:
    names = [name[:150] for name in (*HOSTILE, *TRICKS) if name.strip()]
    register = noisy(*dict.fromkeys(names[:20]))
    for section in ("Publications", "Add a recipient", "Add the present release"):
        app = opened(section, register)
        assert not app.error
        for text in marked_texts(app):
            assert not MARKUP.search(text), text


def test_the_documents_of_decide_have_the_register() -> None:
    app = go(opened(register=noisy("A", "B")), "pages/review/page.py#Decision and report")
    app = press(app, "Write the documents")
    internal = next(one for one in app.session_state["results"].values() if hasattr(one.value, "internal_numbers"))
    assert '"register": {' in internal.value.internal_numbers
    assert '"register"' not in internal.value.external_numbers
    assert '"epsilon": 0.5' in internal.value.evidence

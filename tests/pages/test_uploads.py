"""Files of other publishers on the pages: taken, replaced, forgotten, hostile; and what is said where nobody knows."""

import re
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import FrequencyTable, Policy, Schema, Table
from core.algorithms import partition
from core.attack.anonymity_set import anonymity_set
from core.attack.intersection import intersection_attack
from core.attack.intruder import KNOWS
from core.data.encoding.encoded import encode
from core.data.tables.csv_export import csv_bytes
from core.engine.output import write_frequency_table
from core.register import Register, publication_of
from core.study.population import least_listed
from core.study.uploads import Upload
from pages.attack import axes, computed
from pages.attack.hospitals import upload as their_upload
from pages.shared.compute import assessment, attack_results, data_results, release_results
from pages.shared.state import session
from pages.shared.ui import value_words
from pages.shared.ui.value_words import UNTRIED
from tests.files import read_table
from tests.hostile import COLOUR, FORMULA, IMAGE, SCRIPT, TRICKS, VERY_LONG
from tests.pages.drive import (
    Session,
    at_section,
    begin,
    choice_of,
    files_of,
    go,
    loaded,
    marked_texts,
    press,
    results_of,
    set_section,
    texts,
)
from tests.tables import small_table

HOSPITALS, ATTACK = "pages/attack/page.py#Other hospitals", "pages/attack/page.py"
SOURCE = "Where its records come from"
MINE, SCHEMA = small_table()
THEIRS = small_table(300)[0]
NAMES = (*SCHEMA.quasi_identifiers, SCHEMA.sensitive)
MARKUP = re.compile(r"(?<!\\)!\[|(?<!\\)<script|(?<!\\)\$x|(?<!\\):red\[|x{300}")


def release_of(algorithm: str = "mondrian") -> Table:
    return Table.from_frame(partition(encode(THEIRS, SCHEMA), Policy(4), algorithm).publish(seed=0))


def upload_of(table: Table, centroids: bool = False) -> Upload:
    same = tuple((name, name) for name in NAMES)
    return Upload(table.content_id, same, centroids=centroids, name="theirs.csv")


RELEASE, MEANS = release_of(), release_of("mdav")
FILES = {table.content_id: table for table in (RELEASE, MEANS, THEIRS)}


def known(table: Table) -> Table:
    """A table that the sessions of these tests have as a file."""
    FILES[table.content_id] = table
    return table


PUBLISHED = {"origin": "published", "upload": upload_of(RELEASE)}
CENTROIDS = {"origin": "published", "upload": upload_of(MEANS, centroids=True)}
OTHERS = {
    "their release alone": [PUBLISHED],
    "their means alone": [CENTROIDS],
    "a release and a simulated one": [{}, PUBLISHED],
    "synthetic people alone": [{"origin": "resampled", "size": 200}, {"origin": "resampled", "attributes": ("age",)}],
    "eight of every kind": [
        PUBLISHED,
        CENTROIDS,
        {},
        {},
        {"same_value_rate": 0.5, "k": 9},
        {"origin": "simulated"},
        {"origin": "resampled", "algorithm": "mdav"},
    ],
}


def opened(page: str, others: list[dict[str, object]], table: Table = MINE, **choices: object) -> AppTest:
    return fine(anyhow(page, others, table, **choices))


def anyhow(
    page: str, others: list[dict[str, object]], table: Table = MINE, keep: bool = True, **choices: object
) -> AppTest:
    used = {other["upload"].content_id for other in others if "upload" in other}  # type: ignore[attr-defined]
    files = [FILES[content_id] for content_id in used if keep]
    start = {"overlap": 30, "repeats": 1, "releases": len(others) + 1, "own": dict(enumerate(others, 1))}
    return loaded(table, SCHEMA, page, files=files, **{**start, **choices})


def fine(app: AppTest) -> AppTest:
    assert not app.error
    return app


def source(app: AppTest) -> str:
    return str(choice_of(app, "own").get(1, {}).get("origin", "simulated"))


def choose(app: AppTest, label: str, value: object) -> AppTest:
    return next(box for box in app.selectbox if box.label.startswith(label)).set_value(value).run()


def offered(frame: pd.DataFrame, name: str = "theirs.csv") -> AppTest:
    """The page of hospitals with a file of hospital 2 that was read and not taken yet."""
    app = choose(opened(HOSPITALS, [{}]), SOURCE, "published")
    return hand_in(app.file_uploader[0], name, frame)


def hand_in(uploader: Any, name: str, frame: pd.DataFrame) -> AppTest:
    return uploader.upload(name, frame.to_csv(index=False).encode(), "text/csv").run()


# --- every kind of hospital ----------------------------------------------------------------------


@pytest.fixture
def small(bare: Session) -> Session:
    begin_with(bare, MINE, SCHEMA)
    bare["files"] = dict(FILES)
    return bare


def begin_with(state: Session, table: Table, schema: Schema) -> None:
    begin(state, table, schema)
    for name, value in {"overlap": 30, "my_k": 4, "their_k": 4, "repeats": 1}.items():
        session.put(name, value)


def study_of(others: list[dict[str, object]]) -> None:
    session.put("releases", 1 + len(others))
    for number, other in enumerate(others, 1):
        for field, value in other.items():
            session.set_own(number, field, value)


@pytest.mark.parametrize("case", list(OTHERS))
def test_a_study_of_every_kind_is_drawn_against_everything_that_is_offered(small: Session, case: str) -> None:
    study_of(OTHERS[case])
    attack_results.fit_overlap()
    for linked in (True, False):
        session.put("linked", linked)
        for vary in axes.axes():
            values = axes.points(vary)
            frame = attack_results.curve(vary, values, 1)
            assert list(frame["value"].unique()) == values, vary
    assert len(assessment.doubts()) >= 3


@pytest.mark.parametrize("case", list(OTHERS))
def test_every_adversary_attacks_a_study_of_every_kind(small: Session, case: str) -> None:
    study_of(OTHERS[case])
    attack_results.fit_overlap()
    least = least_listed(data_results.encoded(), session.scenario().study)
    exposed = attack_results.outcome().result
    for knows in KNOWS:
        claims = computed.claims(knows, least)
        assert claims.shared == exposed.people
        assert claims.claims == claims.disclosures + claims.by_chance + claims.wrong + claims.unknown
        if knows == "everywhere":
            assert (claims.claims, claims.disclosures) == (exposed.breached().sum(), exposed.true_disclosures().sum())


@pytest.mark.parametrize("size", [35, 200, 225])
def test_a_size_of_its_own_stays_possible_whatever_moves(small: Session, size: int) -> None:
    study_of([{"size": size}, {"origin": "resampled", "size": size}])
    for name, value in (("overlap", 5), ("overlap", 210), ("releases", 2), ("releases", 3), ("overlap", 8)):
        session.put(name, value)
        attack_results.fit_overlap()
        assert attack_results.outcome().result.people == session.get("overlap")
        for vary in ("overlap", "releases"):
            attack_results.curve(vary, axes.points(vary), 1)


def test_sizes_that_no_longer_fit_go_to_the_nearest_that_does(small: Session) -> None:
    study_of([{"origin": "simulated", "size": size} for size in (5, 10**6, 40)])
    attack_results.fit_overlap()
    assert [hospital.size for hospital in session.hospitals()[1:]] == [*attack_results.size_range(), 40]


def test_hospitals_like_mine_have_from_the_smallest_to_the_largest_size(small: Session) -> None:
    study_of([{"size": size} for size in (200, 72, 136)])
    assert "Each other has 72 to 200 people" in value_words.world()


# --- nobody knows --------------------------------------------------------------------------------


FEW = known(Table.from_frame(THEIRS.to_frame().drop_duplicates("diagnosis")[:2]))


@pytest.mark.parametrize("page", [HOSPITALS, ATTACK])
def test_a_file_that_has_no_room_for_more_shared_people_is_named(page: str) -> None:
    small = {"origin": "published", "upload": upload_of(FEW)}
    app = opened(page, [small])
    assert choice_of(app, "overlap") == 2
    assert texts(app).count("*theirs\\.csv* holds no more people of mine, so 2 are shared at most") == 1
    fine(press(go(app, HOSPITALS), "Forget this file"))
    assert "holds no more people" not in texts(app)


def test_decide_says_what_was_not_tried_of_an_uploaded_file() -> None:
    app = opened("pages/review/page.py", [PUBLISHED], requirements={"one_value_left": 1.0})
    set_section(app, "review", "Each limit")
    assert UNTRIED in texts(fine(app.run()))


# --- taking, replacing and forgetting a file -----------------------------------------------------


def test_a_file_that_is_not_here_is_named_once_where_it_can_be_loaded() -> None:
    app = anyhow(HOSPITALS, [{}, PUBLISHED], keep=False)
    assert [error.value.split(". Load it")[0] for error in app.error] == [
        "Not loaded in this session: **theirs\\.csv** of hospital 3"
    ]
    hand_in(app.file_uploader[-1], "again.csv", RELEASE.to_frame())
    app = fine(press(app, "Use this file"))
    assert set(files_of(app)) == {RELEASE.content_id}
    assert choice_of(app, "overlap") == 30


def test_a_frequency_table_is_refused_where_rows_are_needed(tmp_path: Path) -> None:
    app = choose(opened(HOSPITALS, [{}]), SOURCE, "published")
    write_frequency_table(FrequencyTable.of(RELEASE, NAMES), tmp_path / "theirs.parquet")
    content = (tmp_path / "theirs.parquet").read_bytes()
    app.file_uploader[0].upload("theirs.parquet", content, "application/octet-stream").run()
    assert ["The file is a frequency table" in error.value for error in app.error] == [True]


def test_a_file_is_out_of_memory_where_nobody_uses_it_any_more() -> None:
    app = fine(press(opened(HOSPITALS, [PUBLISHED, PUBLISHED]), "Forget this file"))
    assert set(files_of(app)) == {RELEASE.content_id}, "the other one uses it"
    for leave in (partial(press, label="Forget this file"), partial(choose, label=SOURCE, value="simulated")):
        app = fine(leave(opened(HOSPITALS, [PUBLISHED])))
        assert not files_of(app)
        assert all(key[1] != "foreign" for key in results_of(app))


def test_a_file_that_was_read_and_not_taken_is_out_of_memory() -> None:
    app = offered(RELEASE.to_frame())
    assert {"their file", "foreign"} <= {key[1] for key in results_of(app)}
    fine(choose(app, SOURCE, "simulated"))
    assert not {"their file", "foreign"} & {key[1] for key in results_of(app)}


def test_a_hostile_file_is_shown_as_text() -> None:
    rng = np.random.default_rng(2)
    frame = THEIRS.to_frame().set_axis([IMAGE, COLOUR, SCRIPT], axis=1)
    frame[SCRIPT] = rng.choice([*TRICKS, VERY_LONG, "value 1"], len(frame))
    frame[FORMULA] = "x"
    app = offered(frame, f"{IMAGE}.csv")
    assert "the sensitive attribute? Choose it above" in fine(app).info[0].value
    for mine, theirs in (("age", IMAGE), ("sex (", COLOUR), ("diagnosis", SCRIPT)):
        app = choose(app, mine, theirs)
        assert not MARKUP.search("".join(marked_texts(app)))
    fine(press(app, "Use this file"))
    assert source(app) == "published"
    assert not MARKUP.search("".join(marked_texts(app)))
    app = fine(at_section(fine(go(app, ATTACK)), "attack", "One person"))
    assert not MARKUP.search("".join(marked_texts(app)))


def in_other_words() -> dict[str, object]:
    """A file whose column of sexes has no value of mine: nobody of mine fits a class of it."""
    frame = RELEASE.to_frame()
    frame["sex"] = frame["sex"].replace({"f": "Female", "m": "Male", "*": "{Female, Male}"})
    return {"origin": "published", "upload": upload_of(known(Table.from_frame(frame)))}


@pytest.mark.parametrize("page", [HOSPITALS, ATTACK, "pages/hold/page.py", "pages/review/page.py"])
def test_a_file_that_locates_nobody_is_doubted_on_every_page(page: str) -> None:
    said = "Almost none of my records match a class of the file of hospital 2 (*theirs\\.csv*)"
    app = opened(page, [in_other_words(), PUBLISHED])
    assert [warning.value.split(", so it rules")[0] for warning in app.warning if "Almost none" in warning.value] == [
        said
    ]
    assert texts(app).count(":material/warning: **") == 1, "the share of the status bar"
    assert not opened(page, [PUBLISHED, PUBLISHED]).warning


def test_limits_are_not_kept_against_a_file_that_locates_nobody() -> None:
    limits = {"k": 2, "one_value_left_correct": 0.9}
    app = opened("pages/review/page.py", [in_other_words()], requirements=limits)
    assert "**Met" not in texts(app)
    assert "**Open**: no limit is broken. But almost none of my records match a class" in texts(app)
    assert "**Met" in texts(opened("pages/review/page.py", [PUBLISHED], requirements=limits))


# --- other choices -------------------------------------------------------------------------------


def test_changing_the_schema_lets_go_of_files_that_do_not_fit(small: Session) -> None:
    study_of([PUBLISHED, CENTROIDS, {"attributes": ("age",)}, {}])
    wanted = session.scenario()
    session.change_schema(SCHEMA.with_(quasi_identifiers=["sex"], other=["age"]))
    assert [hospital.origin for hospital in session.hospitals()] == ["simulated", *["resampled"] * 4]
    assert not session.files()
    session.change_schema(SCHEMA)
    session.adopt(wanted)
    assert session.scenario() == wanted, "the files are gone, the choices can be set again"


# --- hospitals without a file --------------------------------------------------------------------


def test_one_hospital_can_be_set_alone(bare: Session) -> None:
    session.put("releases", 4)
    session.set_own(2, "k", 12)
    session.set_own(3, "same_value_rate", 0.4)
    assert [hospital.policy.k for hospital in session.hospitals()] == [5, 5, 12, 5]
    assert [hospital.same_value_rate for hospital in session.hospitals()] == [1.0, 1.0, 1.0, 0.4]
    session.put("their_k", 9)
    assert [hospital.policy.k for hospital in session.hospitals()] == [5, 9, 9, 9], "the slider sets them all"


def test_a_k_of_its_own_is_not_linked_to_mine() -> None:
    app = loaded(*small_table(), HOSPITALS)
    next(box for box in app.number_input if box.label == "People per class (k)").set_value(7).run()
    assert choice_of(app, "own")[1]["k"] == 7
    assert choice_of(app, "linked") is False


def test_columns_that_a_scenario_file_gives_one_hospital_are_shown() -> None:
    app = loaded(*small_table(), HOSPITALS, own={1: {"attributes": ("age",)}})
    assert "It publishes of the quasi-identifiers: age." in texts(app)


# --- my own earlier releases ---------------------------------------------------------------------


WITH_IDS = Table.from_frame(MINE.to_frame().assign(id=[f"p{i}" for i in range(400)]))
LINKED = SCHEMA.with_(identifiers=("id",))
FIRST = partition(encode(WITH_IDS, LINKED), Policy(6))
COPY = read_table(csv_bytes(FIRST.publish(key=WITH_IDS.column("id"))))
PAIRS = tuple((name, name) for name in (*LINKED.quasi_identifiers, LINKED.sensitive, "id"))
EARLIER = Upload(COPY.content_id, PAIRS, name="first.csv", own=True)


def with_an_earlier_release(
    page: str, table: Table = WITH_IDS, schema: Schema = LINKED, used: Upload | None = EARLIER
) -> AppTest:
    own = {} if used is None else {1: {"origin": "published", "upload": used}}
    files = [] if used is None else [COPY]
    return loaded(table, schema, page, files=files, overlap=400, repeats=1, releases=2, own=own)


def test_an_earlier_release_in_use_is_named_with_who_is_in_both() -> None:
    app = with_an_earlier_release(HOSPITALS)
    assert not app.error
    said = texts(app)
    assert "400 of these people are in my table" in said
    assert "Nobody here knows who is in it" not in said
    set_section(app, "attack", "Who attacks?")
    ways = next(frame.value for frame in app.run().dataframe if "Fit no class" in frame.value)
    assert all("100" in share for share in ways["Own class among those found"])
    set_section(app, "attack", "Other hospitals")
    next(button for button in app.run().button if button.label == "Forget this file").click().run()
    assert choice_of(app, "own")[1] == {}


def test_every_page_that_attacks_takes_it() -> None:
    for page in ("attack", "hold", "noise", "review"):
        assert not with_an_earlier_release(f"pages/{page}/page.py").error


@pytest.fixture
def my_table(bare: Session) -> Session:
    begin_with(bare, WITH_IDS, LINKED)
    return bare


def test_everybody_in_both_counts_once_it_is_used(my_table: Session) -> None:
    my_table["left for buttons"] = {"x": (1, EARLIER, COPY, None)}
    their_upload._use("x")
    assert (session.get("releases"), session.get("overlap")) == (2, 400)
    together = anonymity_set(attack_results.outcome().result)
    real = anonymity_set(intersection_attack([release_results.my_release().release, FIRST], [np.arange(400)] * 2))
    assert together is not None
    assert real is not None
    assert together.exact
    assert sorted(together.low) == sorted(real.low)


def test_a_private_copy_is_loaded_like_any_release_and_the_register_knows_it() -> None:
    """Its identifier is proposed; a column that is no quasi-identifier any more distinguishes classes."""
    entry = publication_of(FIRST, date(2026, 1, 31), key="id")
    app = loaded(
        WITH_IDS,
        LINKED.with_(quasi_identifiers=("sex",), other=("age",)),
        HOSPITALS,
        state={"publications:register": Register().add(entry, ["A"])},
        overlap=30,
        repeats=1,
        releases=2,
    )
    app = hand_in(choose(app, SOURCE, "published").file_uploader[0], "first.csv", COPY.to_frame())
    assert "It is publication 1 (release of 2026-01-31) of the publication register" in texts(fine(app))
    assert next(box for box in app.selectbox if box.label.startswith("id (identifier)")).value == "id"
    assert "400 of these people are in my table" in texts(app)
    app = fine(press(app, "Use this file"))
    used = choice_of(app, "own")[1]["upload"]
    assert (used.own, used.further, choice_of(app, "overlap")) == (True, ("age",), 400)
    app = fine(press(app, "Match its columns again"))
    keyed = next(toggle for toggle in app.toggle if "identifies the person" in toggle.label)
    assert "id (identifier)" not in [box.label for box in keyed.set_value(False).run().selectbox]


# --- tables of counts ----------------------------------------------------------------------------


def counted(wide: bool = False) -> pd.DataFrame:
    """Counts of their people by sex and diagnosis, those below 10 masked, those of nobody left out."""
    frame = THEIRS.to_frame()
    if wide:
        return pd.crosstab(frame["sex"], frame["diagnosis"]).astype(str).reset_index()
    counts = frame.groupby(["sex", "diagnosis"]).size()
    return counts.astype(str).mask(counts < 10, "*").rename("patients").reset_index()[1:]


def answer(app: AppTest, question: str, value: str) -> AppTest:
    return next(radio for radio in app.radio if question in radio.label).set_value(value).run()


def test_a_table_of_counts_is_loaded_once_everything_that_is_open_was_answered() -> None:
    frame = counted()
    masked = bool((frame["patients"] == "*").any())
    app = offered(frame)
    app = fine(next(toggle for toggle in app.toggle if "table of counts" in toggle.label).set_value(True).run())
    assert "Use this file" not in [button.label for button in app.button]
    if masked:
        app = answer(app, "marks such as *", "masked")
    app = fine(answer(app, "not in their table", "zero"))
    assert "missing combination is read as no one, as you said" in texts(app)
    app = fine(press(app, "Use this file"))
    assert "a table of counts of about" in texts(app)
    upload = choice_of(app, "own")[1]["upload"]
    assert upload.counts == f"absent=zero, {'mark=masked, ' * masked}totals=several"
    assert upload.count == "patients"
    fine(go(app, ATTACK))


def test_a_wide_table_of_counts_is_seen_to_be_one_and_nothing_is_asked_about_it() -> None:
    app = fine(press(fine(offered(counted(wide=True))), "Use this file"))
    assert choice_of(app, "own")[1]["upload"].counts == "totals=several"
    fine(press(app, "Match its columns again"))


def test_what_was_in_use_stays_if_a_table_of_counts_is_refused() -> None:
    app = offered(counted(wide=True).assign(sex="f"))
    assert "occur together in two rows" in app.error[0].value
    assert source(app) == "simulated"
    app = fine(press(opened(HOSPITALS, [PUBLISHED]), "Match its columns again"))
    app = fine(next(toggle for toggle in app.toggle if "table of counts" in toggle.label).set_value(True).run())
    assert "None of their columns holds only counts and marks" in texts(app)
    assert choice_of(app, "own")[1]["upload"] == PUBLISHED["upload"]

"""The Review page: verdict, search and report are core's, and what was written for one setting is not another's."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import math
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Scenario, Schema, Table, dp
from core.algorithms import partition
from core.attack.anonymity_set import anonymity_set
from core.attack.risk.reidentification_risk import ReidentificationRisk
from core.attack.updates import Left, Update
from core.base import wording
from core.base.metrics import METRICS, requirable
from core.base.wording import percent
from core.data.encoding.encoded import encode
from core.decision.review import Assessment, Case, Judgement, assess, doubts, judge, present_values
from core.decision.scenario.questions import Plausible
from core.decision.scenario.requirements import Requirements
from core.report import Decision, Known, Meeting, assumptions, build
from core.report.card import card
from core.report.cases import case_rows
from core.report.rounding import Scale
from core.study.one_run import run_study
from pages.noise import numbers
from pages.review import baseline, decision, documents, verdict
from pages.shared.compute import assessment
from pages.shared.state import noise_downloads, session
from tests.hostile import TRICK
from tests.pages.drive import (
    MY_ALGORITHM,
    Session,
    choice_of,
    in_place_of_streamlit,
    loaded,
    press,
    results_of,
    set_choice,
    set_section,
    start,
    usual,
)
from tests.tables import small_table

PAGE = "pages/review/page.py"
TABLE, SCHEMA = small_table()


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    with in_place_of_streamlit(Session()) as state:
        start(state)
        for name, value in (("overlap", 60), ("my_k", 4), ("their_k", 4)):
            session.put(name, value)
        return session.scenario()


@pytest.fixture(scope="module")
def found(scenario: Scenario) -> Assessment:
    return assess(Case(encode(TABLE, SCHEMA), scenario))


def at(section: str, **choices: Any) -> AppTest:
    app = loaded(*small_table(), PAGE)
    for name, value in choices.items():
        set_choice(app, name, value)
    set_section(app, "review", section)
    return app.run()


def text(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.error, app.warning)
    return "\n".join(str(item.value) for kind in kinds for item in kind)


def judged(found: Assessment, frame: pd.DataFrame | None = None, **limits: float) -> Judgement:
    scenario = found.scenario.with_(requirements=Requirements(**limits))
    return judge(dataclasses.replace(found, scenario=scenario), frame)


def result_of(app: AppTest, kind: str) -> Any:
    """The one result of a kind that the session remembers."""
    assert not app.error
    (key,) = [key for key in results_of(app) if key[1] == kind]
    return results_of(app)[key].value


# ---- verdict -----------------------------------------------------------------------------------


def test_the_verdict_is_core_s(found: Assessment) -> None:
    limits = {"k": 4.0, "one_value_left": 0.0, "m": 1.0}
    app = at("Each limit", requirements=limits)
    shown = app.table[0].value.set_index("Number")
    for check in judged(found, **limits).checks:
        row = shown.loc[f"**{wording.metric_name(check.metric)}**"]
        assert verdict.VERDICTS[check.verdict] in row["Verdict"]
        if check.number is not None:
            assert wording.metric_value(check.metric, check.number.value) in row["Found"]
    assert "breaks 1 of 3 limits" in text(app)
    assert verdict.ALONE in text(app)


def test_sentences_of_the_verdict(found: Assessment) -> None:
    number = found.numbers["weighted"]
    assert number.high is not None
    average = (number.value + number.high) / 2
    for limits, words_of in (
        ({}, "no verdict yet"),
        ({"k": 1}, "**Met**: the present setting keeps the one limit."),
        ({"k": 1, "m": 2}, "**Open**"),
        ({"k": 300, "m": 2}, "**Not met**"),
        ({"weighted": average}, "**Met on average only**"),
        ({"weighted": average}, f"up to {wording.metric_value('weighted', number.high)}"),
        ({"weighted": number.high}, "**Met**"),
    ):
        assert words_of in verdict.sentence(found, judged(found, **limits), 0)
    assert "**Met as assumed**" in verdict.sentence(found, judged(found, k=1), 2), "nothing was tried yet"
    frame = doubts(Case(encode(TABLE, SCHEMA), found.scenario))
    conditional = judged(found, frame, weighted=number.value)
    case = conditional.checks[0].breaking[0]
    said = verdict.sentence(found, conditional, 0)
    assert " under your assumptions, not if " in said
    value = wording.setting_text(case.assumption, case.value)
    assert value in said
    worst = verdict.worst(conditional.checks[0])
    assert f"*{wording.ASSUMPTIONS[case.assumption]}*: {value}" in worst
    assert wording.people(case.number.value * case.number.n) in worst


def test_a_condition_is_there_once_the_cases_were_tried_and_goes_with_its_range(found: Assessment) -> None:
    frame = doubts(Case(encode(TABLE, SCHEMA), found.scenario))
    limit = found.numbers["one_value_left"].value
    app = at("Each limit", requirements={"one_value_left": limit})
    assert " under your assumptions, not if " in text(app)
    assert not results_missing(app)
    (chart,) = app.get("vega_lite_chart")[:1]
    assert "A row per plausible case" in chart.proto.alt
    now = present_values(found.scenario)
    narrow = {name.replace(" ", "_"): (value, value) for name, value in now.items()}
    set_choice(app, "plausible", Plausible(**narrow))
    app.run()
    assert "under your assumptions, not if" not in text(app), "no case is plausible any more"
    assert len(frame)


@pytest.mark.parametrize(("end", "value"), [("to", 25.0), ("from", 2.0), ("from", 3.0)])
def test_an_end_of_a_plausible_range_is_set_and_taken_back(end: str, value: float) -> None:
    app = at("Each limit", requirements={"one_value_left": 1.0})
    app.session_state["review:plausible"] = True
    app.run()
    label = f"{wording.ASSUMPTIONS['their k']}, {end}"
    box = next(box for box in app.number_input if box.label == label)
    assert (box.min, box.max)[end == "from"] == 4, "what is assumed stays in the range"
    box.set_value(int(value)).run()
    low, high = choice_of(app, "plausible").their_k
    assert (low if end == "from" else high) == value
    press(app, "As proposed")
    assert choice_of(app, "plausible") == Plausible()


def results_missing(app: AppTest) -> bool:
    """Whether the page still says that cases are to be tried."""
    return "is being tried" in text(app)


# ---- the report ----------------------------------------------------------------------------------


def test_the_documents_are_core_s_and_made_together(scenario: Scenario) -> None:
    limits = {"k": 4.0, "one_value_left": 0.3}
    written = {"what": "Publish", "who": "The board", "when": datetime.date(2026, 3, 1), "why": TRICK}
    app = at("Decision and report", requirements=limits, decision=written)
    assert next(b for b in app.button if b.label == "Record the decision").disabled
    assert "acceptance of the assumptions" in text(app)
    next(box for box in app.checkbox if box.label.startswith("We accept these")).check().run()
    press(app, "Record the decision")
    assert "The decision is recorded for this setting" in text(app), "on the card"
    left = Left(*(np.array([1, 1]),) * 3)
    # A comparison that was made with other settings stays out of the documents.
    app.session_state["update compared"] = ("another setting",), Update("all", left, left, left), None
    made = result_of(press(app, "Write the documents"), "documents")
    wanted = scenario.with_(requirements=Requirements(**limits))
    keys = tuple(one.key for one in assumptions(wanted))
    recorded = Decision("Publish", "The board", "2026-03-01", TRICK, keys, until="2027-03-01")
    case = Case(encode(TABLE, SCHEMA), wanted)
    known = Known(assess(case), doubts(case))
    for strength, document in (("internal", made.internal_numbers), ("external", made.external_numbers)):
        expected = build(case, Meeting(decision=recorded), strength=strength, known=known)
        written_down = json.loads(document)
        assert sum(row["mine"] for row in written_down["settings_tried"]["rows"]) == 1
        assert written_down | {"settings_tried": None} == json.loads(expected.to_json())
    assert json.loads(made.evidence)["decided"] == "2026-03-01"
    set_choice(app, "my_k", 9)
    app.run()
    assert "Write them again" in text(app), "what was written is of another setting"
    assert "recorded, but for another setting" in text(app)
    assert "The decision is recorded" not in text(app)


def test_no_decision_is_recorded_while_columns_are_left_out_by_default(
    started: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not [each for each in decision.lacking() if "will be published" in each]
    monkeypatch.setattr(session.Workspace, "undecided", ("ward", "bed"))
    assert "an answer on *Data*: whether 2 columns will be published" in decision.lacking()


def test_what_is_not_recorded_is_not_in_the_report(started: Session) -> None:
    whole = {
        "what": "Publish",
        "who": "The board",
        "when": datetime.date(2026, 3, 1),
        "accepted": tuple((one.key, one.sentence) for one in decision.assumed()),
    }
    for name, value in whole.items():
        decision.put(name, value)
    assert decision.decision().empty, "nobody has recorded it yet"
    decision.put("recorded", decision._of_what())
    assert decision.decision().what == "Publish"
    for left, value in whole.items():
        decision.put(left, value[1:] if left == "accepted" else None)
        assert len(decision.lacking()) == 1
        assert decision.decision().empty
        decision.put(left, value)
    assert decision.is_recorded()
    decision.put("why", "something else")
    assert decision.decision().empty, "other words are another decision"
    decision.put("recorded", decision._of_what())
    session.load(TABLE, SCHEMA, "again")
    assert decision.decision().empty, "it is of its table"


def test_limits_begin_above_guessing(found: Assessment) -> None:
    guess = baseline.guessing(found)
    assert 0 < guess < 1
    for name in requirable():
        begin = baseline.start(name, found)
        assert begin >= baseline.least(name, found)
        assert METRICS[name].unit != "share" or begin <= 1
        if baseline.least(name, found) > METRICS[name].start:
            assert baseline.least(name, found) + 0.04 <= begin <= baseline.least(name, found) + 0.1001
    for confidence, least in ((0.05, guess), (1.0, 0)):
        other = dataclasses.replace(found, scenario=found.scenario.with_(confidence=confidence))
        assert baseline.least("weighted_correct", other) == least
    assert "No release can meet this limit" in text(at("Each limit", requirements={"weighted_hit": 0.01}))


@pytest.mark.parametrize("frame", [pd.DataFrame(), pd.DataFrame({"guess_one": [math.nan]})])
def test_without_a_share_that_guesses_right_a_limit_may_be_anything(found: Assessment, frame: pd.DataFrame) -> None:
    assert baseline.least("hit", dataclasses.replace(found, exposure=frame)) == 0


def test_what_it_means_is_the_report_s(found: Assessment) -> None:
    app = at("What it means")
    frame = doubts(Case(encode(TABLE, SCHEMA), found.scenario))
    rows = case_rows(found, judged(found, frame), frame, Scale())
    texts = card(found, assumptions(found.scenario), {}, frame, rows, Scale())
    shown = text(app).replace("\\", "")
    for sentence in (texts["exposed"], texts["baseline"], texts["cost"], texts["untried"], *texts["depends_on"]):
        assert sentence in shown


def test_an_accepted_assumption_is_not_accepted_in_other_words(started: Session) -> None:
    first = decision.assumed()
    decision.put("accepted", tuple((one.key, one.sentence) for one in first))
    assert decision.accepted() == tuple(one.key for one in first)
    session.put("overlap", 33)
    assert "overlap" not in decision.accepted()
    assert "known" in decision.accepted()


def test_without_what_draws_its_charts_no_report_is_written_and_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    app = press(at("Decision and report"), "Write the documents")
    assert "with its extra 'pictures'" in app.error[0].value


def test_a_short_salt_is_refused_by_a_sentence() -> None:
    app = at("Decision and report", decision={"salt": "short"})
    press(app, "Write the documents")
    assert "at least" in app.error[0].value
    app.session_state["review:digests"] = True
    press(app.run(), "Make a salt")
    assert len(choice_of(app, "decision")["salt"]) >= 12


def test_what_outsiders_get_names_no_value() -> None:
    app = loaded(*small_table(diagnosis="secretvalue"), PAGE)
    set_choice(app, "my_k", 5)
    set_choice(app, "requirements", {"one_value_left": 0.3})
    set_section(app, "review", "Decision and report")
    next(box for box in app.run().text_input if box.label == "Whose limits").set_value(TRICK).run()
    made = result_of(press(app, "Write the documents"), "documents").external
    assert made.count("(this release)") == 1
    for text_of in ("secretvalue", "<script>alert"):
        assert text_of not in made


def test_the_words_of_a_decision_travel_in_the_scenario_file(started: Session) -> None:
    put = {
        "question": "May we?",
        "what": "Publish",
        "who": "The board",
        "when": datetime.date(2026, 3, 1),
        "why": TRICK,
    }
    for name, value in put.items():
        decision.put(name, value)
    decision.put("accepted", tuple((one.key, one.sentence) for one in decision.assumed()))
    decision.put("recorded", decision._of_what())
    file = session.scenario().with_(decision=decision.words()).to_json()
    session.put("decision", {})
    decision.take(Scenario.from_json(file).decision)
    assert {name: decision.field(name) for name in put} == put
    assert decision.is_recorded()
    session.put("decision", {})
    session.put("overlap", 33)
    decision.take(Scenario.from_json(file).decision)
    assert not decision.is_recorded(), "another setting was decided"


def test_noisy_downloads_are_named_by_their_digest(started: Session) -> None:
    counted = dp.contingency_table(
        TABLE, SCHEMA, {"sex": dp.Declared("values", values=("f", "m"))}, dp.Declared("values", values=("flu",))
    )
    drawn = dp.publish(counted, dp.mechanism("laplace", 0.5, 0.0))
    for _ in range(2):
        numbers.downloaded(drawn)
    (entry,) = noise_downloads.downloads()
    assert (entry.digest, entry.epsilon) == (hashlib.sha256(drawn.package()).hexdigest(), 0.5)
    session.load(small_table(300)[0], SCHEMA, "another")
    assert not noise_downloads.downloads()


# ---- odd tables, hostile names ---------------------------------------------------------------------


def test_the_files_of_a_report_are_told_apart_by_table_and_date_inside_the_house_alone(started: Session) -> None:
    session.load(TABLE, SCHEMA, "visits, 2025 (north).csv")
    decision.put("when", datetime.date(2026, 3, 1))
    assert documents.file_name("internal") == "report_internal_visits_2025_north_csv_2026-03-01"
    assert documents.file_name("external") == "report_external_2026-03-01"


def test_limits_are_this_tool_s_where_they_are_its_defaults_and_nobody_is_named(started: Session) -> None:
    session.put("requirements", baseline.defaults(assessment.assessed()))
    assert decision.limits_by() == decision.OURS
    session.put("requirements", {**session.get("requirements"), "k": 7.0})
    assert decision.limits_by() == ""
    decision.put("limits_by", "The board")
    assert decision.limits_by() == "The board"


# --- risk of being found -------------------------------------------------------------------------


def risks(table: Table, schema: Schema, **choices: object) -> AppTest:
    app = loaded(table, schema, PAGE, my_k=5, their_k=5, overlap=60, **choices)
    set_section(app, "review", "Re-identification risk")
    return app.run()


def sheet(app: AppTest, column: str) -> pd.DataFrame:
    whole = next(table.value for table in app.table if column in table.value.columns)
    return whole.set_index(whole.columns[0])


def test_the_sheet_is_what_core_computes() -> None:
    table, schema = small_table()
    release = partition(encode(table, schema), Policy(5), MY_ALGORITHM)
    mine = sheet(risks(table, schema), "My release, everyone in it")["My release, everyone in it"]
    smallest = int(release.sizes.min())
    assert percent(1 / smallest) in mine["**Highest risk (prosecutor)**"]
    assert f"an anonymity set of {smallest}" in mine["**Highest risk (prosecutor)**"]
    assert mine["**Average risk (marketer)**"] == percent(len(release.sizes) / len(table))
    assert ", over the limit" in mine["**Highest risk (prosecutor)**"], "5 people are fewer than 11"


def test_composition_is_told_as_core_counts_it() -> None:
    table, schema = small_table()
    app = risks(table, schema)
    found = anonymity_set(run_study(encode(table, schema), usual(Policy(5), 60), 0).result)
    assert found is not None
    after = ReidentificationRisk.of(found.low, found.weight, found.inside)
    last = sheet(app, "My release, everyone in it")["Shared people, all releases together"]
    assert last["**Average risk (marketer)**"] == percent(after.average)
    assert last["**Alone (singled out)**"] == percent(after.singled_out)
    assert percent(after.highest) in last["**Highest risk (prosecutor)**"]
    assert list(sheet(app, "Means").index) == ["**Singling out**", "**Linkability**", "**Inference**"]

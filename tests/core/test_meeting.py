"""The file of a meeting: core's numbers, told as the external report tells them; it names and fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import Policy, Scenario, Schema, Table
from core.base.metrics import MET, NOT_MET
from core.data.encoding.encoded import encode
from core.decision.review import Case, assess, doubts, judge
from core.decision.scenario.requirements import Requirements
from core.report import Answers, answers, exposure_of, meeting_file
from core.report.answers import deciding
from core.report.assumption import assumptions, by_subject
from core.report.meeting import frontier, what_if
from core.report.rounding import SMALL, Coarse, step_of
from core.study.hospitals import Hospital
from core.study.redraws import Redraws
from core.study.sweep import sweep
from tests.hostile import HOSTILE
from tests.parsed import Parsed

OVERLAP = 200
POINTS = [
    {"label": "k = 5", "loss": 0.2, "exposure": 0.3, "mine": True},
    {"label": "k = 10", "loss": 0.31, "exposure": 0.004, "mine": False},
]


def token(kind: str, number: int) -> str:
    return kind + hashlib.sha256(f"{kind}{number}".encode()).hexdigest()[:9]


COLUMNS = [token("column", number) for number in range(3)]
VALUES = [token(kind, number) for kind in ("place", "illness") for number in range(8)]


def made(**changes: Any) -> Case:
    """A table whose names occur nowhere else."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            COLUMNS[0]: rng.integers(7_000_019, 7_000_060, 1000).astype(str),
            COLUMNS[1]: rng.choice(VALUES[:8], 1000),
            COLUMNS[2]: rng.choice(VALUES[8:], 1000),
        }
    )
    table, schema = Table.from_frame(frame), Schema(COLUMNS[:2], COLUMNS[2])
    given = {
        "schema": schema,
        "hospitals": (Hospital(Policy(5)), Hospital(Policy(5), origin="resampled")),
        "overlap": OVERLAP,
        "confidence": 1.0,
        "data_id": table.content_id,
        "data_name": token("data", 0),
        "repeats": 10,
        "requirements": Requirements(k=5, one_value_left=0.01, loss=0.9),
        **changes,
    }
    return Case(encode(table, schema), Scenario(**given))


@pytest.fixture(scope="module")
def case() -> Case:
    return made()


@pytest.fixture(scope="module")
def known(case: Case) -> Answers:
    found = assess(case)
    return answers(case, found, judge(found))


@pytest.fixture(scope="module")
def page(case: Case, known: Answers) -> str:
    found = assess(case)
    return meeting_file(case, found, known, POINTS, HOSTILE[8], HOSTILE[7])


# ---- the answers that the sliders look up ------------------------------------------------------


def test_every_answer_is_that_of_a_sweep_with_the_same_redraws(case: Case, known: Answers) -> None:
    overlap, same_value_rate, releases = known.axes
    assert [axis.name for axis in known.axes] == ["overlap", "same_value_rate", "releases"]
    assert len(known.numbers) == len(overlap.values) * len(same_value_rate.values) * len(releases.values)
    study = case.study
    others = Hospital(Policy(5), origin="resampled", same_value_rate=same_value_rate.values[0])
    changed = type(study)((study.hospitals[0], others), overlap.values[-1])
    row = sweep(case.encoded, changed, "releases", [3], Redraws(10, 0, (1.0,))).iloc[0]
    number = known.numbers[len(overlap.values) - 1, 0, releases.values.index(3)]
    assert (number.value, number.low, number.high) == (row["share"], row["low"], row["high"])


def test_the_present_setting_has_the_number_of_the_verdict(case: Case, known: Answers) -> None:
    assert known.metric == "one_value_left"
    assert known.numbers[tuple(axis.present for axis in known.axes)] == assess(case).numbers["one_value_left"]
    assert [axis.values[axis.present] for axis in known.axes] == [OVERLAP, 1.0, 2]


def test_tasks_may_be_done_elsewhere() -> None:
    case, done = made(repeats=1), list[Any]()
    found = assess(case)
    known = answers(case, found, judge(found))
    other = answers(case, found, judge(found), lambda tasks: done.extend(tasks) or [task(None) for task in tasks])
    assert other.numbers == known.numbers
    assert len(done) == len(known.axes[0].values) * len(known.axes[1].values)


@pytest.mark.parametrize(
    ("limits", "metric", "exposure"),
    [
        (Requirements(k=5, one_value_left=0.01, loss=0.9), "one_value_left", "one_value_left"),
        (Requirements(k=500, one_value_left=0.9), "k", "one_value_left"),
        (Requirements(k=2, breach=1.0), "breach", "breach"),
        (Requirements(k=2, dp_ceiling=0.1), "dp_ceiling", "breach"),
        (Requirements(), "", "breach"),
    ],
)
def test_the_gravest_limit_decides_and_of_equal_ones_an_exposure(
    limits: Requirements, metric: str, exposure: str
) -> None:
    judged = judge(assess(made(requirements=limits, repeats=1)))
    assert (deciding(judged), exposure_of(judged)) == (metric, exposure)


# ---- what is told ----------------------------------------------------------------------------------


def test_shares_are_told_in_steps_and_small_groups_are_not(known: Answers) -> None:
    told = what_if(known, 1.0, {"one_value_left": 0.1}, Coarse())
    cells = json.loads(told["json"])["cells"]
    assert len(cells) == len(known.numbers)
    for cell, at in zip(cells, known.numbers, strict=True):
        number = known.numbers[at]
        step = step_of(number.n)
        whole = re.match(r"(\d+)", cell["text"])
        assert cell["text"].startswith(("under", "over")) or (whole and int(whole[1]) % round(100 * step) == 0)
        assert cell["kind"] == {MET: "met", NOT_MET: "broken"}.get(number.verdict("one_value_left", 0.1), "open")


def test_few_people_are_hidden() -> None:
    few = made(overlap=7, repeats=1)
    found = assess(few)
    text = meeting_file(few, found, answers(few, found, judge(found)), POINTS)
    told = json.loads(text.split('id="answers">')[1].split("</script>")[0])
    assert f"< {SMALL}" in told["values"][0]
    assert {cell["share"] for cell in told["cells"] if cell["text"] == "hidden: too few people"} == {None}


def test_settings_are_drawn_where_they_are_told(case: Case) -> None:
    told = frontier(POINTS, assess(case), "one_value_left", Coarse())
    mine, other = told["points"]
    assert mine["mine"]
    assert mine["x"] < other["x"]
    assert mine["y"] > told["limit"], "above the limit"
    assert other["exposure"].startswith("under")


def test_it_names_nothing_but_what_was_typed(case: Case, page: str) -> None:
    told = page.lower()
    scenario = case.scenario
    for text in (*COLUMNS, *VALUES, scenario.data_name, scenario.data_id, "70000"):
        assert text.lower() not in told
    assert "the program has not checked it" in page


def test_it_fetches_nothing_and_runs_its_own_script_alone(page: str) -> None:
    document = Parsed(page)
    names = {name for _, name, _ in document.attributes}
    assert not names & {"src", "href", "action", "style"}
    assert not [name for name in names if name.startswith("on")]
    assert not document.tags & {"img", "iframe", "link", "form", "a", "object"}
    policy = next(value for tag, _, value in document.attributes if tag == "meta" and "default-src" in value)
    script = page.rsplit("<script>", 1)[1].split("</script>", maxsplit=1)[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.split("; ")[0] == "default-src 'none'"
    assert f"script-src 'sha256-{digest}'" in policy
    assert page.count("<script") == 2, "the answers and the script"


def test_it_says_what_the_verdict_hangs_on_and_everything_that_is_assumed(
    case: Case, known: Answers, page: str
) -> None:
    stated = by_subject(assumptions(case.scenario, case.files, lambda people: Coarse().people(people).text))
    assert len(stated) > 5
    assert [sentence for sentence in stated.values() if sentence not in html.unescape(page)] == []
    wide = made(requirements=Requirements(k=5, one_value_left=0.99))
    found, tried = assess(wide), doubts(wide)
    written = meeting_file(wide, found, known, POINTS, doubts=tried)
    assert "other assumptions that were tried" in written or "if the assumptions are wrong" in written

"""One number for one quantity: every page, the report and the command line state the same exposure and loss."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import report
from core.algorithms import partition
from core.cli.program import main
from core.data.encoding.encoded import encode
from core.data.schemas.schema import Schema
from core.decision.review import Case, assess
from core.decision.scenario.scenario import Scenario
from core.privacy.policy import Policy
from core.release.utility import gcp
from core.study.redraw_numbers import JOINT, PART
from core.study.redraws import Redraws
from core.study.sweep import sweep
from pages.shared.ui.text import interval, percent
from tests.pages.drive import MY_ALGORITHM, go, loaded, page_of, texts, usual
from tests.tables import small_table

CONFIDENCE = 0.25


class Known:
    """What core states for the setting that every page is opened with."""

    def __init__(self) -> None:
        self.table, self.schema = small_table()
        self.encoded = encode(self.table, self.schema)
        self.study = usual(Policy(4), 60)
        self.frame = sweep(
            self.encoded, self.study, "releases", [2], Redraws(10, 0, confidences=(1.0, 0.5, 0.25))
        ).set_index("confidence")
        self.exposed = percent(self.frame.loc[CONFIDENCE, "share"])
        self.weighted = percent(self.frame.loc[CONFIDENCE, "weighted"])
        self.one_value_left = percent(self.frame.loc[1.0, "share"])
        self.span = interval(self.frame.loc[CONFIDENCE, "low"], self.frame.loc[CONFIDENCE, "high"])
        self.loss = percent(gcp(partition(self.encoded, Policy(4), MY_ALGORITHM)))

    def page(self, name: str, **choices: object) -> AppTest:
        return loaded(self.table, self.schema, page_of(name), **choices)


def test_the_number_is_of_any_protected_column_on_every_page() -> None:
    table, roles = small_table()
    schema = Schema([roles.quasi_identifiers[0]], [roles.sensitive, "sex"], unassigned="drop")
    frame = sweep(encode(table, schema), usual(Policy(4), 60), "releases", [2], Redraws(10, 0, confidences=(1.0,)))
    row = frame.iloc[0]
    parts = [row[f"{PART}{place}"] for place in (0, 1)]
    assert row[f"{PART}{JOINT}"] < max(parts) <= row["share"]
    settings = {"my_k": 4, "their_k": 4, "overlap": 60, "repeats": 10, "confidence": 1.0}
    app = loaded(table, schema, page_of("attack"), **settings)
    assert f"One value left by column: {roles.sensitive} {percent(parts[0])}, sex {percent(parts[1])}" in texts(app)
    for page in ("attack", "release", "review"):
        assert any(text.value.startswith(f"**{percent(row['share'])}**, ") for text in go(app, page_of(page)).markdown)


@pytest.fixture(scope="module")
def known() -> Known:
    return Known()


@pytest.mark.parametrize("page", ["overview", "release", "attack#Other hospitals", "attack", "noise", "review"])
def test_the_status_bar_says_on_every_page_what_core_says(known: Known, page: str) -> None:
    app = known.page(page)
    shown = [item.value for item in app.markdown]
    assert any(text.startswith(f"**{known.one_value_left}**, ") for text in shown)
    assert any(text.startswith(f"**{known.loss}**, ") for text in shown)
    assert not any("≈" in text for text in shown)


def test_review_report_and_command_line(known: Known, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = Scenario(known.schema, known.study.hospitals, overlap=60, data_id=known.table.content_id)
    found = assess(Case(known.encoded, scenario))
    assert percent(found.numbers["breach"].value) == known.exposed
    assert percent(found.numbers["loss"].value) == known.loss
    document = json.loads(report.build(Case(known.encoded, scenario), known=report.Known(found)).to_json())
    assert known.exposed.replace(" ", "\N{NO-BREAK SPACE}") in json.dumps(document, ensure_ascii=False)

    data, saved = tmp_path / "data.csv", tmp_path / "scenario.json"
    known.table.to_frame().to_csv(data, index=False)
    saved.write_text(scenario.with_(data_id="").to_json())
    assert main(["attack", "--data", str(data), "--scenario", str(saved), "--json"]) == 0
    numbers = json.loads(capsys.readouterr().out)["numbers"]
    assert percent(numbers["breach"]["value"]) == known.exposed
    assert percent(numbers["one_value_left"]["value"]) == known.one_value_left

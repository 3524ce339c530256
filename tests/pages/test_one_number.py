"""One number for one quantity: every page, the report and the command line state the same exposure and loss."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Schema, Table, examples, report
from core.algorithms import partition
from core.cli.program import main
from core.data.encoding import encode
from core.decision.review import Case, assess
from core.decision.scenario.scenario import Scenario
from core.privacy.policy import Policy
from core.release.utility import gcp
from core.study.hospitals import Hospital
from core.study.redraws import Redraws
from core.study.sweep import sweep
from pages.attack import effect
from pages.shared.text import interval, percent
from tests.pages.drive import MY_ALGORITHM, loaded, set_section, spaced, texts, usual
from tests.tables import small_table

CONFIDENCE = 0.25


def a_city() -> tuple[Table, Schema]:
    return examples.city(2500, seed=9), examples.city_schema()


DATA = {"the city": a_city, "a synthetic person's table": small_table}


class Known:
    """What core states for the setting that every page is opened with."""

    def __init__(self, name: str) -> None:
        self.table, self.schema = DATA[name]()
        self.encoded = encode(self.table, self.schema)
        self.study = usual(Policy(4), 60)
        self.frame = sweep(
            self.encoded, self.study, "releases", [2], Redraws(10, 0, confidences=(1.0, 0.5, 0.25))
        ).set_index("confidence")
        self.exposed = percent(self.frame.loc[CONFIDENCE, "share"])
        self.weighted = percent(self.frame.loc[CONFIDENCE, "weighted"])
        self.perfect = percent(self.frame.loc[1.0, "share"])
        self.span = interval(self.frame.loc[CONFIDENCE, "low"], self.frame.loc[CONFIDENCE, "high"])
        self.loss = percent(gcp(partition(self.encoded, Policy(4), MY_ALGORITHM)))

    def page(self, name: str, **choices: object) -> AppTest:
        return loaded(self.table, self.schema, f"pages/{name}/page.py", **choices)


@pytest.fixture(scope="module", params=[pytest.param("the city", marks=pytest.mark.long), "a synthetic person's table"])
def known(request: pytest.FixtureRequest) -> Known:
    return Known(request.param)


@pytest.mark.parametrize("page", ["overview", "release", "hospitals", "attack", "noise", "review"])
def test_the_strip_says_on_every_page_what_core_says(known: Known, page: str) -> None:
    app = known.page(page)
    shown = [item.value for item in app.markdown]
    assert any(text.startswith(f"**{known.perfect}**, ") for text in shown)
    assert any(text.startswith(f"**{known.loss}**, ") for text in shown)
    assert not any("≈" in text for text in shown)


def test_the_attack_page(known: Known) -> None:
    app = known.page("attack", confidence=CONFIDENCE)
    assert {metric.label: metric.value for metric in app.metric} == {effect.label(CONFIDENCE): known.exposed}
    assert spaced(known.span) in texts(app)
    assert "if another hospital like yours publishes" in texts(app)
    set_section(app, "attack", "All numbers")
    app.run()
    assert spaced(f"{known.perfect} of 60 shared people") in texts(app)
    assert "if another hospital like mine shares 60 of my patients" in texts(app)
    assert spaced("Between real units whose patients differ it held 81 % instead of 97.7 %") in texts(app)


def test_what_if_now_is_the_headline(known: Known) -> None:
    app = known.page("attack", confidence=CONFIDENCE)
    set_section(app, "attack", "What if I am wrong")
    said = texts(app.run())
    assert spaced(f"the present setting gives {known.exposed} of 60 shared people") in said


def test_noise(known: Known) -> None:
    assert spaced(f"{known.weighted} by partitions") in texts(
        known.page("noise", section="All numbers", confidence=CONFIDENCE)
    )
    app = known.page("attack", confidence=CONFIDENCE)
    set_section(app, "attack", "All numbers")
    assert spaced(f"sure of **{known.weighted}** of them") in texts(app.run())


def test_review_report_and_command_line(known: Known, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = Hospital(Policy(4), MY_ALGORITHM)
    scenario = Scenario(known.schema, known.study.hospitals, overlap=60, data_id=known.table.content_id)
    assert scenario.mine == mine
    found = assess(Case(known.encoded, scenario))
    assert percent(found.numbers["breach"].value) == known.exposed
    assert percent(found.numbers["loss"].value) == known.loss
    told = json.loads(report.build(Case(known.encoded, scenario), known=report.Known(found)).to_json())
    assert known.exposed.replace(" ", "\N{NO-BREAK SPACE}") in json.dumps(told, ensure_ascii=False)

    data, saved = tmp_path / "data.csv", tmp_path / "scenario.json"
    known.table.to_frame().to_csv(data, index=False)
    saved.write_text(scenario.with_(data_id="").to_json())
    assert main(["attack", "--data", str(data), "--scenario", str(saved), "--json"]) == 0
    numbers = json.loads(capsys.readouterr().out)["numbers"]
    assert percent(numbers["breach"]["value"]) == known.exposed
    assert percent(numbers["perfect"]["value"]) == known.perfect


def test_dealing_my_table_out_is_said(known: Known) -> None:
    """The papers' protocol is another world, and says so."""
    app = known.page("attack", own={1: {"source": "simulated"}}, confidence=CONFIDENCE)
    assert "if your table is dealt out" in texts(app)
    said = sweep(
        known.encoded,
        usual(Policy(4), 60, source="simulated"),
        "releases",
        [2],
        Redraws(10, 0, confidences=(CONFIDENCE,)),
    )
    assert isinstance(said, pd.DataFrame)
    assert percent(said["share"][0]) in {metric.value for metric in app.metric}

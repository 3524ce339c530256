"""Columns published as they are, on the command line, in scenarios and in reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import Scenario, UnmodifiedColumn
from core.cli import BAD, MET, main
from core.report.assumption import assumptions
from tests.tables import extract

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "extract.csv"
    extract(600).assign(charge=[str(i) for i in range(600)]).to_csv(path, index=False)
    return path


def arguments(data: Path, *more: str, command: str = "attack") -> list[str]:
    columns = ["--qids", "age,sex", "--sensitive", "diagnosis", "--drop-unassigned", "--missing-tokens", "NA"]
    return [command, "--data", str(data), *columns, "-k", "4", "--overlap", "100", "--json", *more]


def test_the_gate_knows_published_columns_and_a_scenario_keeps_them(
    data: Path, tmp_path: Path, capsys: Captured
) -> None:
    assert main(arguments(data)) == MET
    alone = json.loads(capsys.readouterr().out)["numbers"]["one_value_left"]["value"]
    scenario = tmp_path / "scenario.json"
    options = [
        "--unmodified",
        "stay,charge",
        "--diverse",
        "stay",
        "--l",
        "2",
        "--unmodified-same-value-rate",
        "stay=0.9",
        "--round",
        "charge=100",
    ]
    assert main(arguments(data, *options, "--save-scenario", str(scenario))) == MET
    linked = json.loads(capsys.readouterr().out)["numbers"]["one_value_left"]["value"]
    assert linked > alone
    kept = Scenario.from_json(scenario.read_text(encoding="utf-8"))
    stay, charge = UnmodifiedColumn("stay", same_value_rate=0.9, diverse=True), UnmodifiedColumn("charge", rounded=100)
    assert kept.schema.unmodified == {"stay": stay, "charge": charge}
    assert main(["attack", "--data", str(data), "--scenario", str(scenario), "--json"]) == MET
    assert json.loads(capsys.readouterr().out)["numbers"]["one_value_left"]["value"] == linked
    sentence = next(each.sentence for each in assumptions(kept) if each.key == "published")
    assert "2 other columns as they are" in sentence
    assert "stay" not in sentence  # an external report names no column


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--unmodified", "stay", "--round", "stay"], "COLUMN=STEP"),
        (["--unmodified", "stay", "--unmodified-same-value-rate", "stay=often"], "with a number"),
        (["--unmodified", "age"], "two roles"),
        (["--unmodified", "nights"], "no column"),
    ],
)
def test_options_of_published_columns_are_refused_in_a_sentence(
    data: Path, options: list[str], words: str, capsys: Captured
) -> None:
    assert main(arguments(data, *options)) == BAD
    assert words in capsys.readouterr().err


def test_a_release_by_counting_refuses_published_columns(data: Path, tmp_path: Path, capsys: Captured) -> None:
    options = arguments(data, "--unmodified", "stay", "--out", str(tmp_path / "release"), command="release")
    assert main(options) == BAD
    assert "cannot be published as it is" in capsys.readouterr().err


def test_the_internal_report_lists_them(data: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "report.html"
    options = arguments(data, "--unmodified", "stay,charge", "--round", "charge=100", command="report")
    assert main([*[each for each in options if each != "--json"], "--out", str(out)]) == MET
    text = out.read_text(encoding="utf-8")
    assert "Published as it is" in text
    assert "charge (rounded to 100)" in text

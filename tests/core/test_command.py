"""The command line: the numbers of an assessment, exit statuses, one sentence for what cannot be used."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core import Hospital, Policy, Scenario, Table, Taxonomy, encode, examples, measure, read_table
from core.asked import AskedForecast
from core.command import BAD, BROKEN, MET, OPEN, main
from core.command.inputs import names_of
from core.errors import ParameterError
from core.metrics import METRICS
from core.report import build
from core.requirements import Requirements
from core.review import Assessment, assess
from core.uploads import Upload, open_upload

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = examples.city_schema()
SECRET = "Zzyzx7"  # a cell that must never be told
Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def city() -> Table:
    return examples.city(700)


@pytest.fixture
def data(city: Table, tmp_path: Path) -> Path:
    path = tmp_path / "city.csv"
    city.to_frame().to_csv(path, index=False)
    return path


def scenario(city: Table, **changes: Any) -> Scenario:
    given = {
        "schema": SCHEMA, "hospitals": (Hospital(Policy(5, l=2)), Hospital(Policy(8))), "overlap": 90, "repeats": 3,
        "data_id": city.content_id, "data_name": "city.csv",
    }  # fmt: skip
    return Scenario(**{**given, **changes})


def saved(folder: Path, asked: Scenario | str) -> str:
    path = folder / "scenario.json"
    path.write_text(asked if isinstance(asked, str) else asked.to_json(), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def assessed(city: Table) -> Assessment:
    return assess(encode(city, SCHEMA), scenario(city))


def refused(arguments: Sequence[str], capsys: Captured) -> str:
    """Run what must be refused: status 2, nothing on standard output, one sentence or two on one line."""
    assert main(arguments) == BAD
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert len(err) < 700
    assert "Traceback" not in err
    assert SECRET not in err
    return err


# ---- the numbers --------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["measure", "attack", "forecast"])
def test_numbers_are_those_of_an_assessment(
    command: str, data: Path, city: Table, assessed: Assessment, tmp_path: Path, capsys: Captured
) -> None:
    groups = {"measure": ("guarantee", "cost"), "attack": ("exposure",), "forecast": ("anticipated",)}[command]
    assert main([command, "--data", str(data), "--scenario", saved(tmp_path, scenario(city)), "--json"]) == MET
    out, err = capsys.readouterr()
    assert err == ""
    found = json.loads(out)
    wanted = {name: number for name, number in assessed.numbers.items() if METRICS[name].group in groups}
    assert list(found["numbers"]) == list(wanted)
    for name, number in wanted.items():
        assert found["numbers"][name] == {
            field: getattr(number, field) for field in ("value", "n", "of", "low", "high", "single", "guess")
        }
    absent = {name: why for name, why in assessed.not_assessed.items() if METRICS[name].group in groups}
    assert found["not_assessed"] == absent
    assert found["records"] == 700
    assert found["data_id"] == city.content_id
    assert found["met"] is None
    assert found["status"] == MET


def test_a_scenario_is_made_of_options(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    new = tmp_path / "made.json"
    tree = Taxonomy.flat(sorted(set(city.to_frame()["work class"])))
    (tmp_path / "tree.csv").write_text(tree.to_arx(), encoding="utf-8")
    arguments = [
        "attack", "--data", str(data), "--qids", "age,sex,zip code,work class", "--sensitive", "diagnosis",
        "--drop-others", "-k", "4", "--l", "2", "--t", "0.95", "--overlap", "80", "--releases", "3", "--their-k", "6",
        "--their-algorithm", "mdav", "--agreement", "0.9", "--confidence", "0.5", "--seed", "7", "--repeats", "2",
        "--locate", "published", "--taxonomy", f"work class={tmp_path / 'tree.csv'}", "--limit", "perfect=1",
        "--save-scenario", str(new), "--json",
    ]  # fmt: skip
    assert main(arguments) == MET
    found = json.loads(capsys.readouterr().out)
    made = Scenario.from_json(new.read_bytes())
    schema = SCHEMA.with_(
        quasi_identifiers=("age", "sex", "zip code", "work class"), sensitive="diagnosis", others="drop", other=(),
        kinds={}, taxonomies={"work class": tree}, orders={}, identifiers=(),
    )  # fmt: skip
    theirs = Hospital(Policy(6, l=2, t=0.95), "mdav", 0.9)
    assert made == Scenario(
        schema, (Hospital(Policy(4, l=2, t=0.95)), theirs, theirs), 80, 0.5, 7, 2, None, "city.csv", city.content_id,
        "published", requirements=Requirements(perfect=1.0),
    )  # fmt: skip
    again = assess(encode(city, schema), made).numbers["weighted"]
    assert found["numbers"]["weighted"]["value"] == again.value
    assert main(["attack", "--data", str(data), "--scenario", str(new), "--json"]) == MET
    assert json.loads(capsys.readouterr().out) == found


def test_a_published_table_is_measured_as_it_is(capsys: Captured) -> None:
    path = ROOT / "assets/examples/hospitals_a_and_b_published_a.csv"
    arguments = ["measure", "--data", str(path), "--qids", 'Age,Sex,"Zip Code"', "--sensitive", "Diagnosis"]
    assert main([*arguments, "--json", "--limit", "k=4", "--limit", "t=0.5"]) == MET
    found = json.loads(capsys.readouterr().out)["numbers"]
    table = read_table(path)
    columns = SCHEMA.with_(
        quasi_identifiers=("Age", "Sex", "Zip Code"), sensitive="Diagnosis", identifiers=(), other=(), kinds={},
        taxonomies={}, orders={}, others="drop",
    )  # fmt: skip
    expected = measure(table.to_frame(), columns)
    assert {name: number["value"] for name, number in found.items()} == {
        name: getattr(expected, name) for name in ("classes", "k", "distinct_l", "entropy_l", "t")
    }
    assert main([*arguments, "--limit", "k=5"]) == BROKEN
    assert "limit at least 5: not met" in capsys.readouterr().out


def test_files_of_others_are_matched_by_content(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    frame = city.take(range(0, 700, 2)).to_frame()
    theirs = tmp_path / "theirs.csv"
    frame.to_csv(theirs, index=False)
    upload = Upload(read_table(theirs).content_id, False, tuple((name, name) for name in frame), name="theirs.csv")
    asked = scenario(city, hospitals=(Hospital(Policy(5)), Hospital(Policy(5), source="raw", upload=upload)), repeats=1)
    path = saved(tmp_path, asked)
    assert main(["attack", "--data", str(data), "--scenario", path, "--others", str(theirs), "--json"]) == MET
    found = json.loads(capsys.readouterr().out)
    files = {upload: open_upload(upload, read_table(theirs), city, SCHEMA)}
    expected = assess(encode(city, SCHEMA), asked, files).numbers
    assert found["numbers"]["perfect"]["value"] == expected["perfect"].value
    assert found["releases_of_others_considered"]
    assert main(["measure", "--data", str(data), "--scenario", path]) == MET  # nobody else takes part
    capsys.readouterr()
    assert "needs the file of another hospital ('theirs.csv')" in refused(
        ["attack", "--data", str(data), "--scenario", path], capsys
    )
    assert "publishes the file 'city.csv'" in refused(
        ["attack", "--data", str(data), "--scenario", path, "--others", str(theirs), str(data)], capsys
    )


def test_population_statistics(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    counts = city.to_frame()["sex"].value_counts()
    statistics = tmp_path / "population.csv"
    statistics.write_text(
        "column,value,share\n" + f"sex,{counts.index[0]},0.001\nsex,{counts.index[1]},0.999\n", encoding="utf-8"
    )
    digest = hashlib.sha256(statistics.read_bytes()).hexdigest()
    some = {"l": 1, "others": 1_000_000, "confidence": 0.5}
    asked = scenario(
        city, forecast=AskedForecast(source="file", file_id=digest, **some), requirements=Requirements(forecast=1.0)
    )
    plain = scenario(city, forecast=AskedForecast(**some))
    arguments = ["forecast", "--data", str(data), "--scenario", saved(tmp_path, asked)]
    assert main(arguments) == OPEN
    assert "Open: no limit is broken" in capsys.readouterr().out
    assert main([*arguments, "--marginals", str(statistics), "--json"]) == MET
    with_file = json.loads(capsys.readouterr().out)["numbers"]["forecast"]["value"]
    assert main(["forecast", "--data", str(data), "--scenario", saved(tmp_path, plain), "--json"]) == MET
    assert json.loads(capsys.readouterr().out)["numbers"]["forecast"]["value"] != with_file
    statistics.write_text("column,value,share\nsex,female,1\n", encoding="utf-8")
    arguments[-1] = saved(tmp_path, asked)
    assert "other population statistics" in refused([*arguments, "--marginals", str(statistics)], capsys)
    arguments[-1] = saved(tmp_path, plain)
    assert "leave --marginals away" in refused([*arguments, "--marginals", str(statistics)], capsys)


# ---- limits and status ---------------------------------------------------------------------


def test_status_follows_the_limits(
    data: Path, city: Table, assessed: Assessment, tmp_path: Path, capsys: Captured
) -> None:
    value = assessed.numbers["perfect"].value
    asked = scenario(city, requirements=Requirements(perfect=value, k=6, m=1))
    arguments = ["--data", str(data), "--scenario", saved(tmp_path, asked)]
    assert main(["attack", *arguments]) == MET
    out = capsys.readouterr().out
    assert "All limits are met." in out
    assert "does not look at: k, m" in out
    assert "no real release of theirs was considered" in out
    assert main(["attack", *arguments, "--limit", f"perfect={value - 0.001}"]) == BROKEN
    assert "Not all limits are met: One value left (perfect breach)." in capsys.readouterr().out
    assert main(["measure", *arguments]) == BROKEN  # k = 5 was asked
    assert main(["measure", *arguments, "--limit", "k=5"]) == OPEN  # nobody names providers
    capsys.readouterr()
    assert main(["forecast", *arguments]) == MET
    assert "No limit that this command looks at is set." in capsys.readouterr().out
    assert "attack does not look at k here" in refused(["attack", *arguments, "--limit", "k=5"], capsys)


def test_other_data_is_refused_or_said(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    asked = saved(tmp_path, scenario(city, data_id="0" * 64))
    arguments = ["measure", "--data", str(data), "--scenario", asked]
    assert "made for another table than 'city.csv'" in refused(arguments, capsys)
    assert main([*arguments, "--other-data", "--json"]) == MET
    out, err = capsys.readouterr()
    assert err == ("The scenario was made for another table than 'city.csv'. It is used because of --other-data.\n")
    assert json.loads(out)["data_id"] == city.content_id


# ---- the report -----------------------------------------------------------------------------


def test_report_is_that_of_the_library(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    asked = scenario(city, requirements=Requirements(perfect=0.0), repeats=1)
    arguments = ["report", "--data", str(data), "--scenario", saved(tmp_path, asked), "--format", "json"]
    decision = tmp_path / "decision.json"
    decision.write_text(json.dumps({"what": "no", "who": "the board", "when": "2030-01-02", "accepted": ["a"]}))
    arguments += ["--decision", str(decision), "--question", "Publish?"]
    assert main([*arguments, "--out", str(tmp_path / "report.json")]) == BROKEN
    out = capsys.readouterr().out
    assert "Not all limits are met" in out
    from core.command.inputs import decision_of

    expected = build(encode(city, SCHEMA), asked, decision=decision_of(str(decision)), question="Publish?")
    written = (tmp_path / "report.json").read_text(encoding="utf-8")
    assert written == expected.to_json()
    assert main(arguments) == BROKEN
    assert capsys.readouterr().out == written
    outside = [*arguments, "--strength", "external", "--salt", "twelve or more", "--format", "html"]
    assert main([*outside, "--out", str(tmp_path / "report.html")]) == BROKEN
    assert (tmp_path / "report.html").read_text(encoding="utf-8").lstrip().startswith("<!")
    capsys.readouterr()
    decision.write_text('{"when": 3, "why": "x"}')
    assert "when must be a text" in refused(arguments, capsys)
    decision.write_text(f'{{"who": "x", "{"y" * 1000}": 1}}')
    assert "no other fields than" in refused(arguments, capsys)


# ---- nothing is overwritten ------------------------------------------------------------------


def test_files_are_written_once(data: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out.txt"
    arguments = ["measure", "--data", str(data), "--qids", "age,sex", "--sensitive", "diagnosis", "--out", str(out)]
    assert main(arguments) == MET
    assert capsys.readouterr().out == ""
    before = out.read_bytes()
    assert b"People per class (k)" in before
    assert "'out.txt' exists" in refused(arguments, capsys)
    assert main([*arguments[:-1], str(out), "--force", "--json"]) == MET
    assert out.read_bytes() != before
    cells = data.read_bytes()
    assert "is read here" in refused([*arguments[:-1], str(data), "--force"], capsys)
    assert data.read_bytes() == cells
    assert "is a folder" in refused([*arguments[:-1], str(tmp_path)], capsys)
    assert "does not exist" in refused([*arguments[:-1], str(tmp_path / "no" / "such")], capsys)
    same = ["-k", "3", "--drop-others", "--save-scenario", str(tmp_path / "new")]
    assert "name the same file" in refused([*arguments[:-1], str(tmp_path / "new"), *same], capsys)
    assert "no scenario to save" in refused([*arguments[:-2], "--save-scenario", str(tmp_path / "new")], capsys)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["city.csv", "out.txt"]


# ---- what cannot be used -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "required: COMMAND"),
        (["guess"], "invalid choice"),
        (["attack"], "required: --data"),
        (["attack", "--data", "nothing.csv"], "Give a scenario"),
        (["attack", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis"], "Give k"),
        (["attack", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "-k", "5"], "--overlap"),
        (["attack", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "-k", "five"], "whole number"),
        (["forecast", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "-k", "5"], "has no role"),
        (["forecast", "--data", "DATA", "--qids", "ag", "--sensitive", "diagnosis", "-k", "5"], "no column 'ag'"),
        (["measure", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "--t", "x"], "number is needed"),
        (["measure", "--data", "DATA", "--qids", "age", "--sensitive", "x" * 10_000], "has no column"),
        (["measure", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "--limit", "k"], "NAME=NUMBER"),
        (["measure", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "--limit", "x=1"], "NAME=NUMBER"),
        (["measure", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "--limit", "k=nan"], "number"),
        (["measure", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "--limit", "loss=0.5"],
         "does not look at loss"),
        (["measure", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "--limit", "t=-1"], "0 or more"),
        (["measure", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "--l", "3"], "as published"),
        (["measure", "--data", "DATA", "--scenario", "nothing.json"], "does not exist"),
        (["measure", "--data", "DATA", "--scenario", "."], "cannot be read"),
        (["measure", "--data", "DATA", "--scenario", "DATA", "-k", "5"], "leave one of them away"),
        (["measure", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "-k", "5", "--drop-others",
          "--taxonomy", "age"], "COLUMN=FILE"),
        (["forecast", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "-k", "900", "--drop-others"],
         "k = 900"),
        (["attack", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "-k", "5", "--drop-others",
          "--overlap", "900"], "overlap"),
        (["attack", "--data", "DATA", "--qids", "age", "--sensitive", "diagnosis", "-k", "5", "--drop-others",
          "--overlap", "9", "--releases", "100"], "2 to 8"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_used(arguments: list[str], words: str, data: Path, capsys: Captured) -> None:
    if "--scenario" not in arguments and "nothing.csv" in arguments:
        assert "'nothing.csv' does not exist" in refused(arguments, capsys)
        return
    assert words in refused([str(data) if text == "DATA" else text for text in arguments], capsys)


def wrong_scenarios(city: Table) -> dict[str, str]:
    good = json.loads(scenario(city).to_json())
    long = "x" * 1_000_000

    def changed(**fields: Any) -> str:
        return json.dumps({**good, **fields})

    return {
        "unknown field": changed(surprise=1),
        "long unknown field": changed(**{long: 1}),
        "wrong type": changed(overlap="many"),
        "a truth for a number": changed(seed=True),
        "later version": changed(schema_version=99),
        "no version": json.dumps({name: value for name, value in good.items() if name != "schema_version"}),
        "other file": json.dumps({"format": "something else"}),
        "not JSON": "not JSON",
        "empty": "",
        "a list": "[]",
        "deep": "[" * 100_000,
        "long name": changed(schema={**good["schema"], "sensitive": long}),
        "long algorithm": changed(hospitals=[{**good["hospitals"][0], "algorithm": long}] * 2),
        "control characters": changed(schema={**good["schema"], "sensitive": "a\nb\x1b[31m"}),
        "half a character": changed(schema={**good["schema"], "sensitive": "\ud800"}),
        "huge overlap": changed(overlap=10**400),
        "huge repeats": changed(repeats=10**400),
        "huge digits": '{"overlap": ' + "9" * 6000 + "}",
        "endless": changed(confidence=float("inf")),
        "nobody": changed(hospitals=[]),
        "limit of nothing": changed(requirements={"breach": 2}),
        "other columns": changed(schema={**good["schema"], "quasi_identifiers": ["age", "shoe size"]}),
    }


WRONG = sorted(wrong_scenarios(examples.city(700)))


@pytest.mark.parametrize("kind", WRONG)
def test_scenario_files_that_cannot_be_used(
    kind: str, data: Path, city: Table, tmp_path: Path, capsys: Captured
) -> None:
    path = saved(tmp_path, wrong_scenarios(city)[kind])
    for command in ("measure", "report"):
        refused([command, "--data", str(data), "--scenario", path], capsys)


def test_no_cell_is_told(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "patients.csv"
    path.write_text(f"age,ill\n{SECRET},flu\n" + "1,flu\n2,cold\n" * 20, encoding="utf-8")
    asked = scenario(examples.city(700), data_id="", schema=SCHEMA.with_(
        quasi_identifiers=("age",), sensitive="ill", identifiers=(), other=(), kinds={"age": "numeric"},
        taxonomies={}, orders={},
    ))  # fmt: skip
    for command in ("measure", "attack", "report"):
        assert "not numbers" in refused([command, "--data", str(path), "--scenario", saved(tmp_path, asked)], capsys)


def test_columns_of_an_option() -> None:
    assert names_of('a, b,"c, d"') == ("a", "b", "c, d")
    assert names_of(None) == ()
    with pytest.raises(ParameterError):
        names_of('"a')


@pytest.mark.parametrize("command", ["", "measure", "attack", "forecast", "report"])
def test_help_is_plain(command: str, capsys: Captured) -> None:
    assert main([*command.split(), "--help"]) == 0
    out = capsys.readouterr().out
    assert "exit status:" in out
    assert out.isascii()
    assert "None" not in out


# ---- as a process -----------------------------------------------------------------------------


def process(arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "core", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )


def readme() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text.split("## Without the app: a release gate")[1].split("\n## ")[0]


def test_the_commands_of_the_readme(tmp_path: Path) -> None:
    """Word by word, on the sample files, each with the status that is promised; the output that is shown is its own."""
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    blocks = re.findall(r"```(\w+)\n(.*?)```", readme(), flags=re.S)
    commands = [block for kind, block in blocks if kind == "sh"]
    shown = [block for kind, block in blocks if kind == "text"]
    promised = []
    outputs = []
    for line in "".join(commands).replace("\\\n", " ").splitlines():
        command, _, status = line.partition("  # exit status ")
        words = shlex.split(command)
        assert words[:3] == ["python", "-m", "core"]
        run = process(words[3:], tmp_path)
        assert run.returncode == int(status[0]), run.stderr
        assert "Traceback" not in run.stderr
        promised.append(int(status[0]))
        outputs.append(run.stdout)
    assert {MET, BROKEN, BAD} <= set(promised)
    assert shown
    for text in shown:
        assert text in outputs

"""The command line: the numbers of an assessment, exit statuses, one sentence for what cannot be used."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core import DateFormat, Policy, Scenario, Schema, Table, Taxonomy, anonymize, examples, measure, read_table
from core.algorithms import partition
from core.base.errors import InputError, ParameterError
from core.base.metrics import METRICS
from core.base.version import VERSION
from core.cli import BAD, BROKEN, MET, OPEN, UNFORESEEN, commands, main, outputs
from core.cli.arguments import COMMANDS, COUNTING_COMMANDS, names_of
from core.cli.inputs import decision_of, taxonomy_files
from core.data.encoding.encoded import encode
from core.data.encoding.marginals import Marginals
from core.decision.review import Assessment, Case, assess
from core.decision.scenario.questions import AskedForecast
from core.decision.scenario.requirements import Requirements
from core.forecast import forecast
from core.report import Meeting, build
from core.study.hospitals import Hospital
from core.study.uploads import Upload, open_upload
from tests.visits import made_visits

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = examples.city_schema().with_(provider=None, other=["hospital"])
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
        "schema": SCHEMA,
        "hospitals": (Hospital(Policy(5, l=2)), Hospital(Policy(8))),
        "overlap": 90,
        "repeats": 10,
        "data_id": city.content_id,
        "data_name": "city.csv",
    }
    return Scenario(**{**given, **changes})


def roles(path: Path, qids: str = "age,sex", sensitive: str = "diagnosis") -> list[str]:
    return ["--data", str(path), "--qids", qids, "--sensitive", sensitive]


def saved(folder: Path, asked: Scenario | str) -> str:
    path = folder / "scenario.json"
    path.write_text(asked if isinstance(asked, str) else asked.to_json(), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def assessed(city: Table) -> Assessment:
    return assess(Case(encode(city, SCHEMA), scenario(city)))


def refused(arguments: Sequence[str], capsys: Captured) -> str:
    """Run what must be refused: status 2, nothing on standard output, one sentence or two on one line."""
    assert main(arguments) == BAD
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), err[-1]) == ("", 1, "\n")
    assert len(err) < 700
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
        assert found["numbers"][name] == dataclasses.asdict(number)
    absent = {name: why for name, why in assessed.not_assessed.items() if METRICS[name].group in groups}
    assert found["not_assessed"] == absent
    assert (found["records"], found["data_id"]) == (700, city.content_id)
    assert (found["met"], found["status"]) == (None, MET)


def test_a_scenario_is_made_of_options(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    new = tmp_path / "made.json"
    tree = Taxonomy.flat(sorted(set(city.to_frame()["work class"])))
    (tmp_path / "tree.csv").write_text("".join(f"{value};*\n" for value in tree.leaf_labels), encoding="utf-8")
    arguments = [
        "attack",
        "--data",
        str(data),
        "--qids",
        "age,sex,zip code,work class",
        "--sensitive",
        "diagnosis",
        "--drop-unassigned",
        "-k",
        "4",
        "--l",
        "2",
        "--t",
        "0.95",
        "--overlap",
        "80",
        "--releases",
        "3",
        "--their-k",
        "6",
        "--their-algorithm",
        "mdav",
        "--same-value-rate",
        "0.9",
        "--confidence",
        "0.5",
        "--seed",
        "7",
        "--repeats",
        "2",
        "--locate",
        "published",
        "--taxonomy",
        f"work class={tmp_path / 'tree.csv'}",
        "--limit",
        "one_value_left=1",
        "--save-scenario",
        str(new),
        "--json",
        "--on-average",
    ]
    assert main(arguments) == MET
    found = json.loads(capsys.readouterr().out)
    made = Scenario.from_json(new.read_bytes())
    schema = SCHEMA.with_(
        quasi_identifiers=("age", "sex", "zip code", "work class"),
        sensitive="diagnosis",
        unassigned="drop",
        other=(),
        column_types={},
        taxonomies={"work class": tree},
        orders={},
        identifiers=(),
    )
    theirs = Hospital(Policy(6, l=2, t=0.95), "mdav", 0.9, "resampled")
    assert made == Scenario(
        schema,
        (Hospital(Policy(4, l=2, t=0.95), "least-loss"), theirs, theirs),
        "city.csv",
        city.content_id,
        overlap=80,
        confidence=0.5,
        seed=7,
        repeats=2,
        locate="published",
        requirements=Requirements(one_value_left=1.0),
    )
    again = assess(Case(encode(city, schema), made)).numbers["weighted"]
    assert found["numbers"]["weighted"]["value"] == again.value
    assert main(["attack", "--data", str(data), "--scenario", str(new), "--json", "--on-average"]) == MET
    assert json.loads(capsys.readouterr().out) == found


def test_a_published_table_is_measured_as_it_is(capsys: Captured) -> None:
    path = ROOT / "assets/examples/hospitals_a_and_b_published_a.csv"
    arguments = ["measure", "--data", str(path), "--qids", 'Age,Sex,"Zip Code"', "--sensitive", "Diagnosis"]
    assert main([*arguments, "--json", "--limit", "k=4", "--limit", "t=0.5"]) == MET
    found = json.loads(capsys.readouterr().out)["numbers"]
    columns = SCHEMA.with_(
        quasi_identifiers=("Age", "Sex", "Zip Code"),
        sensitive="Diagnosis",
        identifiers=(),
        other=(),
        column_types={},
        taxonomies={},
        orders={},
        unassigned="drop",
    )
    expected = measure(read_table(path).to_frame(), columns)
    assert {name: number["value"] for name, number in found.items()} == {
        "classes": expected.classes,
        **expected.numbers,
    }
    assert main([*arguments, "--limit", "k=5"]) == BROKEN
    assert "limit at least 5: not met" in capsys.readouterr().out


def test_files_of_others_are_matched_by_content(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    frame = city.take(range(0, 700, 2)).to_frame()
    theirs = tmp_path / "theirs.csv"
    frame.to_csv(theirs, index=False)
    upload = Upload(
        read_table(theirs).content_id, tuple((name, name) for name in SCHEMA.released), name="theirs.csv", count=""
    )
    others = (Hospital(Policy(5)), Hospital(Policy(5), origin="published", upload=upload))
    asked = scenario(city, hospitals=others, repeats=1)
    path = saved(tmp_path, asked)
    assert main(["attack", "--data", str(data), "--scenario", path, "--others", str(theirs), "--json"]) == MET
    out, err = capsys.readouterr()
    assert err == ""
    files = {upload: open_upload(upload, read_table(theirs), city, SCHEMA)}
    expected = assess(Case(encode(city, SCHEMA), asked, files)).numbers
    assert json.loads(out)["numbers"]["one_value_left"]["value"] == expected["one_value_left"].value
    assert json.loads(out)["releases_of_others_considered"]
    assert main(["measure", "--data", str(data), "--scenario", path]) == MET  # nobody else takes part
    capsys.readouterr()
    assert "needs the file of another hospital ('theirs.csv')" in refused(
        ["attack", "--data", str(data), "--scenario", path], capsys
    )
    assert "publishes the file 'city.csv'" in refused(
        ["attack", "--data", str(data), "--scenario", path, "--others", str(theirs), str(data)], capsys
    )


def test_a_file_in_other_words_is_doubted(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    frame, theirs = city.take(range(0, 700, 2)).to_frame(), tmp_path / "theirs.csv"
    frame.assign(sex=frame["sex"].replace({"female": "W", "male": "H", "other": SECRET})).to_csv(theirs, index=False)
    upload = Upload(
        read_table(theirs).content_id, tuple((name, name) for name in SCHEMA.released), name="theirs.csv", count=""
    )
    others = (Hospital(Policy(5)), Hospital(Policy(5), origin="published", upload=upload))
    path = saved(tmp_path, scenario(city, hospitals=others, repeats=1))
    assert main(["attack", "--data", str(data), "--scenario", path, "--others", str(theirs), "--json"]) == MET
    err = capsys.readouterr().err
    assert "Only 0.0% of the records have a value of 'sex'" in err
    assert SECRET not in err


def test_population_statistics(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    counts = city.to_frame()["sex"].value_counts()
    statistics = tmp_path / "population.csv"
    statistics.write_text(
        "column,value,share\n" + f"sex,{counts.index[0]},0.001\nsex,{counts.index[1]},0.999\n", encoding="utf-8"
    )
    digest = hashlib.sha256(statistics.read_bytes()).hexdigest()
    some = {"l": 1, "others": 1_000_000, "confidence": 0.5}
    asked = scenario(
        city, forecast=AskedForecast(statistics="file", file_id=digest, **some), requirements=Requirements(forecast=1.0)
    )
    arguments = ["forecast", "--data", str(data), "--scenario", saved(tmp_path, asked)]
    assert main(arguments) == OPEN
    assert "Not assessed: People in vulnerable classes" in capsys.readouterr().out
    encoded = encode(city, SCHEMA)
    population = Marginals.read(statistics.read_bytes(), encoded)
    expected = forecast(partition(encoded, asked.mine.policy), population, 1_000_000, 1, 0.5)
    assert main([*arguments, "--marginals", str(statistics), "--json"]) == MET
    assert json.loads(capsys.readouterr().out)["numbers"]["forecast"]["value"] == expected.people().value
    statistics.write_text("column,value,share\nsex,female,1\n", encoding="utf-8")
    assert "other population statistics" in refused([*arguments, "--marginals", str(statistics)], capsys)
    saved(tmp_path, scenario(city))
    assert "omit --marginals" in refused([*arguments, "--marginals", str(statistics)], capsys)


# ---- limits and status ---------------------------------------------------------------------


def test_status_follows_the_limits(
    data: Path, city: Table, assessed: Assessment, tmp_path: Path, capsys: Captured
) -> None:
    value, high = assessed.numbers["one_value_left"].value, assessed.numbers["one_value_left"].high
    asked = scenario(city, requirements=Requirements(one_value_left=high, k=6, m=1))
    arguments = ["--data", str(data), "--scenario", saved(tmp_path, asked)]
    assert main(["attack", *arguments]) == MET
    out = capsys.readouterr().out
    assert out.startswith("Verdict: Met\n"), "the verdict first"
    assert "does not look at: k, m." in out
    assert main(["attack", *arguments, "--limit", f"one_value_left={value - 0.001}"]) == BROKEN
    assert "Not met: One value left (perfect breach) is " in capsys.readouterr().out
    assert main(["measure", *arguments]) == BROKEN  # k = 5 was asked
    assert main(["measure", *arguments, "--limit", "k=5"]) == OPEN  # nobody names providers
    capsys.readouterr()
    assert "attack does not use k here" in refused(["attack", *arguments, "--limit", "k=5"], capsys)


def test_a_limit_met_on_average_only_does_not_pass_unless_told(
    data: Path, city: Table, assessed: Assessment, tmp_path: Path, capsys: Captured
) -> None:
    number = assessed.numbers["one_value_left"]
    between = (number.value + number.high) / 2
    arguments = ["--data", str(data), "--scenario", saved(tmp_path, scenario(city))]
    attack = ["attack", *arguments, "--limit", f"one_value_left={between}"]
    assert main(attack) == BROKEN
    assert "This passes only with --on-average." in capsys.readouterr().out
    assert main([*attack, "--json"]) == BROKEN
    facts = json.loads(capsys.readouterr().out)
    assert (facts["verdict"], facts["met"], facts["status"]) == ("met on average only", False, BROKEN)
    assert main([*attack, "--on-average"]) == MET
    assert "This passes because of --on-average." in capsys.readouterr().out
    assert main(["attack", *arguments, "--on-average", "--limit", f"one_value_left={number.value - 0.001}"]) == BROKEN
    assert main([*attack, "--limit", "one_value_left=1"]) == BAD
    assert "one_value_left is limited twice" in capsys.readouterr().err


def test_other_data_is_refused_or_said(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    asked = saved(tmp_path, scenario(city, data_id="0" * 64))
    arguments = ["measure", "--data", str(data), "--scenario", asked]
    assert "made for another table than 'city.csv'" in refused(arguments, capsys)
    assert main([*arguments, "--other-data", "--json"]) == MET
    err = capsys.readouterr().err
    assert err == "The scenario was made for another table than 'city.csv'. It is used because of --other-data.\n"


# ---- the report -----------------------------------------------------------------------------


def test_report_is_that_of_the_library(data: Path, city: Table, tmp_path: Path, capsys: Captured) -> None:
    asked = scenario(city, requirements=Requirements(one_value_left=0.0), repeats=1)
    arguments = ["report", "--data", str(data), "--scenario", saved(tmp_path, asked), "--format", "json"]
    decision = tmp_path / "decision.json"
    decision.write_text(json.dumps({"what": "no", "who": "the board", "when": "2030-01-02", "accepted": ["a"]}))
    arguments += ["--decision", str(decision), "--question", "Publish?"]
    assert main([*arguments, "--out", str(tmp_path / "report.json")]) == BROKEN
    out = capsys.readouterr().out
    assert "Verdict: Not met" in out
    expected = build(Case(encode(city, SCHEMA), asked), Meeting("Publish?", decision_of(str(decision))))
    written = (tmp_path / "report.json").read_text(encoding="utf-8")
    assert written == expected.to_json()
    assert main(arguments) == BROKEN
    assert capsys.readouterr().out == written
    for text, sentence in (
        ("no JSON", "The decision must be an object"),
        ("[]", "The decision must be an object"),
        ('{"when": 3, "why": "x"}', "when must be a text"),
        (f'{{"who": "x", "{"y" * 1000}": 1}}', "it can have what, who, when"),
    ):
        decision.write_text(text)
        assert sentence in refused(arguments, capsys)


# ---- nothing is overwritten ------------------------------------------------------------------


def test_files_are_written_once(data: Path, tmp_path: Path, capsys: Captured) -> None:
    """What is read is never written over: see test_options.py."""
    out = tmp_path / "out.txt"
    rest = ",".join(name for name in read_table(data).names if name not in ("age", "sex", "diagnosis"))
    arguments = ["measure", *roles(data), "--unmodified", rest, "--out", str(out)]
    assert main(arguments) == MET
    assert capsys.readouterr().out == ""
    before = out.read_bytes()
    assert b"People per class (k)" in before
    assert main([*arguments, "--force", "--json"]) == MET
    assert out.read_bytes() != before
    same = ["-k", "3", "--drop-unassigned", "--save-scenario", str(tmp_path / "new")]
    for path, more, words in (
        (tmp_path, [], "is a folder"),
        (tmp_path / "no" / "such", [], "does not exist"),
        (tmp_path / "new", same, "name the same file"),
        (tmp_path / "new", ["--save-scenario", "newer"], "no scenario to save"),
    ):
        assert words in refused([*arguments[:-1], str(path), *more], capsys)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["city.csv", "out.txt"]


# ---- what cannot be used -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "required: COMMAND"),
        ("guess", "invalid choice"),
        ("attack", "required: --data"),
        ("attack ROLES --data nothing.csv", "'nothing.csv' does not exist"),
        ("attack --data DATA", "Give a scenario with --scenario, or the columns"),
        ("measure --data DATA --qids age", "Give a scenario with --scenario, or the columns"),
        ("attack ROLES", "Give k"),
        ("attack ROLES -k 5", "--overlap"),
        ("attack ROLES -k five", "whole number"),
        ("forecast ROLES -k 5", "has no role"),
        ("forecast --data DATA --qids ag --sensitive diagnosis -k 5", "no column 'ag'"),
        ("measure ROLES --t x", "number is needed"),
        (f"measure ROLES -k 5 --identifiers {'x' * 10_000}", "has no column"),
        ("measure ROLES", "Column 2 of the table has no role"),
        ("measure ROLES --drop-unassigned", "--drop-unassigned is for raw records"),
        ("measure ROLES --limit k", "NAME=NUMBER"),
        ("measure ROLES --limit x=1", "NAME=NUMBER"),
        ("measure ROLES --limit k=nan", "number"),
        ("measure ROLES REST --limit loss=0.5", "does not use loss"),
        ("measure ROLES REST --limit t=-1", "0 or more"),
        ("measure ROLES --l 3", "as published"),
        ("measure --data DATA --scenario nothing.json", "does not exist"),
        ("measure --data DATA --scenario .", "is a folder; give a file"),
        ("measure --data DATA --scenario DATA -k 5", "omit one of them"),
        ("measure ROLES -k 5 --drop-unassigned --taxonomy age", "COLUMN=FILE"),
        ("forecast ROLES -k 900 --drop-unassigned", "k = 900"),
        ("attack ROLES -k 5 --drop-unassigned --overlap 900", "overlap"),
        ("attack ROLES -k 5 --drop-unassigned --overlap 9 --releases 100", "2 to 8"),
    ],
)
def test_options_that_cannot_be_used(arguments: str, words: str, data: Path, capsys: Captured) -> None:
    given = arguments.replace("ROLES", "--data DATA --qids age --sensitive diagnosis").split()
    rest = ",".join(name for name in read_table(data).names if name not in ("age", "diagnosis"))
    given = [word for text in given for word in (["--unmodified", rest] if text == "REST" else [text])]
    assert words in refused([str(data) if text == "DATA" else text for text in given], capsys)


def test_no_cell_is_told(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "patients.csv"
    path.write_text(f"age,ill\n{SECRET},flu\n" + "1,flu\n2,cold\n" * 20, encoding="utf-8")
    asked = scenario(
        examples.city(700),
        data_id="",
        schema=SCHEMA.with_(
            quasi_identifiers=("age",),
            sensitive="ill",
            identifiers=(),
            other=(),
            column_types={"age": "numeric"},
            taxonomies={},
            orders={},
        ),
    )
    for command in ("measure", "attack", "report"):
        assert "not numbers" in refused([command, "--data", str(path), "--scenario", saved(tmp_path, asked)], capsys)


@pytest.mark.parametrize("command", ["", "measure", "attack", "forecast", "report", "frequency-table", "release"])
def test_help_is_plain_and_short(command: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([*command.split(), "--help"]) == 0
    out = capsys.readouterr().out
    assert "exit status:" in out
    assert out.isascii()
    assert len(out.splitlines()) < 60


def test_columns_and_files_of_an_option() -> None:
    """A comma in a name is quoted; a column and its file may have an equals sign in their names."""
    assert names_of('a, b,"c, d"') == ("a", "b", "c, d")
    with pytest.raises(ParameterError):
        names_of('"a')
    options = Namespace(qids="a,a=b", sensitive="c", taxonomy=["a=b=tree=1.csv", "a=tree.csv", "c=x"])
    assert taxonomy_files(options) == {"a=b": "tree=1.csv", "a": "tree.csv", "c": "x"}


@pytest.mark.parametrize(
    ("asked", "shown", "hidden"),
    [
        ("--version", f" {VERSION}\n", "--their-size"),
        ("attack --help", "--help-all", "--their-size"),
        ("attack --help-all", "--their-size", VERSION),
    ],
)
def test_it_says_its_version_and_all_options_are_one_more_step(
    asked: str, shown: str, hidden: str, capsys: Captured
) -> None:
    assert main(asked.split()) == MET
    out = capsys.readouterr().out
    assert shown in out
    assert hidden not in out


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_can_complete_it(shell: str, capsys: Captured) -> None:
    assert main(["--print-completion", shell]) == 0
    script = capsys.readouterr().out
    assert "composition-gate" in script
    assert "--their-size" in script
    if shutil.which(shell) is not None:
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


# ---- outputs: whole or not at all --------------------------------------------------------------


def asked_report(data: Path, tmp_path: Path, *more: str) -> list[str]:
    return [
        "attack",
        *roles(data),
        "--drop-unassigned",
        "-k",
        "9",
        "--overlap",
        "40",
        "--repeats",
        "1",
        "--out",
        str(tmp_path / "out.txt"),
        "--save-scenario",
        str(tmp_path / "gate.json"),
        *more,
    ]


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    ("name", "at"), [*(("open", at) for at in (1, 3, 4)), *(("fsync", at) for at in (1, 2)), ("", 1)]
)
def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, at: int, force: bool
) -> None:
    """Opening, bringing to the disk or naming a file fails, as on a full disk: one sentence, the old state."""
    old = dict.fromkeys(("out.txt", "gate.json"), "old") if force else {}
    for file, text in old.items():
        (tmp_path / file).write_text(text)
    name = name or ("replace" if force else "link")
    real, calls = getattr(os, name), list[Any]()

    def failing(*a: Any, **k: Any) -> Any:
        calls.append(a)
        if len(calls) == at:
            raise OSError(errno.ENOSPC, "full")
        return real(*a, **k)

    monkeypatch.setattr(os, name, failing)
    with pytest.raises(InputError, match="cannot be written; the disk is full"):
        outputs.save({tmp_path / file: "new" for file in ("out.txt", "gate.json")}, force)
    monkeypatch.undo()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == old


@pytest.mark.parametrize("links", [True, False])
def test_outputs_are_for_the_user_alone_also_on_a_disk_without_links(
    links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    if not links:
        monkeypatch.setattr(os, "link", link)
    files = {tmp_path / name: "new" for name in ("out.txt", "gate.json")}
    before = os.umask(0)
    try:
        outputs.save(files, force=False)
        (tmp_path / "out.txt").chmod(0o644)
        with pytest.raises(InputError, match="exists"):
            outputs.save(files, force=False)
        outputs.save(files, force=True)
    finally:
        os.umask(before)
    assert {path: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == dict.fromkeys(files, 0o600)


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    outputs.save({tmp_path / "link": "new"}, force=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


# ---- pipes, devices, salt, headers -------------------------------------------------------------


@pytest.mark.parametrize("option", ["--scenario", "--marginals", "--decision", "--salt-file", "--taxonomy"])
@pytest.mark.parametrize("device", ["pipe", "device"])
def test_a_pipe_or_a_device_is_not_read(option: str, device: str, data: Path, tmp_path: Path, capsys: Captured) -> None:
    """Nobody writes to the pipe: opening it the ordinary way would never return; /dev/zero never ends."""
    name = "/dev/zero"
    if device == "pipe":
        os.mkfifo(tmp_path / "pipe")
        name = str(tmp_path / "pipe")
    made = ["--qids", "age,sex", "--sensitive", "diagnosis", "--drop-unassigned", "-k", "5", "--overlap", "9"]
    arguments = ["report", "--data", str(data), "--strength", "external"]
    arguments += (
        ["--scenario", name]
        if option == "--scenario"
        else [*made, option, f"age={name}" if option == "--taxonomy" else name]
    )
    assert "is a pipe or a device" in refused(arguments, capsys)


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_nothing_is_written_to_a_device(force: list[str], data: Path, capsys: Captured) -> None:
    arguments = ["measure", *roles(data), "--out", "/dev/null"]
    assert "is a pipe or a device" in refused([*arguments, *force], capsys)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_the_salt_comes_from_a_file_or_the_environment(
    data: Path, city: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    salt = "twelve or more é"
    arguments = [
        "report",
        "--data",
        str(data),
        "--scenario",
        saved(tmp_path, scenario(city, repeats=1)),
        "--strength",
        "external",
        "--format",
        "json",
    ]
    expected = build(Case(encode(city, SCHEMA), scenario(city, repeats=1)), strength="external", salt=salt).to_json()
    file = tmp_path / "salt"
    file.write_text(f"{salt}\nand more", encoding="utf-8")
    # The file goes before the variable.
    for variable, more in (("another long salt", ["--salt-file", str(file)]), (salt, [])):
        monkeypatch.setenv("COMPOSITION_SALT", variable)
        assert main([*arguments, *more]) == MET
        assert capsys.readouterr().out == expected
    monkeypatch.setenv("COMPOSITION_SALT", "short")
    assert "at least 12 characters" in refused(arguments, capsys)
    hint = refused([*arguments, "--salt", "very secret text"], capsys)
    assert "--salt-file" in hint
    assert "very secret" not in hint
    for content, words in ((b"\n" + salt.encode(), "is empty"), (b"\xff" * 20, "not UTF-8")):
        file.write_bytes(content)
        assert words in refused([*arguments, "--salt-file", str(file)], capsys)


@pytest.mark.parametrize("more", [[], ["-k", "2"], ["-k", "2", "--overlap", "2"]])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_without_header_never_shows_its_cells(
    command: str, more: list[str], tmp_path: Path, capsys: Captured
) -> None:
    """Its first record stands where names of columns do."""
    path = tmp_path / "plain.csv"
    path.write_text("John Smith 0815,34,leprosy\n" + "".join(f"Jane {i},{i},flu\n" for i in range(30)))
    out = ["--out", str(tmp_path.parent / f"{command}-out"), "--force"] if command in COUNTING_COMMANDS else []
    for files in (path, tmp_path):
        for qids, sensitive in (("age", "ill"), ("34", "leprosy"), ("34", "ill"), ("age", "leprosy")):
            main([command, "--data", str(files), "--qids", qids, "--sensitive", sensitive, *more, *out])
            told = "".join(capsys.readouterr())
            assert "Smith" not in told
            assert "0815" not in told
            assert "leprosy" not in told or sensitive == "leprosy", "what was typed may be repeated"


# ---- what nobody foresaw -------------------------------------------------------------------------


@pytest.mark.parametrize("error_class", [ValueError, AssertionError, MemoryError, OSError])
def test_an_error_that_nobody_foresaw_is_no_verdict(
    error_class: type[Exception], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error_class(f"of the cell {SECRET}")

    monkeypatch.setattr(commands, "assess", fails)
    assert main(asked_report(data, tmp_path, "--limit", "one_value_left=0")) == UNFORESEEN == 4
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "says nothing about the limits" in err
    assert SECRET not in err
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(
    ("closed", "arguments", "status", "by"),
    [
        ("stdout", ["measure", "--limit", "k=999"], BROKEN, "its reader"),
        ("stdout", ["measure", "--limit", "k=999"], UNFORESEEN, "the shell"),
        ("stdout", ["--print-completion", "bash"], MET, "its reader"),
        ("stderr", ["attack", "--limit", "nothing=1"], BAD, "its reader"),
        ("stderr", ["forecast"], MET, "the shell"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="pipes and shells of other systems")
def test_an_output_that_nobody_reads_leaves_the_status(
    closed: str, arguments: list[str], status: int, by: str, data: Path
) -> None:
    """As in ``report | true`` and ``attack 2>&-``; a result that the shell has closed the way to is not given out."""
    given = [] if arguments[0].startswith("-") else [*roles(data), "--drop-unassigned", "-k", "9", "--overlap", "20"]
    reader, writer = os.pipe()
    os.close(reader)
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, closed: writer}
    command = [sys.executable, "-m", "core", *arguments, *given]
    if by == "the shell":
        command = ["sh", "-c", f'exec "$@" {1 if closed == "stdout" else 2}>&-', "sh", *command]
    run = subprocess.run(command, cwd=ROOT, check=False, **streams)  # type: ignore[call-overload]
    os.close(writer)
    assert run.returncode == status


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not heed the limit")
@pytest.mark.parametrize("more", [[], ["--engine", "duckdb", "--threads", "1"]])
def test_too_little_memory_is_no_verdict(more: list[str], tmp_path: Path) -> None:
    if more:
        pytest.importorskip("duckdb", reason="the engine is an extra: composition-gate[engine]")
    rows = "".join(f"{i % 9973},{i % 7919},{i % 13}\n" for i in range(200_000))
    (tmp_path / "big.csv").write_text(f"age,sex,diagnosis\n{rows}")
    code = (
        "import resource, sys; from core.cli import main\n"
        "now = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (now + (8 << 20),) * 2)\n"
        "sys.exit(main())"
    )
    arguments = ["measure", *roles(tmp_path / "big.csv"), "--drop-unassigned", "-k", "5", *more]
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == UNFORESEEN
    assert run.stderr.endswith("This says nothing about the limits.\n")


# ---- as a process -----------------------------------------------------------------------------


@pytest.mark.long
def test_the_commands_of_readme_and_guide(tmp_path: Path) -> None:
    """Word by word, on the sample files, each with the status that is promised; the output that is shown is its own."""
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/gate.md")]
    blocks = [block for text in texts for block in re.findall(r"```(\w+)\n(.*?)```", text, flags=re.S)]
    commands = [block for language, block in blocks if language == "sh"]
    shown = [block for language, block in blocks if language == "text"]
    promised = []
    outputs = []
    for line in "".join(commands).replace("\\\n", " ").splitlines():
        command, _, status = line.partition("  # exit status ")
        words = shlex.split(command)
        assert words[:3] == ["python", "-m", "core"]
        run = subprocess.run(
            [sys.executable, *words[1:]],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == int(status[0]), run.stderr
        assert "Traceback" not in run.stderr
        promised.append(int(status[0]))
        outputs.append(run.stdout)
    assert {MET, BROKEN, BAD} <= set(promised)
    assert shown
    for text in shown:
        assert text in outputs


# ---- persons with several records -----------------------------------------------------------


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    made_visits(600).to_csv(path, index=False)
    return path


def test_persons_are_counted_where_one_column_tells(visits: Path, tmp_path: Path, capsys: Captured) -> None:
    table, file = read_table(visits), str(tmp_path / "gate.json")
    columns = [*roles(visits, "age,zip"), "-k", "4"]
    person = [*columns, "--person", "patient_nbr", "--overlap", "50", "--repeats", "2"]
    assert main(["measure", *person, "--save-scenario", file, "--limit", "k=4"]) == MET
    out, err = capsys.readouterr()
    assert f"{len(table):,} records of 600 persons" in out
    assert err == ""
    kept = Scenario.from_json(Path(file).read_text(encoding="utf-8"))
    assert main(["attack", "--data", str(visits), "--scenario", file, "--json"]) == MET
    breach = json.loads(capsys.readouterr().out)["numbers"]["breach"]
    assert breach["value"] == assess(Case(encode(table, kept.schema), kept)).numbers["breach"].value
    assert breach["n"] == 50
    assert main(["measure", *columns, "--person", "patient_nbr", "--one-record", "random", "--json"]) == MET
    assert json.loads(capsys.readouterr().out)["records"] == 600


def test_a_published_table_is_measured_by_person_where_the_column_was_kept(
    visits: Path, tmp_path: Path, capsys: Captured
) -> None:
    schema = Schema(["age", "zip"], "diagnosis", person="patient_nbr")
    release, path = anonymize(read_table(visits), schema, Policy(4)), tmp_path / "published.csv"
    release.publish(1, "patient_nbr").to_csv(path, index=False)
    given = ["measure", *roles(path, "age,zip"), "--json"]
    by_record = ["--identifiers", "patient_nbr", "--rows-are-people"]
    for more, k in ((by_record, release.classes.sizes.min()), (["--person", "patient_nbr"], release.sizes.min())):
        assert main([*given, *more]) == MET
        assert json.loads(capsys.readouterr().out)["numbers"]["k"]["value"] == k
    nobody = [*given, "--identifiers", "patient_nbr", "--person", "nobody"]
    assert "no column 'nobody'" in refused(nobody, capsys)
    assert "'patient_nbr' repeats" in refused(given, capsys)


def test_the_gate_is_told_which_comes_first_and_keeps_it(tmp_path: Path, capsys: Captured) -> None:
    data, kept = tmp_path / "stays.csv", tmp_path / "kept.json"
    rows = [f"{n % 12 + 1:02d}/{n % 11 + 1:02d}/2024,d{n % 5}\n" for n in range(60)]
    data.write_text("seen,diagnosis\n" + "".join(rows))
    arguments = ["measure", *roles(data, "seen"), "-k", "20"]
    assert "%d/%m/%Y or %m/%d/%Y (--date-format)" in refused(arguments, capsys)
    chosen = ["--date-format", "seen=%d/%m/%Y", "--date-unit", "seen=month", "--save-scenario", str(kept)]
    assert main([*arguments, *chosen]) == MET
    assert Scenario.from_json(kept.read_bytes()).schema.dates == {"seen": DateFormat("%d/%m/%Y", "month")}


def test_hierarchies_at_hand_are_taken_by_name(tmp_path: Path, capsys: Captured) -> None:
    data, kept = tmp_path / "stays.csv", tmp_path / "kept.json"
    data.write_text("zip,ward,diagnosis\n" + "".join(f"0{1000 + n % 9},w{n % 2},d{n % 5}\n" for n in range(60)))
    arguments = ["measure", *roles(data, "zip,ward"), "-k", "5"]
    assert main([*arguments, "--hierarchies", "zip", "--save-scenario", str(kept)]) == MET
    tree = Scenario.from_json(kept.read_bytes()).schema.taxonomies["zip"]
    assert (tree.labels[:4], tree.one_node) == (("*", "01***", "010**", "0100*"), True)
    capsys.readouterr()
    assert "'ward' suggest no hierarchy" in refused([*arguments, "--hierarchies", "zip,ward"], capsys)
    assert "no column 'nobody'" in refused([*arguments, "--hierarchies", "nobody"], capsys)


def test_a_limit_without_its_number_is_open() -> None:
    judged = commands.judged_by(Requirements(hit=0.5), {})
    assert judged.verdict == "open"
    assert commands.status_of(judged, Namespace(on_average=True)) == OPEN

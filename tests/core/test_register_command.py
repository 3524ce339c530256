"""The command ``register``: statuses, what it writes, refusals, and each of its options."""

from __future__ import annotations

import argparse
import json
import os
import select
import shlex
import stat
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from msgspec import structs

from core import Policy, Schema, Table
from core.algorithms import partition
from core.base.settling import fcntl
from core.cli import BAD, BROKEN, MET, OPEN, main
from core.cli.arguments import OF_REGISTER, REGISTER, parser
from core.data.encoding.encoded import encode
from core.data.tables.csv_export import csv_bytes
from core.register import Publication, Register, publication_of
from tests.hostile import HOSTILE
from tests.registered import people
from tests.source import ROOT

Captured = pytest.CaptureFixture[str]
DOCS = Path(__file__).parents[2] / "docs" / "publication-register.md"
RECORD = "--file a.csv --record a.json --private a_copy.csv"
COUNTS = "--kind counts --date 2026-02-01 --file c.csv --qids zip,work --sensitive ill --count n --counts absent=zero"
LINKED = "--private c_copy.csv --key id"
NOISY = "--kind noisy --date 2026-03-01 --epsilon 0.5 --recipient B"
OTHER = "--kind other --date 2026-02-01 --file b.csv --qids age,work --sensitive ill --recipient B"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Releases a and b with records and private copies, a table of counts c, and a register with a, to A."""
    monkeypatch.chdir(tmp_path)
    frame = people(300)
    for name, some, qids in (("a", frame[:240], ["age", "zip"]), ("b", frame[60:], ["age", "work"])):
        table = Table.from_frame(some)
        release = partition(encode(table, Schema(qids, "ill", identifiers=["id"], unassigned="drop")), Policy(5))
        Path(f"{name}.csv").write_bytes(csv_bytes(release.publish()))
        Path(f"{name}_copy.csv").write_bytes(csv_bytes(release.publish(key=table.column("id"))))
        entry = structs.replace(publication_of(release, date(2026, 1, 31), key="id"), recipients=("A",))
        Path(f"{name}.json").write_text(Register().add(entry).to_json())
    counts = frame[:240].groupby(["zip", "work", "ill"]).size().reset_index(name="n")
    Path("c.csv").write_bytes(csv_bytes(counts.astype({"n": str})))
    Path("c_copy.csv").write_bytes(csv_bytes(frame[:240][["zip", "work", "id"]]))
    Path("ledger.csv").write_text("noise\n3\n")
    assert main(["register", "add", "reg.json", *RECORD.split()]) == MET
    return tmp_path


def told(words: str, capsys: Captured) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(["register", *shlex.split(words)])
    return (status, *capsys.readouterr())


@pytest.mark.parametrize(
    ("words", "status", "line"),
    [
        ("show reg.json", MET, "  1  2026-01-31  release 'a.csv': 240 rows; to 'A'"),
        ("check reg.json --limit one_value_left=5%", MET, "One value left at most 5.0%: met."),
        ("check reg.json --limit one_value_left=0.05 --limit epsilon=0", MET, "Epsilon at most 0: met."),
        ("check reg.json --limit at_risk=1%", BROKEN, "In an anonymity set under 11 at most 1.0%: not met by 1 of 1"),
        (f"add reg.json {NOISY}", MET, "'B': one value left - -> 0.0%"),
        (f"add reg.json {NOISY} --limit epsilon=0.4", BROKEN, "Epsilon at most 0.4: not met by 2 of 3"),
        (f"add reg.json {OTHER}", MET, "'B'          2             not assessed"),
        (f"add reg.json {OTHER} --limit one_value_left=1", OPEN, "One value left at most 100.0%: open"),
        (f"add reg.json {OTHER} --try", MET, "Nothing was written."),
        (f"add reg.json {COUNTS} {LINKED} --recipient B --files a_copy.csv --try", MET, "'A' and 'B' together: one"),
        (f"add reg.json {COUNTS} {LINKED} --recipient B --leave-open", MET, "'A' and 'B'  1,2           not assessed"),
        ("add reg.json --entry 1 --recipient B", MET, "'A' and 'B'  1             0.0%"),
        ("add reg.json --entry 1 --public", MET, "'everyone'"),
        ("add new.json --record b.json --private b_copy.csv --recipient C", MET, "release: 240 rows; to 'C'"),
        ("add new.json --file b.csv --record b.json --name talk --date 2026-02-03", MET, "2026-02-03  release 'talk'"),
        (
            "add reg.json --record b.json --kind version --version-of 1 --recipient B",
            *(MET, "version of an earlier release: 240 rows; version of 1; to 'B'; not assessed"),
        ),
        (
            "add new.json --kind noisy --date 2026-01-01 --epsilon 1 --delta 1e-6 --public",
            MET,
            "epsilon 1; delta 1e-06",
        ),
        # ---- refused
        ("show none.json", BAD, "The file 'none.json' does not exist."),
        ("show a.json", MET, "release: 240 rows; to 'A'; not assessed"),
        ("show a.csv", BAD, "not a publication register"),
        ("check reg.json", BAD, "Give a limit with --limit"),
        ("check reg.json --limit k=5", BAD, "with one of the names one_value_left, at_risk, epsilon, delta"),
        ("check reg.json --limit epsilon=5%", BAD, "a number is needed"),
        ("check reg.json --limit epsilon=1 --file a.csv", BAD, "register check does not use --file"),
        ("show reg.json --leave-open", BAD, "register show does not use --leave-open"),
        ("list reg.json", BAD, "invalid choice: 'list'"),
        ("add reg.json", BAD, "Give --kind, or the entry of a release with --record."),
        ("add reg.json --kind noisy --recipient B", BAD, "Give --date"),
        ("add reg.json --kind noisy --date 2026-01-01 --recipient B", BAD, "Give the epsilon"),
        ("add reg.json --kind noisy --date 2026-01-01 --epsilon -1 --recipient B", BAD, "epsilon"),
        ("add reg.json --kind noisy --date soon --epsilon 1 --recipient B", BAD, "a day is needed"),
        ("add reg.json --kind release --date 2026-01-01 --recipient B", BAD, "Give the published file"),
        (
            "add reg.json --kind release --date 2026-01-01 --file b.csv --recipient B",
            BAD,
            "needs its quasi-identifiers",
        ),
        (f"add reg.json {OTHER} --qids nothing", BAD, "no column 'nothing', which the options name"),
        (f"add reg.json {OTHER} --private b_copy.csv", BAD, "--private and --key go together"),
        (f"add reg.json {OTHER} --private a_copy.csv --key id", BAD, "no column 'work'"),
        (f"add reg.json {OTHER} --private b_copy.csv --key nr --leave-open", BAD, "no column 'nr', its key"),
        (f"add reg.json {OTHER} --private b_copy.csv --key id", BAD, "files of publication 1"),
        (f"add reg.json {OTHER} --private b_copy.csv --key id --files c.csv", BAD, "File 1 of those given belongs to"),
        (f"add reg.json {OTHER} --files none.csv", BAD, "none.csv"),
        (f"add reg.json {OTHER} --epsilon 1", BAD, "Only a noisy table"),
        (f"add reg.json {NOISY} --qids age", BAD, "no columns to attack"),
        (f"add reg.json {OTHER} --version-of 1", BAD, "A version names"),
        (f"add reg.json {OTHER} --kind version --version-of 2", BAD, "version of an earlier one"),
        (f"add reg.json {OTHER.replace(' --recipient B', '')}", BAD, "Name who has the publication"),
        (f"add reg.json {OTHER} --recipient everyone", BAD, "no name of a recipient"),
        (f"add reg.json {RECORD} --recipient B", BAD, "in the register already, as publication 1"),
        (f"add reg.json {RECORD} --qids age", BAD, "omit --qids"),
        ("add reg.json --record b.json --file a.csv", BAD, "The file is not the one of its entry"),
        ("add reg.json --record b.json --file reg.json", BAD, "is an input"),
        ("add a_copy.csv --record a.json --private a_copy.csv", BAD, "is an input"),
        ("add a.csv --record b.json", BAD, "not a publication register"),
        ("add reg.json --entry 1", BAD, "Name who has the publication"),
        ("add reg.json --entry 3 --recipient B", BAD, "publications 1 to 1"),
        ("add reg.json --entry 1 --recipient B --file b.csv", BAD, "omit --file"),
        ("add reg.json --entry 1 --private a_copy.csv", BAD, "has a private copy of publication 1"),
        ("add reg.json --entry 1 --key id --recipient B", BAD, "--private and --key go together"),
        ("check reg.json --limit epsilon=1 --limit epsilon=2", BAD, "epsilon is limited twice"),
        (f"add reg.json {COUNTS},absent=masked --recipient B", BAD, "says absent twice"),
        (f"add nowhere/reg.json {NOISY}", BAD, "The folder of 'reg.json' does not exist."),
    ],
)
def test_statuses_and_lines(words: str, status: int, line: str, folder: Path, capsys: Captured) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    got, out, err = told(words, capsys)
    assert (got, line in (err if status == BAD else out)) == (status, True), out + err
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    writes = words.startswith("add") and "--try" not in words and status != BAD
    assert {name for name in after if after[name] != before.get(name)} == ({words.split()[1]} if writes else set())
    assert before.keys() <= after.keys()
    if status == BAD:
        assert (out, err.count("\n")) == ("", 1)
    assert "ZZ" not in out + err
    assert not any(b"ZZ" in content for name, content in after.items() if name.endswith("reg.json"))


def test_a_private_copy_given_later_gives_the_same_numbers(folder: Path, capsys: Captured) -> None:
    told(f"add reg.json {OTHER}", capsys)
    assert told("add reg.json --entry 2 --private b_copy.csv --key id --files a_copy.csv", capsys)[0] == MET
    told(f"add whole.json {RECORD}", capsys)
    told(f"add whole.json {OTHER} --private b_copy.csv --key id --files a_copy.csv", capsys)
    numbers = [Register.from_json(Path(name).read_bytes()).numbers for name in ("reg.json", "whole.json")]
    assert numbers[0] == numbers[1]


def test_a_wide_table_of_counts_is_entered_as_the_long_one(folder: Path, capsys: Captured) -> None:
    long = pd.read_csv("c.csv", dtype=str)
    wide = long.pivot_table("n", ["zip", "work"], "ill", "first").fillna("0").reset_index()
    Path("w.csv").write_bytes(csv_bytes(wide))
    words = COUNTS.replace("c.csv", "w.csv").replace("--count n ", "")
    for name, file in (("reg.json", COUNTS), ("wide.json", words)):
        told(f"add {name} {RECORD}", capsys)
        assert told(f"add {name} {file} {LINKED} --recipient B --files a_copy.csv", capsys)[0] == MET
    numbers = [Register.from_json(Path(name).read_bytes()).numbers for name in ("reg.json", "wide.json")]
    assert numbers[0] == numbers[1]
    assert told("add wide.json --entry 1 --recipient B --files a_copy.csv c_copy.csv w.csv", capsys)[0] == MET


def test_an_entry_of_another_run_is_not_lost(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program enters a publication while this one computes, and waits for nothing."""
    assessed = Register.assessed

    def while_another_writes(self: Register, *arguments: object, **more: object) -> Register:
        monkeypatch.setattr(Register, "assessed", assessed)
        Path(name).write_text(Register().add(Publication("noisy", date(2026, 3, 1), epsilon=1.0)).to_json())
        return assessed(self, *arguments, **more)

    for name in ("reg.json", "new.json"):
        monkeypatch.setattr(Register, "assessed", while_another_writes)
        status, _, err = told(f"add {name} {NOISY} --name second", capsys)
        assert (status, "Another run has changed" in err) == (BAD, True)
        assert Register.from_json(Path(name).read_bytes()).publications[-1].name == ""


def test_a_private_copy_is_that_of_its_people(folder: Path, capsys: Captured) -> None:
    """Two tables count the same groups of other people; one value is left for all of them, before and after."""
    for name, first, second in (("jan", "flu", "gout"), ("feb", "gout", "flu")):
        rows = [("M", first, 2), ("M", second, 0), ("F", first, 0), ("F", second, 2)]
        Path(f"{name}.csv").write_bytes(csv_bytes(pd.DataFrame(rows, columns=["sex", "dx", "count"])))
        people_of = pd.DataFrame({"id": [f"{name}{number}" for number in range(4)], "sex": ["M", "M", "F", "F"]})
        Path(f"{name}_copy.csv").write_bytes(csv_bytes(people_of))
    for name, files in (("jan", ""), ("feb", "--files jan.csv jan_copy.csv")):
        words = f"add both.json --kind counts --date 2026-01-01 --file {name}.csv --qids sex --sensitive dx"
        more = f"--counts absent=zero --private {name}_copy.csv --key id --recipient board"
        assert told(f"{words} {more} {files}", capsys)[0] == MET
        numbers = Register.from_json(Path("both.json").read_bytes()).numbers[-1]
        assert numbers.one_value_left == numbers.people == (4 if name == "jan" else 8)


def test_a_shared_register_keeps_its_mode_and_group(folder: Path, capsys: Captured) -> None:
    others = [group for group in os.getgroups() if group != os.getegid()]
    group = 12_345 if os.geteuid() == 0 else next(iter(others), os.getegid())
    register = Path("reg.json")
    os.chown(register, -1, group)
    register.chmod(0o660)
    before = time.time_ns()
    assert told(f"add reg.json {NOISY}", capsys)[0] == MET
    facts = register.stat()
    assert (stat.S_IMODE(facts.st_mode), facts.st_gid) == (0o660, group)
    assert facts.st_mtime_ns >= before - 10**9, "it was changed now"


STOPPED = """
import sys
from core.cli import main, registering

matched = registering.match_files

def stopped(*arguments):
    print("read", flush=True)
    sys.stdin.readline()
    return matched(*arguments)

registering.match_files = stopped
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(fcntl is None, reason="nothing can be locked")
def test_two_runs_that_stop_between_reading_and_writing_keep_both_entries(folder: Path) -> None:
    (folder / "link.json").symlink_to("reg.json")
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", STOPPED, "register", "add", str(folder / name), *NOISY.split()],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("reg.json", "link.json")
    ]
    lines = [run.stdout for run in runs if run.stdout is not None]
    ready, _, _ = select.select(lines, [], [], 60)
    first = lines.index(ready[0])
    assert lines[first].readline() == "read\n"
    assert not select.select([lines[1 - first]], [], [], 3)[0], "the other one waits before it reads"
    for number in (first, 1 - first):
        runs[number].communicate("\n", timeout=60)
    assert [run.returncode for run in runs] == [MET, MET]
    assert len(Register.from_json((folder / "reg.json").read_bytes()).publications) == 3


@pytest.mark.skipif(fcntl is None, reason="nothing can be locked")
@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.long)])
def test_as_many_entries_as_runs_that_said_so(rounds: int, folder: Path) -> None:
    words = [sys.executable, "-m", "core", "register", "add", str(folder / "many.json"), *NOISY.split()]
    for _ in range(rounds):
        (folder / "many.json").unlink(missing_ok=True)
        runs = [
            subprocess.Popen([*words, "--name", str(number)], cwd=ROOT, stdout=subprocess.DEVNULL)
            for number in range(8)
        ]
        assert [run.wait() for run in runs] == [MET] * 8
        entries = Register.from_json((folder / "many.json").read_bytes()).publications
        assert sorted(own.name for own in entries) == [str(number) for number in range(8)]


def test_json_has_the_numbers_of_the_file(folder: Path, capsys: Captured) -> None:
    told(f"add reg.json {COUNTS} {LINKED} --recipient B --files a_copy.csv", capsys)
    status, out, _ = told("check reg.json --limit one_value_left=0 --json", capsys)
    facts = json.loads(out)
    assert (status, facts["status"]) == (BROKEN, BROKEN)
    pair = facts["standings"][0]
    numbers = Register.from_json(Path("reg.json").read_bytes()).numbers[-1]
    assert pair["recipients"] == ["A", "B"]
    assert pair["one_value_left"] == numbers.worst("one_value_left")[0] > 0
    verdicts = {tuple(each["recipients"]): each["verdict"] for each in facts["limits"][0]["verdicts"]}
    assert verdicts["A", "B"] == "not met"
    assert {name for name in verdicts if verdicts[name] == "met"} >= {("A",)}


def test_a_dry_run_gives_the_numbers_that_the_entry_then_has(folder: Path, capsys: Captured) -> None:
    words = f"add reg.json {COUNTS} {LINKED} --recipient B --files a_copy.csv --json"
    tried = json.loads(told(f"{words} --try", capsys)[1])
    assert tried == json.loads(told(words, capsys)[1])
    assert [change["before"] for change in tried["changes"]] == [None, None]


def test_remarks_about_values_and_keys(folder: Path, capsys: Captured) -> None:
    copy = pd.read_csv("c_copy.csv", dtype=str)
    Path("far.csv").write_bytes(csv_bytes(copy.assign(id="ZZ" + copy["id"])))
    _, _, err = told(f"add reg.json {COUNTS} --private far.csv --key id --recipient B --files a_copy.csv", capsys)
    assert "No one in publication 1 is in another one by its key" in err
    told(f"add two.json {RECORD}", capsys)
    rest = "--key id --recipient B --files a_copy.csv --try"
    Path("low.csv").write_bytes(csv_bytes(copy.assign(id=copy["id"].str.lower())))
    _, _, err = told(f"add two.json {COUNTS} --private low.csv {rest}", capsys)
    assert "Publications 1 and 2 would share more people if upper and lower case were the same" in err
    more = pd.concat([copy, copy[:3].assign(id=["ZZx", "ZZy", "ZZz"])])
    Path("more.csv").write_bytes(csv_bytes(more))
    _, _, err = told(f"add two.json {COUNTS} --private more.csv {rest}", capsys)
    assert "3 people of the private copy of publication 2 are in no count of their group" in err
    counts = pd.read_csv("c.csv", dtype=str)
    Path("c.csv").write_bytes(csv_bytes(counts.assign(ill="ZZ" + counts["ill"])))
    told(f"add new.json {RECORD}", capsys)
    status, _, err = told(f"add new.json {COUNTS} {LINKED} --recipient B --files a_copy.csv", capsys)
    assert status == MET
    assert "Publications 1, 2 together leave no value for 240 people" in err
    other = COUNTS.replace("--sensitive ill", "--sensitive sick")
    Path("c.csv").write_bytes(csv_bytes(counts.rename(columns={"ill": "sick"})))
    told(f"add third.json {RECORD}", capsys)
    _, _, err = told(f"add third.json {other} {LINKED} --recipient B --files a_copy.csv", capsys)
    assert "The sensitive columns 'ill', 'sick' are treated as different attributes" in err
    assert "ZZ" not in err
    words = "--record b.json --file b.csv --kind version --version-of 1 --recipient B"
    assert "the command update computes it" in told(f"add reg.json {words}", capsys)[2]
    assert "update" not in told("add reg.json --entry 1 --public --leave-open", capsys)[2]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_one_line(name: str, folder: Path, capsys: Captured) -> None:
    capsys.readouterr()
    status = main(
        ["register", "add", "reg.json", *NOISY.split(), "--name", name[:200], "--recipient", f"x{name}\n\x1b"]
    )
    out, err = capsys.readouterr()
    assert status == (BAD if len(name) > 199 else MET)
    assert "\x1b" not in out + err
    if status == MET:
        assert main(["register", "show", "reg.json"]) == MET
        assert len(capsys.readouterr().out.splitlines()) == 14


def test_every_option_is_in_the_table_above() -> None:
    """An option that no line uses could be ignored, and nobody would see it."""
    own = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    options = {action.dest for action in own.choices[REGISTER]._actions if action.option_strings} - {"help"}
    assert options == {option.key for option in OF_REGISTER}
    rows = next(mark for mark in test_statuses_and_lines.pytestmark if mark.name == "parametrize").args[1]
    used = " ".join(words for words, status, _ in rows if status != BAD)
    lacking = [name for name in options if f"--{name.replace('_', '-')}" not in used]
    assert sorted(lacking) == ["json", "unmodified"]  # of test_json_... and of the tests of core


def test_help_fits_a_screen(capsys: Captured) -> None:
    assert main(["register", "--help"]) == MET
    assert len(capsys.readouterr().out.splitlines()) < 60


def test_the_commands_of_the_documentation_are_understood() -> None:
    block = DOCS.read_text(encoding="utf-8").partition("```sh\n")[2].partition("```")[0]
    lines = block.replace("\\\n", " ").splitlines()
    assert len(lines) == 5
    for line in lines:
        parser().parse_args(shlex.split(line)[1:])


# ---- in the report -------------------------------------------------------------------------------


def test_the_internal_report_and_the_evidence_have_it_and_the_external_report_has_not(
    folder: Path, capsys: Captured
) -> None:
    told(f"add reg.json {OTHER} --name 'x<b>' --recipient '<script>alert(1)</script>'", capsys)
    Path("data.csv").write_bytes(csv_bytes(people(200)))
    roles = ["--qids", "age,zip", "--sensitive", "ill", "--drop-unassigned", "-k", "4", "--overlap", "20"]
    start = ["report", "--data", "data.csv", *roles, "--repeats", "1", "--force", "--register", "reg.json"]
    capsys.readouterr()
    assert main([*start, "--format", "json", "--evidence", "e.json"]) == MET
    section = json.loads(capsys.readouterr().out)["register"]
    register = Register.from_json(Path("reg.json").read_bytes())
    assert (section["digest"], section["publications"]) == (register.digest, 2)
    assert len(section["rows"]) == len(register.standings()) == 6
    assert json.loads(Path("e.json").read_text())["published"]["not_assessed"] == 1
    assert main([*start, "--out", "r.html"]) == MET
    page = Path("r.html").read_text()
    assert "What has been published, and to whom" in page
    assert "<script>alert" not in page
    assert main([*start, "--strength", "external"]) == BAD
    assert "An external report has nothing of the register" in capsys.readouterr().err
    assert main([*start, "--strength", "external", "--format", "json", "--evidence", "e.json"]) == MET
    assert "register" not in json.loads(capsys.readouterr().out)
    assert main([*start[:-1], "data.csv"]) == BAD
    assert "not a publication register" in capsys.readouterr().err

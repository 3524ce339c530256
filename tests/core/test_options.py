"""The command line: each option reaches what it is for, each wrong one is refused, and no output replaces an input."""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import itertools
import re
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import Policy, Schema, agree, anonymize, read_table
from core.cli import BAD, BROKEN, MET, OPEN, main, program
from core.cli.arguments import AGREED, COUNTING_COMMANDS, REGISTER, parser
from core.register import Publication, Register

QIDS = ["--qids", "age,zip", "--sensitive", "ill", "--drop-unassigned"]
MADE = [*QIDS, "-k", "4"]
DRAWN = [*MADE, "--overlap", "20", "--repeats", "2", "--json"]
AS_IT_IS = [*QIDS[:-1], "--unmodified", "nr,who,seen,bmi,ward,times"]
BY_ENGINE = ["--engine", "duckdb"]
WAYS = {
    "measure": ("measure", DRAWN),
    "measure as published": ("measure", [*AS_IT_IS, "--json"]),
    "measure by the engine": ("measure", [*AS_IT_IS, *BY_ENGINE, "--json"]),
    "attack": ("attack", DRAWN),
    "forecast": ("forecast", DRAWN),
    "report": ("report", [*DRAWN[:-1], "--format", "json"]),
    "frequency-table": ("frequency-table", [*QIDS[:-1], "--json"]),
    "frequency-table by the engine": ("frequency-table", [*QIDS[:-1], *BY_ENGINE, "--json"]),
    "release": ("release", DRAWN),
    "counts": ("counts", [*DRAWN, "--my-counts", "zip; below=2"]),
    "agree": ("agree", [*QIDS, "--least", "2", "--json"]),
    "update": ("update", [*MADE, "--before", "more.csv", "--identifiers", "nr", "--json"]),
}
"""By what is done: the command, and options with which it runs."""
SEVERAL = ["--person", "who"]
PUBLISHED = ["--unmodified", "bmi"]
NAMED = ["--identifiers", "who", "--unmodified", "nr,seen,bmi,ward,times"]
OPTIONS = {
    command: {action.dest: action for action in own._actions if not isinstance(action, argparse._HelpAction)}
    for action in parser()._actions
    if action.dest == "command"
    for command, own in (action.choices or {}).items()
    if command != REGISTER
}
"""Every option of each command about a table, from the parser itself; those of register have a test of their own."""
AWAY: dict[str | tuple[str, str], tuple[list[str], list[str]]] = {
    "data": ([], ["--data", "more.csv"]),
    "scenario": ([], ["--scenario", "kept.json"]),
    "others": ([], ["--others", "theirs.csv"]),
    "marginals": ([], ["--marginals", "shares.csv"]),
    "other_data": ([], []),
    "rows_are_people": (["--data", "persons.csv"], ["--rows-are-people"]),
    ("measure as published", "rows_are_people"): (NAMED, ["--rows-are-people"]),
    ("measure by the engine", "rows_are_people"): (NAMED, ["--rows-are-people"]),
    ("measure as published", "unmodified_same_value_rate"): ([], []),  # with an agreement: test_crossings
    ("measure by the engine", "unmodified_same_value_rate"): ([], []),
    "delimiter": ([], ["--delimiter", ";"]),
    "encoding": ([], ["--encoding", "latin-1"]),
    "decimal": ([], ["--decimal", ","]),
    "sheet": (["--data", "book.xlsx"], ["--sheet", "two"]),
    "header_row": ([], ["--header-row", "2"]),
    "columns": ([], ["--columns", "age,zip"]),
    "limit": ([], ["--limit", "k=5"]),
    "on_average": ([], ["--on-average"]),
    "doubts": ([], ["--doubts", "tell"]),
    ("report", "doubts"): (["--limit", "one_value_left=0.99"], ["--doubts", "fail"]),
    "qids": ([], ["--qids", "age"]),
    "sensitive": ([], ["--sensitive", "ward"]),
    "unmodified": ([], PUBLISHED),
    "unmodified_same_value_rate": (PUBLISHED, ["--unmodified-same-value-rate", "bmi=0"]),
    "diverse": ([*PUBLISHED, "--l", "2"], ["--diverse", "bmi"]),
    "round": (PUBLISHED, ["--round", "bmi=10"]),
    "identifiers": ([], ["--identifiers", "who"]),
    "person": ([], SEVERAL),
    "one_record": (SEVERAL, ["--one-record", "last"]),
    "record_seed": ([*SEVERAL, "--one-record", "random"], ["--record-seed", "3"]),
    "provider": (["--m", "1"], ["--provider", "ward"]),
    "drop_unassigned": ([], []),
    "missing": ([], ["--missing", "drop"]),
    "missing_tokens": ([], ["--missing-tokens", "?"]),
    "taxonomy": ([], ["--taxonomy", "zip=tree.csv"]),
    "hierarchies": ([], ["--hierarchies", "zip"]),
    "date_format": (["--qids", "age,seen"], ["--date-format", "seen=%Y-%d-%m"]),
    "date_unit": (["--qids", "age,seen"], ["--date-unit", "seen=year"]),
    "agreement": ([], ["--agreement", "agreement.json"]),
    "least": ([], ["--least", "3"]),
    "stable": ([], ["--stable", "zip"]),
    "size": ([], ["--size", "40"]),
    "rare": ([], ["--rare", "0.4"]),
    "level": (["--taxonomy", "ill=ills.csv"], ["--level", "1"]),
    "k": ([], ["-k", "9"]),
    "l": ([], ["--l", "3"]),
    "diversity": (["--l", "2"], ["--diversity", "entropy"]),
    "c": (["--l", "2", "--diversity", "recursive"], ["--c", "0.7"]),
    "t": ([], ["--t", "0.3"]),
    "distance": (["--t", "0.3"], ["--distance", "ordered"]),
    "m": (["--provider", "ward"], ["--m", "1"]),
    "overlap": ([], ["--overlap", "30"]),
    "confidence": ([], ["--confidence", "0.7"]),
    "locate": ([], ["--locate", "published"]),
    "seed": ([], ["--seed", "5"]),
    "repeats": ([], ["--repeats", "3"]),
    "algorithm": ([], ["--algorithm", "mondrian"]),
    "releases": ([], ["--releases", "3"]),
    "their_k": ([], ["--their-k", "2"]),
    "their_algorithm": ([], ["--their-algorithm", "mdav"]),
    "their_records": ([], ["--their-records", "simulated"]),
    "their_files": (["--others", "theirs.csv", "--counts", "absent=zero"], ["--their-files", "mine"]),
    "their_size": ([], ["--their-size", "50"]),
    "same_value_rate": ([], ["--same-value-rate", "0.5"]),
    "case_mix": ([], ["--case-mix", "2"]),
    "before": ([], ["--before", "data.csv"]),
    "knows": ([], ["--knows", "target"]),
    "intruder": ([], ["--intruder", "list"]),
    "list_size": (["--intruder", "list"], ["--list-size", "500"]),
    "population_list": (["--intruder", "list", "--identifiers", "nr"], ["--population-list", "more.csv"]),
    "guess_by": (["--intruder", "list"], ["--guess-by", "zip"]),
    "count": ([], ["--count", "times"]),
    "engine": ([], ["--engine", "duckdb", "--memory", "1"]),
    "master": (BY_ENGINE, ["--master", "local"]),
    "memory": (BY_ENGINE, ["--memory", "1MB"]),
    "threads": (BY_ENGINE, ["--threads", "0"]),
    "work": (BY_ENGINE, ["--work", "nowhere"]),
    "out": ([], []),
    "json": ([], []),
    "save_scenario": ([], ["--save-scenario", "new/kept.json"]),
    "record": ([], ["--record", "new/record.json"]),
    "recipient": (["--record", "new/record.json"], ["--recipient", "the board"]),
    "force": (["--record", "old.json"], ["--force"]),
    "their_marks": (["--others", "theirs.csv"], ["--their-marks", "missing"]),
    "evidence": ([], ["--evidence", "new/evidence.json"]),
    "evidence_for": (["--evidence", "new/evidence.json"], ["--evidence-for", "openmed"]),
    "format": ([], ["--format", "csv"]),
    "strength": ([], ["--strength", "external"]),
    "salt_file": (["--strength", "external"], ["--salt-file", "salt"]),
    "salt": ([], ["--salt", "twelve letters"]),
    "register": ([], ["--register", "register.json"]),
    "question": ([], ["--question", "Publish?"]),
    "limits_by": (["--limit", "k=2"], ["--limits-by", "the board"]),
    "decision": ([], ["--decision", "decision.json"]),
    "classes": ([], ["--classes", "new/classes.csv"]),
    "keep_classes": ([], ["--keep-classes", "new/kept.csv"]),
    "counts": (["--others", "theirs.csv"], ["--counts", "absent=zero"]),
    "their_counts": ([], ["--their-counts", "age/10, zip"]),
    "my_counts": ([], ["--my-counts", "age/20"]),
    "key": (["--classes", "new/classes.csv"], ["--key", "nr"]),
    ("measure as published", "encoding"): ([], ["--encoding", "utf-16"]),
    ("measure as published", "decimal"): ([], []),  # it matters to the ordered distance alone: test_measure
    ("measure by the engine", "decimal"): ([], []),  # numbers of a published table are read as they stand
    ("report", "format"): ([], ["--format", "html"]),
    ("frequency-table", "force"): (["--out", "old.json"], ["--force"]),
    ("release", "force"): (["--out", "old"], ["--force"]),
    ("update", "force"): (["--out", "old.json"], ["--force"]),
    ("agree", "force"): (["--out", "old.json"], ["--force"]),
}
"""By option: what else is to be given, and it away from its default. A new one needs a line here."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a file for every option, in which all commands run."""
    folder, rng, n = tmp_path_factory.mktemp("world"), np.random.default_rng(3), 80
    frame = pd.DataFrame(
        {
            "nr": [f"r{i}" for i in range(n)],
            "who": [f"p{i % 70}" for i in range(n)],
            "age": [f"{age}.5" for age in rng.integers(20, 60, n)],
            "zip": [f"0{1000 + i % 9}" for i in range(n)],
            "seen": [f"2024-0{1 + i % 9}-0{1 + i % 7}" for i in range(n)],
            "bmi": rng.integers(18, 40, n).astype(str),
            "ward": rng.choice(["north", "south", "west"], n),
            "ill": rng.choice(["cold", "flu", "grippe é", "mumps"], n),
            "times": rng.integers(1, 4, n).astype(str),
        }
    )
    frame.loc[:3, "age"], frame.loc[4:8, "zip"], frame.loc[9:12, "ill"] = "?", "", ["?", "?", "", "?"]
    frame.to_csv(folder / "data.csv", index=False)
    frame[10:].to_csv(folder / "more.csv", index=False)
    frame.rename(columns={"who": "pid"}).to_csv(folder / "persons.csv", index=False)
    with pd.ExcelWriter(folder / "book.xlsx") as book:
        frame.to_excel(book, sheet_name="one", index=False)
        frame[10:].to_excel(book, sheet_name="two", index=False)
    schema = Schema(["age", "zip"], "ill", unassigned="drop")
    release = anonymize(read_table(folder / "more.csv"), schema, Policy(4), "mondrian").publish(1)
    release.astype(str).assign(zip=lambda f: f["zip"].where(f.index > 5, "")).to_csv(folder / "theirs.csv", index=False)
    (folder / "shares.csv").write_text("column,value,share\nill,flu,0.9\nill,cold,0.1\n")
    (folder / "tree.csv").write_text("".join(f"0{1000 + i};{'ab'[i % 2]};*\n" for i in range(9)))
    (folder / "list.csv").write_text("?;a\\ncold;a\nmumps;a\nflu;b\ngrippe é;b\n", encoding="utf-8")
    (folder / "ills.csv").write_text("?;a;*\ncold;a;*\nmumps;b;*\nflu;b;*\ngrippe é;b;*\n", encoding="utf-8")
    agreement = agree(frame[["age", "zip", "ill"]], Schema(["age", "zip"], "ill"), least=2)
    (folder / "agreement.json").write_text(agreement.to_json())
    (folder / "decision.json").write_text('{"what": "Wait."}')
    register = Register().add(Publication("noisy", date(2026, 1, 31), epsilon=1.0), ["A"])
    (folder / "register.json").write_text(register.to_json())
    (folder / "salt").write_text("twelve letters\n")
    (folder / "old.json").write_text("old")
    for name in ("lake", "old"):
        (folder / name).mkdir()
    frame[:40].to_csv(folder / "lake" / "1.csv", index=False)
    frame[40:].to_csv(folder / "lake" / "2.csv", index=False)
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "parser", functools.cache(parser))  # made anew for each run it takes half of the time
        assert ran("measure", *MADE, "--save-scenario", "kept.json")[0] == MET
        yield folder


def ran(command: str, *more: str) -> tuple[int, str, str, dict[str, bytes]]:
    """Status, output, what is said, and files of one run in a folder ``new``, which is gone afterwards."""
    Path("new").mkdir()
    start = [command, "--data", "data.csv"]
    start += ["--out", "new/out"] if command in (*COUNTING_COMMANDS, *AGREED) else []
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([*start, *more])
    files = {str(path): path.read_bytes() for path in sorted(Path("new").rglob("*")) if path.is_file()}
    shutil.rmtree("new")
    if status == BAD:
        assert (out.getvalue(), files) == ("", {})
        assert err.getvalue().endswith(".\n")
    assert status in (MET, BROKEN, BAD, OPEN), err.getvalue()
    return status, out.getvalue(), err.getvalue(), files


PART = {
    "report": [
        key
        for key in OPTIONS["report"]
        if key not in OPTIONS["attack"] or key in ("format", "evidence", "evidence_for")
    ],
    "frequency-table by the engine": ["delimiter", "qids", "sensitive", "memory"],
}
"""Where another way has the rest of the options, in less time."""


@pytest.mark.parametrize("way", WAYS)
def test_every_option_changes_what_comes_out_or_is_refused(way: str, world: Path) -> None:
    """Each option of the parser away from its default, beside the same run without it."""
    if "engine" in way:
        pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
    plain: dict[tuple[str, ...], Any] = {}
    lost = []
    command, given = WAYS[way]
    for key in PART.get(way, OPTIONS[command]):
        before, words = AWAY.get((way, key), AWAY[key])
        for start in ((*given, *before), (*given,)):
            if start not in plain:
                plain[start] = ran(command, *start)
            # Else what it goes with is refused here, so it goes alone.
            if plain[start][0] != BAD or key in ("force", "rows_are_people"):
                break
        if words and ran(command, *start, *words) == plain[start]:
            lost.append(key)
    assert not lost, lost


# ---- what is read is never written ----------------------------------------------------------------

READ = {
    "agreement": ["--agreement", "agreement.json"],
    "taxonomy": ["--taxonomy", "zip=tree.csv"],
    "data": ["--data", "more.csv"],
    "scenario": ["--scenario", "kept.json"],
    "others": ["--others", "theirs.csv"],
    "marginals": ["--marginals", "shares.csv"],
    "salt_file": ["--strength", "external", "--salt-file", "salt"],
    "decision": ["--decision", "decision.json"],
    "before": ["--before", "more.csv"],
    "population_list": ["--intruder", "list", "--identifiers", "nr", "--population-list", "more.csv"],
    "register": ["--register", "register.json"],
}
"""Options that name a file to read; the file is the last word that one has here."""
WRITTEN = ("out", "save_scenario", "record", "evidence", "classes", "keep_classes")
FILES = ("FILE", "FOLDER", "A=FILE", "LIST")


def test_every_option_that_names_a_file_is_one_to_read_or_to_write() -> None:
    named = {key for own in OPTIONS.values() for key, action in own.items() if action.metavar in FILES}
    assert named == {*READ, *WRITTEN, "work"}


@pytest.mark.parametrize("command", OPTIONS)
def test_no_output_touches_an_input(command: str, world: Path, tmp_path: Path) -> None:
    """Under its own name, through a link and from another folder, with --force and without."""
    (world / "link.csv").unlink(missing_ok=True)
    before = {path: path.read_bytes() for path in world.rglob("*") if path.is_file()}
    for key, output in itertools.product(READ, WRITTEN):
        if key not in OPTIONS[command] or output not in OPTIONS[command]:
            continue
        start = [*([] if key == "scenario" else WAYS[command][1]), *READ[key]]
        name = start[-1].replace("zip=", "")
        (world / "link.csv").symlink_to(world / name)
        for path, force in itertools.product((name, "link.csv", f"../{world.name}/{name}"), ([], ["--force"])):
            _, _, said, _ = ran(command, *start, f"--{output.replace('_', '-')}", path, *force)
            words = "is an input|not use|ends in .parquet" + ("" if force else "|exists")
            assert re.search(words, said), (key, output, path, said)
            assert {path: path.read_bytes() for path in before} == before, (key, output, path, force)
        (world / "link.csv").unlink()

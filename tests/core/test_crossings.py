"""Where two meet: several records a person, or a column without a role, at every door; nothing is too good unasked."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from core import Policy, Schema, agree, anonymize, measure
from core.base.errors import RepeatedIdentifierError, SchemaError
from core.cli import BAD, main
from core.data.encoding.encoded import encode
from core.data.tables.table import Table
from tests.strategies import message_of

FEW = (Phase.explicit, Phase.generate)
"""A run of a command takes too long to look for the smallest table that fails."""
ROLES = ["--qids", "age,sex", "--sensitive", "dx"]


def ran(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    return status, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def folder() -> Any:
    with TemporaryDirectory() as place, contextlib.chdir(place):
        yield Path(place)


# ---- several records a person ---------------------------------------------------------------

DOORS = {
    "release": ["release", "-k", "2", "--limit", "k=2", "--out", "out", "--force"],
    "release by the engine": ["release", "-k", "2", "--limit", "k=2", "--out", "out", "--force", "--engine", "duckdb"],
    "measure": ["measure", "-k", "2", "--limit", "k=2"],
    "measure by the engine": ["measure", "-k", "2", "--limit", "k=2", "--engine", "duckdb"],
    "attack": ["attack", "-k", "2", "--overlap", "2", "--repeats", "1"],
    "forecast": ["forecast", "-k", "2"],
    "report": ["report", "-k", "2", "--overlap", "2", "--repeats", "1", "--limit", "k=2"],
    "counts": ["counts", "-k", "2", "--my-counts", "sex"],
    "update": ["update", "-k", "2", "--before", "before.csv"],
    "agree": ["agree", "--least", "2", "--out", "agreement.json", "--force"],
    "frequency-table": ["frequency-table", "--out", "counts.parquet", "--force"],
    "frequency-table by the engine": ["frequency-table", "--out", "counts.parquet", "--force", "--engine", "duckdb"],
}
"""Commands that certify classes, or count records for one that does."""


@st.composite
def visits(draw: st.DrawFn) -> pd.DataFrame:
    """People with one record or several, at least one with several; some records without an identifier."""
    people = draw(st.lists(st.integers(1, 4), min_size=6, max_size=10).filter(lambda own: max(own) > 1))
    person = st.tuples(st.integers(20, 60), st.sampled_from("FM"))
    rows = []
    for number, records in enumerate(people):
        age, sex = draw(person)
        rows += [(f"P{number}", str(age), sex, draw(st.sampled_from(["flu", "gout"]))) for _ in range(records)]
    rows += [("P0", "20", "F", "flu"), ("P1", "30", "M", "gout")]
    return pd.DataFrame(rows, columns=["pid", "age", "sex", "dx"])


@pytest.mark.parametrize("door", DOORS)
@settings(max_examples=3, phases=FEW)
@given(visits())
def test_an_identifier_that_repeats_is_asked_about_at_every_door(door: str, frame: pd.DataFrame) -> None:
    if "engine" in door:
        pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
    command, *more = DOORS[door]
    with folder() as place:
        frame.to_csv("data.csv", index=False)
        frame[:-1].to_csv("before.csv", index=False)
        named = ["--identifiers", "pid"] if command not in ("agree", "frequency-table") else []
        dropped = ["--drop-unassigned"] if command != "frequency-table" else []
        for roles in (named, dropped) if command != "update" else (named,):
            status, out, err = ran(command, "--data", "data.csv", *ROLES, *roles, *more)
            assert (status, out) == (BAD, "")
            assert "'pid' repeats, so a person may have several records." in err
        assert sorted(path.name for path in place.iterdir()) == ["before.csv", "data.csv"]
        assert "repeats" not in ran(command, "--data", "data.csv", *ROLES, *roles, *more, "--rows-are-people")[2]


@settings(max_examples=15, phases=FEW)
@given(visits(), st.integers(2, 4))
def test_classes_of_a_release_hold_k_persons_where_a_column_tells_them(frame: pd.DataFrame, k: int) -> None:
    """Counted by hand in the file that says which class each row is in."""
    with folder():
        frame.to_csv("data.csv", index=False)
        limit = ["-k", str(k), "--limit", f"k={k}", "--out", "out", "--format", "csv", "--json"]
        status, out, err = ran(
            "release", "--data", "data.csv", *ROLES, "--person", "pid", *limit, "--classes", "rows.csv", "--key", "pid"
        )
        assert status == 0, err
        people = defaultdict(set)
        for person, number in csv.reader(Path("rows.csv").read_text().splitlines()[1:]):
            people[number].add(person)
        people.pop("", None)
        assert json.loads(out)["numbers"]["k"]["value"] == min(map(len, people.values())) >= k
        assert "pid" not in Path("out/part-00000.csv").read_text().splitlines()[0]


@settings(max_examples=15)
@given(visits())
def test_no_class_is_certified_in_the_library_either(frame: pd.DataFrame) -> None:
    for schema in (
        Schema(["age", "sex"], "dx", ["pid"]),
        Schema(["age", "sex"], "dx", other=["pid"]),
        Schema(["age", "sex"], "dx", unassigned="drop"),
    ):
        message = message_of(lambda own=schema: anonymize(frame, own, Policy(2)), RepeatedIdentifierError)
        assert "person column" in message
        message_of(lambda own=schema: agree(frame, own, least=2), RepeatedIdentifierError)
    persons = anonymize(frame, Schema(["age", "sex"], "dx", person="pid"), Policy(2))
    records = anonymize(frame, Schema(["age", "sex"], "dx", ["pid"], rows_are_people=True), Policy(2))
    assert persons.sizes.min() >= 2
    assert records.classes.sizes.min() >= 2


# ---- a column without a role in a published table ----------------------------------------------

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12).filter(
    lambda name: name.strip().casefold() not in ("age", "sex", "dx", "count", "n") and "=" not in name
)


@st.composite
def published(draw: st.DrawFn) -> tuple[pd.DataFrame, str]:
    """A release, and the name of one more column that was published with it; its texts may distinguish everybody."""
    classes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    rows = [
        (f"[{10 * number}-{10 * number + 9}]", draw(st.sampled_from("FM")), dx)
        for number, size in enumerate(classes)
        for dx in ["flu", "gout", "mumps", "rash"][:size]
    ]
    frame = pd.DataFrame(rows, columns=["age", "sex", "dx"]).assign(sex="F")
    name = draw(NAMES)
    return frame.assign(**{name: [f"v{number}" for number in range(len(frame))]}), name


AS_PUBLISHED = {
    "measure": ("data.csv", []),
    "measure, counted": ("counted.csv", ["--count", "count"]),
    "measure, by the engine": ("lake", []),
    "measure, counted by the engine": ("counts", ["--count", "count"]),
    "measure, ordered by the engine": ("lake", ["--distance", "hierarchical"]),
}


@pytest.mark.parametrize("door", AS_PUBLISHED)
@settings(max_examples=4, phases=FEW)
@given(published())
def test_a_published_column_without_a_role_is_refused_or_given_one(door: str, table: tuple[pd.DataFrame, str]) -> None:
    if "engine" in door:
        pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
    (frame, name), (data, more) = table, AS_PUBLISHED[door]
    quoted = io.StringIO()
    csv.writer(quoted, lineterminator="").writerow([name])
    with folder() as place:
        for path, rows in {"lake": frame, "counts": frame.assign(count="2")}.items():
            (place / path).mkdir()
            rows.to_csv(place / path / "part.csv", index=False)
        frame.to_csv("data.csv", index=False)
        frame.assign(count="2").to_csv("counted.csv", index=False)
        call = ["measure", "--data", data, *ROLES, *more]
        status, out, err = ran(*call, "--limit", "k=1")
        assert (status, out) == (BAD, "")
        assert "Column 4 of the table has no role" in err
        assert ran(*call, "--drop-unassigned")[0] == BAD
        for role in (f"--unmodified={quoted.getvalue()}", f"--identifiers={quoted.getvalue()}"):
            status, out, err = ran(*call, role, "--rows-are-people")
            assert (status == BAD) == ("hierarchical" in more), err


@settings(max_examples=5, phases=FEW)
@given(published())
def test_what_is_agreed_is_not_certified_with_a_column_that_links(table: tuple[pd.DataFrame, str]) -> None:
    frame, name = table
    public = pd.DataFrame(
        {"age": [str(n % 40) for n in range(240)], "sex": "F", "dx": [["flu", "gout"][n % 2] for n in range(240)]}
    )
    agreement = agree(public, Schema(["age", "sex"], "dx"), least=2)
    frame = frame[frame["dx"].isin(["flu", "gout"])]
    quoted = io.StringIO()
    csv.writer(quoted, lineterminator="").writerow([name])
    with folder():
        Path("agreement.json").write_text(agreement.to_json(), encoding="utf-8")
        frame.to_csv("data.csv", index=False)
        call = ["measure", "--data", "data.csv", *ROLES, "--agreement", "agreement.json", "--limit", "agreed=1"]
        assert "has no role" in ran(*call)[2]
        unmodified = f"--unmodified={quoted.getvalue()}"
        status, _, err = ran(*call, unmodified)
        assert status == BAD
        assert "An agreement guarantees nothing if" in err
        status, _, err = ran(*call, unmodified, "--unmodified-same-value-rate", f"{name}=0")
        assert status != BAD, err
    for unassigned in ("error", "drop"):
        schema = Schema(["age", "sex"], "dx", agreement=agreement, unassigned=unassigned)
        message_of(lambda own=schema: measure(Table.from_frame(frame), own), SchemaError)
        linking = schema.with_(unmodified=[name])
        assert "guarantees nothing" in message_of(
            lambda own=linking: measure(Table.from_frame(frame), own), SchemaError
        )


@pytest.mark.parametrize("texts", [("1", "1.0", "1.00", "2"), ("a", "a ", " a", "b"), ("=a", "'=a", "=a", "=b")])
def test_an_identifier_that_is_written_in_two_ways_is_one_person(texts: tuple[str, ...]) -> None:
    frame = pd.DataFrame({"pid": texts, "zip": list("AAAA"), "dx": list("xyxy")})
    with pytest.raises(RepeatedIdentifierError, match="'pid' repeats"):
        anonymize(frame, Schema(["zip"], "dx", identifiers=["pid"]), Policy(2))
    of_persons = Schema(["zip"], "dx", person="pid")
    assert encode(frame, of_persons).people == 2
    assert measure(frame, of_persons).k == 2


def test_a_published_table_is_measured_with_all_its_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "published.csv"
    path.write_text("zip,dx,ward\nA,x,1\nA,y,2\n")
    call = ["measure", "--data", str(path), "--qids", "zip", "--sensitive", "dx", "--columns", "zip,dx"]
    assert main([*call, "--limit", "k=2"]) == BAD
    assert "omit --columns" in capsys.readouterr().err

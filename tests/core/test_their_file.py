"""Files of other hospitals on the command line without a scenario: matched by names and values, and said so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core import Policy, Schema, Table, anonymize
from core.cli import BAD, MET, main

Captured = pytest.CaptureFixture[str]


def people(seed: int, rows: int = 500) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, rows).astype(str),
            "sex": rng.choice(["Male", "Female"], rows),
            "diagnosis": rng.choice([f"E{i:02}" for i in range(12)], rows),
            "stay": rng.choice(list("12345"), rows),
        }
    )


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """My table, another hospital's records under its own names and codes, and its release."""
    mine, theirs = people(0), pd.concat([people(0)[:100], people(1)])
    headers = {"age": "Age (years)", "sex": "gender", "diagnosis": "code", "stay": "stay"}
    theirs = theirs.assign(sex=theirs["sex"].str[0]).rename(columns=headers)
    roles = Schema(["Age (years)", "gender"], "code", unmodified=["stay"])
    released = anonymize(Table.from_frame(theirs), roles, Policy(k=4)).publish(seed=1)
    paths = tmp_path / "mine.csv", tmp_path / "raw.csv", tmp_path / "released.csv"
    for frame, path in zip((mine, theirs, released), paths, strict=True):
        frame.to_csv(path, index=False)
    return paths


def arguments(data: Path, other: Path, *more: str) -> list[str]:
    roles = ["--qids", "age,sex", "--sensitive", "diagnosis", "--unmodified", "stay"]
    return [
        "attack",
        "--data",
        str(data),
        "--others",
        str(other),
        *roles,
        "-k",
        "4",
        "--overlap",
        "100",
        *more,
        "--json",
    ]


def _whole_records(mine: Path, released: Path) -> float:
    """Share of my records that fit a class of a release, one by one."""
    classes = set(zip(*(pd.read_csv(released, dtype=str)[name] for name in ("Age (years)", "gender")), strict=True))

    def fits(age: int, sex: str) -> bool:
        return any(
            (ages == "*" or int(ages.strip("[]").split("-")[0]) <= age <= int(ages.strip("[]").split("-")[-1]))
            and (sexes == "*" or sex[0] in sexes)
            for ages, sexes in classes
        )

    own = pd.read_csv(mine)
    return sum(map(fits, own["age"], own["sex"])) / len(own)


def test_a_file_is_matched_by_its_names_and_values(
    files: tuple[Path, Path, Path], tmp_path: Path, capsys: Captured
) -> None:
    mine, _, released = files
    saved = tmp_path / "scenario.json"
    assert main(arguments(mine, released, "--save-scenario", str(saved))) == MET
    out, err = capsys.readouterr()
    assert "'gender' is 'sex', 'code' is 'diagnosis', 'stay' is 'stay'" in err
    assert f"So matched, {100 * _whole_records(mine, released):.1f}% of my records can be in it" in err
    assert "Female" not in err  # no cell is said
    numbers = json.loads(out)["numbers"]
    assert main(["attack", "--data", str(mine), "--scenario", str(saved), "--others", str(released), "--json"]) == MET
    assert json.loads(capsys.readouterr().out)["numbers"] == numbers


def test_a_file_that_nothing_is_matched_with_is_refused(files: tuple[Path, Path, Path], capsys: Captured) -> None:
    mine, _, _ = files
    strange = mine.with_name("strange.csv")
    pd.DataFrame({"colour": ["red", "blue"] * 50, "taste": ["sweet"] * 100}).to_csv(strange, index=False)
    assert main(arguments(mine, strange)) == BAD
    assert "diagnosis" in capsys.readouterr().err

"""Published files are measured on the engine by formulas of its own: the slow twin is core's measurement."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Schema, examples
from core.base.errors import InputError
from core.cli import BAD, MET, main
from core.engine import EngineBudget, measure_files, measuring
from core.measurement import measure

pytestmark = pytest.mark.skipif(find_spec("duckdb") is None, reason="the engine is optional: pip install duckdb")
CELLS = st.sampled_from(["[1-2]", "{a, b}", "*", "it's", 'say "x"', ""])
SUPPRESSED = st.sampled_from([("*", "***", "flu"), ("", " ", "cold"), ("NA", "<NA>", "")])
VALUES = st.sampled_from(["flu", "cold", "ulcer", "", "?"])


def in_files(frame: pd.DataFrame, folder: Path, cuts: list[int], file_format: str = "parquet") -> str:
    for number, rows in enumerate(np.split(np.arange(len(frame)), cuts)):
        part = frame.iloc[rows]
        if file_format == "parquet":
            part.astype("string").to_parquet(folder / f"{number}.parquet", row_group_size=700)
        else:
            part.to_csv(folder / f"{number}.csv", index=False)
    return str(folder)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.one_of(st.tuples(CELLS, CELLS, VALUES), SUPPRESSED), min_size=1, max_size=30),
    file_format=st.sampled_from(["parquet", "csv"]),
    data=st.data(),
)
def test_the_engine_measures_what_core_measures(
    rows: list[tuple[str, str, str]], file_format: str, data: st.DataObject
) -> None:
    frame = pd.DataFrame(rows, columns=["age's", 'z"ip', "ill"], dtype=object)
    tokens = data.draw(st.sampled_from([("",), ("", "?")]))
    schema = Schema(["age's", 'z"ip'], "ill", unassigned="drop", missing_tokens=tokens)
    with TemporaryDirectory() as place:
        in_files(frame, Path(place), [data.draw(st.integers(0, len(rows)))], file_format)
        ours = measure_files(place, schema.quasi_identifiers, "ill", EngineBudget("200MB", 1), missing=tokens)
    twin = measure(frame, schema)
    assert (ours.rows, ours.classes, ours.suppressed) == (twin.rows, twin.classes, twin.suppressed)
    assert ours.numbers == pytest.approx(twin.numbers, abs=1e-9)


def test_the_command_measures_what_was_declared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "city.csv"
    examples.city(900).to_frame().to_csv(data, index=False)
    columns = ["--qids", "age,sex,zip code", "--sensitive", "diagnosis"]
    for file_format in ("parquet", "csv"):
        out = tmp_path / file_format
        made = ["release", "--data", str(data), *columns, "--drop-unassigned", "-k", "9", "--format", file_format]
        assert main([*made, "--out", str(out), "--json"]) == MET
        declared = json.loads(capsys.readouterr().out)["numbers"]
        looked = ["measure", "--data", str(out), *columns]
        assert main([*looked, "--json"]) == MET
        shown = json.loads(capsys.readouterr().out)
        assert declared.keys() - shown["numbers"].keys() == {"loss"}
        for name, number in shown["numbers"].items():
            assert number["value"] == pytest.approx(declared[name]["value"])
            assert (number["n"], number["of"]) == (declared[name]["n"], declared[name]["of"])
        # Distances that need an order come from the frequency table of the files.
        assert main([*looked, "--distance", "ordered", "--json"]) == MET
        assert json.loads(capsys.readouterr().out)["numbers"]["k"]["value"] == declared["k"]["value"]
        assert main([*looked, "--person", "id"]) == BAD
        assert "do not identify the person" in capsys.readouterr().err


def test_numbers_are_no_published_texts(tmp_path: Path) -> None:
    pd.DataFrame({"age": [1, 2], "ill": ["a", "b"]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="does not hold text"):
        measure_files(str(tmp_path), ["age"], "ill")
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "a.csv").write_text("age,ill\n")
    with pytest.raises(InputError, match="no rows"):
        measure_files(str(empty), ["age"], "ill")


def in_order(classes: int, seed: int) -> pd.DataFrame:
    """Rows of classes that look different, class after class, their values in any order."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 12, classes)
    cells = np.array([(f"[{n // 40}-{n}]", "*" if n % 3 else "") for n in rng.permutation(classes)])
    ill = rng.choice(["flu", "cold", "ulcer", "", "?"], int(size.sum()), p=[0.5, 0.3, 0.1, 0.05, 0.05])
    return pd.DataFrame(np.column_stack([np.repeat(cells, size, axis=0), ill]), columns=["age", "zip", "ill"])


def test_columns_may_have_the_names_that_the_engine_uses(tmp_path: Path) -> None:
    names = ["v", "i", "k0", "file_index", "n", "file_row_number", "x0"]
    frame = in_order(60, 3)
    for name in names:
        frame[name] = frame["age"]
    frame["s"] = frame["ill"]
    place = in_files(frame, tmp_path, [100])
    twin = measure(frame, Schema(["age", "zip"], "ill", unassigned="drop"))
    for qids, sensitive in ((["age", "zip", *names], "ill"), (["age", "zip"], "s"), (["zip", "v"], "ill")):
        ours = measure_files(place, qids, sensitive)
        assert (ours.rows, ours.classes) == (twin.rows, twin.classes)
        assert ours.numbers == pytest.approx(twin.numbers, abs=1e-9)


def refuse(*_: object) -> None:
    raise AssertionError("this way is not taken")


@pytest.mark.parametrize(("classes", "times"), [(800, 1), (30, 400)])
@pytest.mark.parametrize("cuts", [[], [1_000, 1_001, 2_500]])
def test_classes_in_order_are_measured_as_they_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, classes: int, times: int, cuts: list[int]
) -> None:
    """Whether a class lies within a row group, or goes on over several, and over files."""
    frame = in_order(classes, len(cuts))
    place = in_files(frame.iloc[np.repeat(np.arange(len(frame)), times)], tmp_path, cuts)
    frame = pd.concat([frame] * times)
    monkeypatch.setattr(measuring, "LOOKED", 50)
    told: list[float] = []
    monkeypatch.setattr(measuring, "_grouped", refuse)
    found = measure_files(place, ["age", "zip"], "ill", EngineBudget("200MB"), missing=["?"], progress=told.append)
    twin = measure(frame, Schema(["age", "zip"], "ill", missing_tokens=("", "?")))
    assert (found.rows, found.classes) == (twin.rows, twin.classes)
    assert found.numbers == pytest.approx(twin.numbers, abs=1e-9)
    assert told == sorted(told)


@pytest.mark.parametrize("how", ["shuffled", "again in another file", "no room", "large groups"])
def test_classes_in_another_order_are_grouped_by_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    frame, cuts = in_order(800, 5), list[int]()
    if how == "shuffled":
        frame = frame.sample(frac=1.0, random_state=1)
    elif how == "again in another file":
        frame, cuts = pd.concat([frame, frame]), [len(frame)]
    elif how == "no room":
        monkeypatch.setattr(measuring, "PART_OF_MEMORY", 10**6)
    else:
        monkeypatch.setattr(measuring, "LARGEST", 600)
    place = in_files(frame, tmp_path, cuts)
    monkeypatch.setattr(measuring, "LOOKED", 50)
    found = measure_files(place, ["age", "zip"], "ill", EngineBudget("200MB", 2))
    twin = measure(frame, Schema(["age", "zip"], "ill"))
    assert (found.rows, found.classes) == (twin.rows, twin.classes)
    assert found.numbers == pytest.approx(twin.numbers, abs=1e-9)
    monkeypatch.setattr(measuring, "_grouped", refuse)
    with pytest.raises(AssertionError, match="not taken"):
        measure_files(place, ["age", "zip"], "ill", EngineBudget("200MB", 2))

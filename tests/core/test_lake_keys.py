"""Rows as whole numbers on the engine: every row has its own, whatever the columns are called."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Policy, Schema, Tally, anonymize, read_table
from core.data.table import Limits
from core.lake import Bounds, Output, counted_on_engine, keys, release_by_blocks, tally_of_files, words_of
from core.lake.keys import Keys
from tests.lakes import same

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")

HERE = Limits(isolated=False)
NAMES = ["k0", "v", "i", "n", "x0", "given", "keyed", "g0", "c1"]
"""What the engine's own tables and columns are called."""


@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=5), most=st.integers(4, 40))
def test_keys_tell_all_rows_apart(sizes: list[int], most: int) -> None:
    """The arithmetic that the engine is asked for, done by DuckDB on all rows that there can be."""
    duckdb = pytest.importorskip("duckdb")
    with pytest.MonkeyPatch.context() as patch, duckdb.connect() as engine:
        patch.setattr(keys, "MOST", most)
        own = Keys("v", tuple(sizes))
        packed, names = own.packed, own.names
        assert len(packed) == len(names)
        assert all(
            np.prod([size for size, (key, _) in zip(sizes, own._places, strict=True) if key == at]) <= most
            for at in range(len(names))
        )
        for column, size in enumerate(sizes):
            engine.execute(f"CREATE TABLE v{column} AS SELECT i AS v, i::INTEGER AS i FROM range({size}) AS t(i)")
        rows = pd.DataFrame(itertools.product(*map(range, sizes)), columns=[f"c{n}" for n in range(len(sizes))])
        engine.register("rows", rows)
        chosen = ", ".join(f"{key} AS {name}" for key, name in zip(packed, names, strict=True))
        cells = [f"rows.c{column}" for column in range(len(sizes))]
        engine.execute(f"CREATE TABLE keyed AS SELECT {chosen}, rows.* FROM rows {own.joins(cells)}")
        distinct = engine.sql(f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(names)} FROM keyed)").fetchall()
        assert distinct == [(len(rows),)]
        back = " AND ".join(f"{own.number(column, 'keyed')} = c{column}" for column in range(len(sizes)))
        assert engine.sql(f"SELECT count(*) FROM keyed WHERE {back}").fetchall() == [(len(rows),)]


def frame_of(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({name: rng.choice(list("abcd"), rows) for name in NAMES})
    frame.loc[rng.random(rows) < 0.1, "v"] = None
    return pd.concat([frame, frame.iloc[: rows // 2]])


@pytest.mark.parametrize("most", [2**63, 64, 4])
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_names_of_the_engine_and_rows_of_several_keys(
    most: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "MOST", most)
    frame = frame_of(200)
    (tmp_path / "lake").mkdir()
    if kind == "csv":
        frame.to_csv(tmp_path / "lake" / "1.csv", index=False)
    else:
        frame.to_parquet(tmp_path / "lake" / "1.parquet", index=False)
    frame.to_csv(tmp_path / "whole.csv", index=False)
    expected = Tally.of(read_table(tmp_path / "whole.csv", limits=HERE), NAMES)
    same(tally_of_files(str(tmp_path / "lake"), NAMES), expected)
    schema, policy = Schema(NAMES[:-1], NAMES[-1], others="drop"), Policy(5)
    with counted_on_engine(str(tmp_path / "lake"), NAMES, Bounds(threads=2)) as there:
        assert there.rows == len(expected)
        written = release_by_blocks(there, words_of(there), schema, policy, Output(tmp_path / "out", "csv"), 20)
    assert written.blocks > 2
    published = pd.concat(pd.read_csv(path, dtype=str, keep_default_na=False) for path in (tmp_path / "out").iterdir())
    twin = anonymize(expected, schema, policy).publish(seed=0).astype(str)
    in_order = (one[NAMES].sort_values(NAMES).reset_index(drop=True) for one in (published, twin))
    pd.testing.assert_frame_equal(*in_order)

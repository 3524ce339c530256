"""Folders of files, and columns of every type, that engines count; what their results and refusals have in common."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from core import FrequencyTable
from core.base.errors import CompositionError

SECRET = "Zzyzx7"  # a cell that must never be told
COLUMNS = ("age", "sex", "ill")


def in_parts(table: pa.Table, folder: Path, parts: int = 3, **how: Any) -> None:
    folder.mkdir(exist_ok=True)
    ends = np.linspace(0, len(table), parts + 1).astype(int)
    for number, (begin, end) in enumerate(pairwise(ends)):
        parquet.write_table(table.slice(begin, end - begin), folder / f"part {number}.parquet", **how)


def invented(folder: Path, rows: int, places: int = 30_000, first: int = 0) -> tuple[str, ...]:
    """Write made-up people whose rows nearly all differ as Parquet files; those of a number are always the same."""
    drawn = np.random.default_rng(7).random((7, first + rows))[:, first:]
    columns = {
        "age": (17 + 74 * drawn[0] ** 1.6).astype(np.int32),
        "sex": np.where(drawn[1] < 0.48, "f", "m"),
        "education": np.char.add("e", (16 * drawn[2] ** 2).astype(int).astype(str)),
        "race": np.char.add("r", (5 * drawn[3] ** 4).astype(int).astype(str)),
        "country": np.char.add("c", (41 * drawn[4] ** 12).astype(int).astype(str)),
        "place": np.char.add("p", (places * drawn[5] ** 2).astype(int).astype(str)),
        "diagnosis": np.char.add("d", (14 * drawn[6] ** 1.5).astype(int).astype(str)),
    }
    in_parts(pa.table(columns), folder)
    return tuple(columns)


def people(rows: int = 3000) -> pa.Table:
    rng = np.random.default_rng(2)
    age = rng.integers(18, 90, rows).astype(object)
    age[::50] = None
    return pa.table(
        {
            "name": [f"person {i}" for i in range(rows)],
            "age": pa.array(age.tolist(), pa.int32()),
            "sex": pa.array(rng.choice(["f", "m"], rows)).dictionary_encode(),
            "ill": pa.array(rng.choice(["flu", "cold", 'it\'s "tb"', "ulcer"], rows).tolist()),
        }
    )


def same(one: FrequencyTable, other: FrequencyTable) -> None:
    assert one.content_id == other.content_id
    assert one.table.to_frame().equals(other.table.to_frame())
    np.testing.assert_array_equal(one.counts, other.counts)


def message(call: Callable[[], Any], error_class: type[CompositionError] = CompositionError) -> str:
    with pytest.raises(error_class) as refused:
        call()
    error: BaseException | None = refused.value
    assert SECRET not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert str(error).count(". ") <= 1
    return str(error)


VALUES: dict[str, pa.Array] = {
    "whole floats": pa.array([1.0, 2.0, None, float("nan"), 2.0, -0.0]),
    "floats": pa.array([0.1, 2.0, None, float("nan"), 1e300, 0.1]),
    "single precision": pa.array([0.1, 2.5, None, 7.0, 0.1, 0.1], pa.float32()),
    "truth": pa.array([True, False, None, True, True, True]),
    "bytes of numbers": pa.array([1, 255, None, 3, 1, 1], pa.uint8()),
    "big": pa.array([2**63 - 1, 2**53 + 1, None, 0, -1, -1], pa.int64()),
    "bigger": pa.array([2**64 - 1, 2**53 + 1, None, 0, 1, 1], pa.uint64()),
    "decimals": pa.array([decimal.Decimal(x) for x in ("1.20", "3.00", "0.05", "7.00", "1.20", "1.20")]),
    "dates": pa.array([datetime.date(2020, 1, day) for day in (1, 2, 3, 4, 1, 1)]),
    "times": pa.array([datetime.time(12, minute) for minute in (1, 2, 3, 4, 1, 1)]),
    "stamps": pa.array([datetime.datetime(2020, 1, day, 0, day % 2) for day in (1, 2, 3, 4, 1, 1)]),
    "zoned": pa.array(
        [datetime.datetime(2020, 1, day, tzinfo=datetime.UTC) for day in (1, 2, 3, 4, 1, 1)],
        pa.timestamp("us", "Europe/Berlin"),
    ),
    "durations": pa.array([datetime.timedelta(seconds=x) for x in (1, 90, 3, 4, 1, 1)]),
    "large texts": pa.array(["", None, " a ", "é", "=1+1", "a,b"], pa.large_string()),
    "dictionary": pa.array(["x", None, "y", "x", "x", ""]).dictionary_encode(),
    "nothing": pa.nulls(6),
}

"""Charts of the forecast: valid, with safe field names, and with the user's texts as nothing but data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.papers.real_risk import beside_real
from benchmarks.papers.sattar import estimated_and_real
from core import Policy, Schema, Table, figures
from core.data.encoding import Encoded, encode
from core.figures import SERIES
from core.forecast import forecast_curve
from core.study.hospitals import Study
from tests.hostile import FORMULA, LONG_NAME, PATH, QUOTED, SCRIPT

NAMES = [PATH, QUOTED, SCRIPT]
TEXTS = [*NAMES, FORMULA, LONG_NAME]


FIELDS = {
    "top",
    "what",
    "attribute",
    "change",
    "classes",
    "count",
    "estimated",
    "expected",
    "expected_high",
    "expected_low",
    "high",
    "k",
    "line",
    "loss",
    "low",
    "now",
    "order",
    "part",
    "people",
    "really_pinned",
    "series",
    "share",
    "simulated",
    "step",
    "text",
    "values",
}


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: rng.integers(0, 20, 300).astype(str) for name in NAMES})
    frame[LONG_NAME] = rng.choice(TEXTS, 300)
    return encode(Table.from_frame(frame), Schema(NAMES, LONG_NAME))


def inside(part: Any, key: str) -> Iterator[Any]:
    """Yield every value under a key of a specification, the data left out."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name == key:
                yield value
            if name not in ("datasets", "data"):
                yield from inside(value, key)
    elif isinstance(part, list):
        for value in part:
            yield from inside(value, key)


def checked(chart: Any, hostile: bool = False) -> dict[str, Any]:
    spec: dict[str, Any] = chart.to_dict()
    fields = {field for field in inside(spec, "field") if isinstance(field, str)}
    assert fields <= FIELDS, fields - FIELDS
    data = spec.pop("datasets")
    if not hostile:
        assert not any(text in str(spec) for text in TEXTS)
    for rows in data.values():
        assert {row["series"] for row in rows if "series" in row} <= set(SERIES)
    spec["rows"] = [row for rows in data.values() for row in rows]
    return spec


@pytest.mark.parametrize("reading", ["at least l", "every subset"])
def test_the_curve_has_its_two_lines_and_the_present_k(encoded: Encoded, reading: str) -> None:
    frame = forecast_curve(encoded, Policy(5), [2, 5, 20])
    rows = checked(figures.forecast_curve(frame, 5, reading))["rows"]
    people = {row["k"]: row["share"] for row in rows if row.get("line") == "People in vulnerable classes"}
    assert people == dict(zip(frame["k"], frame["people" if reading == "at least l" else "people_subset"], strict=True))
    assert {"k": 5, "series": "my release"} in rows
    assert len({row["text"] for row in rows if "text" in row}) == 2


def test_estimated_beside_real(encoded: Encoded) -> None:
    frame = beside_real(encoded, Study.alike(Policy(3), 40), [3, 6])
    rows = checked(estimated_and_real(frame))["rows"]
    shown = {row["k"]: row["share"] for row in rows if row.get("line") == "estimated"}
    assert shown == dict(zip(frame["k"], frame["estimated"], strict=True))

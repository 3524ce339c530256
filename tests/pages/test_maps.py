"""The partition as a picture: every class in its place, in its colour, and no name taken for markup."""

from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core import Policy, Schema, Table
from core.algorithms import partition
from core.base.errors import InfeasibleError
from core.data.encoding import Encoded, encode
from pages.release import partition_map
from tests.colours import luminance
from tests.hostile import HTML
from tests.strategies import Case, cases


def encoded_of(**columns: list[str]) -> Encoded:
    frame = pd.DataFrame(columns | {"secret": [f"v{i % 3}" for i in range(len(next(iter(columns.values()))))]})
    return encode(Table.from_frame(frame), Schema(list(columns), "secret"))


def figure(encoded: Encoded, k: int = 3) -> tuple[go.Figure, pd.DataFrame]:
    frame = partition_map.rectangles(partition(encoded, Policy(k)))
    return partition_map.partition_map(frame, encoded.qids), frame


def bars(picture: go.Figure, field: str) -> np.ndarray:
    return np.concatenate([np.asarray(part[field], dtype=float) for part in picture.data if part.type == "bar"])


@given(case=cases(rows=(2, 40), qids=2), k=st.integers(1, 4))
def test_rectangles_hold_every_class_and_every_person_once(case: Case, k: int) -> None:
    try:
        release = partition(case.encoded, Policy(k))
    except InfeasibleError:
        assume(False)
    frame = partition_map.rectangles(release)
    assert frame["people"].sum() == release.sizes.sum()
    assert frame["classes"].sum() == len(release.sizes)
    assert not frame.duplicated(partition_map.CORNERS).any()
    picture = partition_map.partition_map(frame, case.encoded.qids)
    assert len(bars(picture, "x")) == len(frame)
    assert (bars(picture, "width") > 0).all()
    assert (bars(picture, "y") > 0).all()


@given(values=st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_colours_rank_and_never_mix(values: list[int]) -> None:
    distinct = np.array(values)
    steps = partition_map.steps(distinct)
    assert sum(rows.sum() for _, rows in steps) == len(distinct)
    several = [distinct[rows] for colour, rows in steps if colour != partition_map.RED]
    assert all(stronger.min() > weaker.max() for stronger, weaker in pairwise(several))
    assert all((distinct[rows] <= 1).all() for colour, rows in steps if colour == partition_map.RED)


def test_the_steps_differ_in_lightness_alone() -> None:
    """Relative luminance falls from step to step, so the order survives any colour blindness."""
    light = [luminance(colour) + 0.05 for colour, _ in partition_map.steps(np.arange(100) + 2)]
    assert len(light) == 4
    assert all(a / b > 1.3 for a, b in pairwise(light))
    assert [colour for colour, _ in partition_map.steps(np.array([5, 5, 5]))] == [partition_map.WHITE], "all are equal"


def test_beyond_the_limit_the_rest_is_one_path_a_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_map, "MOST", 20)
    encoded = encoded_of(a=[str(i % 31) for i in range(900)], b=[str(i % 29) for i in range(900)])
    picture, frame = figure(encoded, k=2)
    paths = [part for part in picture.data if part.type == "scatter"]
    assert len(bars(picture, "x")) == 20
    assert sum(np.isnan(np.asarray(path.x, dtype=float)).sum() for path in paths) == len(frame) - 20
    assert 1 <= len(paths) <= 5


def test_classes_with_one_value_are_hatched_red_and_on_top() -> None:
    ages = [str(i) for i in range(20)]
    frame = pd.DataFrame({"age": ages, "zip": ages, "s": ["same"] * 10 + [f"v{i}" for i in range(10)]})
    picture, _ = figure(encode(Table.from_frame(frame), Schema(["age", "zip"], "s")), k=5)
    top = picture.data[-1]
    assert top.marker.color == partition_map.RED
    assert top.marker.pattern.shape == "/"
    assert top.name == "1: all alike"


def test_names_and_values_are_no_markup() -> None:
    frame = {HTML: [f"{HTML}{i}" for i in range(9)], "b": ["<i>", "&lt;", "c"] * 3, "s": ["x", "y", "z"] * 3}
    picture, _ = figure(encode(Table.from_frame(pd.DataFrame(frame)), Schema([HTML, "b"], "s")), k=1)
    shown = [*picture.layout.xaxis.ticktext, *picture.layout.yaxis.ticktext, picture.layout.xaxis.title.text]
    drawn_bars = [part for part in picture.data if part.type == "bar"]
    shown += [str(cell) for part in drawn_bars for cell in np.asarray(part.customdata).ravel()]
    assert all("<" not in text for text in shown)
    assert all("%{x}" not in part.hovertemplate for part in drawn_bars)
    assert set(partition_map.harmless("<b>&").split("&")) == {"", "lt;b", "gt;", "amp;"}

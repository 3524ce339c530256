"""The partition as a picture: every class in its place, in its colour, and no name taken for markup."""

from datetime import date
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core import Policy, Release, Schema, Table, Taxonomy, examples
from core.algorithms import partition
from core.algorithms.mondrian.trace import trace
from core.base.errors import InfeasibleError
from core.data.domain import Domain
from core.data.encoding import Encoded, encode
from core.data.schema import Kind
from core.release.class_table import class_table
from pages.release import partition_map
from tests.hostile import HTML
from tests.strategies import Case, cases


def city(residents: int = 1500) -> Encoded:
    return encode(examples.city(residents, seed=4), examples.city_schema())


def encoded_of(**columns: list[str]) -> Encoded:
    frame = pd.DataFrame(columns | {"secret": [f"v{i % 3}" for i in range(len(next(iter(columns.values()))))]})
    return encode(Table.from_frame(frame), Schema(list(columns), "secret"))


def drawn(release: Release, first: int, second: int | None) -> pd.DataFrame:
    return partition_map.rectangles(release, class_table(release), first, second)


# --- axes --------------------------------------------------------------------------------------


def number_domain(*values: str) -> Domain:
    return encoded_of(x=list(values) * 2).qids[0]


def test_numbers_stand_to_scale_and_touch() -> None:
    axis = partition_map.axis(number_domain("1", "2", "4", "5"))
    assert axis.edges.tolist() == [0.5, 1.5, 3.0, 4.5, 5.5]
    assert not axis.ranked
    assert set(axis.places) <= {1.0, 2.0, 3.0, 4.0, 5.0}


def test_one_far_number_does_not_fill_the_picture() -> None:
    axis = partition_map.axis(number_domain(*map(str, [*range(20), 99999])))
    assert axis.ranked
    assert np.diff(axis.edges).tolist() == [1.0] * 21
    assert axis.texts[-1] == "99999"


def test_a_missing_number_has_a_strip_of_its_own() -> None:
    domain = number_domain("1", "2", "3", "")
    axis = partition_map.axis(domain)
    assert len(axis.edges) == domain.size + 1
    assert (np.diff(axis.edges) > 0).all()
    assert axis.texts[-1] == "(missing)"
    assert axis.edges[-2] < axis.places[-1] < axis.edges[-1]
    assert (np.diff(axis.places) > 0).all()


def test_a_constant_column_still_has_an_axis() -> None:
    axis = partition_map.axis(number_domain("7"))
    assert axis.edges[0] < 7 < axis.edges[1]
    assert axis.places == (7.0,)


@pytest.mark.parametrize("low, high", [(0.0, 1.0), (17.0, 90.0), (-5.0, 5.0), (0.001, 0.002), (1e6, 9e7)])
def test_ticks_are_round_and_inside(low: float, high: float) -> None:
    ticks = partition_map.nice_ticks(low, high)
    assert 3 <= len(ticks) <= 12
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)


def test_a_taxonomy_is_labelled_by_the_deepest_level_that_fits() -> None:
    zips = [f"{a}{b:02d}" for a in range(4) for b in range(10)]
    schema = Schema(["zip"], "s", taxonomies={"zip": Taxonomy.from_prefixes(zips, keep=(1,))})
    frame = pd.DataFrame({"zip": zips * 2, "s": ["a", "b"] * 40})
    axis = partition_map.axis(encode(Table.from_frame(frame), schema).qids[0])
    assert axis.texts == ("0**", "1**", "2**", "3**")
    assert axis.places == (4.5, 14.5, 24.5, 34.5)


def test_many_categories_get_few_labels() -> None:
    axis = partition_map.axis(encoded_of(c=[f"c{i:03d}" for i in range(200)]).qids[0])
    assert len(axis.texts) <= 14
    assert axis.texts[0] == "c000"
    assert axis.texts[-1] == "c199"


# --- rectangles --------------------------------------------------------------------------------


def test_rectangles_hold_every_class_and_every_person_once() -> None:
    encoded = city()
    release = partition(encoded, Policy(4))
    table = class_table(release)
    for first, second in ((0, 2), (2, 0), (1, 4), (5, None)):
        frame = partition_map.rectangles(release, table, first, second)
        assert frame["people"].sum() == len(encoded)
        assert frame["classes"].sum() == len(table)
        corners = frame[["x_low", "x_high", "y_low", "y_high"]]
        assert not corners.duplicated().any()


@settings(max_examples=60, deadline=None)
@given(case=cases(rows=(4, 40)), data=st.data())
def test_every_rectangle_is_that_of_its_classes(case: Case, data: st.DataObject) -> None:
    encoded = case.encoded
    assume(len(encoded.qids) > 1)
    policy = Policy(data.draw(st.integers(1, 4)))
    try:
        release = partition(encoded, policy)
    except InfeasibleError:
        assume(False)
    table = class_table(release)
    first, second = data.draw(st.permutations(range(len(encoded.qids))))[:2]
    low, high = release.regions
    expected: dict[tuple[int, ...], list[int]] = {}
    for number in range(len(table)):
        corner = (low[number, first], high[number, first], low[number, second], high[number, second])
        expected.setdefault(tuple(map(int, corner)), []).append(number)
    found = partition_map.rectangles(release, table, first, second)
    assert len(found) == len(expected)
    for row in found.itertuples():
        members = table.iloc[expected[row.x_low, row.x_high, row.y_low, row.y_high]]
        assert row.classes == len(members)
        assert row.people == members["size"].sum()
        assert row.size == members["size"].min()
        assert row.distinct == members["distinct"].min()
        assert row.distance == members["distance"].max()
        weakest = table.iloc[row.weakest]
        assert row.weakest in set(members["class_number"])
        assert weakest["distinct"] == row.distinct


def test_classes_cut_on_two_columns_alone_do_not_overlap() -> None:
    encoded = encoded_of(a=[str(i % 17) for i in range(300)], b=[str(i % 13) for i in range(300)])
    frame = drawn(partition(encoded, Policy(3)), 0, 1)
    plane = np.zeros((17, 13), dtype=int)
    for row in frame.itertuples():
        plane[row.x_low : row.x_high + 1, row.y_low : row.y_high + 1] += 1
    assert plane.max() == 1


def test_the_cuts_end_in_the_classes_of_the_release() -> None:
    encoded = encoded_of(a=[str(i % 17) for i in range(300)], b=[f"c{i % 13:02d}" for i in range(300)])
    story = trace(encoded, Policy(3))
    end = partition_map.nodes(story, len(story.cuts), encoded.qids)
    release = drawn(partition(encoded, Policy(3)), 0, 1)
    corners = ["x_low", "x_high", "y_low", "y_high", "people"]
    ordered = [frame.sort_values(corners)[corners].to_numpy() for frame in (end, release)]
    assert (ordered[0] == ordered[1]).all()
    start = partition_map.nodes(story, 0, encoded.qids)
    assert start[["people", "fresh"]].to_numpy().tolist() == [[300, 0]]


def test_the_parts_of_the_last_cut_are_marked() -> None:
    encoded = encoded_of(a=[str(i) for i in range(40)], b=[str(i % 7) for i in range(40)])
    story = trace(encoded, Policy(2))
    for number, cut in enumerate(story.cuts, start=1):
        frame = partition_map.nodes(story, number, encoded.qids)
        fresh = frame[frame["fresh"] > 0].sort_values("fresh")
        assert fresh["people"].tolist() == story.sizes[list(cut.parts)].tolist()


def test_numbers_read_as_published() -> None:
    encoded = encoded_of(a=["1", "2", "3", "9"] * 3, b=["x", "x", "y", "y"] * 3)
    frame = partition_map.numbers(drawn(partition(encoded, Policy(6)), 0, 1), encoded.qids)
    assert list(frame.columns) == ["across", "up", "people", "classes", "size", "distinct", "distance"]
    assert set(frame["across"]) == {"[1-2]", "[3-9]"}


# --- colours -----------------------------------------------------------------------------------


@settings(max_examples=200)
@given(
    values=st.lists(st.integers(0, 40), min_size=1, max_size=200),
    colouring=st.sampled_from(sorted(partition_map.COLOURINGS)),
)
def test_bands_rank_and_never_mix(values: list[int], colouring: str) -> None:
    numbers = np.array(values, dtype=float) / (40 if colouring == "distance" else 1)
    steps = partition_map.bands(numbers, colouring)
    assert len(steps.colours) == len(steps.texts) == len(set(steps.of.tolist()))
    assert len(set(steps.colours)) == len(steps.colours)
    weak = -numbers if colouring == "distance" else numbers
    for step in range(len(steps.colours) - 1):
        assert weak[steps.of == step].min() > weak[steps.of == step + 1].max(), "a stronger step holds stronger classes"
    red = (
        {steps.colours[i] == partition_map.RED for i in steps.of[numbers <= 1]} if colouring == "distinct" else {False}
    )
    assert red <= {colouring == "distinct"}
    assert (partition_map.RED in steps.colours) == (colouring == "distinct" and bool((numbers <= 1).any()))


def test_classes_that_are_all_equal_stay_white() -> None:
    assert partition_map.bands(np.array([5, 5, 5]), "size").colours == (partition_map.WHITE,)


def test_the_steps_differ_in_lightness_alone() -> None:
    """Relative luminance falls from step to step, so the order survives any colour blindness."""

    def luminance(colour: str) -> float:
        parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    steps = partition_map.bands(np.arange(100) + 2, "size").colours
    light = [luminance(colour) + 0.05 for colour in steps]
    assert len(steps) == 4
    assert all(a / b > 1.3 for a, b in pairwise(light))


# --- figures -----------------------------------------------------------------------------------


def figure(encoded: Encoded, sides: tuple[int, ...], colouring: str = "distinct", k: int = 3):
    release = partition(encoded, Policy(k))
    domains = [encoded.qids[i] for i in sides]
    axes = [partition_map.axis(domain) for domain in domains]
    frame = partition_map.largest_first(drawn(release, sides[0], sides[1] if len(sides) > 1 else None), axes)
    return partition_map.partition_map(frame, domains, axes, colouring, overlapping=len(encoded.qids) > 2), frame


def bars(found: go.Figure, field: str) -> np.ndarray:
    return np.concatenate([np.asarray(part[field], dtype=float) for part in found.data if part.type == "bar"])


def filled(found: go.Figure) -> list[go.Scatter]:
    return [part for part in found.data if part.type == "scatter" and part.fill == "toself"]


@pytest.mark.parametrize("colouring", partition_map.COLOURINGS)
def test_every_column_of_the_city_can_be_drawn_across_and_up(colouring: str) -> None:
    encoded = city(600)
    for first in range(len(encoded.qids)):
        found, frame = figure(encoded, (first, (first + 1) % len(encoded.qids)), colouring)
        assert len(bars(found, "x")) == len(frame) <= partition_map.MOST
        assert (bars(found, "width") > 0).all()
        assert (bars(found, "y") > 0).all()


def test_a_single_quasi_identifier_is_a_row_of_rectangles() -> None:
    found, _ = figure(encoded_of(a=[str(i) for i in range(30)]), (0,))
    assert set(bars(found, "y")) == {1.0}
    assert found.layout.yaxis.ticktext == ()


def test_beyond_the_limit_the_rest_is_one_path_a_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_map, "MOST", 20)
    encoded = encoded_of(a=[str(i % 31) for i in range(900)], b=[str(i % 29) for i in range(900)])
    found, frame = figure(encoded, (0, 1), "size", k=2)
    paths = filled(found)
    assert len(bars(found, "x")) == 20
    assert sum(np.isnan(np.asarray(path.x, dtype=float)).sum() for path in paths) == len(frame) - 20
    assert 1 <= len(paths) <= 4


def test_classes_with_one_value_are_hatched_red_and_on_top() -> None:
    ages = [str(i) for i in range(20)]
    frame = pd.DataFrame({"age": ages, "zip": ages, "s": ["same"] * 10 + [f"v{i}" for i in range(10)]})
    encoded = encode(Table.from_frame(frame), Schema(["age", "zip"], "s"))
    found, _ = figure(encoded, (0, 1), "distinct", k=5)
    top = filled(found)[-1]
    assert top.fillcolor == partition_map.RED
    assert top.fillpattern.shape == "/"
    assert "1: all alike" in found.data[-1].marker.colorbar.ticktext


def test_names_and_values_are_no_markup() -> None:
    encoded = encode(
        Table.from_frame(
            pd.DataFrame(
                {HTML: [f"{HTML}{i}" for i in range(9)], "b": ["<i>", "&lt;", "c"] * 3, "s": ["x", "y", "z"] * 3}
            )
        ),
        Schema([HTML, "b"], "s"),
    )
    found, _ = figure(encoded, (0, 1), k=1)
    shown = [*found.layout.xaxis.ticktext, *found.layout.yaxis.ticktext, found.layout.xaxis.title.text]
    drawn_bars = [part for part in found.data if part.type == "bar"]
    shown += [str(cell) for part in drawn_bars for cell in np.asarray(part.customdata).ravel()]
    assert all("<" not in text for text in shown)
    assert all("%{x}" not in part.hovertemplate for part in drawn_bars)
    assert set(partition_map.harmless("<b>&").split("&")) == {"", "lt;b", "gt;", "amp;"}


def test_a_step_of_the_story_can_be_drawn() -> None:
    encoded = encoded_of(a=[str(i % 31) for i in range(900)], b=[f"c{i % 9}" for i in range(900)])
    story = trace(encoded, Policy(2))
    axes = [partition_map.axis(domain) for domain in encoded.qids]
    for number in (0, 1, len(story.cuts)):
        frame = partition_map.largest_first(partition_map.nodes(story, number, encoded.qids), axes)
        found = partition_map.step_map(frame, encoded.qids, axes)
        coloured = [colour for colour in found.data[0].marker.color if colour != partition_map.WHITE]
        assert len(coloured) == (2 if number else 0)
        assert (found.data[0].text is not None) == (len(frame) <= 60)


def test_kinds_of_the_city_cover_what_an_axis_must_do() -> None:
    assert {domain.kind for domain in city(300).qids} == set(Kind) - {Kind.DATE}


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        ("1925-03-01", "2020-02-01", ["1940", "1960", "1980", "2000", "2020"]),
        ("2023-01-01", "2023-12-30", ["2023-01", "2023-03", "2023-05", "2023-07", "2023-09", "2023-11"]),
        ("2023-01-04", "2023-01-20", ["2023-01-04", "2023-01-20"]),
        ("2023-01-04", "2023-01-04", ["2023-01-04"]),
    ],
)
def test_ticks_of_dates_are_years_months_or_the_ends(low, high, texts):
    ends = [float(date.fromisoformat(day).toordinal()) for day in (low, high)]
    ticks = partition_map.date_ticks(*ends)
    assert list(ticks.values()) == texts
    assert all(ends[0] <= at <= ends[1] for at in ticks)

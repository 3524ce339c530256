"""Figures: valid, small, with safe field names, and with the user's texts as nothing but data."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import altair
import numpy as np
import pandas as pd
import pytest
import vl_convert
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core import Policy, figures
from core.attack.exposure import by_attribute
from core.attack.number import shares
from core.attack.weighted import adversaries, weigh
from core.base.wording import at_confidence
from core.data.encoding.encoded import Encoded
from core.figures.base import TAKEN, apart
from core.forecast import forecast_curve
from core.study.hospitals import Hospital, Study
from core.study.one_run import Outcome, run_study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from tests.hostile import HOSTILE
from tests.kept import compare, line
from tests.tables import hostile_city

FIELDS = {
    "front",
    "top",
    "end",
    "verdict",
    "plausible",
    "name",
    "error",
    "breached",
    "classes",
    "confidence",
    "count",
    "group",
    "high",
    "k",
    "label",
    "left",
    "level",
    "loss",
    "low",
    "n",
    "now",
    "people",
    "place",
    "range",
    "rank",
    "series",
    "setting",
    "share",
    "single",
    "solid",
    "strong",
    "alone",
    "state",
    "right",
    "text",
    "value",
    "what",
    "change",
    "line",
    "releases",
    "weighted",
    "loss_most",
}
"""Every name a chart may use; a new figure may add to it, a user's column may not."""


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return hostile_city()


@pytest.fixture(scope="module")
def study() -> Study:
    return Study((Hospital(Policy(4)), Hospital(Policy(6), same_value_rate=0.8)), 120)


@pytest.fixture(scope="module")
def outcome(encoded: Encoded, study: Study) -> Outcome:
    return run_study(encoded, study)


@pytest.fixture(scope="module")
def curve(encoded: Encoded, study: Study) -> pd.DataFrame:
    return sweep(encoded, study, "k", [2, 5, 25], Redraws(10, confidences=(1.0, 0.5, 0.25)))


def forecast_charts(encoded: Encoded) -> dict[str, Any]:
    """Figures of the forecast page."""
    curve = forecast_curve(encoded, Policy(4), [2, 5])
    return {
        "forecast_curve": figures.forecast_curve(curve, 4),
        "forecast_curve, strict": figures.forecast_curve(curve, 4, "every subset"),
    }


def belief_charts() -> dict[str, Any]:
    """Figures of the beliefs page."""
    moved, still = [0.0, 0.5, *[0.1] * (len(HOSTILE) - 2)], [0.1] * len(HOSTILE)
    return {
        "prior_and_posterior": figures.prior_and_posterior(HOSTILE, still, moved, theta=0.3),
        "breach_by_theta": figures.breach_by_theta([0.01, 0.5, 1.0], [1.0, 0.5, 0.0], 0.1),
    }


def review_charts() -> dict[str, Any]:
    """Settings of a decision; one of them has no number, another no interval."""
    frame = pd.DataFrame(
        {
            "name": HOSTILE,
            "loss": np.linspace(0.1, 0.9, len(HOSTILE)),
            "breach": [math.nan, *np.linspace(0.9, 0.1, len(HOSTILE) - 1)],
            "low": [math.nan, 0.1] + [0.2] * (len(HOSTILE) - 2),
            "high": [math.nan, 0.1] + [0.9] * (len(HOSTILE) - 2),
            "efficient": [i % 2 == 0 for i in range(len(HOSTILE))],
        }
    )
    bands = pd.DataFrame({"range": ["5 to 9", "10 or more"], "share": [0.2, 0.8], "text": ["20%", HOSTILE[7]]})
    return {
        "error_against_exposure": figures.error_against_exposure(
            pd.DataFrame({"setting": HOSTILE, "error": frame["loss"], "share": 0.5, "range": HOSTILE[7]}).assign(
                front=frame["efficient"]
            )
        ),
        "loss_against_exposure": figures.loss_against_exposure(
            frame.assign(
                words=[HOSTILE[7]] * 9 + [HOSTILE[9]] * (len(frame) - 9),
                place=range(len(frame)),
                share=frame["breach"],
                range=HOSTILE[7],
                setting="k = 5, least loss",
                series="my release",
                state=["now", "chosen"] + [""] * (len(frame) - 2),
                kept=[i % 2 == 0 for i in range(len(frame))],
                front=frame["efficient"],
            ),
            0.5,
            0.6,
            HOSTILE[7],
        ),
        "loss_against_exposure, one draw": figures.loss_against_exposure(
            frame.assign(
                words="Mondrian",
                place=range(len(frame)),
                share=0.1,
                low=math.nan,
                high=math.nan,
                range="none",
                setting="k = 5",
            ).assign(series="guessing", state="", kept=True, front=True)
        ),
        "size_bands": figures.size_bands(bands),
    }


def noise_charts() -> dict[str, Any]:
    """Figures of the page on differential privacy."""
    ways = pd.DataFrame(
        {"error": [0.0, 3.0], "share": [0.9, 0.1], "setting": ["k = 2", ""], "line": "partitions", "series": "breached"}
    ).assign(now=[True, False], text=["k = 2", ""])
    return {
        "tradeoff": figures.tradeoff(ways, 0.2, HOSTILE[3]),
        "tradeoff, exact": figures.tradeoff(ways.assign(error=0.0, share=[0.1, -0.02]), 0.2),
    }


def edge_charts(curve: pd.DataFrame) -> dict[str, Any]:
    """Figures at both sides of what changes them: a bar more, a limit beyond the scale, lines that end together."""
    ten = np.arange(5, 15)
    tried = pd.DataFrame(
        {"loss": [0.2, 0.4, 0.3], "share": [0.5, 0.1, 0.3], "words": ["a", "a", "b"], "place": range(3)}
    )
    tried = tried.assign(
        range="", setting=["k = 5", "k = 9", "k = 5, b"], series="my release", state=["now", "best", "chosen"]
    )
    tried = tried.assign(
        low=tried["share"] - 0.1, high=[math.nan, 0.2, 0.6], kept=[True, False, True], front=[True, True, False]
    )
    return {
        **{f"class_sizes, to {most}": figures.class_sizes(np.append(ten, most), 5) for most in (44, 45, 84, 85, 900)},
        "class_sizes, not far": figures.class_sizes(np.array([5, 9, 60, 200]), 5),
        "before_and_after, edges": figures.before_and_after(np.array([0, 1, 23, 24, 25]), np.array([0, 0, 1, 23, 24])),
        "before_and_after, few": figures.before_and_after(np.array([2, 3]), np.array([1, 1]), 2, np.array([3, 1])),
        "prior_and_posterior, no theta": figures.prior_and_posterior(["a", "b"], [0.3, 0.7], [0.7, 0.3]),
        "prior_and_posterior, at theta": figures.prior_and_posterior(["a", "b"], [0.3, 0.7], [0.7, 0.3], 0.4),
        "presumed_and_effective, nobody": figures.presumed_and_effective(curve.assign(posterior=0, prior=0.2), "k", 5),
        "loss_against_exposure, beyond": figures.loss_against_exposure(tried, 0.99, 0.99),
        "loss_against_exposure, none": figures.loss_against_exposure(
            tried.assign(share=0.0, high=0.0, low=0.0), 0.0, 0.0
        ),
        "loss_against_exposure, all": figures.loss_against_exposure(tried.assign(share=1.0, high=1.0, loss=1.0)),
        "cases, no limit": figures.cases(cases(), None),
        "cases, one": figures.cases(cases().head(1).assign(low=math.nan, high=math.nan), 0.3),
        "icon_array, several": figures.icon_array(0.5, 0.25, 3),
        "forecast_curve, nobody": figures.forecast_curve(
            pd.DataFrame({"k": [2], "loss": [0.1], "people": [0.0], "risk": [0.0]}), 2
        ),
    }


def cases() -> pd.DataFrame:
    """What is assumed, a case that breaks a limit, and one beyond what is plausible."""
    words = [f"As assumed {HOSTILE[0]}", f"If {HOSTILE[9]}", "If 4 hospitals publish"]
    shares = {"share": [0.1, 0.4, 0.9], "low": [0.05, 0.3, math.nan], "high": [0.15, 0.5, math.nan]}
    verdicts = {"verdict": ["met", "not met", "not met"], "plausible": [True, True, False]}
    return pd.DataFrame({"label": words, "text": ["10%", "40%", "90%"], **shares, **verdicts})


@pytest.fixture(scope="module")
def charts(encoded: Encoded, study: Study, outcome: Outcome, curve: pd.DataFrame) -> dict[str, Any]:
    """Every figure, from what the pages give it."""
    result, mine = outcome.result, outcome.releases[0]
    title = encoded.qids[1].name
    return {
        "adversaries": figures.adversaries(adversaries(result, weigh(result)), 0.5),
        "adversaries, plain": figures.adversaries(adversaries(result, weigh(result))),
        "breach_curve": figures.breach_curve(curve, title, 0.5, current=4, log=True),
        "breach_curve, limit": figures.breach_curve(
            curve, title, 0.5, 4, present_share=0.3, limit=0.9, title=HOSTILE[3]
        ),
        "breach_curve, plain": figures.breach_curve(curve, title, 0.25),
        "breach_curve, another confidence": figures.breach_curve(curve, title, 0.77, current="x"),
        "breach_curve, no interval": figures.breach_curve(curve.assign(low=math.nan, high=math.nan), title, 1.0),
        "breach_curve, one point": figures.breach_curve(curve[curve["value"] == 5], title, 1.0, 5),
        "before_and_after": figures.before_and_after(result.best_effective_anonymity, result.posterior),
        "presumed_and_effective": figures.presumed_and_effective(curve, title, 4),
        "presumed_and_effective, plain": figures.presumed_and_effective(curve, title),
        "cases": figures.cases(cases(), 0.3),
        **{
            f"exposure, {number}": figures.exposure(
                by_attribute(result, mine.encoded, domain.name, 0.5, 8), domain.name, 0.3
            )
            for number, domain in enumerate((*mine.encoded.qids, mine.encoded.sensitive))
        },
        "icon_array": figures.icon_array(0.173, 0.11),
        "icon_array, hardly anybody": figures.icon_array(0.002),
        "class_sizes": figures.class_sizes(mine.sizes, 4),
        "class_sizes, one": figures.class_sizes(np.array([30_000]), 5),
        **{
            f"breach_curve, {number.name}": figures.breach_curve(curve, title, 0.5, 4, number=number)
            for number in shares().values()
        },
        **edge_charts(curve),
        **forecast_charts(encoded),
        **noise_charts(),
        **belief_charts(),
        **review_charts(),
    }


LOWER = [text.lower() for text in HOSTILE if len(text.strip()) > 2]


def walk(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every leaf of a spec with its path."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield (*path, "(key)"), key
            yield from walk(value, (*path, key))
    elif isinstance(part, list):
        for value in part:
            yield from walk(value, path)
    else:
        yield path, part


def spec_of(chart: Any) -> dict[str, Any]:
    """The spec as a browser gets it: JSON without NaN."""
    return json.loads(json.dumps(chart.to_dict(), allow_nan=False))


@pytest.fixture(scope="module")
def specs(charts: dict[str, Any]) -> dict[str, Any]:
    return {name: spec_of(chart) for name, chart in charts.items()}


@given(st.lists(st.floats(0, 1), max_size=14).map(sorted), st.floats(0.01, 0.07))
def test_names_of_lines_stand_apart(heights: list[float], gap: float) -> None:
    placed = apart(heights, gap)
    assert all(b - a >= gap - 1e-9 for a, b in pairwise(placed))
    assert all(0.02 - 1e-9 <= place <= 0.99 for place in placed)
    roomy = [height for height in heights if 0.02 <= height <= 0.99]
    if all(b - a >= gap for a, b in pairwise(roomy)):
        assert apart(roomy, gap) == pytest.approx(roomy)


def test_every_figure_and_its_data_is_as_kept(specs: dict[str, Any]) -> None:
    compare("figures", {name: {line("chart", spec): spec} for name, spec in specs.items()})


def test_every_figure_is_tried(charts: dict[str, Any]) -> None:
    public = {name for name in figures.__all__ if isinstance(getattr(figures, name), Callable)}
    helpers = {"colour", "level_text", "plot"}
    assert public - helpers == {name.split(",")[0] for name in charts}


def test_altair_takes_every_figure(charts: dict[str, Any]) -> None:
    """So its specification is valid by the schema of Vega-Lite, which Altair has."""
    for chart in {name.split(",")[0]: chart for name, chart in charts.items()}.values():
        assert isinstance(chart.altair(), altair.LayerChart | altair.Chart)


def test_charts_that_differ_in_numbers_alone_have_equal_specifications(curve: pd.DataFrame) -> None:
    """The browser then exchanges the numbers and does not build the chart anew."""
    bare = curve.assign(low=math.nan, high=math.nan, right=curve["share"], weighted=math.nan)
    for one, other in (
        [figures.before_and_after(np.array(left), np.array(left)) for left in ([1, 2, 3], [3, 3, 1])],
        [figures.breach_curve(frame, "k", 0.5, 4, log=True) for frame in (curve, bare)],
        [figures.icon_array(*pair) for pair in ((0.2, 0.1), (0.0, 0.0))],
    ):
        assert one.specification()[0] == other.specification()[0]


def test_fields_have_fixed_names(specs: dict[str, Any]) -> None:
    for name, spec in specs.items():
        used = {value for path, value in walk(spec) if path[-1] == "field"}
        columns = {key for rows in spec["datasets"].values() for row in rows for key in row}
        assert used, name
        assert used <= FIELDS & columns, name
        assert columns <= FIELDS | {"algorithm", "assumption"}, name


def test_no_address_but_that_of_the_schema(specs: dict[str, Any]) -> None:
    for name, spec in specs.items():
        for path, value in walk({**spec, "$schema": "", "datasets": {}}):
            assert path[-1] not in ("url", "href", "transform", "expr", "signal", "calculate", "filter"), name
            if isinstance(value, str) and path[-1] not in ("title", "sort", "domain", "values"):
                assert "http" not in value, name
                assert "//" not in value, name


def test_no_text_is_a_name_that_every_object_of_javascript_has(specs: dict[str, Any]) -> None:
    """Vega ends with "Operator not defined" where a value is called constructor."""
    for name, spec in specs.items():
        assert not {str(value) for path, value in walk(spec) if path[-1] != "(key)"} & TAKEN, name


@pytest.mark.parametrize("name", sorted(TAKEN))
def test_values_with_the_names_of_javascript_are_drawn(name: str) -> None:

    names = [name, "a"]
    chart = figures.prior_and_posterior(names, [0.3, 0.7], [0.5, 0.5], theta=0.3)
    assert name in vl_convert.vegalite_to_svg(spec_of(chart), allowed_base_urls=[])


def test_hostile_text_is_data_or_a_title(specs: dict[str, Any]) -> None:
    for name, spec in specs.items():
        keys = [key.removeprefix("data-") for key in spec["datasets"]]
        assert all(char in "0123456789abcdef-" for key in keys for char in key), name
        for path, value in walk({**spec, "datasets": {}}):
            if isinstance(value, str) and path[-1] not in ("title", "sort", "domain", "values", "(key)"):
                assert not any(text in value.lower() for text in LOWER), (name, path)
            if path[-1] == "(key)":
                assert str(value).isidentifier() or value == "$schema", name


def test_numbers_of_the_curve_are_those_of_the_frame(charts: dict[str, Any], curve: pd.DataFrame) -> None:
    spec = spec_of(charts["breach_curve"])
    lines = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    strong = max(lines, key=lambda layer: layer["mark"]["strokeWidth"])
    rows = spec["datasets"][strong["data"]["name"]]
    chosen = curve[curve["confidence"] == 0.5]
    assert [(row["value"], row["share"]) for row in rows] == list(zip(chosen["value"], chosen["share"], strict=True))
    agreed = spec_of(figures.breach_curve(curve.assign(right=curve["share"]), "k", 0.5))
    rows = agreed["datasets"][next(part for part in agreed["layer"] if part["mark"]["type"] == "area")["data"]["name"]]
    assert {row["right"] for row in rows} == {None}, "no second line where nobody is accused wrongly"


def test_every_line_is_beside_the_best_single_release_at_its_own_confidence() -> None:
    """At k = 2 the single release exposes more at 25% than both together leave with one value."""
    columns = ["value", "confidence", "share", "single"]
    rows = [(k, c, share / k, single / k) for k in (2, 4) for c, share, single in ((1.0, 0.8, 0.1), (0.25, 2.0, 1.8))]
    rest = dict.fromkeys(("right", "low", "high", "weighted"), math.nan)
    spec = spec_of(figures.breach_curve(pd.DataFrame(rows, columns=columns).assign(n=100, **rest), "k", 0.25))
    found: dict[str, dict[str, list[float]]] = {}
    for layer in spec["layer"]:
        if layer["mark"]["type"] == "line":
            field = layer["encoding"]["y"]["field"]
            for row in spec["datasets"][layer["data"]["name"]]:
                if row[field] is not None:
                    found.setdefault(row["level"], {}).setdefault(field, []).append(row[field])
    assert found == {
        figures.level_text(1.0): {"share": [0.4, 0.2], "single": [0.05, 0.025]},
        figures.level_text(0.25): {"share": [1.0, 0.5], "single": [0.9, 0.45]},
    }
    names = {row["text"] for row in rows_with(spec, "text")}
    assert {f"best single release ({at_confidence(c)})" for c in (1.0, 0.25)} <= names


def rows_with(spec: dict[str, Any], field: str) -> list[dict[str, Any]]:
    return [row for rows in spec["datasets"].values() for row in rows if field in row]


def test_groups_of_people_are_drawn_as_their_people(outcome: Outcome) -> None:
    result = outcome.result
    weight = np.arange(result.people) % 4 + 1
    together = figures.before_and_after(result.best_effective_anonymity, result.posterior, weight=weight)
    twin = figures.before_and_after(
        *(np.repeat(values, weight) for values in (result.best_effective_anonymity, result.posterior))
    )
    for field in ("share", "people"):
        ours, theirs = ([row[field] for row in rows_with(spec_of(chart), field)] for chart in (together, twin))
        assert ours == pytest.approx(theirs)


def test_shares_before_and_after_add_up(charts: dict[str, Any], outcome: Outcome) -> None:
    result = outcome.result
    rows = rows_with(spec_of(charts["before_and_after"]), "people")
    for series, values in (("single release", result.best_effective_anonymity), ("breached", result.posterior)):
        mine = [row for row in rows if row["series"] == series]
        assert sum(row["people"] for row in mine) == result.people
        assert sum(row["share"] for row in mine) == pytest.approx(1)
        for row in mine[:-1]:
            assert row["people"] == (values == row["left"]).sum()


@pytest.mark.parametrize("seed", range(2))
def test_class_sizes_survive_a_long_tail(seed: int) -> None:
    """A few classes of thousands leave the others in more than a bar or two, and every class is in its bar."""
    rng = np.random.default_rng(seed)
    sizes = np.concatenate([rng.integers(5, 15, 900), rng.integers(2_000, 30_000, 4)])
    rows = rows_with(spec_of(figures.class_sizes(sizes, 5)), "range")
    assert sum(row["classes"] for row in rows) == len(sizes)
    assert all(row["classes"] == ((sizes >= row["low"]) & (sizes < row["high"])).sum() for row in rows)
    assert sum(row["high"] <= 16 for row in rows) >= 3


@settings(max_examples=40)
@given(st.floats(0, 1), st.one_of(st.none(), st.floats(0, 1)))
@example(0.0, 0.004)
@example(1.0, 0.996)
@example(0.004, None)
@example(0.996, 1.0)
def test_a_hundred_people_are_a_hundred_dots(share: float, single: float | None) -> None:
    """As many are filled as the share says, and never none for somebody, nor all for less than all."""
    spec = spec_of(figures.icon_array(share, single))

    def places(area: int, full: bool) -> list[tuple[int, int]]:
        return [
            (row["rank"], row["place"])
            for layer in spec["layer"]
            if layer["mark"].get("size") == area and layer["mark"]["filled"] == full
            for row in spec["datasets"][layer["data"]["name"]]
        ]

    filled, hollow = places(190, True), places(190, False)
    assert sorted(filled + hollow) == [(rank, place) for rank in range(5) for place in range(20)]
    assert abs(len(filled) - 100 * share) <= 0.5 or (len(filled) == 99 and share < 1)
    assert (len(filled) < 100) == (share < 1)
    assert (len(places(40, True)) == 1) == (share > 0 and not filled), "a trace of somebody"
    rings = places(420, False)
    assert rings == [] if single is None else abs(len(rings) - 100 * single) <= 0.5 or len(rings) == 99
    assert set(rings) <= set(filled + hollow)


@pytest.mark.parametrize("reading", ["at least l", "every subset"])
def test_the_forecast_has_the_numbers_of_its_frame_and_the_present_k(encoded: Encoded, reading: str) -> None:
    frame = forecast_curve(encoded, Policy(5), [2, 5, 20])
    spec = spec_of(figures.forecast_curve(frame, 5, reading))
    people = {
        row["k"]: row["share"] for row in rows_with(spec, "line") if row["line"] == "People in vulnerable classes"
    }
    assert people == dict(zip(frame["k"], frame["people" if reading == "at least l" else "people_subset"], strict=True))
    assert {"k": 5, "series": "my release"} in rows_with(spec, "k")


def test_long_texts_stay_apart() -> None:
    """Two diagnoses that begin with the same sixty characters are two bars, and each is cut."""
    begin = "Injury of unspecified muscle, fascia and tendon of the lower back, "
    texts = [begin + "first visit" * 9, begin + "second visit" * 9, "Flu"]
    frame = pd.DataFrame({"group": texts, "people": [3, 2, 1], "breached": [3, 0, 1], "share": [1.0, 0.0, 1.0]})
    groups = {row["group"] for row in rows_with(spec_of(figures.exposure(frame, "diagnosis", 0.5)), "group")}
    assert len(groups) == 3
    assert max(map(len, groups)) <= 100

"""The benchmarks run and say what they measured; how long anything takes is not tested."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import calibration, lake, table, worlds
from benchmarks.__main__ import main
from benchmarks.data import Data
from benchmarks.papers import comparison, comparison_text, scenarios, variants
from benchmarks.rows import rows
from benchmarks.timing import Effort, measure
from core import Policy, examples
from core.data.encoding import Encoded, encode
from core.release.algorithm import DEFAULT, MINE
from tests.source import ROOT


def run(folder: Path, *given: str) -> subprocess.CompletedProcess[str]:
    """Run the command on the synthetic city: the folder holds no data sets."""
    environment = {**os.environ, "COMPOSITION_DATA": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *given],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def cells(output: str) -> list[list[str]]:
    """Rows of the Markdown table in an output, without header and rule."""
    lines = [line for line in output.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.fixture(scope="module")
def city() -> Encoded:
    return encode(examples.city(1500), examples.city_schema())


def test_cheap_rows_are_measured_and_printed(tmp_path: Path) -> None:
    done = run(tmp_path, "--quick", *(f"--only={name}" for name in ("measure", "attack", "read", "million-memory")))
    assert done.returncode == 0, done.stderr
    assert "synthetic city stands in" in done.stderr
    found = {row[0]: row for row in cells(done.stdout)}
    assert list(found) == [
        "measuring k, l and t",
        "intersection attack",
        "reading a CSV file from memory",
        "peak memory of the process",
    ]
    for row in found.values():
        assert len(row) == len(table.HEADER)
        assert row[2].endswith((" ms", " s", " MB"))
    for name in ("measuring k, l and t", "intersection attack", "reading a CSV file from memory"):
        assert found[name][8].startswith("x "), "the slow twin was measured"
    assert "different things" not in done.stdout, "core and its twins agree"
    if importlib.util.find_spec("anonypyx") is None:
        assert "anonypyx is not installed" in done.stdout
        assert found["intersection attack"][9] == table.NONE
    assert "numpy" in done.stdout.splitlines()[-1]


def test_every_row_can_be_prepared_on_the_city(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COMPOSITION_DATA", str(tmp_path))
    data = Data(quick=True)
    names = [row.name for row in rows()]
    assert len(set(names)) == len(names)
    for row in rows():
        plan = row.plan(data)
        assert (plan.run is None) != (plan.megabytes is None), row.name
        if plan.run is not None:
            plan.run()


def test_what_is_compared_runs_in_turns() -> None:
    order: list[str] = []
    ticks = iter(range(100))
    found = measure(
        {"a": lambda: order.append("a"), "b": lambda: order.append("b")}, lambda: float(next(ticks)), Effort(3, 3)
    )
    assert order == ["a", "b"] * 4, "one round to warm up, then three"
    assert found["a"].seconds == (1.0, 1.0, 1.0)


def test_the_machine_is_named_without_its_name() -> None:
    import platform

    assert "cores" in table.machine()
    assert "numpy" in table.machine()
    assert platform.node() not in table.machine()


# ---- the paper beside ours --------------------------------------------------------------


@pytest.mark.parametrize("way", [variants.median_only, variants.microaggregation])
def test_other_ways_to_partition_keep_k(way: variants.Partition, city: Encoded) -> None:
    release = way(city, 7)
    assert release.sizes.min() >= 7
    assert release.sizes.sum() == len(city)
    if way is variants.microaggregation:
        assert release.sizes.max() <= 13


def test_a_setting_is_summarised_over_redraws(monkeypatch: pytest.MonkeyPatch, city: Encoded) -> None:
    monkeypatch.setattr(comparison, "OVERLAP", 200)
    found = comparison.find(city, comparison.alike(Policy(5)), redraws=2)
    assert found.size == 200 + (1500 - 200) // 2
    assert found.per_class >= 5
    assert found.seen >= found.per_class * 0.5
    assert found.before >= found.after >= 1
    assert 0 <= found.single_perfect <= found.perfect.mean <= found.quarter.mean <= 1
    assert found.perfect.low is None, "two redraws carry no interval"
    lines = comparison_text.main_table({("city", 5): found})
    assert len(lines) == 3
    assert {line.count("|") for line in lines} == {10}


# ---- the weighted adversary -------------------------------------------------------------


def test_calibration_is_put_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COMPOSITION_DATA", str(tmp_path))
    found = calibration.tables(quick=True)
    assert list(found) == ["city"]
    judged = list(calibration.settings(found, quick=True))
    assert [one.name for one in judged] == ["city", "city, independent", "city, independent"]
    for one in judged:
        assert one.adversaries["sets"].overall.error == pytest.approx(0)
        assert one.adversaries["weights"].right.low is None, "two redraws carry no interval"
    modelled = calibration.models(found, quick=True)
    # The template names settings of Adult; the city's stand in for them here.
    twice = [
        replace(one, name=name, overlap=overlap, releases=4, k=25)
        for one, name, overlap in (
            (judged[0], "Adult", 5000),
            (judged[1], "Adult, independent", 5000),
            (judged[2], "Adult, independent", 200),
        )
    ]
    apart = calibration.disagreements(found, quick=True)
    assert [(one.name, one.k, one.agreement) for one in apart] == [("city", 5, 0.9)]
    assert apart[0].rightly.mean < apart[0].exposed.mean, "part of those with one value left are accused wrongly"
    errors = {who: one.overall.error for who, one in apart[0].adversaries.items()}
    assert errors["knows"] < errors["ignores"] + 0.02
    text = calibration.text(twice, apart, modelled.assign(table="Adult"), date="2026-01-01")
    assert not re.search(r"\{[a-z]+_?[a-z]*\}", re.sub(r"\\(frac|sum_)\S*", "", text).replace("{s'}", ""))
    tables = (calibration.lines(judged), calibration.disagreeing_lines(apart), calibration.model_lines(modelled))
    widths = [[line.count("|") for line in rows] for rows in tables]
    assert [set(found) for found in widths] == [{13}, {14}, {6}]


# ---- scenarios of two and more releases --------------------------------------------------


def test_scenarios_are_attacked_known_and_read_off(city: Encoded) -> None:
    frame = scenarios.scenarios(city, (4, 8), (2, 3), redraws=2, overlap=150)
    assert len(frame) == 3 * 2 * 2 * 2
    assert (frame["size"] == 150 + (1500 - 150) // 3).all(), "the same for every number of releases"
    by = frame.set_index(["scenario", "k", "releases", "locate"])
    for name in scenarios.SCENARIOS:
        for k in (4, 8):
            two, three = by.loc[(name, k, 2, "assumed")], by.loc[(name, k, 3, "assumed")]
            assert three["perfect"] >= two["perfect"] - 1e-12, "nobody disagrees: a third release can only take away"
            assert two["single"] <= two["perfect"] <= two["quarter"]
    known, read = by.xs("assumed", level="locate"), by.xs("published", level="locate")
    assert (known["located"].dropna() == 1).all()
    assert read["located"].loc["Mondrian twice"].isna().all()
    assert read["located"].loc["microaggregation twice"].between(0.05, 0.999).all()
    more = comparison.at(scenarios.scenarios(city, (4, 6, 8), (2, 3), redraws=2, overlap=150), (4, 8))
    pd.testing.assert_frame_equal(more, frame)
    found = {"city": frame}
    assert {line.count("|") for line in comparison_text.scenario_table(found)} == {11}
    many = comparison_text.many_table(found)
    assert len(many) == 2 + 3 * 2
    assert {line.count("|") for line in many} == {8}


# ---- worlds -------------------------------------------------------------------------------


def test_the_forecast_is_judged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMPOSITION_DATA", str(tmp_path))
    assert main(["--only", "forecast", "--quick"]) == 0
    said = capsys.readouterr().out
    assert "| city | at least l | all classes |" in said
    assert "How they agree." in said


def test_worlds_share_exactly_their_people() -> None:
    whole = encode(examples.city(3000), examples.city_schema())
    world = worlds.World(size=700, theirs=900, overlap=100, releases=3)
    mine, *others = worlds.hospitals(whole, world, 4)
    assert world.people() == 700 + 2 * 800
    assert len(mine) == 700
    for other in others:
        assert len(other) == 900
        assert other.rows[:100].tolist() == mine.rows[:100].tolist()
        assert set(other.rows) & set(mine.rows) == set(mine.rows[:100])
    assert set(others[0].rows) & set(others[1].rows) == set(mine.rows[:100])


def test_the_true_share_lies_in_the_interval() -> None:
    """What the pages state holds in made worlds, and dealing my table out does not: the Method page says both."""
    whole = encode(examples.city(12_000), examples.city_schema())
    made = (worlds.World(size=2_000, theirs=2_000, overlap=300), worlds.World(size=2_000, theirs=2_000, overlap=1_000))
    found = worlds.judged(pd.concat(worlds.cases({"city": whole}, made, 3)))
    ours, dealt = (found[found["open"] & (found["design"] == design)] for design in ("resampled", "simulated"))
    assert len(ours) > 40
    assert ours["inside"].mean() >= 0.9
    assert dealt["inside"].mean() < ours["inside"].mean()
    assert ours["width"].mean() < 0.25


def test_worlds_are_put_in_words() -> None:
    whole = worlds.tables(quick=True)
    found = worlds.judged(pd.concat(worlds.cases(whole, worlds.QUICK[:1], 1)))
    mixed = replace(worlds.QUICK[0], mine=MINE)
    assert [hospital.algorithm for hospital in mixed.study("resampled").hospitals] == [MINE, DEFAULT]
    other = worlds.judged(pd.concat(worlds.cases(whole, [mixed], 1, ["resampled"])))
    assert other["true"].ne(found.loc[found["design"] == "resampled", "true"]).any(), "my classes are others"
    text = worlds.text(found, other, date="2026-01-01")
    assert "{" not in text
    assert "C = 25 %" in text
    assert "Another hospital like mine | Width | Above |\n" in text, "the mixed worlds have one design"
    assert len({line.count("|") for line in worlds.lines(found)}) == 1
    assert "2026-01-01" in text


def test_tables_larger_than_memory_are_made_and_removed(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="the engine is an extra: composition-gate[lake]")
    done = run(tmp_path, "--quick", "--only=lake", f"--work={tmp_path}")
    assert done.returncode == 0, done.stderr
    pairs, (_, _, *rows) = cells(done.stdout)[:2], cells(done.stdout)[2:]
    assert [row[:3] for row in pairs] == [
        [name, "2 x 11,000", f"attack, {len(lake.CURVE)} values of k"] for name in lake.LEFT_OUT
    ]
    assert all(row[6] == "2,000 people in both" for row in pairs)
    # The last table, part by part, with one thread and two.
    rows, (_, _, *by_parts) = rows[:7], rows[7:]
    assert [row[0] for row in by_parts] == list(lake.PARTS)
    assert all(float(row[3]) > 0 for row in by_parts)
    assert [row[0][0] for row in rows] == ["A"] * 4 + ["B"] * 3
    assert all(row[1] == "20,000" for row in rows)
    assert rows[1][6] == "20,000 rows"
    # Every process holds at least Python and numpy.
    assert all(float(row[5].removesuffix(" MB").replace(",", "")) > 30 for row in rows)
    assert not list(tmp_path.iterdir())

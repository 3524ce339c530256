"""The benchmarks run and say what they measured; how long anything takes is not tested."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import calibration, coordinated, counts, intruder, table, twin, units, updates, worlds
from benchmarks.data import Data
from benchmarks.papers import comparison_text, scenarios
from benchmarks.rows import rows
from core import examples
from core.data.encoding.encoded import Encoded, encode
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
    rows_printed = {row[0]: row for row in cells(done.stdout)}
    timed = ["measuring k, l and t", "intersection attack", "reading a CSV file from memory"]
    assert list(rows_printed) == [*timed, "peak memory of the process"]
    assert all(len(row) == len(table.HEADER) for row in rows_printed.values())
    assert all(row[2].endswith((" ms", " s", " MB")) for row in rows_printed.values())
    assert all(rows_printed[name][8].startswith("x ") for name in timed), "the slow twin was measured"
    assert "different things" not in done.stdout, "core and its twins agree"
    assert "numpy" in done.stdout.splitlines()[-1]
    assert platform.node() not in done.stdout, "the machine is described without its name"


def test_every_row_can_be_prepared_on_the_city(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COMPOSITION_DATA", str(tmp_path))
    data, every = Data(quick=True), rows()
    assert len({row.name for row in every}) == len(every)
    for row in every:
        plan = row.plan(data)
        assert (plan.run is None) != (plan.megabytes is None), row.name
        if plan.run is not None:
            plan.run()


# ---- the paper beside ours --------------------------------------------------------------


# ---- the weighted adversary -------------------------------------------------------------


def test_calibration_is_put_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COMPOSITION_DATA", str(tmp_path))
    tables = calibration.tables(quick=True)
    judged = list(calibration.settings(tables, quick=True))
    assert all(one.adversaries["sets"].overall.error == pytest.approx(0) for one in judged)
    modelled = calibration.models(tables, quick=True)
    # The template names settings of Adult; the city's stand in for them here.
    names = (("Adult", 5000), ("Adult, independent", 5000), ("Adult, independent", 200))
    twice = [
        replace(one, name=name, overlap=overlap, releases=4, k=25)
        for one, (name, overlap) in zip(judged, names, strict=True)
    ]
    apart = calibration.disagreements(tables, quick=True)
    assert apart[0].rightly.mean < apart[0].exposed.mean, "part of those with one value left are accused wrongly"
    text = calibration.text(twice, apart, modelled.assign(table="Adult"), date="2026-01-01")
    assert not re.search(r"\{[a-z]+_?[a-z]*\}", re.sub(r"\\(frac|sum_)\S*", "", text).replace("{s'}", ""))


# ---- scenarios of two and more releases --------------------------------------------------


def test_scenarios_are_attacked_known_and_read_off(city: Encoded) -> None:
    frame = scenarios.scenarios(city, (4, 8), (2, 3), redraws=2, overlap=150)
    assert len(frame) == 3 * 2 * 2 * 2
    assert (frame["size"] == 150 + (1500 - 150) // 3).all(), "the same for every number of releases"
    known = frame[frame["locate"] == "assumed"].set_index(["scenario", "k"])
    two, three = (known[known["releases"] == number] for number in (2, 3))
    assert (two["single"] <= two["one_value_left"]).all()
    assert (two["one_value_left"] <= two["quarter"]).all()
    assert (three["one_value_left"] >= two["one_value_left"] - 1e-12).all(), (
        "nobody disagrees: a third release can only take away"
    )
    located = frame.set_index(["scenario", "locate"])["located"]
    assert (located.xs("assumed", level="locate").dropna() == 1).all()
    assert located.loc[("Mondrian twice", "published")].isna().all()
    assert located.loc[("microaggregation twice", "published")].between(0.05, 0.999).all()
    by_city = {"city": frame}
    assert {line.count("|") for line in comparison_text.scenario_table(by_city)} == {11}
    many = comparison_text.many_table(by_city)
    assert [line.count("|") for line in many] == [8] * (2 + 3 * 2)


# ---- updates -------------------------------------------------------------------------------


def test_the_exact_attack_on_an_update_leaves_no_more_than_the_simple_rule_where_nobody_leaves() -> None:
    whole = encode(examples.city(700, seed=5), examples.city_schema())
    (row,) = [line for line in updates.lines(whole, 600, (40,), 1) if line.startswith("| 40")]
    _, seed, alone, simple, exact, _, target, kept, *_ = (cell.strip() for cell in row.strip("|").split("|"))
    assert seed == "0"
    assert float(alone) <= float(simple) <= float(exact)
    assert float(target) <= float(exact)
    assert float(kept) < float(exact)


# ---- twin ----------------------------------------------------------------------------------


def test_a_release_of_one_class_has_an_epsilon_by_hits_but_none_by_gain() -> None:
    data = Data(quick=True)
    rows = twin.lines(data, (3, len(data.encoded) // 2 + 1), (2,), 1)[2:]
    fine, one_class = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    assert one_class[5] == "none"
    assert min(map(float, (fine[5], fine[6], one_class[6]))) > 0


# ---- the intruder --------------------------------------------------------------------------


def test_of_the_claims_from_a_list_more_are_right_than_disclose() -> None:
    whole = encode(examples.city(1_500, seed=5), examples.city_schema())
    rows = {line.strip("|").split("|")[0].strip(): line for line in intruder.lines(whole, 400, 100, 2)}
    assert [*rows][2:] == ["everywhere", "mine", "list", "list, made"]
    cells = [cell.split("(")[0].strip() for cell in rows["list"].strip("|").split("|")]
    claims, right, disclosed = (float(cell) for cell in cells[1:4])
    assert claims > 0
    assert right > disclosed > 0


# ---- tables of counts ----------------------------------------------------------------------


def test_zeros_left_out_are_zeros_shown_and_zeros_masked_end_it() -> None:
    ((name, world, levels, hospitals),) = counts.worlds(quick=True)
    rows = {words: cells for words, *cells in counts.lines(world, levels, hospitals[:1])}
    finest = rows[f"their counts by {counts.words_of(levels[0])}"]
    assert name == "city"
    assert rows["the first of these, zeros left out"] == finest
    assert float(rows["the first of these, zeros masked"][1]) < 1 < float(finest[1])
    assert rows["the first of these, made without a file"] == finest
    own = {words: cells for words, *cells in counts.own_lines(world, quick=True)}
    shown, masked = (float(cells[1]) for cells in [*own.values()][:2])
    assert masked < 1 < shown
    assert {cells[-1] for cells in (*rows.values(), *own.values())} == {"0", ""}, "no true value is ruled out"


# ---- units ---------------------------------------------------------------------------------


def test_units_share_a_fifth_of_their_people_and_the_truth_is_that_of_their_releases() -> None:
    found = [*units.pairs(quick=True)]
    assert {pair.source for pair in found} == {"city hospitals", "city districts"}
    frame = units.measured(found[0], (0.0, 1.0), 3)
    assert frame.groupby(["strength", "value", "confidence"]).size().eq(1).all()
    assert frame.groupby(["value", "confidence"])["true"].nunique().eq(1).all(), "the truth has no assumption"
    assert (frame["n"] == int(0.2 * min(len(found[0].here), len(found[0].there)))).all()
    like_mine, unlike = (frame.loc[frame["strength"] == strength, "share"].tolist() for strength in (0.0, 1.0))
    assert like_mine != unlike
    held = units.coverage(units.judged(frame))
    assert 0 <= held[1] <= held[0] <= held[2] <= 1


# ---- worlds -------------------------------------------------------------------------------


def test_worlds_share_exactly_their_people() -> None:
    whole = encode(examples.city(3000), examples.city_schema())
    world = worlds.World(size=700, theirs=900, overlap=100, releases=3)
    mine, *others = worlds.hospitals(whole, world, 4)
    assert world.people() == 700 + 2 * 800
    shared = set(mine.rows[:100])
    assert len(mine) == 700
    for other in others:
        assert len(other) == 900
        assert set(other.rows[:100]) == set(other.rows) & set(mine.rows) == shared
    assert set(others[0].rows) & set(others[1].rows) == shared


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


def test_tables_larger_than_memory_are_made_and_removed(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="the engine is an extra: composition-gate[engine]")
    done = run(tmp_path, "--quick", "--only=engine", f"--work={tmp_path}")
    assert done.returncode == 0, done.stderr
    rows = cells(done.stdout)
    assert [row[0][0] for row in rows] == ["A"] * 4 + ["B"] * 3
    assert not list(tmp_path.iterdir())


def test_the_figures_of_agreements_in_the_definitions_are_those_of_the_table() -> None:
    readme = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    _, _, table = readme.partition("<!-- coordinated: begin -->")
    rows = [line.strip("| ").split(" | ") for line in table.partition("<!-- coordinated: end -->")[0].splitlines()]
    numbers = {
        tuple(row[:8]): dict(zip(coordinated.HEADER[8:], row[8:], strict=True)) for row in rows if len(row) == 17
    }
    usual = ("5,520", "2,000", "as usual", "8", "3")
    kept = numbers["Adult", *usual, "agreement", "10"]
    none, equal = (
        numbers["Adult", *usual, way, k] for way, k in (("least loss", "10"), ("least loss, equal loss", "32"))
    )
    ipums, mine = numbers["IPUMS", *usual, "agreement", "10"], numbers["Adult", *usual, "only I keep it", "10"]
    few = numbers["Adult", "4,032", "300", *usual[2:], "agreement", "10"]
    tenth = numbers["Adult", *usual[:2], "a tenth", *usual[3:], "agreement", "10"]
    sure, alone = "90% sure, weighted, %", "Alone, %"
    cited = [
        f"{kept['Loss, %']}% loss, 3 values, {kept[alone]}% alone",
        f"{none['Loss, %']}%, one value left for {none['One value left, %']}%, {none[alone]}% alone",
        f"(k = 32), {equal['Fewest left']} values, {equal[alone]}% alone",
        f"If the box of a node was published, {kept['Boxes, %']}%",
        f"sure about {kept[sure]}% of people (IPUMS {ipums[sure]}%)",
        f"{mine['One value left, %']}% have one value left",
        f"of hospitals of 4,032, {few[alone]}% are alone",
        f"From a tenth of the public data: {tenth['Loss, %']}%",
    ]
    text = " ".join((ROOT / "docs" / "definitions.md").read_text(encoding="utf-8").split())
    assert [words for words in cited if words not in text] == []

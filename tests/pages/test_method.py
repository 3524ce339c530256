"""The Method page: every claim that can be checked is checked against core."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from core import Policy, Schema, examples, measure
from core.algorithms import partition
from core.algorithms.mdav import BLOCK_ROWS, EXACT_ROWS
from core.base.assets import ASSETS
from core.base.rates import MIN_REDRAWS, candidate_limit, redraw_interval
from core.data.classes import ClassHistogram
from core.data.encoding.encoded import encode
from core.data.schemas.schema import ColumnType, Role
from core.data.tables.input_limits import DEFAULT_LIMITS
from core.examples import CITY_NOTES
from core.privacy.class_levels import entropies, smallest_c
from core.privacy.policy import DISTANCES, DIVERSITIES, TOLERANCE
from core.release.utility import utility
from core.study.draw import MAX_RELEASES
from core.study.hospitals import MODEL_ERROR
from core.study.similar_people import SCALES
from pages.method import text as story_text
from pages.shared.ui.text import count
from tests.pages import drive
from tests.pages.drive import marked_texts

FILES = [*sorted((ASSETS / "method").glob("*.md")), ASSETS / "overview.md"]
each_file = pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])


def body(name: str) -> str:
    return story_text.section(name).body


# ---- what is on the page ---------------------------------------------------------------------


def test_every_choice_of_the_program_is_explained():
    at = drive.opened("pages/method/page.py")
    shown = "\n".join(marked_texts(at))
    assert "{{" not in shown
    assert not [name for name in (*DIVERSITIES, *DISTANCES) if f"`{name}`" not in shown]
    assert all(str(column_type) in body("tables") for column_type in ColumnType)
    assert all(f"| {role}" in body("tables") for role in Role)
    assert not any(expander.proto.expanded for expander in at.main.expander)
    at.toggle(key="method:all").set_value(True).run()
    assert all(expander.proto.expanded for expander in at.main.expander)


def test_every_measure_of_utility_is_explained_with_its_direction():
    encoded = encode(examples.city(300), examples.city_schema())
    lines = body("utility").splitlines()
    for found in utility(partition(encoded, Policy(5))):
        line = next((line for line in lines if line.startswith(f"| {found.name} |")), "")
        assert line.endswith(f"| {found.better} |"), found.name


def test_facts_are_filled_in_from_the_program():
    assert f"10^{{{round(math.log10(TOLERANCE))}}}" in body("models")
    assert f"Fewer than {MIN_REDRAWS} redraws" in body("numbers")
    assert f"from 2 to {MAX_RELEASES} hospitals" in body("study")
    assert f"Beyond {count(EXACT_ROWS)} people" in body("microaggregation")
    assert f"at least {count(BLOCK_ROWS)}," in body("microaggregation")
    limits = DEFAULT_LIMITS
    for number in (limits.bytes / 1_000_000, limits.rows, limits.columns, limits.cell):
        assert count(number) in body("privacy")


def test_errata_the_city_and_beliefs_are_told_in_core_s_words():
    for example in (examples.hospitals_a_and_b(), examples.bobs_class()):
        assert example.erratum in body("errata")
    assert CITY_NOTES.strip() in body("city")
    assert "no evidence" in story_text.section("city").lead


# ---- how it is written -----------------------------------------------------------------------


@each_file
def test_formulas_are_closed_and_no_text_is_a_wall(file):
    text = file.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.replace("\\$", "").count("$") % 2] == []
    assert max(len(block) for block in re.split(r"\n\n|\n[-|\d]", text)) < 460


def test_every_citation_is_in_the_sources():
    cited = {
        name
        for file in FILES
        if file.name != "sources.md"
        for name in re.findall(r"\[([A-Z]\w+ \d{4})", file.read_text(encoding="utf-8"))
    }
    listed = set(re.findall(r"\*\*\[(\w+ \d{4})\]\*\*", body("sources")))
    assert cited == listed
    for example in examples.worked_examples():
        assert any(name.split()[0] in example.source for name in listed)


# ---- claims, computed again by core --------------------------------------------------------


def histogram(*counts: int) -> ClassHistogram:
    """One class that is the whole table, with these counts."""
    secret = np.repeat(np.arange(len(counts)), counts)
    return ClassHistogram.of_records(np.zeros(len(secret), dtype=int), secret, np.array(counts), 1)


def test_counts_in_the_text_on_diversity():
    uneven = histogram(4, 1, 1)
    assert int(uneven.distinct[0]) == 3
    entropy = math.exp(entropies(uneven)[0])
    assert f"Counts 4, 1, 1: three different values, but an entropy l of only {entropy:.2f}." in body("models")
    c = [smallest_c(histogram(18, 1, 1, 1), l)[0] for l in (2, 3, 4)]  # noqa: E741
    assert f"only with c above {c[0]:g}, {c[1]:g} and {c[2]:g}." in body("models")


def test_ordered_distance_of_the_salaries():
    classes = {"0": (3, 5, 9), "1": (6, 8, 11), "2": (4, 7, 10)}
    rows = [(number, str(salary)) for number, salaries in classes.items() for salary in salaries]
    found = measure(pd.DataFrame(rows, columns=["class", "salary"]), Schema(["class"], "salary"), "ordered")
    each = [f"{value:.4f}" for value in found.t_of_class]
    assert f"{each[0]}, {each[1]} and {each[2]}, so t = {found.t:.4f}" in body("models")


def test_confidence_is_a_count():
    assert "C = 25% and C = 21% both mean at most 4." in body("attack")
    assert (candidate_limit(0.25), candidate_limit(0.21), candidate_limit(0.2)) == (4, 4, 5)


def test_the_interval_is_the_formula_on_the_page():
    formula = r"(\bar x - p)^2 \le \Big( t^2 \, v \, (1 + 1/m) + (2 \cdot 1.96 \, d)^2 \Big) \; p \, (1 - p)"
    assert formula in body("numbers")
    assert f"{100 * MODEL_ERROR:g} percentage points at a share of one half" in body("numbers")
    values, n = np.random.default_rng(1).uniform(0.4, 0.5, 10), 400
    x = values.mean()
    v = max(values.var(ddof=1) / (x * (1 - x)), 1 / n)
    reach = 2.262**2 * v * 1.1 + (2 * 1.96 * MODEL_ERROR) ** 2  # Student's t, 9 degrees of freedom
    for end, step in zip(redraw_interval(values, n, MODEL_ERROR), (1 / n, -1 / n), strict=True):
        p = end + step
        assert (x - p) ** 2 == pytest.approx(reach * p * (1 - p), rel=1e-4)
    assert redraw_interval(values[:9], n) == (None, None)


def test_the_worlds_are_told_as_they_were_measured():
    """Coverage and width of the benchmark, and that every line of it keeps what the page promises."""
    told = body("worlds")
    parts = told.split("**Mine by least loss, the others by Mondrian,**")
    assert len(parts) == 2
    for part in parts:
        lines = [line.split("|") for line in part.splitlines() if line.startswith("|")][2:]
        covered = {line[1].strip(): float(line[3]) for line in lines}
        assert f"{covered['open cases']}% of the true numbers lay in the interval" in part
        assert covered["open cases"] >= 90
        assert all(covered[f"k = {k}"] >= 90 for k in (3, 5, 10, 25, 50))
        assert all(covered[f"C = {c}%"] >= 90 for c in (100, 50, 25, 10))
        assert all(covered[name] >= 90 for name in ("Adult", "IPUMS", "city"))
    assert f"at least {' or '.join(str(wide) for _, wide in SCALES)}" in body("study")

"""The section on the risk of being found: the numbers of the page, hidden where they would show a small group."""

from __future__ import annotations

import numpy as np
import pytest

from core import Policy, Scenario, Schema, Table
from core.attack.anonymity_set import anonymity_set, linkable
from core.attack.risk.reidentification_risk import ReidentificationRisk
from core.data.encoding.encoded import encode
from core.decision.review import Case, assess
from core.report import Report, build
from core.report.risk_section import PRESET
from core.report.rounding import Coarse
from core.study.hospitals import Study
from core.study.one_run import run_study
from tests.tables import small_table
from tests.visits import made_visits


@pytest.fixture(scope="module")
def case() -> Case:
    table, schema = small_table()
    scenario = Scenario(schema, Study.uniform(Policy(4), 60, origin="resampled").hospitals, overlap=60, repeats=2)
    return Case(encode(table, schema), scenario)


@pytest.fixture(scope="module")
def reports(case: Case) -> dict[str, Report]:
    return {strength: build(case, strength=strength) for strength in ("internal", "external")}


def rows_of(report: Report, part: str = "rows") -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in report.data["risk"][part]}


def test_the_internal_report_has_the_numbers_of_the_page(case: Case, reports: dict[str, Report]) -> None:
    rows, numbers = rows_of(reports["internal"]), assess(case).numbers
    outcome = run_study(case.encoded, case.study, case.scenario.seed)
    together = anonymity_set(outcome.result)
    sizes = np.bincount(outcome.mine.classes.labels)
    mine = ReidentificationRisk.of_classes(sizes)
    assert rows["highest"]["mine"] == mine.highest == 1 / sizes.min()
    assert rows["highest"]["all"] == together.risk.highest
    assert rows["highest"]["single"] in [one.highest for one in together.risk_per_release]
    assert rows["above"]["mine"] == mine.above(1 / 11) == sizes[sizes < 11].sum() / sizes.sum()
    for row, name in (("above", "at_risk"), ("average", "average_after"), ("alone", "alone")):
        assert (rows[row]["all"], rows[row]["single"]) == (numbers[name].value, numbers[name].single)
    criteria = {name: row["all"] for name, row in rows_of(reports["internal"], "criteria").items()}
    linked, inferred, alone = linkable(outcome.result), numbers["breach"].value, numbers["alone"].value
    assert criteria == {"linkability": linked, "inference": inferred, "singling_out": alone}
    assert rows["highest"]["limit"] == PRESET.highest == 1 / 11


def test_the_external_report_tells_no_small_anonymity_set(reports: dict[str, Report]) -> None:
    rows = rows_of(reports["external"])
    assert rows["highest"]["mine"] is None
    assert rows["highest"]["shown"]["mine"].startswith("over 10")  # type: ignore[index]
    assert rows["highest"]["shown"]["all"].startswith("over 10")  # type: ignore[index]
    for row in (*rows.values(), *rows_of(reports["external"], "criteria").values()):
        for column in ("mine", "single", "all"):
            value = row.get(column)
            step = 0.2 if column != "mine" else 0.05  # of 60 people, and of 400
            assert value is None or value / step == pytest.approx(round(value / step)), (row["name"], column)  # type: ignore[operator,call-overload]


def test_shares_of_persons_with_several_records_are_rounded_as_those_of_so_many_people() -> None:
    """Thirty persons stand 52 times in a class; steps of a share are those of 30."""
    schema = Schema(["age", "zip"], "diagnosis", person="patient_nbr")
    scenario = Scenario(schema, Study.uniform(Policy(2), 10, origin="resampled").hospitals, overlap=10, repeats=1)
    case = Case(encode(Table.from_frame(made_visits(30)), schema), scenario)
    average = rows_of(build(case, strength="internal"))["average"]["mine"]
    assert isinstance(average, float)
    assert average > 1 / 3
    assert Coarse().share(average, 30) != Coarse().share(average, 52)
    assert rows_of(build(case, strength="external"))["average"]["mine"] == Coarse().share(average, 30)[0]

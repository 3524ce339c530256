"""What a notebook shows of an object: a short line, or a small table, and no cell."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import (
    FrequencyTable,
    Policy,
    Release,
    Scenario,
    Schema,
    Table,
    Taxonomy,
    anonymize,
    dp,
    examples,
    m_private,
    measure,
    report,
)
from core.data.encoding.encoded import encode
from core.data.encoding.marginals import Marginals
from core.data.schemas.agreement import AgreedRegion, Agreement
from core.decision.review.assessment import assess
from core.decision.review.case import Case
from core.forecast import forecast
from core.privacy.coalitions import Learned
from core.release.published.targets import Targets
from core.study.hospitals import Hospital, Study
from core.study.one_run import run_study
from core.study.uploads import Foreign, Upload

CELL = "Methuselah"
NAME = "<b>name</b>\n" + "x" * 150
ROWS = 120
VALUES = [f"{CELL} {number}" for number in range(6)]


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """Objects whose cells all say CELL, and whose columns nobody should call so."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            NAME: rng.choice(VALUES[:4], ROWS),
            "zip": rng.choice(VALUES[:3], ROWS),
            "who": rng.choice(VALUES[:4], ROWS),
            "stage": rng.choice(VALUES[:2], ROWS),
            "diagnosis": rng.choice(VALUES, ROWS),
        }
    )
    tree = Taxonomy.from_nested({f"{CELL} group": VALUES[:3], f"{CELL} others": VALUES[3:]})
    lists = AgreedRegion((tuple(VALUES[:3]), tuple(VALUES[3:])), ((), ()))
    agreed = Agreement("diagnosis", {NAME: "categorical", "zip": "categorical"}, (lists,))
    table = Table.from_frame(frame)
    schema = Schema([NAME, "zip"], "diagnosis", provider="who", unmodified=["stage"], taxonomies={"diagnosis": tree})
    schema = schema.with_(missing_tokens=[CELL])
    encoded = encode(table, schema)
    release = anonymize(table, schema, Policy(2), "mondrian")
    published = release.publish()
    study = Study.uniform(Policy(3, l=2), 40)
    outcome = run_study(encoded, study)
    hospital = Hospital(Policy(2))
    alone = schema.with_(agreement=None)
    case = Case(encoded, Scenario(alone, (hospital, replace(hospital, origin="resampled")), overlap=40, repeats=2))
    diagnoses = dp.Declared("values", values=tuple(VALUES), source="a list")
    counted = dp.contingency_table(table, schema, {}, diagnoses)
    upload = Upload("0" * 64, columns=(("zip", NAME),), values=((CELL, CELL),), name=CELL)
    everything = [
        *(
            table,
            table.columns[0],
            encoded,
            encoded.qids[0],
            encoded.plain[0],
            schema,
            tree,
            agreed,
            FrequencyTable.of(table, ["zip"]),
        ),
        *(
            release,
            release.classes,
            release.histogram,
            Release.parse(published, schema),
            measure(published, schema.with_(agreement=None)),
        ),
        *(study, hospital, outcome, outcome.result, outcome.weighed(), outcome.result.located[0]),
        *(forecast(release), m_private(release, m=1), Learned(3, 1, 2, ((CELL, 2),)), Marginals.of(encoded)),
        *(Targets.from_frame(frame[["zip"]]), counted, counted.sensitive),
        dp.publish(counted, dp.mechanism("laplace", 1.0)),
        *(case, case.scenario, assess(case), report.build(case)),
        *(upload, Foreign(release.published), *examples.worked_examples()),
    ]
    return {type(thing).__name__: thing for thing in everything}


def test_a_line_has_no_cell_and_at_most_200_characters(shown: dict[str, Any]) -> None:
    assert len(shown) > 25
    for name, thing in shown.items():
        text = repr(thing)
        assert len(text) <= 200, name
        assert text.startswith(f"<{name}: "), name
        assert text.isprintable(), name
        assert CELL not in text, name


def test_a_table_for_a_notebook_has_no_cell_and_nothing_but_a_table(shown: dict[str, Any]) -> None:
    for name in ("Table", "Release", "AttackResult"):
        html = shown[name]._repr_html_()
        assert {tag.strip("/") for tag in re.findall("<(.*?)>", html)} == {"table", "caption", "tr", "th", "td"}
        assert CELL not in html

"""Risk of being found: limits of others beside my release and composition, and what a population changes."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Schema, Table
from core.algorithms import partition
from core.attack.crowd import Crowd, crowd
from core.attack.risk.identification import Identification
from core.attack.risk.uniqueness import population_uniques
from core.base.words import percent
from core.data.classes import distinct_columns
from core.data.encoding import encode
from core.data.uniqueness import uniqueness
from core.study.run import run_study
from pages.review import risk
from tests.pages.drive import MY_ALGORITHM, loaded, set_section, spaced, texts, usual
from tests.tables import small_table
from tests.visits import made_visits

PAGE = "pages/review/page.py"


def opened(table: Table, schema: Schema, **choices: object) -> AppTest:
    app = loaded(table, schema, PAGE, my_k=5, their_k=5, overlap=60, **choices)
    set_section(app, "review", "Risk of being found")
    return app.run()


def sheet(app: AppTest, column: str) -> pd.DataFrame:
    return next(table.value for table in app.table if column in table.value.columns).set_index("")


def test_the_sheet_is_what_core_computes() -> None:
    table, schema = small_table()
    release = partition(encode(table, schema), Policy(5), MY_ALGORITHM)
    mine = sheet(opened(table, schema), "My release, everybody in it")["My release, everybody in it"]
    smallest = int(release.sizes.min())
    assert percent(1 / smallest) in mine["**Highest risk**"]
    assert f"a crowd of {smallest}" in mine["**Highest risk**"]
    assert mine["**Average risk**"] == percent(len(release.sizes) / len(table))
    assert ", over the limit" in mine["**Highest risk**"], "5 people are fewer than 11"


def test_composition_is_told_as_core_counts_it() -> None:
    table, schema = small_table()
    app = opened(table, schema)
    found = crowd(run_study(encode(table, schema), usual(Policy(5), 60), 0).result)
    assert found is not None
    after = Identification.of(found.low, found.weight, found.inside)
    last = sheet(app, "My release, everybody in it")["Shared people, all releases together"]
    assert last["**Average risk**"] == percent(after.average)
    assert last["**Alone: singled out**"] == percent(after.singled_out)
    assert percent(after.highest) in last["**Highest risk**"]
    assert list(sheet(app, "Means").index) == ["**Singling out**", "**Linkability**", "**Inference**"]


def test_uniques_in_words_follow_the_fraction() -> None:
    table, schema = small_table()
    app = opened(table, schema)
    sizes = distinct_columns(encode(table, schema).codes)[2].astype(np.int64)
    for share in (0.1, 0.5):
        field = next(field for field in app.number_input if field.label.startswith("My table is so much"))
        field.set_value(100 * share).run()
        assert risk.uniques_sentence(population_uniques(sizes, share)) in [m.value for m in app.markdown]


def test_persons_with_several_records_are_counted_once_in_the_population() -> None:
    frame, schema = made_visits(300), Schema(["age", "zip"], "diagnosis", person="patient_nbr")
    table = Table.from_frame(frame)
    app = opened(table, schema)
    alone = uniqueness(encode(table, schema))
    shown = spaced(texts(app))
    assert f"**{alone.unique}** of 300 people are unique in the table" in shown
    assert "population of about 3 000 people" in shown
    assert "the record that fewest people match" in shown


def test_what_is_not_counted_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = SimpleNamespace(guarantee=SimpleNamespace(people=9))
    monkeypatch.setattr(risk.results, "my_release", lambda: mine)
    assert "not counted" in risk._people(None)
    bounds = Crowd(np.array([1, 2]), np.array([2, 2]), np.array([[5, 5]]), np.array([True, True]), np.array([1, 1]))
    assert "bounds" in risk._people(bounds)

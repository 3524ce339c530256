"""Risk of being found: limits of others beside my release and composition, and what a population changes."""

import re

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Schema, Table, read_table
from core.algorithms import partition
from core.attack.crowd import Crowd, crowd, linkable
from core.attack.risk.identification import PRESETS, Identification
from core.attack.risk.uniqueness import population_uniques
from core.base.words import percent
from core.data.classes import distinct_columns
from core.data.encoding import encode
from core.data.uniqueness import uniqueness
from core.study.redraws import Redraws
from core.study.run import run_study
from core.study.sweep import sweep
from pages.review import risk
from tests.hostile import HOSTILE
from tests.pages.drive import MY_ALGORITHM, choice_of, loaded, set_section, spaced, texts, usual
from tests.tables import small_table
from tests.visits import made_visits

PAGE = "pages/review/page.py"


def opened(table: Table, schema: Schema, **choices: object) -> AppTest:
    app = loaded(table, schema, PAGE, my_k=5, their_k=5, overlap=60, **choices)
    set_section(app, "review", "Risk of being found")
    return app.run()


def test_the_sheet_is_what_core_computes_and_its_limits_are_taken_over() -> None:
    table, schema = small_table()
    app = opened(table, schema)
    assert not app.exception
    release = partition(encode(table, schema), Policy(5), MY_ALGORITHM)
    sheet = next(table.value for table in app.table if "My release, everybody in it" in table.value.columns)
    rows = sheet.set_index("")
    mine = rows["My release, everybody in it"]
    smallest = int(release.sizes.min())
    assert percent(1 / smallest) in mine["**Highest risk**"]
    assert f"a crowd of {smallest}" in mine["**Highest risk**"]
    assert mine["**Average risk**"] == percent(len(release.sizes) / len(table))
    assert ", over the limit" in mine["**Highest risk**"], "5 people are fewer than 11"
    assert "×" not in "".join(sheet.to_numpy().ravel()), "a cross after a number reads as a factor"
    next(button for button in app.button if button.label == "Set these limits").click().run()
    assert not app.exception
    assert choice_of(app, "requirements") == {"k": 11.0, "at_risk": 0.0}


@pytest.mark.parametrize("name", list(PRESETS))
def test_limits_of_a_preset_are_of_numbers_that_can_be_required(name: str) -> None:
    from core.base.metrics import requirable

    assert set(risk.limits(PRESETS[name], 0.25)) <= set(requirable())


def test_people_over_the_threshold_are_limited_where_a_number_counts_them() -> None:
    assert risk.limits(PRESETS["arx"], 0.25) == {"k": 5, "crowd": 0.05, "average_risk": 0.05, "average_after": 0.05}
    assert "crowd" not in risk.limits(PRESETS["arx"], 0.5), "a crowd of at most 2 is another number"
    assert risk.limits(PRESETS["public"], 0.5) == {"k": 11, "at_risk": 0.0}


def test_composition_is_told_as_core_counts_it() -> None:
    table, schema = small_table()
    app = opened(table, schema, confidence=0.25)
    study = usual(Policy(5), 60)
    encoded = encode(table, schema)
    result = run_study(encoded, study, 0).result
    found = crowd(result)
    assert found is not None
    after = Identification.of(found.low, found.inside)
    sheet = next(table.value for table in app.table if "My release, everybody in it" in table.value.columns)
    last = sheet.set_index("")["Shared people, all releases together"]
    assert last["**Average risk**"] == percent(after.average)
    assert last["**Alone: singled out**"] == percent(after.singled_out)
    assert percent(after.highest) in last["**Highest risk**"]
    rows = next(table.value for table in app.table if "Means" in table.value.columns).set_index("")["Share"]
    frame = sweep(encoded, study, "releases", [2], Redraws(10, confidences=(1.0, 0.25))).set_index("confidence")
    assert rows["**Singling out**"].startswith(f"**{percent(frame.loc[1.0, 'crowd'])}**, 95 % interval")
    assert rows["**Inference**"].startswith(f"**{percent(frame.loc[0.25, 'share'])}**")
    linked = linkable(result)
    assert linked is not None
    assert rows["**Linkability**"] == f"**{percent(linked)}**, in one draw"


def test_a_population_is_counted_and_a_column_too_few_is_named() -> None:
    table, schema = small_table()
    app = opened(table, schema)
    frame = table.to_frame()
    people = pd.concat([frame] * 4)[list(schema.quasi_identifiers)]
    app.file_uploader[0].upload("register.csv", people.to_csv(index=False).encode(), "text/csv").run()
    assert not app.exception
    assert not app.error
    smallest = 4 * int(partition(encode(table, schema), Policy(5), MY_ALGORITHM).sizes.min())
    shown = spaced(texts(app))
    assert "Among the people of that list the highest risk is" in shown
    found = re.search(r"highest risk is \*\*[^*]+\*\*, a crowd of (\d+)", shown)
    assert found is not None
    assert int(found[1]) >= smallest, "everybody of the table is there four times"
    less = people.drop(columns=schema.quasi_identifiers[0])
    app.file_uploader[0].upload("less.csv", less.to_csv(index=False).encode(), "text/csv").run()
    assert "has no column" in app.error[0].value
    assert schema.quasi_identifiers[0] in app.error[0].value


def test_uniques_in_words_follow_the_fraction() -> None:
    table, schema = small_table()
    app = opened(table, schema)
    sizes = distinct_columns(encode(table, schema).codes)[2].astype(np.int64)
    for share in (0.1, 0.5):
        field = next(field for field in app.number_input if field.label.startswith("My table is so much"))
        field.set_value(100 * share).run()
        assert risk.uniques_sentence(population_uniques(sizes, share)) in [m.value for m in app.markdown]


def test_persons_with_several_records_are_counted_once_a_class_and_once_in_the_population() -> None:
    frame, schema = made_visits(300), Schema(["age", "zip"], "diagnosis", person="patient_nbr")
    table = Table.from_frame(frame)
    app = opened(table, schema)
    assert not app.exception
    alone = uniqueness(encode(table, schema))
    shown = spaced(texts(app))
    assert f"**{alone.unique}** of 300 people are unique in the table" in shown
    assert "population of about 3 000 people" in shown
    assert "the record that fewest people match" in shown
    release = partition(encode(table, schema), Policy(5), MY_ALGORITHM)
    register = frame.drop_duplicates("patient_nbr")[["age", "zip"]]
    app.file_uploader[0].upload("register.csv", register.to_csv(index=False).encode(), "text/csv").run()
    assert not app.exception
    assert not app.error
    known = [tuple(row) for row in register.to_numpy().tolist()]
    chances, weights = [], []
    for number in range(release.classes.count):
        inside = frame[release.labels == number]
        held = inside["patient_nbr"].nunique()
        assert held == release.sizes[number]
        low, high = inside[["age", "zip"]].astype(int).min(), inside[["age", "zip"]].astype(int).max()
        fits = sum(all(low.iloc[i] <= int(one[i]) <= high.iloc[i] for i in range(2)) for one in known)
        chances.append(1 / max(fits, held))
        weights.append(held)
    average = np.average(chances, weights=weights)
    assert f"on average it is **{percent(average)}**" in next(
        m.value for m in app.markdown if "of that list" in m.value
    )
    assert "counts once in each class" in spaced(texts(app))


def test_a_list_of_fewer_people_than_the_table_is_refused() -> None:
    table, schema = small_table()
    app = opened(table, schema)
    few = table.to_frame()[list(schema.quasi_identifiers)].head(2)
    app.file_uploader[0].upload("few.csv", few.to_csv(index=False).encode(), "text/csv").run()
    assert not app.exception
    (said,) = [spaced(one.value) for one in app.error]
    assert "has 2 people and the table 400" in said
    assert "load a list of everybody" in said
    assert "Among the people of that list" not in texts(app)


def test_what_is_not_counted_says_so() -> None:
    assert "not counted" in _without(None)
    bounds = Crowd(np.array([1, 2]), np.array([2, 2]), np.array([[5, 5]]), np.array([True, True]))
    assert "bounds" in _without(bounds)


def _without(together: Crowd | None) -> str:
    from unittest.mock import patch

    class Mine:
        class guarantee:  # noqa: N801
            people = 9

    with patch.object(risk.results, "my_release", lambda: Mine):
        return risk._people(together)


def test_hostile_names_and_values_stay_text() -> None:
    rows = 80
    values = {
        HOSTILE[3]: [f"{HOSTILE[i % 6]}{i % 7}" for i in range(rows)],
        "b": [str(i % 9) for i in range(rows)],
        HOSTILE[5]: [f"{HOSTILE[8 + i % 3]}" for i in range(rows)],
    }
    names = list(values)
    app = opened(Table.from_frame(pd.DataFrame(values)), Schema(names[:2], names[2]))
    assert not app.exception
    app.file_uploader[0].upload("p.csv", read_table(b"b\n1\n2\n").to_frame().to_csv(index=False).encode()).run()
    assert not app.exception
    assert app.error

"""An agreed list on the release page: chosen, used by everybody, and let go again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from core import Policy, Scenario, Schema, Table, Taxonomy
from core.data.agreed import AgreedList
from core.study.hospitals import Hospital
from pages.shared import results, session
from tests.pages.drive import Session, choice_of, choose, loaded, texts
from tests.tables import small_table

SMALL = small_table()

TREE = Taxonomy.from_nested({"viral": ["flu", "cold"], "other": ["gout", "burn", "<b>tb"]})
PAGE = "pages/release/page.py"


def opened() -> AppTest:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 200).astype(str),
            "zip": rng.choice(list("abcdef"), 200),
            "disease": rng.choice(TREE.leaf_labels, 200),
        }
    )
    schema = Schema(["age", "zip"], "disease", taxonomies={"disease": TREE})
    return loaded(Table.from_frame(frame), schema, PAGE, repeats=2)


def measured(app: AppTest) -> dict[str, str]:
    rows = app.table[0].value
    return dict(zip(rows["Model"], rows["Measured"], strict=True))


def test_a_level_of_the_taxonomy_becomes_the_list_of_everybody_and_goes_again() -> None:
    app = opened()
    assert not any("agreed list" in name for name in measured(app))
    assert not [one for one in app.toggle if one.label == "Whole buckets of the agreed list"]
    app.button(key="release:agreed:use").click().run()
    assert not app.exception
    assert not app.error, app.error[0].value
    assert measured(app)["Values left whatever others publish (agreed list)"] == "2"
    for name in ("my_algorithm", "their_algorithm"):
        assert choice_of(app, name) == "by-bucket"
    assert [one.value for one in app.toggle if one.label == "Whole buckets of the agreed list"] == [True]
    assert "2 buckets of at least 2 values" in " ".join(one.label for one in app.expander)
    app.button(key="release:agreed:off").click().run()
    assert not app.exception
    assert not app.error
    assert not any("agreed list" in name for name in measured(app))


def test_a_list_of_single_values_is_refused_in_a_sentence() -> None:
    app = choose(opened(), "hold_level", 2)
    assert not app.exception
    assert "5 of the buckets have one value" in " ".join(one.value for one in app.error) + texts(app)
    assert not [one for one in app.button if one.key == "release:agreed:use"]


def test_records_that_would_be_left_out_are_counted_before_the_list_is_used() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"age": rng.integers(20, 60, 200).astype(str), "disease": ["flu"] * 60 + ["gout", "burn"] * 70}
    )
    schema = Schema(["age"], "disease", taxonomies={"disease": TREE})
    app = loaded(Table.from_frame(frame), schema, PAGE, repeats=2)
    assert not app.exception
    assert "No bucket is complete in this table" in " ".join(one.value for one in app.error)
    assert not [one for one in app.button if one.key == "release:agreed:use"]
    frame.loc[:29, "disease"] = "cold"
    app = loaded(Table.from_frame(frame), schema, PAGE, repeats=2)
    assert "140 of the 200 records have a value whose bucket is not complete" in texts(app).replace("\u00a0", " ")
    app.button(key="release:agreed:use").click().run()
    assert not app.exception
    assert "140 suppressed" in texts(app).replace("\u00a0", " ").replace("*", "")


def test_a_scenario_with_a_list_is_what_it_was_and_other_data_knows_none(started: Session) -> None:
    listed = AgreedList(tuple((value,) for value in sorted(set(SMALL[0].column(SMALL[1].sensitive).labels))))
    schema = SMALL[1].with_(agreed=listed)
    one = Hospital(Policy(4, more={"agreed": 1}), "by-bucket")
    asked = Scenario(
        schema, (one, replace(one, source="resampled")), overlap=50, repeats=2, data_id=SMALL[0].content_id
    )
    session.change_schema(schema)
    session.adopt(asked)
    assert session.scenario().hospitals == asked.hospitals
    assert session.scenario().schema.agreed == listed
    assert results.my_release().guarantee.numbers["agreed"] == 1
    session.load(*SMALL, "again")
    assert "agreed" not in dict(session.scenario().mine.policy.more)
    session.put("agreed_list", True)
    assert "agreed" not in dict(session.scenario().mine.policy.more), "a link may say so on data without a list"

"""An agreed list on the release page: chosen, used by everybody, and let go again."""

from __future__ import annotations

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from core import Schema, Table, Taxonomy
from tests.pages.drive import choice_of, loaded, texts

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
    app = opened()
    app.number_input(key="release:agreed:level").set_value(2).run()
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
    assert "No record could be published under this list" in texts(app) + " ".join(one.value for one in app.error)
    frame.loc[:29, "disease"] = "cold"
    app = loaded(Table.from_frame(frame), schema, PAGE, repeats=2)
    assert "140 of the 200 records have a value whose bucket is not complete" in texts(app).replace("\u00a0", " ")

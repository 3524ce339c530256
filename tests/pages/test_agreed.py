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
from tests.pages.drive import Session, loaded, set_section
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
    set_section(app, "hold", "Agreed list")
    app.switch_page("pages/hold/page.py").run()
    app.button(key="hold:take:agreed").click().run()
    app.switch_page(PAGE).run()
    assert not app.error, app.error[0].value
    assert measured(app)["Values left whatever others publish (agreed list)"] == "2"
    assert [one.value for one in app.toggle if one.label == "Whole buckets of the agreed list"] == [True]
    assert "2 buckets of at least 2 values" in " ".join(one.label for one in app.expander)
    app.button(key="release:agreed:off").click().run()
    assert not app.error
    assert not any("agreed list" in name for name in measured(app))


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

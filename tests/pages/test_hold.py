"""What helps: the ways side by side, what is refused, and a way that becomes the release."""

from __future__ import annotations

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from core import Schema, Table, Taxonomy
from core.data.agreed import AgreedList
from pages.shared import session
from tests.pages.drive import Session, choice_of, choose, loaded, spaced, texts, workspace_of
from tests.tables import small_table

PAGE = "pages/hold/page.py"
TREE = Taxonomy.from_nested({"viral": ["flu", "cold", "mumps"], "other": ["gout", "burn", "tb"]})


def people(rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, rows).astype(str),
            "zip": rng.choice(list("abcdef"), rows),
            "disease": rng.choice(TREE.leaf_labels, rows),
        }
    )


def opened(frame: pd.DataFrame | None = None, **choices: object) -> AppTest:
    schema = Schema(["age", "zip"], "disease", taxonomies={"disease": TREE})
    table = Table.from_frame(people() if frame is None else frame)
    return loaded(table, schema, PAGE, **{"section": "Agreed list", "repeats": 2, **choices})


def rows_of(app: AppTest) -> pd.DataFrame:
    return app.table[-1].value.set_index("Way")


def refusals(app: AppTest) -> str:
    return spaced(" ".join(one.value for one in (*app.error, *app.info))).replace("\\", "")


def hand_in(app: AppTest, content: str) -> None:
    app.file_uploader(key="hold:agreed:file").upload("list.csv", content.encode(), "text/csv").run()


def can_be_taken(app: AppTest) -> bool:
    return any(button.key == "hold:take:agreed" for button in app.button)


def test_the_agreed_list_stands_beside_the_present_setting_with_its_cost_and_terms() -> None:
    app = opened(confidence=0.25)
    assert not refusals(app)
    rows = rows_of(app)
    ways = ["as set now", "Agreed list, kept by all", "Agreed list, kept by me alone"]
    assert [name.strip("*") for name in rows.index] == ways
    assert "nobody has fewer than **3** values left, however many publish" in texts(app)
    assert 'it does not make "at most 4 values left" rare' in texts(app)
    assert rows.loc["**as set now**", "Exposed"] != rows.loc["**Agreed list, kept by all**", "Exposed"]
    assert "unless hospitals disagree so far that nothing is left" in texts(choose(app, "agreement", 0.7))


def test_the_agreed_list_becomes_my_release_with_policy_algorithm_and_list() -> None:
    app = opened()
    app.button(key="hold:take:agreed").click().run()
    assert workspace_of(app).schema.agreed is not None
    assert choice_of(app, "my_algorithm") == choice_of(app, "their_algorithm") == "by-bucket"
    assert choice_of(app, "agreed") == 3
    assert ":material/check: This is my release now." in texts(app)
    now = rows_of(app).loc["**as set now**"]
    assert now["Everybody has to agree on"].startswith("The list")
    assert "Every further hospital" not in now["Still open"]
    app.switch_page("pages/release/page.py").run()
    measured = app.table[0].value.set_index("Model")["Measured"]
    assert int(measured["Values left whatever others publish (agreed list)"]) >= 3
    assert "2 buckets of at least 3 values" in " ".join(fold.label for fold in app.expander)
    app.button(key="release:agreed:off").click().run()
    assert not any("agreed list" in name for name in app.table[0].value["Model"])


def test_a_list_that_this_table_cannot_keep_is_refused_once() -> None:
    app = opened(people().assign(disease=["flu", "gout"] * 200))
    assert refusals(app).count("No bucket of the agreed list has all its values in this table") == 1


def test_records_that_would_be_left_out_are_counted_before_the_list_is_used() -> None:
    values = ["flu"] * 30 + ["cold"] * 30 + ["mumps"] * 30 + ["gout", "burn"] * 55
    rows = rows_of(opened(people(200).assign(disease=values)))
    assert rows.loc["**as set now**", "Records published"] == "200"
    assert rows.loc["**Agreed list, kept by all**", "Records published"] == "90"


LISTS = {
    "lacks 1 of the 6 values": "flu;a\ncold;a\nmumps;a\ngout;b\nburn;b\n",
    "1 of the buckets have one value": "flu;a\ncold;a\nmumps;a\ngout;b\nburn;b\ntb;c\n",
}


def test_a_list_that_cannot_hold_is_refused_in_a_sentence_and_nothing_is_lost() -> None:
    app = opened(hold_from="file")
    assert not refusals(app)
    assert "Load a file, or choose another source" in texts(app)
    for sentence, content in LISTS.items():
        hand_in(app, content)
        assert sentence in refusals(app)
        assert len(refusals(app)) < 300
        assert not can_be_taken(app)
        assert rows_of(app).index[0] == "**as set now**"


def test_shares_that_were_counted_in_my_own_table_are_refused() -> None:
    app = opened(hold_from="shares")
    hand_in(app, people()["disease"].value_counts().to_csv(header=False))
    assert "those of your own table" in refusals(app)
    hand_in(app, "".join(f"{value},{5 + place}\n" for place, value in enumerate(TREE.leaf_labels)))
    assert not refusals(app)
    assert can_be_taken(app)


# --- a list in a session -------------------------------------------------------------------------


SMALL = small_table()


def test_a_scenario_with_a_list_is_what_it_was_and_other_data_knows_none(started: Session) -> None:
    table, schema = small_table()
    listed = AgreedList(tuple((value,) for value in sorted(set(table.column(schema.sensitive).labels))))
    session.change_schema(schema.with_(agreed=listed))
    session.put("my_algorithm", "by-bucket")
    session.put("agreed_list", True)
    wanted = session.scenario()
    assert "agreed" in dict(wanted.mine.policy.more)
    session.load(table, schema, "again")
    session.put("agreed_list", True)
    assert "agreed" not in dict(session.scenario().mine.policy.more), "a link may say so on data without a list"
    session.change_schema(schema.with_(agreed=listed))
    session.adopt(wanted)
    assert session.scenario().hospitals == wanted.hospitals

"""What helps: the ways side by side, what is refused, and a way that becomes the release."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Schema, Table, Taxonomy
from tests.pages.drive import choice_of, choose, loaded, spaced, texts, workspace_of

PAGE = "pages/hold/page.py"
TREE = Taxonomy.from_nested({"viral": ["flu", "cold", "mumps"], "other": ["gout", "burn", "tb"]})


def people(rows: int = 400, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, rows).astype(str),
            "zip": rng.choice(list("abcdef"), rows),
            "disease": rng.choice(TREE.leaf_labels, rows),
        }
    )


def opened(frame: pd.DataFrame | None = None, tree: Taxonomy | None = TREE, **choices: object) -> AppTest:
    taxonomies = {} if tree is None else {"disease": tree}
    schema = Schema(["age", "zip"], "disease", taxonomies=taxonomies)
    table = Table.from_frame(people() if frame is None else frame)
    return loaded(table, schema, PAGE, **{"section": "Agreed list", "repeats": 2, **choices})


def rows_of(app: AppTest) -> pd.DataFrame:
    return app.table[-1].value.set_index("Way")


def refusals(app: AppTest) -> str:
    return spaced(" ".join(one.value for one in (*app.error, *app.info))).replace("\\", "")


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    return app


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
    app = press(opened(), "hold:take:agreed")
    assert workspace_of(app).schema.agreed is not None
    assert choice_of(app, "my_algorithm") == choice_of(app, "their_algorithm") == "by-bucket"
    assert choice_of(app, "agreed") == 3
    assert ":material/check: This is my release now." in texts(app)
    now = rows_of(app).loc["**as set now**"]
    assert now["Everybody has to agree on"].startswith("The list")
    assert "Every further hospital" not in now["Still open"]
    app.switch_page("pages/release/page.py").run()
    rows = app.table[0].value
    measured = dict(zip(rows["Model"], rows["Measured"], strict=True))
    assert int(measured["Values left whatever others publish (agreed list)"]) >= 3
    assert "2 buckets of at least 3 values" in " ".join(one.label for one in app.expander)
    press(app, "release:agreed:off")
    assert not any("agreed list" in name for name in app.table[0].value["Model"])


def test_a_list_that_this_table_cannot_keep_is_refused_once() -> None:
    frame = people()
    frame["disease"] = np.where(np.arange(len(frame)) % 2, "flu", "gout")
    app = opened(frame)
    assert refusals(app).count("No bucket of the agreed list has all its values in this table") == 1


def test_records_that_would_be_left_out_are_counted_before_the_list_is_used() -> None:
    frame = people(200)
    frame["disease"] = ["flu"] * 30 + ["cold"] * 30 + ["mumps"] * 30 + ["gout", "burn"] * 55
    rows = rows_of(opened(frame))
    assert rows.loc["**as set now**", "Records published"] == "200"
    assert rows.loc["**Agreed list, kept by all**", "Records published"] == "90"


LISTS = {
    "lacks 1 of the 6 values": "flu;a\ncold;a\nmumps;a\ngout;b\nburn;b\n",
    "1 of its values twice": "flu;a\ncold;a\nmumps;a\ngout;b\nburn;b\ntb;b\nflu;b\n",
    "1 of the buckets have one value": "flu;a\ncold;a\nmumps;a\ngout;b\nburn;b\ntb;c\n",
}


@pytest.mark.parametrize("sentence", LISTS)
def test_a_list_that_cannot_hold_is_refused_in_a_sentence_and_nothing_is_lost(sentence: str) -> None:
    app = opened(hold_from="file")
    assert not refusals(app)
    assert "Load a file, or choose another source" in texts(app)
    app.file_uploader(key="hold:agreed:file").upload("list.csv", LISTS[sentence].encode(), "text/csv").run()
    assert sentence in refusals(app)
    assert len(refusals(app)) < 300
    assert not [one for one in app.button if one.key == "hold:take:agreed"]
    assert rows_of(app).index[0] == "**as set now**"


def test_shares_that_were_counted_in_my_own_table_are_refused() -> None:
    mine = people()["disease"].value_counts()
    app = opened(hold_from="shares")
    raw = mine.to_csv(header=False).encode()
    app.file_uploader(key="hold:agreed:file").upload("shares.csv", raw, "text/csv").run()
    assert "those of your own table" in refusals(app)
    raw = "".join(f"{value},{share}\n" for value, share in zip(TREE.leaf_labels, (5, 6, 7, 8, 9, 10), strict=True))
    app.file_uploader(key="hold:agreed:file").upload("shares.csv", raw.encode(), "text/csv").run()
    assert not refusals(app)
    assert [one for one in app.button if one.key == "hold:take:agreed"]

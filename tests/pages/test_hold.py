"""What helps: the ways side by side, what is refused, and a way that becomes the release."""

from __future__ import annotations

import io
import re

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Schema, Table, Taxonomy, dp, measure
from core.algorithms import partition
from core.data.csv_export import csv_bytes
from core.data.encoding import encode
from tests.hostile import HOSTILE
from tests.pages.drive import choice_of, choose, keep, loaded, set_section, spaced, texts, with_numbers, workspace_of

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
    app = loaded(table, schema, PAGE, **{"section": "Hospital after hospital", "repeats": 2, **choices})
    assert not app.exception, [error.value for error in app.exception]
    return app


def rows_of(app: AppTest) -> pd.DataFrame:
    costs, terms = (table.value.set_index("Way") for table in app.table[-2:])
    return costs.join(terms)


def refusals(app: AppTest) -> str:
    return spaced(" ".join(one.value for one in (*app.error, *app.info))).replace("\\", "")


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def test_every_way_has_a_line_with_its_cost_and_terms() -> None:
    app = opened(confidence=0.25)
    assert not refusals(app)
    found = rows_of(app)
    words = ["as set now", "agreed list", "agreed list, mine only", "truthful, differentially private"]
    assert [name.strip("*") for name in found.index] == words
    assert found.loc["**agreed list**", "Fewest values left"].startswith(("3 with 2", "6 with 2"))
    assert "at least 3 with any number" in found.loc["**agreed list**", "Fewest values left"]
    assert "nobody has fewer than **3** values left, however many" in texts(app)
    assert 'it does not make "at most 4 values left" rare' in texts(app)
    assert "To the adversary a person's class is known in every release." in texts(app)
    assert not found["Still open"].eq("").any()


def test_the_present_setting_loses_and_exposes_here_what_it_does_on_every_page() -> None:
    app = opened()
    strip = [one.value for one in app.markdown]
    loss = rows_of(app).loc["**as set now**", "Loss"]
    assert f"**{loss}**" in strip
    share = next(one for one in strip if "people" in one and one.startswith("**"))
    people_left = share.split(", ")[1].split(" ")[0].replace("≈", "").strip()
    told = texts(app)
    assert (
        f"**{people_left}** would be left with one value if 2 hospitals publish as set now (best single release alone: "
        in told
    )
    assert "(one draw of the hospitals)" in told


def test_the_first_number_is_that_of_the_bar_on_top_with_its_interval() -> None:
    app = opened(repeats=10)
    share = next(value for value in (one.value for one in app.markdown) if "people" in value and value.startswith("**"))
    people_left = share.split(", ")[1].split(" ")[0].replace("≈", "").strip()
    sentence = f"**{people_left}** would be left with one value if 2 hospitals publish as set now (95 % interval "
    assert sentence in texts(app)


def test_all_lines_are_drawn_to_the_end_on_demand() -> None:
    app = press(opened(), "hold:all")
    fewest = rows_of(app)["Fewest values left"]
    assert fewest["**agreed list**"].endswith("with 8 hospitals") or "with 2 hospitals" in fewest["**agreed list**"]
    assert "any number" not in fewest["**agreed list**"]
    assert "As set now: mean of 2 draws of the hospitals" in texts(app)
    assert not [one for one in app.button if one.key == "hold:all"]
    app = choose(app, "overlap", 50)
    assert [one for one in app.button if one.key == "hold:all"], "other choices are not drawn to the end unasked"


def test_the_agreed_list_becomes_my_release_with_policy_algorithm_and_list() -> None:
    app = press(opened(), "hold:take:agreed")
    assert workspace_of(app).schema.agreed is not None
    assert choice_of(app, "my_algorithm") == choice_of(app, "their_algorithm") == "by-bucket"
    assert choice_of(app, "agreed") == 3
    assert ":material/check: This is my release now." in texts(app)
    assert [name.strip("*") for name in rows_of(app).index][:1] == ["as set now"]
    assert "All keep to the agreed list, so nobody has fewer than **3** values left, however many publish." in texts(
        app
    )
    assert "mean of 0 draws" not in texts(app)
    now = rows_of(app).loc["**as set now**"]
    assert now["Everybody has to agree on"].startswith("The list")
    assert "Every further hospital" not in now["Still open"]
    app.switch_page("pages/release/page.py").run()
    rows = app.table[0].value
    measured = dict(zip(rows["Model"], rows["Measured"], strict=True))
    assert int(measured["Values left whatever others publish (agreed list)"]) >= 3


def test_who_disagrees_is_said_beside_what_the_list_guarantees() -> None:
    app = opened(agreement=0.7, releases=3)
    said = spaced(texts(app))
    assert "however many publish, unless hospitals disagree so far that nothing is left" in said
    assert re.search(r"would be left with one value.*?, \d+ rightly", said)
    assert "They no longer count as exposed, so a line can fall" in said
    assert "unless hospitals disagree" not in texts(opened())


def test_a_way_that_this_table_cannot_go_is_refused_once_and_the_other_lines_stay() -> None:
    frame = people()
    frame["disease"] = np.where(np.arange(len(frame)) % 2, "flu", "gout")
    app = opened(frame)
    assert refusals(app).count("No bucket of the agreed list has all its values in this table") == 1
    assert rows_of(app).index[0] == "**as set now**"


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
    app.file_uploader(key="hold:file").upload("list.csv", LISTS[sentence].encode(), "text/csv").run()
    assert not app.exception
    assert sentence in refusals(app)
    assert len(refusals(app)) < 300
    assert not [one for one in app.button if one.key == "hold:take:agreed"]
    assert rows_of(app).index[0] == "**as set now**"


def test_shares_that_were_counted_in_my_own_table_are_refused() -> None:
    mine = people()["disease"].value_counts()
    app = opened(hold_from="shares")
    raw = mine.to_csv(header=False).encode()
    app.file_uploader(key="hold:file").upload("shares.csv", raw, "text/csv").run()
    assert "those of your own table" in refusals(app)
    raw = "".join(f"{value},{share}\n" for value, share in zip(TREE.leaf_labels, (5, 6, 7, 8, 9, 10), strict=True))
    app.file_uploader(key="hold:file").upload("shares.csv", raw.encode(), "text/csv").run()
    assert not refusals(app)
    assert [one for one in app.button if one.key == "hold:take:agreed"]


def test_a_truthful_table_is_drawn_once_its_domains_are_declared_and_its_budget_allows_it() -> None:
    app = press(opened(people(3_000)), "hold:draw")
    assert choice_of(app, "noise_columns") is not None
    assert app.button(key="noise:truthful:draw").disabled
    app.switch_page("pages/noise/page.py")
    set_section(app, "noise", "Truthful table")
    tree = dp.Declared("tree", level=2, digest=dp.digest_of(_of(app)[1], "disease"))
    app = choose(app, "noise_domains", (("disease", tree),))
    app = choose(app, "noise_columns", ())
    press(app, "noise:truthful:draw")
    assert "name the origin first" in refusals(app)
    app = press(choose(app, "noise_origin", "Admissions"), "noise:truthful:draw")
    assert not refusals(app)
    assert "2 left" in spaced(" ".join(str(one.proto.text) for one in app.get("progress")))
    assert " cells." in texts(app)
    press(app, "noise:truthful:draw")
    assert not refusals(app)
    press(app, "noise:truthful:draw")
    assert "above the budget of 4" in refusals(app)


def _of(app: AppTest) -> tuple[Table, Schema]:
    here = workspace_of(app)
    return here.table, here.schema


def test_hostile_names_and_values_are_shown_as_they_are() -> None:
    frame = people()
    names = dict(zip(frame["disease"].unique(), [*HOSTILE, "x", "y", "z", "u", "v"], strict=False))
    frame["disease"] = frame["disease"].map(names)
    table = Table.from_frame(frame.rename(columns={"zip": "<b>zip</b>", "disease": "![x](http://x.org)"}))
    schema = Schema(["age", "<b>zip</b>"], "![x](http://x.org)")
    app = loaded(table, schema, PAGE, "Hospital after hospital", repeats=2)
    assert not app.exception
    listed = "".join(f'"{value.replace(chr(34), chr(34) * 2)}";b\n' for value in names.values() if "\n" not in value)
    app.file_uploader(key="hold:file").upload("list.csv", listed.encode(), "text/csv").run()
    assert not app.exception
    shown = texts(app) + refusals(app)
    for raw in ("<b>zip</b>", "![x](http", *[value for value in names.values() if "<" in value or "](" in value]):
        assert raw not in shown.replace("\\", "\0")


def test_what_is_published_under_the_list_is_measured_from_the_file_alone() -> None:
    app = press(opened(), "hold:take:agreed")
    app.switch_page("pages/release/page.py").run()
    here = workspace_of(app)
    made = partition(encode(here.table, here.schema), Policy(4, more={"agreed": 3}), "by-bucket")
    raw = pd.read_csv(io.BytesIO(csv_bytes(made.publish(seed=None))), dtype=str, keep_default_na=False)
    assert measure(raw, here.schema).numbers["agreed"] >= 3


def test_people_with_few_values_are_shown_at_the_confidence_that_is_chosen() -> None:
    app = opened(confidence=0.5)
    assert "rare" not in texts(app), "the list rules at most two values out"
    keep(app, "hold", "show", "few")
    with_numbers(app, "hold")
    assert not app.exception
    assert "Shared people with at most 2 values left" in app.selectbox(key="hold:show").options
    assert "At most 2 values left (%)" in app.dataframe[-1].value.columns

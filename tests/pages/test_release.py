"""The release page: asked beside measured, classes, picture, cost, the file; hostile names harmless."""

import math
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core import Policy, Release, Schema, Table, attack_versions, m_private, measure, release_with_earlier_classes
from core.algorithms import partition
from core.base.errors import InfeasibleError
from core.base.wording import count, percent
from core.data.encoding.encoded import Encoded, encode
from core.data.tables.csv_export import csv_bytes
from core.release.class_table import class_table
from pages.release import classes, controls, partition_map
from pages.release import guarantee as release_guarantee
from pages.release.guarantee import MET, NOT_ASKED, NOT_MET, account, checks, of_table
from tests.colours import luminance
from tests.hostile import HTML
from tests.pages.drive import at_section, choose, loaded, marked_texts, nodes, opened, press, texts
from tests.strategies import Case, cases
from tests.tables import pooled_table, small_table

PAGE = "pages/release/page.py"
TABS = ("Classes", "Map", "What it costs", "The file", "A table of counts", "An earlier version")


def asked_and_measured(app: AppTest) -> pd.DataFrame:
    return app.table[0].value.map(lambda text: text.replace("\u00a0", " ")).set_index("Model")


# --- the page ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "model"),
    [
        ("my_k", 9, "People per class (k)"),
        ("diversity", "distinct", "Distinct values (distinct l)"),
        ("diversity", "entropy", "Evenly spread values (entropy l)"),
        ("diversity", "recursive", "No value dominates (recursive, l = 2)"),
        ("closeness", True, "Distance to the table (t, total variation)"),
    ],
)
def test_every_model_can_be_asked_and_is_met(name: str, value: object, model: str) -> None:
    shown = asked_and_measured(loaded(*small_table(), PAGE, **{name: value}))
    assert len(shown) >= 5
    assert shown.loc[model, "Verdict"] == MET.replace("\u00a0", " ")
    assert shown.loc[model, "Asked"] != NOT_ASKED


def test_the_hierarchical_distance_is_offered_only_with_a_taxonomy() -> None:
    for app, distances in ((loaded(*small_table(), PAGE), 2), (opened(PAGE), 3)):
        choose(app, "closeness", True)
        assert len(next(box for box in app.selectbox if box.label == "Distance").options) == distances


def test_a_policy_that_only_the_whole_table_meets_says_so() -> None:
    app = loaded(*small_table(), PAGE, my_algorithm="mondrian", closeness=True, t=0.05)
    assert "Only the whole table as one class" in texts(app)
    for tab in TABS:
        assert not at_section(app, "release", tab).error


def test_an_opened_class_is_shown_and_another_policy_closes_it() -> None:
    app = at_section(loaded(*small_table(), PAGE), "release", "Classes")
    shown = app.dataframe[0].value.iloc[3]
    words = f"**Class {int(shown['class_number'])}: {int(shown['size'])} people**"
    assert words not in texts(app)
    app.session_state[app.dataframe[0].key] = {"selection": {"rows": [3]}}
    app.run()
    assert words in texts(app)
    assert "the weakest" not in texts(app)
    assert "the weakest" in texts(choose(app, "my_k", 8))


def test_no_identifier_is_anywhere() -> None:
    table, _ = small_table()
    frame = table.to_frame()
    frame["name"] = [f"person {n}" for n in range(len(frame))]
    app = loaded(Table.from_frame(frame), Schema(["age", "sex"], "diagnosis", identifiers=["name"]), PAGE)
    for tab in TABS:
        at_section(app, "release", tab)
        assert not re.search(r"person \d", "".join(marked_texts(app)))
        for shown in app.dataframe:
            assert "person " not in shown.value.to_csv()


def test_a_class_with_one_value_is_the_first_line_until_two_are_required() -> None:
    frame = pd.DataFrame({"age": [str(n // 3) for n in range(60)], "s": ["x"] * 6 + ["x", "y", "z"] * 18})
    app = loaded(Table.from_frame(frame), Schema(["age"], "s"), PAGE, my_k=3, their_k=3, overlap=10, repeats=1)
    said = [str(getattr(node, "value", "")) for node in nodes(app.main)]
    first = next(place for place, text in enumerate(said) if "**2 classes (6 people) hold a single value**" in text)
    assert first < next(place for place, text in enumerate(said) if "The published table meets" in text)
    app = press(app, "Require l = 2")
    assert not app.warning
    assert asked_and_measured(app).loc["Distinct values (distinct l)", "Asked"] == "at least 2"


def test_a_single_value_in_one_of_several_columns_is_warned_of_and_l_is_no_remedy() -> None:
    """l counts combinations: requiring two of them leaves the class as it is."""
    frame = pd.DataFrame({"age": [str(n // 3) for n in range(60)], "s": ["x"] * 6 + ["x", "y", "z"] * 18})
    frame["ward"] = ["1", "2", "3"] * 20
    app = loaded(Table.from_frame(frame), Schema(["age"], ["s", "ward"]), PAGE, my_k=3, l=2.0, overlap=10, repeats=1)
    (warning,) = app.warning
    assert "**2 classes (6 people) hold a single value of s or ward**" in warning.value
    assert "raise k" in warning.value
    assert "l and t count combinations of s and ward" in texts(app)
    assert not [button for button in app.button if button.label == "Require l = 2"]


# --- the file ----------------------------------------------------------------------------------


def test_two_downloads_differ_in_order_alone() -> None:
    release = partition(encode(*small_table()), Policy(4))
    first, second = (controls.release_file(release).splitlines() for _ in range(2))
    assert first != second
    assert first[0] == second[0]
    assert sorted(first) == sorted(second)


def test_file_names_hold_the_policy_and_nothing_else() -> None:
    policy = Policy(5, l=2.5, diversity="entropy", t=0.4)
    assert controls.file_name(policy, "release") == "release_k5_l2.5-entropy_t0.4-equal.csv"


def test_the_table_of_classes_keeps_every_column_whatever_it_is_called() -> None:
    frame = pd.DataFrame({"people": ["1", "2", "3", "4"] * 3, "class": ["a", "b"] * 6, "s": ["x", "y", "z"] * 4})
    release = partition(encode(Table.from_frame(frame), Schema(["people", "class"], "s")), Policy(2))
    written = classes.class_file(release, class_table(release))
    assert len(set(written.columns)) == len(written.columns) == 9
    assert written["class: people"].sum() == 12
    assert {"people", "class"} <= set(written.columns)


# --- asked beside measured ---------------------------------------------------------------------


def release_of(counts: dict[str, int], policy: Policy) -> tuple[Release, Schema]:
    values = [value for value, count in counts.items() for _ in range(count)]
    frame = pd.DataFrame({"age": ["30"] * len(values), "s": values})
    schema = Schema(["age"], "s")
    return Release.of(encode(Table.from_frame(frame), schema), np.zeros(len(values)), policy, "mondrian"), schema


@pytest.mark.parametrize(("l", "least"), [(2, "6"), (3, "9"), (4, "18")])
def test_recursive_diversity_is_shown_as_the_c_it_holds_for(l: int, least: str) -> None:  # noqa: E741
    """18, 1, 1, 1 is recursively (c, 2)-diverse only for c > 6, (c, 3) for c > 9, (c, 4) for c > 18."""
    for c, met in ((float(least), False), (float(least) + 0.1, True)):
        policy = Policy(2, l=l, c=c, diversity="recursive")
        release, schema = release_of({"a": 18, "b": 1, "c": 1, "d": 1}, policy)
        row = checks(policy, of_table(measure(release.publish(seed=0), schema), policy), "equal")[3]
        assert (row.measured, row.met) == (f"c above {least}", met)


def found(*numbers: float) -> dict[str, float]:
    return dict(zip(("k", "distinct_l", "entropy_l", "c", "t"), numbers, strict=True))


def test_a_broken_promise_is_called_one() -> None:
    rows = checks(Policy(5, l=3, t=0.2), found(4, 2, 1.5, math.inf, 0.35), "equal")
    assert [row.met for row in rows] == [False, False, None, None, False]
    assert release_guarantee.verdict(rows[0]) == NOT_MET
    assert rows[3].measured == "no c: too few values"
    release, schema = release_of({"a": 4, "b": 1}, Policy(2))
    assert "Do not publish" in release_guarantee.conclusion(rows, measure(release.publish(seed=0), schema))


def test_numbers_are_never_rounded_to_look_safer() -> None:
    assert release_guarantee.rounded_down(2.9999) == "2.999"
    assert [release_guarantee.rounded_up(number) for number in (0.40001, 0.4)] == ["0.401", "0.4"]
    assert release_guarantee.rounded_up(12345.0) == count(12345)
    assert checks(Policy(2, t=0.4), found(2, 2, 2, 1, 0.4 + 1e-12), "equal")[4].met


def test_every_record_is_accounted_for() -> None:
    frame = pd.DataFrame({"age": ["1", "2", "", "4"] * 5, "zip": ["a", "", "b", "b"] * 5, "s": ["x", "y", "", "z"] * 5})
    encoded = encode(Table.from_frame(frame), Schema(["age", "zip"], "s"))
    assert account(partition(encoded, Policy(2)), 20) == "", "all are published"
    encoded = encode(Table.from_frame(frame), Schema(["age", "zip"], "s", missing="drop"))
    words = account(Release.of(encoded, np.array([0] * 8 + [-1] * 2), Policy(2), "mondrian"), 20)
    assert words == (
        "**20** records in the table: **8** published, **10** left out for missing values, **2** suppressed."
    )


# --- classes -----------------------------------------------------------------------------------


def test_the_weakest_class_comes_first() -> None:
    rows = pd.DataFrame(
        {"class_number": [0, 1, 2, 3], "size": [9, 5, 7, 4], "distinct": [3, 1, 1, 1], "distance": [0.9, 0.5, 0.7, 0.7]}
    )
    assert classes.weakest_first(rows)["class_number"].tolist() == [3, 2, 1, 0]


def test_the_values_of_a_class_stand_beside_those_of_the_table() -> None:
    release = partition(encode(*small_table()), Policy(20))
    values = classes.class_values(release, 0)
    assert values["records"].sum() == release.sizes[0]
    assert values["share"].sum() == pytest.approx(1)
    assert values["records"].is_monotonic_decreasing
    assert (values["table"] > 0).all()


# --- other algorithms than Mondrian --------------------------------------------------------------


def with_two_redraws(table: Table, schema: Schema, **choices: object) -> AppTest:
    return loaded(table, schema, PAGE, **{"repeats": 2, **choices})


def test_what_microaggregation_does_not_publish_is_said_to_be_unpublished() -> None:
    table, schema = small_table()
    release = partition(encode(table, schema), Policy(4), "mdav")
    app = at_section(with_two_redraws(table, schema, my_algorithm="mdav"), "release", "Classes")
    shown = app.table[1].value
    assert list(shown.columns) == ["Quasi-identifier", "Published as", "From, to (not published)"]
    wanted = {f"**{age}**".replace(".", "\\.") for age in release.region_frame()["age"]}
    assert shown["Published as"].iloc[0] in wanted
    assert "Map" not in app.segmented_control(key="release:tabs").options


def test_m_is_declared_beside_measured() -> None:
    table, schema = pooled_table()
    app = with_two_redraws(table, schema, collusion=True, my_m=2)
    row = asked_and_measured(app).loc["Providers that may collude (m)"]
    release = partition(encode(table, schema), Policy(4, m=2))
    assert row["Asked"] == "at least 2"
    assert row["Measured"] == str(max(m for m in range(4) if m_private(release, m=m).is_satisfied))
    assert "Providers that may collude (m)" not in asked_and_measured(choose(app, "collusion", False)).index


def test_classes_of_equal_cells_are_said_to_be_one_to_a_reader() -> None:
    table, schema = pooled_table()
    schema = schema.with_(quasi_identifiers=["sex"], column_types={}, unassigned="drop")
    release = partition(encode(table, schema), Policy(4, m=1), "provider-aware")
    assert len(release.published.sizes) < len(release.sizes), "the table shows what is tested"
    said = texts(with_two_redraws(table, schema, my_algorithm="provider-aware"))
    assert f"({len(release.published.sizes)} classes)" in said
    assert f"{len(release.sizes)} classes were formed" in said


# --- the map -------------------------------------------------------------------------------------


def figure(encoded: Encoded, k: int = 3) -> tuple[go.Figure, pd.DataFrame]:
    frame = partition_map.rectangles(partition(encoded, Policy(k)))
    return partition_map.partition_map(frame, encoded.qids), frame


def bars(picture: go.Figure, field: str) -> np.ndarray:
    return np.concatenate([np.asarray(part[field], dtype=float) for part in picture.data if part.type == "bar"])


@given(case=cases(rows=(2, 40), qids=2), k=st.integers(1, 4))
def test_rectangles_hold_every_class_and_every_person_once(case: Case, k: int) -> None:
    try:
        release = partition(case.encoded, Policy(k))
    except InfeasibleError:
        assume(False)
    frame = partition_map.rectangles(release)
    assert frame["people"].sum() == release.sizes.sum()
    assert frame["classes"].sum() == len(release.sizes)
    assert not frame.duplicated(partition_map.CORNERS).any()
    picture = partition_map.partition_map(frame, case.encoded.qids)
    assert len(bars(picture, "x")) == len(frame)
    assert (bars(picture, "width") > 0).all()
    assert (bars(picture, "y") > 0).all()


@given(values=st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_colours_rank_and_never_mix(values: list[int]) -> None:
    distinct = np.array(values)
    steps = partition_map.steps(distinct)
    assert sum(rows.sum() for _, rows in steps) == len(distinct)
    several = [distinct[rows] for colour, rows in steps if colour != partition_map.RED]
    assert all(stronger.min() > weaker.max() for stronger, weaker in pairwise(several))
    assert all((distinct[rows] <= 1).all() for colour, rows in steps if colour == partition_map.RED)


def test_the_steps_differ_in_lightness_alone() -> None:
    """Relative luminance falls from step to step, so the order survives any colour blindness."""
    light = [luminance(colour) + 0.05 for colour, _ in partition_map.steps(np.arange(100) + 2)]
    assert len(light) == 4
    assert all(a / b > 1.3 for a, b in pairwise(light))
    assert [colour for colour, _ in partition_map.steps(np.array([5, 5, 5]))] == [partition_map.WHITE], "all are equal"


def test_classes_with_one_value_are_hatched_red_and_on_top() -> None:
    ages = [str(i) for i in range(20)]
    frame = pd.DataFrame({"age": ages, "zip": ages, "s": ["same"] * 10 + [f"v{i}" for i in range(10)]})
    picture, _ = figure(encode(Table.from_frame(frame), Schema(["age", "zip"], "s")), k=5)
    top = picture.data[-1]
    assert top.marker.color == partition_map.RED
    assert top.marker.pattern.shape == "/"
    assert top.name == "1: all alike"


def test_names_and_values_are_no_markup() -> None:
    frame = {HTML: [f"{HTML}{i}" for i in range(9)], "b": ["<i>", "&lt;", "c"] * 3, "s": ["x", "y", "z"] * 3}
    picture, _ = figure(encode(Table.from_frame(pd.DataFrame(frame)), Schema([HTML, "b"], "s")), k=1)
    shown = [*picture.layout.xaxis.ticktext, *picture.layout.yaxis.ticktext, picture.layout.xaxis.title.text]
    drawn_bars = [part for part in picture.data if part.type == "bar"]
    shown += [str(cell) for part in drawn_bars for cell in np.asarray(part.customdata).ravel()]
    assert all("<" not in text for text in shown)
    assert all("%{x}" not in part.hovertemplate for part in drawn_bars)
    assert set(partition_map.harmless("<b>&").split("&")) == {"", "lt;b", "gt;", "amp;"}


def test_an_earlier_version_says_who_is_new_and_offers_the_release_that_hides_them() -> None:
    table, schema = small_table()
    named = table.to_frame().assign(nr=[str(n) for n in range(len(table))])
    now, schema = Table.from_frame(named), schema.with_(identifiers=["nr"])
    app = at_section(loaded(now, schema, PAGE, my_k=5), "release", "An earlier version")
    uploader = next(one for one in app.file_uploader if one.label.startswith("The earlier version"))
    uploader.upload("before.csv", csv_bytes(named.iloc[:-30]), "text/csv")
    app.run()
    assert not app.error
    policy, mine = Policy(5), (named.iloc[:-30], named, schema)
    expected = attack_versions(*mine, policy, "least-loss")
    kept = release_with_earlier_classes(*mine, policy, "least-loss")
    said = texts(app)
    assert f"New people: one value is left for {percent(expected.new.one_value_left)} of 30 people" in said
    assert f"{percent(kept.loss)} ({percent(kept.loss_new)} for new people)" in said
    assert [button.label for button in app.get("download_button")].count("Release with the earlier classes") == 1


def test_without_an_identifier_no_one_is_new() -> None:
    app = at_section(loaded(*small_table(), PAGE), "release", "An earlier version")
    assert "no one can say who is new" in texts(app)

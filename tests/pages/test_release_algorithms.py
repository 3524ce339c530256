"""The release page for other algorithms than Mondrian: what is published is shown, and nothing else is said to be."""

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Schema, Table, m_private
from core.algorithms import partition
from core.attack.intersection import intersection_attack
from core.attack.trail import follow
from core.data.encoding import encode
from core.privacy.models import known_distinct
from core.release.algorithm import ALGORITHMS
from core.release.class_table import class_table
from pages.release import map_section, partition_map
from pages.release.guarantee import Measured, checks
from pages.shared import class_rows
from tests.pages.drive import choose, keep, loaded, set_choice, set_section, texts
from tests.tables import pooled_table, small_table

PAGE = "pages/release/page.py"


def opened(table: Table, schema: Schema, **choices: object) -> AppTest:
    return loaded(table, schema, PAGE, **{"repeats": 2, **choices})


def on_tab(app: AppTest, tab: str) -> str:
    set_section(app, "release", tab)
    app.run()
    assert not app.exception
    assert not app.error
    return texts(app)


@pytest.mark.parametrize("algorithm", [name for name, one in ALGORITHMS.items() if not one.traced])
def test_only_mondrian_is_shown_cut_by_cut(algorithm: str) -> None:
    app = opened(*pooled_table(), my_algorithm=algorithm)
    assert "Cut by cut" not in app.segmented_control(key="release:tabs").options
    assert "Cut by cut" in choose(app, "my_algorithm", "mondrian").segmented_control(key="release:tabs").options


def test_what_microaggregation_does_not_publish_is_said_to_be_unpublished() -> None:
    table, schema = small_table()
    release = partition(encode(table, schema), Policy(4), "mdav")
    app = opened(table, schema, my_algorithm="mdav")
    on_tab(app, "Classes")
    shown = app.table[1].value
    assert list(shown.columns) == ["Quasi-identifier", "Published as", "In words", "From, to (not published)"]
    cells = release.region_frame()
    wanted = {f"**{age}**".replace(".", "\\.") for age in cells["age"]}
    assert shown["Published as"].iloc[0] in wanted
    said = on_tab(app, "Map")
    assert "each dot is the published centroid of a class" in said
    assert "**not published**, so it is not drawn" in said
    keep(app, "release", "map:mode", "These two")
    assert "canvas of Mondrian" not in on_tab(app, "Map")


def test_the_opened_class_shows_its_published_cells() -> None:
    table, schema = small_table()
    release = partition(encode(table, schema), Policy(4), "mdav")
    cells = release.region_frame()
    for number in (0, 7, len(release.sizes) - 1):
        rows = class_rows.region_rows(release, number)
        told = [text.strip("*").replace("\\", "") for text in rows["Published as"]]
        assert told == list(cells.iloc[number].astype(str))
    assert "not published" not in " ".join(class_rows.region_rows(partition(encode(table, schema), Policy(4)), 0))


def test_a_followed_person_is_shown_the_published_cells() -> None:
    table, schema = small_table()
    releases = [partition(encode(table, schema), Policy(k), "mdav") for k in (3, 5)]
    people = [np.arange(10)] * 2
    for way in ("assumed", "published"):
        steps = follow(releases, intersection_attack(releases, people, way), 4)
        for step, release in zip(steps, releases, strict=True):
            cells = release.region_frame().astype(str).to_dict("records")
            assert all(match.region in cells for match in step.matches), way


@pytest.mark.parametrize("ages", [range(240), np.r_[np.arange(239), 10**6]], ids=["to scale", "ranked"])
def test_dots_lie_where_the_centroids_are(ages: object) -> None:
    rng = np.random.default_rng(3)
    age = pd.Series(ages).astype(str)
    age[5] = ""
    frame = pd.DataFrame({"age": age, "sex": rng.choice(["f", "m", "x"], 240), "d": rng.choice(list("abc"), 240)})
    release = partition(encode(Table.from_frame(frame), Schema(["age", "sex"], "d")), Policy(1), "mdav")
    axes = [partition_map.axis(domain) for domain in release.encoded.qids]
    assert axes[0].ranked == (max(ages) > 10**5)  # type: ignore[call-overload]
    points = partition_map.centres(release, axes, (0, 1))
    # With one record a class, every record is its own centroid: dots are the middles of the strips of its codes.
    places = [(one.edges[:-1] + one.edges[1:]) / 2 for one in axes]
    codes = release.encoded.codes
    if not axes[0].ranked:
        known = release.encoded.qids[0].values
        assert known is not None
        places[0][: len(known) - 1] = known[: len(known) - 1]
    expected = np.column_stack([places[0][codes[0]], places[1][codes[1]]])
    np.testing.assert_allclose(points[release.classes.labels], expected)


def test_the_map_of_centroids_opens_the_class_that_is_clicked_and_marks_uniform_ones() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(0, 90, 60), "sex": rng.choice(["<b>f", "m"], 60), "d": ["a", "b"] * 30})
    release = partition(encode(Table.from_frame(frame), Schema(["age", "sex"], "d")), Policy(2), "mdav")
    rows = class_table(release).assign(distinct=known_distinct(release.histogram))
    for sides in ((0, 1), (1,)):
        figure = partition_map.centroid_map(
            release, rows, [partition_map.axis(release.encoded.qids[i]) for i in sides], sides, "distinct"
        )
        dots = figure.data[0]
        number = dots.customdata[:, 0].astype(int)
        assert sorted(number) == list(range(len(release.sizes)))
        uniform = rows["distinct"].to_numpy()[number] == 1
        assert 0 < uniform.sum() < len(uniform), "the table shows what is tested"
        assert [symbol == "diamond" for symbol in dots.marker.symbol] == uniform.tolist()
        assert map_section.clicked({"selection": {"points": [{"customdata": list(dots.customdata[3])}]}}) == number[3]
        assert "<b>f" not in str(figure.to_dict())


def test_m_is_declared_beside_measured() -> None:
    table, schema = pooled_table()
    app = opened(table, schema, collusion=True, my_m=2)
    row = app.table[0].value.set_index("Model").loc["Providers that may collude (m)"]
    release = partition(encode(table, schema), Policy(4, m=2))
    most = max(m for m in range(4) if m_private(release, m=m).holds)
    assert row["Asked"].replace("\u00a0", " ") == "at least 2"
    assert row["Measured"] == str(most)
    set_choice(app, "collusion", False)
    app.run()
    assert "Providers that may collude (m)" not in list(app.table[0].value["Model"])


def test_less_than_the_m_asked_is_not_met() -> None:
    lines = {m: checks(Policy(2, m=2), Measured(5, 2, 2.0, 1.0, 0.5, m), "equal")[-1] for m in (-1, 0, 1, 2, 3)}
    assert [line.met for line in lines.values()] == [False, False, False, True, True]
    assert [line.measured for line in lines.values()][:2] == ["no m", "0"]


def test_classes_of_equal_cells_are_said_to_be_one_to_a_reader() -> None:
    table, schema = pooled_table()
    schema = schema.with_(quasi_identifiers=["sex"], kinds={}, others="drop")
    release = partition(encode(table, schema), Policy(4, m=1), "provider-aware")
    assert len(release.published.sizes) < len(release.sizes), "the table shows what is tested"
    said = texts(opened(table, schema, my_algorithm="provider-aware"))
    assert f"in {len(release.published.sizes)} classes" in said
    assert f"{len(release.sizes)} classes were formed" in said

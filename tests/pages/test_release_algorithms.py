"""The release page for other algorithms than Mondrian: what is published is shown, and nothing else is said to be."""

from streamlit.testing.v1 import AppTest

from core import Policy, Schema, Table, m_private
from core.algorithms import partition
from core.data.encoding import encode
from pages.release.guarantee import checks
from tests.pages.drive import loaded, set_choice, set_section, texts
from tests.tables import pooled_table, small_table

PAGE = "pages/release/page.py"
WITHOUT_M = {"k": 5, "distinct_l": 2, "entropy_l": 2.0, "c": 1.0, "t": 0.5}


def opened(table: Table, schema: Schema, **choices: object) -> AppTest:
    return loaded(table, schema, PAGE, **{"repeats": 2, **choices})


def on_tab(app: AppTest, tab: str) -> str:
    set_section(app, "release", tab)
    app.run()
    assert not app.error
    return texts(app)


def test_what_microaggregation_does_not_publish_is_said_to_be_unpublished() -> None:
    table, schema = small_table()
    release = partition(encode(table, schema), Policy(4), "mdav")
    app = opened(table, schema, my_algorithm="mdav")
    on_tab(app, "Classes")
    shown = app.table[1].value
    assert list(shown.columns) == ["Quasi-identifier", "Published as", "From, to (not published)"]
    cells = release.region_frame()
    wanted = {f"**{age}**".replace(".", "\\.") for age in cells["age"]}
    assert shown["Published as"].iloc[0] in wanted
    assert "Map" not in app.segmented_control(key="release:tabs").options


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
    lines = {m: checks(Policy(2, m=2), {**WITHOUT_M, "m": m}, "equal")[-1] for m in (-1, 0, 1, 2, 3)}
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

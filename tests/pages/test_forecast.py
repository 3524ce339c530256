"""The forecast page: every assumption changed, numbers as core gives them, bad files answered by a sentence."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Release, Schema, Table
from core.algorithms import partition
from core.data.encoding import encode
from core.data.marginals import Marginals
from core.forecast import Forecast, forecast
from pages.attack.forecast import answer, controls, sections
from pages.shared import population, results
from pages.shared.text import percent
from tests import known
from tests.hostile import TRICK
from tests.pages import drive
from tests.pages.drive import MY_ALGORITHM, Session, choice_of, choose, in_place_of_streamlit, keep, kept, set_section

CLASSES, BASIS = "Classes at risk", "What this rests on"
ROWS = 400


def small_table(name: str = "age", diagnosis: str = "diagnosis") -> tuple[Table, Schema]:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            name: rng.integers(18, 60, ROWS),
            "sex": rng.choice(["f", "m"], ROWS),
            diagnosis: rng.choice([f"value {i}" for i in range(9)], ROWS),
        }
    )
    return Table.from_frame(frame), Schema([name, "sex"], diagnosis)


def loaded(table: Table, schema: Schema, **choices: Any) -> AppTest:
    return drive.loaded(table, schema, "pages/forecast/page.py", **choices)


def opened(app: AppTest, section: str) -> AppTest:
    set_section(app, "forecast", section)
    return app.run()


def metrics(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def text(app: AppTest) -> str:
    return "\n".join(str(item.value) for kind in (app.markdown, app.caption, app.text, app.error) for item in kind)


def paper(app: AppTest) -> str:
    """What is shown of Sattar & Helal's estimate."""
    (share,) = (value for label, value in metrics(app).items() if label == "People in vulnerable classes")
    (sentence,) = (str(item.value) for item in app.markdown if str(item.value).startswith(answer.PAPER))
    return f"{share} {sentence}"


def as_shown(found: Forecast, reading: str = "at least l") -> str:
    return f"{percent(found.people(reading).value)} {answer.sentence(found, reading)}"


@pytest.fixture(scope="module")
def release() -> Release:
    return partition(encode(*small_table()), Policy(4), MY_ALGORITHM)


def marginals_file(encoded: Any, **weights: dict[str, float]) -> bytes:
    frame = controls.example(encoded)
    if weights:
        frame = pd.DataFrame(
            [(column, value, share) for column, shares in weights.items() for value, share in shares.items()],
            columns=["column", "value", "share"],
        )
    return frame.to_csv(index=False).encode()


def test_the_city_shows_the_number_of_the_page_above_the_estimate() -> None:
    app = drive.opened("pages/forecast/page.py")
    assert not app.exception
    assert not app.error
    assert [label.split(" (")[0] for label in metrics(app)] == ["One value left", "People in vulnerable classes"]
    app = opened(app, BASIS)
    assert "our reading" in text(app)
    assert "counted in your own table" in text(app)


def test_the_numbers_are_those_of_core(release: Release) -> None:
    table, schema = small_table()
    app = loaded(table, schema)
    assert paper(app) == as_shown(forecast(release))
    app = choose(app, "forecast_reading", "every subset")
    assert paper(app) == as_shown(forecast(release), "every subset")


@pytest.mark.parametrize(
    ("choices", "asked"),
    [
        ({"forecast_l": 3}, {"l": 3}),
        ({"forecast_l": 1}, {"l": 1}),
        ({"forecast_c": 0.5}, {"confidence": 0.5}),
        ({"forecast_same": False, "forecast_others": 5000}, {"others": 5000}),
        ({"forecast_source": "joint"}, {"joint": True}),
        ({"diversity": "distinct", "l": 2.0}, {}),
    ],
)
def test_every_assumption_can_be_changed(choices: dict[str, Any], asked: dict[str, Any]) -> None:
    app = loaded(*small_table(), **choices)
    assert not app.exception
    assert not app.error
    policy = Policy(4, l=2) if "diversity" in choices else Policy(4)
    assert paper(app) == as_shown(forecast(partition(encode(*small_table()), policy, MY_ALGORITHM), **asked))


def test_moving_k_moves_the_numbers() -> None:
    app = loaded(*small_table())
    before = metrics(app)
    next(slider for slider in app.select_slider if slider.label == "People per class (k)").set_value(20).run()
    assert choice_of(app, "my_k") == 20
    assert metrics(app) != before
    assert paper(app) == as_shown(forecast(partition(encode(*small_table()), Policy(20), MY_ALGORITHM)))


@pytest.mark.parametrize("reading", ["at least l", "every subset"])
def test_every_section_opens(reading: str) -> None:
    app = loaded(*small_table(), forecast_reading=reading)
    for section in (CLASSES, BASIS):
        app = opened(app, section)
        assert not app.exception, section
        assert not app.error, section


def test_a_class_opens_with_its_values_least_likely_first(release: Release) -> None:
    app = opened(loaded(*small_table()), CLASSES)
    found = forecast(release)
    rows = found.table()
    weakest = rows.loc[rows["probability"].idxmin()]
    assert percent(weakest["probability"]) in text(app)
    assert "the most vulnerable" in text(app)


def test_a_class_that_was_chosen_stays_open_until_the_release_changes(release: Release) -> None:
    app = opened(loaded(*small_table()), CLASSES)
    shown = next(frame.value for frame in app.dataframe if "probability" in frame.value)
    assert shown["probability"].is_monotonic_increasing
    assert len(shown) == release.classes.count
    number, size = int(shown["class_number"].iloc[5]), int(shown["size"].iloc[5])
    words = f"**Class {number}: {size} people"
    assert words not in text(app)
    with in_place_of_streamlit(Session(app.session_state.to_dict())) as state:
        sections.open_class(number)
        chosen = kept(state, "forecast", "opened")
    keep(app, "forecast", "opened", chosen)
    app.run()
    assert words in text(app)
    assert "the most vulnerable" not in text(app)
    found = forecast(release)
    assert percent(float(found.common[number])) in text(app)
    app = choose(app, "my_k", 9)
    assert "the most vulnerable" in text(app)


# ---- population statistics ----------------------------------------------------------------------


def test_an_uploaded_file_of_marginals_is_used(release: Release) -> None:
    encoded = release.encoded
    content = marginals_file(encoded, diagnosis={"value 0": 0.9, "value 1": 0.1}, sex={"f": 0.2, "m": 0.8})
    app = loaded(*small_table(), forecast_source="file")
    assert "Until a file is loaded" in text(app)
    app.file_uploader[0].upload("town.csv", content, "text/csv").run()
    assert not app.error
    assert "is in use" in text(app)
    assert "gives 2 columns" in text(app)
    assert paper(app) == as_shown(forecast(release, Marginals.read(content, encoded)))
    assert "from your file, and from your table for 1 column" in text(opened(app, BASIS))
    app = choose(app, "forecast_source", "table")
    assert paper(app) == as_shown(forecast(release))


def test_the_example_file_changes_nothing(release: Release) -> None:
    app = loaded(*small_table(), forecast_source="file")
    app.file_uploader[0].upload("mine.csv", marginals_file(release.encoded), "text/csv").run()
    assert not app.error
    assert "It gives every column" in text(app)
    assert paper(app) == as_shown(forecast(release))


SENSITIVE_ROWS = "diagnosis,value 0,{0}\ndiagnosis,value 1,{1}\n"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (SENSITIVE_ROWS.format("-0.2", "1.2"), "not a number from 0 to 1"),
        (SENSITIVE_ROWS.format("0.5", "0.4"), "sum to 0.9"),
        ("diagnosis,neverseen,0.5\ndiagnosis,value 1,0.5\n", "does not have"),
        ("weight,80,1\n", "neither a quasi-identifier"),
        (SENSITIVE_ROWS.format("0.5", "half"), "not a number"),
    ],
)
def test_a_bad_file_is_answered_by_a_sentence(release: Release, rows: str, said: str) -> None:
    app = loaded(*small_table(), forecast_source="file")
    app.file_uploader[0].upload("bad.csv", f"column,value,share\n{rows}".encode(), "text/csv").run()
    assert not app.exception
    assert len(app.error) == 1
    shown = app.error[0].value.replace("\\", "")
    assert said in shown
    assert "neverseen" not in shown, "no cell value in a message"
    assert paper(app) == as_shown(forecast(release)), "the table's own shares are used until then"


def test_a_file_without_its_columns() -> None:
    app = loaded(*small_table(), forecast_source="file")
    app.file_uploader[0].upload("bad.csv", b"a,b\n1,2\n", "text/csv").run()
    assert len(app.error) == 1
    assert "column" in app.error[0].value


def test_a_file_of_another_table_is_put_aside(release: Release) -> None:
    app = loaded(*small_table(), forecast_source="file")
    keep(app, "forecast", "marginals", population.File("old.csv", b"column,value,share\nzip,1,1\n"))
    app.run()
    assert len(app.error) == 1
    assert "put aside" in text(app)
    assert paper(app) == as_shown(forecast(release))
    app.run()
    assert not app.error


def test_the_file_survives_a_change_of_page_and_can_be_taken_away(release: Release) -> None:
    content = marginals_file(release.encoded, sex={"f": 0.1, "m": 0.9})
    app = loaded(*small_table(), forecast_source="file")
    app.file_uploader[0].upload("town.csv", content, "text/csv").run()
    app.switch_page("pages/method/page.py").run()
    drive.go(app, "pages/forecast/page.py")
    assert "town\\.csv" in text(app)
    expected_then = as_shown(forecast(release, Marginals.read(content, release.encoded)))
    assert paper(app) == expected_then
    next(b for b in app.button if b.label == "Take it away").click().run()
    assert paper(app) == as_shown(forecast(release))


# ---- odd tables, hostile names --------------------------------------------------------------------


def test_hostile_names_and_values_are_shown_as_text() -> None:
    app = loaded(*small_table(name=TRICK, diagnosis="=1+1"))
    for section in (CLASSES, BASIS):
        app = opened(app, section)
        assert not app.exception, section
        markdown = "\n".join(str(item.value) for kind in (app.markdown, app.caption) for item in kind)
        for trick in ("![x](", "<script>", "$x$", ":red["):
            assert trick not in markdown, section


def test_a_tiny_table() -> None:
    frame = pd.DataFrame({"age": range(24), "sex": ["f", "m"] * 12, "d": ["a", "b", "c"] * 8})
    app = loaded(Table.from_frame(frame), Schema(["age", "sex"], "d"), overlap=4)
    for section in (CLASSES, BASIS):
        app = opened(app, section)
        assert not app.exception, section
        assert not app.error, section


def test_a_policy_that_cannot_be_met_is_one_sentence() -> None:
    app = loaded(*small_table(), diversity="recursive", c=0.1, l=12.0)
    assert not app.exception
    assert len(app.error) == 1


def test_sentences_for_each_reading(release: Release) -> None:
    found = forecast(release)
    assert "at least 2 of its values" in answer.sentence(found, "at least l")
    assert "2 likeliest values are all" in answer.sentence(found, "every subset")
    assert "any of its values" in answer.sentence(forecast(release, l=1), "at least l")


def test_the_curve_of_a_large_table_is_made_in_two_halves_and_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    table, schema = small_table()
    app = loaded(table, schema)
    set_section(app, "forecast", "All numbers")
    app.run()
    whole = [row.value for row in app.dataframe]
    monkeypatch.setattr(known, "_known", OrderedDict())
    monkeypatch.setattr(results, "AT_ONCE", 0)
    assert "Download as CSV" in [button.label for button in app.get("download_button")]
    halves = loaded(table, schema)
    set_section(halves, "forecast", "All numbers")
    halves.run()
    assert not halves.exception
    assert whole
    for one, other in zip(whole, halves.dataframe, strict=True):
        pd.testing.assert_frame_equal(one, other.value)

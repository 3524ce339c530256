"""The page on differential privacy: numbers as core gives them, the ledger, the download, bad input."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from core import Policy, Schema, Study, Table, dp, encode
from core.dp import semantics
from pages._ui import noise_games, noise_runs, state
from pages._ui.text import percent
from tests.source import ROOT

HOSTILE = "![x](http://evil.example/a.png) <script>alert(1)</script> $x$ :red[y]"
SECTIONS = ("What noise costs", "Noisy table", "Several tables", "With and without me")
ROWS = 600
VALUES = 6
EPSILON = "Epsilon, exact"
DELTA = state.CHOICES["noise_delta"].label


def small_table(name: str = "age", diagnosis: str = "diagnosis", ages: int = 60) -> tuple[Table, Schema]:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            name: rng.integers(0, ages, ROWS),
            "sex": rng.choice(["f", "m"], ROWS),
            diagnosis: rng.choice([f"value {i}" for i in range(VALUES)], ROWS),
        }
    )
    return Table.from_frame(frame), Schema([name, "sex"], diagnosis)


def loaded(table: Table, schema: Schema, **choices: Any) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["workspace"] = state.Workspace(table, schema, "a table", example=False)
    for name, value in {"overlap": 60, "my_k": 4, "their_k": 4, **choices}.items():
        app.session_state[f"choice:{name}"] = value
    return app.switch_page("pages/noise.py").run()


def opened(app: AppTest, section: str) -> AppTest:
    app.session_state["noise:sections"] = section
    return app.run()


def metrics(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def text(app: AppTest) -> str:
    return "\n".join(str(item.value) for kind in (app.markdown, app.caption, app.error, app.warning) for item in kind)


def entries(app: AppTest) -> tuple[dp.Entry, ...]:
    found: tuple[dp.Entry, ...] = app.session_state["noise:ledger"][app.session_state["workspace"].table.content_id]
    return found


def field(app: AppTest, label: str) -> TextInput:
    """The field where a number is typed; its key is another whenever the number is changed elsewhere."""
    return next(item for item in app.text_input if item.label == label)


def typed(app: AppTest, label: str, value: str) -> AppTest:
    return field(app, label).set_value(value).run()


def test_the_city_at_once() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page("pages/noise.py").run()
    assert not app.exception
    assert not app.error
    assert "noisy tables nobody can be more than" in text(app)
    assert "one person's record replaced by another" in text(app)


def test_numbers_are_those_of_core() -> None:
    table, schema = small_table()
    app = loaded(table, schema, noise_epsilon=0.5, releases=3, confidence=0.5)
    encoded = encode(table, schema)
    targets = dp.partitions(encoded, Study.alike(Policy(4), 60, 3), 0.5)
    grid = {"age": 5, "sex": None}
    cells = dp.contingency_table(encoded, grid).cell_of[targets.positions]
    truth = encoded.secret[targets.positions].astype(np.int64)
    prior = dp.prior_of(encoded, "uniform")
    attack = dp.attack_noisy(cells, truth, prior, dp.mechanism("laplace", 0.5), 8, 0, noise_runs.draws(60, VALUES))
    shown = metrics(app)
    assert shown["Ceiling of confidence"] == percent(dp.ceiling(1 / VALUES, 1.5))
    assert shown["Noise: mean confidence"] == percent(float(attack.confidence[2].mean()))
    assert shown["Partitions: mean confidence"] == percent(float(targets.frame["mean"][2]))
    assert shown["Exposed at C = 50 %"] == "0.0 %"
    assert "C is above the ceiling" in text(app)
    assert "reads 100.0 % of these people's values" in text(app)


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_every_section_with_both_kinds_of_noise(name: str) -> None:
    app = loaded(*small_table(), noise_mechanism=name, noise_measure="share")
    for section in SECTIONS:
        assert not opened(app, section).exception
        assert not app.error
        assert ("Gaussian noise has no ceiling" in text(app)) is (name == "gaussian")


# ---- bad input -----------------------------------------------------------------------------


def test_a_bad_epsilon_is_answered_and_the_old_one_kept() -> None:
    app = loaded(*small_table())
    for value in ("0", "-1", "1e6", "", "half", "nan", HOSTILE):
        typed(app, EPSILON, value)
        assert not app.exception
        assert len(app.error) == 1
        assert "epsilon" in app.error[0].value
        assert "ε = 1 is still in use" in text(app)
        assert "Ceiling of confidence" in metrics(app)
    good = typed(app, EPSILON, "2")
    assert not good.error
    assert good.session_state["choice:noise_epsilon"] == 2.0


def test_a_decimal_comma_is_understood() -> None:
    app = typed(loaded(*small_table()), EPSILON, "0,5")
    assert not app.error
    assert app.session_state["choice:noise_epsilon"] == 0.5
    assert field(app, EPSILON).value == "0.5"


def test_delta_is_refused_warned_and_accepted() -> None:
    app = loaded(*small_table(), noise_mechanism="gaussian")
    assert field(app, DELTA).value == f"{1e-4 / ROWS**2:.3g}"
    assert "δ is at least" not in text(app)
    zero = typed(app, DELTA, "0")
    assert "delta above 0" in zero.error[0].value
    assert "is still in use" in text(zero)
    mild = typed(zero, DELTA, "1e-5")
    assert not mild.error
    assert "δ is at least 1 over the square" in mild.warning[0].value
    strong = typed(mild, DELTA, "0.01")
    assert "publishing one person" in strong.error[0].value
    assert not typed(strong, DELTA, "").error


def test_too_many_cells_are_refused_with_a_way_out() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({c: rng.permutation(900) for c in "ab"} | {"s": rng.integers(0, 4, 900)})
    table, schema = Table.from_frame(frame), Schema(["a", "b"], "s")
    app = loaded(table, schema, noise_grid=(("a", 900), ("b", 900)))
    assert not app.exception
    assert "3,240,000 cells" in app.error[0].value.replace("\\", "")
    assert "fewer groups" in app.error[0].value
    app.number_input(key="widget:noise:noise_groups:a").set_value(4).run()
    assert not app.error


def test_columns_of_another_table_are_forgotten() -> None:
    app = loaded(*small_table(), noise_grid=(("zip", 3), ("sex", None)))
    assert not app.exception
    assert not app.error
    assert "12 cells" in text(app)
    none = loaded(*small_table(), noise_grid=())
    assert not none.error
    assert "6 cells" in text(none)


def test_hostile_names() -> None:
    app = loaded(*small_table(HOSTILE, f"b {HOSTILE}"))
    for section in SECTIONS:
        assert not opened(app, section).exception
        assert "<script>" not in text(app)
        assert "](http" not in text(app)


# ---- ledger and download -------------------------------------------------------------------


def test_the_ledger_refuses_before_it_changes() -> None:
    app = opened(loaded(*small_table(), noise_epsilon=1.5), "Noisy table")
    assert "Nothing is drawn yet" in text(app)
    for spent in (1.5, 3.0):
        app.button(key="noise:draw").click().run()
        assert not app.error
        assert sum(e.cost.epsilon for e in entries(app)) == spent
    before = app.session_state["noise:drawn"]
    app.button(key="noise:draw").click().run()
    assert "above the budget of 4" in app.error[0].value.replace("\\", "")
    assert app.session_state["noise:drawn"] is before
    assert len(entries(app)) == 2
    # Another table has a ledger of its own; the first one's is there again when it comes back.
    first = app.session_state["workspace"]
    app.session_state["workspace"] = state.Workspace(*small_table(ages=50), "another", example=False)
    app.run()
    assert "Nothing is drawn yet" in text(app)
    app.session_state["workspace"] = first
    assert len(entries(app.run())) == 2


def test_what_was_published_before_is_spent_too() -> None:
    app = opened(loaded(*small_table()), "Noisy table")

    def add(what: str, epsilon: str, delta: str = "") -> AppTest:
        for label, value in (("What was published", what), ("Its epsilon", epsilon), ("Its delta", delta)):
            field(app, label).set_value(value)
        return next(button for button in app.button if button.label == "Add to the ledger").click().run()

    assert not add(HOSTILE[:60], "2,5", "1e-9").error
    assert [(e.cost.epsilon, e.cost.delta) for e in entries(app)] == [(2.5, 1e-9)]
    for epsilon, delta in (("", ""), ("-1", ""), ("nothing", ""), ("1", "0.9"), ("1", "x"), ("2", "")):
        assert add("more", epsilon, delta).error
        assert len(entries(app)) == 1
    app.button(key="noise:draw").click().run()
    assert sum(e.cost.epsilon for e in entries(app)) == 3.5
    app.button(key="noise:draw").click().run()
    assert app.error, "4.5 is above the budget of 4"


def test_the_package_holds_table_and_statement_and_nothing_true() -> None:
    table, schema = small_table()
    counted = dp.contingency_table(encode(table, schema), {"age": 3, "sex": None})
    found = dp.publish(counted, dp.mechanism("laplace", 0.7))
    with zipfile.ZipFile(io.BytesIO(found.package())) as archive:
        assert archive.namelist() == ["noisy_table.csv", "statement.txt"]
        frame = pd.read_csv(archive.open("noisy_table.csv"))
        statement = archive.read("statement.txt").decode()
    assert frame["noisy_count"].tolist() == found.counts.ravel().tolist()
    assert len(frame) == counted.size
    assert (found.counts != counted.counts).any()
    for words in ("epsilon = 0.7", "delta = 0", "record replaced", "discrete Laplace", "no seed", "OpenDP"):
        assert words in statement
    assert str(ROWS) not in statement


# ---- games ---------------------------------------------------------------------------------


def test_games_of_each_sanitizer() -> None:
    app = opened(loaded(*small_table()), "With and without me")
    assert 0 < float(metrics(app)["Largest difference of conclusions"]) <= round(semantics.sharp(1.0).distance, 3)
    assert noise_games.NOTHING in str(app.table[0].value.to_dict())
    assert "guarantee: tanh" in text(app)
    for kind in ("partition", "one"):
        app.selectbox(key="noise:kind").set_value(kind).run()
        assert not app.exception
        assert float(metrics(app)["Largest difference of conclusions"]) == 1.0
    assert "1/n = 0.333" in text(app)

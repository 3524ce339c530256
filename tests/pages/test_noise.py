"""The page on differential privacy: numbers as core gives them, the draw, bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Schema, Table, dp
from core.base.errors import ParameterError
from core.data.encoding.encoded import encode
from core.study.redraws import Redraws
from pages.noise import grid, numbers
from pages.shared.compute import attack_results, data_results
from pages.shared.state import session
from pages.shared.ui.text import percent
from tests.pages import drive
from tests.pages.drive import Session, at_section, begin, choice_of, keeps, kept, metrics, press, usual

ROWS = 600
VALUES = 6


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
    """The page where a table is drawn, with two redraws, enough for an interval, unless a test says how many."""
    return drive.loaded(table, schema, "pages/noise/page.py", **{"section": "Draw a table", "repeats": 2, **choices})


def text(app: AppTest) -> str:
    return "\n".join(str(item.value) for kind in (app.markdown, app.caption, app.error, app.warning) for item in kind)


AGES = dp.Declared("range", low=0, high=120, width=20)
SEXES = dp.Declared("values", values=("f", "m"))
DIAGNOSES = dp.Declared("values", values=tuple(f"value {i}" for i in range(VALUES)), rest=False)
DECLARED = (("age", AGES), ("sex", SEXES), ("diagnosis", DIAGNOSES))


def draw(app: AppTest, refusal: str = "") -> None:
    """Draw a table, or be refused in these words."""
    app.button(key="noise:draw").click().run()
    assert [refusal in error.value.replace("\\", "") for error in app.error] == [True] * bool(refusal)


def test_numbers_are_those_of_core() -> None:
    table, schema = small_table()
    app = loaded(table, schema, repeats=10, noise_epsilon=0.5, releases=3, noise_domains=DECLARED)
    shown = text(at_section(app, "noise", "All numbers"))
    encoded, study = encode(table, schema), usual(Policy(4), 60, 3)
    gains = dp.gains(encoded, study, "releases", [3], Redraws(10, 0)).mean()
    counted = dp.contingency_table(table, schema, {"age": AGES, "sex": SEXES}, DIAGNOSES)
    positions = dp.shared_people(encoded, study, 0)
    truth = encoded.sensitive_codes[positions].astype(np.int64)
    people = dp.NoisyTargets(counted.cell_of[positions], truth, counted.sensitive.bin_of)
    prior = dp.Guesser(encoded).prior(positions)
    guess = percent(float(dp.right_without(prior, truth).mean()))
    noise = percent(float(dp.right_by_noise(people, prior, 0.5, 3).mean()))
    assert f"*Noise*: right for {noise} of 60 people; a guess without any release is right for {guess}" in shown
    assert f"*Partitions*: right for {percent(gains['right'])} (mean of 10 draws" in shown
    most = float(encoded.overall.max() / ROWS)
    assert metrics(app)["Highest certainty about a value"] == percent(dp.ceiling(most, 1.5))


def test_the_epsilon_of_equal_protection_is_found_at_a_press_and_drawn() -> None:
    app = loaded(*small_table(), releases=2, my_k=3, their_k=3, noise_domains=DECLARED)
    assert "per table gives" not in text(app)
    press(app, "Find the ε of equal protection")
    said = text(app)
    epsilon = float(said.split("**ε = ")[1].split("**")[0])
    assert "per table gives 2 noisy tables the gain of 2 releases like mine" in said
    assert "also knows all other records" in said
    encoded, study = encode(*small_table()), usual(Policy(3), 60, 2)
    gains = dp.gains(encoded, study, "releases", [2], Redraws(2, 0)).mean()
    positions = dp.shared_people(encoded, study, 0)
    truth, prior = encoded.sensitive_codes[positions].astype(np.int64), dp.Guesser(encoded).prior(positions)
    counted = dp.contingency_table(*small_table(), {"age": AGES, "sex": SEXES}, DIAGNOSES)
    people = dp.NoisyTargets(counted.cell_of[positions], truth, counted.sensitive.bin_of)
    guess = dp.right_without(prior, truth).mean()
    wanted = dp.equal_epsilon(lambda at: float(dp.right_by_noise(people, prior, at, 2).mean() - guess), gains["gain"])
    assert epsilon == pytest.approx(wanted, rel=0.005)
    assert f"{epsilon:.3g}" in str(app.get("vega_lite_chart")[0].proto)


def test_a_release_of_one_class_has_no_epsilon() -> None:
    app = loaded(*small_table(), my_k=ROWS // 2 + 1, their_k=ROWS // 2 + 1, noise_domains=DECLARED)
    assert "**No epsilon** protects as well as my releases" in text(press(app, "Find the ε of equal protection"))


def test_with_gaussian_noise_the_epsilon_is_found_by_simulation() -> None:
    app = loaded(*small_table(), my_k=3, their_k=3, noise_mechanism="gaussian", noise_domains=DECLARED)
    assert "per table gives" in text(press(app, "Find the ε of equal protection"))
    assert "Gaussian noise has no ceiling. Confidence after 2 tables" in text(at_section(app, "noise", "All numbers"))


def test_the_first_columns_that_fit_into_few_cells_are_taken(bare: Session) -> None:
    begin(bare, *small_table())
    encoded = data_results.encoded()
    widths = [grid.axis(domain).size for domain in encoded.qids]
    size, names = grid.axis(encoded.sensitive).size, [domain.name for domain in encoded.qids]
    assert grid.columns_within(size * math.prod(widths)) == tuple(names)
    assert len(grid.columns_within(size * math.prod(widths) - 1)) == len(names) - 1
    assert grid.columns_within(size - 1) == ()


def test_both_ways_of_publishing_are_in_one_picture(bare: Session) -> None:
    begin(bare, *small_table())
    session.put("overlap", 60)
    frame = numbers.tradeoff().set_index("setting")
    noise = frame[frame["line"] == "noise"]
    assert set(frame.index[frame["now"]]) == {f"k = {session.get('my_k')}", "ε = 1"}
    assert noise["error"].is_monotonic_decreasing
    assert noise["share"].iloc[0] < noise["share"].iloc[-1]
    now = frame[frame["now"] & (frame["line"] == "partitions")].iloc[0]
    assert now["share"] == numbers.partitions()["gain"]
    assert now["error"] == numbers.errors().partition


# ---- bad input -----------------------------------------------------------------------------


def test_columns_of_another_table_are_forgotten() -> None:
    other = (("zip", dp.Declared("open")), *DECLARED)
    for columns, cells in ((("zip", "sex"), 18), ((), 6)):
        app = loaded(*small_table(), noise_columns=columns, noise_domains=other)
        assert not app.error
        assert f"{cells} cells" in text(app)


# ---- domains ---------------------------------------------------------------------------------


def test_nothing_is_drawn_before_every_domain_is_declared() -> None:
    table, schema = small_table()
    app = loaded(table, schema)
    assert "First declare the domain of age, sex, diagnosis, at the top" in text(app)
    press(app, "Confirm: the suggested domains are public")
    known = dict(choice_of(app, "noise_domains"))
    assert set(known) == {"age"}, "how sexes are written, and which diagnoses there are, only the data says"
    assert (known["age"].low, known["age"].high, known["age"].width) == (0, 120, 10)
    next(item for item in app.selectbox if item.label == "As they are written in the table").select("f, m").run()
    assert choice_of(app, "noise_domains") == (("age", known["age"]),)
    [item for item in app.button if item.label.startswith("Declare: this is public")][1].click().run()
    assert dict(choice_of(app, "noise_domains"))["sex"].values == ("f", "m")
    assert "First declare the domain of diagnosis, at the top" in text(app)
    assert app.button(key="noise:draw").disabled
    # The last field and the last button are those of the last column.
    area = [item for item in app.text_area if item.label.startswith("Values, one per line")][-1]
    area.set_value("\n".join(f"value {i}" for i in range(VALUES - 1)) + "\n value 9 \n\nvalue 9")
    [item for item in app.button if item.label.startswith("Declare: this is public")][-1].click().run()
    values = dict(choice_of(app, "noise_domains"))["diagnosis"].values
    assert values == ("value 0", "value 1", "value 2", "value 3", "value 4", "value 9")
    outside = int((table.to_frame()["diagnosis"] == "value 5").sum())
    assert f"{outside} records have a value of diagnosis that is not declared and are counted as other" in text(app)
    drawn = kept(app.button(key="noise:draw").click().run(), "noise", "drawn")[1]
    assert set(drawn.frame()["diagnosis"]) == {*values, "other or missing"}
    press(app, "Take back")
    assert app.button(key="noise:draw").disabled


def test_what_is_not_filled_in_declares_nothing() -> None:
    app = loaded(*small_table())

    def declare(place: int, how: str, **fields: float) -> str:
        [box for box in app.selectbox if box.label.startswith("Where do the possible")][place].select(how).run()
        for label, value in fields.items():
            [item for item in app.number_input if item.label.startswith(label)][-1].set_value(value)
        [item for item in app.button if item.label.startswith("Declare: this is public")][place].click().run()
        assert not keeps(app, "choice", "noise_domains")
        return text(app)

    assert "A range needs its first number, its last one" in declare(2, "range", From=3.0)
    assert "Bins with a width need numbers" in declare(2, "open", Width=5.0)


def test_the_press_of_a_button_that_is_off_would_draw_nothing(bare: Session) -> None:
    begin(bare, *small_table())
    session.put("noise_domains", DECLARED[:2])
    with pytest.raises(ParameterError, match="domain of 'diagnosis' is not declared") as refused:
        numbers.draw()
    assert refused.value.parameter == "diagnosis"
    assert not keeps(bare, "noise", "drawn")


def test_a_column_that_is_not_listed_goes_by_a_threshold() -> None:
    domains = (*DECLARED[:2], ("diagnosis", dp.Declared("open")))
    app = loaded(*small_table(), noise_domains=domains, noise_columns=("sex",))
    least = dp.threshold_for(dp.mechanism("laplace", 1.0), 1e-4 / ROWS**2).least
    assert f"The table holds cells with a noisy count of at least {least}" in text(app)
    assert "Probability of a loss beyond ε" in text(app)
    assert "except with a small probability" in text(app)
    draw(app)
    drawn = kept(app, "noise", "drawn")[1]
    assert drawn.cost == dp.Cost(1.0, 1e-4 / ROWS**2)
    assert (drawn.frame()["noisy_count"] >= least).all()
    drive.choose(app, "noise_mechanism", "gaussian")
    assert "needs Laplace noise" in " ".join(item.value for item in app.error)


def test_a_large_table_is_answered_from_one_draw_until_all_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, bare: Session
) -> None:
    monkeypatch.setattr(attack_results, "AT_ONCE", 0)
    begin(bare, *small_table())
    session.put("overlap", 60)
    first = numbers.partitions()
    assert numbers.drawn_times() == 1
    numbers.twin()
    assert numbers.drawn_times() == session.scenario().repeats
    assert numbers.partitions()["gain"] != first["gain"]

"""Several sensitive attributes on the attack page: asked for, shown, refused, hostile names harmless."""

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from core import Schema, Table
from core.data.schema import Role
from core.privacy.policy import Policy
from core.study.redraws import Redraws
from core.study.sensitive_attributes import compare_sensitive
from pages.attack import attributes
from tests.hostile import TRICK
from tests.pages.drive import loaded, set_choice, spaced, texts, usual, with_numbers

RUN, PICKED, OPEN = "attack:attributes:run", attributes.PICKED, "attack:attributes:open"


def table(second: str = "pay") -> tuple[Table, Schema]:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 400),
            "sex": rng.choice(["f", "m"], 400),
            "diagnosis": rng.choice([f"value {i}" for i in range(12)], 400),
            second: rng.integers(0, 40, 400),
            "team": rng.choice(["x", "y"], 400),
            "id": [f"p{i}" for i in range(400)],
        }
    )
    return Table.from_frame(frame), Schema(["age", "sex"], "diagnosis", other=[second, "team", "id"])


def opened(second: str = "pay") -> AppTest:
    app = loaded(*table(second))
    set_choice(app, "repeats", 3)
    app.session_state[OPEN] = True
    return with_numbers(app, "attributes")


def charts(app: AppTest) -> list[str]:
    found = [element.proto.alt for element in app.get("vega_lite_chart") if "sensitive attr" in element.proto.alt]
    return [str(alt) for alt in found]


def numbers(app: AppTest) -> pd.DataFrame:
    return next(frame.value for frame in app.dataframe if "Sensitive attribute" in frame.value)


def test_it_is_asked_for_then_what_core_computes_and_then_kept() -> None:
    app = opened()
    assert not app.exception
    assert not app.error
    assert app.session_state[PICKED] == ["diagnosis", "pay", "team"], "no id, no quasi-identifier at first"
    assert app.button(key=RUN).label == "Compare these 3"
    assert not charts(app), "nothing is run before it is asked for"
    app.button(key=RUN).click().run()
    assert not app.exception
    assert not app.error
    expected = compare_sensitive(*table(), ["diagnosis", "pay", "team"], usual(Policy(4), 60), redraws=Redraws(3))
    shown = numbers(app)
    assert list(shown["Sensitive attribute"]) == list(expected["attribute"]) == ["pay", "diagnosis", "team"]
    assert list(shown["One value left (%)"]) == list((100 * expected["perfect"]).round(2))
    assert list(shown["At C, rightly (%)"]) == list((100 * expected["breach_right"]).round(2))
    guess = "Named rightly by guessing the commonest (%)"
    assert list(shown[guess]) == list((100 * expected["guess_one"]).round(2)), "beside hit rates alone"
    (alt,) = charts(app)
    assert "pay 5.2 bits" in alt
    assert "rank correlation" in texts(app)
    app.multiselect(key=PICKED).set_value(["diagnosis", "sex"]).run()
    assert not charts(app), "another choice has to be asked for"
    app.button(key=RUN).click().run()
    shown = numbers(app)
    assert dict(zip(shown["Sensitive attribute"], shown["Quasi-identifiers"], strict=True)) == {
        "diagnosis": 2,
        "sex": 1,
    }
    app.multiselect(key=PICKED).set_value(["diagnosis", "pay", "team"]).run()
    assert charts(app) == [alt], "kept without another click"
    app.multiselect(key=PICKED).set_value(["diagnosis"]).run()
    assert "at least two" in texts(app)


def test_hostile_names_stay_text_and_a_policy_that_one_cannot_meet_is_said_beside_the_others() -> None:
    app = opened(TRICK)
    set_choice(app, "diversity", "distinct")
    set_choice(app, "l", 4.0)
    app.button(key=RUN).click().run()
    assert not app.exception
    assert not app.error
    assert len(charts(app)) == 1
    assert any("team" in caption.value and "block" in caption.value for caption in app.caption)
    for text in [item.value for item in (*app.markdown, *app.caption)]:
        assert "![x](" not in text
        assert "<script>" not in text


def test_where_nothing_else_is_there_quasi_identifiers_are_offered() -> None:
    roles = {"job": Role.SENSITIVE, "a": Role.QUASI_IDENTIFIER, "b": Role.QUASI_IDENTIFIER}
    assert attributes.at_first(roles) == ["job", "a", "b"]
    assert attributes.at_first({"job": Role.SENSITIVE, "a": Role.QUASI_IDENTIFIER, "x": Role.OTHER}) == ["job", "x"]


def test_words_without_a_gain() -> None:
    frame = pd.DataFrame(
        {
            "attribute": ["a", "b"],
            "perfect": 0.1,
            "perfect_single": 0.1,
            "perfect_right": 0.1,
            "entropy": [2.0, 1.0],
            "drop": [1.0, 0.5],
            "known": [3, 3],
        }
    )
    assert attributes.in_words(frame).startswith("For none of them")


def test_words_say_where_the_classes_differ() -> None:
    frame = pd.DataFrame(
        {
            "attribute": list("abc"),
            "perfect": [0.5, 0.4, 0.3],
            "perfect_single": 0.1,
            "perfect_right": [0.4, 0.4, 0.3],
            "entropy": [3.0, 2.0, 1.0],
            "drop": [3.0, 2.0, 1.0],
            "known": [3, 3, 3],
        }
    )
    words = spaced(attributes.in_words(frame))
    assert "for **a**: 50.0 %" in words
    assert "10.0 % of all are accused wrongly; rightly exposed **40.0 %**" in words
    assert "these 3 attributes rank alike (rank correlation 1.00). The paper saw both rise together." in words
    assert "left out." in attributes.in_words(frame.assign(known=[3, 2, 3]))

"""The frontier: what is tried is what core works out, limits decide what is best, and a setting becomes my release."""

from __future__ import annotations

import pandas as pd
import pytest

from core import Policy
from core.algorithms import partition
from core.data.encoding import encode
from core.release.utility import gcp
from core.study.redraws import Redraws
from core.study.sweep import sweep
from pages.hold import view
from tests.pages.drive import MY_ALGORITHM, choice_of, loaded, set_section, texts, usual
from tests.tables import small_table

PAGE = "pages/hold/page.py"


def tried(**changes: list[object]) -> pd.DataFrame:
    """Three settings: the present one, a dearer one that exposes less, and one that is worse in both."""
    frame = pd.DataFrame(
        {
            "words": ["Least loss", "Least loss", "Mondrian"],
            "setting": ["k = 5", "k = 10", "k = 5, mondrian"],
            "k": [5, 10, 5],
            "loss": [0.03, 0.06, 0.11],
            "share": [0.24, 0.02, 0.3],
            "low": [0.2, 0.01, 0.25],
            "high": [0.28, 0.04, 0.35],
            "state": ["now", "", ""],
        }
    )
    return frame.assign(**changes)


@pytest.mark.parametrize(
    ("limits", "best"),
    [
        (view.ExposureLimits(), "k = 10"),
        (view.ExposureLimits(exposed=0.3), "k = 5"),
        (view.ExposureLimits(exposed=0.25), "k = 10"),
        (view.ExposureLimits(exposed=0.03), None),
        (view.ExposureLimits(lost=0.05), "k = 5"),
        (view.ExposureLimits(exposed=0.05, lost=0.05), None),
    ],
)
def test_the_best_loses_least_of_those_whose_whole_interval_keeps_the_limits(
    limits: view.ExposureLimits, best: str | None
) -> None:
    row = view.best(tried(), limits)
    assert (None if row is None else row["setting"]) == best
    assert (f"**{best}**" if best else "**None** of 3 settings") in view.sentence(tried(), limits) or best == "k = 5"


def test_only_settings_that_no_other_beats_in_both_are_worth_choosing_and_the_present_one() -> None:
    assert view.worth_choosing(tried())["setting"].tolist() == ["k = 5", "k = 10"]
    assert "k = 5, mondrian" in view.worth_choosing(tried(state=["", "", "now"]))["setting"].tolist()


def test_the_picture_ends_where_nobody_is_exposed_and_says_what_lies_far_beyond_it() -> None:
    frame = tried(share=[0.24, 0.0, 0.0], words=["A", "A", "A"], loss=[0.03, 0.06, 0.2])
    shown, beyond = view.within_picture(frame, view.ExposureLimits())
    assert shown["setting"].tolist() == ["k = 5", "k = 10"]
    assert not beyond
    noise = tried(words=["A", "A", "Truthful"], k=[5, 10, 0], loss=[0.03, 0.06, 0.93], setting=["a", "b", "Truthful"])
    shown, beyond = view.within_picture(noise, view.ExposureLimits())
    assert shown["setting"].tolist() == ["a", "b"]
    assert beyond.startswith(" Beyond the picture: Truthful: ")


def test_every_setting_is_that_of_core() -> None:
    table, schema = small_table()
    app = loaded(table, schema, PAGE, "Every setting that was tried", repeats=2)
    app.run()
    assert not app.exception
    frame = app.dataframe[0].value.set_index("Setting")
    ks = [2, 3, 8]
    curve = sweep(encode(table, schema), usual(Policy(4), 60), "k", ks, Redraws(2, confidences=(1.0,)))
    for k, share in zip(curve["value"], curve["share"], strict=True):
        row = frame.loc[f"k = {k}, least loss"]
        assert row["Exposed (%)"] == pytest.approx(100 * share, abs=0.006)
        loss = gcp(partition(encode(table, schema), Policy(int(k)), MY_ALGORITHM))
        assert row["Information loss (%)"] == pytest.approx(100 * loss, abs=0.006)
    assert set(frame["Classes by"]) >= {"Least loss", "Mondrian", "Least loss, l = 3"}


def test_a_setting_becomes_my_release() -> None:
    app = loaded(*small_table(), PAGE, repeats=2)
    box = app.selectbox(key="hold:setting")
    another = next(name for name in box.options if name.startswith("k = ") and not name.startswith("k = 4,"))
    box.set_value(another).run()
    app.button(key="hold:take").click().run()
    assert not app.exception
    assert another.startswith(f"k = {choice_of(app, 'my_k')}, ")
    assert choice_of(app, "their_k") == choice_of(app, "my_k"), "the same k at every hospital stays so"
    assert "My release now" in texts(app)


def test_a_limit_set_here_is_that_of_the_decision() -> None:
    app = loaded(*small_table(), PAGE, repeats=2)
    app.number_input[-1].set_value(12.0).run()
    next(box for box in app.number_input if box.label.startswith("One value left")).set_value(3.0).run()
    assert not app.exception
    assert choice_of(app, "requirements") == {"loss": 0.12, "perfect": 0.03}
    set_section(app, "review", "Each limit")
    app.switch_page("pages/review/page.py").run()
    assert not app.exception
    assert any(box.value == 3.0 for box in app.number_input)

"""The beliefs page: numbers as core gives them, every background, one class, negation statements, Don."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Release, examples
from core.algorithms import partition
from core.beliefs import Background, Beliefs, beliefs
from core.data.encoding import encode
from pages.attack import beliefs as page
from pages.method import text as story_text
from pages.shared.text import percent
from tests.pages import drive
from tests.pages.drive import MY_ALGORITHM, keep, spaced
from tests.pages.story_tree import marked_texts, open_page
from tests.tables import small_table


def loaded(**choices: Any) -> AppTest:
    return drive.loaded(*small_table(), "pages/beliefs/page.py", **choices)


def beliefs_shown(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.main.metric if "C\xa0=" not in metric.label}


def text(app: AppTest) -> str:
    return "\n".join(str(item.value) for kind in (app.markdown, app.caption, app.error) for item in kind)


def as_shown(found: Beliefs, theta: float = 0.1) -> dict[str, str]:
    classes = (found.table(theta)["breached"] > 0).mean()
    return {
        "Largest change of a belief": page.points(float(found.gain.max())),
        "People breached": percent(found.share(theta).value),
        "Classes with a breach": percent(float(classes)),
    }


@pytest.fixture(scope="module")
def release() -> Release:
    return partition(encode(*small_table()), Policy(4), MY_ALGORITHM)


@pytest.mark.parametrize(
    ("choices", "known"),
    [
        ({}, []),
        ({"belief_source": "columns", "belief_columns": ("sex", "gone")}, ["sex"]),
        ({"belief_source": "joint"}, None),
        ({"belief_theta": 0.4}, []),
    ],
)
def test_the_numbers_are_those_of_core(release: Release, choices: dict[str, Any], known: list[str] | None) -> None:
    app = loaded(**choices)
    found = beliefs(release, Background.of_table(release.encoded, known))
    assert beliefs_shown(app) == as_shown(found, choices.get("belief_theta", 0.1))
    assert "not a fact about anybody" in text(app)
    if known is not None:  # whoever knows the whole table learns nothing
        assert f"**Class {found.owner[found.largest]}:" in text(app)
        assert percent(float(found.after[found.largest])) in text(app)


def test_a_uniform_background(release: Release) -> None:
    found = beliefs(release, Background.constant(release.encoded))
    assert beliefs_shown(loaded(belief_source="uniform")) == as_shown(found)


def test_statements_about_one_person(release: Release) -> None:
    found = beliefs(release, Background.of_table(release.encoded, ["sex"]))
    number = int(found.owner[found.largest])
    codes = release.histogram.of_class(number)[0]
    kind = int(found.starts[number])
    plain = page.person(found, number, kind)
    told = page.person(found, number, kind, (int(codes[0]),))
    cut = plain.after.copy()
    cut[codes[0]] = 0
    assert told.after == pytest.approx(cut / cut.sum())
    assert told.before[codes[0]] == 0
    nothing = page.person(found, number, kind, tuple(codes.tolist()))
    assert nothing.gain == 0
    assert "leaves no value of this class possible" in page.change_in_words(
        nothing, list(release.encoded.sensitive.labels), 0.1
    )


# ---- the examples on the page Start, and the Method page ------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dons_beliefs", "rises from 40.0 % to **46.5 %**"),
        ("homogeneity_and_linkage", ":red-background[**Cold**]"),
        ("disagreement", "**E** in hospital B, which is ruled out"),
        ("two_versions", "Alone after composition: **100.0 %**"),
    ],
)
def test_the_page_start_tells_it(name: str, said: str) -> None:
    at = open_page("overview", {"overview:sections": "More examples"})
    keep(at, "overview", "example", name)
    at.run()
    assert said in spaced("\n".join(marked_texts(at)))


def test_the_method_page_has_the_numbers_of_core() -> None:
    found = story_text.section("beliefs")
    assert examples.dons_beliefs().erratum in story_text.section("errata").body
    don = examples.dons_beliefs().expected["Don"]
    assert f"from {don['alpha'][2]} to {don['beta'][2]}" in found.body

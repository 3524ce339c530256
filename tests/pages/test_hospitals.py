"""The Other hospitals page: assumptions in, hospitals out."""

import pandas as pd
import pytest

from core.privacy.policy import Policy
from core.study.hospitals import Hospital
from pages.hospitals import sections, upload
from pages.shared import session
from pages.shared.values import SOURCES
from tests.pages.drive import Session, choose, loaded, set_workspace
from tests.tables import small_table

PAGE = "pages/hospitals/page.py"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("releases", 5),
        ("overlap", 30),
        ("linked", False),
        ("their_k", 8),
        ("agreement", 0.3),
        ("their_models", False),
        ("seed", 7),
        ("repeats", 12),
        ("diversity", "entropy"),
        ("closeness", True),
    ],
)
def test_every_parameter_can_be_changed(name: str, value: object) -> None:
    app = choose(loaded(*small_table(), PAGE), name, value)
    assert not app.exception
    assert not app.error


def test_the_hospitals_are_listed_with_what_they_publish() -> None:
    app = choose(loaded(*small_table(), PAGE), "releases", 4)
    published = app.dataframe[-2].value
    assert list(published["Hospital"]) == ["My hospital", "Hospital 2", "Hospital 3", "Hospital 4"]
    assert (published["Smallest class"] >= 4).all()


def edited(k: list[int], agreement: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"k": k, "agreement": agreement})


def test_the_table_sets_k_and_agreement_of_one_hospital(bare: Session) -> None:
    session.put("releases", 4)
    assert not session.adopt_table(edited([5, 5, 5, 5], [1.0, 1.0, 1.0, 1.0]))
    assert session.adopt_table(edited([5, 5, 12, 5], [1.0, 1.0, 1.0, 0.4]))
    assert [hospital.policy.k for hospital in session.hospitals()] == [5, 5, 12, 5]
    assert [hospital.agreement for hospital in session.hospitals()] == [1.0, 1.0, 1.0, 0.4]
    session.put("their_k", 9)
    assert [hospital.policy.k for hospital in session.hospitals()] == [5, 9, 9, 9], "the slider sets them all"


def test_percentages_of_the_table_become_shares(bare: Session) -> None:
    session.put("releases", 4)
    session.set_own(2, "agreement", 1 / 3)
    hospitals = session.hospitals()
    shown = edited([5, 5, 5, 5], [100 * hospital.agreement for hospital in hospitals])
    assert sections.as_shares(shown, shown, hospitals)["agreement"].tolist() == [1.0, 1.0, 1 / 3, 1.0]
    changed = shown.assign(agreement=[100.0, 55.0, float("nan"), 0.0])
    assert session.adopt_table(sections.as_shares(changed, shown, hospitals))
    assert [hospital.agreement for hospital in session.hospitals()] == [1.0, 0.55, 1 / 3, 0.0]


def test_my_own_k_in_the_table_is_my_k(bare: Session) -> None:
    assert session.adopt_table(edited([8, 5], [1.0, 1.0]))
    assert session.get("my_k") == 8
    assert session.get("their_k") == 5
    assert not session.get("linked")


def test_a_scenario_round_trip_restores_every_choice(bare: Session) -> None:
    table, schema = small_table()
    set_workspace(bare, session.Workspace(table, schema, "a table", example=False))
    for name, value in (
        ("releases", 4),
        ("diversity", "recursive"),
        ("l", 3.0),
        ("c", 1.5),
        ("closeness", True),
        ("t", 0.55),
        ("overlap", 50),
        ("confidence", 0.5),
        ("seed", 3),
        ("my_k", 6),
    ):
        session.put(name, value)
    session.adopt_table(edited([6, 6, 11, 6], [1.0, 0.5, 1.0, 1.0]))
    wanted = session.scenario()
    bare.clear()
    set_workspace(bare, session.Workspace(table, schema, "a table", example=False))
    assert session.scenario() != wanted
    session.adopt(wanted)
    assert session.scenario() == wanted


@pytest.mark.parametrize("source", ["resampled", "simulated", "conditional", "independent"])
def test_the_way_to_a_file_says_what_counts_until_then(source: str) -> None:
    assert upload._so_far(1, Hospital(Policy(5), source=source)) == f"hospital 2 is *{SOURCES[source]}*"

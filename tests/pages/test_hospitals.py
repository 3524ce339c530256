"""The drawer of other hospitals: assumptions in, hospitals out."""

from core.privacy.policy import Policy
from core.study.hospitals import Hospital
from pages.attack.hospitals import upload
from pages.shared import session
from pages.shared.values import SOURCES
from tests.pages.drive import Session, choice_of, loaded, set_hospital
from tests.tables import small_table

PAGE = "pages/hospitals/page.py"


def test_the_hospitals_are_listed_with_what_they_publish() -> None:
    app = loaded(*small_table(), PAGE, releases=4)
    set_hospital(app, "Expert")
    published = app.run().dataframe[-1].value
    assert list(published["Hospital"]) == ["My hospital", "Hospital 2", "Hospital 3", "Hospital 4"]
    assert (published["Smallest class"] >= 4).all()


def test_one_hospital_can_be_set_alone(bare: Session) -> None:
    session.put("releases", 4)
    session.set_own(2, "k", 12)
    session.set_own(3, "agreement", 0.4)
    assert [hospital.policy.k for hospital in session.hospitals()] == [5, 5, 12, 5]
    assert [hospital.agreement for hospital in session.hospitals()] == [1.0, 1.0, 1.0, 0.4]
    session.put("their_k", 9)
    assert [hospital.policy.k for hospital in session.hospitals()] == [5, 9, 9, 9], "the slider sets them all"


def test_a_k_of_its_own_is_not_linked_to_mine() -> None:
    app = loaded(*small_table(), PAGE)
    next(box for box in app.number_input if box.label == "People per class (k)").set_value(7).run()
    assert choice_of(app, "own")[1]["k"] == 7
    assert choice_of(app, "linked") is False


def test_the_way_to_a_file_says_what_counts_until_then() -> None:
    for source in ("resampled", "simulated", "independent"):
        assert upload._so_far(1, Hospital(Policy(5), source=source)) == f"hospital 2 is *{SOURCES[source]}*"

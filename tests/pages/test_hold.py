"""What helps: an agreement in a session."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from core import Table, agree
from pages.hold import coordinated, ways
from pages.shared.state import session
from pages.shared.ui import agreements
from tests.pages.drive import Session
from tests.tables import small_table


def public() -> Table:
    """Other records with the columns of the table."""
    return small_table()[0].take(np.arange(300))


def test_a_scenario_with_an_agreement_is_what_it_was_and_other_data_knows_none(started: Session) -> None:
    table, schema = small_table()
    agreements.keep(agree(public(), schema, least=2))
    assert ways.way(ways.AGREED).scenario is not None
    agreements.use()
    wanted = session.scenario()
    assert wanted.mine.algorithm == "coordinated"
    assert wanted.schema.agreement == agreements.ready()
    session.load(table, schema, "again")
    assert session.scenario().mine.algorithm == "least-loss"
    session.change_schema(wanted.schema)
    session.adopt(wanted)
    assert session.scenario().hospitals == wanted.hospitals
    assert json.loads(wanted.to_json())["schema"]["agreement"]["digest"] == wanted.schema.agreement.digest
    agreements.drop()
    assert session.scenario().mine.algorithm == "least-loss"
    assert agreements.ready() is None


def test_only_mine_keeps_it_or_all_do(started: Session) -> None:
    agreements.keep(agree(public(), small_table()[1], least=2))
    kept = [ways.way(name).scenario for name in (ways.AGREED, ways.ALONE)]
    assert [[hospital.algorithm for hospital in each.hospitals] for each in kept if each] == [
        ["coordinated", "coordinated"],
        ["coordinated", "mondrian"],
    ]


def test_a_click_during_a_run_that_a_newer_one_ends_still_makes_the_agreement_my_release(
    started: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    class EndedError(BaseException):
        """As Streamlit ends a run."""

    def end(name: str) -> None:
        raise EndedError

    take: Callable[[str], None] = ways.take
    drawn: list[bool] = []
    agreements.keep(agree(public(), small_table()[1], least=2))
    monkeypatch.setattr(coordinated, "again", lambda: drawn.append(True))
    coordinated.carry_out()
    assert session.scenario().mine.algorithm == "least-loss"
    coordinated._want_taken()
    monkeypatch.setattr(ways, "take", end)
    with pytest.raises(EndedError):
        coordinated.carry_out()
    monkeypatch.setattr(ways, "take", take)
    coordinated.carry_out()
    coordinated.carry_out()
    assert session.scenario().mine.algorithm == "coordinated"
    assert drawn == [True]


def test_fewest_values_are_measured_and_the_promise_stands_next_to_another_number() -> None:
    assert coordinated._fewest(4, 3) == "4; promised 3"
    assert coordinated._fewest(3, 3) == coordinated._fewest(3, None) == "3"

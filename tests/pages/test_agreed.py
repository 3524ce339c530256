"""An agreed list on the release page: chosen, used by everybody, and let go again."""

from __future__ import annotations

from dataclasses import replace

from core import Policy, Scenario
from core.data.agreed import AgreedList
from core.study.hospitals import Hospital
from pages.shared import results, session
from tests.pages.drive import Session
from tests.tables import small_table

SMALL = small_table()


def test_a_scenario_with_a_list_is_what_it_was_and_other_data_knows_none(started: Session) -> None:
    listed = AgreedList(tuple((value,) for value in sorted(set(SMALL[0].column(SMALL[1].sensitive).labels))))
    schema = SMALL[1].with_(agreed=listed)
    one = Hospital(Policy(4, more={"agreed": 1}), "by-bucket")
    asked = Scenario(
        schema, (one, replace(one, source="resampled")), overlap=50, repeats=2, data_id=SMALL[0].content_id
    )
    session.change_schema(schema)
    session.adopt(asked)
    assert session.scenario().hospitals == asked.hospitals
    assert session.scenario().schema.agreed == listed
    assert results.my_release().guarantee.numbers["agreed"] == 1
    session.load(*SMALL, "again")
    assert "agreed" not in dict(session.scenario().mine.policy.more)
    session.put("agreed_list", True)
    assert "agreed" not in dict(session.scenario().mine.policy.more), "a link may say so on data without a list"

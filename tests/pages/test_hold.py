"""What helps: the ways side by side, what is refused, and a way that becomes the release."""

from __future__ import annotations

from core.data.schemas.agreed_list import AgreedList
from pages.shared.state import session
from tests.pages.drive import Session
from tests.tables import small_table

# --- a list in a session -------------------------------------------------------------------------


def test_a_scenario_with_a_list_is_what_it_was_and_other_data_knows_none(started: Session) -> None:
    table, schema = small_table()
    listed = AgreedList(tuple((value,) for value in sorted(set(table.column(schema.sensitive).labels))))
    session.change_schema(schema.with_(agreed=listed))
    session.put("my_algorithm", "by-bucket")
    session.put("agreed_list", True)
    wanted = session.scenario()
    assert "agreed" in dict(wanted.mine.policy.more)
    session.load(table, schema, "again")
    session.put("agreed_list", True)
    assert "agreed" not in dict(session.scenario().mine.policy.more), "a link may say so on data without a list"
    session.change_schema(schema.with_(agreed=listed))
    session.adopt(wanted)
    assert session.scenario().hospitals == wanted.hospitals

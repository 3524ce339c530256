"""The providers page: numbers as core gives them, every choice, bad input, hostile names, the way to the attack."""

import numpy as np
import pytest

from core import Policy, Table, m_private
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.privacy.coalitions import coalition_table
from pages.providers import words
from tests.pages.drive import choice_of, choose, loaded, metrics, texts
from tests.tables import pooled_table, small_table
from tests.worked import POLICY, colluding_hospitals

PAGE = "pages/providers/page.py"


@pytest.mark.parametrize("m", range(4))
def test_the_verdict_is_that_of_core(m: int) -> None:
    table, schema = pooled_table()
    app = loaded(table, schema, PAGE, my_m=m, my_k=6, diversity="distinct", l=2.0)
    policy = Policy(6, l=2)
    release = partition(encode(table, schema), policy, "least-loss")
    verdict = m_private(release, None, policy, m)
    assert f"**{'' if verdict.is_satisfied else 'Not '}{m}-private.**" in texts(app)
    assert not app.error
    rows = coalition_table(release, m, policy)
    assert metrics(app)["Fewest others left"] == str(rows["left"].min())


# ---- bad input ----------------------------------------------------------------------------


def test_m_is_brought_within_the_providers_and_one_is_refused() -> None:
    assert choice_of(loaded(*pooled_table(providers=3), PAGE, my_m=20), "my_m") == 2
    assert "one provider" in loaded(*pooled_table(providers=1), PAGE, my_m=1).error[0].value


def test_records_that_name_no_provider_can_be_left_out() -> None:
    table, schema = pooled_table()
    frame = table.to_frame()
    frame.loc[:9, "site"] = ""
    app = loaded(Table.from_frame(frame), schema, PAGE)
    assert "10 of 300 records name no provider" in app.error[0].value
    assert ": 10 records name no provider." in texts(app).replace(":material/help", "")
    assert "290 records of 4 providers" in texts(choose(app, "pool_drop", True))
    assert not app.error


def test_a_provider_may_own_a_whole_class() -> None:
    table, schema = pooled_table()
    frame = table.to_frame()
    frame["site"] = np.where(frame["sex"] == "f", "one", "other")
    app = loaded(Table.from_frame(frame), schema, PAGE, my_m=1, my_k=6)
    assert "have a single contributor" in texts(app)


def test_without_a_column_of_providers_it_leads_to_where_one_is_chosen() -> None:
    app = loaded(*small_table(), PAGE)
    assert "No column says who contributed which record" in texts(app)
    assert "Choose it on Data" in [link.proto.label for link in app.get("page_link")]


# ---- on to the attack ---------------------------------------------------------------------------


# ---- words --------------------------------------------------------------------------------------


def test_the_worked_example_is_told() -> None:
    told = colluding_hospitals()
    verdict = m_private(told.releases[0], None, POLICY, 1)
    assert words.sentence(verdict, POLICY, "Disease") == (
        "**Not 1-private.** Class 1 has 3 people, 2 of them contributed by P1. It takes its own records out, and "
        "**1 other person** is left, with Disease: Epilepsy. This person is known to have it."
    )

"""Changing the role of a column in the table, in a browser."""

import pandas as pd
from playwright.sync_api import Page

from tests.browser import rig

ROW, ROLE = 35, 190
"""Height of a row of the table, and where its second column is."""


def stays() -> bytes:
    """A table with a column `los` and two that follow from it."""
    rows = range(60)
    frame = pd.DataFrame(
        {
            "age": [20 + n % 40 for n in rows],
            "lnhlos": [f"{n % 7 / 10}" for n in rows],
            "los": [1 + n % 7 for n in rows],
            "invhlos": [f"{n % 7 / 100}" for n in rows],
            "diagnosis": [f"d{n % 5}" for n in rows],
        }
    )
    return frame.to_csv(index=False).encode()


def test_a_role_is_given_to_the_column_that_was_clicked_and_no_other(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "data")
    rig.upload(page, "Load your own table", "stays.csv", stays())
    rig.click(page, "Use this table")
    table = page.get_by_test_id("stDataFrame").first
    table.dblclick(position={"x": ROLE, "y": ROW * 3.5})
    page.get_by_role("option", name="others know it").click()
    rig.wait_idle(page)
    rows = [[page.get_by_test_id(f"glide-cell-{column}-{row}").text_content() for column in (1, 2)] for row in range(4)]
    assert [role for role, _ in rows] == ["quasi-identifier", "other", "quasi-identifier", "other"]
    follows = "Follows from 'los': whoever knows one knows the other"
    assert [why for _, why in rows] == ["Named like an age", follows, "Chosen, not proposed", follows]

"""Choosing columns by typing, in a browser."""

import pandas as pd
from playwright.sync_api import Page

from tests.browser import rig

KNOWN = "What others may know of a person"


def stays() -> bytes:
    """A table with a column `los` and two whose names contain it."""
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


def test_enter_adds_the_column_that_was_typed_and_no_other(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "data")
    rig.upload(page, "Load your own table", "stays.csv", stays())
    rig.click(page, "Use this table")
    picker = page.get_by_test_id("stMultiSelect").filter(has_text=KNOWN)
    picker.get_by_role("combobox").fill("los")
    picker.get_by_role("combobox").press("Enter")
    picker.get_by_role("combobox").press("Escape")
    rig.wait_idle(page)
    assert picker.locator("[data-tag]").all_inner_texts() == ["age", "los"]

"""Last year's release and this year's table: kept, loaded again, attacked together."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
from playwright.sync_api import Page, expect

from core import Policy, Schema, Table
from core.algorithms import partition
from core.data.encoding import encode
from core.release.record import ReleaseRecord, record_of
from pages.attack import effect
from tests.browser import rig
from tests.browser.steps import section
from tests.browser.strip import strip_shows
from tests.files import named, read_table
from tests.pages.drive import MY_ALGORITHM

SCHEMA = Schema(["age", "zip code", "sex"], "diagnosis", identifiers=["patient"])


def year(first: int, people: int = 300) -> pd.DataFrame:
    """A table of so many people from a number on; whoever is in two years is the same there."""
    everybody = np.arange(first, first + people)
    rng = np.random.default_rng(3)
    born, where, sick = (rng.integers(low, high, 1000) for low, high in ((20, 80), (100, 130), (0, 9)))
    return pd.DataFrame(
        {
            "patient": [f"P{i:04d}" for i in everybody],
            "age": born[everybody].astype(str),
            "zip code": where[everybody].astype(str),
            "sex": np.where(everybody % 2, "f", "m"),
            "diagnosis": [f"D{i}" for i in sick[everybody]],
        }
    )


def load(page: Page, frame: pd.DataFrame, name: str) -> None:
    rig.open_page(page, "Data")
    rig.upload(page, "Load your own table", name, frame.to_csv(index=False).encode())
    rig.click(page, "Use this table")
    strip_shows(page, f"{len(frame)} records")


def test_this_years_release_is_held_against_last_years(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "data")
    load(page, year(0), "last_year.csv")
    rig.open_page(page, "Release")
    page.get_by_role("radio", name="The file").click()
    page.get_by_text("Keep a record of this release").wait_for()
    rig.wait_idle(page)
    page.get_by_label("Released to").fill("the registry")
    page.get_by_label("Released to").press("Enter")
    rig.wait_idle(page)
    _, note = rig.download(page, "Release record")
    _, copy = rig.download(page, "My own copy, with who is who")
    record, kept = ReleaseRecord.from_json(note), read_table(named(copy, "copy.csv"))
    record.check(kept)
    assert (record.recipient, record.key, record.records) == ("the registry", "patient", 300)
    assert sorted(kept.column("patient").texts()) == sorted(year(0)["patient"])

    load(page, year(50), "this_year.csv")
    rig.open_page(page, "If others publish")
    section(page, "Other hospitals")
    page.get_by_role("tab", name="My earlier versions").click()
    rig.wait_idle(page)
    wrong = json.dumps({**json.loads(note), "recipient": "somebody else"}).encode()
    rig.upload(page, "The release, with the column that says who is who", "copy.csv", copy)
    rig.upload(page, "Its release record, if there is one", "record.json", wrong)
    page.get_by_text("The release record was changed").wait_for()
    rig.wait_idle(page)
    rig.upload(page, "Its release record, if there is one", "record.json", note)
    page.get_by_text("The file is that of its record").wait_for()
    page.get_by_text("250 of these people are in my table").wait_for()
    rig.click(page, "Hold my release against it")
    page.get_by_role("button", name="Forget this file").wait_for()
    assert rig.slider_value(page, "Shared people (overlap)") == "250", "everybody who is in both"

    rig.metric(page, effect.label(1.0))
    expect(page.get_by_test_id("stMain")).to_contain_text("250")
    table = Table.from_frame(year(50))
    assert (
        record_of(partition(encode(table, SCHEMA), Policy(5), MY_ALGORITHM), "", "2026-01-31").content != record.content
    )

"""The page on differential privacy in a browser: epsilon slid and typed, a table drawn and downloaded, games."""

import io
import re
import zipfile

from playwright.sync_api import Page, expect

from core import dp, examples
from core.data.encoding import encode
from pages.shared.text import percent
from tests.browser import rig
from tests.browser.strip import reads


def type_epsilon(page: Page, text: str) -> None:
    box = page.get_by_label("Privacy loss of one table (ε), exact")
    box.fill(text)
    box.press("Enter")
    rig.wait_idle(page)


def test_from_epsilon_to_a_noisy_table(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "noise")
    page.get_by_text("Partitions and noise, release after release").wait_for(timeout=60_000)
    rates = dp.prior_of(encode(examples.city(), examples.city_schema()))
    ceilings = [percent(dp.ceiling(float(rates.max()), 2 * e)) for e in (0.5, 2.0)]
    for typed, ceiling in zip(("0.5", "2"), ceilings, strict=True):
        type_epsilon(page, typed)
        reads(page, "Ceiling of confidence", ceiling)

    rig.set_slider(page, "Privacy loss of one table (ε)", "1")
    expect(page.get_by_label("Privacy loss of one table (ε), exact")).to_have_value("1")

    page.get_by_role("radio", name="Draw a table").click()
    rig.wait_idle(page)
    draw = page.get_by_role("button", name=re.compile("Draw a noisy table"))
    expect(draw).to_be_disabled()
    page.get_by_role("button", name=re.compile("age: 0 to 120 by 10")).click()
    page.get_by_role("spinbutton", name="In bins of").fill("20")
    page.get_by_role("button", name=re.compile("Declare: this is public")).click()
    rig.wait_idle(page)
    expect(page.get_by_role("button", name=re.compile("age: 0 to 120 by 20"))).to_be_visible()
    for column in ("sex: to be chosen", "diagnosis: to be declared"):
        page.get_by_role("button", name=re.compile(column)).click()
        if column.startswith("sex"):
            rig.choose(page, "As they are written in the table", "female, male, other")
        page.get_by_role("button", name=re.compile("Declare: this is public")).click()
        rig.wait_idle(page)
    box = page.get_by_role("textbox", name=re.compile("These data come from"))
    box.fill("Admissions 2025")
    box.press("Enter")
    rig.wait_idle(page)
    draw.click()
    rig.wait_idle(page)
    name, content = rig.download(page, "Download table and statement (ZIP)")
    assert name == "noisy_table.zip"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        statement = archive.read("statement.txt").decode()
        assert "epsilon = 1, delta = 0" in statement
        assert "- age: 0 to 120 by 20, 7 bins" in statement
    expect(page.get_by_text("ε = 3 left")).to_be_visible()
    expect(page.get_by_text("The digest of one download is noted")).to_be_visible()

    page.get_by_role("radio", name="With and without me").click()
    rig.wait_idle(page)
    page.get_by_text("Largest difference of conclusions").first.wait_for()
    assert 0 < float(rig.metric(page, "Largest difference of conclusions")) <= 0.463

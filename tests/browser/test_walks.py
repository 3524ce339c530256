"""Three people walk through the app, each with a table of their own, and come to their decision or their answer.

None of them opens an expander: what they need is on the way.
"""

from __future__ import annotations

import io
import random
import re

import numpy as np
from playwright.sync_api import Locator, Page, expect

from core import examples, read_table
from pages.attack import effect
from tests.browser import rig

HEIGHT = 720
BAD = {
    "at least one record": b"age,diagnosis\n",
    "the sensitive attribute? Choose it above": b"colour,weight\nred,1\nblue,2\n",
    "classes of at least": b"age,diagnosis\n*,I10\n*,J06\n",
    "row 2": b"age,diagnosis\n[20-30],I10\n<<??>>,J06\n",
}
"""Files that cannot be a release, by a part of the sentence that refuses them."""


SOURCE, RELEASE = "Where its records come from", "Uploaded: their release"


def starred() -> bytes:
    """A release as ARX writes it: stars at two depths, suppressed rows, other headers and words."""
    frame = examples.city(3_000, seed=5).to_frame()
    zip_code = frame["zip code"]
    cells = {
        "Years": frame["age"].str.zfill(2).str[0] + "*",
        "Postcode": np.where(zip_code < "00200", zip_code.str[:4] + "*", zip_code.str[:3] + "**"),
        "Dx": frame["diagnosis"].str.lower(),
    }
    out = frame.assign(**cells)[list(cells)]
    rare = out.groupby(["Years", "Postcode"])["Dx"].transform("size") < 5
    out.loc[rare, ["Years", "Postcode"]] = "*"
    return out.to_csv(index=False, sep=";").encode()


def section(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name).click()
    rig.wait_idle(page)


def record(page: Page) -> None:
    """Write a decision down: nothing of it may be left open."""
    assert page.get_by_role("button", name="Record the decision").is_disabled()
    rig.choose(page, "Decision", "Publish")
    page.get_by_label("Decided by", exact=True).fill("The review board")
    page.get_by_label("Decided by", exact=True).press("Enter")
    rig.wait_idle(page)
    rig.set_date(page, "On", "20260301")
    page.get_by_text(re.compile(r"^We accept these \d+ assumptions")).click()
    rig.wait_idle(page)
    rig.click(page, "Record the decision")
    page.get_by_text("The decision is recorded. The documents state it.").wait_for()


def hospital(records: int = 600) -> bytes:
    """Encounters, two a patient, with ages in bands, codes of the ICD-9, and question marks for what is missing."""
    draw = random.Random(3)
    rows = ["encounter_id,patient_nbr,race,gender,age,weight,days,medical_specialty,diag_1,diag_2"]
    for number in range(records):
        decade = 10 * draw.randrange(10)
        cells = [
            2_278_392 + 7 * number,
            8_222_157 + 3 * (number // 2),
            draw.choice(("Asian", "Caucasian", "Hispanic", "?")),
            draw.choice(("Female", "Male")),
            f"[{decade}-{decade + 10})",
            draw.choice(("?", "?", "?", "?", "[75-100)")),
            draw.randint(1, 14),
            draw.choice(("Cardiology", "Surgery", "?")),
            draw.choice(("250.83", "276", "648", "8", "V58", "E880", "428", "486", "410", "715")),
            draw.choice(("250", "401", "?")),
        ]
        rows.append(",".join(map(str, cells)))
    return "\n".join(rows).encode()


def go_on(page: Page, title: str) -> None:
    """Press the one button that leads to the next step."""
    page.locator(".st-key-route").get_by_role("link").click()
    page.wait_for_function("title => document.title.startsWith(title)", arg=title)
    rig.wait_idle(page)
    nothing_unfolded(page)


def nothing_unfolded(page: Page) -> None:
    assert page.get_by_test_id("stExpander").locator("details[open]").count() == 0


def in_sight(part: Locator) -> None:
    """Whether all of it is in the window without scrolling."""
    box = part.bounding_box()
    assert box is not None
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= HEIGHT


def test_an_officer_decides_on_a_hospital_table(page: Page, app: rig.App) -> None:
    page.set_viewport_size({"width": 1280, "height": HEIGHT})
    rig.visit(page, app)
    go_on(page, "Data")
    rig.upload(page, "Load your own table", "encounters.csv", hospital())
    in_sight(page.get_by_role("button", name="Use this table"))
    assert page.locator(".st-key-route").get_by_role("link").count() == 0, "one primary button at a time"
    rig.click(page, "Use this table")
    in_sight(page.get_by_role("button", name="None of them"))
    page.get_by_text(re.compile(r"if \d+ columns are left out")).first.wait_for()
    rig.click(page, "None of them")
    in_sight(page.get_by_role("radio", name="others may know it"))
    page.get_by_text("600 records of 300 persons").first.wait_for()
    go_on(page, "Release")
    go_on(page, "If others publish")
    answer = page.get_by_text(re.compile(r"Of 50 patients you share, \d+ would be left with one"))
    in_sight(answer.first)
    go_on(page, "What helps")
    go_on(page, "Decide")
    in_sight(page.locator("[class*=st-key-verdict-]"))
    rig.click(page, "Start with four limits")
    page.get_by_text(re.compile("the present setting (meets all 4|breaks . of 4) limits")).first.wait_for()
    section(page, "Scenario file")
    _, scenario = rig.download(page, "Download the scenario (JSON)")
    rig.upload(page, "Open a scenario file", "scenario.json", scenario, "application/json")
    page.get_by_text("saved with the table in use").wait_for()
    section(page, "Decision and report")
    record(page)
    nothing_unfolded(page)
    rig.click(page, "Write the documents")
    page.get_by_text("The documents are written").wait_for(timeout=120_000)
    rig.wait_idle(page)
    name, html = rig.download(page, "Document for insiders (HTML)")
    assert re.fullmatch(r"report_internal_\w+_2026-03-01\.html", name), "the table and the date"
    front = html.decode().partition('class="annex"')[0]
    assert "The review board" in front
    assert "Who is exposed" in front


def test_a_release_in_the_style_of_arx_is_held_against_mine(page: Page, app: rig.App) -> None:
    page.set_viewport_size({"width": 1280, "height": HEIGHT})
    rig.visit(page, app, "attack")
    section(page, "Other hospitals")
    rig.choose(page, SOURCE, RELEASE)
    for sentence, content in BAD.items():
        assert not page.get_by_text(sentence).count(), "the last file's fault is no longer told"
        rig.upload(page, "Load their release", "bad.csv", content)
        page.get_by_text(sentence).first.wait_for()
        assert "<<??>>" not in page.get_by_test_id("stMain").inner_text()
        page.get_by_text("if another hospital like yours publishes").first.wait_for()
    rig.upload(page, "Load their release", "arx.csv", starred())
    columns = {
        "age (quasi-identifier)": "Years",
        "zip code (quasi-identifier)": "Postcode",
        "diagnosis (sensitive)": "Dx",
    }
    for mine, theirs in columns.items():
        rig.choose(page, mine, theirs)
    page.get_by_text("of their values are not spelled like mine").wait_for()
    page.get_by_text("Read:").wait_for()
    rig.click(page, "Use this file")
    page.get_by_role("button", name="Forget this file").wait_for()
    page.get_by_text("Not in their table, so their file says nothing about it").wait_for()
    page.get_by_test_id("stMain").get_by_text("suppressed").first.wait_for()
    nothing_unfolded(page)
    go_on(page, "What helps")
    go_on(page, "Decide")
    card = page.locator(".st-key-card")
    in_sight(card)
    expect(card).to_contain_text(re.compile(r"As assumed[\d.]+%, [\d,]+ people"))
    page.get_by_text("Who is really in the uploaded file").first.wait_for()
    rig.open_page(page, "If others publish")
    assert rig.metric(page, effect.label(1.0)).endswith("%")
    # Back to the simulation: the file is forgotten.
    section(page, "Other hospitals")
    rig.click(page, "Forget this file")
    page.get_by_text("if another hospital like yours publishes").first.wait_for()


def test_a_class_follows_alice_into_the_city(page: Page, app: rig.App) -> None:
    rig.visit(page, app)
    page.get_by_role("radio", name="3. Both").click()
    page.get_by_text("Only one is: AIDS").wait_for()
    rig.set_number(page, "Diagnoses left after all four", 2)
    page.get_by_text("You said 2; 1 is left").wait_for()
    nothing_unfolded(page)
    go_on(page, "Data")
    page.get_by_text("The synthetic city is in use").first.wait_for()
    go_on(page, "Release")
    page.get_by_text("Sizes of the").wait_for()
    page.get_by_role("radio", name="Map").click()
    page.get_by_test_id("stPlotlyChart").first.wait_for()
    rig.wait_idle(page)
    go_on(page, "If others publish")
    rig.set_number(page, "People per class (k), exact", 25)
    page.get_by_text(re.compile(r"Of 5.000 patients you share, \d+ would be left with one")).first.wait_for()
    page.wait_for_url("**/attack?*k=25*")


# --- a new user ----------------------------------------------------------------------------------


def test_a_new_user_does_the_whole_job(page: Page, app: rig.App, adult_bytes: bytes) -> None:
    # Start: the running example, already attacked.
    rig.visit(page, app)
    page.get_by_role("heading", name="Two safe releases, one exposed patient").wait_for()
    rig.open_page(page, "If others publish")
    assert rig.metric(page, effect.label(1.0)).endswith("%")

    # A table of their own: accept what is proposed.
    rig.open_page(page, "Data")
    rig.upload(page, "Load your own table", "adult.csv", adult_bytes)
    page.get_by_text("Proposed roles").wait_for()
    assert "The synthetic city" in rig.bar_text(page), "what was loaded before stays until it is replaced"
    rig.click(page, "Use this table")
    rig.bar_shows(page, "32,561 records")

    # Release: change k, read what was measured.
    rig.open_page(page, "Release")
    rig.set_slider(page, "People per class (k)", "8")
    rig.bar_shows(page, r"(?m)^(measured )?k\s+([89]|\d\d)$")

    # Attack: three sliders.
    rig.open_page(page, "If others publish")
    assert rig.slider_value(page, "People per class (k)") == "8", "choices survive a change of page"
    rig.set_slider(page, "People per class (k)", "4")
    rig.set_number(page, "Shared people (overlap), exact", 2000)
    rig.slider(page, "Hospitals that publish (R)").press("ArrowRight")
    page.get_by_text(re.compile(r"Of 2.000 patients you share, [\d,]+ would be left with one")).first.wait_for()

    # Download the release, and read it again.
    rig.open_page(page, "Release")
    name, content = rig.download(page, "Download the release")
    assert name.endswith(".csv")
    assert len(read_table(io.BytesIO(content))) == 32_561


def test_the_summary_is_always_in_sight(page: Page, app: rig.App) -> None:
    """Also while the page computes: what was known stays until something else is."""
    rig.visit(page, app, "noise")
    handle = rig.slider(page, "Privacy loss of one table (ε)")
    for _ in range(5):
        handle.press("ArrowRight")
        for _ in range(8):
            assert page.get_by_text("One value left").count() == 1
            page.wait_for_timeout(60)

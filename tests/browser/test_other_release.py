"""Somebody else's release: loaded, matched, attacked, and one person followed through it."""

from playwright.sync_api import Page

from core import Policy, Table, examples
from core.algorithms import partition
from core.data.csv_export import csv_bytes
from core.data.encoding import encode
from core.study.uploads import Upload, open_upload
from tests.browser import rig
from tests.browser.steps import OTHERS, RELEASE, SOURCE, starred

CITY, SCHEMA = examples.city(), examples.city_schema()


def take(page: Page, name: str, content: bytes, columns: dict[str, str]) -> None:
    rig.choose(page, SOURCE, RELEASE)
    rig.upload(page, "Load their release", name, content)
    for mine, theirs in columns.items():
        rig.choose(page, mine, theirs)
    page.get_by_text("Read:").wait_for()
    rig.click(page, "Use this file")
    page.get_by_role("button", name="Forget this file").wait_for()


def attacked(page: Page) -> str:
    rig.open_page(page, "Intersection attack")
    return rig.metric(page, "One value left (perfect breach)")


def test_a_release_of_this_program_as_the_second_hospital(page: Page, app: rig.App) -> None:
    published = partition(encode(OTHERS, SCHEMA), Policy(4)).publish(seed=0)
    content = csv_bytes(published)
    rig.visit(page, app)
    rig.open_page(page, "Other hospitals")
    take(page, "theirs.csv", content, {})
    names = (*SCHEMA.quasi_identifiers, SCHEMA.sensitive)
    table = Table.from_frame(published)
    upload = Upload(table.content_id, True, tuple((name, name) for name in names))
    found = open_upload(upload, table, CITY, SCHEMA).published
    assert f"{len(found.sizes)} classes" in page.get_by_test_id("stMain").inner_text().replace(" ", "").replace(
        "classes", " classes"
    )
    assert rig.slider_value(page, "Shared people (overlap)") == "3000", "no more people than the file has"
    assert attacked(page).endswith("%")

    # One person, by what is known of them: nobody knows the truth.
    page.get_by_role("tab", name="One person, step by step").click()
    rig.wait_idle(page)
    page.get_by_text("Anybody, by what is known of them").click()
    rig.wait_idle(page)
    page.get_by_text("Say at least one thing").wait_for()
    page.get_by_label("age", exact=True).fill("41")
    page.get_by_label("age", exact=True).press("Enter")
    rig.wait_idle(page)
    page.get_by_text("classes that match").first.wait_for()
    page.get_by_text("Nobody here knows the true value").wait_for()


def test_stars_other_headers_and_other_words(page: Page, app: rig.App) -> None:
    rig.visit(page, app)
    rig.open_page(page, "Other hospitals")
    rig.choose(page, SOURCE, RELEASE)
    rig.upload(page, "Load their release", "arx.csv", starred(OTHERS))
    page.get_by_text("match one, or there is nothing to intersect").wait_for()
    columns = {
        "age (quasi-identifier)": "Years",
        "zip code (quasi-identifier)": "Postcode",
        "diagnosis (sensitive)": "Dx",
    }
    for mine, theirs in columns.items():
        rig.choose(page, mine, theirs)
    page.get_by_text("sensitive values are not written as mine").wait_for()
    page.get_by_text("Read:").wait_for()
    rig.click(page, "Use this file")
    main = page.get_by_test_id("stMain")
    page.get_by_text("Not in their table, so it tells nothing of").wait_for()
    assert "suppressed" in main.inner_text()
    before = attacked(page)
    assert before.endswith("%")
    # Back to the simulation: the file is forgotten.
    rig.open_page(page, "Other hospitals")
    rig.click(page, "Forget this file")
    page.get_by_text("another hospital like mine shares").first.wait_for()


BAD = {
    "at least one record": b"age,diagnosis\n",
    "is matched with my sensitive attribute": b"colour,weight\nred,1\nblue,2\n",
    "classes of at least": b"age,diagnosis\n*,I10\n*,J06\n",
    "row 2": b"age,diagnosis\n[20-30],I10\n<<??>>,J06\n",
}


def test_files_that_cannot_be_a_release(page: Page, app: rig.App) -> None:
    rig.visit(page, app)
    rig.open_page(page, "Other hospitals")
    rig.choose(page, SOURCE, RELEASE)
    for sentence, content in BAD.items():
        assert not page.get_by_text(sentence).count(), "the last file's fault is no longer told"
        rig.upload(page, "Load their release", "bad.csv", content)
        page.get_by_text(sentence).first.wait_for()
        assert "<<??>>" not in page.get_by_test_id("stMain").inner_text()
        page.get_by_text("another hospital like mine shares").first.wait_for()

"""Contrast of text and of lines on every page, light and dark, computed from what the browser drew."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser import contrast, rig

TABS = {
    "Overview": ("3. Both",),
    "Data": (),
    "Release": (),
    "Other hospitals": (),
    "Intersection attack": ("How anonymity shrinks",),
    "Compare and decide": (),
    "Forecast": ("Sattar & Helal's estimate",),
    "Beliefs": (),
    "Differential privacy": (),
    "Providers": (),
    "Method": (),
}
"""Pages by title, and what is pressed there first."""


def test_contrast_of_text_and_lines(page: Page, app: rig.App) -> None:
    """The theme follows the system's, so one visit shows both. Nothing is logged meanwhile, and nothing is missing."""
    logged: list[str] = []
    page.on("console", lambda message: logged.append(message.text) if message.type == "warning" else None)
    page.on("response", lambda answer: logged.append(answer.url) if answer.status >= 400 else None)
    rig.visit(page, app)
    wrong: list[str] = []
    for title, tabs in TABS.items():
        rig.open_page(page, title)
        for tab in tabs:
            page.get_by_role("tab", name=tab).or_(page.get_by_role("radio", name=tab)).first.click()
            rig.wait_idle(page)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.wait_for_timeout(rig.QUIET_MS)
            looked, poor = contrast.poor(page)
            assert looked > 30, f"{title}: hardly anything was looked at"
            wrong += [f"{title}, {theme}, {one}" for one in poor]
    assert not wrong, "\n".join(wrong)
    assert not logged, "\n".join(logged)


def test_what_is_hard_to_read_is_found(page: Page) -> None:
    page.set_content(
        "<div data-testid='stMain' style='background: white'><p style='color: #777'>faint</p>"
        "<p style='color: black; opacity: 0.4'>veiled</p><p style='color: #595959'>good</p>"
        "<svg><g class='mark-line'><path d='M0 0 L9 9' stroke='#bbb' fill='none'></path></g></svg></div>"
    )
    looked, poor = contrast.poor(page)
    assert looked == 4
    assert [one.split(":")[0] for one in poor] == ["faint", "veiled", "line in "]

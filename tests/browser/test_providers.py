"""The providers page in a browser: the city, then a table with a provider column, m from 0 to n - 1."""

import re

import numpy as np
import pandas as pd
from playwright.sync_api import Page, expect

from core import Policy, m_private, read_table
from core.algorithms import partition
from core.data.encoding import encode
from core.data.proposal import propose
from tests.browser import rig
from tests.pages.drive import MY_ALGORITHM

PROVIDERS = 4


def table_of_hospitals() -> bytes:
    rng = np.random.default_rng(11)
    rows = 400
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "sex": rng.choice(["f", "m"], rows),
            "hospital": rng.choice(["North", "South", "East", "West"], rows, p=[0.5, 0.25, 0.15, 0.1]),
            "diagnosis": rng.choice([f"J{i:02}" for i in range(9)], rows),
        }
    )
    return frame.to_csv(index=False).encode()


def verdict(page: Page, text: str) -> None:
    """Wait for a verdict; "Not 1-private." holds "1-private.", so its whole beginning counts."""
    found = page.locator(".st-key-providers-verdict strong").first
    expect(found).to_have_text(text, timeout=60_000)


def test_the_city_then_a_table_that_names_its_providers(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "providers")
    page.get_by_text("No column says who contributed which record.").wait_for()

    content = table_of_hospitals()
    rig.open_page(page, "Data")
    rig.upload(page, "Load your own table", "hospitals.csv", content)
    page.get_by_text("Proposed roles").wait_for()
    rig.click(page, "Use this table")

    table = read_table(content)
    schema = propose(table).schema
    assert schema.provider == "hospital"
    policy = Policy(5)
    release = partition(encode(table, schema), policy, MY_ALGORITHM)
    rig.open_page(page, "Providers")
    page.get_by_text(f"400 records of {PROVIDERS} providers").wait_for()
    for m in range(PROVIDERS):
        rig.set_slider(page, "Providers that may collude (m)", m)
        holds = m_private(release, None, policy, m).holds
        verdict(page, f"{'' if holds else 'Not '}{m}-private.")

    # What knows m withstands it, and goes on to the attack.
    rig.set_slider(page, "Providers that may collude (m)", 1)
    rig.choose(page, "Release", "Provider-aware")
    verdict(page, "1-private.")
    page.get_by_role("radio", name="What it costs").click()
    rig.wait_idle(page, timeout_ms=120_000)
    page.get_by_text("Provider-aware (Goryczka et al. 2011, Alg. 2)").wait_for()
    rig.click(page, "Make this my release")
    page.get_by_role("heading", name=re.compile("If others publish")).first.wait_for(timeout=60_000)

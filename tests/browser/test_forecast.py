"""The forecast in a browser: the city, then an own table with population statistics, good and bad."""

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page

import core
from core import Policy, read_table
from core.algorithms import partition
from core.data.encoding import encode
from core.data.marginals import Marginals
from core.data.proposal import propose
from core.forecast import Forecast, Question, forecast
from core.release.algorithm import DEFAULT
from pages.shared.text import percent
from tests.browser import rig
from tests.browser.steps import narrow_and_dark, nothing_hangs_over
from tests.browser.strip import reads
from tests.pages.drive import MY_ALGORITHM

pytestmark = pytest.mark.long


def leads(page: Page, release: core.Release, shared: int) -> None:
    """Wait until the headline is the calibrated forecast of core, with its band."""
    found = Question(shared=shared, algorithm=DEFAULT).expected(release)
    assert found is not None
    reads(page, "One value left, expected", percent(found.share))
    page.get_by_text(f"({percent(found.low)} to {percent(found.high)})").first.wait_for()


def shows(page: Page, found: Forecast) -> None:
    """Wait until Sattar & Helal's estimate, one click away, is what core computes."""
    page.get_by_role("tab", name="Sattar & Helal's estimate").click()
    reads(page, "Vulnerable classes", percent(found.risk().value))
    reads(page, "People in vulnerable classes", percent(found.people().value))
    reads(page, "One value left, first estimate", percent(found.pinned_share))
    reads(page, "Values left, first estimate", f"{found.left_mean:.1f}")


def own_table() -> bytes:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 900),
            "sex": rng.choice(["f", "m"], 900),
            "diagnosis": rng.choice(list("ABCDEFGH"), 900, p=np.arange(1, 9) / 36),
        }
    )
    return frame.to_csv(index=False).encode()


def test_forecast_of_the_city_and_of_an_own_table(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "forecast")
    city = encode(core.examples.city(), core.examples.city_schema())
    leads(page, partition(city, Policy(5), MY_ALGORITHM), 5000)
    shows(page, forecast(partition(city, Policy(5), MY_ALGORITHM)))
    rig.set_slider(page, "People per class (k)", "20")
    leads(page, partition(city, Policy(20), MY_ALGORITHM), 5000)
    shows(page, forecast(partition(city, Policy(20), MY_ALGORITHM)))
    page.get_by_role("tab", name="Forecast against simulation").click()
    page.get_by_text("percentage points").first.wait_for()
    page.get_by_role("tab", name="What each column adds").click()
    rig.wait_idle(page)
    with narrow_and_dark(page):
        nothing_hangs_over(page)

    rig.open_page(page, "Data")
    content = own_table()
    rig.upload(page, "Load your own table", "mine.csv", content)
    rig.click(page, "Use this table")
    table = read_table(content)
    release = partition(encode(table, propose(table).schema), Policy(20), MY_ALGORITHM)
    rig.open_page(page, "Forecast")
    shows(page, forecast(release))

    rig.choose(page, "Population statistics", "From a file of mine")
    for rows, said in (
        ("diagnosis,A,-0.5\ndiagnosis,B,1.5\n", "not a number from 0 to 1"),
        ("diagnosis,A,0.5\ndiagnosis,B,0.2\n", "sum to 0.7"),
        ("diagnosis,neverseen,1\n", "the table does not have"),
    ):
        rig.upload(page, "Load population statistics", "bad.csv", f"column,value,share\n{rows}".encode())
        page.get_by_test_id("stAlert").get_by_text(said).wait_for()
        assert "neverseen" not in page.get_by_test_id("stMain").inner_text()
        shows(page, forecast(release))
    good = b"column,value,share\ndiagnosis,A,0.4\ndiagnosis,B,0.3\ndiagnosis,C,0.3\nsex,f,0.7\nsex,m,0.3\n"
    rig.upload(page, "Load population statistics", "town.csv", good)
    page.get_by_text("is in use").first.wait_for()
    shows(page, forecast(release, Marginals.read(good, release.encoded)))

    name, classes = rig.download(page, "Download the classes as CSV")
    assert name.endswith(".csv")
    assert len(read_table(classes)) == release.classes.count
    rig.click(page, "Take it away")
    shows(page, forecast(release))

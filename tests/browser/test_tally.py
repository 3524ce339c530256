"""A tally from its upload to the number of the attack."""

from pathlib import Path

from playwright.sync_api import Page

from core import Policy, Tally, examples
from core.algorithms import partition
from core.data.encoding import encode
from core.data.proposal import propose
from core.data.reading import read_table
from core.data.reading.tallies import roles_of
from core.lake.output import write_tally
from pages.attack import effect
from tests.browser import rig
from tests.browser.strip import headline, reads, strip_shows
from tests.pages.drive import MY_ALGORITHM, usual


def test_a_tally_is_loaded_released_and_attacked(page: Page, app: rig.App, tmp_path: Path) -> None:
    city, schema = examples.city(2_000), examples.city_schema()
    columns = [*schema.quasi_identifiers, schema.sensitive]
    once = Tally.of(city, columns)
    tally = Tally.of(once.table, columns, once.counts * 20)
    path = tmp_path / "tally.parquet"
    write_tally(tally, path, sensitive=schema.sensitive)

    rig.visit(page, app, "data")
    rig.upload(page, "Load your own table", path.name, path.read_bytes(), "application/octet-stream")
    page.get_by_text("a tally of").first.wait_for()
    rig.click(page, "Use this table")
    strip_shows(page, "40 000 records")

    roles = roles_of(read_table(path))
    encoded = encode(tally, propose(tally, roles=roles).schema)
    rig.open_page(page, "Release")
    rig.set_slider(page, "People per class (k)", "50")
    release = partition(encoded, Policy(50), MY_ALGORITHM)
    strip_shows(page, rf"(?m)^(measured )?k\s+{release.sizes.min()}$")
    name, content = rig.download(page, "Download as counts")
    assert name.endswith(".csv")
    counts = read_table(content).column("count")
    assert int(sum(int(label) * number for label, number in zip(counts.labels, counts.counts, strict=True))) == 40_000

    rig.open_page(page, "If others publish")
    rig.set_number(page, "Shared people (overlap), exact", 2000)
    wanted = headline(encoded, usual(Policy(50), 2000), 0.25)
    reads(page, effect.label(1.0), wanted[1.0])

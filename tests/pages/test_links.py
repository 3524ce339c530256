"""The address of a page holds numbers and fixed words, whatever a table is called and whatever is in it."""

import re

import pandas as pd
import pytest

from core import Schema, Table
from core.base.metrics import METRICS
from pages.shared import links
from tests.hostile import HOSTILE
from tests.pages.drive import loaded

PAGES = ["data", "release", "hospitals", "attack", "forecast", "beliefs", "providers", "noise", "review"]
NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?")


def hostile_table() -> tuple[Table, Schema]:
    """A table whose every name and value is a marker, nine and more letters long, beside hostile text."""
    rows = 60
    values = {
        f"zzmarkqid {HOSTILE[8]}": [f"zzmarkvalue{i % 6} {HOSTILE[i % 5]}" for i in range(rows)],
        "zzmarkother": [str(i % 9) for i in range(rows)],
        f"zzmarksecret {HOSTILE[7]}": [f"zzmarkdiagnosis{i % 7} {HOSTILE[11]}" for i in range(rows)],
    }
    names = list(values)
    return Table.from_frame(pd.DataFrame(values)), Schema(names[:2], names[2])


@pytest.mark.parametrize("page", PAGES)
def test_the_address_holds_numbers_and_fixed_words_alone(page: str) -> None:
    limits = {"k": 3, "perfect": 0.2, "loss": 0.9}
    choices = {"my_k": 4, "overlap": 11, "confidence": 0.5, "seed": 3, "repeats": 2, "my_algorithm": "mdav"}
    app = loaded(*hostile_table(), f"pages/{page}/page.py", **choices, requirements=limits).run()
    address = {name: str(part) for name, part in app.query_params.items()}
    assert address.pop("table") == "own", "no address names this table"
    words = {word for setting in links.offered().values() for word in setting.texts or ()}
    known = set(links.offered())
    known |= {f"{links.LIMIT}{name}" for name in METRICS}
    assert (address["k"], address["overlap"], address["algorithm"]) == ("4", "11", "mdav")
    assert set(address) <= known
    assert [part for part in address.values() if part not in words and not NUMBER.fullmatch(part)] == []
    assert "zzmark" not in repr(address)

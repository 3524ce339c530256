"""A table whose cells are found again wherever they are."""

from tests.source import ROOT

APP = ROOT / "app.py"
MARKER = "UNMISTAKABLE"


def people(records: int, marker: str = MARKER) -> bytes:
    """Return a table as CSV in which every name holds the marker and nothing else does."""
    rows = (f"{marker}{i},{20 + i % 60},{10_000 + i % 97},{('flu', 'cold', 'asthma')[i % 3]}\n" for i in range(records))
    return ("name,age,zip,illness\n" + "".join(rows)).encode()

"""The classes of a release as rows of a table on a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core import Release
from core.release.region_text import region_text
from pages.shared.ui.text import safe

MOST_ROWS = 50_000


def class_of_row(event: Any, numbers: Sequence[int]) -> int | None:
    """The class of the selected row in a table with one row per class; ``None`` if no row is selected."""
    rows = event["selection"]["rows"]
    return int(numbers[rows[0]]) if rows else None


def region_rows(release: Release, number: int) -> pd.DataFrame:
    """The cells of one class as Markdown texts: quasi-identifier, as published.

    If centroids are published, the last column is the range of the people in the class, which is not published.
    """
    lines, more = [], tuple[str, ...]()
    for i, domain in enumerate(release.encoded.qids):
        ends = (part[number, i].item() for part in release.regions)
        texts, which = release.region_codes(i)
        if release.publishes_centroids:
            more = (safe(region_text(domain, *ends), 160),)
        lines.append((safe(domain.name, 40), f"**{safe(texts[which[number]], 160)}**", *more))
    columns = ["Quasi-identifier", "Published as"]
    return pd.DataFrame(lines, columns=columns + ["From, to (not published)"] * release.publishes_centroids)

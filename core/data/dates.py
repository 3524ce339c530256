"""Texts that are written like dates, and whether their alphabetical order is that of time."""

from __future__ import annotations

import re
from collections.abc import Sequence

DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}([T ].*)?")
YEAR_FIRST = re.compile(r"\d{4}([-/.])\d{2}\1\d{2}([T ].*)?")
"""Year, month and day in this order and with leading zeros: sorted as text, such dates are sorted by time."""


def looks_like_dates(labels: Sequence[str]) -> bool:
    """Whether nearly all texts are written like a date, such as 2024-01-31 or 31.1.2024."""
    seen = _some(labels)
    return len(seen) > 0 and sum(DATE.fullmatch(label) is not None for label in seen) >= 0.9 * len(seen)


def sorted_by_time(labels: Sequence[str]) -> bool:
    """Whether the alphabetical order of texts that look like dates is the order of time."""
    dates = [label.strip() for label in labels if DATE.fullmatch(label.strip())]
    return all(YEAR_FIRST.fullmatch(date) for date in dates) and len({date[4] for date in dates}) <= 1


def _some(labels: Sequence[str]) -> list[str]:
    return [label.strip() for label in labels[:: max(1, len(labels) // 500)] if label.strip()]

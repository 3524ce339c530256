"""Whether the numbers of a table have a decimal point or a decimal comma."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.base.errors import shown_name as shown
from core.data.table import NUMBER, Column

THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


def decimal_mark(columns: Iterable[Column], point_is_decimal: bool = False) -> tuple[str, list[str]]:
    """Tell whether numbers have a decimal comma or point, and say so where it cannot be told."""
    if point_is_decimal:
        return ".", []
    certain, doubtful, points = False, "", False
    for column in columns:
        filled = [label for label in column.labels if label]
        if _are_numbers(filled, ","):
            commas = [label for label in filled if "," in label]
            if all(THOUSANDS.fullmatch(label) for label in commas):
                doubtful = doubtful or column.name
            else:
                certain = True
        elif _are_numbers(filled, "."):
            points = True
    if certain and not points:
        return ",", []
    if doubtful and not points:
        return ".", [
            f"Commas in the numbers of {shown(doubtful)} may be thousands or decimal marks; check the decimal mark."
        ]
    return ".", []


def _are_numbers(labels: Iterable[str], mark: str) -> bool:
    """Whether all are plain numbers and some has a decimal mark."""
    other = "." if mark == "," else ","
    some = False
    for label in labels:
        text = label.strip()
        if other in text or not NUMBER.fullmatch(text.replace(mark, ".")):
            return False
        some = some or mark in text
    return some

"""Read numbers written as text, and detect whether a table has a decimal point or a decimal comma."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from core.base.errors import shown_name as shown
from core.data.tables.column import Column

_COMMA = str.maketrans({",": ".", ".": "?"})
NUMBER = re.compile(r"[+-]?(?:\d+(?:[.]\d*)?|[.]\d+)(?:[eE][+-]?\d{1,4})?")
LEADING_ZERO = re.compile(r"[+-]?0\d")


def parse_numbers(labels: Iterable[str], decimal: str = ".") -> NDArray[np.float64]:
    """Read texts as numbers; other texts become NaN, and an overflow becomes infinity.

    Only plain decimal and exponent forms count: ``12``, ``-0.5``, ``1e3`` (``1,5`` with
    decimal comma). Words such as ``inf`` or ``nan`` are not numbers, nor are whole numbers above
    2^53 that a real number does not hold exactly.
    """
    # With a decimal comma a point can only group thousands, which is not read.
    texts = [text.strip().translate(_COMMA) if decimal == "," else text.strip() for text in labels]
    return np.array(
        [float(text) if NUMBER.fullmatch(text) and not is_rounded(text) else np.nan for text in texts], dtype=np.float64
    )


def is_rounded(text: str) -> bool:
    """Whether a whole number above 2^53 would be read as a neighbour of it."""
    return len(text) > 15 and text.lstrip("+-").isdecimal() and Decimal(text) != float(text)


def looks_numeric(labels: Iterable[str], decimal: str = ".") -> bool:
    """Whether every text is a number and none has a leading zero (a code such as 01234 has)."""
    texts = list(labels)
    if not texts or any(LEADING_ZERO.match(text.strip()) for text in texts):
        return False
    return bool(np.isfinite(parse_numbers(texts, decimal)).all())


THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:\.\d{3})+(,\d+)?|(?:,\d{3})+(\.\d+)?)")
"""A number with thousands separators; one that also has a decimal mark is unambiguous."""


def decimal_mark(columns: Iterable[Column], point_is_decimal: bool = False) -> tuple[str, list[str]]:
    """Detect a decimal comma or point in numbers, and report ambiguity."""
    certain, doubtful, points = False, "", False
    grouped: dict[str, str] = {}
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
        elif mark := _grouped_with(filled):
            grouped.setdefault(mark, column.name)
            certain, points = certain or mark == ",", points or mark == "."
    decimal = "," if certain and not points and not point_is_decimal else "."
    remarks = []
    if decimal in grouped:
        remarks.append(f"Thousands separators in the numbers of {shown(grouped[decimal])} are left out.")
    if doubtful and not (point_is_decimal or points or certain):
        remarks.append(
            f"Commas in the numbers of {shown(doubtful)} may be thousands or decimal marks; check the decimal mark."
        )
    return decimal, remarks


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


def _grouped_with(labels: Iterable[str]) -> str:
    """The decimal mark of a column of numbers with thousands separators; "" for any other column."""
    marks, grouped = set(), False
    for label in labels:
        text = label.strip()
        if form := GROUPED.fullmatch(text):
            # Repeated separators of one sort are not decimal marks.
            marks.add("," if form[1] or text.count(".") > 1 else "." if form[2] or text.count(",") > 1 else "")
            grouped = True
        elif NUMBER.fullmatch(text.replace(",", ".")):
            marks.add("," if "," in text else "." if "." in text else "")
        else:
            return ""
    marks.discard("")
    return marks.pop() if grouped and len(marks) == 1 else ""

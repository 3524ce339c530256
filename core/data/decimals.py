"""Whether the numbers of a table have a decimal point or a decimal comma."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.base.errors import shown_name as shown
from core.data.table import NUMBER, Column

THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
GROUPED = re.compile(r"[+-]?\d{1,3}(?:(?:\.\d{3})+(,\d+)?|(?:,\d{3})+(\.\d+)?)")
"""A number with thousands separators; with a decimal mark, too, it is sure to be one."""


def decimal_mark(columns: Iterable[Column], point_is_decimal: bool = False) -> tuple[str, list[str]]:
    """Tell whether numbers have a decimal comma or point, and say so where it cannot be told."""
    certain, doubtful, grouped, points = False, "", "", False
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
            grouped = grouped or column.name
            certain, points = certain or mark == ",", points or mark == "."
    remarks = []
    if grouped:
        remarks.append(
            f"Numbers of {shown(grouped)} have thousands separators and are read as text; export them without."
        )
    if point_is_decimal:
        return ".", remarks
    if certain and not points:
        return ",", remarks
    if doubtful and not points:
        remarks.append(
            f"Commas in the numbers of {shown(doubtful)} may be thousands or decimal marks; check the decimal mark."
        )
    return ".", remarks


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
    """The decimal mark of a column of numbers of which some have thousands separators, too; "" of any other."""
    mark = ""
    for label in labels:
        text = label.strip()
        if form := GROUPED.fullmatch(text):
            mark = mark or ("," if form[1] else "." if form[2] else "")
        elif not NUMBER.fullmatch(text.replace(",", ".")):
            return ""
    return mark

"""Numbers and names as a report writes them; pages take count, share and spaces from here too."""

from __future__ import annotations

import math
from typing import Any

from core.metrics import MORE, Metric

THIN = "\N{NARROW NO-BREAK SPACE}"
PERCENT = "\N{NO-BREAK SPACE}%"
TO = "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}"
NONE = "–"
SOURCE = {
    "resampled": "another organisation like mine, made up of people like those in the table",
    "simulated": "simulated from a part of the table",
    "independent": "modelled as strangers whose attributes have nothing to do with each other",
    "conditional": "modelled as strangers with the sensitive values of people like them",
    "raw": "a real table of another organisation, anonymised here as it is assumed to do it",
    "published": "a real release of another organisation",
}
LOCATE = {
    "default": "by class; by the published averages where a release has those",
    "assumed": "by class, taken as known",
    "published": "by the published regions alone",
}
DOUBTS = {
    "overlap": "People in all releases",
    "their k": "People per class (k) at the others",
    "releases": "Organisations that publish",
    "agreement": "Same sensitive value at the others",
}
BETTER = {"less": "lower", "more": "higher", "": "neither"}


def count(number: float) -> str:
    """A whole number with thin separators."""
    return f"{round(number):,}".replace(",", THIN)


def percent(share: float | None) -> str:
    """A share as a percentage: one decimal, and never 0 % for something or 100 % for less than all."""
    if share is None or math.isnan(share):
        return NONE
    if 0 < share < 0.0005:
        return f"under 0.1{PERCENT}"
    if 0.9995 <= share < 1:
        return f"over 99.9{PERCENT}"
    return f"{100 * share:.1f}{PERCENT}"


def of_hundred(share: float) -> tuple[int, str]:
    """A share as people of a hundred: how many, and in words; never none for something, nor all for less than all.

    Shares from 0 to 1. "about" stands before what was rounded.
    """
    people = round(100 * share)
    if people == 0 and share > 0:
        return 0, "fewer than 1"
    if people >= 100 and share < 1:
        return 99, "more than 99"
    exact = math.isclose(100 * share, people, abs_tol=1e-9)
    return people, str(people) if exact else f"about {people}"


def number(value: float) -> str:
    """A real number to two decimals, large ones to one."""
    return f"{value:,.{1 if abs(value) >= 100 else 2}f}".replace(",", THIN)


def plain_number(value: Any) -> str:
    """A setting as it was given: whole numbers with separators, others as short as they are."""
    if isinstance(value, int) or float(value).is_integer():
        return count(value)
    return f"{float(value):.12g}"


def limit_text(limit: float, kind: str) -> str:
    """A limit as it was set, never rounded."""
    return f"{float(100 * limit):.10g}{PERCENT}" if kind == "share" else plain_number(float(limit))


def value_text(value: float | None, kind: str) -> str:
    """A number of a metric in its unit."""
    if value is None:
        return NONE
    return {"share": percent, "count": count, "number": number}[kind](value)


def span(low: float | None, high: float | None, kind: str = "share") -> str:
    """The 95 % interval; a dash where the number has no interval."""
    if low is None or high is None:
        return NONE
    if kind == "share":
        return f"{100 * low:.1f}{TO}{100 * high:.1f}{PERCENT}"
    return f"{value_text(low, kind)}{TO}{value_text(high, kind)}"


def asks(metric: Metric, limit: float) -> str:
    """A requirement in words: "at most 10 %"."""
    return f"at {'least' if metric.better == MORE else 'most'} {limit_text(limit, metric.kind)}"


def met_text(verdict: str | None) -> str:
    """Words for a verdict on one requirement."""
    return "not assessed" if verdict is None else verdict


def left(confidence: float) -> str:
    """A confidence level in plain words."""
    most = math.floor(1 / confidence + 1e-9)
    return "one value left" if most == 1 else f"at most {most} values left"


def confidence_text(confidence: float) -> str:
    """A confidence level in percent, as it was chosen."""
    return f"{float(100 * confidence):.4g}{PERCENT}"


def setting_text(assumption: str, value: Any) -> str:
    """The value of an assumption that is tried."""
    return f"{float(100 * value):.4g}{PERCENT}" if assumption == "agreement" else plain_number(value)


def several(many: int, one: str, more: str | None = None) -> str:
    """A number of things: "1 file", "2 files"."""
    return f"{count(many)} {one if many == 1 else more or one + 's'}"


def listed(texts: list[str]) -> str:
    """Join texts: "a, b and c"."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""


def level_text(confidence: float) -> str:
    """Words for a confidence level: "100 % (1 value left)"."""
    most = math.floor(1 / confidence + 1e-9)
    return f"C = {100 * confidence:.0f} % ({most} {'value' if most == 1 else 'values'} left)"

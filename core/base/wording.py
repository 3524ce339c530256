"""Numbers, limits, assumptions and sources in words, for pages, reports and the command line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from core.base.errors import shown_name
from core.base.metrics import METRICS, MORE

LOCALE = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""], "percent": "%"}
"""How charts write numbers, as d3's locale of formats: as texts do."""
TO = "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}"
IS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"
TIMES = "\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}"
NONE = "–"
DISAGREE = (
    "If the others say something else about a person, fewer values are left. Some people then count as exposed, often "
    "wrongly; for others nothing is left, and they no longer count."
)
"""Note for every range over the same-value rate."""
SEVERAL_PROTECTED = (
    "Several columns are protected. Exposed counts whoever is exposed in any of them; l and t, hit rates, the weighted "
    "adversary, claims, anonymity sets and the estimate are of their combinations, the joint value."
)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SOURCE = {
    "resampled": "another hospital like mine, made up of people like those in the table",
    "simulated": "simulated from a part of the table",
    "published": "a real release of another hospital",
    "identified": "a real release with the person of each row known, such as an earlier one of mine",
    "own": "my own records, counted in a table that is published next to my release",
}
SHORT_SOURCE = {
    "resampled": "people like mine",
    "simulated": "part of my table",
    "published": "their release",
    "identified": "release with identifiers",
    "own": "my own records",
}
STATISTICS = {
    "table": "from the table, column by column",
    "joint": "from the table's own classes",
    "file": "from a file",
}
"""Source of value frequencies in a forecast."""
LOCATE = {"assumed": "known in every release", "published": "read off what is published in every release"}
"""How the adversary comes to know a person's class."""


ASSUMPTIONS = {
    "overlap": "People in all releases",
    "their k": "People per class (k) at the others",
    "releases": "Hospitals that publish",
    "same_value_rate": "Same sensitive value at the others",
    "case_mix": "Case mix of the others",
}
"""Assumptions that *What if my assumptions are wrong?* varies, one at a time."""
IF = {
    "overlap": "{} people are shared",
    "their k": f"the others publish with k{IS}{{}}",
    "releases": "{} hospitals publish",
    "same_value_rate": "{} have the same value elsewhere",
    "case_mix": "the case mix of the others is {}",
}
"""The same assumptions as the condition of a sentence: what would be so instead."""
BETTER = {"less": "lower", "more": "higher", "": "neither"}
SAME = 1e-12
"""Shares that differ by no more than this count as equal."""


def count(number: float) -> str:
    """Format a whole number: "5,000"."""
    return f"{round(number):,}"


def percent(share: float | None) -> str:
    """Format a share as a percentage: one decimal, never 0% for a positive share or 100% for less than all."""
    if share is None or math.isnan(share):
        return NONE
    if 0 < share < 0.0005:
        return "under 0.1%"
    if 0.9995 <= share < 1:
        return "over 99.9%"
    return f"{100 * share:.1f}%"


def of_hundred(share: float) -> tuple[int, str]:
    """Express a share as people out of a hundred, as a number and in words; only 0 is none, and only 1 is all.

    Shares from 0 to 1. "about" marks rounded shares.
    """
    people = round(100 * share)
    if people == 0 and share > 0:
        return 0, "fewer than 1"
    if people >= 100 and share < 1:
        return 99, "more than 99"
    exact = math.isclose(100 * share, people, abs_tol=1e-9)
    return people, str(people) if exact else f"about {people}"


def whole_percent(share: float) -> str:
    """Format a share in whole per cent, for chosen or round numbers: "25%"."""
    return f"{100 * share:.0f}%"


def number(value: float, decimals: int | None = None) -> str:
    """Format a real number with ``decimals`` decimals: by default two, large ones one; infinity as a word."""
    if math.isinf(value):
        return "unlimited"
    digits = decimals if decimals is not None else 1 if abs(value) >= 100 else 2
    return f"{value:,.{digits}f}"


def power(value: float, digits: int = 3) -> str:
    """Format with ``digits`` significant digits; very small or large values, such as a δ, as "3 × 10⁻⁶"."""
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    if not exponent:
        return mantissa
    ten = f"10{str(int(exponent)).translate(_RAISED)}"
    return ten if mantissa == "1" else f"{mantissa}{TIMES}{ten}"


def plain_number(value: Any) -> str:
    """Format a setting as it was given: whole numbers with separators, others in shortest form."""
    if isinstance(value, int) or float(value).is_integer():
        return count(value)
    return f"{float(value):.12g}"


def limit_text(limit: float, unit: str) -> str:
    """Format a limit as it was set, never rounded."""
    return f"{float(100 * limit):.10g}%" if unit == "share" else plain_number(float(limit))


def points(share: float) -> str:
    """Format a difference of shares: "0.3 points"."""
    return f"{float(100 * share):.4g} point{'' if round(100 * share, 9) == 1 else 's'}"


def value_text(value: float | None, unit: str) -> str:
    """A number of a metric in its unit."""
    if value is None:
        return NONE
    return {"share": percent, "count": count, "number": number}[unit](value)


def span(low: float | None, high: float | None, unit: str = "share", without: str = NONE) -> str:
    """The 95% interval; ``without`` if the number has none."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return without
    if unit == "share":
        return f"{100 * low:.1f}%{TO}{100 * high:.1f}%"
    return f"{value_text(low, unit)}{TO}{value_text(high, unit)}"


def metric_name(name: str, confidence: float | None = None) -> str:
    """Name of a metric, with its confidence if one is given."""
    words = METRICS[name].words
    return words if confidence is None else words.replace(" C", f" {at_confidence(confidence)}", 1)


def metric_value(name: str, value: float) -> str:
    """A value of a metric in its unit; no number of providers at all is a word."""
    return "none" if name == "m" and value < 0 else value_text(value, METRICS[name].unit)


def in_full(name: str, text: str, of: str) -> str:
    """Format a value with its context if the metric does not imply it: a ceiling's tables, the distance of t."""
    if name == "t":
        return f"{text}, {of.rpartition(', ')[2]}"
    return f"{text}, {of}" if name == "dp_ceiling" else text


def text_at_limit(name: str, value: float, limit: float) -> str:
    """Format a metric next to its limit, with up to three more decimals, enough to see whether it meets the limit."""
    metric, text = METRICS[name], metric_value(name, value)
    factor = 100 if metric.unit == "share" else 1
    usual = text.removesuffix("%").replace(",", "")
    if metric.unit == "count" or not usual.replace(".", "", 1).isdigit() or not math.isfinite(limit):
        return text
    decimals = len(usual.partition(".")[2])
    for digits in range(decimals, decimals + 4):
        shown = round(factor * value, digits)
        text = f"{number(shown, digits)}{'%' if factor > 1 else ''}"
        if metric.meets(shown / factor, limit) == metric.meets(value, limit):
            break
    return text


def limit_words(name: str, limit: float) -> str:
    """A limit on a metric: "at most 10%"."""
    metric = METRICS[name]
    return f"at {'least' if metric.better == MORE else 'most'} {limit_text(limit, metric.unit)}"


def with_limit(name: str, limit: float) -> str:
    """A metric and its limit: "Information loss: at most 10%"."""
    return f"{metric_name(name)}: {limit_words(name, limit)}"


class ComparedNumber(Protocol):
    """A number with its interval and what it must be compared with, as :class:`core.decision.review.Number` is."""

    @property
    def low(self) -> float | None:
        """Lower end of the interval."""

    @property
    def high(self) -> float | None:
        """Upper end of the interval."""

    @property
    def redraws(self) -> int | None:
        """Number of random draws behind the number; ``None`` if there is no randomness."""

    @property
    def wrong(self) -> float | None:
        """The part of a share of people with an incorrect inference."""

    @property
    def single(self) -> float | None:
        """The same from the best single release alone."""

    @property
    def guess(self) -> float | None:
        """The same from guessing the most common value for everyone."""


def interval_words(name: str, measured: ComparedNumber) -> str:
    """The interval of a metric's number in words; the number of draws if they are too few; else ""."""
    metric = METRICS[name]
    if measured.low is not None and measured.high is not None:
        return f"95% interval {span(measured.low, measured.high, metric.unit)}"
    return "" if measured.redraws is None else f"{several(measured.redraws, 'draw')}, no interval"


def baselines(measured: ComparedNumber) -> list[str]:
    """Baselines of a share: false disclosures, the best single release, guessing."""
    words = [f"{percent(measured.wrong)} of all are false disclosures"] if (measured.wrong or 0) > SAME else []
    words += [] if measured.single is None else [f"best single release {percent(measured.single)}"]
    return words + ([] if measured.guess is None else [f"guessing the most common {percent(measured.guess)}"])


def of_column(column: str) -> str:
    """Name of the share with one value left in one of several sensitive columns, or for "" of their joint value."""
    return f"One value left of {shown_name(column)}" if column else "One joint value left"


def change(name: str, value: float, reference: float) -> str:
    """The difference of a metric to a reference, with its sign; shares in percentage points.

    What reads the same is no difference.
    """
    if metric_value(name, value) == metric_value(name, reference):
        return "no difference"
    unit = METRICS[name].unit
    difference, unit = value - reference, ""
    if unit == "share":
        difference, unit = 100 * difference, " points"
    size = count(abs(difference)) if unit == "count" else number(abs(difference), 1 if unit == "share" else 2)
    if not any(digit in "123456789" for digit in size):
        # It rounds to 0: 0.00 is written as under 0.01.
        return f"difference under {size[:-1]}1{unit}"
    sign = "+" if difference > 0 else "−"
    return f"difference {sign}{size}{unit}"


def met_text(verdict: str | None) -> str:
    """Words for a verdict on one requirement."""
    return "not assessed" if verdict is None else verdict


def left(confidence: float) -> str:
    """Describe a confidence level in plain words."""
    most = math.floor(1 / confidence + 1e-9)
    return "one value left" if most == 1 else f"at most {most} values left"


def confidence_text(confidence: float) -> str:
    """A confidence level in percent, as it was chosen."""
    return f"{float(100 * confidence):.4g}%"


def at_confidence(confidence: float) -> str:
    """A confidence level with its symbol, kept on one line: "C = 25%"."""
    return f"C{IS}{confidence_text(confidence)}"


def setting_text(assumption: str, value: Any) -> str:
    """Format the tried value of an assumption."""
    if assumption == "case_mix":
        return "like mine" if value == 0 else "not like mine" if value == 1 else f"unlike mine by {value:.3g}"
    return f"{float(100 * value):.4g}%" if assumption == "same_value_rate" else plain_number(value)


def otherwise(assumption: str, text: str, fewer: bool) -> str:
    """The condition "if ..." under which an assumption is wrong: "only 1,000 people are shared".

    Parameters
    ----------
    assumption
        Key of :data:`IF`.
    text
        What would be so instead, as it is written.
    fewer
        Whether that is less than what is assumed.
    """
    words = IF[assumption].format(text)
    return f"only {words}" if fewer and assumption not in ("their k", "case_mix") else words


def people(many: float) -> str:
    """Format a number of people: "1 person", "2 people"; "fewer than 1 person" for a part of one."""
    return f"{headcount(many)} person" if many > 0 and not round(many) else several(round(many), "person", "people")


def headcount(many: float) -> str:
    """Format a number of people without the noun; a fraction, such as a mean over draws, is never shown as 0."""
    return "fewer than 1" if many > 0 and not round(many) else count(many)


def several(many: int, single: str, more: str | None = None) -> str:
    """A number of things: "1 file", "2 files"."""
    return f"{count(many)} {single if many == 1 else more or single + 's'}"


def listed(texts: list[str], last: str = "and") -> str:
    """Join texts: "a, b and c"."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}" if texts else ""


def without_effect(places: Sequence[int], names: Mapping[int, str] | None = None) -> str:
    """Name the hospitals' files, by their place in a study, that match almost no one; with their names if given."""
    of = [f"hospital {place + 1}{f' ({names[place]})' if names else ''}" for place in places]
    it = "it rules" if len(of) == 1 else "they rule"
    files = "a class of the file of" if len(of) == 1 else "a class of the files of"
    return f"Almost none of my records match {files} {listed(of)}, so {it} out nothing for anyone."


def level_text(confidence: float) -> str:
    """Label of a confidence level: the number of values left, and the symbol unless it is one value."""
    return left(confidence) if confidence == 1 else f"{left(confidence)} ({at_confidence(confidence)})"

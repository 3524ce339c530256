"""Names and numbers as a page writes them; :mod:`core.base.wording` writes counts and shares, as in a report."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from core.base.wording import SAME, at_confidence, count, headcount, number, people, percent, span, whole_percent

__all__ = [
    "at_confidence",
    "count",
    "draws",
    "headcount",
    "interval",
    "listed",
    "number",
    "people",
    "percent",
    "plain",
    "safe",
    "sentence",
    "share_context",
    "whole_percent",
    "wrongly",
]

_MARKS = set("\\`*_{}[]()#+-.!|<>~$:&")
# Markdown turns these into links, escaped or not: http://, www., name@host.
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)
_OPTION = re.compile(r" \(--[a-z][^()]*\)")
_TOGETHER = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_NO_LINK = "\N{WORD JOINER}"


def safe(text: object, most: int = 60) -> str:
    """Escape a name or value from a file for Markdown: no images, links, HTML, formulas or colours.

    Line breaks and other control characters become spaces; long texts are cut. An invisible
    character keeps bare addresses from becoming links.
    """
    flat = "".join(ch if ch.isprintable() or ch in _TOGETHER else " " for ch in str(text))
    flat = flat if len(flat) <= most else flat[: most - 1] + "…"
    return "".join("\\" + ch if ch in _MARKS else ch for ch in _ADDRESS.sub(_NO_LINK, flat))


def plain(text: object, most: int = 60) -> str:
    """Cut a name or value to one short line, for a widget that shows text unchanged."""
    flat = "".join(ch if ch.isprintable() else " " for ch in str(text))
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def sentence(message: str, most: int = 1000) -> str:
    """A message of core for Markdown, without the options of the command line that it names in brackets."""
    return safe(_OPTION.sub("", message), most)


def interval(low: float | None, high: float | None) -> str:
    """The 95% interval of a share, in percent; empty if there is none."""
    return span(low, high, without="")


def share_context(row: pd.Series) -> tuple[str, str]:
    """Context of a share in a sweep: people and interval, then the best single release and false disclosures."""
    reach = interval(row["low"], row["high"])
    drawn = f"95% interval {reach}" if reach else draws(row["repeats"])
    return (
        f"of {count(row['n'])} shared people; {drawn}.",
        f"Best single release {percent(row['single'])}.{wrongly(row['wrong'], row['right'])}",
    )


def wrongly(wrong: float, right: float) -> str:
    """State the share with an incorrect inference, and the true disclosures; empty if there is none."""
    if not wrong > SAME:
        return ""
    return f" {percent(wrong)} of all are false disclosures; true disclosures **{percent(right)}**."


def draws(repeats: float) -> str:
    """Number of draws of the hospitals behind a number."""
    return "one draw of the hospitals" if repeats == 1 else f"mean of {int(repeats)} draws of the hospitals"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, safe for Markdown: "age, sex and zip code"."""
    shown = [safe(name, 40) for name in names]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)

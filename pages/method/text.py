"""The texts of Overview and Method, kept as Markdown in assets/ and filled with facts of the program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core import examples
from core.anonymize.microaggregation import BLOCK_ROWS, EXACT_ROWS
from core.hospitals import MAX_RELEASES
from core.policy import TOLERANCE
from core.rates import MIN_REDRAWS
from core.table import DEFAULT_LIMITS
from pages._ui.text import count

ASSETS = Path(__file__).parents[2] / "assets"

OUTLINE: Mapping[str, tuple[str, ...]] = {
    "Before you rely on a number": ("limits", "numbers"),
    "What is measured": ("tables", "models", "attack"),
    "How it is worked out": (
        "mondrian",
        "microaggregation",
        "study",
        "utility",
        "calibration",
        "forecast",
        "beliefs",
        "providers",
        "differential_privacy",
        "report",
        "paper_comparison",
        "providers_comparison",
    ),
    "Background": ("errata", "city", "privacy", "sources"),
}
"""Sections of the Method page by group; one whose file is not there is left out."""


@dataclass(frozen=True)
class Section:
    """One section: what it is called, its first line, and the rest."""

    name: str
    title: str
    lead: str
    body: str


def parts(text: str) -> dict[str, str]:
    """Split a Markdown text at its headings of the first level."""
    found: dict[str, list[str]] = {}
    here: list[str] = []
    for line in text.splitlines():
        if line.startswith("# "):
            here = found.setdefault(line[2:].strip(), [])
        else:
            here.append(line)
    return {title: "\n".join(lines).strip() for title, lines in found.items()}


def fill(text: str, facts: Mapping[str, object]) -> str:
    """Put facts in the place of their names, written as ``{{name}}``."""
    for name, fact in facts.items():
        text = text.replace("{{" + name + "}}", str(fact))
    return text


def overview() -> dict[str, str]:
    """Every text of the Overview page by its heading, facts still to be filled in."""
    return parts((ASSETS / "overview.md").read_text(encoding="utf-8"))


def facts() -> dict[str, str]:
    """Constants of the program that the texts name, read where the program reads them."""
    limits = DEFAULT_LIMITS
    return {
        "tolerance": f"$10^{{{round(math.log10(TOLERANCE))}}}$",
        "min_redraws": str(MIN_REDRAWS),
        "max_releases": str(MAX_RELEASES),
        "ttl": str(st.get_option("server.disconnectedSessionTTL")),
        "megabytes": count(limits.bytes / 1_000_000),
        "rows": count(limits.rows),
        "columns": count(limits.columns),
        "cell": count(limits.cell),
        "exact_rows": count(EXACT_ROWS),
        "block_rows": count(BLOCK_ROWS),
        **{f"erratum_{example.name}": example.erratum for example in examples.worked_examples()},
        "erratum_colluding_hospitals": examples.colluding_hospitals().erratum,
        "erratum_dons_beliefs": examples.dons_beliefs().erratum,
    }


def in_short() -> str:
    """Return what the Method page says before anything else."""
    return (ASSETS / "method" / "in_short.md").read_text(encoding="utf-8")


def section(name: str) -> Section | None:
    """Read one section of the Method page; ``None`` if there is no such file."""
    file = ASSETS / "method" / f"{name}.md"
    if not file.is_file():
        return None
    text = file.read_text(encoding="utf-8")
    if not text.startswith("# "):
        text = f"# {name.replace('_', ' ').capitalize()}\n\n{text}"
    title, _, rest = text[2:].partition("\n")
    lead, _, body = rest.strip().partition("\n\n")
    if lead.startswith(("|", "- ", "#")):  # no first line: a table or a list comes at once
        lead, body = "", rest
    if name == "city":
        body = f"{body.strip()}\n\n{examples.CITY_NOTES}"
    return Section(name, title.strip(), lead.strip(), fill(body.strip(), facts()))


def sections() -> dict[str, list[Section]]:
    """Every section that is there, by group."""
    return {
        group: [found for name in names if (found := section(name)) is not None] for group, names in OUTLINE.items()
    }

"""The texts of Start and Method, kept as Markdown in assets/ and filled with facts of the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core import examples
from core.base.assets import ASSETS, fill
from pages.shared.ui.asset_texts import facts

OUTLINE: Mapping[str, tuple[str, ...]] = {
    "Before you rely on a number": ("limits", "numbers"),
    "What is measured": ("tables", "persons", "models", "attack", "risk"),
    "How it is computed": (
        "mondrian",
        "least_loss",
        "microaggregation",
        "study",
        "worlds",
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
"""Sections of the Method page by group."""


@dataclass(frozen=True)
class Section:
    """One section: its title, its first line, and the rest."""

    name: str
    title: str
    lead: str
    body: str


def in_short() -> str:
    """Return what the Method page says before anything else."""
    return (ASSETS / "method" / "in_short.md").read_text(encoding="utf-8")


def section(name: str) -> Section:
    """Read one section of the Method page: its title, its first line, and the rest."""
    text = (ASSETS / "method" / f"{name}.md").read_text(encoding="utf-8")
    title, _, rest = text.removeprefix("# ").partition("\n")
    lead, _, body = rest.strip().partition("\n\n")
    if name == "city":
        body = f"{body.strip()}\n\n{examples.CITY_NOTES}"
    return Section(name, title.strip(), lead.strip(), fill(body.strip(), facts()))


def sections() -> dict[str, list[Section]]:
    """Every section, by group."""
    return {group: [section(name) for name in names] for group, names in OUTLINE.items()}

"""Texts and templates of the program, which lie in ``assets``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

ASSETS = Path(__file__).parents[2] / "assets"


def asset(name: str) -> str:
    """A text file of the assets by its path below them."""
    return (ASSETS / name).read_text(encoding="utf-8")


def sections(text: str) -> dict[str, str]:
    """Split a Markdown text at its headings of the first level."""
    lines_of: dict[str, list[str]] = {}
    title = ""
    for line in text.splitlines():
        if line.startswith("# "):
            title = line[2:].strip()
        else:
            lines_of.setdefault(title, []).append(line)
    return {title: "\n".join(lines).strip() for title, lines in lines_of.items() if title}


def fill(text: str, facts: Mapping[str, object]) -> str:
    """Put facts in the place of their names, written as ``{{name}}``."""
    for name, fact in facts.items():
        text = text.replace("{{" + name + "}}", str(fact))
    return text

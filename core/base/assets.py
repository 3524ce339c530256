"""Texts and templates of the program, from ``assets``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.base.errors import MissingPackageError

ASSETS = Path(__file__).parents[2] / "assets"


def asset(name: str) -> str:
    """A text file of the assets by its path below them."""
    return (ASSETS / name).read_text(encoding="utf-8")


def template(name: str) -> Any:
    """A template of the assets by its path.

    One of HTML or SVG escapes every text, and its filter ``lines`` keeps line breaks; one of plain text writes
    numbers to twelve digits by its filter ``exact``.

    Raises
    ------
    MissingPackageError
        If Jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined, select_autoescape
        from markupsafe import Markup, escape
    except ImportError:
        # not tested: tests have every package.
        raise MissingPackageError("jinja2", "write a report or a statement, or draw a picture") from None
    plain = name.endswith(".txt")
    environment = Environment(
        autoescape=select_autoescape(default_for_string=not plain),
        trim_blocks=plain,
        keep_trailing_newline=plain,
        undefined=StrictUndefined,
    )
    environment.filters["lines"] = lambda text: Markup("<br>").join(escape(text).split("\n"))
    environment.filters["exact"] = lambda number: f"{number:.12g}"
    return environment.from_string(asset(name))


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
    """Replace names written as ``{{name}}`` with facts."""
    for name, fact in facts.items():
        text = text.replace("{{" + name + "}}", str(fact))
    return text

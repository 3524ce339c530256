"""Slides out of a text: one HTML file that asks for nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import markdown

FOLDER = Path(__file__).resolve().parent


def slides(text: str) -> str:
    """Make a document of slides from Markdown, in which lines of ``---`` divide them."""
    parts = [part for part in re.split(r"^---$", text, flags=re.MULTILINE) if part.strip()]
    shown = "\n".join(
        f'<section id="{place}" aria-label="Slide {place} of {len(parts)}">\n{_html(part)}\n</section>'
        for place, part in enumerate(parts, 1)
    )
    page = (FOLDER / "slides.html").read_text(encoding="utf-8")
    fills = {"title": parts[0].strip().splitlines()[0].lstrip("# "), "slides": shown}
    fills |= {name: (FOLDER / f"slides.{name}").read_text(encoding="utf-8") for name in ("css", "js")}
    return re.sub(r"\{\{(\w+)\}\}", lambda name: fills[name[1]], page)


def _html(part: str) -> str:
    html: str = markdown.markdown(part, extensions=["tables", "attr_list"])
    return html

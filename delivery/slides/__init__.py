"""Slides out of the lesson: one HTML file that asks for nothing else.

A slide has a prediction, links and tables of the lesson; what the teacher says stays in the lesson.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PREDICTION = ">"
SHOWN = (PREDICTION, "|", "- ", "[")
"""What a block of the lesson begins with that is on a slide."""


def slides(lesson: str) -> str:
    """Make a document of slides from the text of the lesson."""
    title = lesson.splitlines()[0].removeprefix("# ").partition(":")[0]
    parts = [f"# {title}\n\nPredict. Then look.", *_parts(lesson)]
    shown = "\n".join(
        f'<section aria-label="Slide {place} of {len(parts)}">\n{_html(part)}\n</section>'
        for place, part in enumerate(parts, 1)
    )
    page = (FOLDER / "slides.html").read_text(encoding="utf-8")
    fills = {"title": title, "slides": shown}
    fills |= {name: (FOLDER / f"slides.{name}").read_text(encoding="utf-8") for name in ("css", "js")}
    return re.sub(r"\{\{(\w+)\}\}", lambda name: fills[name[1]], page)


def _parts(lesson: str) -> Iterator[str]:
    """Yield a slide for each prediction in a section with a number."""
    for section in re.findall(r"^## \d+\. (.+?)(?=^## |\Z)", lesson, re.MULTILINE | re.DOTALL):
        heading, *blocks = section.strip().split("\n\n")
        title = heading.partition(" (")[0] + " · short path" * ("(short path" in heading)
        shown = [block for block in blocks if block.startswith(SHOWN)]
        starts = [place for place, block in enumerate(shown) if block.startswith(PREDICTION)]
        for start, end in zip(starts, [*starts[1:], len(shown)], strict=True):
            yield "\n\n".join([f"## {title}", *shown[start:end]])


def _html(part: str) -> str:
    import markdown  # noqa: PLC0415 - of requirements-docs.txt, which the tests of the desk do without

    html: str = markdown.markdown(part, extensions=["tables"])
    return html

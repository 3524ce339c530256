"""Tables and shares as Markdown, for every page that a benchmark writes."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.paper_found import Share


def percent(value: float) -> str:
    """Return a share in percent with one digit, without its sign."""
    return f"{100 * value:.1f}"


def share(found: Share) -> str:
    """Return a share with the range of the redraws."""
    if found.low is None or found.high is None:
        return percent(found.mean)
    return f"{percent(found.mean)} ({percent(found.low)}–{percent(found.high)})"


def table(header: Sequence[str], rows: Sequence[tuple[str, ...]], words: int) -> list[str]:
    """Return the lines of a Markdown table; the first columns are of words, the others of numbers."""
    rule = ["---" if place < words else "---:" for place in range(len(header))]
    return ["| " + " | ".join(cells) + " |" for cells in (header, rule, *rows)]

"""One person's story as one picture: what each release lists, struck out what another rules out, and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from core.attack.trail import Step
from core.base.errors import MissingPackageError
from core.base.words import count

MOST_LISTED, MOST_LETTERS = 12, 30
"""Values of a release, and letters of one, that are shown."""
_FRAME, _GAP, _LINE, _MARGIN, _TITLE = 280, 16, 24, 24, 60
"""Width of a frame, room between frames, height of a line, the edge around, and the height of the title."""
_INK, _PALE, _RED, _GROUND = "#1C2430", "#5B6573", "#B70300", "#F3F5F8"
_FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"


@dataclass(frozen=True)
class _Line:
    text: str
    colour: str = _INK
    bold: bool = False
    struck: bool = False
    many: int | None = None


def film_strip(title: str, steps: Sequence[Step], names: Mapping[str, str] | None = None) -> str:
    """Draw a person's story as an SVG document: a frame a release, and one for all together.

    Parameters
    ----------
    title
        Whose story it is.
    steps
        Of :func:`core.attack.trail.follow`.
    names
        What to write in place of a sensitive value; the value itself by default.
    """
    words = {} if names is None else names
    frames = [*(_of_release(step, steps[-1].left, words) for step in steps), _together(steps, words)]
    width = 2 * _MARGIN + len(frames) * (_FRAME + _GAP) - _GAP
    inside = max(map(len, frames)) * _LINE + 20
    height = _TITLE + inside + _MARGIN
    drawn = [_text(_MARGIN, 38, _Line(title, bold=True), size=20, most=90)]
    for place, lines in enumerate(frames):
        left = _MARGIN + place * (_FRAME + _GAP)
        drawn.append(f'<rect x="{left}" y="{_TITLE}" width="{_FRAME}" height="{inside}" rx="8" fill="{_GROUND}"/>')
        drawn += [_drawn(left, number, line) for number, line in enumerate(lines)]
    remain = ", ".join(words.get(value, value) for value in steps[-1].left) or "nothing"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{_clean(f"{title}. Left after {len(steps)} releases: {remain}.", 400)}" '
        f'font-family="{_FONT}"><rect width="{width}" height="{height}" fill="white"/>{"".join(drawn)}</svg>'
    )


def as_png(svg: str) -> bytes:
    """An SVG document of this module as a picture twice as large.

    Raises
    ------
    MissingPackageError
        If vl-convert-python is not installed.
    """
    try:
        import vl_convert
    except ImportError:
        raise MissingPackageError("vl-convert-python", "make a PNG of a picture") from None
    return bytes(vl_convert.svg_to_png(svg, scale=2))


def _of_release(step: Step, left: tuple[str, ...], words: Mapping[str, str]) -> list[_Line]:
    lines = [_Line(f"Hospital {step.release}", bold=True)]
    if not step.matches:
        return [*lines, _Line("no class fits: it says nothing", _PALE)]
    lines.append(_Line(f"{count(step.size)} records fit", _PALE))
    for value, many in step.counts[:MOST_LISTED]:
        kept = value in left
        lines.append(_Line(words.get(value, value), _RED if kept else _PALE, kept, not kept, many))
    more = len(step.counts) - MOST_LISTED
    return [*lines, *[_Line(f"and {count(more)} more", _PALE)] * (more > 0)]


def _together(steps: Sequence[Step], words: Mapping[str, str]) -> list[_Line]:
    left = steps[-1].left
    many = {0: "nothing is left", 1: "one is left"}.get(len(left), f"{count(len(left))} are left")
    lines = [_Line("Both" if len(steps) == 2 else f"All {len(steps)}", bold=True), _Line(many, _PALE)]
    return lines + [_Line(words.get(value, value), _RED, bold=True) for value in left[:MOST_LISTED]]


def _drawn(left: int, number: int, line: _Line) -> str:
    """A line of the frame that begins at ``left``, with its count at the right edge."""
    baseline = _TITLE + 26 + number * _LINE
    text = _text(left + 14, baseline, line)
    if line.many is None:
        return text
    return text + _text(left + _FRAME - 14, baseline, _Line(count(line.many), line.colour), anchor="end")


def _text(x: int, y: int, line: _Line, size: int = 15, most: int = MOST_LETTERS, anchor: str = "start") -> str:
    look = ' font-weight="bold"' * line.bold + ' text-decoration="line-through"' * line.struck
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{line.colour}" text-anchor="{anchor}"{look}>'
        f"{_clean(line.text, most)}</text>"
    )


def _clean(text: str, most: int) -> str:
    """A name or value as text of XML: what cannot be printed is a space, and what is long is cut."""
    flat = "".join(letter if letter.isprintable() else " " for letter in text)
    return escape(flat if len(flat) <= most else flat[: most - 1] + "…")

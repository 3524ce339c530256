"""One person's story as a picture: the values of each release, those ruled out struck out, and what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.attack.trail import Step
from core.base.assets import template
from core.base.errors import MissingPackageError
from core.base.wording import count

MOST_LISTED, MOST_LETTERS = 12, 30
"""Largest numbers of values per release, and of letters per value."""

Line = tuple[str, str, str]
"""Words, their style ("head", "note", "kept" or "struck"), and the number of records, or ""."""


def film_strip(title: str, steps: Sequence[Step], names: Mapping[str, str] | None = None) -> str:
    """Draw a person's story as an SVG document: one frame per release, and one for all together.

    Parameters
    ----------
    title
        Title of the story.
    steps
        Of :func:`core.attack.trail.follow`.
    names
        Text to write instead of a sensitive value; the value itself by default.
    """
    words = {} if names is None else names
    left = steps[-1].left
    remain = ", ".join(words.get(value, value) for value in left) or "nothing"
    svg: str = template("film_strip.svg").render(
        title=_clean(title, 90),
        label=_clean(f"{title}. Left after {len(steps)} releases: {remain}.", 400),
        frames=[*(_of_release(step, left, words) for step in steps), _together(steps, words)],
    )
    return svg


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


def _of_release(step: Step, left: tuple[str, ...], words: Mapping[str, str]) -> list[Line]:
    head = (f"Hospital {step.release}", "head", "")
    if not step.matches:
        return [head, ("no class fits: it says nothing", "note", "")]
    values = [
        (_clean(words.get(value, value)), "kept" if value in left else "struck", count(many))
        for value, many in step.counts[:MOST_LISTED]
    ]
    more = len(step.counts) - MOST_LISTED
    rest = [(f"and {count(more)} more", "note", "")] if more > 0 else []
    return [head, (f"{count(step.size)} records fit", "note", ""), *values, *rest]


def _together(steps: Sequence[Step], words: Mapping[str, str]) -> list[Line]:
    left = steps[-1].left
    many = {0: "nothing is left", 1: "one is left"}.get(len(left), f"{count(len(left))} are left")
    head = "Both" if len(steps) == 2 else f"All {len(steps)}"
    values = [(_clean(words.get(value, value)), "kept", "") for value in left[:MOST_LISTED]]
    return [(head, "head", ""), (many, "note", ""), *values]


def _clean(text: str, most: int = MOST_LETTERS) -> str:
    """A name or value without unprintable characters, cut if it is long; the template escapes it."""
    flat = "".join(letter if letter.isprintable() else " " for letter in text)
    return flat if len(flat) <= most else flat[: most - 1] + "…"

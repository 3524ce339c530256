"""Notebook display of large objects: a line or a small table of names and numbers, never a cell."""

from collections.abc import Iterable, Sequence
from html import escape

from core.base.errors import shown_name

MOST_CHARACTERS = 200


def short(thing: object, *parts: str) -> str:
    """Write one line: ``<Release: 30,162 records, 3,155 classes, k = 5, Mondrian>``; empty parts are left out."""
    text = " ".join(f"{type(thing).__name__}: {', '.join(filter(None, parts))}".split())
    return f"<{text}>" if len(text) <= MOST_CHARACTERS - 2 else f"<{text[: MOST_CHARACTERS - 5]}...>"


def named(names: Iterable[str]) -> str:
    """List names of columns, only the first ones if there are many."""
    every = list(names)
    first = [shown_name(name) for name in every[:6]]
    return ", ".join(first) + (f" and {len(every) - 6} more" if len(every) > 6 else "")


def many(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: "1 class", "3,155 classes"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a small table; every text is escaped."""
    heads = "".join(f"<th>{escape(text)}</th>" for text in header)
    lines = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><tr>{heads}</tr>{lines}</table>"

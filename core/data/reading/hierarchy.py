"""The text of a hierarchy file, read as a tree.

Accepted forms: levels as ARX writes them, pairs of child and parent, objects within objects in JSON, and the files of
Amnesia. For levels and pairs the separator is the one that gives every line the same number of cells
and leaves no quote within a cell. ``Taxonomy.notes`` says what was left out or decided.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import takewhile
from typing import Any

from core.base.errors import TaxonomyError
from core.base.wording import several
from core.data.schemas.taxonomy import ROOT, Taxonomy
from core.data.tables.numbers import NUMBER

SEPARATORS = (";", "\t", ",", "|")
HOW = "write one line per value: value;level 1;...;*"
_SEP_LINE = re.compile(r"sep=(.)", re.IGNORECASE)
_LEVEL = re.compile(r"(?:level|lvl|l|gen(?:eralization|eralisation)?|group)[\s_.-]*\d*", re.IGNORECASE)
"""A header of a level."""
PARENTS = frozenset(("parent", "parentid", "parent_id", "broader"))
"""Headers of the parents in a list of pairs, in small letters."""

Rows = list[tuple[str, ...]]


def tree_of(data: bytes, column: str = "") -> Taxonomy:
    """Read the bytes of a hierarchy file.

    Parameters
    ----------
    data
        The file.
    column
        The column of the hierarchy; a first line that begins with its name is a header.

    Raises
    ------
    TaxonomyError
        If it is no text, its lines have different numbers of cells, or they are no tree; the message names the line.
    """
    lines = _text(data).splitlines(keepends=True)
    comments = len(list(takewhile(lambda line: line.startswith("#"), lines)))
    notes = [f"{several(comments, 'line')} of comments {'was' if comments == 1 else 'were'} left out."] * (comments > 0)
    lines = lines[comments:]
    for words, form in FORMS.items():
        other = form("".join(lines))
        if other is not None:
            return replace(other, notes=(*notes, f"The file was read as {words}."))
    named = _SEP_LINE.fullmatch(lines[0].strip()) if lines else None
    rows = _rows("".join(lines[1:] if named else lines), named[1] if named else None)
    if all(len(row) == 1 for row in rows) and any(line.strip() and line[0].isspace() for line in lines):
        raise TaxonomyError(f"Lines of the hierarchy file are indented, which says nothing here; {HOW}.")
    if _numbers_rows(rows):
        rows = [row[1:] for row in rows]
        notes.append("The first column, which has no name, was left out.")
    if any("" in row[1:] for row in rows):
        rows = [tuple(_filled_up(row)) for row in rows]
        notes.append("Empty cells were read as the level below them.")
    if _is_header(rows, column):
        rows = rows[1:]
        notes.append("The first line was left out as a line of column names.")
    if _are_pairs(rows):
        notes.append("The file was read as a list of children and parents.")
        tree = _of_pairs(rows)
    else:
        tree = Taxonomy.from_levels(rows)
    return replace(tree, notes=tuple(notes))


def _text(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    if "\x00" in text:
        raise TaxonomyError(f"The hierarchy file is not text; {HOW}.")
    return text


def _rows(text: str, separator: str | None) -> Rows:
    """Cells of each line, by the separator that the file names or that fits it best."""
    readings = [_split(text, mark) for mark in ([separator] if separator else SEPARATORS)]
    whole = [rows for rows in readings if isinstance(rows, list)]
    if not whole:
        raise next(error for error in readings if isinstance(error, TaxonomyError))
    parted = [rows for rows in whole if max(map(len, rows), default=0) > 1]
    even = [rows for rows in parted if len(set(map(len, rows))) == 1]
    # Among separators that fit equally well the first is used; a quote within a cell shows that one does not fit.
    return min(even or parted or whole, key=lambda rows: sum('"' in cell for row in rows for cell in row))


def _split(text: str, mark: str) -> Rows | TaxonomyError:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        return [tuple(cell.strip() for cell in row) for row in lines if any(cell.strip() for cell in row)]
    except csv.Error as error:
        trouble = str(error)
    return TaxonomyError(
        f"The hierarchy file cannot be read near line {lines.line_num:,}: "
        + (
            'a quote (") that opens there or above is never closed; close it.'
            if "unexpected end" in trouble
            else 'a field is too long, or text follows a closing quote (").'
        )
    )


def _is_header(rows: Rows, column: str) -> bool:
    """Whether the first line names the columns: by its words, or as the only line that does not end at the top.

    If it does hold a value, the tree lacks that value and is refused, never used without it.
    """
    if len(rows) < 3 or len(rows[0]) < 2:
        return False
    first, rest = rows[0], rows[1:]
    if any(cell in row for row in rest for cell in first):
        return False
    named = first[0].casefold() == column.casefold() or all(_LEVEL.fullmatch(cell) for cell in first[1:])
    pairs = len(first) == 2 and not PARENTS.isdisjoint(cell.casefold() for cell in first)
    numbers = all(NUMBER.fullmatch(row[0]) for row in rest) and not NUMBER.fullmatch(first[0])
    under_one = len({row[-1] for row in rest}) == 1
    return named or pairs or ((numbers or under_one) and first[-1] != ROOT)


def _filled_up(row: tuple[str, ...]) -> Iterator[str]:
    """Cells of a line; an empty one, which spreadsheets write to pad short lines, repeats the one before it."""
    cell = ""
    for each in row:
        cell = each or cell
        yield cell


def _numbers_rows(rows: Rows) -> bool:
    """Whether a first column without a name numbers the rows."""
    numbers = [str(number) for number in range(len(rows))]
    first = [row[0] for row in rows[1:]]
    return len(rows) > 1 and rows[0][0] == "" and first in (numbers[:-1], numbers[1:])


def _are_pairs(rows: Rows) -> bool:
    """Whether lines are pairs of child and parent: two cells, and some parent is a child of another."""
    if any(len(row) != 2 for row in rows):
        return False
    children = {child for child, parent in rows if child != parent}
    parents = {parent for child, parent in rows if child != parent}
    return bool(children & parents)


def _of_pairs(rows: Rows) -> Taxonomy:
    """Build the tree of pairs; the column in which a label repeats is that of the parents."""
    first, second = (len({row[place] for row in rows}) for place in (0, 1))
    pairs = [(a, b) for a, b in rows if a != b] if first >= second else [(b, a) for a, b in rows if a != b]
    parent_of: dict[str, str] = {}
    children: dict[str, dict[str, None]] = {}
    for number, (child, parent) in enumerate(pairs, start=1):
        if parent_of.setdefault(child, parent) != parent:
            raise TaxonomyError(
                f"Pair {number} of the hierarchy gives a label a different parent than an earlier one does; a label "
                f"must "
                "have one parent."
            )
        children.setdefault(parent, {})[child] = None
    tops = [label for label in children if label not in parent_of]
    if not tops:
        raise TaxonomyError("The pairs of the hierarchy form a circle; at least one label must have no parent.")
    root = tops[0] if len(tops) == 1 else ROOT
    if len(tops) > 1:
        children[ROOT] = dict.fromkeys(tops)
    labels, parents, stack = list[str](), list[int](), [(root, -1)]
    while stack:
        label, above = stack.pop()
        labels.append(label)
        parents.append(above)
        place = len(labels) - 1
        stack.extend((child, place) for child in reversed(children.get(label, {})))
    if len(labels) < len({*children, *parent_of}):
        raise TaxonomyError("Some pairs of the hierarchy form a circle; every label must lead to the top.")
    return Taxonomy(tuple(labels), tuple(parents))


# ---- other forms -----------------------------------------------------------------------


_OF_AMNESIA = ("distinct", "range")


def _json(text: str) -> Taxonomy | None:
    """A tree in JSON: objects within objects, or lists of leaves."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        below = _nodes(json.loads(text, object_pairs_hook=_without_repeats))
    except (RecursionError, TypeError):
        below = {}
    except ValueError:
        return None  # a value that begins with a bracket
    if not below:
        raise TaxonomyError(f"The JSON of the hierarchy is no tree of labels; {HOW}, or nest objects.")
    (top, inner), *others = below.items()
    return Taxonomy.from_nested(below) if others or not inner else Taxonomy.from_nested(inner, top)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A mapping of pairs; TypeError if a key occurs twice: JSON would drop what is below the first."""
    if len(dict(pairs)) < len(pairs):
        raise TypeError
    return dict(pairs)


def _nodes(read: Any) -> dict[str, Any]:
    """Labels at one level of JSON, each with those below it; TypeError for anything else."""
    if isinstance(read, list):
        if any(isinstance(each, dict | list) for each in read):
            raise TypeError
        return _without_repeats([(str(each), {}) for each in read])
    if read is None:
        return {}
    if not isinstance(read, dict):
        raise TypeError
    return {label: _nodes(below) for label, below in read.items()}


def _amnesia(text: str) -> Taxonomy | None:
    """A file of Amnesia: ``distinct``, some facts, and lines of ``parent has child child ...``."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if not lines or lines[0][0].lower() not in _OF_AMNESIA or len(lines[0]) > 1:
        return None
    if lines[0][0].lower() == "range":
        raise TaxonomyError(
            "This hierarchy of Amnesia ends in ranges and holds no values; use one of the type distinct, or the age "
            "bands at hand."
        )
    links = [(line[0], line[2:]) for line in lines if len(line) > 2 and line[1] == "has"]
    return _of_pairs([(child, parent) for parent, children in links for child in children])


FORMS: dict[str, Callable[[str], Taxonomy | None]] = {"a tree in JSON": _json, "a hierarchy of Amnesia": _amnesia}

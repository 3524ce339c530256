"""The text of a hierarchy file, read as a tree: levels as ARX writes them, or pairs of child and parent.

The separator is the one that gives every line the same number of cells and leaves no quote within a cell. A first
line of column names is left out; that, and pairs that were read as a tree, are said in ``Taxonomy.notes``.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from dataclasses import replace

from core.base.errors import TaxonomyError
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
        The column that it is for; a first line that begins with its name is a header.

    Raises
    ------
    TaxonomyError
        If it is no text, its lines have different numbers of cells, or they are no tree; the message names the line.
    """
    lines = _text(data).splitlines(keepends=True)
    named = _SEP_LINE.fullmatch(lines[0].strip()) if lines else None
    rows = _rows("".join(lines[1:] if named else lines), named[1] if named else None)
    notes = []
    if _is_header(rows, column):
        rows, notes = rows[1:], ["The first line was left out as a line of column names."]
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
    # Of separators that fit equally well the first is taken; a quote within a cell says that one does not fit.
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

    Should it hold a value all the same, the tree lacks that value and is refused, never used without it.
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

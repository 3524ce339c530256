"""The joint value: several sensitive columns, protected as one [Goryczka 2011, §II].

A joint value is one text for the cells of all columns, ``flu + 3``, from which the cells can be read back. So the
algorithms see one sensitive attribute, and a release still has the separate columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import numpy as np

from core.base.arrays import Ints
from core.data.classes import distinct_columns
from core.data.tables.column import Column

SIGN = " + "
UNKNOWN = "(missing)"
_PLAIN = re.compile(r'(?!")\S(?:.*\S)?', re.DOTALL)
_LONE_SIGN = re.compile(r"(?<!\S)[+](?!\S)")


def joint_text(cells: Sequence[str]) -> str:
    """Write cells as one text, an empty cell as ``(missing)``; different cells make different texts."""
    return SIGN.join(map(_written, cells))


def cells_of(text: str) -> tuple[str, ...]:
    """Read back the cells that :func:`joint_text` wrote."""
    cells, decoder, place = [], json.JSONDecoder(), 0
    while place <= len(text):
        if text.startswith('"', place):
            cell, place = decoder.raw_decode(text, place)
        else:
            end = text.find(SIGN, place)
            cell, place = text[place : end if end >= 0 else None], end if end >= 0 else len(text)
            cell = "" if cell == UNKNOWN else cell
        cells.append(cell)
        place += len(SIGN)
    return tuple(cells)


def _written(cell: str) -> str:
    if not cell:
        return UNKNOWN
    if cell == UNKNOWN or not _PLAIN.fullmatch(cell) or _LONE_SIGN.search(cell):
        return json.dumps(cell, ensure_ascii=False)
    return cell


def joint_column(name: str, columns: Sequence[Column], texts: Sequence[Mapping[str, str]]) -> Column:
    """Join columns row by row; ``texts`` has the spelling of each column's labels, "" if missing."""
    meant = [
        column.renamed(column.name, map(text.__getitem__, column.labels))
        for column, text in zip(columns, texts, strict=True)
    ]
    first, codes, _ = distinct_columns(np.stack([column.codes for column in meant]))
    cells = [[column.labels[code] for code in column.codes[first].tolist()] for column in meant]
    return Column.from_codes(name, map(joint_text, zip(*cells, strict=True)), codes)


def separate(labels: Sequence[str]) -> list[tuple[tuple[str, ...], Ints]]:
    """Split joint values: for each column its distinct cells in sorted order, and (labels,) the cell of each."""
    pairs = []
    for cells in zip(*map(cells_of, labels), strict=True):
        distinct, which = np.unique(np.array(cells, dtype=object), return_inverse=True)
        pairs.append((tuple(distinct.tolist()), which))
    return pairs

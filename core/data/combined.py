"""Several sensitive attributes as one: their Cartesian product [Goryczka 2011, §II]."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.data.table import Column, Table
from core.errors import LimitError, SchemaError
from core.errors import shown_name as shown

MAX_PRODUCT = 50_000
JOIN = " + "


def with_product(
    table: Table, columns: Sequence[str], name: str | None = None, missing_tokens: Sequence[str] = ("",)
) -> Table:
    """Add a column of the combinations of some columns, to be the sensitive attribute.

    Parameters
    ----------
    table
        Any table.
    columns
        Two or more of its columns, each once.
    name
        Header of the new column; the headers joined by " + " by default.
    missing_tokens
        Cells that mean "missing": a combination with a missing part is missing as a whole,
        so that it never counts towards diversity.

    Returns
    -------
    Table
        With one column more, at the end. Only combinations that occur become values.

    Raises
    ------
    SchemaError
        If fewer than two columns are named, one twice, or the name is taken.
    LimitError
        If more than 50,000 combinations occur.

    Notes
    -----
    Labels are joined by " + "; where a label has a plus sign or a quote, all are quoted as in
    JSON, so that different combinations never read alike. O(records log records).
    """
    if len(columns) < 2 or len(set(columns)) < len(columns):
        raise SchemaError("A product needs two or more different columns.", parameter="columns")
    parts = [table.column(column) for column in columns]
    header = JOIN.join(columns) if name is None else name
    if header in table.names:
        raise SchemaError(f"The table has a column {shown(header)} already; give another name.", parameter="name")
    keys = np.stack([part.codes for part in parts])
    tuples, codes = np.unique(keys, axis=1, return_inverse=True)
    if tuples.shape[1] > MAX_PRODUCT:
        raise LimitError(
            f"{tuples.shape[1]:,} combinations of {', '.join(shown(column) for column in columns)} occur; at most "
            f"{MAX_PRODUCT:,} are accepted. Leave one out.",
            parameter="columns",
        )
    absent = {"", *missing_tokens}
    quote = any("+" in label or '"' in label for part in parts for label in part.labels)
    texts = []
    for chosen in tuples.T.tolist():
        labels = [part.labels[code] for part, code in zip(parts, chosen, strict=True)]
        written = [json.dumps(label, ensure_ascii=False) if quote else label for label in labels]
        texts.append("" if absent.intersection(labels) else JOIN.join(written))
    merged = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    lookup = np.array([merged[text] for text in texts])
    return replace(table, columns=(*table.columns, Column.from_codes(header, merged, lookup[codes.ravel()])))

"""Write the region of a class into a cell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np

from core.data.encoding.domain import Domain
from core.data.schemas.schema import ColumnType
from core.data.tables.cell_syntax import MISSING_MARK, unescaped
from core.data.tables.dates import run_text
from core.release.published.cell_reader import Reader
from core.release.published.region import Region

EVERYTHING = "*"
MOST_SET = 256
"""Largest number of values of a column for which any set of them may be a cell."""
MOST_WRITTEN = 10_000
"""Number of texts of sets that a domain caches."""
MOST_LISTED, FEW_LISTED = 50, 8
"""Largest number of values in a cell, in a small and in a large column; longer runs are written by their ends."""


def most_listed(domain: Domain) -> int:
    """Largest number of values that a cell of a column lists, to keep rows short."""
    return MOST_LISTED if domain.size <= MOST_SET else FEW_LISTED


def region_text(domain: Domain, low: int, high: int, absent: bool = False, reader: Reader | None = None) -> str:
    """Return the published text of the region ``[low, high]`` of a domain; with a missing value if ``absent``.

    A reader with my schema reads this region: if a spelling could be taken for something
    else, the next one is tried. To write many cells of one domain, give its ``reader``: its knowledge of the labels is
    then computed once.
    """
    spellings = _spellings(domain, low, high, absent)
    if domain.column_type in (ColumnType.NUMERIC, ColumnType.DATE) or domain.tame:
        return next(spellings)
    reader = reader or Reader.of(domain)
    first, last = (int(ends[0]) for ends in domain.cover(np.array([low]), np.array([high])))
    wanted = {*range(first, last + 1), *([domain.missing] if absent else [])}
    text = ""
    for text in spellings:
        if _codes_read(domain, reader, text) == wanted:
            break
    # If every spelling is ambiguous, the last one is used.
    return text


def set_text(domain: Domain, codes: Sequence[int], reader: Reader | None = None, listed: bool = False) -> str:
    """Return the published text of a set of values of a category or a taxonomy.

    A node of a taxonomy is written only if all its leaves are in the set. A reader of the
    text with my schema reads this set, as for :func:`region_text`.

    Parameters
    ----------
    domain
        A category or a taxonomy.
    codes
        Its values, rising, without repeats.
    reader
        As for :func:`region_text`.
    listed
        Whether all values and long runs are listed, too, so that the cell shows the region of an agreement.
    """
    known, key = domain.written, (*codes, -1) if listed else tuple(codes)
    text = known.get(key)
    if text is None:
        text = _set_text(domain, tuple(codes), reader, listed)
        if len(known) >= MOST_WRITTEN:
            known.clear()
        known[key] = text
    return text


def _set_text(domain: Domain, codes: tuple[int, ...], reader: Reader | None, listed: bool) -> str:
    if len(codes) == 1 or (len(codes) == domain.size and not listed):
        return region_text(domain, codes[0], codes[-1], reader=reader)
    if not listed and domain.taxonomy is None and most_listed(domain) < len(codes) == codes[-1] - codes[0] + 1:
        return region_text(domain, codes[0], codes[-1], reader=reader)
    labels: list[str] = []  # of the nodes of a taxonomy
    if codes[-1] == domain.missing:
        rest = set_text(domain, codes[:-1], reader)
        spellings: Iterator[str] = (f"{rest}{gap}or {domain.labels[domain.missing]}" for gap in (" ", "  "))
    elif domain.taxonomy is None:
        spellings = _listed([domain.labels[code] for code in codes], domain.size)
    else:
        labels = [domain.taxonomy.labels[node] for node in domain.taxonomy.nodes_over(codes)]
        spellings = iter(labels) if len(labels) == 1 else _listed(labels, domain.taxonomy.nodes)
    if domain.tame:
        return next(spellings)
    reader, wanted, text = reader or Reader.of(domain), set(codes), ""
    for text in spellings:
        if (len(labels) > 1 and _reads_as_nodes(reader, labels, text)) or _codes_read(domain, reader, text) == wanted:
            break
    return text


def _reads_as_nodes(reader: Reader, labels: Sequence[str], text: str) -> bool:
    """Whether a list of nodes is unambiguous: it is not a label itself, and no node looks like a mark.

    Other ambiguous nodes are quoted. So most cells need not be read to decide this.
    """
    return not (text in reader.nodes or text in reader.absent or any(map(MISSING_MARK.fullmatch, labels)))


def _listed(labels: Sequence[str], most: int) -> Iterator[str]:
    """Ways to write a set of labels, the plainest first; one is not itself a label if there are ``most`` labels."""
    yield "{" + ", ".join(quoted(label) for label in labels) + "}"
    listed = ", ".join(_json(label) for label in labels)
    for blanks in range(most + 1):
        yield "{" + " " * blanks + listed + "}"


def range_text(low: str, high: str) -> str:
    """``[20-30]``; with a comma if a minus sign or an exponent would be ambiguous."""
    return f"[{low}, {high}]" if "-" in low + high else f"[{low}-{high}]"


def quoted(label: str, bare: bool = False) -> str:
    """Quote a label as JSON if it holds a mark of the region texts."""
    risky = label != label.strip() or not label.strip("*") or label[0] in '[{("<>≤≥' or " or (" in label
    risky = risky or label[-1] == "}" or unescaped(label) != label
    if not bare:
        risky = risky or any(mark in label for mark in ',{}[]"') or ".." in label
    return _json(label) if risky else label


def _codes_read(domain: Domain, reader: Reader, text: str) -> set[int] | None:
    """Codes of a domain that a reader understands from a text; ``None`` if a reader understands more."""
    region = reader.read(text)
    if region is None or region.masks:
        return None
    if region.everything:
        return set(range(domain.size))
    codes = (
        _codes_of_labels(reader, region, text)
        if domain.column_type is ColumnType.CATEGORICAL
        else _codes_in(domain, region)
    )
    if codes is not None and region.missing:
        codes.add(domain.missing)
    return codes


def _codes_of_labels(reader: Reader, region: Region, text: str) -> set[int] | None:
    """Codes of the labels of a category's region; ``None`` if an outsider reads its text differently."""
    rank = reader.rank
    if region.ranges or not region.labels <= rank.keys():
        return None
    # A reader who has not seen my table must not mistake the text for an unclosed set or for other labels.
    read = reader.outsider.read(text)
    if read is None or read.everything:
        return None
    if read.labels != region.labels or read.spans != region.spans:
        return None
    codes = {rank[label] for label in region.labels}
    for first, last in region.spans:
        codes |= {code for label, code in rank.items() if first <= label <= last}
    return codes


def _codes_in(domain: Domain, region: Region) -> set[int]:
    """Codes of a domain in the ranges of a region: ranges of numbers if it has bands, else of codes."""
    codes: set[int] = set()
    for low, high in region.ranges:
        run = (int(low), int(high)) if domain.bands is None else domain.bands.touched((low, high))
        if run is not None:
            first, last = run
            codes |= set(range(first, last + 1))
    return codes


def _spellings(domain: Domain, low: int, high: int, absent: bool = False) -> Iterator[str]:
    """Ways to write a region, the plainest first; all mean the same."""
    if low < high == domain.missing and domain.taxonomy is None:
        high, absent = high - 1, True
    if domain.column_type is ColumnType.CATEGORICAL and low == 0 and 1 < high + 1 + absent == domain.size:
        yield EVERYTHING
        return
    if absent:
        for rest in _spellings(domain, low, high):
            yield f"{rest} or {domain.labels[domain.missing]}"
            yield f"{rest}  or {domain.labels[domain.missing]}"
        return
    labels = domain.labels[low : high + 1]
    if low == high:
        yield labels[0] if low == domain.missing else _plain_text(domain, low)
        if domain.column_type is not ColumnType.TAXONOMY:
            yield _json(labels[0])
    elif domain.taxonomy is not None:
        node = domain.taxonomy.lowest_common(np.array([low]), np.array([high]))[0]
        yield domain.taxonomy.labels[node]
        labels = (domain.taxonomy.labels[node],)
    elif domain.column_type is ColumnType.NUMERIC:
        yield range_text(labels[0], labels[-1])
        return
    elif domain.column_type is ColumnType.DATE:
        yield run_text(labels[0], labels[-1])
        return
    elif domain.column_type is ColumnType.ORDINAL:
        text = None if domain.bands is None else domain.bands.text(low, high)
        if text is not None:
            yield text
        yield f"[{quoted(labels[0])} .. {quoted(labels[-1])}]"
        yield f"[{_json(labels[0])} .. {_json(labels[-1])}]"
    elif len(labels) > most_listed(domain) and domain.alphabetical:
        yield f"[{_json(labels[0])} .. {_json(labels[-1])}]"
    # One of these is not itself a label: no table of n labels holds n + 1 of them.
    yield from _listed(labels, domain.size)


def _plain_text(domain: Domain, code: int) -> str:
    """Return a single value, quoted if it could be read as something more general; a band is written unchanged."""
    label = domain.labels[code]
    if domain.column_type in (ColumnType.NUMERIC, ColumnType.TAXONOMY, ColumnType.DATE) or domain.bands is not None:
        return label
    return quoted(label, bare=True)


def _json(label: str) -> str:
    return json.dumps(label, ensure_ascii=False)

"""Detect the character that separates the fields of a text."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass

from core.base.errors import ParameterError

SAMPLE = 1 << 15

# In this order if several divide the text equally well: commas also occur in numbers and in prose.
DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "vertical bar", ",": "comma"}


@dataclass(frozen=True)
class Dialect:
    """How fields are separated; ``spaced`` if a space follows every delimiter."""

    delimiter: str
    spaced: bool


def check_delimiter(delimiter: str | None) -> None:
    """Refuse a delimiter that is not one character, or that means something else."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        raise ParameterError(
            "delimiter must be one character other than a quote or a line break, such as ',' ';' or a tab.",
            parameter="delimiter",
        )


def sniff(text: str, delimiter: str | None = None) -> Dialect:
    """Find the delimiter that divides the first lines into the same number of fields."""
    sample, whole = text[:SAMPLE], len(text) <= SAMPLE
    if not whole:
        cut = max(sample.rfind("\n"), sample.rfind("\r", 0, -1)) + 1
        sample = sample[:cut] or text
    candidates = DELIMITERS if delimiter is None else (delimiter,)
    dialects = [Dialect(candidate, _is_spaced(sample, candidate)) for candidate in candidates]
    if delimiter is not None:
        return dialects[0]
    widths = [_widths(sample, dialect, whole) for dialect in dialects]
    for dialect, counts in zip(dialects, widths, strict=True):
        if set(counts) and set(counts) != {1} and len(set(counts)) == 1:
            return dialect
    best, share = dialects[-1], 0.5
    for dialect, counts in zip(dialects, widths, strict=True):
        width, count = Counter(counts).most_common(1)[0] if counts else (1, 0)
        if width > 1 and count > share * len(counts):
            best, share = dialect, count / len(counts)
    if share == 0.5:  # nothing divides it: one column, under a delimiter that leaves every line whole
        whole_lines = [d for d, counts in zip(dialects, widths, strict=True) if set(counts) == {1}]
        best = whole_lines[-1] if whole_lines else best
    return best


def _widths(sample: str, dialect: Dialect, whole: bool) -> list[int]:
    """Count the fields of each line of the sample."""
    lines = io.StringIO(sample, newline="")
    reader = csv.reader(lines, delimiter=dialect.delimiter, skipinitialspace=dialect.spaced)
    try:
        widths = [len(row) for row in reader if len(row) > 1 or "".join(row).strip()]
    except csv.Error:
        return []
    return widths if whole else widths[:-1] or widths  # the last one may be cut inside quotes


def _is_spaced(sample: str, delimiter: str) -> bool:
    """Tell whether a space follows every delimiter of every line but the header."""
    if delimiter == " " or delimiter + " " not in sample:
        return False
    d = re.escape(delimiter)
    token = re.compile(rf'( *)((?:"(?:[^"]++|"")*+"[^{d}\r\n]*+|[^{d}\r\n]*+))({d}|\r\n?|\n|\Z)')
    line, inside, seen = 0, False, False
    for match in token.finditer(sample):
        spaces, field, end = match.groups()
        if inside and line > 0:
            if field and not spaces:
                return False
            seen = seen or bool(spaces)
        inside = end == delimiter
        line += not inside and (line > 0 or bool(field or spaces))
    return seen

"""The tables that figures are redrawn from: the public data sets, or files that the user names."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.data import ADULT_COLUMNS, adult_schema, folder, ipums_schema
from benchmarks.papers.sensitive import with_sensitive
from core import CompositionError, Schema, Table, read_table
from core.data.encoding.encoded import Encoded, encode

QUICK_ROWS = 4_000
ADULT_COMPLETE, ADULT_BOTH, IPUMS_ROWS = 30_162, 45_222, 70_187
IPUMS_ATTRIBUTES = ("occ1950", "ind1950", "inctot")
"""Occupation, industry and income of [Ganta arXiv 2008, Table 4]."""
SATTAR = {
    "Adult": ("age", "sex", "education", "race", "native-country"),
    "IPUMS": ("age", "sex", "educrec", "raceg", "bplg"),
}
"""The columns nearest to those of [Sattar 2018, Table 3]: age, sex, education, race, birth place."""


@dataclass(frozen=True)
class Source:
    """One table with its roles.

    Parameters
    ----------
    name
        What it is called on the page.
    table, schema
        The table, and its roles.
    attributes
        Columns that can be the sensitive attribute in turn.
    few
        The quasi-identifiers of [Sattar 2018], as far as the table has them.
    """

    name: str
    table: Table
    schema: Schema
    attributes: tuple[str, ...] = ()
    few: tuple[str, ...] = ()

    @cached_property
    def encoded(self) -> Encoded:
        """The complete records as codes."""
        return encode(self.table, self.schema)

    @cached_property
    def narrow(self) -> Encoded:
        """The same with few quasi-identifiers."""
        return self.encoded.only(self.few) if self.few else self.encoded

    def secret(self, column: str) -> Encoded:
        """The records with another sensitive attribute."""
        return encode(self.table, with_sensitive(self.schema, column))

    def shared(self, most: int) -> int:
        """People to share: as in the paper where the table allows it."""
        return min(most, len(self.encoded) // 6)


@dataclass(frozen=True)
class Tables:
    """What there is to redraw from; ``None`` where it is absent."""

    adult: Source | None = None
    ipums: Source | None = None
    pooled: Source | None = None
    why: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Source | None:
        """The table of this name."""
        found: Source | None = getattr(self, name)
        return found


ABSENT = {
    "adult": "UCI Adult is not here (../shared/data, or the folder that COMPOSITION_DATA names); name its file with "
    "--adult FILE.",
    "ipums": "The IPUMS Los Angeles table is not here (../shared/data, or the folder that COMPOSITION_DATA names); "
    "name its file with --ipums FILE.",
}
ABSENT["pooled"] = ABSENT["adult"]


class Refused(Exception):
    """A file that the user named cannot be used; the text says why."""


def load(adult: Path | None, adult_test: Path | None, ipums: Path | None, quick: bool) -> Tables:
    """Read the tables, from named files where there are any.

    Raises
    ------
    Refused
        If a named file cannot be read as the table it should be.
    """
    place = folder()
    train = adult or (place / "adult" / "adult.data.gz" if place else None)
    # The test part belongs to the training part: it is not mixed with somebody's own file.
    test = adult_test or (place / "adult" / "adult.test.gz" if place and adult is None else None)
    census = ipums or (place / "ipums-la" / "ipums-la-97.csv.gz" if place else None)
    found: dict[str, Source] = {}
    if train is not None:
        lines = _adult_lines(train)
        found["adult"] = _source("Adult", _adult(lines), adult_schema(), (), quick, train)
        both = lines + (_adult_lines(test) if test is not None and test.is_file() else [])
        found["pooled"] = _source("Adult", _adult(both), adult_schema(), (), quick, train)
    if census is not None and (ipums is not None or census.is_file()):
        found["ipums"] = _source("IPUMS", _read(census), ipums_schema(), IPUMS_ATTRIBUTES, quick, census)
    return Tables(**found)


def _read(file: Path) -> bytes:
    try:
        content = file.read_bytes()
        return gzip.decompress(content) if file.suffix == ".gz" else content
    except (OSError, EOFError, gzip.BadGzipFile) as error:
        raise Refused(f"The file {file} cannot be read ({type(error).__name__}); give one that is there.") from None


def _adult_lines(file: Path) -> list[str]:
    """Records of a file in the form of UCI: with or without a header, a first comment, dots after the labels."""
    text = _read(file).decode("utf-8", "replace")
    lines = [line.strip().rstrip(".") for line in text.splitlines()]
    cells = len(ADULT_COLUMNS) - 1
    rows = [line for line in lines if line.count(",") == cells and line[:1].isdigit()]
    return [", ".join(cell.strip() for cell in row.split(",")) for row in rows]


def _adult(lines: list[str]) -> bytes:
    return "\n".join([", ".join(ADULT_COLUMNS), *lines]).encode()


def _source(name: str, content: bytes, schema: Schema, attributes: tuple[str, ...], quick: bool, file: Path) -> Source:
    try:
        table = read_table(content)
        if quick and len(table) > QUICK_ROWS:
            table = table.take(np.sort(np.random.default_rng(0).permutation(len(table))[:QUICK_ROWS]))
        source = Source(name, table, schema, tuple(a for a in attributes if a in table.names), SATTAR[name])
        _ = source.encoded
    except CompositionError as error:
        raise Refused(f"The file {file} is not {name} as it is expected here. {error.message}") from None
    return source

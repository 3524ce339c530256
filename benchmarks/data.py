"""What is measured on: the public data sets where they are, else the synthetic city."""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from core import Schema, Table, examples, read_table
from core.data.encoding.encoded import Encoded, encode
from core.data.reading import read_hierarchy

ROOT = Path(__file__).resolve().parents[1]
ADULT_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
ADULT_QIDS = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
IPUMS_QIDS = ("age", "classwkg", "educrec", "marst", "raceg", "sex", "bplg")
ABSENT = (
    "The public data sets are not here (../shared/data, or the folder that COMPOSITION_DATA names), "
    "so the synthetic city stands in for Adult."
)


def folder() -> Path | None:
    """Return the folder of the public data sets, or ``None`` where there is none."""
    named = os.environ.get("COMPOSITION_DATA")
    place = Path(named) if named else ROOT.parent / "shared" / "data"
    return place if (place / "adult" / "adult.data.gz").is_file() else None


def adult_bytes(place: Path) -> bytes:
    """Return UCI Adult, 32,561 rows of 15 columns, with a header."""
    rows = gzip.decompress((place / "adult" / "adult.data.gz").read_bytes())
    return ", ".join(ADULT_COLUMNS).encode() + b"\n" + rows


def adult_schema(place: Path | None = None) -> Schema:
    """Roles of Adult as in [Ganta 2008, Table 2]: 30,162 complete records, occupation sensitive.

    With a folder, all quasi-identifiers but age get the taxonomies of ARX; else categories
    are ordered by label.
    """
    taxonomies = {}
    if place is not None:
        for name in ADULT_QIDS[1:]:
            file = place / "adult-hierarchies" / f"adult_hierarchy_{name}.csv"
            taxonomies[name] = read_hierarchy(file)
    return Schema(
        ADULT_QIDS, "occupation", taxonomies=taxonomies, missing="complete", missing_tokens=["?"], unassigned="drop"
    )


def ipums_bytes(place: Path) -> bytes | None:
    """Return the IPUMS Los Angeles table, 70,187 rows, or ``None`` where it is not."""
    file = place / "ipums-la" / "ipums-la-97.csv.gz"
    return gzip.decompress(file.read_bytes()) if file.is_file() else None


def ipums_schema() -> Schema:
    """Roles of IPUMS as in [Ganta 2008, Table 3]: age a number, codes are categories."""
    column_types = dict.fromkeys(IPUMS_QIDS, "categorical") | {"age": "numeric"}
    return Schema(IPUMS_QIDS, "occ1950", column_types=column_types, unassigned="drop")


@dataclass(frozen=True)
class Data:
    """The tables that rows are measured on; ``quick`` makes them small."""

    quick: bool = False

    @cached_property
    def folder(self) -> Path | None:
        """Folder of the public data sets."""
        return folder()

    @property
    def name(self) -> str:
        """What the table is called."""
        return "synthetic city" if self.folder is None else "Adult"

    @cached_property
    def content(self) -> bytes:
        """The table as the bytes of a CSV file."""
        if self.folder is None:
            whole = examples.city(30_162).to_frame().to_csv(index=False).encode()
        else:
            whole = adult_bytes(self.folder)
        return b"\n".join(whole.split(b"\n")[:2001]) + b"\n" if self.quick else whole

    @cached_property
    def table(self) -> Table:
        """The table as text."""
        return read_table(self.content)

    @cached_property
    def schema(self) -> Schema:
        """Seven quasi-identifiers: age a number, the others categories ordered by label."""
        if self.folder is not None:
            return adult_schema()
        city = examples.city_schema()
        return Schema(city.quasi_identifiers, city.sensitive, column_types={"age": "numeric"}, unassigned="drop")

    @cached_property
    def encoded(self) -> Encoded:
        """The complete records as codes."""
        return encode(self.table, self.schema)

    @property
    def size(self) -> str:
        """Name and shape, as the table shows them."""
        return shape(self.name, self.encoded)

    @property
    def overlap(self) -> int:
        """Shared people, as in the paper where the table allows it."""
        return min(5000, len(self.encoded) // 6)

    def part(self, records: int) -> Encoded:
        """Return the first records as a table of their own."""
        return self.encoded.take(np.arange(min(records, len(self.encoded))))

    def million(self, distinct: bool, seed: int = 7) -> Encoded:
        """Return the table resampled to a million records, ages moved by up to 2 years.

        With ``distinct`` the moves are real numbers, so that no two people are alike.
        """
        records = 20_000 if self.quick else 1_000_000
        rng = np.random.default_rng(seed)
        rows = rng.integers(0, len(self.encoded), records)
        age = self.encoded.qids[0]
        assert age.values is not None
        moved = age.values[self.encoded.codes[0][rows]]
        moved += rng.uniform(-2, 2, records) if distinct else rng.integers(-2, 3, records)
        values, code = np.unique(moved, return_inverse=True)
        labels = tuple(f"{value:g}" for value in values) if not distinct else tuple(map(repr, values.tolist()))
        codes = np.take(self.encoded.codes, rows, axis=1)
        codes[0] = code
        first = replace(age, labels=labels, values=values)
        return Encoded(
            (first, *self.encoded.qids[1:]),
            codes,
            self.encoded.sensitive,
            self.encoded.sensitive_codes[rows],
            np.arange(records),
        )


def shape(name: str, encoded: Encoded) -> str:
    """Return a name with records x quasi-identifiers."""
    return f"{name}, {len(encoded):,} x {len(encoded.qids)}"

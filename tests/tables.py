"""Tables for tests: small, made by a fixed seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.shares import assign_providers
from core import Schema, Table, Taxonomy, examples
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import ColumnType
from core.data.tables.column import Column
from tests.hostile import HOSTILE


def small_table(rows: int = 400, name: str = "age", diagnosis: str = "diagnosis") -> tuple[Table, Schema]:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            name: rng.integers(18, 90, rows),
            "sex": rng.choice(["f", "m"], rows),
            diagnosis: rng.choice([f"value {i}" for i in range(12)], rows),
        }
    )
    return Table.from_frame(frame), Schema([name, "sex"], diagnosis)


def extract(records: int = 240, seed: int = 0, people: int | None = None) -> pd.DataFrame:
    """Records with two columns beside the sensitive one; persons may have several."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, records).astype(str),
            "sex": rng.choice(["f", "m"], records),
            "diagnosis": rng.choice(["flu", "cold", "ulcer", "[a] (b)", ""], records, p=[0.4, 0.3, 0.15, 0.1, 0.05]),
            "stay": rng.choice(["1", "2", "3.0", "3", "NA"], records),
            "ward": rng.choice(["A", "B", "{C}"], records),
        }
    )
    if people:
        frame["person"] = rng.integers(0, people, records).astype(str)
    return frame


def pooled_table(rows: int = 300, providers: int = 4, names: str = "clinic {}") -> tuple[Table, Schema]:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "sex": rng.choice(["f", "m"], rows),
            "diagnosis": rng.choice([f"value {i}" for i in range(8)], rows),
            "stage": rng.choice(["mild", "severe"], rows),
            "site": [names.format(i) for i in rng.integers(0, providers, rows)],
        }
    )
    return Table.from_frame(frame), Schema(["age", "sex"], "diagnosis", provider="site", other=["stage"])


def city_of_providers(records: int, providers: int, shares: str = "exponential") -> Encoded:
    encoded = encode(examples.city().take(np.arange(records)), examples.city_schema())
    names = tuple(f"Hospital {i + 1}" for i in range(providers))
    source = assign_providers(records, providers, shares)
    return replace(encoded, provider=Domain("provider", ColumnType.CATEGORICAL, names), provider_code=source)


def a_table(records: int = 300, seed: int = 0) -> Encoded:
    return encode(*with_a_tree(records, seed))


def with_a_tree(records: int = 300, seed: int = 0) -> tuple[Table, Schema]:
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 60, records).astype(str)
    age[:5] = ""
    frame = pd.DataFrame(
        {
            "age": age,
            "city": rng.choice(["Rennes", "Brest", "Nantes"], records),
            "zip": rng.choice(["35000", "35200", "29200", "44000"], records),
            "illness": rng.choice(["flu", "cold", "ulcer"], records),
        }
    )
    tree = Taxonomy.from_prefixes(["35000", "35200", "29200", "44000"], keep=(2,))
    return Table.from_frame(frame), Schema(["age", "city", "zip"], "illness", taxonomies={"zip": tree})


def hostile_city(records: int = 600) -> Encoded:
    """A city whose headers and diagnoses are what nobody should call anything."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age.of[the]\\.person": rng.integers(0, 90, records).astype(str),
            'say "zip":Q': rng.choice(HOSTILE, records),
            "=it's http://evil.example": rng.choice(
                HOSTILE, records, p=np.arange(1, len(HOSTILE) + 1) / np.arange(1, len(HOSTILE) + 1).sum()
            ),
        }
    )
    *qids, sensitive = frame.columns
    schema = Schema(qids, sensitive, column_types=dict.fromkeys(frame.columns[1:], "categorical"))
    return encode(Table.from_frame(frame), schema)


def clinics_table(rows: int = 300) -> tuple[Table, Schema]:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, rows).astype(str),
            "zip": rng.integers(0, 20, rows).astype(str),
            "disease": rng.choice(["flu", "cold", "gout", "burn"], rows, p=[0.45, 0.25, 0.2, 0.1]),
            "who": rng.choice(["a", "b", "c"], rows),
        }
    )
    return Table.from_frame(frame), Schema(["age", "zip"], "disease", provider="who")


def column_of(name: str, texts: list[str]) -> Column:
    """One column of a table of these texts."""
    labels, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return Column.from_codes(name, labels.tolist(), codes)


def stays() -> bytes:
    """A table with a column `los` and two that follow from it."""
    rows = range(60)
    frame = pd.DataFrame(
        {
            "age": [20 + n % 40 for n in rows],
            "lnhlos": [f"{n % 7 / 10}" for n in rows],
            "los": [1 + n % 7 for n in rows],
            "invhlos": [f"{n % 7 / 100}" for n in rows],
            "diagnosis": [f"d{n % 5}" for n in rows],
        }
    )
    return frame.to_csv(index=False).encode()

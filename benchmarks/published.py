"""What columns published beside the sensitive one add to the intersection attack, on Adult.

``python -m benchmarks --only published --write`` writes its table into benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.data import adult_bytes, adult_schema, folder
from benchmarks.markdown import percent, table
from benchmarks.table import machine, write
from core import Policy, read_table
from core.data.encoding.encoded import Encoded, encode
from core.study.hospitals import Study
from core.study.one_run import run_study, seeds
from core.study.redraws import Redraws
from core.study.sweep import sweep

BESIDE: tuple[tuple[str, ...], ...] = (
    (),
    ("income",),
    ("income", "relationship"),
    ("hours-per-week",),
    ("income", "relationship", "hours-per-week"),
    ("income", "relationship", "hours-per-week", "capital-gain", "capital-loss"),
)
KS, REDRAWS, OVERLAP, SEED = (5, 10), 3, 5000, 0
CURVE = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)


def exposed(encoded: Encoded, k: int, overlap: int) -> list[float]:
    """Mean over redraws of the shares with one value left, with at most four, and with one tuple left."""
    draws = []
    for seed in seeds(SEED, REDRAWS):
        result = run_study(encoded, Study.uniform(Policy(k), overlap), seed).result
        draws.append([result.pvp(1.0).value, result.pvp(0.25).value, result.one_row_left.value])
    means: list[float] = np.mean(draws, axis=0).tolist()
    return means


def rows(encoded: dict[tuple[str, ...], Encoded], overlap: int) -> list[tuple[str, ...]]:
    """One line a choice of columns."""
    lines = []
    for columns, records in encoded.items():
        numbers = [share for k in KS for share in exposed(records, k, overlap)]
        began = time.perf_counter()
        study = Study.uniform(Policy(CURVE[0]), overlap)
        sweep(records, study, "k", CURVE, Redraws(1, SEED))
        took = time.perf_counter() - began
        lines.append((", ".join(columns) or "nothing", *map(percent, numbers), f"{took:.2f} s"))
    return lines


def main(asked: argparse.Namespace) -> int:
    """Print the table, and put it into its file where that is asked."""
    place = folder()
    if place is None:
        print("The public data sets are not here; this needs Adult.", file=sys.stderr)
        return 1
    content = adult_bytes(place)
    if asked.quick:
        content = b"\n".join(content.split(b"\n")[:3001])
    adult, schema = read_table(content), adult_schema()
    encoded = {columns: encode(adult, schema.with_(unmodified=columns)) for columns in BESIDE}
    lines = rows(encoded, 300 if asked.quick else OVERLAP)
    text = "\n\n".join([_about(asked), "\n".join(table(_head(), lines, 1))])
    print(text)
    if asked.write and not asked.quick:
        write("published", text)
    return 0


def _about(asked: argparse.Namespace) -> str:
    return f"Measured on {asked.date}: {machine()}. {REDRAWS} redraws, seed {SEED}."


def _head() -> Sequence[str]:
    names = ("one value left", "at most 4", "one row left")
    return ["Beside occupation", *(f"k = {k}: {name}" for k in KS for name in names), f"Curve of {len(CURVE)} k"]

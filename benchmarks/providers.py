"""Figures 6 to 12 of Goryczka, Xiong and Fung (2011) run anew, as numbers and as tables.

The one place where they are run: the page of all papers (:mod:`benchmarks.papers.goryczka`) draws the same numbers.

``python -m benchmarks --only providers --write`` writes assets/method/providers_comparison.md.
Numbers of checks do not depend on the machine; times do.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks.data import ABSENT, ROOT, Data
from benchmarks.markdown import table
from benchmarks.papers.lattice import Lattice
from benchmarks.papers.strategies import STRATEGIES
from benchmarks.papers.tables import load
from benchmarks.shares import SHARES, assign_providers
from benchmarks.table import machine
from core import Policy
from core.algorithms.provider_aware import provider_aware
from core.base.arrays import Bools
from core.base.errors import InfeasibleError
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.data.schemas.schema import ColumnType
from core.privacy.coalitions import Colluding, Constraint, Contributions, private_classes
from core.study.provider_cost import pool

FILE = ROOT / "assets" / "method" / "providers_comparison.md"
TEXT = Path(__file__).with_name("providers_text.md")
SEED = 0
VERIFY = Policy(50, l=4)
RELEASE = Policy(30, l=4, m=3)
GROUPS = (150, 750)
PROVIDERS, CONTRIBUTORS, POWER = 10, 15, 5
SHOWN = tuple(name for name in STRATEGIES if name != "adaptive")
COUNTING = "counting"
"""How the program decides."""


Answer = TypeVar("Answer")


def dealt(encoded: Encoded, providers: int, shares: str = "exponential") -> Encoded:
    """Return the records with a provider each."""
    names = tuple(f"P{i + 1}" for i in range(providers))
    source = assign_providers(len(encoded), providers, shares, SEED)
    return replace(encoded, provider=Domain("provider", ColumnType.CATEGORICAL, names), provider_code=source)


def class_of(encoded: Encoded, records: int, contributors: int, shares: str, policy: Policy = VERIFY) -> Contributions:
    """Some records of the table, drawn at random, as one class of so many contributors."""
    rows = np.random.default_rng(SEED).permutation(len(encoded))[:records]
    part = dealt(encoded.take(rows), contributors, shares)
    assert part.provider_code is not None
    constraint = Constraint(policy, part.sensitive, part.overall)
    zeros = np.zeros(len(part), dtype=np.int64)
    return Contributions.of_records(zeros, part.sensitive_codes, part.provider_code, contributors, constraint)


def timed(answer: Callable[[], Answer]) -> tuple[Answer, float]:
    """An answer, and milliseconds: the least of three."""
    took = []
    for _ in range(3):
        began = time.perf_counter()
        answered = answer()
        took.append(time.perf_counter() - began)
    return answered, 1000 * min(took)


# ---- the figures: numbers, a row a setting --------------------------------------------------


def _verified(shares: str, records: int, x: int, parts: Contributions, m: int) -> dict[str, Any]:
    """One class verified by every strategy: checks, whether it holds, and milliseconds of two ways."""
    holds, counted = timed(lambda: bool(private_classes(parts, m)[0]))
    row: dict[str, Any] = {"shares": shares, "records": records, "x": x, "holds": holds}
    for name, strategy in STRATEGIES.items():
        search, took = timed(lambda strategy=strategy: strategy(Lattice(parts.group(0)), m))
        assert search.holds == holds, name
        row[name] = search.checks
        row[f"{name} ms"] = took
    return {**row, f"{COUNTING} ms": counted}


def figure_6(encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Checks against the power of the attack."""
    return pd.DataFrame(
        _verified(shares, records, m, class_of(encoded, records, CONTRIBUTORS, shares), m)
        for shares in SHARES
        for records in GROUPS
        for m in ((1, 5) if quick else (1, 3, 5, 8, 11, 14))
    )


def figure_7(encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Checks against the number of contributors."""
    return pd.DataFrame(
        _verified(shares, records, n, class_of(encoded, records, n, shares), POWER)
        for shares in SHARES
        for records in GROUPS
        for n in ((6, 8) if quick else (6, 10, 15, 20))
    )


def figure_8(encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Checks against records a provider, with the mean fitness."""
    rows = []
    for shares in SHARES:
        for each in (2, 15) if quick else (2, 6, 10, 15, 20, 30, 50):
            parts = class_of(encoded, each * CONTRIBUTORS, CONTRIBUTORS, shares)
            row = _verified(shares, each * CONTRIBUTORS, each, parts, POWER)
            rows.append({**row, "fitness": Lattice(parts.group(0)).mean_fitness()})
    return pd.DataFrame(rows)


COMPARED = ("provider-aware", "mondrian")
COSTS = ("classes", "contributors", "absolute", "relative", "seconds")


def _each(encoded: Encoded, shares: str, x: int, policy: Policy) -> Iterator[dict[str, Any]]:
    """What each method comes to; NaN where it cannot meet the policy."""
    for method in COMPARED:
        try:
            found = pool(encoded, policy, method, SEED).row()
        except InfeasibleError:
            found = dict.fromkeys(COSTS, float("nan"))
        yield {"shares": shares, "x": x, "method": method, **{name: float(found[name]) for name in COSTS}}


def figure_9(encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Time and query error against m."""
    return pd.DataFrame(
        row
        for shares in SHARES
        for m in ((1, 3) if quick else (1, 2, 3, 4, 5, 7, 9))
        for row in _each(dealt(encoded, PROVIDERS, shares), shares, m, replace(RELEASE, m=m))
    )


def figure_10(encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Time and query error against the number of records."""
    order = np.random.default_rng(SEED).permutation(len(encoded))
    return pd.DataFrame(
        row
        for shares in SHARES
        for size in ((1000, 2000) if quick else (5000, 20_000, len(encoded)))
        for row in _each(dealt(encoded.take(order[:size]), PROVIDERS, shares), shares, size, RELEASE)
    )


IN_ALL = ("binary", "top-down", "adaptive", COUNTING)


def figure_11(encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Checks and time of the whole anonymisation by strategy."""
    order = np.random.default_rng(SEED).permutation(len(encoded))
    rows = []
    for size in (300,) if quick else (300, 600, 1200, 2400, 4800):
        part = dealt(encoded.take(order[:size]), PROVIDERS, "uniform")
        row: dict[str, float] = {"records": size}
        for name in IN_ALL[:-1]:
            row[name], row[f"{name} s"] = _counted(part, name)
        began = time.perf_counter()
        provider_aware(part, RELEASE)
        rows.append({**row, f"{COUNTING} s": time.perf_counter() - began})
    return pd.DataFrame(rows)


def _counted(encoded: Encoded, strategy: str) -> tuple[int, float]:
    """Privacy checks and seconds of one anonymisation that verifies its classes with one strategy."""
    checks = 0

    def holds(policy: Colluding, histogram: ClassHistogram, sensitive: Domain) -> Bools:  # noqa: ARG001
        nonlocal checks
        parts = Contributions.of_joint(histogram, policy.providers, policy.constraint)
        good: Bools = parts.sizes >= policy.k
        for number in np.flatnonzero(good).tolist():  # each class is a search of its own
            search = STRATEGIES[strategy](Lattice(parts.group(number)), policy.m or 0)
            checks += search.checks
            good[number] = search.holds
        return good

    with patch.object(Colluding, "is_satisfied", holds):
        began = time.perf_counter()
        provider_aware(encoded, RELEASE)
        return checks, time.perf_counter() - began


def figure_12(encoded: Encoded, quick: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Time and query error against k, and against l."""
    ks, ls = ((15, 30), (2, 4)) if quick else ((10, 30, 50, 100), (2, 4, 6, 8, 10))
    one, other = (
        pd.DataFrame(
            row
            for shares in SHARES
            for x in xs
            for row in _each(dealt(encoded, PROVIDERS, shares), shares, x, replace(RELEASE, **{name: x}))
        )
        for name, xs in (("k", ks), ("l", ls))
    )
    return one, other


# ---- the same as texts -----------------------------------------------------------------------

Grid = tuple[list[str], list[tuple[str, ...]]]
"""Header and rows."""


def verified_texts(frame: pd.DataFrame, x: str) -> Grid:
    """Figures 6 to 8 as a table; ``x`` is what varies."""
    fitness = "fitness" in frame
    header = ["Shares", "Records", x, *(["mean fitness"] if fitness else []), "m-private", *SHOWN]
    rows = []
    for row in frame.to_dict("records"):
        cells = [str(row["shares"]), f"{row['records']:,}", str(row["x"])]
        cells += [f"{row['fitness']:.3f}"] if fitness else []
        times = " / ".join(f"{row[f'{name} ms']:.2f}" for name in ("adaptive", COUNTING))
        rows.append((*cells, "yes" if row["holds"] else "no", *(f"{row[name]:,}" for name in SHOWN), times))
    return [*header, f"ms: adaptive / {COUNTING}"], rows


def pooled_texts(frame: pd.DataFrame, x: str) -> Grid:
    """Figures 9, 10 and 12 as a table, each cell provider-aware / baseline."""
    forms = dict(zip(COSTS, (",.0f", ".1f", ",.0f", ".2f", ".2f"), strict=True))
    rows = []
    for first in range(0, len(frame), len(COMPARED)):
        some = frame.iloc[first : first + len(COMPARED)]
        cells = [
            " / ".join("–" if np.isnan(value) else f"{value:{form}}" for value in some[name])
            for name, form in forms.items()
        ]
        rows.append((str(some["shares"].iloc[0]), f"{some['x'].iloc[0]:,}", *cells))
    return ["Shares", x, "Classes", "Contributors", "Error", "Relative", "Seconds"], rows


def strategy_texts(frame: pd.DataFrame) -> Grid:
    """Figure 11 as a table."""
    rows = []
    for row in frame.to_dict("records"):
        seconds = " / ".join(f"{row[f'{name} s']:.2f}" for name in IN_ALL)
        rows.append((f"{row['records']:,}", *(f"{row[name]:,}" for name in IN_ALL[:-1]), seconds))
    return ["Records", *IN_ALL[:-1], f"Seconds: {' / '.join(IN_ALL)}"], rows


# ---- the page ------------------------------------------------------------------------------


def findings(encoded: Encoded, quick: bool = False) -> Iterator[tuple[str, str]]:
    """Every figure as a Markdown table, by its name."""
    yield "figure_6", _table(verified_texts(figure_6(encoded, quick), "m"))
    yield "figure_7", _table(verified_texts(figure_7(encoded, quick), "contributors"))
    yield "figure_8", _table(verified_texts(figure_8(encoded, quick), "records each"))
    yield "figure_9", _table(pooled_texts(figure_9(encoded, quick), "m"))
    yield "figure_10", _table(pooled_texts(figure_10(encoded, quick), "records"))
    yield "figure_11", _table(strategy_texts(figure_11(encoded, quick)), 0)
    by_k, by_l = figure_12(encoded, quick)
    yield "figure_12_k", _table(pooled_texts(by_k, "k"))
    yield "figure_12_l", _table(pooled_texts(by_l, "l"))


def _table(grid: Grid, words: int = 1) -> str:
    return "\n".join(table(*grid, words))


def main(asked: argparse.Namespace) -> None:
    """Redraw the figures, print them, and write the page if asked."""
    adult = load(None, None, None, asked.quick).pooled
    if adult is None:
        print(ABSENT, file=sys.stderr)
    encoded = Data(asked.quick).encoded if adult is None or asked.quick else adult.encoded
    text = TEXT.read_text(encoding="utf-8")
    for name, rows in findings(encoded, asked.quick):
        print(f"\n{name}\n\n{rows}", flush=True)
        text = text.replace("{{" + name + "}}", rows)
    text = text.replace("{{measured}}", f"Measured on {asked.date}: {machine()}.")
    if asked.write:
        FILE.write_text(text, encoding="utf-8")
        print(f"\n{FILE.relative_to(ROOT)} is written.", file=sys.stderr)

"""Figures 6 to 12 of Goryczka, Xiong and Fung (2011) run anew, as numbers and as tables.

The one place where they are run: the page of all papers (:mod:`benchmarks.papers.goryczka`) draws the same numbers.

``python -m benchmarks --only providers --write`` writes assets/method/providers_comparison.md.
Numbers of checks do not depend on the machine; times do.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import ABSENT, ROOT, Data
from benchmarks.markdown import table
from benchmarks.papers.tables import load
from benchmarks.table import machine
from core import Policy
from core.algorithms.provider_aware import provider_aware
from core.data.domain import Domain
from core.data.encoding import Encoded
from core.data.schema import Kind
from core.errors import InfeasibleError
from core.privacy.coalitions import SHARES, STRATEGIES, Colluding, Contributions, Group, assign_providers, shortcut
from core.privacy.coalitions.group import Constraint
from core.study.provider_cost import pool

FILE = ROOT / "assets" / "method" / "providers_comparison.md"
TEXT = Path(__file__).with_name("providers_text.md")
SEED = 0
VERIFY = Policy(50, l=4)
RELEASE = Policy(30, l=4, m=3)
GROUPS = (150, 750)
PROVIDERS, CONTRIBUTORS, POWER = 10, 15, 5
ALL = {**STRATEGIES, "shortcut": shortcut}
SHOWN = tuple(name for name in ALL if name != "adaptive")


def dealt(encoded: Encoded, providers: int, shares: str = "exponential") -> Encoded:
    """Return the records with a provider each."""
    names = tuple(f"P{i + 1}" for i in range(providers))
    source = assign_providers(len(encoded), providers, shares, SEED)
    return replace(encoded, provider=Domain("provider", Kind.CATEGORICAL, names), source=source)


def group_of(encoded: Encoded, records: int, contributors: int, shares: str, policy: Policy = VERIFY) -> Group:
    """Some records of the table, drawn at random, as one class of so many contributors."""
    rows = np.random.default_rng(SEED).permutation(len(encoded))[:records]
    part = dealt(encoded.take(rows), contributors, shares)
    assert part.source is not None
    constraint = Constraint(policy, part.sensitive, part.overall)
    zeros = np.zeros(len(part), dtype=np.int64)
    return Contributions.tally(zeros, part.secret, part.source, contributors, constraint).group(0)


@dataclass(frozen=True)
class Verified:
    """One class verified by one strategy."""

    holds: bool
    checks: int
    milliseconds: float


def verify(group: Group, m: int) -> dict[str, Verified]:
    """Every strategy on one class; the time is the least of three."""
    found = {}
    for name, strategy in ALL.items():
        took = []
        for _ in range(3):
            began = time.perf_counter()
            search = strategy(group, m)
            took.append(time.perf_counter() - began)
        found[name] = Verified(search.holds, search.checks, 1000 * min(took))
    assert len({one.holds for one in found.values()}) == 1
    return found


# ---- the figures: numbers, a row a setting --------------------------------------------------


def _verified(shares: str, records: int, x: int, group: Group, m: int) -> dict[str, Any]:
    """One class verified by every strategy: checks, whether it holds, and milliseconds of two of them."""
    found = verify(group, m)
    checks = {name: found[name].checks for name in SHOWN}
    times = {f"{name} ms": found[name].milliseconds for name in ("adaptive", "shortcut")}
    return {"shares": shares, "records": records, "x": x, "holds": found["direct"].holds, **checks, **times}


def figure_6(encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Checks against the power of the attack."""
    return pd.DataFrame(
        _verified(shares, records, m, group_of(encoded, records, CONTRIBUTORS, shares), m)
        for shares in SHARES
        for records in GROUPS
        for m in ((1, 5) if quick else (1, 3, 5, 8, 11, 14))
    )


def figure_7(encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Checks against the number of contributors."""
    return pd.DataFrame(
        _verified(shares, records, n, group_of(encoded, records, n, shares), POWER)
        for shares in SHARES
        for records in GROUPS
        for n in ((6, 8) if quick else (6, 10, 15, 20))
    )


def figure_8(encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Checks against records a provider, with the mean fitness."""
    rows = []
    for shares in SHARES:
        for each in (2, 15) if quick else (2, 6, 10, 15, 20, 30, 50):
            group = group_of(encoded, each * CONTRIBUTORS, CONTRIBUTORS, shares)
            row = _verified(shares, each * CONTRIBUTORS, each, group, POWER)
            rows.append({**row, "fitness": group.mean_fitness()})
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


IN_ALL = ("binary", "top-down", "adaptive", "shortcut")


def figure_11(encoded: Encoded, quick: bool) -> pd.DataFrame:
    """Checks and time of the whole anonymisation by strategy."""
    order = np.random.default_rng(SEED).permutation(len(encoded))
    rows = []
    for size in (300,) if quick else (300, 600, 1200, 2400, 4800):
        part = dealt(encoded.take(order[:size]), PROVIDERS, "uniform")
        found = {name: _counted(part, name) for name in IN_ALL}
        checks = {name: made for name, (made, _) in found.items()}
        rows.append({"records": size, **checks, **{f"{name} s": took for name, (_, took) in found.items()}})
    return pd.DataFrame(rows)


def _counted(encoded: Encoded, strategy: str) -> tuple[int, float]:
    """Privacy checks and seconds of one anonymisation with one strategy."""
    made: list[int] = []
    first = Colluding.holds

    def holds(self: Colluding, *given: object) -> object:
        before = len(self.checks)
        answer = first(self, *given)  # type: ignore[arg-type]
        made.append(sum(self.checks[before:]))
        return answer

    Colluding.holds = holds  # type: ignore[assignment, method-assign]
    try:
        began = time.perf_counter()
        provider_aware(encoded, RELEASE, strategy=strategy)
        took = time.perf_counter() - began
    finally:
        Colluding.holds = first  # type: ignore[method-assign]
    return sum(made), took


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
        times = " / ".join(f"{row[f'{name} ms']:.2f}" for name in ("adaptive", "shortcut"))
        rows.append((*cells, "yes" if row["holds"] else "no", *(f"{row[name]:,}" for name in SHOWN), times))
    return [*header, "ms: adaptive / shortcut"], rows


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

"""Figures 6 to 12 of Goryczka, Xiong and Fung (2011) redrawn as tables of numbers.

``python -m benchmarks --only providers --write`` writes assets/method/providers_comparison.md.
Numbers of checks do not depend on the machine; times do.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.data import ABSENT, ADULT_COLUMNS, ROOT, Data, adult_schema, folder
from benchmarks.markdown import table
from benchmarks.table import machine
from core import Policy, read_table
from core.algorithms.provider_aware import provider_aware
from core.data.domain import Domain
from core.data.encoding import Encoded, encode
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


def adult_45222(place: Path) -> Encoded:
    """Return the training and test parts of Adult together, complete records only."""
    train = gzip.decompress((place / "adult" / "adult.data.gz").read_bytes()).decode()
    test = gzip.decompress((place / "adult" / "adult.test.gz").read_bytes()).decode()
    lines = [line for line in (train + "\n" + test).splitlines() if line.count(",") == len(ADULT_COLUMNS) - 1]
    text = "\n".join([", ".join(ADULT_COLUMNS), *(line.rstrip(".") for line in lines)])
    return encode(read_table(text.encode()), adult_schema())


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


# ---- the figures -------------------------------------------------------------------------


Rows = list[tuple[str, ...]]
VERIFY_HEADER = ("Shares", "Records", "{}", "m-private", *SHOWN, "ms: adaptive / shortcut")


def _verified(shares: str, records: int, x: object, found: dict[str, Verified]) -> tuple[str, ...]:
    yes = "yes" if found["direct"].holds else "no"
    times = " / ".join(f"{found[name].milliseconds:.2f}" for name in ("adaptive", "shortcut"))
    return (shares, f"{records:,}", str(x), yes, *(f"{found[name].checks:,}" for name in SHOWN), times)


def figure_6(encoded: Encoded, quick: bool) -> Rows:
    """Checks against the power of the attack."""
    return [
        _verified(shares, records, m, verify(group_of(encoded, records, CONTRIBUTORS, shares), m))
        for shares in SHARES
        for records in GROUPS
        for m in ((1, 5) if quick else (1, 3, 5, 8, 11, 14))
    ]


def figure_7(encoded: Encoded, quick: bool) -> Rows:
    """Checks against the number of contributors."""
    return [
        _verified(shares, records, n, verify(group_of(encoded, records, n, shares), POWER))
        for shares in SHARES
        for records in GROUPS
        for n in ((6, 8) if quick else (6, 10, 15, 20))
    ]


def figure_8(encoded: Encoded, quick: bool) -> Rows:
    """Checks against records a provider, with the mean fitness."""
    rows = []
    for shares in SHARES:
        for each in (2, 15) if quick else (2, 6, 10, 15, 20, 30, 50):
            group = group_of(encoded, each * CONTRIBUTORS, CONTRIBUTORS, shares)
            row = _verified(shares, each * CONTRIBUTORS, each, verify(group, POWER))
            rows.append((*row[:3], f"{group.mean_fitness():.3f}", *row[3:]))
    return rows


COMPARED = ("provider-aware", "mondrian", "provider-last")
POOL_HEADER = ("Shares", "{}", "Classes", "Contributors", "Error", "Relative", "Seconds")
"""Each cell: provider-aware / baseline / baseline, then between providers."""


def _each(encoded: Encoded, shares: str, x: object, policy: Policy) -> tuple[str, ...]:
    cells: list[tuple[str, ...]] = []
    for method in COMPARED:
        try:
            found = pool(encoded, policy, method, SEED).row()
        except InfeasibleError:
            cells.append(("–",) * 5)
            continue
        cells.append(
            (
                f"{found['classes']:,}",
                f"{found['contributors']:.1f}",
                f"{found['absolute']:,.0f}",
                f"{found['relative']:.2f}",
                f"{found['seconds']:.2f}",
            )
        )
    return (shares, str(x), *(" / ".join(column) for column in zip(*cells, strict=True)))


def figure_9(encoded: Encoded, quick: bool) -> Rows:
    """Time and query error against m."""
    return [
        _each(dealt(encoded, PROVIDERS, shares), shares, m, replace(RELEASE, m=m))
        for shares in SHARES
        for m in ((1, 3) if quick else (1, 2, 3, 4, 5, 7, 9))
    ]


def figure_10(encoded: Encoded, quick: bool) -> Rows:
    """Time and query error against the number of records."""
    order = np.random.default_rng(SEED).permutation(len(encoded))
    sizes = (1000, 2000) if quick else (5000, 20_000, len(encoded))
    return [
        _each(dealt(encoded.take(order[:size]), PROVIDERS, shares), shares, f"{size:,}", RELEASE)
        for shares in SHARES
        for size in sizes
    ]


IN_ALL = ("binary", "top-down", "adaptive", "shortcut")


def figure_11(encoded: Encoded, quick: bool) -> Rows:
    """Checks and time of the whole anonymisation by strategy."""
    order = np.random.default_rng(SEED).permutation(len(encoded))
    rows = []
    for size in (300,) if quick else (300, 600, 1200, 2400, 4800):
        part = dealt(encoded.take(order[:size]), PROVIDERS, "uniform")
        found = [_counted(part, strategy) for strategy in IN_ALL]
        checks = (f"{made:,}" for made, _ in found[:-1])
        rows.append((f"{size:,}", *checks, " / ".join(f"{took:.2f}" for _, took in found)))
    return rows


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


def figure_12(encoded: Encoded, quick: bool) -> tuple[Rows, Rows]:
    """Time and query error against k, and against l."""
    ks, ls = ((15, 30), (2, 4)) if quick else ((10, 30, 50, 100), (2, 4, 6, 8, 10))
    by_k = [_each(dealt(encoded, PROVIDERS, s), s, k, replace(RELEASE, k=k)) for s in SHARES for k in ks]
    by_l = [_each(dealt(encoded, PROVIDERS, s), s, least, replace(RELEASE, l=least)) for s in SHARES for least in ls]
    return by_k, by_l


# ---- the page ------------------------------------------------------------------------------


def _table(header: Sequence[str], x: str, rows: Rows, words: int) -> str:
    return "\n".join(table([cell.replace("{}", x) for cell in header], rows, words))


def findings(encoded: Encoded, quick: bool = False) -> Iterator[tuple[str, str]]:
    """Every figure as a Markdown table, by its name."""
    yield "figure_6", _table(VERIFY_HEADER, "m", figure_6(encoded, quick), 1)
    yield "figure_7", _table(VERIFY_HEADER, "contributors", figure_7(encoded, quick), 1)
    header = (*VERIFY_HEADER[:3], "mean fitness", *VERIFY_HEADER[3:])
    yield "figure_8", _table(header, "records each", figure_8(encoded, quick), 1)
    yield "figure_9", _table(POOL_HEADER, "m", figure_9(encoded, quick), 1)
    yield "figure_10", _table(POOL_HEADER, "records", figure_10(encoded, quick), 1)
    header = ("Records", *IN_ALL[:-1], f"Seconds: {' / '.join(IN_ALL)}")
    yield "figure_11", _table(header, "", figure_11(encoded, quick), 0)
    by_k, by_l = figure_12(encoded, quick)
    yield "figure_12_k", _table(POOL_HEADER, "k", by_k, 1)
    yield "figure_12_l", _table(POOL_HEADER, "l", by_l, 1)


def main(asked: argparse.Namespace) -> None:
    """Redraw the figures, print them, and write the page if asked."""
    place = folder()
    if place is None:
        print(ABSENT, file=sys.stderr)
    encoded = Data(asked.quick).encoded if place is None or asked.quick else adult_45222(place)
    text = TEXT.read_text(encoding="utf-8")
    for name, rows in findings(encoded, asked.quick):
        print(f"\n{name}\n\n{rows}", flush=True)
        text = text.replace("{{" + name + "}}", rows)
    text = text.replace("{{measured}}", f"Measured on {asked.date}: {machine()}.")
    if asked.write:
        FILE.write_text(text, encoding="utf-8")
        print(f"\n{FILE.relative_to(ROOT)} is written.", file=sys.stderr)

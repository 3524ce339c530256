"""The numbers of Ganta, Kasiviswanathan and Smith (KDD 2008) beside ours, for the Method page.

``python -m benchmarks.papers --only ganta --write`` writes assets/method/paper_comparison.md, with
the runs of the three scenarios that the figures are drawn from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.data import ROOT, adult_schema, folder, ipums_schema
from benchmarks.markdown import Mean
from benchmarks.papers import comparison_text, variants
from benchmarks.papers.findings import Findings, Setting
from benchmarks.papers.ganta import Ganta
from benchmarks.papers.scenarios import Tell
from benchmarks.papers.tables import Source
from benchmarks.table import machine
from core import Policy, Release, Schema
from core.algorithms import partition
from core.data.encoding.encoded import Encoded, encode
from core.study.hospitals import Hospital, Study
from core.study.one_run import outcome_of, run_study, seeds

FILE = ROOT / "assets" / "method" / "paper_comparison.md"
OVERLAP = 5000
KS = (2, 5, 10, 25, 50)
SCENARIO_KS = (5, 10, 15, 20, 30, 50)
SEED = 0
REDRAWS = 10
FEW = 3
"""Redraws of a variant: it is to show a direction, not an interval."""

Cut = Callable[[Encoded], Release]
Pair = tuple[Cut, Cut]


def find(encoded: Encoded, pair: Pair, redraws: int, size: int | None = None) -> Setting:
    """Draw two hospitals, partition each in its way, attack the shared people; several times over."""
    study = Study((Hospital(Policy(2)),) * 2, OVERLAP, size=size, locate="assumed")
    rows = []
    for seed in seeds(SEED, redraws):
        parts = study.draw(encoded, seed)
        releases = [cut(part) for cut, part in zip(pair, parts, strict=True)]
        outcome = outcome_of(releases, parts, study)
        result = outcome.result
        per_class = np.mean([len(part) / len(release.sizes) for part, release in zip(parts, releases, strict=True)])
        rows.append(
            (
                result.breached(1.0).mean(),
                result.breached(0.25).mean(),
                result.single(1.0),
                result.single(0.25),
                per_class,
                outcome.class_size,
                result.effective_anonymity.mean(),
                result.posterior.mean(),
                len(parts[0]),
            )
        )
    one_value_left, quarter, alone, alone_quarter, per, seen, before, after, sizes = zip(*rows, strict=True)
    return Setting(
        Mean.of(one_value_left, OVERLAP),
        Mean.of(quarter, OVERLAP),
        float(np.mean(alone)),
        float(np.mean(alone_quarter)),
        int(sizes[0]),
        float(np.mean(per)),
        float(np.mean(seen)),
        (min(seen), max(seen)),
        float(np.mean(before)),
        float(np.mean(after)),
    )


def alike(policy: Policy) -> Pair:
    """Both hospitals run Mondrian with one policy."""
    return (lambda part: partition(part, policy),) * 2


def by(first: variants.Partition, second: variants.Partition, k: int) -> Pair:
    """Each hospital has its own way."""
    return (lambda part: first(part, k)), (lambda part: second(part, k))


def mondrian(encoded: Encoded, k: int) -> Release:
    """Ours, at this k."""
    return partition(encoded, Policy(k))


@dataclass(frozen=True)
class Both:
    """The two tables of the paper, and Adult once more with taxonomies."""

    adult: Source
    ipums: Source
    adult_trees: Encoded

    def one_level(self) -> tuple[Encoded, Encoded]:
        """Both with taxonomies of one level."""
        return (
            encode(self.adult.table, variants.one_level(self.adult.table, adult_schema())),
            encode(self.ipums.table, variants.one_level(self.ipums.table, ipums_schema())),
        )

    def order_of(self, names: Sequence[str]) -> Encoded:
        """IPUMS with its quasi-identifiers in another order: ties go to the first."""
        given = ipums_schema()
        return encode(
            self.ipums.table, Schema(names, given.sensitive, column_types=dict(given.column_types), unassigned="drop")
        )


def both(ganta: Ganta) -> Both | None:
    """The tables; ``None`` where one is absent, or the taxonomies of Adult are."""
    place, adult, ipums = folder(), ganta.tables.adult, ganta.tables.ipums
    if place is None or adult is None or ipums is None:
        return None
    return Both(adult, ipums, encode(adult.table, adult_schema(place)))


def main_findings(
    tables: Both, tell: Tell, ks: Sequence[int] = KS, redraws: int = REDRAWS
) -> dict[tuple[str, int], Setting]:
    """k = 2 to 50 on Adult, on Adult with taxonomies, and on IPUMS."""
    named = {"Adult": tables.adult.encoded, "Adult, taxonomies": tables.adult_trees, "IPUMS": tables.ipums.encoded}
    findings = {}
    for name, encoded in named.items():
        for k in ks:
            findings[name, k] = find(encoded, alike(Policy(k)), redraws)
            tell(f"{name}, k = {k}")
    return findings


def tried(tables: Both, tell: Tell, redraws: int = REDRAWS, few: int = FEW) -> dict[str, Setting]:
    """What the paper leaves open, one thing at a time; k = 5 where the name does not say otherwise."""
    adult, ipums, k = tables.adult.encoded, tables.ipums.encoded, 5
    flat_adult, flat_ipums = tables.one_level()
    plain, ten, distinct = alike(Policy(k)), alike(Policy(10)), alike(Policy(10, l=5))
    entropy, t = alike(Policy(10, l=5, diversity="entropy")), alike(Policy(10, t=0.4))
    mixed = by(mondrian, variants.microaggregation, k)
    twice = by(variants.microaggregation, variants.microaggregation, k)
    middle = by(variants.median_only, variants.median_only, k)
    backwards = tables.order_of(ipums_schema().quasi_identifiers[::-1])
    jobs: dict[str, tuple[Encoded, Pair, int, int | None]] = {
        **{f"adult {size:,}": (adult, plain, few, size) for size in (6_000, 10_000)},
        "adult one level": (flat_adult, plain, few, None),
        "adult median": (adult, middle, few, None),
        "adult mixed": (adult, mixed, few, None),
        "adult micro": (adult, twice, few, None),
        **{f"ipums {size:,}": (ipums, plain, few, size) for size in (10_000, 20_000, 34_000)},
        "ipums one level": (flat_ipums, plain, few, None),
        "ipums median": (ipums, middle, few, None),
        "ipums mixed": (ipums, mixed, few, None),
        "ipums micro": (ipums, twice, few, None),
        "ipums 34,000, k 10": (ipums, ten, few, 34_000),
        "l": (ipums, entropy, redraws, None),
        "l, 20,000": (ipums, entropy, few, 20_000),
        "l, backwards": (backwards, entropy, few, None),
        "distinct l, one level, 20,000": (flat_ipums, distinct, few, 20_000),
        "t": (ipums, t, redraws, None),
        "t, 20,000": (ipums, t, few, 20_000),
        "t, ordered": (ipums, alike(Policy(10, t=0.4, distance="ordered")), few, None),
    }
    findings = {}
    for name, (encoded, pair, times, size) in jobs.items():
        findings[name] = find(encoded, pair, times, size)
        tell(name)
    return findings


def without_occupation(encoded: Encoded, k: int) -> tuple[float, float, float]:
    """Share of shared people without an occupation; share with one value left among them, and among the others."""
    rows = []
    for seed in seeds(SEED, FEW):
        study = Study.uniform(Policy(k), OVERLAP)
        result = run_study(encoded, study, seed).result
        none = result.truth == int(np.argmax(encoded.overall))
        hit = result.breached(1.0)
        rows.append((none.mean(), hit[none].mean(), hit[~none].mean()))
    first, second, third = np.mean(rows, axis=0)
    return float(first), float(second), float(third)


def guesses(encoded: Encoded) -> tuple[float, float]:
    """How often naming the most common value, and the four most common, is right."""
    shares = np.sort(encoded.overall)[::-1] / len(encoded)
    return float(shares[0]), float(shares[:4].sum())


def bits(encoded: Encoded) -> float:
    """Entropy of the sensitive attribute in bits."""
    shares = encoded.overall[encoded.overall > 0] / len(encoded)
    return float(-(shares * np.log2(shares)).sum())


def at(frame: pd.DataFrame, ks: Sequence[int]) -> pd.DataFrame:
    """The rows of some values of k; a draw is cut for all of them alike, so other values change nothing."""
    return frame[frame["k"].isin(ks)].reset_index(drop=True)


def text(ganta: Ganta, tables: Both, date: str) -> str:
    """Compute everything, as far as the figures have not, and put it in words."""
    began = time.perf_counter()
    coded = {source.name: source.encoded for source in (tables.adult, tables.ipums)}
    findings = Findings(
        main_findings(tables, ganta.tell),
        tried(tables, ganta.tell),
        {name: guesses(encoded) for name, encoded in coded.items()},
        without_occupation(tables.ipums.encoded, 5),
        {name: bits(encoded) for name, encoded in coded.items()},
        {source.name: at(ganta.two(source), SCENARIO_KS) for source in (tables.adult, tables.ipums)},
        {source.name: at(ganta.many(source), SCENARIO_KS) for source in (tables.adult, tables.ipums)},
    )
    minutes = f"{(time.perf_counter() - began) / 60:.0f} minutes"
    return comparison_text.text(findings, few=str(FEW), seed=str(SEED), minutes=minutes, date=date, machine=machine())

"""The numbers of Ganta, Kasiviswanathan and Smith (KDD 2008) beside ours.

``python -m benchmarks --only paper --write`` writes assets/method/paper_comparison.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks import paper_text, variants
from benchmarks.data import ROOT, adult_schema, folder, ipums_schema
from benchmarks.paper_found import OVERLAP, Findings, Found, Share
from benchmarks.papers import tables as papers
from benchmarks.scenarios import scenarios
from benchmarks.table import machine
from core import Policy, Release, Schema, Table
from core.algorithms import partition
from core.data.encoding import Encoded, encode
from core.study.hospitals import Hospital, Study
from core.study.run import outcome_of, run_study, seeds

FILE = ROOT / "assets" / "method" / "paper_comparison.md"
KS = (2, 5, 10, 25, 50)
SCENARIO_KS = (5, 10, 15, 20, 30, 50)
MANY = (2, 3, 4)
"""Numbers of releases."""
SEED = 0
REDRAWS = 10
FEW = 3
"""Redraws of a variant: it is to show a direction, not an interval."""

Cut = Callable[[Encoded], Release]
Pair = tuple[Cut, Cut]


def find(encoded: Encoded, pair: Pair, redraws: int, size: int | None = None) -> Found:
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
                result.prior.mean(),
                result.posterior.mean(),
                len(parts[0]),
            )
        )
    perfect, quarter, alone, alone_quarter, per, seen, before, after, sizes = zip(*rows, strict=True)
    return Found(
        Share.of(perfect),
        Share.of(quarter),
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
class Tables:
    """The two tables of the paper."""

    adult: Table
    adult_coded: Encoded
    adult_trees: Encoded
    ipums: Table
    ipums_coded: Encoded

    def one_level(self) -> tuple[Encoded, Encoded]:
        """Both with taxonomies of one level."""
        return (
            encode(self.adult, variants.one_level(self.adult, adult_schema())),
            encode(self.ipums, variants.one_level(self.ipums, ipums_schema())),
        )

    def order_of(self, names: Sequence[str]) -> Encoded:
        """IPUMS with its quasi-identifiers in another order: ties go to the first."""
        given = ipums_schema()
        return encode(self.ipums, Schema(names, given.sensitive, kinds=dict(given.kinds), others="drop"))


def load() -> Tables | None:
    """Read the tables, or return ``None`` where they are absent."""
    place, found = folder(), papers.load(None, None, None, quick=False)
    if place is None or found.adult is None or found.ipums is None:
        return None
    trees = encode(found.adult.table, adult_schema(place))
    return Tables(found.adult.table, found.adult.encoded, trees, found.ipums.table, found.ipums.encoded)


def main_findings(tables: Tables, ks: Sequence[int], redraws: int) -> dict[tuple[str, int], Found]:
    """k = 2 to 50 on Adult, on Adult with taxonomies, and on IPUMS."""
    named = {"Adult": tables.adult_coded, "Adult, taxonomies": tables.adult_trees, "IPUMS": tables.ipums_coded}
    found = {}
    for name, encoded in named.items():
        for k in ks:
            found[name, k] = find(encoded, alike(Policy(k)), redraws)
            _tell(f"{name}, k = {k}")
    return found


def tried(tables: Tables, redraws: int, few: int) -> dict[str, Found]:
    """What the paper leaves open, one thing at a time; k = 5 where the name does not say otherwise."""
    adult, ipums, k = tables.adult_coded, tables.ipums_coded, 5
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
    found = {}
    for name, (encoded, pair, times, size) in jobs.items():
        found[name] = find(encoded, pair, times, size)
        _tell(name)
    return found


def without_occupation(encoded: Encoded, k: int) -> tuple[float, float, float]:
    """Share of shared people without an occupation; share with one value left among them, and among the others."""
    rows = []
    for seed in seeds(SEED, FEW):
        study = Study.alike(Policy(k), OVERLAP)
        result = run_study(encoded, study, seed).result
        none = result.truth == int(np.argmax(encoded.overall))
        hit = result.breached(1.0)
        rows.append((none.mean(), hit[none].mean(), hit[~none].mean()))
    first, second, third = np.mean(rows, axis=0)
    return float(first), float(second), float(third)


def guesses(encoded: Encoded) -> tuple[float, float]:
    """How often naming the commonest value, and the four commonest, is right."""
    shares = np.sort(encoded.overall)[::-1] / len(encoded)
    return float(shares[0]), float(shares[:4].sum())


def bits(encoded: Encoded) -> float:
    """Entropy of the sensitive attribute in bits."""
    shares = encoded.overall[encoded.overall > 0] / len(encoded)
    return float(-(shares * np.log2(shares)).sum())


def _scenarios(name: str, encoded: Encoded, releases: Sequence[int]) -> pd.DataFrame:
    """The three scenarios of Figure 1 at every k."""

    def tell(words: str) -> None:
        _tell(f"scenarios, {name}, up to {max(releases)} releases, {words}")

    return scenarios(encoded, SCENARIO_KS, releases, FEW, OVERLAP, SEED, tell)


def _tell(words: str) -> None:
    print(f"paper: {words} ...", file=sys.stderr, flush=True)


def main(asked: argparse.Namespace) -> None:
    """Compute everything; print the text, or write it."""
    began = time.perf_counter()
    tables = load()
    if tables is None:
        print("The paper's tables are not here (../shared/data, or the folder that COMPOSITION_DATA names).")
        return
    if asked.quick:
        found = main_findings(tables, (5,), 2)
        print("\n".join(paper_text.main_table(found)))
        return
    coded = {"Adult": tables.adult_coded, "IPUMS": tables.ipums_coded}
    findings = Findings(
        main_findings(tables, KS, REDRAWS),
        tried(tables, REDRAWS, FEW),
        {name: guesses(encoded) for name, encoded in coded.items()},
        without_occupation(tables.ipums_coded, 5),
        {name: bits(encoded) for name, encoded in coded.items()},
        *({name: _scenarios(name, encoded, releases) for name, encoded in coded.items()} for releases in ((2,), MANY)),
    )
    minutes = (time.perf_counter() - began) / 60
    text = paper_text.text(
        findings, few=str(FEW), seed=str(SEED), minutes=f"{minutes:.0f} minutes", date=asked.date, machine=machine()
    )
    if asked.write:
        FILE.write_text(text, encoding="utf-8")
    else:
        print(text)

"""What balance costs and what it brings: loss, and how often the weighted adversary is right after two releases.

``python -m benchmarks --only balance --write`` puts the table into benchmarks/README.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from benchmarks import table
from benchmarks.hold import Case, cases
from benchmarks.markdown import percent
from benchmarks.markdown import table as markdown
from core import Policy
from core.algorithms import partition
from core.attack.intersection import intersection_attack
from core.attack.weighted import weigh
from core.errors import InfeasibleError
from core.privacy.declared.balance import balances
from core.release.utility import gcp
from core.study.draw import overlapping_samples

ASKED = (None, 0.1, 0.25, 0.5, 0.7, 0.9)
DRAWS, OVERLAP = 5, 5_000
HEADER = (
    "Table",
    "Balance asked",
    "Balance reached",
    "Loss (GCP)",
    "Suppressed, %",
    "Likeliest value right after two releases, %",
)


def rows(case: Case, draws: int) -> Iterator[tuple[str, ...]]:
    """One row a balance; the policy is that of the agreed list of the case."""
    closed = case.ways[-1][1]
    overlap = min(OVERLAP, len(case.encoded) // 6)
    for asked in ASKED:
        policy = closed.with_(balance=asked)
        words = "none" if asked is None else f"{asked:g}"
        try:
            release = partition(case.encoded, policy, "by-bucket")
            right = [_right(case, policy, overlap, seed) for seed in range(draws)]
        except InfeasibleError:
            yield (case.name, words, "refused", *["–"] * (len(HEADER) - 3))
            continue
        yield (
            case.name,
            words,
            f"{balances(release.histogram, case.encoded.sensitive).min():.3f}",
            f"{gcp(release):.3f}",
            f"{100 * release.classes.suppressed / len(case.encoded):.1f}",
            percent(float(np.mean(right))),
        )


def _right(case: Case, policy: Policy, overlap: int, seed: int) -> float:
    """Share of the shared people whose value the weighted adversary names, from two releases with classes known."""
    parts = overlapping_samples(len(case.encoded), overlap, 2, seed=seed)
    releases = [partition(case.encoded.take(part), policy, "by-bucket") for part in parts]
    weighted = weigh(intersection_attack(releases, [np.arange(overlap)] * 2, "assumed"))
    return float(weighted.hit[weighted.judged].sum() / overlap)


def main(asked: argparse.Namespace) -> None:
    """Release, attack, print, and write the table if asked."""
    draws, lines = 2 if asked.quick else DRAWS, []
    for case in cases(asked.quick):
        if len(case.ways) == 1:  # the other lists of the city lose most of it without balance already
            continue
        for row in rows(case, draws):
            print(" | ".join(row), flush=True)
            lines.append(row)
    if asked.write:
        facts = f"Measured on {asked.date}: the whole table for loss, {draws} draws of two hospitals for the adversary."
        table.write("balance", f"{facts}\n\n" + "\n".join(markdown(HEADER, lines, 1)))

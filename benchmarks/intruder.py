"""What an adversary with a population list claims: ``python -m benchmarks --only intruder --write``.

Adult is the list. Two hospitals of 6,000 share 1,500 people and release by Mondrian at k = 5. The last row is of a list
that is made around the first hospital alone, as the pages make it.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.data import ABSENT, Data, folder
from benchmarks.markdown import table
from benchmarks.table import machine, write
from core import Policy, overlapping_samples
from core.algorithms import partition
from core.attack.intruder import KNOWS, Claims, PopulationList, claims_of, places_on
from core.base.arrays import Floats
from core.data.encoding.encoded import Encoded
from core.study.hospitals import Hospital, Study
from core.study.one_run import run_study
from core.study.population import Intruder, list_claims

K, SIZE, SHARED, SEEDS = 5, 6_000, 1_500, 16
GUESS_BY = ("sex", "education")


def claimed(encoded: Encoded, size: int, shared: int, seed: int, by: tuple[str, ...]) -> dict[str, list[float]]:
    """Numbers of each adversary: claims, and shares of them or, for the fourth, of the shared people."""
    rows = overlapping_samples(len(encoded), shared, sizes=size, seed=seed)
    releases = [partition(encoded.take(each), Policy(K), "mondrian") for each in rows]
    listed, places = PopulationList.of(encoded), [places_on(each, len(encoded)) for each in rows]
    in_all, nowhere = (np.all([(place >= 0) == there for place in places], axis=0) for there in (True, False))
    found = {}
    for knows in KNOWS:
        named, best = (claims_of(releases, places, in_all, listed, knows, guess_by=each) for each in (by, None))
        strangers = named.right[nowhere[named.person]]
        found[knows] = _numbers(named, best, float(strangers.mean()) if len(strangers) else np.nan)
    mine = encoded.take(np.sort(rows[0]))
    study = Study((Hospital(Policy(K), "mondrian"), Hospital(Policy(K), "mondrian", origin="resampled")), shared)
    outcome = run_study(mine, study, seed)
    named, best = (list_claims(mine, study, outcome, seed, Intruder("list", len(encoded), each)) for each in (by, None))
    found["list, made"] = _numbers(named, best, np.nan)
    return found


def _numbers(named: Claims, best: Claims, strangers: float) -> list[float]:
    disclosed = named.disclosures / max(1, named.claims)
    return [named.claims, named.share_right, disclosed, named.reached, strangers, named.guesser, best.guesser]


def lines(encoded: Encoded, size: int, shared: int, seeds: int) -> list[str]:
    """The table: a row for each adversary, with the mean and the range over draws."""
    by = tuple(name for name in GUESS_BY if name in {domain.name for domain in encoded.qids})
    draws = [claimed(encoded, size, shared, seed, by) for seed in range(seeds)]
    rows = []
    for knows in draws[0]:
        numbers = np.array([draw[knows] for draw in draws])
        cells = [_ranged(numbers[:, place], f"{{:,.{min(place, 1)}f}}", 100 if place else 1) for place in range(7)]
        rows.append((knows, *cells))
    heads = ("Claims", "Right", "Right, in both", "Reached", "Strangers right", "Guesser", "Strongest guesser")
    return table(("Knows", *heads), rows, words=1)


def _ranged(numbers: Floats, form: str, times: float) -> str:
    if np.isnan(numbers).any():
        return ""
    mean, low, high = (form.format(times * number) for number in (numbers.mean(), numbers.min(), numbers.max()))
    return f"{mean} ({low} to {high})"


def main(asked: argparse.Namespace) -> None:
    """Attack with the list, print the table, and write it if asked."""
    data = Data(asked.quick)
    if folder() is None:
        print(ABSENT)
    sizes = (600, 150, 2) if asked.quick else (SIZE, SHARED, SEEDS)
    shown = "\n".join(lines(data.encoded, *sizes))
    print(shown)
    if asked.write:
        of = f"k = {K}, two hospitals of {SIZE:,}, {SHARED:,} shared, {SEEDS} draws"
        head = f"Measured on {asked.date} on {data.name}, {of}"
        write("intruder", f"{head}: {machine()}.\n\n{shown}")

"""What an update of a release gives away of who is new: ``python -m benchmarks --only updates --write``.

Adult, an earlier version of 15,000 records and a present one with some more, released by Mondrian at k = 10. Beside the
exact attack stands the simple rule, which takes away of a new class the old classes that lie inside it whole.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.data import ABSENT, Data, folder
from benchmarks.markdown import percent, table
from benchmarks.table import machine, write
from core import Policy
from core.algorithms import partition
from core.attack.updates import KNOWLEDGE, update_attack
from core.base.arrays import Ints
from core.data.encoding.encoded import Encoded
from core.release.release import Release
from core.study.kept_classes import keep_classes

K, BEFORE, NEW, SEEDS = 10, 15_000, (30, 300, 1_500), 2


def by_simple_rule(before: Release, after: Release, old: Ints, new: Ints) -> float:
    """Share of newcomers with one value left once old classes that lie whole in a new class are taken away."""
    where = dict(zip(new.tolist(), after.classes.labels.tolist(), strict=True))
    left: list[dict[int, int]] = [{} for _ in range(after.classes.count)]
    for of, value in zip(after.classes.labels.tolist(), after.encoded.sensitive_codes.tolist(), strict=True):
        left[of][value] = left[of].get(value, 0) + 1
    members: dict[int, list[tuple[int, int]]] = {}
    values = before.encoded.sensitive_codes.tolist()
    for person, of, value in zip(old.tolist(), before.classes.labels.tolist(), values, strict=True):
        members.setdefault(of, []).append((person, value))
    for people in members.values():
        homes = {where.get(person, -1) for person, _ in people}
        if len(homes) == 1 and (home := homes.pop()) >= 0:
            for _, value in people:
                left[home][value] -= 1
    single = np.array([sum(many > 0 for many in of.values()) == 1 for of in left])
    return float(single[after.classes.labels[~np.isin(new, old)]].mean())


def lines(encoded: Encoded, records: int, more: tuple[int, ...], seeds: int) -> list[str]:
    """The table: a row for each number of new people and seed."""
    rows = []
    for new in more:
        for seed in range(seeds):
            order = np.random.default_rng(seed).permutation(len(encoded))
            parts = [encoded.take(np.sort(order[:many])) for many in (records, records + new)]
            before, after = (partition(part, Policy(K), "mondrian") for part in parts)
            began = time.perf_counter()
            found = {name: update_attack(before, after, parts[0].rows, parts[1].rows, name) for name in KNOWLEDGE}
            took = (time.perf_counter() - began) / len(found)
            exact = [percent(update.new.one_value_left) for update in found.values()]
            simple = percent(by_simple_rule(before, after, parts[0].rows, parts[1].rows))
            alone = percent(found["all"].new.one_value_alone)
            kept = keep_classes(before, parts[1], parts[0].rows, parts[1].rows)
            remedy = percent(kept.update.new.one_value_left), percent(kept.loss), percent(kept.loss_new)
            rows.append((f"{new:,}", str(seed), alone, simple, *exact, *remedy, f"{took:.2f} s"))
    heads = (
        "New",
        "Seed",
        "New version alone",
        "Simple rule",
        *(f"Exact, knows {name}" for name in KNOWLEDGE),
        "Earlier classes kept",
        "Loss",
        "Loss of new people",
        "Attack",
    )
    return table(heads, rows, words=0)


def main(asked: argparse.Namespace) -> None:
    """Attack the updates, print the table, and write it if asked."""
    data = Data(asked.quick)
    if folder() is None:
        print(ABSENT)
    sizes = (600, (20, 60), 1) if asked.quick else (BEFORE, NEW, SEEDS)
    shown = "\n".join(lines(data.encoded, *sizes))
    print(shown)
    if asked.write:
        write("updates", f"Measured on {asked.date} on {data.name}, k = {K}: {machine()}.\n\n{shown}")

"""The epsilon at which noisy tables reveal as much as releases: ``python -m benchmarks --only twin --write``.

Adult, released by Mondrian, with hospitals that share some of its people and release as it does. Next to the epsilon of
equal gain stands that of equal hits from base rates, which gives a release of one class an epsilon as well.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator

import numpy as np

from benchmarks.data import ABSENT, Data, folder
from benchmarks.markdown import percent, table
from benchmarks.table import machine, write
from core import Policy, dp
from core.algorithms import partition
from core.data.encoding.encoded import Encoded
from core.release.query_error import QueryError, count_records, count_released
from core.study.hospitals import Study
from core.study.redraws import Redraws

COLUMNS, QUERIES, SEED = ("sex", "education"), 500, 1


def lines(data: Data, levels: tuple[int, ...], hospitals: tuple[int, ...], repeats: int) -> list[str]:
    """The table: a row for each number of releases and k."""
    heads = ("R", "k", "Guess", "Releases", "Gain", "ε", "ε by hits", "Error, noise", "Error, release", "Cells alone")
    return table(heads, [row for many in hospitals for row in _rows(data, levels, many, repeats)], words=0)


def _rows(data: Data, levels: tuple[int, ...], hospitals: int, repeats: int) -> Iterator[tuple[str, ...]]:
    encoded = data.encoded
    study = Study.uniform(Policy(levels[0]), data.overlap, hospitals, "mondrian", origin="resampled")
    gains = dp.gains(encoded, study, "k", levels, Redraws(repeats, SEED)).groupby("value").mean()
    people, counted = dp.shared_people(encoded, study, SEED), _table(data)
    truth = encoded.sensitive_codes[people].astype(np.int64)
    targets = dp.NoisyTargets(counted.cell_of[people], truth, counted.sensitive.bin_of)
    guess, rates = dp.Guesser(encoded).prior(people), np.tile(dp.prior_of(encoded), (len(people), 1))

    def right(epsilon: float, prior: np.ndarray = guess) -> float:
        return float(dp.right_by_noise(targets, prior, epsilon, hospitals).mean())

    guessed = float(dp.right_without(guess, truth).mean())
    for k, row in gains.iterrows():
        gain = row["gain"] * (row["surely"] > 0)
        epsilon = dp.equal_epsilon(lambda epsilon: right(epsilon) - guessed, gain)
        by_hits = dp.equal_epsilon(lambda epsilon: right(epsilon, rates), row["right"])
        noise, release, cells = _errors(encoded, counted, int(k), epsilon)
        shares = [percent(row[name]) for name in ("guess", "right", "gain")]
        named = f"{epsilon:.2f}" if epsilon else "none"
        yield (str(hospitals), f"{k:,}", *shares, named, f"{by_hits:.2f}", noise, f"{release:.1f}", f"{cells:.1f}")


def _table(data: Data) -> dp.ContingencyTable:
    names = [name for name in COLUMNS if name in data.schema.quasi_identifiers]
    columns = {
        domain.name: dp.for_charts(data.table.column(domain.name), domain, data.schema, data.table.decimal)
        for domain in (*data.encoded.qids, data.encoded.sensitive)
        if domain.name in (*names, data.schema.sensitive)
    }
    sensitive = columns.pop(data.schema.sensitive)
    return dp.contingency_table(data.table, data.schema, columns, sensitive, data.encoded)


def _errors(encoded: Encoded, counted: dp.ContingencyTable, k: int, epsilon: float) -> tuple[str, float, float]:
    """Average error of the same counts about the columns of the noisy table: noise, my release, its cells alone."""
    release = partition(encoded, Policy(k), "mondrian")
    queries = dp.queries_about(encoded, [axis.name for axis in counted.axes], QUERIES, SEED)
    truth = count_records(release, queries)
    cells = dp.noisy_query_error(counted, encoded, queries, truth).absolute
    mine = QueryError(truth, count_released(release, queries)).absolute
    if not 0 < epsilon < math.inf:
        return "–", mine, cells
    chosen = dp.mechanism("laplace", epsilon)
    noisy = [
        dp.noisy_query_error(
            counted, encoded, queries, truth, counted.counts + dp.simulate(counted.counts.shape, chosen, seed)
        ).absolute
        for seed in range(10)
    ]
    return f"{np.mean(noisy):.1f}", mine, cells


def main(asked: argparse.Namespace) -> None:
    """Attack releases and noisy tables, print the table, and write it if asked."""
    data = Data(asked.quick)
    if folder() is None:
        print(ABSENT)
    half = len(data.encoded) // 2 + 1
    sizes = ((5, half), (2,), 1) if asked.quick else ((5, 10, 25, 50, half), (2, 4), 5)
    shown = "\n".join(lines(data, *sizes))
    print(shown)
    if asked.write:
        write("twin", f"Measured on {asked.date} on {data.name}: {machine()}.\n\n{shown}")

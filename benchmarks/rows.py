"""What is measured: one row of the table each, with its budget and its rivals."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from benchmarks import anonypyx_published, anonypyx_runs, memory, twins
from benchmarks.data import Data, shape
from benchmarks.timing import Run
from benchmarks.twins import Versus
from core import Policy, Release, Schema, Table, anonymize, dp, examples, intersection_attack, measure, read_table
from core.algorithms import partition
from core.data.encoding.encoded import Encoded, encode
from core.data.tables.column import Column
from core.release.published.locate import locate
from core.release.published.targets import Targets
from core.study.hospitals import Study
from core.study.one_run import run_study
from core.study.redraws import Redraws
from core.study.sweep import sweep

K = 5
KS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 45, 50)
MODELS = {
    "distinct-l": ("distinct l = 3", Policy(K, l=3)),
    "entropy-l": ("entropy l = 3", Policy(K, l=3, diversity="entropy")),
    "recursive-l": ("recursive (2, 3)", Policy(K, l=3, diversity="recursive", c=2)),
    "equal-t": ("t = 0.4, equal", Policy(K, t=0.4)),
    "ordered-t": ("t = 0.2, ordered", Policy(K, t=0.2, distance="ordered")),
}


@dataclass(frozen=True)
class Plan:
    """How to measure one row.

    Parameters
    ----------
    data
        The input in words.
    run
        What is timed; ``None`` where ``megabytes`` is asked instead.
    budget
        Seconds (or megabytes) allowed; ``None`` where there is no budget.
    beside
        What it is compared with in turns, when the budget is ``times`` that, which is called ``against``.
    twin, other
        The slow twin and anonypyx, made when their turn comes.
    megabytes
        Peak memory.
    """

    data: str
    run: Run | None = None
    budget: float | None = None
    beside: Run | None = None
    times: float | None = None
    against: str = "k alone"
    twin: Callable[[], Versus] | None = None
    other: Callable[[], Versus] | None = None
    megabytes: Callable[[], float] | None = None


@dataclass(frozen=True)
class Row:
    """One row: its short name, its words, and how to prepare it."""

    name: str
    what: str
    plan: Callable[[Data], Plan] = field(repr=False)


def rows() -> list[Row]:
    """Every row, in the order of the table."""
    return [*_mondrian(), *_mdav(), *_million(), *_attack(), *_locating(), *_curves(), *_noise(), *_tables()]


# ---- anonymising and measuring ------------------------------------------------------------


def _mondrian() -> Iterator[Row]:
    def cut(data: Data) -> Plan:
        encoded = data.encoded
        return Plan(
            data.size,
            lambda: partition(encoded, Policy(K)),
            budget=0.025,
            twin=lambda: twins.mondrian(data.part(150 if data.quick else 1000), Policy(K)),
            other=lambda: anonypyx_runs.mondrian(data.part(150) if data.quick else encoded, K),
        )

    def from_table(data: Data) -> Plan:
        table, schema = data.table, data.schema
        return Plan(data.size, lambda: anonymize(table, schema, Policy(K)))

    def from_file(data: Data) -> Plan:
        content, schema = data.content, data.schema
        return Plan(data.size, lambda: anonymize(read_table(content), schema, Policy(K)))

    def with_model(policy: Policy) -> Callable[[Data], Plan]:
        def plan(data: Data) -> Plan:
            encoded = data.encoded
            return Plan(
                data.size,
                lambda: partition(encoded, policy),
                beside=lambda: partition(encoded, Policy(K)),
                times=2.5,
                twin=lambda: twins.mondrian(data.part(60 if data.quick else 300), policy),
            )

        return plan

    def guarantee(data: Data) -> Plan:
        release, schema = partition(data.encoded, Policy(K)), data.schema
        frame = release.publish(seed=0)
        small = partition(data.part(300 if data.quick else 3000), Policy(K))
        return Plan(
            f"{data.name}, {len(frame):,} rows",
            lambda: measure(frame, schema),
            budget=0.015,
            twin=lambda: twins.measured(small, schema),
        )

    yield Row("mondrian", f"Mondrian, k = {K}", cut)
    yield Row("mondrian-table", "the same, texts to codes included", from_table)
    yield Row("mondrian-file", "the same, reading the CSV included", from_file)
    for name, (words, policy) in MODELS.items():
        yield Row(f"mondrian-{name}", f"Mondrian, k = {K}, {words}", with_model(policy))
    yield Row("measure", "measuring k, l and t", guarantee)


def _mdav() -> Iterator[Row]:
    def grouped(policy: Policy, records: int | None = None, budget: float | None = None) -> Callable[[Data], Plan]:
        def plan(data: Data) -> Plan:
            encoded = data.encoded if records is None else data.part(records)
            few = data.part(150 if data.quick else 1000 if policy.only_k else 300)
            return Plan(
                shape(data.name, encoded),
                lambda: partition(encoded, policy, "mdav"),
                budget,
                twin=lambda: twins.mdav(few, policy),
            )

        return plan

    def in_blocks(data: Data) -> Plan:
        whole = data.million(distinct=True)
        encoded = whole.take(np.arange(2000 if data.quick else 60_000))
        return Plan(
            f"{shape(data.name, encoded)}, every tuple distinct",
            lambda: partition(encoded, Policy(K), "mdav"),
            twin=lambda: twins.blocks(encoded, K),
        )

    yield Row("mdav", f"MDAV, k = {K}", grouped(Policy(K), budget=2.0))
    yield Row("mdav-15000", f"MDAV, k = {K}", grouped(Policy(K), 15_000, budget=0.6))
    yield Row("mdav-distinct-l", f"MDAV, k = {K}, distinct l = 3", grouped(Policy(K, l=3)))
    yield Row("mdav-equal-t", f"MDAV, k = {K}, t = 0.4, equal", grouped(Policy(K, t=0.4)))
    yield Row("mdav-blocks", f"MDAV, k = {K}, in blocks", in_blocks)


def _million() -> Iterator[Row]:
    def cut(distinct: bool, budget: float) -> Callable[[Data], Plan]:
        def plan(data: Data) -> Plan:
            encoded = data.million(distinct)
            words = "every tuple distinct" if distinct else "resampled"
            return Plan(f"{shape(data.name, encoded)}, {words}", lambda: partition(encoded, Policy(K)), budget)

        return plan

    def peak(distinct: bool, budget: float | None) -> Callable[[Data], Plan]:
        def plan(data: Data) -> Plan:
            words = "every tuple distinct" if distinct else "resampled"
            return Plan(f"the same, {words}", megabytes=lambda: memory.peak(distinct, data.quick)[0], budget=budget)

        return plan

    yield Row("million", f"Mondrian, k = {K}", cut(distinct=False, budget=0.8))
    yield Row("million-memory", "peak memory of the process", peak(distinct=False, budget=500.0))
    yield Row("million-distinct", f"Mondrian, k = {K}", cut(distinct=True, budget=3.0))
    yield Row("million-distinct-memory", "peak memory of the process", peak(distinct=True, budget=None))


# ---- attacking --------------------------------------------------------------------------


def _attack() -> Iterator[Row]:
    def plan(data: Data) -> Plan:
        releases = run_study(data.encoded, Study.uniform(Policy(K), data.overlap)).releases
        people = [np.arange(data.overlap)] * len(releases)
        return Plan(
            f"{data.name}, 2 releases, {data.overlap:,} people, classes known",
            lambda: intersection_attack(releases, people).posterior,
            budget=0.002,
            twin=lambda: twins.attack(releases, data.overlap),
            other=lambda: anonypyx_runs.attack(releases, min(data.overlap, 5 if data.quick else 100)),
        )

    yield Row("attack", "intersection attack", plan)


def _locating() -> Iterator[Row]:
    def regions(algorithm: str, budget: float | None) -> Callable[[Data], Plan]:
        def plan(data: Data) -> Plan:
            release = partition(data.encoded, Policy(K), algorithm)
            known, table = Targets.of(data.encoded, np.arange(data.overlap)), release.published
            words = f"{data.name}, {table.histogram.classes:,} classes, {data.overlap:,} people"
            return Plan(words, lambda: locate(table, known), budget)

        return plan

    def reading(data: Data) -> Plan:
        frame, schema = partition(data.encoded, Policy(K)).publish(seed=0), data.schema
        return Plan(f"{data.name}, {len(frame):,} rows", lambda: Release.parse(frame, schema))

    def attack(data: Data) -> Plan:
        size, people = (300, 20) if data.quick else (3000, 300)
        releases = run_study(data.part(2 * size - people), Study.uniform(Policy(K), people)).releases
        tables, known = [release.published for release in releases], Targets.of(releases[0].encoded, np.arange(people))
        return Plan(
            f"{data.name}, 2 releases of {size:,} rows, {people:,} people",
            lambda: intersection_attack(tables, known, "published").posterior,
            other=lambda: anonypyx_published.attack(releases, people),
        )

    yield Row("locate", "locating people by published regions", regions("mondrian", budget=0.15))
    yield Row("locate-centroids", "locating people by the nearest centroid, MDAV", regions("mdav", budget=None))
    yield Row("locate-reading", "reading a published table", reading)
    yield Row("locate-attack", "intersection attack by published regions", attack)


def _curves() -> Iterator[Row]:
    def curve(
        policy: Policy, vary: str, values: tuple[Any, ...], repeats: int = 1, budget: float | None = None
    ) -> Callable[[Data], Plan]:
        def plan(data: Data) -> Plan:
            encoded, study = data.encoded, Study.uniform(policy, data.overlap)
            few = data.part(120 if data.quick else 300)
            asked = values[:3] if data.quick else values
            return Plan(
                f"{data.name}, 2 releases, {data.overlap:,} people",
                lambda: sweep(encoded, study, vary, asked, Redraws(repeats)),
                budget,
                twin=(lambda: twins.curve(few, asked, len(few) // 6)) if budget else None,
            )

        return plan

    whole = Policy(K)
    yield Row("curve-k", f"breach curve, {len(KS)} values of k", curve(whole, "k", KS, budget=1.0))
    yield Row("curve-k-10", f"breach curve, {len(KS)} values of k, 10 redraws", curve(whole, "k", KS, 10))
    ls = (2, 3, 4, 5, 6, 7)
    yield Row("curve-l", f"breach curve, {len(ls)} values of distinct l", curve(Policy(K, l=2), "l", ls))
    ts = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
    yield Row("curve-t", f"breach curve, {len(ts)} values of t, equal", curve(Policy(K, t=0.4), "t", ts))


# ---- noise ------------------------------------------------------------------------------


def _noise() -> Iterator[Row]:
    def count(encoded: Encoded) -> Callable[[], dp.ContingencyTable]:
        """Counts by the first three columns, of a table with the labels of the codes as texts."""
        codes = [*zip(encoded.qids, encoded.codes, strict=True), (encoded.sensitive, encoded.sensitive_codes)]
        table = Table(tuple(Column.from_codes(domain.name, domain.labels, row) for domain, row in codes))
        schema = Schema([domain.name for domain in encoded.qids], encoded.sensitive.name)
        grid = {domain.name: dp.for_charts(table.column(domain.name), domain, schema) for domain in encoded.qids[:3]}
        return lambda: dp.contingency_table(table, schema, grid, dp.Declared("open"), encoded)

    def counted(data: Data) -> Plan:
        encoded = data.million(distinct=False)
        run = count(encoded)
        return Plan(f"{shape(data.name, encoded)}, {run().size:,} cells", run, 0.5)

    def drawn(name: str) -> Callable[[Data], Plan]:
        def plan(data: Data) -> Plan:
            chosen = dp.mechanism(name, 1.0, 1e-9)
            zeros = np.zeros(2_000 if data.quick else 100_000, dtype=np.int64)
            return Plan(f"{len(zeros):,} cells", lambda: dp.noisy_counts(zeros, chosen), 1.0)

        return plan

    def attacked(data: Data) -> Plan:
        encoded, chosen, people = data.encoded, dp.mechanism("laplace", 1.0), np.arange(data.overlap)
        table, prior = count(encoded)(), dp.prior_of(encoded)
        those = dp.NoisyTargets(table.cell_of[people], encoded.sensitive_codes[people].astype(np.int64))
        words = f"{data.name}, {table.size:,} cells, {len(people):,} people, 8 releases"
        return Plan(words, lambda: dp.attack_noisy(those, prior, chosen, 8))

    yield Row("noise-table", "contingency table", counted)
    yield Row("noise-laplace", "discrete Laplace noise by OpenDP", drawn("laplace"))
    yield Row("noise-gaussian", "discrete Gaussian noise by OpenDP", drawn("gaussian"))
    yield Row("noise-attack", "strongest adversary against noisy tables", attacked)


# ---- tables -----------------------------------------------------------------------------


def _written(cells: dict[str, Any], file_format: str) -> bytes:
    """A file of some columns."""
    out, table = io.BytesIO(), pa.table(cells)
    if file_format == "Parquet":
        pq.write_table(table, out)
    else:
        csv.write_csv(table, out, csv.WriteOptions(quoting_style="none"))
    return out.getvalue()


def _tables() -> Iterator[Row]:
    def reading(data: Data) -> Plan:
        content, lines = data.content, 100 if data.quick else 5000
        return Plan(
            f"{data.name}, {len(data.table):,} rows, {len(content) / 1e6:.1f} MB",
            lambda: read_table(content),
            twin=lambda: twins.reading(content, lines),
        )

    def wide(data: Data, file_format: str, times: float) -> Plan:
        """Eight chosen columns of 500, and a file that has no others."""
        rows = 2000 if data.quick else 200_000
        rng = np.random.default_rng(1)
        cells = {f"c{place}": rng.integers(0, 90, rows).astype(str) for place in range(500)}
        chosen = [f"c{place}" for place in (0, 1, 2, 100, 200, 300, 400, 499)]
        whole, part = (_written(names, file_format) for names in (cells, {name: cells[name] for name in chosen}))
        return Plan(
            f"{rows:,} rows, {len(whole) / 1e6:.0f} MB, in the reader's process",
            lambda: read_table(whole, columns=chosen),
            beside=lambda: read_table(part),
            times=times,
            against="eight alone",
        )

    residents = {True: 2000, False: 30_000}

    def city(data: Data) -> Plan:
        many = residents[data.quick]
        return Plan(f"synthetic city, {many:,} residents", lambda: examples.city(many))

    def city_cut(data: Data) -> Plan:
        encoded = encode(examples.city(residents[data.quick]), examples.city_schema())
        return Plan(shape("synthetic city", encoded) + ", taxonomies", lambda: partition(encoded, Policy(K)))

    yield Row("read", "reading a CSV file from memory", reading)
    for name, file_format, times in (("parquet", "Parquet", 2), ("csv", "CSV", 4)):
        words = f"eight of 500 columns of {file_format}, beside eight alone"
        yield Row(f"wide-{name}", words, partial(wide, file_format=file_format, times=times))
    yield Row("city", "making the synthetic city", city)
    yield Row("city-mondrian", f"Mondrian, k = {K}", city_cut)

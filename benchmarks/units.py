"""Whether the interval holds between real units that differ: ``python -m benchmarks --only units --write``.

Two units of one table are two hospitals: hospitals and districts of the built-in city, classes of workers of Adult. A
fifth of the people of the smaller one are shared, half of them from each unit. What is stated from the first unit's
table alone, at each case mix, is held against the share that the releases of both really expose. Every second pair is
for choosing the case mix that stands for *it is not known how much they differ*, the others are for reporting it.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from benchmarks.data import adult_bytes, adult_schema, folder
from benchmarks.markdown import percent, table
from benchmarks.table import machine, write
from benchmarks.worlds import CONFIDENCES, OPEN, REDRAWS
from core import Policy, Table, examples, read_table
from core.algorithms import partition_sweep
from core.base.arrays import Ints
from core.data.encoding.encoded import Encoded, encode
from core.study.case_mix import strengths_between
from core.study.hospitals import Hospital, Study
from core.study.one_run import outcome_of
from core.study.redraws import Redraws
from core.study.sweep import sweep

KS = (3, 5, 10, 25)
STRENGTHS = (0.0, 0.5, 1.0, 1.5)
LEAST, MOST_PAIRS, SEED = 900, 10, 2611
"""Records of a unit at least; pairs of a table at most, drawn by the seed."""
SHARED = 0.2


@dataclass(frozen=True, eq=False)
class Pair:
    """Two units of a table: their records, by position."""

    source: str
    name: str
    encoded: Encoded
    here: Ints
    there: Ints


def pairs(quick: bool = False) -> Iterator[Pair]:
    """Pairs of units of each table."""
    city, schema = examples.city(6_000 if quick else 60_000), examples.city_schema()
    place, records = folder(), encode(city, schema)
    sources = [
        ("city hospitals", records, _units(city, records, "hospital")),
        ("city districts", _without(records, "zip code"), _units(city, records, "zip code", 4)),
    ]
    if place is not None and not quick:
        adult = read_table(adult_bytes(place))
        encoded = encode(adult, adult_schema())
        sources.append(("Adult workers", _without(encoded, "workclass"), _units(adult, encoded, "workclass")))
    for source, encoded, units in sources:
        names, many = np.unique(units, return_counts=True)
        every = list(itertools.combinations(names[many >= (150 if quick else LEAST)], 2))
        chosen = np.random.default_rng(SEED).permutation(len(every))[: 2 if quick else MOST_PAIRS]
        for here, there in (every[place] for place in sorted(chosen)):
            yield Pair(
                source, f"{here}, {there}", encoded, np.flatnonzero(units == here), np.flatnonzero(units == there)
            )


def _units(
    whole: Table, encoded: Encoded, column: str, digits: int | None = None
) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    """(records,) the unit of each record: a value of a column, or its first digits."""
    values = whole.column(column)
    return np.array([label[:digits] for label in values.labels])[values.codes][encoded.rows]


def _without(encoded: Encoded, column: str) -> Encoded:
    return encoded.only(tuple(qid.name for qid in encoded.qids if qid.name != column))


def measured(pair: Pair, strengths: Sequence[float], seed: int) -> pd.DataFrame:
    """Truth beside what is stated at each case mix: a row for each k, confidence and strength."""
    rng = np.random.default_rng((SEED, seed))
    here, there = rng.permutation(pair.here), rng.permutation(pair.there)
    shared = int(SHARED * min(len(here), len(there)))
    half, rest = shared // 2, shared - shared // 2
    both = np.concatenate((here[:half], there[:rest]))
    parts = [pair.encoded.take(np.concatenate((both, own))) for own in (here[half:], there[rest:])]
    mine, other = Hospital(Policy(KS[0])), Hospital(Policy(KS[0]), origin="resampled", size=len(parts[1]))
    study = Study((mine, other), shared)
    lanes = [partition_sweep(part, [Policy(k) for k in KS], mine.algorithm) for part in parts]
    truth = {}
    for k, releases in zip(KS, zip(*lanes, strict=True), strict=True):
        result = outcome_of(releases, parts, study).result
        truth |= {(k, confidence): float(result.breached(confidence).mean()) for confidence in CONFIDENCES}
    frames = []
    for strength in strengths:
        asked = replace(study, hospitals=(mine, replace(other, case_mix=strength)))
        frame = sweep(parts[0], asked, "k", KS, Redraws(REDRAWS, seed, confidences=CONFIDENCES))
        frames.append(frame.assign(strength=strength))
    found = pd.concat(frames, ignore_index=True)
    found["true"] = [truth[key] for key in zip(found["value"], found["confidence"], strict=True)]
    return found.assign(source=pair.source, pair=pair.name)


def judged(found: pd.DataFrame) -> pd.DataFrame:
    """Open cases, and whether the interval held the truth."""
    found = found[found["true"].between(*OPEN)]
    low, high = found["low"] <= found["true"] + 1e-12, found["true"] <= found["high"] + 1e-12
    return found.assign(inside=low & high, above=~high, width=found["high"] - found["low"])


def coverage(found: pd.DataFrame) -> tuple[float, float, float, float, float]:
    """Mean over pairs of the share covered, with the ends of its 95% interval from drawing pairs anew; above, width."""
    each = found.groupby(["source", "pair"])[["inside", "above", "width"]].mean()
    again = np.random.default_rng(SEED).integers(len(each), size=(2_000, len(each)))
    low, high = np.quantile(each["inside"].to_numpy()[again].mean(axis=1), [0.025, 0.975])
    inside, above, width = each.mean()
    return float(inside), float(low), float(high), float(above), float(width)


def lines(found: pd.DataFrame) -> list[str]:
    """The table: a row for each half of the pairs, or table, and case mix."""
    halves = {0: "pairs for choosing", 1: "pairs for reporting"}
    groups = [(words, found[found["half"] == half]) for half, words in halves.items()]
    groups += [
        (f"all pairs of {source}", found[found["source"] == source]) for source in dict.fromkeys(found["source"])
    ]
    rows = []
    for words, group in groups:
        for strength, one in group.groupby("strength"):
            inside, low, high, above, width = coverage(one)
            many = f"{one.groupby(['source', 'pair']).ngroups} ({len(one)})"
            held = f"{percent(inside)} ({percent(low)} to {percent(high)})"
            rows.append((words, many, f"{strength:g}", held, percent(above), percent(width)))
    return table(("", "Pairs (cases)", "Case mix", "Held", "Above", "Width"), rows, words=1)


def main(asked: argparse.Namespace) -> None:
    """Measure all pairs, print the table, and write it if asked."""
    frames, differ = [], []
    for number, pair in enumerate(pairs(asked.quick)):
        frames.append(measured(pair, STRENGTHS[::2] if asked.quick else STRENGTHS, number).assign(half=number % 2))
        both = np.concatenate((pair.here, pair.there))
        units = np.repeat([0, 1], [len(pair.here), len(pair.there)]).astype(np.int32)
        codes = pair.encoded.sensitive_codes[both]
        differ += strengths_between(units, codes, pair.encoded.sensitive.size).tolist()
    shown = "\n".join(lines(judged(pd.concat(frames, ignore_index=True))))
    facts = f"The units of a pair differ by {min(differ, default=0):.2g} to {max(differ, default=0):.2g}." * bool(
        differ
    )
    print(f"{shown}\n\n{facts}")
    if asked.write:
        head = f"Measured on {asked.date}, seed {SEED}: {machine()}. {facts}"
        write("units", f"{head}\n\n{shown}")

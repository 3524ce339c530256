"""How much detail each algorithm loses: at one policy, against the optimum, and at one exposure.

``python -m benchmarks --only loss --write`` writes its tables into benchmarks/README.md. Loss is the
information loss (GCP) of the published cells, recomputed from the release by one function for all.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import peers
from benchmarks.data import adult_bytes, adult_schema, folder, ipums_bytes, ipums_schema
from benchmarks.markdown import table
from benchmarks.papers.printed import GANTA
from benchmarks.squares import squared_error
from benchmarks.table import machine, write
from benchmarks.trade_off import by_algorithm, least_within, trade_off
from core import Policy, Schema, Table, examples, read_table
from core.algorithms import partition
from core.data.encoding.encoded import Encoded, encode
from core.release.algorithm import ALGORITHMS
from core.release.release import Release
from core.release.utility import gcp
from core.study.hospitals import Hospital, Study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from tests.reference import leastloss as twin
from tests.reference.attributes import Attribute

KS = (5, 10, 25, 50)
GRID = (5, 10, 25)
CURVE = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50)
LS = (2, 3, 4, 5, 6, 8)
SHARES = (0.05, 0.02, 0.005)
TINY = 150
REDRAWS = 10
CITY = 30_000
LARGE = 60_000
"""People of the city in the table of microaggregation: more than are grouped as one."""
PAIR = ("mondrian", "least-loss")
AVERAGES = (
    ("k = 10", Policy(10), "class_10"),
    ("k = 10, entropy l = 5", Policy(10, l=5, diversity="entropy"), "class_l"),
    ("k = 10, t = 0.4", Policy(10, t=0.4), "class_t"),
)
"""What Ganta et al. print an average class for: policy, and its name in :data:`GANTA`."""
GROUPED = (
    ("k alone", Policy(10)),
    ("distinct 5", Policy(10, l=5)),
    ("entropy 5", Policy(10, l=5, diversity="entropy")),
    ("t = 0.2", Policy(10, t=0.2)),
    ("t = 0.4", Policy(10, t=0.4)),
)
"""Policies of the table of microaggregation."""
MODELS: dict[str, Mapping[str, object]] = {
    "k alone": {},
    "distinct 3": {"l": 3},
    "distinct 5": {"l": 5},
    "entropy 3": {"l": 3, "diversity": "entropy"},
    "entropy 5": {"l": 5, "diversity": "entropy"},
    "recursive (2, 3)": {"l": 3, "diversity": "recursive", "c": 2},
    "recursive (2, 5)": {"l": 5, "diversity": "recursive", "c": 2},
    "t = 0.2, equal": {"t": 0.2},
    "t = 0.4, equal": {"t": 0.4},
    "t = 0.2, ordered": {"t": 0.2, "distance": "ordered"},
    "t = 0.4, ordered": {"t": 0.4, "distance": "ordered"},
}
GOALS = (
    ("Adult", 5, "k alone", 0.017),
    ("Adult", 50, "k alone", 0.086),
    ("IPUMS", 10, "distinct 5", 0.105),
    ("IPUMS", 10, "entropy 5", 0.185),
    ("IPUMS", 10, "t = 0.4, equal", 0.34),
    ("city", 10, "k alone", 0.060),
)
"""What least loss is to lose at most: table, k, model, loss."""


def tables(quick: bool) -> dict[str, Encoded]:
    """The tables, categories without taxonomies; Adult and IPUMS where they are."""
    found: dict[str, Encoded] = {}
    place = None if quick else folder()
    if place is not None:
        found["Adult"] = encode(read_table(adult_bytes(place)), adult_schema())
        content = ipums_bytes(place)
        if content is not None:
            found["IPUMS"] = encode(read_table(content), ipums_schema())
    found["city"] = encode(examples.city(2_000 if quick else CITY), examples.city_schema())
    return found


def as_sets(release: Release) -> Release:
    """The same classes with cells that list the values which occur."""
    return replace(release, algorithm=replace(release.algorithm, sets=True))


def losses(encoded: Mapping[str, Encoded]) -> pd.DataFrame:
    """Loss at every policy: ``table, model, k, mondrian`` as published, ``tight`` as sets, ``least``."""
    rows = []
    for name, whole in encoded.items():
        for model, asked in MODELS.items():
            for k in KS if model == "k alone" else GRID:
                _tell(f"{name}, k = {k}, {model}")
                policy = Policy.of({"k": k, **asked})
                present = partition(whole, policy, "mondrian")
                least = gcp(partition(whole, policy, "least-loss"))
                rows.append((name, model, k, gcp(present), gcp(as_sets(present)), least))
    return pd.DataFrame(rows, columns=["table", "model", "k", "mondrian", "tight", "least"])


def _tiny(seed: int) -> tuple[Encoded, list[Attribute]]:
    """Draw 13 records of two numbers and a category, for core and for the slow twin."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[Any]] = {
        "a": [Fraction(int(x)) for x in rng.integers(0, 30, 13)],
        "b": [f"v{x}" for x in rng.integers(0, 5, 13)],
        "c": [Fraction(int(x)) for x in rng.integers(0, 8, 13)],
    }
    frame = pd.DataFrame({name: [str(x) for x in column] for name, column in columns.items()})
    frame["s"] = [f"s{i}" for i in range(13)]
    column_types = {"a": "numeric", "b": "categorical", "c": "numeric"}
    attributes = [Attribute(name, column_types[name], tuple(column)) for name, column in columns.items()]
    return encode(Table.from_frame(frame), Schema(list(columns), "s", column_types=column_types)), attributes


def optimum(count: int) -> pd.DataFrame:
    """Summed loss on tiny tables over that of the best strict one: ``k, mondrian, least, mdav``."""
    rows = []
    for k in (2, 3, 4):
        _tell(f"the optimum, k = {k}")
        sums = np.zeros(4)
        for seed in range(count):
            encoded, attributes = _tiny(seed)
            scale = len(encoded) * len(encoded.qids)
            found = [partition(encoded, Policy(k), name) for name in ("mondrian", "least-loss", "mdav")]
            # Microaggregation publishes centroids; its groups are held against the rest by their tight cells.
            shown = [replace(one, algorithm=replace(ALGORITHMS["mondrian"], sets=True)) for one in found]
            best = float(twin.best_strict(attributes, tuple(range(len(encoded))), k))
            sums += [*(gcp(one) * scale for one in shown), best]
        rows.append((k, *(sums[:3] / sums[3])))
    return pd.DataFrame(rows, columns=["k", "mondrian", "least", "mdav"])


def exposures(encoded: Mapping[str, Encoded], redraws: int, quick: bool) -> pd.DataFrame:
    """Loss against one value left, two hospitals that do alike: over k, and over distinct l at k = 5."""
    frames = []
    for name, whole in encoded.items():
        shared = min(5_000, len(whole) // 6)
        for vary, values, policy in (("k", CURVE, Policy(5)), ("l", LS, Policy(5, l=2))):
            _tell(f"{name}, loss against exposure over {vary}")
            points: Sequence[int] = values[:3] if quick else values
            study = Study.uniform(policy, shared)
            studies = by_algorithm(study, PAIR, alike=True)
            found = trade_off(whole, studies, points, vary, Redraws(redraws))
            frames.append(found.assign(table=name, vary=vary))
    return pd.concat(frames, ignore_index=True)


def averages(ipums: Encoded, redraws: int) -> pd.DataFrame:
    """Mean records in the class of a shared person, both hospitals alike: ``policy, printed, mondrian, least-loss``."""
    rows = []
    for words, policy, printed in AVERAGES:
        _tell(f"IPUMS, average class under {words}")
        sizes = []
        for algorithm in PAIR:
            study = Study.uniform(policy, min(5_000, len(ipums) // 6), algorithm=algorithm)
            sizes.append(float(sweep(ipums, study, "releases", [2], Redraws(redraws))["class_size"].iloc[0]))
        rows.append((words, GANTA[printed].words, *sizes))
    return pd.DataFrame(rows, columns=["policy", "printed", *PAIR])


def assumed(encoded: Mapping[str, Encoded], redraws: int) -> pd.DataFrame:
    """One value left by how I form classes and how a hospital like mine does: ``table, k, mine, theirs, share``."""
    rows = []
    for name, whole in encoded.items():
        _tell(f"{name}, what is assumed of the other")
        shared = min(5_000, len(whole) // 6)
        for k, mine, theirs in itertools.product((5, 10), PAIR, PAIR):
            hospitals = (Hospital(Policy(k), mine), Hospital(Policy(k), theirs, origin="resampled"))
            found = sweep(whole, Study(hospitals, shared), "releases", [2], Redraws(redraws, confidences=(1.0,)))
            rows.append((name, k, mine, theirs, *found.loc[0, ["share", "low", "high"]]))
    return pd.DataFrame(rows, columns=["table", "k", "mine", "theirs", "share", "low", "high"])


def microaggregated(encoded: Mapping[str, Encoded]) -> pd.DataFrame:
    """Microaggregation under l and t: ``table, policy, loss, error, classes``."""
    rows = []
    for (name, whole), (words, policy) in itertools.product(encoded.items(), GROUPED):
        _tell(f"{name}, microaggregation under {words}")
        release = partition(whole, policy, "mdav")
        rows.append((name, words, gcp(release), squared_error(whole, release.labels), release.classes.count))
    return pd.DataFrame(rows, columns=["table", "policy", "loss", "error", "classes"])


# ---- words ------------------------------------------------------------------------------


def sections(found: pd.DataFrame, best: pd.DataFrame, shown: pd.DataFrame) -> Iterator[str]:
    """The tables, each with a line of words in front."""
    alone = found[found["model"] == "k alone"]
    yield "**k alone**: information loss."
    yield _table(
        ("Table", "k", "Mondrian", "the same classes, cells as sets", "least loss"),
        [(r.table, str(r.k), _share(r.mondrian), _share(r.tight), _share(r.least)) for r in alone.itertuples()],
    )
    yield (
        "**Every policy**: least loss over Mondrian as published, and (both as sets) over its classes; least and most "
        "over k."
    )
    rows = []
    for model in MODELS:
        cells = []
        for name in dict.fromkeys(found["table"]):
            one = found[(found["table"] == name) & (found["model"] == model) & (found["k"].isin(GRID))]
            cells.append(f"{_ratio(one['least'] / one['mondrian'])} ({_ratio(one['least'] / one['tight'])})")
        rows.append((model, *cells))
    yield _table(("Policy", *dict.fromkeys(found["table"])), rows)
    worse = found[found["least"] > found["mondrian"] + 1e-12]
    like = found[found["least"] > found["tight"] + 1e-12]
    yield (
        f"Of {len(found)} settings least loss loses more than Mondrian as published in {len(worse)}, and more than its "
        f"classes as sets in {len(like)}."
    )
    goals = []
    for name, k, model, most in GOALS:
        one = found[(found["table"] == name) & (found["k"] == k) & (found["model"] == model)]
        if len(one):
            lost = float(one["least"].iloc[0])
            goals.append((f"{name}, k = {k}, {model}", _share(lost), _share(most), "yes" if lost <= most else "**no**"))
    if goals:
        yield _table(("Goal", "least loss", "at most", "met"), goals)
    yield f"**Against the optimum**: summed loss over that of the best strict partition, {TINY} tables of 13 x 3."
    yield _table(
        ("k", "Mondrian", "least loss", "MDAV, its groups as sets"),
        [(str(r.k), f"{r.mondrian:.2f}", f"{r.least:.2f}", f"{r.mdav:.2f}") for r in best.itertuples()],
    )
    yield (
        "**Loss against exposure**: the least loss of any k tried at which at most so many of the shared people are "
        "left with one value (mean of the redraws); two hospitals, 5,000 shared people or a sixth of the table."
    )
    lines = []
    for name in dict.fromkeys(shown["table"]):
        for share in SHARES:
            one = shown[(shown["table"] == name) & (shown["vary"] == "k")]
            inside = least_within(one, share).set_index("algorithm")
            cells = [
                f"{_share(inside['loss'][a])} (k = {inside['value'][a]})" if a in inside.index else "–"
                for a in ("mondrian", "least-loss")
            ]
            lines.append((name, f"{share:.1%}", *cells))
    yield _table(("Table", "One value left, at most", "Mondrian", "least loss"), lines)
    yield "The points themselves; intervals are those of 95% of redraws."
    yield _table(
        ("Table", "Over", "Value", "Algorithm", "Classes", "Loss", "One value left"),
        [
            (
                r.table,
                r.vary if r.vary == "k" else "l, k = 5",
                str(r.value),
                ALGORITHMS[str(r.algorithm)].short,
                f"{r.classes:,}",
                _share(r.loss),
                f"{r.share:.2%} ({r.low:.2%} to {r.high:.2%})",
            )
            for r in shown.itertuples()
        ],
    )


def averages_in_words(found: pd.DataFrame) -> Iterator[str]:
    """The averages of Ganta et al. beside both algorithms."""
    yield (
        "**Averages of the paper** (Ganta et al., IPUMS): records in the class of a shared person, mean over redraws; "
        "two hospitals that the table is dealt to, alike."
    )
    rows = [(row["policy"], row["printed"], *(f"{row[name]:,.0f}" for name in PAIR)) for _, row in found.iterrows()]
    yield _table(("Policy", "in print", *(ALGORITHMS[name].short for name in PAIR)), rows)


def microaggregated_in_words(found: pd.DataFrame) -> Iterator[str]:
    """What microaggregation loses under l and t."""
    yield (
        "**Microaggregation under l and t**, k = 10: loss, squared error (squared standard deviations and mismatches), "
        "and classes."
    )
    rows = [(r.table, r.policy, _share(r.loss), f"{r.error:,.0f}", f"{r.classes:,}") for r in found.itertuples()]
    yield _table(("Table", "Policy", "loss", "error", "classes"), rows)


def assumed_in_words(found: pd.DataFrame) -> Iterator[str]:
    """What is assumed of the other hospital."""
    yield "**What is assumed of the other**: shared people with one value left; my table whole, one hospital like mine."
    wide = found.assign(text=[f"{r.share:.2%} ({r.low:.2%} to {r.high:.2%})" for r in found.itertuples()])
    rows = []
    for (name, k, mine), each in wide.groupby(["table", "k", "mine"], sort=False):
        text = each.set_index("theirs")["text"]
        rows.append((str(name), str(k), ALGORITHMS[str(mine)].short, *(str(text[theirs]) for theirs in PAIR)))
    yield _table(("Table", "k", "Mine", *(f"the other: {ALGORITHMS[name].phrase}" for name in PAIR)), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(table(tuple(head), [tuple(row) for row in rows], words=1))


def _share(value: float) -> str:
    return f"{value:.4f}".lstrip("0")


def _ratio(values: pd.Series[float]) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"


def _tell(words: str) -> None:
    print(f"loss: {words} ...", file=sys.stderr, flush=True)


def main(asked: argparse.Namespace) -> None:
    """Measure losses, print them, and write them if asked."""
    encoded = tables(asked.quick)
    found = losses(encoded)
    best = optimum(5 if asked.quick else TINY)
    shown = exposures(encoded, 2 if asked.quick else REDRAWS, asked.quick)
    redraws = 2 if asked.quick else REDRAWS
    beside = "Adult" if "Adult" in encoded else "city"
    parts = [*sections(found, best, shown), *assumed_in_words(assumed(encoded, redraws))]
    large = {"city of 60,000": encode(examples.city(LARGE), examples.city_schema())}
    grouped = encoded if asked.quick else {name: one for name, one in encoded.items() if name != "city"} | large
    parts += microaggregated_in_words(microaggregated(grouped))
    if not asked.no_rivals:
        parts += peers.in_words(beside, peers.losses(beside, encoded[beside]))
    if "IPUMS" in encoded:
        parts += averages_in_words(averages(encoded["IPUMS"], redraws))
    text = "\n\n".join(parts)
    print(text)
    if not asked.write:
        return
    if not {"Adult", "IPUMS"} <= set(encoded):
        raise SystemExit("Adult or IPUMS is not here (../shared/data, or the folder that COMPOSITION_DATA names).")
    facts = f"Measured on {asked.date}: {machine()}."
    write("loss", f"{facts}\n\n{text}")

"""The calibrated forecast in made true worlds: two hospitals really drawn, really published, really intersected.

``python -m benchmarks --only pinned --write`` writes its tables into benchmarks/README.md and
assets/method/expected.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.data import ROOT, adult_bytes, adult_schema, folder, ipums_bytes, ipums_schema
from benchmarks.forecast_tables import pct
from benchmarks.markdown import table
from benchmarks.table import machine, write
from core import Policy, examples, read_table
from core.algorithms import partition
from core.data.encoding import Encoded, encode
from core.forecast import another_like, expected, forecast, real_risk
from core.study.draw import overlapping_samples

FILE = ROOT / "assets" / "method" / "expected.md"
TEMPLATE = Path(__file__).with_name("pinned_text.md")
KS = (3, 5, 10, 25, 50)
SHARED = (200, 500, 1500, 5000)
SIZE = 12_000
DRAWS = 4
SEED = 1_000
"""First seed; those below were used while the model was made."""
SEEN = 0.001
"""Worlds whose forecast is below this are counted apart: there hardly anybody is left with one value."""


@dataclass(frozen=True)
class World:
    """Two hospitals: records and k of mine and of the other; the forecast never sees the other."""

    mine: int = SIZE
    other: int = SIZE
    k: int = 5
    their_k: int = 5
    l: int | None = None  # noqa: E741 - the field's own name
    algorithm: str = "mondrian"
    theirs: str = ""
    """How the other forms classes, which the forecast is told; as I do where it is empty."""

    @property
    def their_algorithm(self) -> str:
        """How the other forms classes."""
        return self.theirs or self.algorithm

    @property
    def shared(self) -> tuple[int, ...]:
        """Numbers of shared people that are tried; fewer for other algorithms than Mondrian."""
        return SHARED if self.algorithm == "mondrian" else (500, 5000)

    @property
    def draws(self) -> int:
        """Draws of each of them."""
        return DRAWS if self.algorithm == "mondrian" else 2

    @property
    def alike(self) -> bool:
        """Whether the other is as the forecast supposes."""
        return self.mine == self.other and self.k == self.their_k


ALIKE = (
    *(World(k=k, their_k=k) for k in KS),
    World(6_000, 6_000, 3, 3),
    World(6_000, 6_000, 10, 10),
    World(30_000, 30_000, 3, 3),
    World(30_000, 30_000, 5, 5),
    World(l=3),
)
UNLIKE = (World(k=5, their_k=10), World(k=10, their_k=5), World(6_000, 15_000), World(15_000, 6_000))
MICRO = tuple(World(8_000, 8_000, k, k, algorithm="mdav") for k in (3, 5, 10))
"""Both publish by microaggregation; not used while the model was made."""
LEAST = tuple(
    World(k=k, their_k=k, algorithm="least-loss", theirs=how)
    for how in ("least-loss", "mondrian")
    for k in (3, 5, 10, 25)
)
"""I publish by least loss, and the other, too, or by Mondrian; not used while the model was made."""
WORDS = {
    (5, 10): "their k is 10, mine 5",
    (10, 5): "their k is 5, mine 10",
    (6_000, 15_000): "they have 15,000 records, I have 6,000",
    (15_000, 6_000): "they have 6,000 records, I have 15,000",
}


def tables(quick: bool) -> dict[str, Encoded]:
    """The tables at hand: the city always, Adult (two ways) and IPUMS where they are."""
    found = {"city": encode(examples.city(3_000 if quick else 30_000), examples.city_schema())}
    place = folder()
    if place is not None and not quick:
        found["Adult"] = encode(read_table(adult_bytes(place)), adult_schema())
        if (place / "adult-hierarchies").is_dir():
            found["Adult, taxonomies"] = encode(read_table(adult_bytes(place)), adult_schema(place))
        content = ipums_bytes(place)
        if content is not None:
            found["IPUMS"] = encode(read_table(content), ipums_schema())
    return found


def draws(encoded: Encoded, world: World, shared: int, quick: bool) -> Iterator[dict[str, float]]:
    """Truth and forecasts of each draw of a world; none where the table is too small for it."""
    scale = 10 if quick else 1
    mine, other, people = world.mine // scale, world.other // scale, shared // scale
    if max(mine, other) > people + (len(encoded) - people) // 2 or people < 2:
        return
    for draw in range(1 if quick else world.draws):
        rows = overlapping_samples(len(encoded), people, 2, [mine, other], seed=SEED + draw)
        policy = Policy(world.k, l=world.l)
        first, second = (
            partition(encoded.take(part), replace(policy, k=k), how)
            for part, k, how in zip(
                rows, (world.k, world.their_k), (world.algorithm, world.their_algorithm), strict=True
            )
        )
        both = (np.arange(people), np.arange(people))
        real = real_risk(first, second, both)
        paper = forecast(first)
        how = world.their_algorithm
        like_mine = None if how == world.algorithm else another_like(first.encoded, policy, people, mine, how)
        found = told = expected(first, people, another=like_mine)
        if not world.alike:
            theirs = another_like(first.encoded, replace(policy, k=world.their_k), people, other)
            told = expected(first, people, other, another=theirs)
        yield {
            "k": world.k,
            "shared": people,
            "draw": draw,
            "true": float((real.left == 1).mean()),
            "expected": found.share,
            "low": found.low,
            "high": found.high,
            "pinned": paper.pinned_share,
            "people": paper.people().value,
            "risk": paper.risk().value,
            "real_all": real.over_all.value,
            "told": told.share,
            "told_low": told.low,
            "told_high": told.high,
        }


def worlds(found: Mapping[str, Encoded], quick: bool) -> pd.DataFrame:
    """Every draw of every world, a row each."""
    rows = []
    for name, encoded in found.items():
        print(f"pinned: {name} ...", file=sys.stderr, flush=True)
        for world in (*ALIKE, *UNLIKE, *MICRO, *LEAST):
            for shared in world.shared:
                kind = "" if world.alike else WORDS.get((world.k, world.their_k)) or WORDS[world.mine, world.other]
                rows += [
                    {
                        "table": name,
                        "unlike": kind,
                        "mine": world.mine,
                        "l": world.l or 0,
                        "algorithm": world.algorithm,
                        "theirs": world.their_algorithm,
                        **row,
                    }
                    for row in draws(encoded, world, shared, quick)
                ]
    frame = pd.DataFrame(rows)
    for name, low, high in (("covered", "low", "high"), ("told_covered", "told_low", "told_high")):
        frame[name] = (frame["true"] >= frame[low] - 1e-12) & (frame["true"] <= frame[high] + 1e-12)
    return frame


def _points(values: pd.Series) -> str:
    return f"{100 * float(values.mean()):+.1f}"


def off(frame: pd.DataFrame, column: str) -> str:
    """Mean absolute difference from the truth, in percentage points."""
    return f"{100 * float((frame[column] - frame['true']).abs().mean()):.1f}"


def coverage(frame: pd.DataFrame) -> str:
    """How often the band holds the truth."""
    return f"{100 * float(frame['covered'].mean()):.0f}"


def width(frame: pd.DataFrame) -> str:
    """Mean width of the band, in percentage points."""
    return f"{100 * float((frame['high'] - frame['low']).mean()):.1f}"


def judged(frame: pd.DataFrame, by: str, head: str) -> list[str]:
    """One line a value of a column: truth, forecasts, how far they are off, coverage and width."""
    rows = []
    for value, part in frame.groupby(by, sort=False):
        words = f"{value:,}" if isinstance(value, int | np.integer) else str(value)
        rows.append(
            (
                words,
                f"{len(part):,}",
                pct(part["true"].mean()),
                pct(part["expected"].mean()),
                _points(part["expected"] - part["true"]),
                off(part, "expected"),
                coverage(part),
                width(part),
                pct(part["pinned"].mean()),
                off(part, "pinned"),
                pct(part["people"].mean()),
                off(part, "people"),
            )
        )
    names = (
        head,
        "Worlds",
        "True",
        "Expected",
        "Bias",
        "Off by",
        "Covered",
        "Width",
        "First pinning estimate",
        "off by",
        "Sattar & Helal, people",
        "off by",
    )
    return table(names, rows, 1)


def unlike_lines(frame: pd.DataFrame) -> list[str]:
    """The other hospital is not like mine: forecast as if it were, and told its k and size."""
    rows = [
        (
            str(words),
            f"{len(part):,}",
            pct(part["true"].mean()),
            pct(part["expected"].mean()),
            coverage(part),
            pct(part["told"].mean()),
            off(part, "told"),
            f"{100 * float(part['told_covered'].mean()):.0f}",
        )
        for words, part in frame.groupby("unlike", sort=False)
    ]
    head = ("In truth", "Worlds", "True", "Expected, as if like mine", "Covered", "Expected, told", "Off by", "Covered")
    return table(head, rows, 1)


def cells(frame: pd.DataFrame) -> list[str]:
    """Every table, k and number of shared people, hospitals of 12,000 alike: means over the draws."""
    rows = []
    chosen = _alike(frame)
    chosen = chosen[(chosen["mine"] == SIZE) & (chosen["l"] == 0)]
    for (name, k, shared), part in chosen.groupby(["table", "k", "shared"], sort=False):
        rows.append(
            (
                str(name),
                str(k),
                f"{shared:,}",
                pct(part["true"].mean()),
                pct(part["expected"].mean()),
                f"{pct(part['low'].mean())} to {pct(part['high'].mean())}",
                f"{int(part['covered'].sum())} of {len(part)}",
                pct(part["pinned"].mean()),
                pct(part["people"].mean()),
                pct(part["risk"].mean()),
                pct(part["real_all"].mean()),
            )
        )
    head = (
        "Table",
        "k",
        "Shared",
        "True",
        "Expected",
        "Band",
        "Covered",
        "First pinning estimate",
        "Sattar & Helal, people",
        "their classes",
        "real, of classes",
    )
    return table(head, rows, 1)


def _diverse(frame: pd.DataFrame) -> pd.DataFrame:
    """Worlds of k = 5 alone and with distinct l = 3."""
    part = frame[(frame["k"] == 5) & (frame["mine"] == SIZE)].sort_values("l", kind="stable")
    words = {0: "k = 5", 3: "k = 5, distinct l = 3"}
    return part.assign(model=[f"{words[l]}, {name}" for l, name in zip(part["l"], part["table"], strict=True)])  # noqa: E741


def _alike(frame: pd.DataFrame) -> pd.DataFrame:
    """Worlds of Mondrian in which the other is like mine."""
    return frame[(frame["unlike"] == "") & (frame["algorithm"] == "mondrian")]


def _micro(frame: pd.DataFrame) -> pd.DataFrame:
    """Worlds of microaggregation."""
    return frame[(frame["algorithm"] == "mdav") & (frame["expected"] >= SEEN)]


def least_lines(frame: pd.DataFrame) -> list[str]:
    """One line a table, the other organisation by least loss, then by Mondrian."""
    part = pd.concat([_least(frame, "least-loss"), _least(frame, "mondrian")])
    words = {"least-loss": "least loss", "mondrian": "Mondrian"}
    pairs = zip(part["table"], part["theirs"], strict=True)
    return judged(part.assign(both=[f"{name}; other: {words[how]}" for name, how in pairs]), "both", "Table")


def _least(frame: pd.DataFrame, theirs: str) -> pd.DataFrame:
    """Worlds of least loss in which the other organisation does so, too, or not."""
    part = frame[(frame["algorithm"] == "least-loss") & (frame["expected"] >= SEEN)]
    return part[part["theirs"] == theirs]


def text(frame: pd.DataFrame, date: str) -> str:
    """The section of the Method page."""
    alike = _alike(frame)
    seen = alike[alike["expected"] >= SEEN]
    micro = _micro(frame)
    rest = alike[alike["expected"] < SEEN]
    unlike = frame[(frame["unlike"] != "") & (frame["expected"] >= SEEN)]
    facts = {
        "by_table": "\n".join(judged(seen, "table", "Table")),
        "by_shared": "\n".join(judged(seen.sort_values("shared"), "shared", "Shared")),
        "by_l": "\n".join(judged(_diverse(seen), "model", "Asked of every class")),
        "unlike": "\n".join(unlike_lines(unlike)),
        "micro": "\n".join(judged(micro, "table", "Table")),
        "micro_coverage": coverage(micro),
        "micro_worlds": f"{len(micro):,}",
        "least": "\n".join(least_lines(frame)),
        "least_coverage": coverage(_least(frame, "least-loss")),
        "least_worlds": f"{len(_least(frame, 'least-loss')):,}",
        "least_mondrian_coverage": coverage(_least(frame, "mondrian")),
        "least_mondrian_worlds": f"{len(_least(frame, 'mondrian')):,}",
        "coverage": coverage(seen),
        "width": width(seen),
        "worlds": f"{len(seen):,}",
        "off": off(seen, "expected"),
        "pinned_off": off(seen, "pinned"),
        "people_off": off(seen, "people"),
        "rest": f"{len(rest):,}",
        "rest_true": pct(float(rest["true"].max())),
        "rest_coverage": coverage(rest),
        "unlike_coverage": coverage(unlike),
        "seed": str(SEED),
        "draws": str(DRAWS),
        "date": date,
    }
    whole = TEMPLATE.read_text(encoding="utf-8")
    for name, fact in facts.items():
        whole = whole.replace("{" + name + "}", fact)
    return whole


def main(asked: argparse.Namespace) -> None:
    """Draw every world; print the tables, or write them."""
    began = time.perf_counter()
    found = tables(asked.quick)
    frame = worlds(found, asked.quick)
    alike, unlike = _alike(frame), frame[frame["unlike"] != ""]
    seen = alike[alike["expected"] >= SEEN]
    blocks = (
        (
            "Worlds in which the other hospital is like mine, by table; percent of the shared people, and points.",
            judged(seen, "table", "Table"),
        ),
        ("The same by shared people.", judged(seen.sort_values("shared"), "shared", "Shared")),
        (
            "The same by what is asked of every class, hospitals of 12,000 records, k = 5.",
            judged(_diverse(seen), "model", "Asked"),
        ),
        (
            "The other hospital is not like mine: forecast as if it were, and told its k and size.",
            unlike_lines(unlike[unlike["expected"] >= SEEN]),
        ),
        ("Both publish by microaggregation, hospitals of 8,000 records.", judged(_micro(frame), "table", "Table")),
        ("I publish by least loss, the other by least loss or by Mondrian.", least_lines(frame)),
        (f"Hospitals of {SIZE:,} records alike, means over the draws.", cells(frame)),
    )
    said = "\n\n".join(f"{words}\n\n" + "\n".join(lines) for words, lines in blocks)
    print(said)
    print(f"Covered: {coverage(seen)} % of {len(seen):,} worlds; mean width {width(seen)} points.")
    if not asked.write:
        return
    if set(found) != {"city", "Adult", "Adult, taxonomies", "IPUMS"}:
        raise SystemExit("Adult and IPUMS are not here (../shared/data, or the folder that COMPOSITION_DATA names).")
    facts = (
        f"Measured on {asked.date} in {(time.perf_counter() - began) / 60:.0f} minutes: {machine()}. Seeds from {SEED}."
    )
    write("pinned", f"{facts}\n\n{said}")
    FILE.write_text(text(frame, asked.date), encoding="utf-8")

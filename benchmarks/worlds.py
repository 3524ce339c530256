"""Whether what is stated from my table alone comes true, in worlds that are made and therefore known.

Real records are split so that hospitals of a given size share exactly some people. The first
is mine: what would be stated from its table, its policy and the number of shared people is
held against the share of the shared people whom the real releases of all expose.

``python -m benchmarks --only worlds --write`` writes its tables into benchmarks/README.md and
assets/method/worlds.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from benchmarks.data import ROOT, adult_bytes, adult_schema, folder, ipums_bytes, ipums_schema
from benchmarks.markdown import percent, table
from benchmarks.table import machine, write
from core import Policy, examples, read_table
from core.algorithms import partition_sweep
from core.data.encoding.encoded import Encoded, encode
from core.release.algorithm import DEFAULT, MINE
from core.study.hospitals import Hospital, Study
from core.study.one_run import outcome_of
from core.study.redraws import Redraws
from core.study.sweep import sweep

FILE = ROOT / "assets" / "method" / "worlds.md"
TEMPLATE = ROOT / "benchmarks" / "worlds_text.md"
KS = (3, 5, 10, 25, 50)
CONFIDENCES = (1.0, 0.5, 0.25, 0.1)
REDRAWS = 10
WORLDS = 5
CITY = 60_000
DESIGNS = {"resampled": "another hospital like mine", "simulated": "my table dealt out"}
"""What the pages state, and the paper's protocol on the same table."""
OPEN = (0.003, 0.997)
"""Cases whose true share lies between these are open; the others are told by any interval that touches 0 or 1."""


@dataclass(frozen=True)
class World:
    """How a world is made.

    Parameters
    ----------
    size, theirs
        Records of my hospital, and of each other.
    overlap
        People shared by all.
    releases
        Hospitals.
    l
        Distinct values asked of every class, beside k.
    mine
        How I form my classes; the others use Mondrian.
    """

    size: int = 10_000
    theirs: int = 10_000
    overlap: int = 1_500
    releases: int = 2
    l: int | None = None  # noqa: E741 - the name of the quantity
    mine: str = DEFAULT

    def people(self) -> int:
        """How many different people it takes."""
        return self.size + (self.releases - 1) * (self.theirs - self.overlap)

    def policy(self, k: int) -> Policy:
        """What every hospital asks."""
        return Policy(k, l=self.l)

    def study(self, source: str) -> Study:
        """What I assume: all ask what I ask, the others use Mondrian, and they share so many people."""
        mine = Hospital(self.policy(KS[0]), self.mine)
        other = Hospital(mine.policy, origin=source, size=self.theirs if source == "resampled" else None)
        return Study((mine, *[other] * (self.releases - 1)), self.overlap)

    @property
    def words(self) -> str:
        """As the tables call it."""
        sizes = f"{self.size:,}" if self.size == self.theirs else f"{self.size:,} and {self.theirs:,}"
        more = "" if self.l is None else f", l = {self.l}"
        return f"{self.releases} of {sizes}, {self.overlap:,} shared{more}"


GROUPS = (("table", "{}"), ("k", "k = {}"), ("percent", "C = {}%"), ("world", "{}"))
"""What coverage is shown by, and what a line of it is called."""
MADE = (
    World(overlap=300),
    World(),
    World(overlap=5_000),
    World(theirs=5_000),
    World(size=7_000, theirs=21_000, overlap=1_000),
    World(releases=3),
    World(size=3_000, theirs=3_000, overlap=500),
    World(size=1_000, theirs=1_000, overlap=150),
    World(l=3),
)
QUICK = (World(size=600, theirs=600, overlap=100), World(size=600, theirs=900, overlap=100, releases=3))


def tables(quick: bool = False) -> dict[str, Encoded]:
    """Tables that the worlds are cut from; Adult and IPUMS where they are."""
    found: dict[str, Encoded] = {}
    place = None if quick else folder()
    if place is not None:
        found["Adult"] = encode(read_table(adult_bytes(place)), adult_schema())
        content = ipums_bytes(place)
        if content is not None:
            found["IPUMS"] = encode(read_table(content), ipums_schema())
    found["city"] = encode(examples.city(3_000 if quick else CITY), examples.city_schema())
    return found


def hospitals(encoded: Encoded, world: World, seed: int | Sequence[int]) -> list[Encoded]:
    """Split real records into hospitals that share exactly ``overlap`` people, who come first in each."""
    order = np.random.default_rng(seed).permutation(len(encoded))
    shared, rest = order[: world.overlap], order[world.overlap :]
    parts, used = [], 0
    for number in range(world.releases):
        own = (world.size if number == 0 else world.theirs) - world.overlap
        parts.append(encoded.take(np.concatenate((shared, rest[used : used + own]))))
        used += own
    return parts


def truth(parts: Sequence[Encoded], world: World, confidences: Sequence[float] = CONFIDENCES) -> pd.DataFrame:
    """The share of the shared people whom the real releases expose: ``k, confidence, true``."""
    study = world.study("resampled")
    policies = [world.policy(k) for k in KS]
    lanes = [
        partition_sweep(part, policies, hospital.algorithm)
        for part, hospital in zip(parts, study.hospitals, strict=True)
    ]
    rows = []
    for k, releases in zip(KS, zip(*lanes, strict=True), strict=True):
        result = outcome_of(releases, parts, study).result
        rows += [(k, confidence, float(result.breached(confidence).mean())) for confidence in confidences]
    return pd.DataFrame(rows, columns=["k", "confidence", "true"])


def stated(mine: Encoded, world: World, source: str, seed: int = 0) -> pd.DataFrame:
    """What is stated from my table alone: ``k, confidence, share, low, high``."""
    found = sweep(mine, world.study(source), "k", KS, Redraws(REDRAWS, seed, confidences=CONFIDENCES))
    return found.rename(columns={"value": "k"})[["k", "confidence", "share", "low", "high"]]


def cases(
    encoded: Mapping[str, Encoded], made: Sequence[World], worlds: int, designs: Iterable[str] = tuple(DESIGNS)
) -> Iterator[pd.DataFrame]:
    """Truth beside statement, a frame a table, world and seed."""
    for name, whole in encoded.items():
        for world in made:
            if world.people() > len(whole):
                continue
            _tell(f"{name}, {world.words}, mine by {world.mine}")
            for number in range(worlds):
                parts = hospitals(whole, world, (number, world.size, world.overlap, world.releases))
                true = truth(parts, world)
                for source in designs:
                    one = true.merge(stated(parts[0], world, source, number), on=["k", "confidence"])
                    yield one.assign(table=name, world=world.words, design=source, seed=number)


def judged(found: pd.DataFrame) -> pd.DataFrame:
    """Whether each interval held the true share, how wide it was, and whether the case was open."""
    slack = 1e-12
    inside = (found["low"] - slack <= found["true"]) & (found["true"] <= found["high"] + slack)
    return found.assign(
        inside=inside,
        above=found["true"] > found["high"] + slack,
        width=found["high"] - found["low"],
        error=found["true"] - found["share"],
        open=found["true"].between(*OPEN),
        percent=(100 * found["confidence"]).round().astype(int),
    )


def lines(found: pd.DataFrame) -> list[str]:
    """The table of coverage, over all cases and by each thing that was varied."""
    groups: list[tuple[str, pd.DataFrame]] = [("all cases", found)]
    only = found[found["open"]]
    groups.append(("open cases", only))
    for column, words in GROUPS:
        groups += [(words.format(value), only[only[column] == value]) for value in dict.fromkeys(found[column])]
    designs = dict.fromkeys(found["design"])
    return table(
        ("", "Cases", *(word for name in designs for word in (DESIGNS[name].capitalize(), "Width", "Above"))),
        [row for words, group in groups for row in _row(words, group, designs)],
        words=1,
    )


def _row(words: str, group: pd.DataFrame, designs: Collection[str]) -> Iterator[tuple[str, ...]]:
    if group.empty:
        return
    cells: list[str] = []
    for design in designs:
        one = group[group["design"] == design]
        cells += [percent(one["inside"].mean()), percent(one["width"].mean()), percent(one["above"].mean())]
    yield words, f"{len(group) // len(designs):,}", *cells


def _least(found: pd.DataFrame) -> tuple[float, str]:
    """The line of the table with the least coverage, and that coverage."""
    return min(
        (group["inside"].mean(), words.format(value))
        for column, words in GROUPS
        for value, group in found.groupby(column)
    )


def text(found: pd.DataFrame, mixed: pd.DataFrame, **said: str) -> str:
    """Return the section of the Method page: all by Mondrian, and least loss at mine."""
    only = found[found["open"]]
    ours, dealt = (only[only["design"] == design] for design in DESIGNS)
    least, mixed_open = _least(ours), mixed[mixed["open"]]
    least_mixed = _least(mixed_open)
    facts = {
        "table": "\n".join(lines(found)),
        "open": f"{len(ours):,}",
        "coverage": percent(ours["inside"].mean()),
        "width": percent(ours["width"].mean()),
        "off": percent(ours["error"].abs().mean()),
        "least": percent(least[0]),
        "least_where": least[1],
        "mixed_table": "\n".join(lines(mixed)),
        "mixed_open": f"{len(mixed_open):,}",
        "mixed": percent(mixed_open["inside"].mean()),
        "mixed_width": percent(mixed_open["width"].mean()),
        "mixed_above": percent(mixed_open["above"].mean()),
        "mixed_off": percent(mixed_open["error"].abs().mean()),
        "mixed_least": percent(least_mixed[0]),
        "mixed_least_where": least_mixed[1],
        "last_seed": str(found["seed"].max()),
        "redraws": str(REDRAWS),
        "least_k": str(min(KS)),
        "most_k": str(max(KS)),
        "least_c": f"{100 * min(CONFIDENCES):g}",
        "dealt": percent(dealt["inside"].mean()),
        "dealt_width": percent(dealt["width"].mean()),
        "dealt_above": percent(dealt["above"].mean()),
    }
    return TEMPLATE.read_text(encoding="utf-8").format(**facts, **said)


def _tell(words: str) -> None:
    print(f"worlds: {words} ...", file=sys.stderr, flush=True)


def main(asked: argparse.Namespace) -> None:
    """Make the worlds, print coverage and width, and write them if asked."""
    began = time.perf_counter()
    encoded = tables(asked.quick)
    made, worlds = (QUICK, 2) if asked.quick else (MADE, WORLDS)
    found = judged(pd.concat(cases(encoded, made, worlds)))
    least_loss = [replace(world, mine=MINE) for world in made]
    mixed = judged(pd.concat(cases(encoded, least_loss, worlds, ["resampled"])))
    shown = ["\n".join(lines(one)) for one in (found, mixed)]
    print("\n\n".join(shown))
    if not asked.write:
        return
    if "Adult" not in encoded or "IPUMS" not in encoded:
        raise SystemExit("Adult or IPUMS is not here (../shared/data, or the folder that COMPOSITION_DATA names).")
    facts = f"Measured on {asked.date} in {time.perf_counter() - began:.0f} s: {machine()}."
    write("worlds", "\n\n".join([facts, shown[0], "With my classes by least loss, the others' by Mondrian:", shown[1]]))
    FILE.write_text(text(found, mixed, date=asked.date), encoding="utf-8")

"""Releases that keep one agreement, next to releases that do not: loss, values left and who is alone.

``python -m benchmarks --only coordinated --write`` puts the table into benchmarks/README.md. Hospitals share people and
have others of their own, from one table; the agreement is made from another, public one.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks import table
from benchmarks.data import ABSENT, ADULT_COLUMNS, adult_bytes, adult_schema, folder, ipums_bytes, ipums_schema
from benchmarks.markdown import table as markdown
from core import Agreement, Policy, Schema, Table, agree, examples, read_table
from core.algorithms import partition
from core.algorithms.coordinated import farthest
from core.attack.anonymity_set import anonymity_set
from core.attack.intersection import intersection_attack
from core.attack.weighted import weigh
from core.base.errors import CompositionError
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.agreement import AgreedRegion
from core.release.utility import gcp

SEEDS = 3
CONFIDENCE, SURE = 0.25, 0.9
HEADER = (
    "Hospitals and what they publish",
    "R",
    "Loss, %",
    "Left out, %",
    "Fewest left",
    "One value left, %",
    "At most 4 left, %",
    "Alone, %",
    "Set below 11, %",
    "90% sure, weighted, %",
)
LEAST = "coordinated-least-loss"


@dataclass(frozen=True)
class World:
    """A table that hospitals have parts of, and public data with the same columns.

    Parameters
    ----------
    name
        Name of the table.
    table, public, schema
        The data, and their roles.
    stable
        Columns that define regions.
    size, shared
        Records of each hospital, and people in all of them.
    level
        Of the taxonomy at which values are published.
    """

    name: str
    table: Table
    public: Table
    schema: Schema
    stable: tuple[str, ...]
    size: int
    shared: int
    level: int | None = None

    def agreement(self, least: int, **more: object) -> Agreement:
        """An agreement from the public data."""
        public = more.pop("public", self.public)
        how = {"stable": self.stable, "size": self.size, "level": self.level, **more}
        return agree(public, self.schema, least, **how)  # type: ignore[arg-type]


def adult(shared: int = 2_000, size: int = 5_520) -> World | None:
    """Hospitals from adult.data; adult.test is public."""
    place = folder()
    if place is None:
        return None
    rows = gzip.decompress((place / "adult" / "adult.test.gz").read_bytes()).split(b"\n", 1)[1]
    public = read_table(", ".join(ADULT_COLUMNS).encode() + b"\n" + rows.replace(b".\n", b"\n"))
    return World("Adult", read_table(adult_bytes(place)), public, adult_schema(), ("sex",), size, shared)


def ipums() -> World | None:
    """Hospitals from half of IPUMS, the other half is public."""
    place = folder()
    raw = None if place is None else ipums_bytes(place)
    if raw is None:
        return None
    whole = read_table(raw)
    order = np.random.default_rng(0).permutation(len(whole))
    half = len(whole) // 2
    return World("IPUMS", whole.take(order[:half]), whole.take(order[half:]), ipums_schema(), ("sex",), 5_520, 2_000)


def city(people: int = 15_400) -> World:
    """Hospitals of a synthetic city at chapters; another city is public. Cohorts are years of birth."""

    def born(seed: int, many: int) -> Table:
        frame = examples.city(many, seed=seed).to_frame()[["age", "sex", "zip code", "diagnosis"]]
        return Table.from_frame(frame.assign(born=(2020 - frame["age"].astype(int)).astype(str)).drop(columns="age"))

    tree = examples.city_schema().taxonomies["diagnosis"]
    zips = examples.city_schema().taxonomies["zip code"]
    schema = Schema(["born", "sex", "zip code"], "diagnosis", taxonomies={"diagnosis": tree, "zip code": zips})
    size = 3_625 * people // 15_400
    return World("City", born(0, people), born(2, people), schema, ("sex", "born"), size, min(2_000, size // 2), 1)


def hospitals(world: World, encoded: Encoded, releases: int, seed: int) -> list[Encoded]:
    """The same people first in each; beyond the table others are in several hospitals, too."""
    rng = np.random.default_rng(seed)
    order, own = rng.permutation(len(encoded)), world.size - world.shared
    shared, rest = order[: world.shared], order[world.shared :]
    parts = [rest[number * own : (number + 1) * own] for number in range(releases)]
    parts = [part if len(part) == own else rng.choice(rest, own, replace=False) for part in parts]
    return [encoded.take(np.concatenate([shared, part])) for part in parts]


Way = tuple[str, Agreement | None, Policy, str, str]
"""Words, agreement, policy, my algorithm, and that of the others."""


def numbers(world: World, way: Way, releases: int, seeds: int) -> tuple[str, ...]:
    """Means over draws; the fewest values that anyone has left in any."""
    words, agreement, policy, mine, theirs = way
    encoded, rows = encode(world.table, world.schema.with_(agreement=agreement)), []
    for seed in range(seeds):
        made = [
            partition(part, policy, theirs if number else mine)
            for number, part in enumerate(hospitals(world, encoded, releases, seed))
        ]
        result = intersection_attack(made, [np.arange(world.shared)] * releases, "assumed")
        around = anonymity_set(result)
        assert around is not None
        left = result.posterior
        below = float((around.low < 11).mean())
        rows.append(
            (
                np.mean([gcp(release) for release in made]),
                np.mean([release.classes.suppressed / release.encoded.records for release in made]),
                left[left > 0].min(initial=99),
                result.one_value_left.value,
                result.pvp(CONFIDENCE).value,
                around.share(),
                below,
                weigh(result).pvp(SURE).value,
            )
        )
    found = np.array(rows, dtype=float)
    mean = [f"{100 * value:.1f}" for value in found.mean(axis=0)]
    return (words, str(releases), *mean[:2], f"{int(found[:, 2].min())}", *mean[3:])


def uncut(agreement: Agreement) -> Agreement:
    """The same lists, each bucket of a region one class."""
    regions = [AgreedRegion(own.buckets, ((),) * len(own.buckets), own.inside) for own in agreement.regions]
    return Agreement(agreement.sensitive, agreement.columns, tuple(regions), agreement.label, agreement.coarser)


def ways(world: World, least: int, k: int, quick: bool) -> Iterator[Way]:
    """What is compared."""
    made = world.agreement(least)
    plain = world.agreement(least, k=k) if k != 10 else made
    of = f"{world.name}, {world.size:,} records, {world.shared:,} shared"
    yield f"{of}: Mondrian, k = {k}", None, Policy(k), "mondrian", "mondrian"
    yield f"{of}: least loss, k = {k}", None, Policy(k), "least-loss", "least-loss"
    if not quick:
        yield f"{of}: least loss, k = 50", None, Policy(50), "least-loss", "least-loss"
        yield f"{of}: lists alone, l = {least}, k = {k}", uncut(made), Policy(k), "coordinated", "coordinated"
    yield f"{of}: coordinated, l = {least}, k = {k}", plain, Policy(k), "coordinated", "coordinated"
    yield f"{of}: coordinated, least loss, l = {least}, k = {k}", plain, Policy(k), LEAST, LEAST
    yield f"{of}: only I keep it, l = {least}, k = {k}", plain, Policy(k), "coordinated", "least-loss"


def rows(quick: bool) -> Iterator[tuple[str, ...]]:
    """Every row of the table."""
    seeds = 1 if quick else SEEDS
    worlds = [city(2_000)] if quick else [world for world in (adult(), ipums(), city()) if world is not None]
    if len(worlds) == 1 and not quick:
        print(ABSENT, file=sys.stderr)
    for world in worlds:
        for releases in (2, 8):
            for way in ways(world, 3, 10, quick or releases == 2):
                try:
                    yield numbers(world, way, releases, seeds)
                except CompositionError as error:
                    yield (way[0], str(releases), error.message, *[""] * (len(HEADER) - 3))
    if quick:
        return
    for least in (4, 5):
        for world in (each for each in worlds if each.name != "IPUMS"):
            made = world.agreement(least)
            for algorithm in ("coordinated", LEAST):
                words = f"{world.name}: {algorithm}, l = {least}, k = 10"
                yield numbers(world, (words, made, Policy(10), algorithm, algorithm), 8, seeds)
    yield from differing(seeds)


def differing(seeds: int) -> Iterator[tuple[str, ...]]:
    """Other public data, other settings, few shared people and small hospitals, for Adult."""
    world, few = adult(), adult(300, 4_032)
    if world is None or few is None:
        return
    tenth = world.public.take(np.random.default_rng(0).permutation(len(world.public))[:1_506])
    cases = (
        ("k = 5", world, {"k": 5}, 5),
        ("300 shared, hospitals of 4,032", few, {}, 10),
        ("a tenth of the public data", world, {"public": tenth}, 10),
        ("one list for all", world, {"stable": ()}, 10),
        ("rare below 2%", world, {"rare": 0.02}, 10),
        ("no value rare", world, {"rare": 0.0}, 10),
    )
    for words, each, more, k in cases:
        made = each.agreement(3, **more)
        yield numbers(each, (f"Adult, l = 3: {words}", made, Policy(k), LEAST, LEAST), 8, seeds)
    for least in (3, 5):
        made = world.agreement(least)
        far = farthest(made, encode(world.table, world.schema.with_(agreement=made)))
        print(f"Least t (equal) that every bucket reaches, l = {least}: {far:.2f}", file=sys.stderr)


def main(asked: argparse.Namespace) -> None:
    """Draw, print, and write the table if asked."""
    found = []
    for row in rows(asked.quick):
        print(" | ".join(row), flush=True)
        found.append(row)
    text = "\n".join(markdown(HEADER, found, 1))
    if asked.write:
        facts = f"Measured on {asked.date}, beside other work, {SEEDS} draws each: means, and the fewest values of any."
        table.write("coordinated", f"{facts}\n\n{text}")

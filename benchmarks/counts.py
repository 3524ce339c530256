"""What a table of counts of another hospital adds to my release: ``python -m benchmarks --only counts --write``.

Two hospitals share people of the built-in city, or of Adult. Mine publishes a k = 5 table, the other one its microdata
or counts per group and diagnosis with those below 5 masked. The same counts are also read from a file that leaves the
zeros out, with zeros masked like small counts, and made without a file. Then counts meet only counts. At last my
release meets my own counts of the same patients.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.data import adult_bytes, adult_schema, folder
from benchmarks.markdown import percent, table
from benchmarks.table import machine, write
from core import Policy, Schema, Table, examples, intersection_attack, read_table
from core.algorithms import partition
from core.attack.intersection import AttackResult
from core.base.arrays import Ints
from core.data.encoding.encoded import encode
from core.release.count_settings import CountSettings, settings_of
from core.release.made_counts import MadeCounts
from core.release.published.published import Published
from core.study.own_counts import with_own_counts
from core.study.uploads import open_upload, proposed_upload

K, BELOW, SEED = 5, 5, 5301
Level = tuple[tuple[str, int], ...]
"""Columns of a group, each with years of a band, first characters of a code, or 0 for its values as they are."""
CITY_LEVELS: tuple[Level, ...] = (
    (("age", 5), ("sex", 0), ("zip code", 0)),
    (("age", 10), ("sex", 0), ("zip code", 0)),
    (("age", 10), ("sex", 0), ("zip code", 3)),
)
ADULT_LEVELS: tuple[Level, ...] = (
    (("age", 10), ("sex", 0), ("race", 0), ("education", 0), ("workclass", 0)),
    (("age", 10), ("sex", 0), ("education", 0)),
)


@dataclass(frozen=True, eq=False)
class World:
    """Hospitals that share the first people of a table.

    Parameters
    ----------
    whole, schema
        Everyone, and what is published about them.
    hospitals
        (people,) rows of each; the first ``shared`` are the same people.
    shared
        People in all of them.
    """

    whole: pd.DataFrame
    schema: Schema
    hospitals: tuple[Ints, ...]
    shared: int

    @classmethod
    def of(cls, table: Table, schema: Schema, size: int, shared: int, hospitals: int) -> World:
        """Draw hospitals of a size by the seed."""
        encoded = encode(table, schema)
        frame = table.to_frame().iloc[encoded.rows][list(schema.released)].reset_index(drop=True)
        order, own = np.random.default_rng(SEED).permutation(len(frame)), size - shared
        rows = [
            np.concatenate((order[:shared], order[shared + own * number : shared + own * (number + 1)]))
            for number in range(hospitals)
        ]
        return cls(frame, schema, tuple(rows), shared)

    def people(self, number: int) -> pd.DataFrame:
        """Records of one hospital; the shared people are the first."""
        return self.whole.iloc[self.hospitals[number]].reset_index(drop=True)

    def counts(self, number: int, level: Level, zeros: str) -> tuple[Table, str]:
        """Counts of one hospital as it publishes them, and what it says about them.

        ``zeros`` is how it treats a count of 0: shown, left out, or masked with the small ones.
        """
        frame, sensitive = self.people(number), self.schema.sensitive
        groups = pd.DataFrame({name: _grouped(frame[name], width) for name, width in level})
        names = [*groups.columns, sensitive]
        counts = groups.assign(**{sensitive: frame[sensitive]}).value_counts(names).rename("count").reset_index()
        if zeros != "left out":
            values = pd.DataFrame({sensitive: sorted(self.whole[sensitive].unique())})
            counts = groups.drop_duplicates().merge(values, how="cross").merge(counts, how="left", on=names)
        number_of = counts["count"].fillna(0).astype(int)
        masked = (number_of < BELOW) & ((number_of > 0) | (zeros == "masked"))
        counts["count"] = number_of.astype(str).mask(masked, f"<{BELOW}")
        return Table.from_frame(counts.astype(str)), "absent=zero" if zeros == "left out" else "totals=several"


def _grouped(values: pd.Series[str], width: int) -> pd.Series[str]:
    if not width:
        return values
    if not values.str.fullmatch(r"0|[1-9]\d*").all():
        return values.str[:width] + "**"
    low = values.astype(int) // width * width
    return low.astype(str) + "-" + (low + width - 1).astype(str)


def read(world: World, number: int, level: Level, zeros: str = "shown") -> Published:
    """The counts of one hospital, read as my own program reads them."""
    mine = Table.from_frame(world.people(0))
    theirs, rules = world.counts(number, level, zeros)
    upload = proposed_upload(theirs, mine, encode(mine, world.schema), world.schema, counts=rules)
    published = open_upload(upload, theirs, mine, world.schema).published
    assert published is not None
    return published


def row(words: str, result: AttackResult) -> tuple[str, ...]:
    """One line of the table; a true value that is not among those left is counted."""
    shares = result.single(1.0), result.pvp(1.0).value, result.pvp(0.25).value
    known = result.truth.max() >= 0
    return words, *map(percent, shares), f"{np.count_nonzero(~result.true_value_left):,}" if known else ""


def words_of(level: Level) -> str:
    """A level as the table calls it."""
    parts = [
        name if not width else f"{width} years" if name == "age" else f"{width} digits of {name}"
        for name, width in level
    ]
    return " x ".join(parts)


def lines(world: World, levels: Sequence[Level], hospitals: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Rows of one world."""
    parts = [encode(Table.from_frame(world.people(number)), world.schema) for number in (0, 1)]
    shared = np.arange(world.shared)
    mine = partition(parts[0], Policy(K), "least-loss")
    theirs = partition(parts[1], Policy(K), "mondrian")
    yield row("their k = 5 table, Mondrian", intersection_attack([mine, theirs], [shared, shared]))
    for level in levels:
        counts = read(world, 1, level)
        yield row(f"their counts by {words_of(level)}", intersection_attack([mine, counts], [shared, None]))
    for zeros in ("left out", "masked"):
        counts = read(world, 1, levels[0], zeros)
        yield row(f"the first of these, zeros {zeros}", intersection_attack([mine, counts], [shared, None]))
    made = MadeCounts.of(parts[1], made_as(levels[0])).published
    yield row("the first of these, made without a file", intersection_attack([mine, made], [shared, None]))
    known = world.people(0)[list(world.schema.quasi_identifiers)].iloc[: world.shared]
    for many in hospitals:
        for zeros in ("shown", "masked"):
            tables = [read(world, number, levels[0], zeros) for number in range(many)]
            result = intersection_attack(tables, Table.from_frame(known), "published")
            yield row(f"counts alone, R = {many}, zeros {zeros}", result)


def made_as(level: Level) -> CountSettings:
    """The settings of a level."""
    return settings_of(f"{', '.join(f'{name}/{width}' if width else name for name, width in level)}; below={BELOW}")


OWN = settings_of(f"age/10, sex, zip code; below={BELOW}")
"""My own table of counts."""


def own_lines(world: World, quick: bool) -> Iterator[tuple[str, ...]]:
    """My release and my own counts of the same patients; the best alone is that of the two."""
    few, many = (500, 1_200) if quick else (5_000, 30_000)
    order = np.random.default_rng(SEED).permutation(len(world.whole))
    for people, k in ((few, 5), (few, 10), (few, 25), (many, 5)):
        records = encode(Table.from_frame(world.whole.iloc[order[:people]].reset_index(drop=True)), world.schema)
        mine = partition(records, Policy(k), "least-loss")
        for zeros in ("shown", "masked") if (people, k) == (few, 5) else ("shown",):
            made = settings_of(f"{OWN.text}; zeros={zeros}")
            words = f"my own counts by 10 years x sex x zip code, k = {k}, {people:,} patients, zeros {zeros}"
            yield row(words, with_own_counts(records, mine, made))


def worlds(quick: bool) -> Iterator[tuple[str, World, tuple[Level, ...], tuple[int, ...]]]:
    """The city, and Adult if it is there."""
    size, shared = (1_200, 300) if quick else (17_500, 5_000)
    people = 6_000 if quick else 60_000
    city, schema = examples.city(people), examples.city_schema()
    names = ("age", "sex", "zip code")
    few = Schema(
        names,
        schema.sensitive,
        column_types={name: kind for name, kind in schema.column_types.items() if name in names},
        taxonomies={name: tree for name, tree in schema.taxonomies.items() if name in names},
        unassigned="drop",
    )
    yield "city", World.of(city, few, size, shared, 4), CITY_LEVELS, (2, 3, 4)
    place = folder()
    if place is not None and not quick:
        yield "Adult", World.of(read_table(adult_bytes(place)), adult_schema(), 17_500, 5_000, 2), ADULT_LEVELS, ()


def main(asked: argparse.Namespace) -> None:
    """Attack the tables of counts, print the table, and write it if asked."""
    rows = []
    for name, world, levels, many in worlds(asked.quick):
        rows += [(name, *cells) for cells in lines(world, levels, many)]
        rows += [(name, *cells) for cells in own_lines(world, asked.quick)] if name == "city" else []
    head = ("Table", "Attacked with mine", "Best alone", "One value left", "At most 4", "True value lost")
    shown = "\n".join(table(head, rows, words=2))
    print(shown)
    if asked.write:
        write("counts", f"Measured on {asked.date}, seed {SEED}: {machine()}.\n\n{shown}")

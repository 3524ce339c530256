"""Releases that keep one agreement, next to releases that do not: loss, values left and who is alone.

``python -m benchmarks --only coordinated --write`` puts the table into benchmarks/README.md. Hospitals share people and
have others of their own, from one table; the agreement is made from another, public one. What is compared is data:
``SETTINGS`` lists the settings, ``WAYS`` what hospitals publish.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from benchmarks import table
from benchmarks.data import ABSENT, ADULT_COLUMNS, adult_bytes, adult_schema, folder, ipums_bytes, ipums_schema
from benchmarks.markdown import table as markdown
from core import Agreement, Policy, Schema, Table, agree, examples, read_table
from core.algorithms import partition
from core.algorithms.coordinated import farthest
from core.algorithms.coordinated.nodes import Held, Trees, cut_if_both_are_allowed
from core.attack.anonymity_set import anonymity_set
from core.attack.intersection import intersection_attack
from core.attack.weighted import weigh
from core.base.arrays import Bools, Floats
from core.base.errors import CompositionError
from core.data.encoding.agreed_values import is_inside
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.agreement import AgreedRegion
from core.release.utility import gcp

CONFIDENCE, SURE = 0.25, 0.9
HEADER = (
    *("Table", "Records", "Shared", "Public data", "R", "l", "What they publish", "k", "Loss, %", "Boxes, %"),
    *("Left out, %", "Fewest left", "One value left, %", "At most 4 left, %", "Alone, %", "Set below 11, %"),
    "90% sure, weighted, %",
)
DRIFT = 0.5
"""Standard deviation of the logarithms by which shares of values change in older public data."""


# ---- what hospitals publish --------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """What is published: algorithms of mine and of the others, whether an agreement is kept, and which k."""

    mine: str
    theirs: str
    keeps: bool = False
    cut: bool = True
    equal_loss: bool = False


WAYS = {
    "Mondrian": Way("mondrian", "mondrian"),
    "Mondrian, equal loss": Way("mondrian", "mondrian", equal_loss=True),
    "least loss": Way("least-loss", "least-loss"),
    "least loss, equal loss": Way("least-loss", "least-loss", equal_loss=True),
    "list alone": Way("coordinated", "coordinated", keeps=True, cut=False),
    "agreement": Way("coordinated", "coordinated", keeps=True),
    "only I keep it": Way("coordinated", "least-loss", keeps=True),
}
"""Equal loss: with the k at which a release loses what that by the agreement does."""
FEW = ("least loss, equal loss", "agreement")
KEPT = ("agreement",)


# ---- tables ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """A table that hospitals have parts of, and public data with the same columns.

    Parameters
    ----------
    table, public, schema
        The data, and their roles.
    stable
        Columns that define regions.
    elsewhere
        Column and values of public data from another region.
    level
        Of the taxonomy at which values are published.
    """

    table: Table
    public: Table
    schema: Schema
    stable: tuple[str, ...]
    elsewhere: tuple[str, Callable[[str], bool]]
    level: int | None = None

    def public_data(self, kind: str) -> Table:
        """The public data as they are, or changed."""
        rng = np.random.default_rng(0)
        if kind == "a tenth":
            return self.public.take(rng.permutation(len(self.public))[: len(self.public) // 10])
        if kind == "another region":
            name, is_there = self.elsewhere
            column = self.public.column(name)
            inside = np.array([is_there(label) for label in column.labels])
            return self.public.take(np.flatnonzero(inside[column.codes]))
        if kind == "older":
            column = self.public.column(self.schema.sensitive)
            weight = np.exp(rng.normal(0, DRIFT, len(column.labels)))[column.codes]
            return self.public.take(rng.choice(len(self.public), len(self.public), p=weight / weight.sum()))
        return self.public


@cache
def adult() -> World | None:
    """Hospitals from adult.data; adult.test is public. Another region: people born outside the United States."""
    place = folder()
    if place is None:
        return None
    rows = gzip.decompress((place / "adult" / "adult.test.gz").read_bytes()).split(b"\n", 1)[1]
    public = read_table(", ".join(ADULT_COLUMNS).encode() + b"\n" + rows.replace(b".\n", b"\n"))
    elsewhere = ("native-country", lambda label: label != "United-States")
    return World(read_table(adult_bytes(place)), public, adult_schema(), ("sex",), elsewhere)


@cache
def ipums() -> World | None:
    """Hospitals from half of IPUMS, the other half is public. Another region: people born outside California."""
    place = folder()
    raw = None if place is None else ipums_bytes(place)
    if raw is None:
        return None
    whole = read_table(raw)
    order = np.random.default_rng(0).permutation(len(whole))
    half, elsewhere = len(whole) // 2, ("bplg", lambda label: label != "006")
    return World(whole.take(order[:half]), whole.take(order[half:]), ipums_schema(), ("sex",), elsewhere)


@cache
def city(people: int = 15_400) -> World:
    """Hospitals of a synthetic city at chapters; another city is public. Cohorts are years of birth."""

    def born(seed: int) -> Table:
        frame = examples.city(people, seed=seed).to_frame()[["age", "sex", "zip code", "diagnosis"]]
        return Table.from_frame(frame.assign(born=(2020 - frame["age"].astype(int)).astype(str)).drop(columns="age"))

    taxonomies = {name: examples.city_schema().taxonomies[name] for name in ("diagnosis", "zip code")}
    schema = Schema(["born", "sex", "zip code"], "diagnosis", taxonomies=taxonomies)
    codes = sorted(taxonomies["zip code"].leaf_labels)
    half = frozenset(codes[len(codes) // 2 :])
    return World(born(0), born(2), schema, ("sex", "born"), ("zip code", half.__contains__), 1)


def world_of(name: str, records: int) -> World | None:
    """The table of this name, of enough people for hospitals with so many records."""
    return {"Adult": adult, "IPUMS": ipums, "City": lambda: city(max(15_400, 2 * records))}[name]()


# ---- settings ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """Hospitals of one table, and what they publish; each is drawn ``draws`` times, with seeds from 0."""

    world: str
    records: int = 5_520
    shared: int = 2_000
    public: str = "as usual"
    releases: int = 8
    least: int = 3
    k: int = 10
    ways: tuple[str, ...] = KEPT
    draws: int = 3
    more: Mapping[str, object] = field(default_factory=dict)
    note: str = ""


TABLES = (Setting("Adult"), Setting("IPUMS"), Setting("City", 3_625, 1_812))
SETTINGS = (
    *(replace(each, releases=releases, ways=tuple(WAYS)) for each in TABLES for releases in (2, 8)),
    *(replace(each, least=least, ways=FEW) for each in TABLES for least in (4, 5)),
    *(replace(each, k=5, ways=FEW) for each in TABLES),
    *(
        replace(each, records=records, shared=shared, releases=releases, ways=FEW, draws=2 if records < 10_000 else 1)
        for each in TABLES
        for records in (3_000, 30_000)
        for shared in (300, 2_000)
        for releases in (2, 8)
    ),
    *(replace(each, public=public) for each in TABLES for public in ("a tenth", "another region", "older")),
    *(
        replace(TABLES[0], more=more, note=note)
        for more, note in (
            ({"stable": ()}, "one list for all"),
            ({"rare": 0.02}, "rare below 2%"),
            ({"rare": 0.0}, "no value rare"),
        )
    ),
    replace(TABLES[0], records=4_032, shared=300, note=""),
)
QUICK = tuple(
    Setting("City", 500, 200, releases=releases, ways=("least loss", *KEPT, "only I keep it"), draws=1)
    for releases in (2, 4)
)


@cache
def _agreed(
    world: str, records: int, public: str, least: int, k: int, more: tuple[tuple[str, object], ...]
) -> Agreement:
    own = world_of(world, records)
    assert own is not None
    how = {"stable": own.stable, "size": records, "level": own.level, "k": k, **dict(more)}
    return agree(own.public_data(public), own.schema, least, **how)  # type: ignore[arg-type]


def agreement_of(setting: Setting) -> Agreement:
    """The agreement of a setting, from its public data."""
    more = tuple(setting.more.items())
    return _agreed(setting.world, setting.records, setting.public, setting.least, setting.k, more)


def uncut(agreement: Agreement) -> Agreement:
    """The same lists, each bucket of a region one class."""
    regions = [AgreedRegion(own.buckets, ((),) * len(own.buckets), own.inside) for own in agreement.regions]
    return Agreement(agreement.sensitive, agreement.columns, tuple(regions), agreement.label, agreement.coarser)


def hospitals(setting: Setting, encoded: Encoded, seed: int) -> list[Encoded]:
    """The same people first in each; beyond the table others are in several hospitals, too."""
    rng = np.random.default_rng(seed)
    order, own = rng.permutation(len(encoded)), setting.records - setting.shared
    shared, rest = order[: setting.shared], order[setting.shared :]
    parts = [rest[number * own : (number + 1) * own] for number in range(setting.releases)]
    parts = [part if len(part) == own else rng.choice(rest, own, replace=own > len(rest)) for part in parts]
    return [encoded.take(np.concatenate([shared, part])) for part in parts]


# ---- measuring ---------------------------------------------------------------------------------


def k_of_loss(encoded: Encoded, algorithm: str, loss: float) -> int:
    """The smallest k at which a release of one hospital loses at least so much."""
    low, high = 2, len(encoded) // 2
    while low < high:
        k = (low + high) // 2
        low, high = (low, k) if gcp(partition(encoded, Policy(k), algorithm)) >= loss else (k + 1, high)
    return low


def boxes_of(trees: Trees, agreement: Agreement, qids: tuple[Domain, ...]) -> Floats:
    """(nodes,) NCP of the whole box of each node, in place of what the records of a class span."""
    place = {domain.name: i for i, domain in enumerate(qids)}
    boxes: list[list[Bools]] = []
    for region in agreement.regions:
        box = [np.ones(domain.size, dtype=bool) for domain in qids]
        for part in region.inside:
            box[place[part.column]] &= is_inside(part, qids[place[part.column]])
        boxes += [box] * len(region.trees)
    boxes += [[]] * (len(trees.tree) - len(boxes))
    for node in np.flatnonzero(trees.attribute >= 0).tolist():
        i = int(trees.attribute[node])
        on_first = np.zeros(qids[i].size, dtype=bool)
        begin, end = np.searchsorted(trees.key, (node * trees.span, (node + 1) * trees.span))
        on_first[trees.key[begin:end] - node * trees.span] = True
        for side, inside in enumerate((on_first, ~on_first)):
            boxes[trees.child[side, node]] = [own & inside if j == i else own for j, own in enumerate(boxes[node])]
    return np.array([np.mean([_width(own, domain) for own, domain in zip(box, qids, strict=True)]) for box in boxes])


def _width(inside: Bools, domain: Domain) -> float:
    codes = np.flatnonzero(inside)
    if len(codes) < 2:
        return 0.0
    if domain.column_type.ordered:
        return float(domain.width(codes[:1], codes[-1:])[0])
    return len(codes) / domain.size


def loss_of_boxes(encoded: Encoded, agreement: Agreement, policy: Policy) -> float:
    """Loss if a class publishes the box of its node."""
    held = Held.of(encoded, agreement)
    loss = boxes_of(held.trees, agreement, encoded.qids)
    chosen = cut_if_both_are_allowed(held.trees, held.allowed(policy, encoded.overall, encoded.sensitive))
    kept = held.records[chosen]
    return float((kept * loss[chosen]).sum() + len(encoded) - kept.sum()) / len(encoded)


def numbers(setting: Setting, name: str) -> tuple[str, ...]:
    """Means over draws; the fewest values that anyone has left in any."""
    world, way = world_of(setting.world, setting.records), WAYS[name]
    assert world is not None
    agreement = agreement_of(setting) if way.keeps or way.equal_loss else None
    kept = encode(
        world.table, world.schema.with_(agreement=uncut(agreement) if agreement and not way.cut else agreement)
    )
    encoded = kept if way.keeps else encode(world.table, world.schema)
    policy, rows = Policy(setting.k), []
    if way.equal_loss:
        mine = hospitals(setting, kept, 0)[0]
        loss = gcp(partition(mine, policy, KEPT_BY))
        policy = Policy(k_of_loss(hospitals(setting, encoded, 0)[0], way.mine, loss))
    for seed in range(setting.draws):
        parts = hospitals(setting, encoded, seed)
        made = [partition(part, policy, way.theirs if number else way.mine) for number, part in enumerate(parts)]
        result = intersection_attack(made, [np.arange(setting.shared)] * setting.releases, "assumed")
        around = anonymity_set(result)
        assert around is not None
        left = result.posterior
        boxes = np.nan
        if way.keeps and way.theirs == way.mine and way.cut and agreement is not None:
            boxes = loss_of_boxes(parts[0], agreement, policy)
        rows.append(
            (
                np.mean([gcp(release) for release in made]),
                boxes,
                np.mean([release.classes.suppressed / release.encoded.records for release in made]),
                left[left > 0].min(initial=99),
                result.one_value_left.value,
                result.pvp(CONFIDENCE).value,
                around.share(),
                float((around.low < 11).mean()),
                weigh(result).pvp(SURE).value,
            )
        )
    found = np.array(rows, dtype=float)
    mean = ["–" if np.isnan(value) else f"{100 * value:.1f}" for value in found.mean(axis=0)]
    mean[3] = f"{int(found[:, 3].min())}"
    return (*described(setting, name), f"{policy.k}", *mean)


KEPT_BY = "coordinated"


def described(setting: Setting, name: str) -> tuple[str, ...]:
    """The words of a row."""
    facts = (f"{setting.records:,}", f"{setting.shared:,}", setting.public, f"{setting.releases}", f"{setting.least}")
    return (setting.world, *facts, f"{name}, {setting.note}" if setting.note else name)


def rows(settings: tuple[Setting, ...]) -> Iterator[tuple[str, ...]]:
    """Every row of the table."""
    for setting in settings:
        if world_of(setting.world, setting.records) is None:
            continue
        for name in setting.ways:
            try:
                yield numbers(setting, name)
            except CompositionError as error:
                words = (*described(setting, name), f"{setting.k}", error.message)
                yield (*words, *[""] * (len(HEADER) - len(words)))


def main(asked: argparse.Namespace) -> None:
    """Draw, print, and write the table if asked."""
    if folder() is None and not asked.quick:
        print(ABSENT, file=sys.stderr)
    found = []
    for row in rows(QUICK if asked.quick else SETTINGS):
        print(" | ".join(row), flush=True)
        found.append(row)
    if not asked.quick and adult() is not None:
        for least in (3, 5):
            made, whole = agreement_of(replace(TABLES[0], least=least)), adult()
            assert whole is not None
            far = farthest(made, encode(whole.table, whole.schema.with_(agreement=made)))
            print(f"Least t (equal) that every bucket reaches, l = {least}: {far:.2f}", file=sys.stderr)
    text = "\n".join(markdown(HEADER, found, 4))
    if asked.write:
        draws = "1 to 3 draws each (seeds from 0): means, and the fewest values of any."
        table.write("coordinated", f"Measured on {asked.date}, beside other work, {draws}\n\n{text}")

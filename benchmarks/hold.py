"""Stricter settings beside an agreed list, for 2, 4 and 8 hospitals: loss, values left, and who is exposed.

``python -m benchmarks --only hold --write`` puts the table into benchmarks/README.md. The table of
people is dealt out to all hospitals, as in [Ganta 2008, §3.1]; all follow the same policy.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks import table
from benchmarks.data import ABSENT, adult_bytes, adult_schema, folder, ipums_bytes, ipums_schema
from benchmarks.markdown import table as markdown
from core import Policy, Schema, Table, examples, read_table
from core.algorithms import partition
from core.attack.anonymity_set import anonymity_set
from core.attack.intersection import intersection_attack
from core.base.errors import InfeasibleError
from core.base.rates import redraw_interval
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.agreed_list import AgreedList
from core.release.utility import gcp
from core.study.draw import overlapping_samples

DRAWS, HOSPITALS, OVERLAP = 10, (2, 4, 8), 5_000
HEADER = (
    "Way",
    "Hospitals",
    "Loss (GCP)",
    "Classes, % of the most",
    "Suppressed, %",
    "One value left, %",
    "At most 4 left, class known, %",
    "At most 4 left, by region, %",
    "Alone, %",
    "Fewest left",
)


@dataclass(frozen=True)
class Case:
    """A table of people, and what its hospitals may do."""

    name: str
    encoded: Encoded
    ways: tuple[tuple[str, Policy, str], ...]


def listed(data: Table, schema: Schema, least: int) -> Encoded:
    """Encode with an agreed list from the shares of the whole table, which stands for the public here.

    The hospitals that share it have parts of the table only.
    """
    return encode(data, schema.with_(agreed=AgreedList.from_shares(shares_of(data, schema), least)))


def shares_of(data: Table, schema: Schema) -> dict[str, float]:
    """How often each sensitive value occurs in complete records."""
    plain = encode(data, schema)
    counts = zip(plain.sensitive.labels, plain.overall, strict=True)
    return {label: float(count) for label, count in counts if count > 0}


def cases(quick: bool) -> Iterator[Case]:
    """Adult and IPUMS where they are, and the synthetic city under three lists."""
    place = folder()
    if place is None:
        print(ABSENT, file=sys.stderr)
    elif not quick:
        adult = listed(read_table(adult_bytes(place)), adult_schema(), 3)
        yield Case("Adult", adult, ways(3, Policy(5, l=7)))
        raw = ipums_bytes(place)
        if raw is not None:
            yield Case("IPUMS", listed(read_table(raw), ipums_schema(), 5), ways(5, Policy(5, l=7), Policy(50)))
    people, schema = examples.city(1_500 if quick else 30_162), examples.city_schema()
    tree, other = schema.taxonomies[schema.sensitive], examples.city(300_000, seed=1)
    lists = {
        "City, shares of another city": AgreedList.from_shares(shares_of(other, schema), 3),
        "City, taxonomy cut to 3": AgreedList.from_taxonomy(tree, 1, 3),
        "City, taxonomy uncut": AgreedList.from_taxonomy(tree, 1),
    }
    for number, (words, agreed) in enumerate(lists.items()):
        encoded = encode(people, schema.with_(agreed=agreed))
        every = ways(3, Policy(5, l=5))
        yield Case(words, encoded, every if number == 0 else every[-1:])


def ways(least: int, *stricter: Policy) -> tuple[tuple[str, Policy, str], ...]:
    """My present setting, stricter ones, and the agreed list."""
    agreed = Policy(5, more={"agreed": least})
    plain = [(f"Mondrian, {policy.signs}", policy, "mondrian") for policy in (Policy(5), *stricter)]
    return (*plain, (f"agreed list, l = {least}", agreed, "by-bucket"))


def rows(case: Case, draws: int, quick: bool) -> Iterator[tuple[str, ...]]:
    """One row a way and number of hospitals, means over draws with intervals of one more draw."""
    overlap = min(OVERLAP, len(case.encoded) // 6)
    for words, policy, algorithm in case.ways:
        for hospitals in HOSPITALS[: 2 if quick else None]:
            try:
                found = np.array(
                    [one_draw(case.encoded, policy, algorithm, hospitals, overlap, seed) for seed in range(draws)]
                )
            except InfeasibleError:  # some hospital has no bucket whole
                yield (f"{case.name}: {words}", str(hospitals), "refused", *["–"] * (len(HEADER) - 3))
                continue
            loss, gone, classes, fewest = found[:, 0], found[:, 1], found[:, 2], found[:, -1]
            shares = [_share(found[:, i], overlap) for i in range(3, 7)]
            yield (
                f"{case.name}: {words}",
                str(hospitals),
                f"{loss.mean():.3f} ({loss.min():.3f} to {loss.max():.3f})",
                f"{100 * classes.mean():.0f}",
                f"{100 * gone.mean():.2f}",
                *shares,
                f"{int(fewest.min())}",
            )


def one_draw(
    encoded: Encoded, policy: Policy, algorithm: str, hospitals: int, overlap: int, seed: int
) -> tuple[float, ...]:
    """Loss, suppressed share and classes of the first release; shares exposed and fewest values left of all."""
    parts = overlapping_samples(len(encoded), overlap, hospitals, seed=seed)
    releases = [partition(encoded.take(part), policy, algorithm) for part in parts]
    people = [np.arange(overlap)] * hospitals
    known = intersection_attack(releases, people, "assumed")
    read = intersection_attack(releases, people, "published")
    around = anonymity_set(known)
    left = np.concatenate([known.posterior, read.posterior])
    return (
        gcp(releases[0]),
        releases[0].classes.suppressed / len(releases[0].encoded),
        releases[0].classes.count / most_classes(releases[0].encoded, policy),
        known.one_value_left.value,
        known.pvp(0.25).value,
        read.pvp(0.25).value,
        float("nan") if around is None else around.share(),
        float(left[left > 0].min()),
    )


def most_classes(encoded: Encoded, policy: Policy) -> int:
    """Classes that no release can have more of: n / k, and under the list one for each record of a rarest value.

    A class has some bucket whole, and of that bucket's rarest value a record that no other class has.
    """
    most = len(encoded) // policy.k
    if policy.values["agreed"] is None:
        return most
    domain = encoded.sensitive
    rarest = np.full(len(domain.bucket_sizes), np.iinfo(np.int64).max)
    there = (domain.bucket_of >= 0) & (encoded.overall > 0)
    np.minimum.at(rarest, domain.bucket_of[there], encoded.overall[there])
    whole = np.bincount(domain.bucket_of[there], minlength=len(rarest)) == domain.bucket_sizes
    return min(most, int(rarest[whole].sum()))


def _share(values: np.ndarray, people: int) -> str:
    low, high = redraw_interval(values.tolist(), people)
    mean = f"{100 * values.mean():.1f}"
    return mean if low is None or high is None else f"{mean} ({100 * low:.1f} to {100 * high:.1f})"


def main(asked: argparse.Namespace) -> None:
    """Draw, print, and write the table if asked."""
    draws, found = 2 if asked.quick else DRAWS, []
    for case in cases(asked.quick):
        for row in rows(case, draws, asked.quick):
            print(" | ".join(row), flush=True)
            found.append(row)
    text = "\n".join(markdown(HEADER, found, 1))
    if asked.write:
        said = "in brackets 95% of one more draw, of the loss least and most"
        facts = f"Measured on {asked.date}, {draws} draws each; {said}."
        table.write("hold", f"{facts}\n\n{text}")

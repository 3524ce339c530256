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
from core.attack.crowd import crowd
from core.attack.intersection import intersection_attack
from core.data.agreed import AgreedList
from core.data.encoding import Encoded, encode
from core.rates import redraw_interval
from core.release.utility import gcp
from core.study.draw import overlapping_samples

DRAWS, HOSPITALS, OVERLAP = 10, (2, 4, 8), 5_000
HEADER = (
    "Way",
    "Hospitals",
    "Loss (GCP)",
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
    plain = encode(data, schema)
    shares = {
        label: float(count) for label, count in zip(plain.sensitive.labels, plain.overall, strict=True) if count > 0
    }
    return encode(data, schema.with_(agreed=AgreedList.from_shares(shares, least)))


def cases(quick: bool) -> Iterator[Case]:
    """Adult and IPUMS where they are, and the synthetic city."""
    place = folder()
    if place is None:
        print(ABSENT, file=sys.stderr)
    elif not quick:
        adult = listed(read_table(adult_bytes(place)), adult_schema(), 3)
        yield Case("Adult", adult, ways(3, Policy(5, l=7)))
        raw = ipums_bytes(place)
        if raw is not None:
            yield Case("IPUMS", listed(read_table(raw), ipums_schema(), 5), ways(5, Policy(5, l=7), Policy(50)))
    city = listed(examples.city(1_500 if quick else 30_162), examples.city_schema(), 3)
    yield Case("City", city, ways(3, Policy(5, l=5)))


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
            found = np.array(
                [one_draw(case.encoded, policy, algorithm, hospitals, overlap, seed) for seed in range(draws)]
            )
            loss, gone, fewest = found[:, 0], found[:, 1], found[:, -1]
            shares = [_share(found[:, i], overlap) for i in range(2, 6)]
            yield (
                f"{case.name}: {words}",
                str(hospitals),
                f"{loss.mean():.3f} ({loss.min():.3f} to {loss.max():.3f})",
                f"{100 * gone.mean():.2f}",
                *shares,
                f"{int(fewest.min())}",
            )


def one_draw(
    encoded: Encoded, policy: Policy, algorithm: str, hospitals: int, overlap: int, seed: int
) -> tuple[float, ...]:
    """Loss and suppressed share of the first release; shares exposed and fewest values left of all together."""
    parts = overlapping_samples(len(encoded), overlap, hospitals, seed=seed)
    releases = [partition(encoded.take(part), policy, algorithm) for part in parts]
    people = [np.arange(overlap)] * hospitals
    known = intersection_attack(releases, people, "assumed")
    read = intersection_attack(releases, people, "published")
    around = crowd(known)
    left = np.concatenate([known.posterior, read.posterior])
    return (
        gcp(releases[0]),
        releases[0].classes.suppressed / len(releases[0].encoded),
        known.perfect.value,
        known.pvp(0.25).value,
        read.pvp(0.25).value,
        float("nan") if around is None else around.share(),
        float(left[left > 0].min()),
    )


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
        said = "in brackets 95 % of one more draw, of the loss least and most"
        facts = f"Measured on {asked.date}, {draws} draws each; {said}."
        table.write("hold", f"{facts}\n\n{text}")

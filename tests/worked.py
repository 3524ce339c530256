"""The worked tables of docs/worked-examples.md that the program does not hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd

from core import Policy, Release, Schema, Table, Taxonomy, examples, intersection_attack
from core.data.encoding.encoded import encode

# ---- colluding hospitals [Goryczka 2011, Table I] ---------------------------------------------

POOLED = pd.DataFrame(
    [
        ("P1", "Alice", "24", "98745", "Cancer"),
        ("P1", "Bob", "35", "12367", "Asthma"),
        ("P1", "Emily", "22", "98712", "Asthma"),
        ("P2", "Dorothy", "38", "98701", "Cancer"),
        ("P2", "Mark", "37", "12389", "Flu"),
        ("P2", "John", "31", "12399", "Flu"),
        ("P3", "Sara", "20", "12300", "Epilepsy"),
        ("P3", "Cecilia", "39", "98708", "Flu"),
        ("P4", "Olga", "32", "12337", "Cancer"),
        ("P4", "Frank", "33", "12388", "Asthma"),
    ],
    columns=["Provider", "Name", "Age", "Zip", "Disease"],
)
CLASSES = (
    {
        "[20-30], *****": "Alice Emily Sara",
        "[31-35], *****": "Bob John Olga Frank",
        "[36-40], *****": "Dorothy Mark Cecilia",
    },
    {
        "[20-40], *****": "Alice Mark Sara",
        "[20-40], 987**": "Emily Dorothy Cecilia",
        "[20-40], 123**": "Bob John Olga Frank",
    },
)
"""Cells of each class as printed, and its people, in both published tables."""
POLICY = Policy(3, l=2)
"""What the paper says of both."""


@dataclass(frozen=True, eq=False)
class Pooled:
    """Ten records of four hospitals, and two ways to publish them."""

    table: Table
    schema: Schema
    published: tuple[pd.DataFrame, ...]
    releases: tuple[Release, ...]


def colluding_hospitals() -> Pooled:
    """Four hospitals publish one table together."""
    table = Table.from_frame(POOLED)
    schema = Schema(
        ["Age", "Zip"],
        "Disease",
        identifiers=["Name"],
        provider="Provider",
        column_types={"Age": "numeric"},
        taxonomies={"Zip": Taxonomy.from_prefixes(table.column("Zip").labels, keep=(3,))},
    )
    published, releases = [], []
    for classes in CLASSES:
        cells = [next(each for each, people in classes.items() if name in people.split()) for name in POOLED["Name"]]
        ages, zips = zip(*(each.split(", ") for each in cells), strict=True)
        published.append(POOLED.assign(Age=ages, Zip=zips))
        labels = np.array([list(classes).index(each) for each in cells])
        releases.append(Release.of(encode(table, schema), labels, POLICY, "as printed"))
    return Pooled(table, schema, tuple(published), tuple(releases))


# ---- Bob's class again [Allard 2023] ---------------------------------------------------------------

DON, OTHERS = (0.1, 0.01, 0.14), (0.083, 0.083, 0.083)
JOINT = np.array([OTHERS, OTHERS, DON, OTHERS])
"""f(q, s) of Bob, Bill, Don and Sue for a cold, the flu and HIV, as printed."""
WAYS = {
    "No classes: the raw table without names": (0, 1, 2, 3),
    "Two by two, as printed": (0, 0, 1, 1),
    "Two by two by age (ours): one class of one value": (0, 1, 0, 1),
}
"""Ways to publish the four records, by the class of each."""


def four(labels: tuple[int, ...]) -> Release:
    """The four records of Bob's class in these classes."""
    bob = examples.bobs_class()
    return Release.of(encode(bob.tables[0], bob.schema), np.array(labels), Policy(1), "as printed")


def joined_with_the_voters(labels: tuple[int, ...]) -> dict[str, tuple[str, ...]]:
    """Diseases left for each of the four once a list of names, zip codes and ages is joined with their table."""
    voters = examples.bobs_class().tables[0].to_frame()
    release = four(labels)
    attacked = intersection_attack([release, release], voters[["Zip", "Age"]], "published")
    return {name: attacked.candidates(row) for row, name in enumerate(voters["Name"])}


# ---- two versions (ours) ------------------------------------------------------------------------------


def nine() -> pd.DataFrame:
    """Nine made-up people: three ages by three zip codes, three diagnoses."""
    values = ("asthma", "diabetes", "flu")
    rows = [(25 + 10 * i, f"500{j + 1}", values[(i + j) % 3]) for i in range(3) for j in range(3)]
    return pd.DataFrame(rows, columns=["Age", "Zip code", "Diagnosis"])


# ---- six records [Wong 2007] --------------------------------------------------------------------------

Records = tuple[tuple[str, bool], ...]
SIX: Records = (*[("q1", True)] * 2, *[("q2", False)] * 4)
"""Quasi-identifier of each of six people, and whether their record has the sensitive value."""


def wong_published(records: Records) -> Records:
    """The records as they are if at most half of each group is sensitive, else all with the quasi-identifier Q."""
    size, hit = Counter(qid for qid, _ in records), Counter(qid for qid, sensitive in records if sensitive)
    kept = all(hit[qid] * 2 <= size[qid] for qid in size)
    return tuple(sorted((qid if kept else "Q", sensitive) for qid, sensitive in records))


def minimality_belief(records: Records, publish: Callable[[Records], Hashable]) -> tuple[Fraction, Fraction]:
    """Chance that the first person has the value, by the counts alone, and for someone who knows the algorithm."""
    many, seen = sum(sensitive for _, sensitive in records), publish(records)
    worlds = [
        tuple((qid, i in chosen) for i, (qid, _) in enumerate(records))
        for chosen in combinations(range(len(records)), many)
    ]
    left = [world for world in worlds if publish(world) == seen]
    before, after = (Fraction(sum(world[0][1] for world in some), len(some)) for some in (worlds, left))
    return before, after

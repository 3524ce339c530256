"""People and the cells that others publish of such people, for finding one among the other."""

from __future__ import annotations

import random
from typing import Any

import pandas as pd

from core import Schema, Taxonomy
from tests.reference import cells as twin

TREE = {"Europe": ["Italy", "Poland"], "Asia": {"East": ["Japan", "Korea"]}}


LEAVES = {
    "*": ["Italy", "Poland", "Japan", "Korea"],
    "Europe": ["Italy", "Poland"],
    "Asia": ["Japan", "Korea"],
    "East": ["Japan", "Korea"],
    "Italy": ["Italy"],
    "Poland": ["Poland"],
    "Japan": ["Japan"],
    "Korea": ["Korea"],
}


WORDS = ("ab", "ac", "bb", "cd")


SCHOOL = ("none", "primary", "college")


SCHEMA = Schema(
    ["age", "word", "school", "place"],
    "s",
    column_types={"age": "numeric", "word": "categorical"},
    orders={"school": SCHOOL},
    taxonomies={"place": Taxonomy.from_nested(TREE)},
)


NAMES = list(SCHEMA.quasi_identifiers)


AGES = list(range(0, 30, 3))


VALUES: list[list[Any]] = [[*AGES, None], [*WORDS, None], [*SCHOOL, None], ["Italy", "Poland", "Japan", "Korea", None]]


def texts(people: list[list[Any]], names: list[str] = NAMES) -> pd.DataFrame:
    cells = [["" if value is None else str(value) for value in person] for person in people]
    return pd.DataFrame(cells, columns=names, dtype=object)


def random_rows(rng: random.Random, count: int) -> list[list[twin.Cell]]:
    def row() -> list[twin.Cell]:
        return [twin.number(rng, AGES), twin.category(rng, WORDS), twin.order(rng, SCHOOL), twin.node(rng, LEAVES)]

    few = [row() for _ in range(max(1, count // 2))]
    return [rng.choice(few) for _ in range(count)]


def random_people(rng: random.Random, count: int) -> list[list[Any]]:
    return [[rng.choice(values) for values in VALUES] for _ in range(count)]

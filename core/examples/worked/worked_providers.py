"""Worked example 3: four hospitals publish one table together, and one of them subtracts its own patients.

The records and the two published tables are those of [Goryczka 2011, Table I].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.encoding.encoded import encode
from core.data.schemas.schema import Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.table import Table
from core.examples.worked.worked_example import Example, read_text
from core.privacy.policy import Policy
from core.release.release import Release

POOLED = """\
Provider,Name,Age,Zip,Disease
P1,Alice,24,98745,Cancer
P1,Bob,35,12367,Asthma
P1,Emily,22,98712,Asthma
P2,Dorothy,38,98701,Cancer
P2,Mark,37,12389,Flu
P2,John,31,12399,Flu
P3,Sara,20,12300,Epilepsy
P3,Cecilia,39,98708,Flu
P4,Olga,32,12337,Cancer
P4,Frank,33,12388,Asthma
"""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PooledExample(Example):
    """Two ways to publish the records of several providers.

    Parameters
    ----------
    table, schema
        The pooled records, with the provider of each.
    labels
        Class of every record in each of the two published tables.
    policy
        What the paper states about both: k = 3, distinct l = 2.
    published
        The two tables with the cells as printed, plus the provider and the name,
        in the order of the records.
    expected
        For each table the largest m for which it is m-private, by (k, l); -1 for not even
        0-private.
    """

    table: Table
    schema: Schema
    labels: tuple[tuple[int, ...], ...]
    policy: Policy
    published: tuple[pd.DataFrame, ...]
    expected: tuple[dict[tuple[int, int], int], ...]

    def releases(self) -> tuple[Release, ...]:
        """Both partitions as releases of core."""
        encoded = encode(self.table, self.schema)
        return tuple(Release.of(encoded, np.array(labels), self.policy, "as printed") for labels in self.labels)


def colluding_hospitals() -> PooledExample:
    """Four hospitals pool ten records; what one of them can subtract.

    Returns
    -------
    PooledExample
        [Goryczka 2011, Table I].
    """
    table = read_text(POOLED)
    names = table.column("Name").texts().tolist()
    first = _labels(names, ("Alice", "Emily", "Sara"), ("Bob", "John", "Olga", "Frank"))
    second = _labels(names, ("Alice", "Mark", "Sara"), ("Emily", "Dorothy", "Cecilia"))
    ages, anywhere = ("[20-30]", "[31-35]", "[36-40]"), ("*****",) * 3
    return PooledExample(
        name="colluding_hospitals",
        title="Colluding hospitals",
        story=(
            "Four hospitals pool their patients and publish one table. Every class has three people and two diseases. "
            "But hospital P1 knows its own patients: it takes Alice and Emily out of the class of people from 20 to "
            "30, and one record is left."
        ),
        source="Goryczka, Xiong, Fung, CollaborateCom 2011, Table I",
        erratum=(
            "The source calls its second table 1-private for k = 3 and l = 2. But each of its classes keeps only two "
            "records when one hospital takes away its own: by the source's own definition 2.1 the table is 1-private "
            "for k = 2 and l = 2, and only 0-private for k = 3."
        ),
        table=table,
        schema=Schema(
            ["Age", "Zip"],
            "Disease",
            identifiers=["Name"],
            provider="Provider",
            column_types={"Age": "numeric"},
            taxonomies={"Zip": Taxonomy.from_prefixes(table.column("Zip").labels, keep=(3,))},
        ),
        labels=(first, second),
        policy=Policy(3, l=2),
        published=(
            _published(table, first, ages, anywhere),
            _published(table, second, ("[20-40]",) * 3, ("*****", "987**", "123**")),
        ),
        expected=({(3, 2): 0, (2, 2): 0, (1, 1): 3}, {(3, 2): 0, (2, 2): 1, (1, 1): 3}),
    )


def _labels(names: list[str], first: tuple[str, ...], second: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(0 if name in first else 1 if name in second else 2 for name in names)


def _published(table: Table, labels: tuple[int, ...], ages: tuple[str, ...], zips: tuple[str, ...]) -> pd.DataFrame:
    frame = table.to_frame()
    frame["Age"] = [ages[label] for label in labels]
    frame["Zip"] = [zips[label] for label in labels]
    return frame

"""Worked example 8: two versions of one table for two recipients, and no one to hide among."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.algorithms import partition
from core.attack.intersection import AttackResult, intersection_attack
from core.data.encoding.encoded import encode
from core.data.schemas.schema import Schema
from core.data.tables.table import Table
from core.examples.worked.worked_example import Example
from core.privacy.policy import Policy
from core.release.release import Release


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VersionsExample(Example):
    """A table from which each recipient gets some columns.

    Parameters
    ----------
    table, schema
        The original records.
    columns
        For each recipient, the quasi-identifiers of their version.
    policy
        Policy that each version meets.
    """

    table: Table
    schema: Schema
    columns: tuple[tuple[str, ...], ...]
    policy: Policy

    def releases(self) -> tuple[Release, ...]:
        """The version of every recipient."""
        encoded = encode(self.table, self.schema)
        return tuple(partition(encoded.only(list(names)), self.policy) for names in self.columns)

    def attacked(self) -> AttackResult:
        """Everyone attacked with all versions together; see also :func:`core.attack.anonymity_set.anonymity_set`."""
        return intersection_attack(self.releases(), [np.arange(len(self.table))] * len(self.columns))


def two_versions() -> VersionsExample:
    """Nine invented records: every class of either version has three people and three diagnoses.

    Returns
    -------
    VersionsExample
        Ours; [definitions §11, anonymity set after composition]. In both versions together no one has fewer than three
        values left, and everyone is alone.
    """
    ages, zips, values = (25, 35, 45), ("5001", "5002", "5003"), ("asthma", "diabetes", "flu")
    rows = [
        (str(age), place, values[(i + j) % len(values)]) for i, age in enumerate(ages) for j, place in enumerate(zips)
    ]
    return VersionsExample(
        name="two_versions",
        title="Two versions",
        story=(
            "A hospital gives one table to two recipients: ages to an insurer, zip codes to a university. Each version "
            "keeps k = 3 and l = 3. Held side by side they leave every diagnosis possible, so no list of values grows "
            "shorter. But each pair of classes has one person in common: there is no one to hide among."
        ),
        source="ours",
        table=Table.from_frame(pd.DataFrame(rows, columns=["Age", "Zip code", "Diagnosis"])),
        schema=Schema(["Age", "Zip code"], "Diagnosis"),
        columns=(("Age",), ("Zip code",)),
        policy=Policy(3, diversity="distinct", l=3),
    )

"""Worked examples 4, 6 and 7: background knowledge, homogeneity and linkage, and disagreement.

Tables and people are those of the cited slides and paper; additions are marked as ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.beliefs import Background
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import Schema
from core.data.tables.table import Table
from core.examples.worked.worked_example import Example, WorkedExample, rows_of
from core.examples.worked.worked_tables import bobs_class, hospitals_a_and_b
from core.privacy.policy import Policy
from core.release.release import Release


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BeliefExample(Example):
    """A release, and an adversary's prior belief about everyone in it.

    Parameters
    ----------
    table, schema
        The original records.
    people
        Their names, in order.
    labels
        Class of every record.
    values
        The sensitive values, in the order of the columns of ``joint``.
    joint
        (people, values) f(q, s) as printed.
    theta
        Threshold of the breach; ours, the source gives none.
    expected
        For each person *alpha*, *beta* and *breached*, to three places.
    """

    table: Table
    schema: Schema
    people: tuple[str, ...]
    labels: tuple[int, ...]
    values: tuple[str, ...]
    joint: tuple[tuple[float, ...], ...]
    theta: float
    expected: Mapping[str, Mapping[str, Any]]

    def encoded(self) -> Encoded:
        """The records as codes."""
        return encode(self.table, self.schema)

    def release(self) -> Release:
        """The release with the printed classes."""
        return Release.of(self.encoded(), np.array(self.labels), Policy(2), "as printed")

    def background(self, joint: NDArray[Any] | None = None) -> Background:
        """The background as printed, or another of the same shape."""
        return Background.edited(self.encoded(), np.array(self.joint) if joint is None else joint)


def dons_beliefs() -> BeliefExample:
    """A person believes that Don probably has HIV, and then sees the release.

    Returns
    -------
    BeliefExample
        [Allard 2023], on the release of :func:`bobs_class`.
    """
    bob = bobs_class()
    table = bob.tables[0]
    even, third = (0.083, 0.083, 0.083), (0.333, 0.333, 0.333)
    in_first = {"alpha": third, "beta": (0.5, 0.5, 0.0), "breached": True}
    return BeliefExample(
        name="dons_beliefs",
        title="Don's beliefs",
        story=(
            "An adversary believes that Don has HIV rather than a cold (0.56 to 0.40), and about everyone else nothing "
            "in particular. Then the release puts Don in a class of one cold and one HIV. What is believed now? "
            "And of Bob and Bill, of whom nothing was known?"
        ),
        source="Allard, lecture on partition-based models, 2023",
        erratum=(
            "The source prints the posterior as 0.46, 0 and 0.54; it is 0.465, 0 and 0.535. Its fractions divide "
            "by the sum of the two priors (0.73, 0.37, 0.89) and not by their mean; the factor cancels. It names no "
            "threshold: theta = 0.1 is ours."
        ),
        table=table,
        schema=bob.schema,
        people=tuple(table.column("Name").texts().tolist()),
        labels=bob.labels[0],
        values=("Cold", "Flu", "HIV"),
        joint=(even, even, (0.1, 0.01, 0.14), even),
        theta=0.1,
        expected={
            "Bob": in_first,
            "Bill": in_first,
            "Don": {"alpha": (0.40, 0.04, 0.56), "beta": (0.465, 0.0, 0.535), "breached": False},
            "Sue": {"alpha": third, "beta": (0.549, 0.0, 0.451), "breached": True},
        },
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LinkageExample(Example):
    """One table published in several ways, and a list of voters to join it with.

    Parameters
    ----------
    table, schema
        The original records.
    voters
        Public names with their quasi-identifiers.
    published
        For each way to publish, its name and the class of every record.
    counts
        Counts of sensitive values of two classes that differ in how one value dominates.
    expected
        For each way, the values that the join leaves each voter.
    """

    table: Table
    schema: Schema
    voters: pd.DataFrame
    published: tuple[tuple[str, tuple[int, ...]], ...]
    counts: tuple[tuple[int, ...], ...]
    expected: tuple[Mapping[str, tuple[str, ...]], ...]

    def releases(self) -> tuple[Release, ...]:
        """Every way to publish, as a release of core."""
        encoded = encode(self.table, self.schema)
        return tuple(Release.of(encoded, np.array(labels), Policy(1), "as printed") for _, labels in self.published)

    def linked(self, way: int) -> dict[str, tuple[str, ...]]:
        """Join the voters with one of the releases by its regions, and return the values left for each voter."""
        release = self.releases()[way]
        sensitive, sensitive_codes = release.encoded.sensitive, release.encoded.sensitive_codes
        low, high, _ = release.regions  # no value is missing
        codes = release.encoded.codes.T
        linked = {}
        for row, name in enumerate(self.voters["Name"]):
            # A voter fits the classes whose region contains the voter's values.
            fits = ((low <= codes[row]) & (codes[row] <= high)).all(axis=1)
            left = np.unique(sensitive_codes[fits[release.classes.labels]])
            linked[str(name)] = tuple(sensitive.labels[code] for code in left)
        return linked


def homogeneity_and_linkage() -> LinkageExample:
    """A voter list re-identifies everyone in the raw table, but no one in classes of two unless a class has one value.

    Returns
    -------
    LinkageExample
        [Allard 2023]; the homogeneous classes are ours, the slides only name the defect.
    """
    bob = bobs_class()
    table = bob.tables[0]
    own = {"Bob": ("Cold",), "Bill": ("Flu",), "Don": ("Cold",), "Sue": ("HIV",)}
    first, second = ("Cold", "Flu"), ("Cold", "HIV")
    return LinkageExample(
        name="homogeneity_and_linkage",
        title="Homogeneity and linkage",
        story=(
            "A voter list has names, zip codes and ages. Joined with the raw table it gives everyone's disease. In "
            "classes of two the join is ambiguous. But put Bob and Don together, both of whom have a cold, and "
            "2-anonymity holds while the list tells what they have: a class needs different values, not only people."
        ),
        source="Allard, lecture on partition-based models, 2023",
        table=table,
        schema=bob.schema,
        voters=table.to_frame()[["Name", "Zip", "Age"]],
        published=(
            ("No classes: the raw table without names", (0, 1, 2, 3)),
            ("Two by two, as printed", (0, 0, 1, 1)),
            ("Two by two by age (ours): one class of one value", (0, 1, 0, 1)),
        ),
        counts=((7, 6, 5, 3), (100, 6, 5, 3)),
        expected=(
            own,
            {"Bob": first, "Bill": first, "Don": second, "Sue": second},
            {"Bob": ("Cold",), "Bill": ("Flu", "HIV"), "Don": ("Cold",), "Sue": ("Flu", "HIV")},
        ),
    )


def disagreement() -> WorkedExample:
    """Lalin is in both hospitals, with different zip codes and diagnoses.

    Returns
    -------
    WorkedExample
        [Sattar 2018, Tables 1 and 2]: :func:`hospitals_a_and_b` with another target.
    """
    both = hospitals_a_and_b()
    return replace(
        both,
        name="disagreement",
        title="Disagreement",
        story=(
            "Lalin is a patient of both hospitals, with diagnosis D and zip code 5087 in A, and with E and 5187 in B. "
            "The attack takes for granted that a person has the same value everywhere: it leaves B, D and F, and rules "
            "out E, which hospital B treats Lalin for. What it says of people like that is wrong."
        ),
        target={"Age": "35", "Sex": "m", "Zip Code": "5087"},
        target_classes=(rows_of(both.labels[0], 2), rows_of(both.labels[1], 1)),
        expected={
            "k": (4, 6),
            "distinct_l": (3, 4),
            "rows": (9, 9),
            "sizes": (4, 6),
            "prior": (4, 5),
            "candidates": ("B", "D", "F"),
            "posterior": 3,
            "drop": 1,
            "confidence": 1 / 3,
            "values": ("D", "E"),
        },
    )

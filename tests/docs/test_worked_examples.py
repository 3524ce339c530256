"""The page of worked examples says what the program computes from their tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import Policy, Schema, anonymize, examples, intersection_attack, m_private, measure
from core.attack.anonymity_set import anonymity_set
from core.base.wording import percent
from core.beliefs import Background, beliefs
from tests import worked
from tests.releases import releases_of
from tests.source import ROOT

PAGE = (ROOT / "docs" / "worked-examples.md").read_text(encoding="utf-8")


def said(title: str) -> str:
    """One section of the page, its lines joined."""
    return " ".join(re.split(r"^## .+$", PAGE, flags=re.MULTILINE)[titles().index(title) + 1].split())


def titles() -> list[str]:
    return re.findall(r"^## (.+)$", PAGE, re.MULTILINE)


def test_colluding_hospitals() -> None:
    for release, name in zip(worked.colluding_hospitals().releases, ("T_a*", "T_b*"), strict=True):
        assert m_private(release, None, worked.POLICY, 0).is_satisfied
        most = [max(m for m in range(3) if m_private(release, None, Policy(k, l=2), m).is_satisfied) for k in (3, 2)]
        people = worked.POOLED["Name"].to_numpy()
        classes = "; ".join(", ".join(sorted(people[release.labels == label])) for label in range(3))
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| {name}"))
        _, _, told, *private, _ = (cell.strip() for cell in row.split("|"))
        assert "; ".join(", ".join(sorted(each.split(", "))) for each in told.split("; ")) == classes
        assert private == [f"m = {m}" for m in most]
    learns = m_private(worked.colluding_hospitals().releases[0], None, worked.POLICY, 1).learns
    assert learns is not None
    assert f"**{learns.left} of {learns.size}** records is left" in said("Colluding hospitals")
    assert learns.values == (("Epilepsy", 1),)


def test_dons_beliefs() -> None:
    release = worked.four(worked.WAYS["Two by two, as printed"])
    held = beliefs(release, Background.edited(release.encoded, worked.JOINT))
    breached = []
    for row, person in enumerate(("Bob", "Bill", "Don", "Sue")):
        label = int(release.labels[row])
        group = int(held.members(label)[list(release.classes.members(label)).index(row)])
        before, after = (", ".join(f"{x:.3f}" for x in part[group - held.starts[label]]) for part in held.rows(label))
        assert f"| {person} | {before} | {after} | {held.gain[group]:.3f} |" in PAGE
        breached += [person] * bool(held.breached(0.1)[group])
    assert breached == ["Bob", "Bill", "Sue"]
    don = next(line for line in PAGE.splitlines() if line.startswith("| Don")).split("|")
    before, after = don[2].split(", ")[2].strip(), don[3].split(", ")[2].strip()
    method = (ROOT / "assets" / "method" / "beliefs.md").read_text(encoding="utf-8")
    assert f"from {float(before)} to {float(after)}" in method


@pytest.mark.parametrize("way", worked.WAYS)
def test_homogeneity_and_linkage(way: str) -> None:
    left = worked.joined_with_the_voters(worked.WAYS[way])
    assert f"| {way} | {' | '.join(map(', '.join, left.values()))} |" in PAGE


def test_how_far_one_value_dominates() -> None:
    for counts in ((7, 6, 5, 3), (100, 6, 5, 3)):
        assert f"**{percent(counts[0] / sum(counts))}**" in said("Homogeneity and linkage")


def test_disagreement() -> None:
    lalin = intersection_attack(releases_of(examples.hospitals_a_and_b()), [[9], [9]])
    assert f"it leaves **{', '.join(lalin.candidates(0))}**" in said("Disagreement")


def test_two_versions_keep_their_promise_apart_and_leave_nobody_an_anonymity_set_together() -> None:
    schemas = [Schema([column], "Diagnosis", unassigned="drop") for column in ("Age", "Zip code")]
    releases = [anonymize(worked.nine(), schema, Policy(3, l=3)) for schema in schemas]
    for release, schema in zip(releases, schemas, strict=True):
        guarantee = measure(release.publish(), schema)
        assert (guarantee.k, guarantee.distinct_l) == (3, 3)
    result = intersection_attack(releases, [np.arange(9)] * 2)
    people = anonymity_set(result)
    assert people is not None
    assert (people.exact, people.low.tolist(), result.posterior.tolist()) == (True, [1] * 9, [3] * 9)
    assert f"one value for **{percent(result.one_value_left.value)}**" in said("Two versions")
    assert f"**{percent(people.share(1.0))}** are alone" in said("Two versions")
    assert people.alone(1.0) == 0


def by_mondrian(records: worked.Records) -> str:
    frame = pd.DataFrame(records, columns=["person", "ill"]).astype(str)
    return str(sorted(anonymize(frame, Schema(["person"], "ill"), Policy(2, l=2)).publish(0).to_numpy().tolist()))


@pytest.mark.parametrize(
    ("publish", "after"), [(worked.wong_published, Fraction(1)), (by_mondrian, Fraction(1, 7)), (len, Fraction(1, 3))]
)
def test_who_knows_the_algorithm_infers_more_than_the_counts_say(publish: Callable[..., Any], after: Fraction) -> None:
    """Wong's six records; an algorithm that gives out the same whatever the table is tells nothing more."""
    assert worked.wong_published(worked.SIX) == (("Q", False),) * 4 + (("Q", True),) * 2
    assert worked.minimality_belief(worked.SIX, publish) == (Fraction(1, 3), after)
    assert f"**{after}**" in said("Six records")

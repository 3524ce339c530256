"""The papers' worked tables, which need no data: every printed result beside what core computes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchmarks.papers import draw
from benchmarks.papers.figure import Claim, Figure, Grid, Job, Picture
from core import Policy, Release, examples, figures, intersection_attack, m_private
from core.algorithms import partition
from core.beliefs import Background, beliefs
from core.data.classes import ClassHistogram
from core.data.encoding.encoded import encode
from core.privacy.class_levels import recursive, smallest_c
from tests import worked


def jobs() -> list[Job]:
    """Every example, by paper."""
    return [
        Job("Ganta KDD", "Table 1", "Alice in two hospitals", alice, also="Ganta arXiv, Table 1"),
        Job("Sattar", "Tables 1 and 2", "Hospitals A and B", hospitals_a_and_b),
        Job("Goryczka", "Table I", "What one of four hospitals can subtract", colluding),
        Job("Allard", "Release", "Four patients, two by two", bobs_class),
        Job("Allard", "Homogeneity", "Linkage with a voter list, and a class of one value", homogeneity),
        Job("Allard", "Don", "Prior and posterior belief", don),
        Job("Allard", "Recursive", "Recursive (c, l)-diversity of counts", counts),
    ]


def _grid(frame: pd.DataFrame, caption: str) -> Grid:
    rows = [tuple(str(cell) for cell in row) for row in frame.itertuples(index=False)]
    return Grid([str(name) for name in frame.columns], rows, words=len(frame.columns), caption=caption)


def _set(values: Sequence[str]) -> str:
    return ", ".join(sorted(values)) or "nothing"


def alice() -> Figure:
    """[Ganta 2008, Table 1]."""
    told = examples.two_hospitals()
    tables = [Release.parse(frame, told.schema) for frame in told.published]
    result = intersection_attack(tables, pd.DataFrame([dict(told.target)]), "published")
    sizes = tuple(int(table.sizes.min()) for table in tables)
    left = result.candidates(0)
    claims = [
        Claim.holds(
            "The tables are 4-anonymous and 6-anonymous.",
            f"{sizes[0]}-anonymous and {sizes[1]}-anonymous",
            sizes == (4, 6),
        ),
        Claim.holds(
            "Whoever knows that Alice is 28, lives in 13012 and was in both learns that she has AIDS.",
            f"left: {_set(left)}",
            left == ("AIDS",),
        ),
    ]
    drawn = _sets(result.effective_anonymity[:, 0].tolist(), int(result.posterior[0]))
    return Figure(
        "Ganta KDD",
        "Table 1",
        "Alice in two hospitals",
        "The two printed tables are read as they are and attacked by their regions.",
        [Picture(drawn, "Diagnoses possible for Alice in each table, and in both.")],
        [_grid(frame, f"({letter}) as printed") for letter, frame in zip("ab", told.published, strict=True)],
        claims,
        "Ganta arXiv, Table 1",
    )


def _sets(prior: Sequence[int], posterior: int) -> object:
    names = [*(f"release {number + 1}" for number in range(len(prior))), "left in all of them"]
    return draw.bars(names, [*prior, posterior], "Sensitive values that remain possible")


def hospitals_a_and_b() -> Figure:
    """[Sattar 2018, Tables 1 and 2]."""
    told = examples.hospitals_a_and_b()
    releases = [
        Release.of(encode(table, told.schema), np.array(labels), Policy(2), "as printed")
        for table, labels in zip(told.tables, told.labels, strict=True)
    ]
    names = [table.column("Name").texts().tolist() for table in told.tables]
    people = ("Alice", "Bob")
    rows = [[each.index(person) for person in people] for each in names]
    result = intersection_attack(releases, rows, "assumed")
    left = [result.candidates(place) for place in range(len(people))]
    claims = [
        Claim.holds("Alice: the common diagnoses are {E}.", f"left: {_set(left[0])}", left[0] == ("E",)),
        Claim.holds("Bob: the common diagnoses are {B, D, F}.", f"left: {_set(left[1])}", left[1] == ("B", "D", "F")),
    ]
    drawn = _sets(result.effective_anonymity[:, 0].tolist(), int(result.posterior[0]))
    return Figure(
        "Sattar",
        "Tables 1 and 2",
        "Hospitals A and B",
        "The original tables in the groups as printed; the classes of Alice and Bob are known.",
        [Picture(drawn, "Diagnoses possible for Alice in each release, and in both.")],
        [_grid(frame, f"Published table {letter}") for letter, frame in zip("AB", told.published, strict=True)],
        claims,
        "",
        told.erratum,
    )


def colluding() -> Figure:
    """[Goryczka 2011, Table I]."""
    told, policy = worked.colluding_hospitals(), worked.POLICY
    first, second = told.releases
    outside = [m_private(release, None, policy, 0).is_satisfied for release in (first, second)]
    verdicts = [m_private(release, None, policy, 1) for release in (first, second)]
    lower = m_private(second, None, Policy(2, l=2), 1).is_satisfied
    learned = verdicts[0].learns
    left = "" if learned is None else f", left: {learned.left} of {learned.size} records"
    claims = [
        Claim.holds(
            "Both tables are 3-anonymous and 2-diverse.",
            "to the reader outside " + " and ".join("yes" if held else "no" for held in outside),
            all(outside),
        ),
        Claim.holds(
            "T_a* is not 1-private: a provider can subtract its own records.",
            f"{', '.join(verdicts[0].names)} does{left}",
            not verdicts[0].is_satisfied,
        ),
        Claim.holds(
            "T_b* is 1-private for k = 3 and l = 2.",
            f"{'1-private' if verdicts[1].is_satisfied else 'not 1-private'} for k = 3; for k = 2 and l = 2 it is"
            f"{'' if lower else ' not either'}",
            verdicts[1].is_satisfied,
        ),
    ]
    chart = draw.bars(
        [
            "T_a*, everybody's records",
            "T_a*, after a provider's withdrawal",
            "T_b*, everybody's records",
            "T_b*, after a provider's withdrawal",
        ],
        [part for release in (first, second) for part in (int(release.sizes.min()), _least_left(release))],
        "Records in the smallest class",
    )
    return Figure(
        "Goryczka",
        "Table I",
        "What one of four hospitals can subtract",
        "The ten records in the classes as printed.",
        [Picture(chart, "Smallest class to the reader outside, and after the worst single provider took its records.")],
        [
            _grid(frame, f"{name}, with provider and name, which are not published")
            for name, frame in zip(("T_a*", "T_b*"), told.published, strict=True)
        ],
        claims,
        "",
        "By the paper's own definition 2.1 the second table is 1-private for k = 2, and only 0-private for k = 3.",
    )


def _least_left(release: Release) -> int:
    """Fewest records of others in a class after one provider takes its own."""
    encoded = release.encoded
    assert encoded.provider_code is not None
    pairs = pd.DataFrame({"label": release.labels, "provider": encoded.provider_code}).value_counts()
    sizes = release.sizes
    return min(int(sizes[label] - count) for (label, _), count in pairs.items())


def bobs_class() -> Figure:
    """[Allard 2023], the release and Mondrian's."""
    told = examples.bobs_class()
    encoded = encode(told.tables[0], told.schema)
    ours = partition(encoded, Policy(2))
    people = told.tables[0].column("Name").texts().tolist()
    groups = sorted(
        _set([person for person, label in zip(people, ours.labels, strict=True) if label == number])
        for number in range(len(ours.sizes))
    )
    printed = sorted(
        _set([person for person, label in zip(people, told.labels[0], strict=True) if label == number])
        for number in sorted(set(told.labels[0]))
    )
    release = Release.of(encoded, np.array(told.labels[0]), Policy(2), "as printed")
    values = sorted(
        release.encoded.sensitive.labels[code]
        for code in set(release.encoded.sensitive_codes[release.labels == release.labels[people.index("Bob")]])
    )
    claims = [
        Claim.holds(
            "A possible 2-anonymous release: Bob and Bill, Don and Sue.",
            f"Mondrian at k = 2 makes: {'; '.join(groups)}",
            groups == printed,
        ),
        Claim.holds(
            "Joins are ambiguous: Bob has a cold or the flu.", f"left: {_set(values)}", values == ["Cold", "Flu"]
        ),
    ]
    chart = draw.bars([f"class of {group}" for group in printed], [int(n) for n in np.sort(release.sizes)], "Records")
    return Figure(
        "Allard",
        "Release",
        "Four patients, two by two",
        "The raw table, published in the classes as printed.",
        [Picture(chart, "Records in each class.")],
        [_grid(told.published[0], "As printed")],
        claims,
        "",
        told.erratum,
    )


def homogeneity() -> Figure:
    """[Allard 2023], what the voter list finds."""
    rows, certain = [], []
    for words, labels in worked.WAYS.items():
        found = worked.joined_with_the_voters(labels)
        rows += [(words, person, _set(values)) for person, values in found.items()]
        certain.append(sum(len(values) == 1 for values in found.values()))
    claims = [
        Claim.holds(
            "Pseudonyms alone: a join with a voter list finds everybody.", f"{certain[0]} of 4", certain[0] == 4
        ),
        Claim.holds("In classes of two the join is ambiguous.", f"{certain[1]} of 4 found", certain[1] == 0),
        Claim.holds(
            "Homogeneity: a class of one value gives it away all the same (table ours).",
            f"{certain[2]} of 4 found",
            certain[2] > 0,
        ),
    ]
    chart = draw.bars(list(worked.WAYS), certain, "People whose disease is certain, of 4")
    return Figure(
        "Allard",
        "Homogeneity",
        "Linkage with a voter list, and a class of one value",
        "The list of names, zip codes and ages is joined with each way to publish.",
        [Picture(chart, "People whose disease the join makes certain.")],
        [Grid(("Published", "Person", "possible"), rows, words=3)],
        claims,
    )


def don() -> Figure:
    """[Allard 2023, Eq. 1 to 3]."""
    values, labels = ("Cold", "Flu", "HIV"), worked.WAYS["Two by two, as printed"]
    release = worked.four(labels)
    held = beliefs(release, Background.edited(release.encoded, worked.JOINT))
    rows, pictures, claims = [], [], []
    printed = {"Cold": (0.4, 0.46), "Flu": (0.04, 0.0), "HIV": (0.56, 0.54)}
    for row, person in enumerate(("Bob", "Bill", "Don", "Sue")):
        label = labels[row]
        group = int(held.members(label)[release.classes.members(label).tolist().index(row)])
        prior, after = (part[group - held.starts[label]] for part in held.rows(label))
        rows.append(
            (
                person,
                *(f"{value:.3f}" for value in prior),
                *(f"{value:.3f}" for value in after),
                f"{held.gain[group]:.3f}",
            )
        )
        if person in ("Don", "Bob"):
            chart = figures.prior_and_posterior(values, prior.tolist(), after.tolist(), theta=0.1)
            pictures.append(Picture(chart, f"What is believed about {person} before and after the release."))
        if person == "Don":
            for place, value in enumerate(values):
                before, later = printed[value]
                claims.append(
                    Claim.number(
                        f"Prior of Don, {value}: {before}.", before, prior[place], f"{prior[place]:.3f}", 0.005
                    )
                )
                claims.append(
                    Claim.number(
                        f"Posterior of Don, {value}: {later}.", later, after[place], f"{after[place]:.3f}", 0.01
                    )
                )
        elif person == "Bob":
            claims.append(
                Claim.holds(
                    "Prior of everybody else: 0.33 for each disease.",
                    ", ".join(f"{value:.3f}" for value in prior),
                    np.allclose(prior, 1 / 3, atol=0.005),
                )
            )
    header = ("Person", *(f"before, {v}" for v in values), *(f"after, {v}" for v in values), "largest change")
    return Figure(
        "Allard",
        "Don",
        "Prior and posterior belief",
        "f(q, s) as printed, on the release of two classes.",
        pictures,
        [Grid(header, rows)],
        claims,
        "",
        "The posterior is printed as 0.46, 0 and 0.54; it is 0.465, 0 and 0.535.",
    )


COUNTS: tuple[tuple[str, tuple[int, ...], int, bool | None], ...] = (
    ("7, 6, 5, 3, 1, 1: recursive (1, 3)-diverse", (7, 6, 5, 3, 1, 1), 3, True),
    ("without the value counted 6: recursive (1, 2)-diverse", (7, 5, 3, 1, 1), 2, True),
    ("without the value counted 6: no longer (1, 3) (implied)", (7, 5, 3, 1, 1), 3, False),
    ("without a value counted 1: recursive (1, 3)-diverse", (7, 6, 5, 3, 1), 3, True),
    ("100, 6, 5, 3 (asked, no answer printed): (1, 2)", (100, 6, 5, 3), 2, None),
    ("7, 6, 5, 3 (asked, no answer printed): (1, 2)", (7, 6, 5, 3), 2, None),
)
"""What the slides say of counts, the counts, l, and whether they say that it holds for c = 1."""


def counts() -> Figure:
    """[Allard 2023], negation statements."""
    claims, rows = [], []
    for words, each, l, said in COUNTS:  # noqa: E741
        histogram = ClassHistogram.of_records(
            np.zeros(sum(each), dtype=np.int32), np.repeat(np.arange(len(each)), each), np.array(each), 1
        )
        holds, least = bool(recursive(histogram, 1.0, l)[0]), float(smallest_c(histogram, l)[0])
        rows.append((", ".join(map(str, each)), str(l), "holds" if holds else "fails", f"any c > {least:.3g}"))
        if said is not None:
            claims.append(
                Claim.holds(f"{words}.", f"{'holds' if holds else 'fails'}; any c > {least:.3g} does", holds is said)
            )
    header = ("Counts", "l", "c = 1", "recursive (c, l) for")
    chart = draw.bars(
        [f"{row[0]} (l = {row[1]})" for row in rows],
        [float(row[3].removeprefix("any c > ")) for row in rows],
        "c must be above",
    )
    return Figure(
        "Allard",
        "Recursive",
        "Recursive (c, l)-diversity of counts",
        "r1 < c (r_l + ... + r_m), before and after somebody rules out one value.",
        [Picture(chart, "Smallest c for which each list of counts is recursively diverse.")],
        [Grid(header, rows, words=1)],
        claims,
    )

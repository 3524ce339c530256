"""Tables 2 and 3 of [Ganta 2008]: the attributes of Adult and IPUMS with their domain sizes."""

from __future__ import annotations

import pandas as pd

from benchmarks.papers import draw
from benchmarks.papers.figure import AGREES, DIFFERS, Claim, Figure, Grid, Job, Picture
from benchmarks.papers.ganta import PAPER, Ganta
from benchmarks.papers.tables import Source

PRINTED = {
    "Adult": (
        "Table 2",
        30_162,
        {
            "age": ("Age", 74),
            "workclass": ("Work Class", 7),
            "education": ("Education", 16),
            "marital-status": ("Marital Status", 7),
            "race": ("Race", 5),
            "sex": ("Gender", 2),
            "native-country": ("Native Country", 41),
            "occupation": ("Occupation", 14),
        },
    ),
    "IPUMS": (
        "Table 3",
        70_187,
        {
            "age": ("Age", 100),
            "classwkg": ("Work Class", 5),
            "educrec": ("Education", 10),
            "marst": ("Marital Status", 6),
            "raceg": ("Race", 7),
            "sex": ("Sex", 2),
            "bplg": ("Birth Place", 113),
            "occ1950": ("Occupation", 247),
        },
    ),
}
"""For each table its number, its records, and for each column the paper's name and domain size."""


def jobs(ganta: Ganta) -> list[Job]:
    """Both tables as one figure, for the data that is here."""
    return [
        Job(
            PAPER,
            "Tables 2 and 3",
            "The attributes of both tables",
            lambda: tables_2_and_3(ganta),
            ("adult", "ipums"),
            "Ganta KDD, Tables 2 and 3",
        )
    ]


def tables_2_and_3(ganta: Ganta) -> Figure:
    """Domain sizes printed and found."""
    pictures, rows, claims = [], [], []
    for source in ganta.sources:
        number, records, columns = PRINTED[source.name]
        found = sizes(source)
        here = len(source.encoded)
        claims.append(
            Claim(
                f"{number}: {records:,} records ({source.name}).",
                f"{here:,} complete records",
                AGREES if here == records else DIFFERS,
            )
        )
        known = {name: printed for name, printed in columns.items() if name in found}
        same = [words for name, (words, size) in known.items() if found[name] == size]
        if known:
            other = [f"{words} {found[name]} for {size}" for name, (words, size) in known.items() if words not in same]
            claims.append(
                Claim.holds(
                    f"{number}: the domain sizes of {len(known)} attributes ({source.name}).",
                    f"{len(same)} are the same" + (f"; {', '.join(other)}" if other else ""),
                    not other,
                )
            )
        for name, size in found.items():
            words, printed = columns.get(name, (name, 0))
            role = "sensitive" if name == source.schema.sensitive else "quasi-identifier"
            rows.append((source.name, words, name, role, f"{printed:,}" if printed else "–", f"{size:,}"))
        chart = draw.bars(list(found), list(map(float, found.values())), "Values that occur", log=True)
        pictures.append(Picture(chart, f"{source.name}: distinct values of each attribute."))
    header = ("Table", "Attribute", "Column", "Class", "printed", "found")
    return Figure(
        PAPER,
        "Tables 2 and 3",
        "The attributes of both tables",
        "Values that occur among the complete records; codes that stand for no answer are counted.",
        pictures,
        [Grid(header, rows, words=4)],
        claims,
        "Ganta KDD, Tables 2 and 3",
        "Where a size differs, the paper may count a domain whole and not what occurs.",
    )


def sizes(source: Source) -> dict[str, int]:
    """Values of every attribute that occur among the complete records."""
    encoded = source.encoded
    found = {
        domain.name: int(pd.Series(codes).nunique()) for domain, codes in zip(encoded.qids, encoded.codes, strict=True)
    }
    return {**found, encoded.sensitive.name: int((encoded.overall > 0).sum())}
